"""The command that tests the four predictions: what it tells, its exit codes, and going on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from workbench import cli
from workbench.cli import live
from workbench.errors import LMError

HANDBOOK = str(Path(__file__).parents[1] / "corpora" / "handbook")
SET = ":error=0.2,bias=0.3,sway=0.8"


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
    return cli.main(["bench", "predictions", HANDBOOK, "--out", str(out), *named, *more])


def test_what_it_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each prediction with its figures and a verdict; what is not conformant or isolated, too."""
    lms = tuple(f"rules:{name}{SET}" for name in ("north", "south"))
    assert 0 == bench(tmp_path / "out", "--sample", "3", "--seed", "2", "--words", "15", lms=lms)
    told = capsys.readouterr()

    assert 12 == told.err.count(" ran")
    for number in range(1, 5):
        assert f"\n{number}. " in told.out
    assert "NON-CONFORMANT (3 of 3)" in told.out
    assert "BROKEN, as debate breaks it" in told.out
    one = next((tmp_path / "out" / "debated").glob("*.run.jsonl"))
    model = wb.open_run(one).started.models["interpreter=1"]
    assert ("north", f"rules{SET}") == (model["family"], model["model"])


def test_going_on_and_scoring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command keeps what is done; --score-only asks nobody."""
    assert 0 == bench(tmp_path / "out", "--first", "1")
    capsys.readouterr()
    assert 0 == bench(tmp_path / "out", "--first", "2", "--comparer", "rules:judge")
    err = capsys.readouterr().err
    assert "1/8 isolated H01" in err
    assert "8/8 alike H02 ran" in err
    assert (tmp_path / "out" / "debated" / "H01.comparison.run.jsonl").exists()

    assert 0 == bench(tmp_path / "out", "--score-only", "--json", lms=("anybody",))
    told = json.loads(capsys.readouterr().out)
    assert [1, 2, 3, 4] == [one["number"] for one in told["predictions"]]
    assert {"name", "value", "lo", "hi", "n", "method", "text"} == set(
        told["predictions"][2]["figures"][0]
    )
    assert 8 == len(told["sessions"])


def test_unfinished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Models that do not answer end it with an error; what can be scored is nothing."""
    assert 0 != bench(tmp_path / "out", "--first", "1", "--allow-nonconformant", lms=("a", "b"))
    assert "interrupted: " in capsys.readouterr().err
    assert 0 == bench(tmp_path / "out", "--score-only")
    told = capsys.readouterr().out
    assert 4 == told.count("Nothing can be said: ")
    assert "Not judged: " in told


@pytest.mark.parametrize(
    ("more", "lms", "code", "why"),
    [
        ([], ("rules:north", "rules:north"), 2, "--allow-nonconformant"),
        ([], ("rules:north",), 2, "two models, A and B"),
        (["--sample", "99"], ("rules:north", "rules:south"), 2, "there are 43 questions"),
        ([], ("rules:north:error=2", "rules:south"), 2, "is no probability"),
        ([], ("rules:north:haste=0.1", "rules:south"), 2, "it takes error, bias and sway"),
        ([], ("rules:north:error", "rules:south"), 2, "rules:north:error"),
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
