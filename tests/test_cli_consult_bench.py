"""The command that holds consultations to labels: its tables, its exit codes, and going on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from workbench import cli
from workbench.cli import live
from workbench.errors import LMError

HANDBOOK = str(Path(__file__).parents[1] / "corpora" / "handbook")


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words alone; a model with a name does not answer."""
    from workbench.knowledge.embedding import MiniLM

    down = wb.ScriptedLM(lambda _: LMError("down"))
    monkeypatch.setattr(MiniLM, "installed", staticmethod(lambda: False))
    monkeypatch.setattr(live, "language_model", lambda args: down)


def bench(out: Path, *more: str, lms: tuple[str, ...] = ("rules:north", "rules:south")) -> int:
    """Run the command."""
    named = [word for lm in lms for word in ("--lm", lm)]
    return cli.main(["bench", "consultation", HANDBOOK, "--out", str(out), *named, *more])


def test_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores on standard output, progress on the other; the sample is drawn by the seed."""
    assert 0 == bench(tmp_path / "a", "--sample", "3", "--seed", "5")
    told = capsys.readouterr()
    assert 0 == bench(tmp_path / "b", "--sample", "3", "--seed", "5", "--quiet")
    again = capsys.readouterr()

    assert "expected \\ found" in told.out
    assert "Cost of 3 sessions: 9 calls" in told.out
    assert 3 == told.err.count(" ran")
    assert "" == again.err
    names = [{file.name for file in (tmp_path / name).iterdir()} for name in "ab"]
    assert names[0] == names[1]
    assert 3 == len(names[0])


def test_going_on_and_scoring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command keeps what is done; --score-only asks nobody."""
    assert 0 == bench(tmp_path / "out", "--first", "2")
    capsys.readouterr()
    assert 0 == bench(tmp_path / "out", "--first", "3")
    err = capsys.readouterr().err
    assert (2, 1) == (err.count(" kept"), err.count(" ran"))
    assert 0 == bench(tmp_path / "out", "--first", "1", "--comparer", "rules:judge")
    assert "1/1 H01 ran" in capsys.readouterr().err
    assert (tmp_path / "out" / "H01.comparison.run.jsonl").exists()

    assert 0 == bench(tmp_path / "out", "--score-only", "--json", lms=("anybody",))
    told = json.loads(capsys.readouterr().out)
    assert ["H01", "H02", "H03"] == [one["id"] for one in told["questions"]]
    assert {"summary", "confusion", "cost", "questions"} == set(told)
    assert 9 == told["cost"]["calls"]


def test_unfinished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Models that do not answer end it with 3; the same command goes on."""
    assert 3 == bench(tmp_path / "out", "--first", "2", "--allow-nonconformant", lms=("gone",))
    assert "interrupted: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "lms", "code", "why"),
    [
        ([], ("rules:north",), 2, "--allow-nonconformant"),
        (["--sample", "99"], ("rules:north", "rules:south"), 2, "there are 43 questions"),
        (["--interpreters", "2"], ("rules:a", "rules:b", "rules:c"), 2, "never be asked"),
    ],
)
def test_wrong_usage(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    lms: tuple[str, ...],
    code: int,
    why: str,
) -> None:
    """Nothing is asked, and nothing written."""
    assert code == bench(tmp_path / "out", *more, lms=lms)
    assert why in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_corpus_without_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told which file is missing."""
    assert 4 == cli.main(["bench", "consultation", str(tmp_path), "--out", str(tmp_path / "out")])
    assert "questions.jsonl" in capsys.readouterr().err


def test_one_question_by_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`consult` takes readers without a model as well."""
    out = str(tmp_path / "one.run.jsonl")
    asked = ["--question", "What does an adult ticket for both sites cost?", "--out", out]
    readers = ["--lm", "rules:north", "--lm", "rules:south", "--quiet"]

    assert 0 == cli.main(["consult", HANDBOOK, *asked, *readers])
    assert "13 pounds" in capsys.readouterr().out
