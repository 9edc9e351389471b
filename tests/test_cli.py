"""The command line: each command over files, its exit codes, and what it must not print."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.scripts import lenient, script, usual, write_case
from workbench import cli
from workbench.auditors.summary import summary
from workbench.cli import live
from workbench.cli.protocols import FLAGS
from workbench.record.codec import seal
from workbench.record.events import Asked

KEY = "sk-canary-123"
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
Main = Callable[..., int]


@pytest.fixture(autouse=True)
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play models by scripts and search by words, with a key in the environment to look for."""
    monkeypatch.setattr(live, "language_model", lambda args: script(args.lm))
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """Give a small case's folder."""
    return write_case(tmp_path / "picnic")


@pytest.fixture
def file(case: Path, tmp_path: Path) -> Path:
    """Give a finished run's file."""
    path = tmp_path / "a.run.jsonl"
    assert 0 == cli.main(run_args(case, path))
    return path


@pytest.fixture(autouse=True)
def canary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Look for the key in all that was printed and written."""
    yield
    out, err = capsys.readouterr()
    assert KEY not in out + err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def run_args(case: Path, out: Path, lm: str = "agents", *more: str) -> list[str]:
    """Return the arguments of a run."""
    head = ["run", "bilayer", "--case", str(case), "--turns", "2", "--lm", lm]
    return [*head, "--out", str(out), *more]


def workbench(*args: object, lm: bool = True, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    code = "from tests.scripts import command_line; command_line()"
    start = [sys.executable, "-c", code] if lm else [sys.executable, "-m", "workbench.cli"]
    root = str(Path(__file__).parents[1])
    return subprocess.run(
        [*start, *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        timeout=60,
        check=False,
        **options,
    )


def stopped(case: Path, path: Path) -> Path:
    """Leave a run whose model failed in turn 2."""
    assert 3 == cli.main(run_args(case, path, "dies"))
    return path


def test_run(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run tells its facts on standard error, itself on standard output, and ends with 0."""
    out = tmp_path / "new" / "folder" / "a.run.jsonl"

    assert 0 == cli.main(run_args(case, out))

    told = capsys.readouterr()
    assert told.out.startswith("<Run bilayer: complete")
    assert f"written: {out}" in told.out
    assert "turn 2 · " in told.err
    assert wb.verify(out)


def test_run_quietly_with_json(
    case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json and --quiet one JSON object is printed and nothing else."""
    out = tmp_path / "a.run.jsonl"

    assert 0 == cli.main(run_args(case, out, "agents", "--json", "--quiet"))

    told = capsys.readouterr()
    assert "" == told.err
    found = json.loads(told.out)
    assert (str(out), "complete", 2) == (found["file"], found["status"], found["result"]["turns"])


def test_run_options(case: Path, tmp_path: Path) -> None:
    """Every option of a run reaches the protocol."""
    out = tmp_path / "a.run.jsonl"
    options = "--mode no_tom --searches 1 --passages 2 --words 50 --history 1 --tokens 9000"

    assert 0 == cli.main(
        run_args(case, out, "agents", *options.split(), "--temperature", "0", "--seed", "7")
    )

    start = wb.open_run(out).started
    assert 7 == start.seed
    wanted = {"mode": "no_tom", "searches": 1, "passages": 2, "words": 50, "history": 1}
    wanted |= {"tokens": 9000, "temperature": 0.0, "turns": 2}
    assert wanted.items() <= start.params.items()


def test_nothing_is_overwritten(file: Path, case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is there stays as it is, whatever command would write it."""
    data = file.read_bytes()
    fork = ["fork", str(file), "--at", "/turn=2", "--lm", "agents", "--out", str(file)]
    audit = ["audit", str(file), "--lm", "judge", "--out", str(file)]

    for args in (run_args(case, file), fork, audit):
        capsys.readouterr()
        assert 4 == cli.main(args)
        assert "exists" in capsys.readouterr().err
    assert data == file.read_bytes()


def test_unusable(tmp_path: Path, case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing is named in one line, with exit code 4."""
    no = tmp_path / "no.run.jsonl"

    for args in (
        run_args(tmp_path / "nowhere", tmp_path / "a"),
        ["show", str(no)],
        ["replay", str(no)],
        ["verify", str(no)],
        ["diff", str(no), str(no)],
        ["resume", str(no)],
        ["fork", str(no), "--at", "/x", "--out", str(tmp_path / "b")],
        ["audit", str(no), "--lm", "judge"],
        ["passport", str(tmp_path / "nowhere")],
        ["show", str(tmp_path)],
        ["show", str(case / "case.json")],
    ):
        assert 4 == cli.main(args), args
        told = capsys.readouterr()
        assert told.err.startswith("workbench: ")
        assert 1 == len(told.err.splitlines())
        assert "" == told.out
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("odd", ["a\0b", "x" * 5000, "x/" * 3000])
def test_names_that_no_file_has(
    odd: str, file: Path, case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that the system refuses ends with 4 and one line, whatever it is given for."""
    good = str(file)
    for args in (
        run_args(Path(odd), Path("b")),
        run_args(case, Path(odd)),
        ["show", odd],
        ["replay", odd],
        ["verify", odd],
        ["verify", good, odd],
        ["diff", good, odd],
        ["resume", odd],
        ["fork", odd, "--at", "/x"],
        ["fork", good, "--at", "/turn=1/goal/try=1", "--out", odd],
        ["fork", good, "--at", "/turn=1/goal/try=1", "--answer", odd],
        ["audit", odd, "--lm", "judge"],
        ["audit", good, "--lm", "judge", "--out", odd],
        ["export", odd, "--html", "b.html"],
        ["export", good, "--html", odd],
        ["export", good, "--html", "b.html", "--audit", odd],
        ["passport", odd],
    ):
        capsys.readouterr()
        assert 4 == cli.main(args), args[:2]
        told = capsys.readouterr().err
        assert told.startswith("workbench: ")
        assert 1 == len(told.splitlines())


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["fly"],
        ["run", "bilayer"],
        ["run", "chess", "--case", "x", "--out", "y"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--turns", "0"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--turns", "two"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--searches", "-1"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--temperature", "nan"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--budget-tokens", "0"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--budget-usd", "-1"],
        ["run", "bilayer", "--case", "x", "--out", "y", "--mode", "half"],
        ["fork", "x", "--out", "y", "--param", "turns"],
        ["fork", "x", "--out", "y", "--param", f"turns={'[' * 100_000}"],
        ["fork", "x", "--out", "y", "--rule", "some"],
        ["verify"],
    ],
)
def test_wrong_usage(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Flags that cannot be read end with 2 and the usage."""
    with pytest.raises(SystemExit) as ended:
        cli.main(args)

    assert 2 == ended.value.code
    assert "usage: workbench" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["fork", "--answer", "-"], "--answer goes with one --at"),
        (["fork", "--answer", "-", "--at", "/a", "--at", "/b"], "--answer goes with one --at"),
        (["fork", "--at", "/turn=2", "--budget-tokens", "5"], "--budget-tokens goes with --lm"),
        (["resume", "--budget-usd", "1"], "--budget-usd goes with --lm"),
        (["resume", "--base-url", "http://127.0.0.1:1/v1"], "--base-url goes with --lm"),
        (["resume", "--at-once", "2"], "--at-once goes with --lm"),
    ],
)
def test_flags_that_do_not_go_together(
    file: Path, flags: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A flag that would be passed over in silence is refused with 2."""
    command, *rest = flags
    out = ["--out", str(file.with_name("b"))] if command == "fork" else []

    assert 2 == cli.main([command, str(file), *rest, *out])
    assert why in capsys.readouterr().err


def test_base_url_without_a_model(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endpoint without a model's name is refused, and the embedded model is not run instead."""
    monkeypatch.undo()
    args = run_args(case, tmp_path / "a", "local", "--base-url", "http://127.0.0.1:1/v1")

    assert 2 == cli.main(args)
    assert not (tmp_path / "a").exists()


def test_resume(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that failed ends with 3, is kept, and a resume makes it what it would have been."""
    path, whole = stopped(case, tmp_path / "a.run.jsonl"), tmp_path / "whole.run.jsonl"
    assert "what was answered is kept in" in capsys.readouterr().err
    before = path.read_bytes()

    assert 0 == cli.main(["resume", str(path), "--lm", "agents"])

    assert re.search(r"^asking .*; \d+ answers kept$", capsys.readouterr().err, re.MULTILINE)
    assert path.read_bytes().startswith(before)
    assert 0 == cli.main(run_args(case, whole))
    assert wb.open_run(whole).digest == wb.open_run(path).digest
    assert 0 == cli.main(["resume", str(path), "--lm", "agents"])


def test_resume_of_a_killed_run(case: Path, tmp_path: Path) -> None:
    """A run that was killed by kill -9 is gone on with, also after a torn line."""
    path = tmp_path / "a.run.jsonl"
    code = "from tests.scripts import command_line; command_line()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *run_args(case, path, "slow")],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_for(path, b'"/turn=1/goal"')
    process.kill()
    process.wait()
    path.write_bytes(path.read_bytes() + b'{"v": 1, "event"')
    held = set(wb_answers(path))

    assert 0 == cli.main(["resume", str(path), "--lm", "agents"])

    run = wb.open_run(path)
    assert "complete" == run.status
    assert held <= set(run.answers)
    assert wb.verify(run)


def wb_answers(path: Path) -> list[str]:
    """Return the paths that a torn file has answers to."""
    with pytest.warns(UserWarning, match="cut off"):
        return list(wb.open_run(path).answers)


def wait_for(path: Path, words: bytes, timeout_s: float = 30) -> None:
    """Wait until a file holds some words."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if path.exists() and words in path.read_bytes():
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} never held {words!r}")


def test_interrupt(case: Path, tmp_path: Path) -> None:
    """Ctrl-C ends a run with 130, without a traceback, and the file can be gone on with."""
    path = tmp_path / "a.run.jsonl"
    code = "from tests.scripts import command_line; command_line()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *run_args(case, path, "slow")],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    wait_for(path, b'"/turn=1/goal"')
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert 130 == process.returncode
    assert "interrupted; what was answered is kept" in err
    assert "Traceback" not in err
    assert 0 == cli.main(["resume", str(path), "--lm", "agents"])
    assert wb.verify(path)


def test_fork_with_an_answer(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork puts a file, or standard input, in place of an answer, to the last character."""
    path = "/turn=1/buyer/propose/try=1"
    text = json.dumps({"predictions": {"analyst": "a", "critic": "c"}, "contribution": "né\n"})
    (tmp_path / "answer").write_text(text + "\n", encoding="utf-8")
    args = ["fork", str(file), "--at", path, "--lm", "agents", "--answer"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "ascii"))

    assert 0 == cli.main([*args, str(tmp_path / "answer"), "--out", "b.run.jsonl"])
    assert 0 == cli.main([*args, "-", "--out", "c.run.jsonl"])

    assert text + "\n" == wb.open_run("b.run.jsonl").answers[path].text  # type: ignore[union-attr]
    assert text == wb.open_run("c.run.jsonl").answers[path].text  # type: ignore[union-attr]
    assert wb.verify("b.run.jsonl")
    assert 1 == cli.main(["diff", str(file), "b.run.jsonl"])


def test_fork_beside_its_parent(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --out a fork takes the first free name beside the run, wherever it is called from."""
    args = ["fork", str(file), "--at", "/turn=2", "--lm", "agents"]
    file.with_name("a.fork-2.run.jsonl").write_text("taken")

    assert [0, 0] == [cli.main(args), cli.main(args)]

    assert "written: " + str(file.with_name("a.fork-3.run.jsonl")) in capsys.readouterr().out
    assert wb.verify(file.with_name("a.fork-1.run.jsonl"))
    assert wb.verify(file.with_name("a.fork-3.run.jsonl"))
    assert "taken" == file.with_name("a.fork-2.run.jsonl").read_text()


def test_interrupted_without_a_run(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C speaks of a resume only where there is a run to resume."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("workbench.record.run.open_run", interrupt)
    for args, kept in (
        (["show", str(file)], False),
        (["fork", str(file), "--at", "/turn=2"], True),
    ):
        capsys.readouterr()
        assert 130 == cli.main(args)
        assert kept == ("resume goes on" in capsys.readouterr().err)


def test_fork_of_a_search(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is put in place of a search's result is JSON, and anything else is refused."""
    path = "/turn=1/buyer/search=1"
    args = ["fork", str(file), "--at", path, "--lm", "agents", "--answer", "answer", "--out", "b"]
    Path("answer").write_text("no JSON")
    assert 4 == cli.main(args)
    assert f"not the answer for {path}" in capsys.readouterr().err
    Path("answer").write_text("[]")

    assert 0 == cli.main(args)

    assert [] == wb.open_run("b").answers[path].value  # type: ignore[union-attr]
    assert "found nothing" in wb.open_run("b").prompt("/turn=1/buyer/propose/try=1")


def test_fork_refusals(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fork of what is not there names the nearest, and writes no file."""
    Path("bytes").write_bytes(b"\xff\xfe")
    out = ["--lm", "agents", "--out", "b.run.jsonl"]

    for flags, why in (
        (["--at", "/turn=9"], "names nothing in the run"),
        (["--at", "/turn=1/goal", "--answer", "bytes"], "not the answer"),
        (["--at", "/turn=1/goal/try=1", "--answer", "bytes"], "not the answer"),
        (["--at", "/turn=1/goal/try=1", "--answer", "missing"], "No such file"),
        (["--param", "turn=3"], "no parameter 'turn'"),
        (["--param", "turns=0"], "bilayer(turns=...)"),
    ):
        assert 4 == cli.main(["fork", str(file), *flags, *out]), flags
        assert why in capsys.readouterr().err
    assert not Path("b.run.jsonl").exists()


def test_fork_with_a_parameter(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fork takes parameters as JSON or as words, and keeps what they do not change."""
    args = ["fork", str(file), "--param", "turns=1", "--rule", "unchanged", "--lm", "agents"]

    assert 0 == cli.main([*args, "--param", "mode=full", "--out", "b.run.jsonl", "--json"])

    run = wb.open_run("b.run.jsonl")
    assert (1, "full") == (run.started.params["turns"], run.started.params["mode"])
    assert run.started.lineage is not None
    assert "unchanged" == run.started.lineage.rule
    assert json.loads(capsys.readouterr().out.split("jsonl\n", 1)[-1])["usage"]["inherited"] > 0


def test_fork_with_a_seed(file: Path) -> None:
    """Two seeds are two samples of one fork."""
    args = ["fork", str(file), "--at", "/turn=2", "--lm", "agents"]
    for seed in ("1", "2"):
        assert 0 == cli.main([*args, "--seed", seed, "--out", seed])

    one, two = (wb.open_run(seed).started.lineage for seed in ("1", "2"))
    assert one is not None
    assert two is not None
    assert (1, 2) == (one.seed, two.seed)


def test_resume_of_a_fork_with_its_parent(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fork that takes what did not change goes on with its parent, and says so without."""
    fork = tmp_path / "b.run.jsonl"
    args = ["fork", str(file), "--at", "/turn=2", "--rule", "unchanged", "--out", str(fork)]
    assert 3 == cli.main([*args, "--lm", "dies"])

    assert 3 == cli.main(["resume", str(fork), "--lm", "agents"])
    assert "--parent PARENT" in capsys.readouterr().err
    assert 0 == cli.main(["resume", str(fork), "--parent", str(file), "--lm", "agents"])
    assert wb.open_run(fork).ended is not None


def test_diff(file: Path, case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal runs end with 0, different ones with 1 and where they part."""
    assert 0 == cli.main(run_args(case, Path("b.run.jsonl")))
    assert 0 == cli.main(run_args(case, Path("c.run.jsonl"), "agents", "--mode", "no_tom"))
    capsys.readouterr()

    assert 0 == cli.main(["diff", str(file), "b.run.jsonl"])
    assert "the runs are equal\n" == capsys.readouterr().out
    assert 1 == cli.main(["diff", str(file), "c.run.jsonl"])
    assert "first divergence: /turn=1/analyst/propose/try=1" in capsys.readouterr().out
    assert 1 == cli.main(["diff", str(file), "c.run.jsonl", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (False, "/turn=1/analyst/propose/try=1") == (found["equal"], found["first"]["path"])
    assert ({}, {"mode": ["full", "no_tom"]}) == (found["head"], found["params"])


def test_verify(file: Path, case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Good, diverged, torn, damaged and newer files are each told apart, and none hides another."""
    data = file.read_bytes()
    lines = data.splitlines(keepends=True)
    Path("torn").write_bytes(data[:-20])
    Path("flipped").write_bytes(data.replace(b"contribution-1-buyer", b"contribution-1-buyes", 1))
    Path("empty").write_bytes(b"")
    Path("newer").write_bytes(seal({"v": 99, "event": "dreamt"}) + data)
    wb_forged(file, Path("forged"))
    stopped(case, Path("stopped"))
    capsys.readouterr()

    assert 0 == cli.main(["verify", str(file), "stopped"])
    assert 2 == capsys.readouterr().out.count(": verified: ")
    assert 0 == cli.main(["verify", "torn"])
    told = capsys.readouterr()
    assert f"workbench: warning: torn: line {len(lines)} was cut off" in told.err
    assert 1 == cli.main(["verify", "forged", str(file)])
    told = capsys.readouterr()
    assert "forged: DIVERGED: /turn=1/buyer/proposal" in told.out
    assert "a.run.jsonl: verified: " in told.out
    for bad, why in (
        ("flipped", "checksum does not fit"),
        ("empty", "is empty"),
        ("newer", "upgrade mas-workbench"),
    ):
        assert 4 == cli.main(["verify", bad, "forged", str(file)])
        told = capsys.readouterr()
        assert why in told.err
        assert "a.run.jsonl: verified: " in told.out
    assert 4 == cli.main(["verify", "empty", str(file), "forged", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [False, True, False] == [row["ok"] for row in rows]
    assert "is empty" in rows[0]["problem"]


def wb_forged(source: Path, target: Path) -> None:
    """Write a run with one contribution that does not follow from its answers."""
    from dataclasses import replace

    from workbench.record.log import Log

    with Log.create(target) as log:
        for event in wb.open_run(source):
            if getattr(event, "path", "") == "/turn=1/buyer/proposal":
                assert isinstance(event, wb.Posted)
                event = replace(event, data={**event.data, "contribution": "forged"})
            log.append([event])


def test_show(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Show tells a run, one of its paths, or JSON of either; a wrong path names the nearest."""
    capsys.readouterr()

    assert 0 == cli.main(["show", str(file)])
    assert "turn 1 · goal (Plan) for analyst, buyer, critic" in capsys.readouterr().out
    assert 0 == cli.main(["show", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert "complete" == found["status"]
    assert "goal-of-turn-1" in [f["data"].get("goal") for f in found["facts"]]
    assert 0 == cli.main(["show", str(file), "/turn=1/buyer/propose/try=1"])
    assert "=== answered by scripted" in capsys.readouterr().out
    assert 0 == cli.main(["show", str(file), "/turn=1/buyer/propose/try=1", "--json"])
    assert "contribution-1-buyer" in json.loads(capsys.readouterr().out)["answer"]["text"]
    for scope in ("/turn=2", "/turn=2/"):
        assert 0 == cli.main(["show", str(file), scope])
        told = capsys.readouterr().out
        assert "asked · /turn=2/goal/try=1 (meta_agent)" in told
        assert "contribution-2-buyer" in told
        assert "turn 1" not in told
        assert 0 == cli.main(["show", str(file), scope, "--json"])
        below = json.loads(capsys.readouterr().out)
        assert all(e["path"].startswith("/turn=2/") for e in below)
        assert len(below) > 10
    assert 4 == cli.main(["show", str(file), "/turn=1/byer/proposal"])
    assert "the nearest are /turn=1/buyer/proposal" in capsys.readouterr().err


def test_replay(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A replay tells the same story; one that diverges ends with 1 and a text diff."""
    capsys.readouterr()
    assert 0 == cli.main(["replay", str(file)])
    assert "turn 2 · " in capsys.readouterr().out
    assert 0 == cli.main(["replay", str(file), "--json"])
    assert "complete" == json.loads(capsys.readouterr().out)["status"]
    wb_forged(file, Path("forged"))

    assert 1 == cli.main(["replay", "forged"])
    assert "-data: " in capsys.readouterr().err


def test_unknown_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    """A run of a protocol that is not here can be shown and not replayed: 4, not a crash."""
    from workbench.record.log import Log

    with Log.create("x") as log:
        log.append([wb.RunStarted(protocol="mine", params={})])

    assert 0 == cli.main(["show", "x"])
    for args in (["replay", "x"], ["verify", "x"], ["resume", "x", "--lm", "agents"]):
        assert 4 == cli.main(args)
        assert "no protocol 'mine' is registered here" in capsys.readouterr().err


def test_audit(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An audit is written beside the run, told with its n, and shown with its summary."""
    data, beside = file.read_bytes(), file.with_name("a.audit.run.jsonl")
    capsys.readouterr()

    assert 0 == cli.main(["audit", str(file), "--lm", "judge", "--quiet"])

    out = capsys.readouterr().out
    assert "Logic Validity" in out
    assert "[n=12 (evaluator, peer) pairs]" in out
    assert data == file.read_bytes()
    assert 0 == cli.main(["show", str(beside)])
    assert "Logic Validity" in capsys.readouterr().out
    args = ["audit", str(file), "--lm", "judge", "--out", "b.run.jsonl", "--json"]
    capsys.readouterr()
    assert 0 == cli.main(args)
    told = json.loads(capsys.readouterr().out)
    run, found = wb.open_run("b.run.jsonl"), summary("b.run.jsonl")
    assert ("b.run.jsonl", "complete", run.digest) == (told["file"], told["status"], told["digest"])
    assert wb.open_run(file).digest == told["subject"]
    assert run.usage._asdict() == told["usage"]
    share = {"hits": 12, "n": 12, "unknown": 0, "percent": 100.0}
    assert share == told["tom_consistency"]
    for name in ("rag_calls_per_turn", "cosine_consistent", "cosine_d", "after_invalid"):
        assert getattr(found, name) == told[name]
    assert 0 == cli.main(["verify", str(beside), "b.run.jsonl"])


def test_audit_of_an_audit(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that cannot be audited is a file that cannot be used: 4."""
    assert 0 == cli.main(["audit", str(file), "--lm", "judge", "--out", "b.run.jsonl"])

    assert 4 == cli.main(["audit", "b.run.jsonl", "--lm", "judge"])
    assert "read bi-layer runs" in capsys.readouterr().err
    assert not Path("b.audit.run.jsonl").exists()


def test_audit_of_statements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labelled statements are judged in place of a run; the figures are told with n and method."""
    out = tmp_path / "judge.run.jsonl"
    args = ["audit", "--statements", "aura_hub", "--lm", "judge", "--quiet", "--out"]

    assert 0 == cli.main([*args, str(out)])

    told = capsys.readouterr().out
    assert "specificity 100.0 % [71.5 to 100.0] (11 of 11)" in told
    assert "Clopper-Pearson" in told
    assert 0 == cli.main(["verify", str(out)])
    capsys.readouterr()
    assert 0 == cli.main([*args, "b.run.jsonl", "--json"])
    made = json.loads(capsys.readouterr().out)
    assert ("b.run.jsonl", "complete", 22) == (made["file"], made["status"], made["rows"][0]["n"])
    assert 4 == cli.main([*args, str(out)])
    assert 4 == cli.main(["audit", "--statements", "nowhere", "--lm", "judge", "--out", "c"])
    for wrong in (["audit"], ["audit", "a", "--statements", "aura_hub"], args[:-1]):
        assert 2 == cli.main(wrong)


def test_export(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report is one HTML file, with the audit that lies beside the run; never the run itself."""
    assert 0 == cli.main(["audit", str(file), "--lm", "judge", "--quiet"])
    data = file.read_bytes()

    assert 0 == cli.main(["export", str(file), "--html", "out/report.html"])

    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "contribution-1-buyer" in page
    assert "<script" not in page
    capsys.readouterr()
    assert 0 == cli.main(["export", str(file), "--html", "out/report.html", "--json"])
    assert "out/report.html" == json.loads(capsys.readouterr().out)["html"]
    assert 2 == cli.main(["export", str(file), "--html", str(file)])
    other = file.with_name("b.run.jsonl")
    other.write_bytes(data)
    assert 4 == cli.main(["export", str(file), "--html", str(other)])
    assert "choose a name such as b.html" in capsys.readouterr().err
    assert data == file.read_bytes() == other.read_bytes()


def test_export_leaves_out_what_is_no_audit_of_the_run(
    case: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An audit of another run that lies beside the run by its name is not shown as its own."""
    assert 0 == cli.main(["audit", str(file), "--lm", "judge", "--quiet"])
    other = file.with_name("other.run.jsonl")
    assert 0 == cli.main([*run_args(case, other), "--seed", "7", "--quiet"])
    file.with_name("other.audit.run.jsonl").write_bytes(
        file.with_name(file.name.replace(".run.", ".audit.run.")).read_bytes()
    )
    capsys.readouterr()

    assert 0 == cli.main(["export", str(other), "--html", "c.html", "--json"])

    out, err = capsys.readouterr()
    assert None is json.loads(out)["audit"]
    assert "is no audit of" in err


EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"


def test_nothing_raw_reaches_the_terminal(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hostile replies are told, shown, compared and refused without a control character."""

    def hostile(asked: Asked) -> str:
        said = usual(asked)
        for name in ("goal", "set_constraint", "contribution", "reason"):
            if name in said:
                said[name] = EVIL + str(said[name])
        return json.dumps(said)

    def refuses(asked: Asked) -> str:
        raise RuntimeError(EVIL)

    monkeypatch.setattr(live, "language_model", lambda args: wb.ScriptedLM(hostile, name=EVIL))
    assert 0 == cli.main(run_args(case, Path("a.run.jsonl")))
    monkeypatch.setattr(live, "language_model", lambda args: wb.ScriptedLM(refuses))
    assert 3 == cli.main(run_args(case, Path("b.run.jsonl")))
    wb_forged(Path("a.run.jsonl"), Path("forged"))
    codes = [
        cli.main(args.split())
        for args in (
            "show a.run.jsonl",
            "show b.run.jsonl",
            "show a.run.jsonl /turn=1/goal/try=1",
            "show a.run.jsonl /turn=1/goal",
            "show b.run.jsonl /turn=1/goal/try=1",
            "replay a.run.jsonl",
            "replay forged",
            "verify forged a.run.jsonl",
            "diff a.run.jsonl b.run.jsonl",
            "show a.run.jsonl --json",
        )
    ]

    assert [0, 0, 0, 0, 0, 0, 1, 1, 1, 0] == codes
    out, err = capsys.readouterr()
    assert RAW.search(out) is None
    assert RAW.search(err) is None
    assert "owned" in out
    assert "owned" in err


def test_broken_pipe(file: Path) -> None:
    """A reader that goes away, as head does, ends the command quietly."""
    code = "from workbench.cli import main; raise SystemExit(main())"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for args in (f"show {file}", f"show {file} --json", f"verify {file}"):
        shell = f"{sys.executable} -c '{code}' {args} | true; echo ${{PIPESTATUS[0]}}"
        ended = subprocess.run(
            ["bash", "-c", shell], capture_output=True, text=True, env=env, timeout=60, check=True
        )

        assert "" == ended.stderr
        assert "0\n" == ended.stdout


def test_a_run_outlives_its_listener(case: Path, tmp_path: Path) -> None:
    """A run whose story nobody reads any more is paid for, and goes on to its end."""
    path = tmp_path / "a.run.jsonl"
    code = "from tests.scripts import command_line; command_line()"
    args = " ".join(run_args(case, path))
    shell = f"{sys.executable} -c '{code}' {args} 2>&1 | head -n 1"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    subprocess.run(["bash", "-c", shell], capture_output=True, env=env, timeout=60, check=True)

    assert "complete" == wb.open_run(path).status


def test_a_terminal_that_lacks_letters(file: Path) -> None:
    """Where the terminal's encoding has no letter for it, a character is written out."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "show", str(file)],
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
        check=False,
    )

    assert 0 == ended.returncode
    assert "turn 1 \\xb7 goal" in ended.stdout


def test_exit_codes_of_the_process(file: Path, case: Path, tmp_path: Path) -> None:
    """The process ends with the codes that the module's docstring lists."""
    assert 0 == workbench("verify", file, lm=False).returncode
    assert 0 == workbench("--version", lm=False).returncode
    wb_forged(file, tmp_path / "forged")
    assert 1 == workbench("verify", tmp_path / "forged", lm=False).returncode
    assert 2 == workbench("verify", lm=False).returncode
    assert 4 == workbench("verify", tmp_path / "missing", lm=False).returncode
    ended = workbench(*run_args(case, tmp_path / "b", "dies"))
    assert 3 == ended.returncode
    assert "Traceback" not in ended.stderr


@contextmanager
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve chat completions on loopback, by the scripts; give the URL and what was asked."""
    from aiohttp import web

    asked: list[dict[str, Any]] = []

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append({"authorization": request.headers.get("Authorization"), **body})
        schema = body["response_format"]["json_schema"]["schema"]
        judges = {"Judgements": "logic_auditor", "Judgement": "rag_auditor"}
        role = judges.get(schema["title"], "buyer")
        if "consistent" in schema["properties"]:
            role = "tom_auditor"
        ask = Asked(path="/turn=1/x/try=1", clock=0, role=role, parts=(), schema=schema)
        said = (lenient if schema["title"] in judges else usual)(ask)
        message = {"role": "assistant", "content": json.dumps(said)}
        return web.json_response(
            {
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
            }
        )

    loop, ready, url = asyncio.new_event_loop(), threading.Event(), [""]

    async def serve() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url[0] = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return runner

    def work() -> None:
        runner = loop.run_until_complete(serve())
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield url[0], asked
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)


REAL_LM = live.language_model


def test_end_to_end(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run and its audit go through a real client; the key goes to the server alone."""
    monkeypatch.setattr(live, "language_model", REAL_LM)
    out = tmp_path / "a.run.jsonl"
    with endpoint() as (url, asked), wb.allow_model_requests(allowed=True):
        flags = ["--base-url", url, "--at-once", "2"]
        assert 0 == cli.main(run_args(case, out, "test-model", *flags))
        assert 0 == cli.main(["audit", str(out), "--lm", "test-model", "--base-url", url])
        # What was recorded is enough to go on: the model, the endpoint, and a key from outside.
        branch = ["fork", str(out), "--at", "/turn=2", "--out", str(tmp_path / "b.run.jsonl")]
        assert 0 == cli.main(branch)
        budget = ["--budget-tokens", "300"]
        args = run_args(case, tmp_path / "c.run.jsonl", "test-model", "--base-url", url, *budget)
        assert 3 == cli.main(args)

    assert {f"Bearer {KEY}"} == {one["authorization"] for one in asked}
    run = wb.open_run(out)
    assert ("complete", 1600) == (run.status, run.usage.tokens_in)
    assert "BudgetExceeded" in capsys.readouterr().err
    assert wb.verify(out)
    assert wb.verify(tmp_path / "a.audit.run.jsonl")


def test_no_server(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no model answers the run ends with 3 and its file can be gone on with."""
    monkeypatch.setattr(live, "language_model", REAL_LM)
    monkeypatch.setattr("workbench.lm.retry.asyncio.sleep", no_sleep, raising=False)
    out = tmp_path / "a.run.jsonl"
    with wb.allow_model_requests(allowed=True):
        args = run_args(case, out, "test-model", "--base-url", "http://127.0.0.1:9/v1")
        assert 3 == cli.main(args)
        assert 4 == cli.main(run_args(case, tmp_path / "b", "test-model", "--base-url", "nonsense"))

    assert "ConnectionFailed" in capsys.readouterr().err
    assert "interrupted" == wb.open_run(out).status
    assert not (tmp_path / "b").exists()


async def no_sleep(delay: float) -> None:
    """Stand in for a sleep."""


def test_a_file_that_is_being_written(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that another process is writing is refused with 4, and stays as it is."""
    from workbench.record.log import Log

    path = stopped(case, Path("a.run.jsonl"))
    data = path.read_bytes()
    log, _ = Log.resume(path)
    with log:
        assert 4 == cli.main(["resume", str(path), "--lm", "agents"])

    assert "another process" in capsys.readouterr().err
    assert data == path.read_bytes()


def test_audit_of_another_make(capsys: pytest.CaptureFixture[str]) -> None:
    """An audit that this version cannot sum up is still shown."""
    from workbench.record.log import Log

    with Log.create("x") as log:
        log.append([wb.RunStarted(protocol="audit", params={"material": {"old": 1}})])

    assert 0 == cli.main(["show", "x"])
    assert "not an audit as this workbench makes them" in capsys.readouterr().out


def test_audit_with_a_fact_of_another_make(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verdict that does not read as one is named with its path and its field."""
    from workbench.record.log import Log

    assert 0 == cli.main(["audit", str(file), "--lm", "judge", "--quiet"])
    run = wb.open_run("a.audit.run.jsonl")
    with Log.create("x") as log:
        log.append([run.started])
        log.append([wb.Posted(path="/logic/v", clock=0, kind="LogicVerdict", data={"turn": "?"})])
    capsys.readouterr()

    assert 0 == cli.main(["show", "x"])
    assert "/logic/v: not a LogicVerdict as this workbench makes them: subject: " in (
        capsys.readouterr().out
    )
    with pytest.raises(wb.RunError, match="/logic/v: not a LogicVerdict"):
        summary(wb.open_run("x"))


def test_model_info(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A model is told without a call and without its key, as text and as JSON."""
    monkeypatch.setattr(live, "language_model", REAL_LM)
    args = ["model", "info", "--lm", "test-model", "--base-url", f"http://u:{KEY}@127.0.0.1:9/v1"]

    assert 0 == cli.main(args)
    assert "model: test-model" in capsys.readouterr().out
    assert 0 == cli.main([*args, "--json"])
    assert "http://127.0.0.1:9/v1" == json.loads(capsys.readouterr().out)["base_url"]


@pytest.mark.parametrize("command", ["run", "audit", "fork"])
def test_a_seed_of_too_many_bits(
    command: str, case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seed that no file can hold is wrong usage, told before anything is made."""
    rest = {"run": ["bilayer", "--case", str(case), "--out", "a"], "audit": ["a"], "fork": ["a"]}
    for seed in ("9" * 20, "1.5"):
        with pytest.raises(SystemExit) as left:
            cli.main([command, *rest[command], "--seed", seed])
        assert 2 == left.value.code
        assert "is not a whole number of at most 63 bits" in capsys.readouterr().err


def test_a_recorded_model_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose model cannot be made is told of, not shown as a traceback."""
    path = tmp_path / "a.run.jsonl"

    @wb.protocol("toy_cli_model")
    def steps():  # noqa: ANN202
        yield from wb.ask("a", "r", "x")

    models = {"*": {"kind": "openai", "model": 5}}
    start = {"protocol": "toy_cli_model", "params": {}, "models": models}
    path.write_bytes(seal({"v": 2, "event": "run_started", **start}))

    assert 4 == cli.main(["resume", str(path)])
    assert "this description of a model is not usable" in capsys.readouterr().err


def test_no_key(case: Path, tmp_path: Path) -> None:
    """Without a key the command ends before a file is made, and says what to set."""
    out = tmp_path / "x.run.jsonl"
    env = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    told = subprocess.run(
        [sys.executable, "-m", "workbench.cli", *run_args(case, out, "gpt-4o-mini")],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 4
    assert "Set OPENAI_API_KEY" in told.stderr
    assert not out.exists()


def test_whom_it_waits_for(file: Path) -> None:
    """A terminal shows what a run asks, and whose answers it waits for; a pipe the first alone."""
    from workbench.cli.output import Watch

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown, run = Terminal(), wb.open_run(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", shown)
        with Watch(argparse.Namespace(quiet=False)) as watch:
            for event in run.events:
                watch(event)
                watch._bar.refresh()
            told = len(shown.getvalue())
            deadline = time.monotonic() + 30
            while len(shown.getvalue()) == told and time.monotonic() < deadline:
                time.sleep(0.05)
    assert len(shown.getvalue()) > told, "the clock stands still while nothing comes"
    assert re.search(r"\b1 answer, ", shown.getvalue())
    assert "asking " in shown.getvalue()
    assert ", waiting for meta_agent" in shown.getvalue()
    assert f"{len(run.answers)} answers" in shown.getvalue()


def test_the_clock_stands_while_a_person_types() -> None:
    """It would be written over what they type."""
    from workbench.cli.output import Watch

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", shown)
        with Watch(argparse.Namespace(quiet=False)) as watch:
            watch(wb.Consulted(path="/q", clock=1, prompt="So?"))
            told = shown.getvalue()
            watch(wb.Posted(path="/f", clock=2, kind="Found", data={"text": "meanwhile"}))
            time.sleep(1.5)
            assert told == shown.getvalue()
            watch(wb.Said(path="/q", text="no"))
            watch._bar.refresh()
    assert "1 answer, " in shown.getvalue()
    assert "meanwhile" in shown.getvalue()


def test_run_tells_its_flags_by_protocol(capsys: Any) -> None:
    """Each flag of a protocol stands under a title that names whose it is, and no other."""
    with pytest.raises(SystemExit):
        cli.main(["run", "--help"])
    told = capsys.readouterr().out
    baselines = set(FLAGS) - {"bilayer", "maven"}
    for name in {name for flags in FLAGS.values() for name in flags}:
        title = re.findall(r"^(\S.*):$", told.partition(f"\n  --{name} ")[0], re.MULTILINE)[-1]
        whose = set(re.findall(r"\w+", title)) & set(FLAGS)
        whose |= baselines if "baselines" in title else set()
        takers = {protocol for protocol, flags in FLAGS.items() if name in flags}
        assert takers == (whose or set(FLAGS)), (name, title)
