"""The command that compares methods: its table, its exit codes, and going on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench import cli
from workbench.cli import live
from workbench.cli.protocols import FLAGS
from workbench.datasets.item import Item
from workbench.errors import LMError
from workbench.experiments.methods import METHODS
from workbench.record.events import Asked
from workbench.testing import imagined


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Give a file of three items."""
    path = tmp_path / "items.jsonl"
    made = [Item(question=f"Q{n}?", options=("a", "b"), answer="A", source=f"x:{n}") for n in "123"]
    path.write_text("".join(item.model_dump_json() + "\n" for item in made))
    return path


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the model: ``dies`` does not answer, any other makes things up."""

    def reply(name: str) -> Any:
        def said(asked: Asked) -> Any:
            if name == "dies":
                raise LMError("down")
            return imagined(asked)

        return said

    monkeypatch.setattr(live, "language_model", lambda args: wb.ScriptedLM(reply(args.lm)))


def command(items: Path, out: Path, *more: str) -> list[str]:
    """Return the arguments of a benchmark."""
    return ["bench", "maven", "--items", str(items), "--out", str(out), *more]


def test_the_table(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The method is run beside the others; progress is on standard error, the table is not."""
    assert 0 == cli.main(command(items, tmp_path / "out", "--methods", "direct,vote:n=3"))

    told = capsys.readouterr()
    for line in ("direct", "vote:n=3", "maven", "vote:n=3 against direct", "maven against direct"):
        assert any(row.startswith(line) for row in told.out.splitlines())
    assert "9/9 maven" in told.err
    assert "9/9" not in told.out


def test_going_on(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command again keeps what is done; more items are added to it."""
    out = tmp_path / "out"
    assert 0 == cli.main(command(items, out, "--first", "1"))
    assert "2/2 maven" in capsys.readouterr().err

    assert 0 == cli.main(command(items, out, "--skip", "0"))
    err = capsys.readouterr().err
    assert 2 == err.count("kept")
    assert 4 == err.count("ran")


def test_a_sample(items: Path, tmp_path: Path) -> None:
    """A sample is drawn by the seed, and the same one again."""
    drawn = []
    for seed, name in (("1", "a"), ("1", "b"), ("2", "c"), ("3", "d")):
        out = tmp_path / name
        assert 0 == cli.main(command(items, out, "--quiet", "--sample", "1", "--seed", seed))
        drawn.append([item.source for item in wb.read_items(out / "items.jsonl")])
    assert drawn[0] == drawn[1]
    assert {1} == {len(sources) for sources in drawn}
    assert 1 < len({sources[0] for sources in drawn})


def test_json(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json and --quiet one JSON object is printed and nothing else."""
    assert 0 == cli.main(command(items, tmp_path / "out", "--json", "--quiet", "--seed", "7"))

    told = capsys.readouterr()
    found = json.loads(told.out)
    assert "" == told.err
    assert (2, 1, 6) == (len(found["summary"]), len(found["compared"]), len(found["runs"]))
    assert 7 == wb.open_run(found["runs"][0]["file"]).started.seed


def test_routing_and_iterations(
    items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What routing saves and what an iteration gains is told where the methods are there."""
    methods = ["--methods", "direct,maven,maven:max_iterations=1,maven:router=false"]
    assert 0 == cli.main(command(items, tmp_path / "out", "--quiet", *methods))
    told = capsys.readouterr().out.splitlines()
    assert 2 == sum(row.startswith("maven against maven:router=false") for row in told)
    assert any(row.startswith("maven:max_iterations=1  ") for row in told[told.index("") :])

    assert 0 == cli.main(command(items, tmp_path / "out", "--quiet", "--json", *methods))
    found = json.loads(capsys.readouterr().out)
    assert ["tokens", "seconds"] == [row["what"] for row in found["savings"]]
    assert [1, 3] == [row["max_iterations"] for row in found["iterations"]]
    assert 0 == cli.main(command(items, tmp_path / "out", "--quiet"))
    assert "T_max" not in capsys.readouterr().out


def test_facts(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --facts each run's facts are told as they come."""
    assert 0 == cli.main(command(items, tmp_path / "out", "--first", "1", "--facts"))

    assert "\nanswer · " in capsys.readouterr().err


def test_unfinished(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that does not answer ends with 3; what was asked for is kept, and goes on."""
    out = tmp_path / "out"

    assert 3 == cli.main(command(items, out, "--lm", "dies", "--methods", "direct"))
    assert "down" in capsys.readouterr().err
    assert 3 == cli.main(command(items, out, "--lm", "dies", "--methods", "direct", "--first", "1"))
    assert "unfinished" in capsys.readouterr().out
    assert 0 == cli.main(command(items, out))


@pytest.mark.parametrize(
    ("more", "code", "why"),
    [
        (["--methods", "direct,direct"], 2, "is there twice"),
        (["--methods", "oracle"], 4, "no protocol 'oracle'"),
        (["--methods", "direct:turns=1"], 4, "turns"),
        (["--baseline", "cot"], 2, "--baseline cot is none of the methods"),
        (["--skip", "3"], 2, "leaves no item"),
        (["--sample", "4"], 2, "there are 3 items"),
        (["--format", "squad"], 4, "no format 'squad'"),
    ],
)
def test_wrong_usage(
    items: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    code: int,
    why: str,
) -> None:
    """What cannot be compared is told in one line, and nothing is written."""
    assert code == cli.main(command(items, tmp_path / "out", *more))

    told = capsys.readouterr()
    assert why in told.err
    assert 1 == len(told.err.splitlines())
    assert not (tmp_path / "out").exists()


def test_another_seed(items: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of another seed is refused."""
    out = tmp_path / "out"
    assert 0 == cli.main(command(items, out, "--first", "1"))

    assert 4 == cli.main(command(items, out, "--first", "1", "--seed", "2"))
    assert "other seed" in capsys.readouterr().err


def test_interrupted(
    items: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An interrupt says how to go on."""

    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("workbench.experiments.bench.bench_sync", interrupted)
    assert 130 == cli.main(command(items, tmp_path / "out"))

    assert "the same command goes on" in capsys.readouterr().err


INTERRUPTED = """
import os, signal, sys, threading
import polars
import workbench as wb
from workbench.testing import imagined

lm = wb.ScriptedLM(imagined, latency_s=0.1)
items = wb.read_items(sys.argv[1])
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
wb.bench_sync("vote,debate,reconcile", items, lm=lm, to=sys.argv[2], on_done=print)
"""


def test_an_interrupt_stops_at_once(items: Path, tmp_path: Path) -> None:
    """Ctrl-C ends a benchmark where it is, also once polars handles signals; it then goes on."""
    out = tmp_path / "out"
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(items), str(out)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert "KeyboardInterrupt" == process.stderr.rstrip().rpartition("\n")[2]
    assert len(process.stdout.splitlines()) < 9

    found = wb.bench_sync(
        "vote,debate,reconcile", wb.read_items(items), lm=wb.ScriptedLM(imagined), to=out
    )
    assert 0 == found.summary["unfinished"].sum()


@pytest.fixture
def folder(items: Path, tmp_path: Path) -> Path:
    """Give the folder of a finished benchmark."""
    assert 0 == cli.main(command(items, tmp_path / "out", "--methods", "direct,cot", "--quiet"))
    return tmp_path / "out"


def test_judge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The explanations of a benchmark are scored, and preferred, each in a file of its own."""
    capsys.readouterr()
    assert 0 == cli.main(["judge", str(folder), "--quiet"])
    told = capsys.readouterr().out
    assert "JCD" in told
    assert "maven against direct, ARS: " in told
    assert wb.verify(folder / "quality.run.jsonl")

    assert 0 == cli.main(["judge", str(folder), "--pairs", "--baseline", "direct"])
    told = capsys.readouterr().out
    assert "cot against direct: " in told
    assert "cot against maven" not in told
    assert wb.verify(folder / "preference.run.jsonl")
    assert 3 == wb.read_bench(folder).summary.height  # which does not take them for methods


def test_judge_with_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the comparisons are printed and nothing else."""
    capsys.readouterr()
    args = ["judge", str(folder), "--quiet", "--json", "--alone", "--methods", "direct,cot"]
    assert 0 == cli.main(args)

    found = json.loads(capsys.readouterr().out)
    assert ["JCD", "F&C", "C&A", "ARS"] == [row["metric"] for row in found]


@pytest.mark.parametrize(
    ("more", "code", "why"),
    [
        (["--baseline", "vote"], 2, "no method 'vote'; there are direct, cot, maven"),
        (["--methods", "direct", "--pairs"], 2, "no pair"),
        (["--methods", ","], 2, "no method"),
    ],
)
def test_judge_wrong_usage(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], code: int, why: str
) -> None:
    """What cannot be judged is told in one line, and nothing is written."""
    capsys.readouterr()
    assert code == cli.main(["judge", str(folder), *more])

    told = capsys.readouterr()
    assert why in told.err
    assert 1 == len(told.err.splitlines())
    assert not list(folder.glob("*.run.jsonl"))


def test_judge_overwrites_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second judgement needs a file of its own."""
    assert 0 == cli.main(["judge", str(folder), "--quiet"])
    data = (folder / "quality.run.jsonl").read_bytes()

    assert 4 == cli.main(["judge", str(folder), "--quiet"])
    assert "exists" in capsys.readouterr().err
    assert data == (folder / "quality.run.jsonl").read_bytes()
    other = str(folder / "again.run.jsonl")
    assert 0 == cli.main(["judge", str(folder), "--quiet", "--out", other])


@pytest.mark.parametrize("name", [name for name in METHODS if name != "react"])
def test_one_run_of_a_method(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each method answers a single question from the command line, by its short name."""
    out = tmp_path / "a.run.jsonl"
    asked = ["--question", "Which?", "--options", "iron", "gold", "--words", "50"]

    assert 0 == cli.main(["run", name, *asked, "--out", str(out), "--quiet"])

    run = wb.open_run(out)
    assert METHODS[name] == run.started.protocol
    assert ["iron", "gold"] == run.started.params["options"]
    assert run.facts_of("FinalAnswer")
    assert wb.verify(run)


def test_one_run_of_react(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs a corpus, and its passport becomes a parameter."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.md").write_text("# A\n\nGold is heavy.\n")
    asked = ["run", "react", "--question", "Which?", "--out", str(tmp_path / "a.run.jsonl")]

    assert 2 == cli.main(asked)
    assert 0 == cli.main([*asked, "--corpus", str(library)])
    run = wb.open_run(tmp_path / "a.run.jsonl")
    assert wb.Corpus.read(library).passport.sha256 == run.started.params["passport"]


def test_every_method_can_be_run() -> None:
    """The command line names the methods that a benchmark has, and no other."""
    assert {"bilayer", *METHODS} == set(FLAGS)


def test_a_flag_of_another_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a method does not take is told."""
    out = str(tmp_path / "a.run.jsonl")
    args = ["run", "direct", "--question", "Which?", "--corpus", "x", "--out", out]

    assert 2 == cli.main(args)
    assert "--corpus does not go with direct" in capsys.readouterr().err
