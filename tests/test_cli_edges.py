"""The command line at its edges: closed streams, empty flags, names that a killed start left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import workbench as wb
from tests.scripts import script, write_case
from workbench import cli
from workbench.cli import live

ROOT = Path(__file__).parents[1]
COMMAND = f"{sys.executable} -c 'from tests.scripts import command_line; command_line()'"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words, without a key, in a folder of the test's own."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play models by scripts."""
    monkeypatch.setattr(live, "language_model", lambda args: script(args.lm))


def run_args(out: str, *more: str) -> list[str]:
    """Return the arguments of a run of a small case."""
    case = str(write_case(Path("picnic")))
    return ["run", "bilayer", "--case", case, "--turns", "1", "--lm", "agents", "--out", out, *more]


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a command by a shell, which can close its streams."""
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("workbench", COMMAND, 1)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str) -> None:
    """What nobody listens to is done all the same, with its exit code and into no wrong file."""
    write_case(Path("picnic"))
    line = "workbench run bilayer --case picnic --turns 1 --lm agents --out a.run.jsonl"
    done = shell(f"{line} {closed}")
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (0, False)
    assert wb.open_run("a.run.jsonl").status == "complete"
    for command, code in (("verify a.run.jsonl", 0), ("verify nowhere", 4), ("no-command", 2)):
        done = shell(f"workbench {command} {closed}")
        assert (code, "Traceback" in done.stderr) == (done.returncode, False), command
        assert "2>&-" not in closed or done.stderr == ""
        assert ">&-" not in closed.replace("2>&-", "") or done.stdout == ""
    assert wb.verify("a.run.jsonl")


@pytest.mark.usefixtures("scripted")
def test_closed_standard_input_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer from standard input that is closed is refused: it is not an empty text."""
    assert cli.main(run_args("a.run.jsonl")) == 0
    monkeypatch.setattr(sys, "stdin", None)
    fork = ["fork", "a.run.jsonl", "--at", "/turn=1/goal/try=1", "--answer", "-", "--lm", "agents"]
    assert cli.main(fork) == 2
    assert capsys.readouterr().err.endswith("workbench: --answer -: standard input is closed\n")


@pytest.mark.usefixtures("scripted")
def test_a_name_that_a_killed_start_has_left(capsys: pytest.CaptureFixture[str]) -> None:
    """A file without a byte is no run, and a run may take its name."""
    path = Path("a.run.jsonl")
    path.touch()
    assert cli.main(["resume", str(path)]) == 4
    assert "is empty, so it is not a run; a new one may take its name" in capsys.readouterr().err
    assert cli.main(run_args(str(path))) == 0
    assert wb.open_run(path).status == "complete"
    assert cli.main(run_args(str(path))) == 4


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        ("run direct --question= --lm m", 2, "direct(question=...): String should have at least"),
        ("run maven --question= --lm m", 2, "maven(question=...): must not be blank"),
        (
            "run maven --question q --param max_iterations=abc --lm m",
            2,
            "maven(max_iterations=...): Input should be a valid integer, unable to parse",
        ),
        ("run direct --question q --lm m --base-url=", 4, "base_url must look like"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    args: str, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Empty and malformed values are refused in one line without an address of documentation."""
    assert cli.main([*args.split(), "--out", "a.run.jsonl"]) == code
    said = capsys.readouterr().err
    assert said.startswith(f"workbench: {told}")
    assert (said.count("\n"), "pydantic" in said, Path("a.run.jsonl").exists()) == (1, False, False)


@pytest.mark.usefixtures("scripted")
def test_an_empty_place_is_not_the_whole_run(capsys: pytest.CaptureFixture[str]) -> None:
    """``--at ""`` is refused; ``--at /`` asks the whole run again."""
    assert cli.main(run_args("a.run.jsonl")) == 0
    capsys.readouterr()
    assert cli.main(["fork", "a.run.jsonl", "--at", "", "--lm", "agents"]) == 4
    assert "'' names nothing in the run; '/' asks the whole run again" in capsys.readouterr().err
    assert not list(Path().glob("*fork*"))
    assert cli.main(["fork", "a.run.jsonl", "--at", "/", "--lm", "agents"]) == 0


@pytest.mark.usefixtures("scripted")
def test_an_audit_of_another_run_is_not_exported(capsys: pytest.CaptureFixture[str]) -> None:
    """An audit that is given is one of the run, or there is no report."""
    for name, seed in (("a", "1"), ("b", "2")):
        assert cli.main(run_args(f"{name}.run.jsonl", "--seed", seed)) == 0
    assert cli.main(["audit", "a.run.jsonl", "--lm", "judge", "--out", "j.run.jsonl"]) == 0
    for wrong in ("b.run.jsonl", "a.run.jsonl"):
        assert cli.main(["export", "a.run.jsonl", "--html", "x.html", "--audit", wrong]) == 4
        assert f"{wrong}: is no audit of a.run.jsonl" in capsys.readouterr().err
    assert cli.main(["export", "b.run.jsonl", "--html", "x.html", "--audit", "j.run.jsonl"]) == 4
    assert not Path("x.html").exists()
    assert cli.main(["export", "a.run.jsonl", "--html", "x.html", "--audit", "j.run.jsonl"]) == 0
