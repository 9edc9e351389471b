"""``workbench run maven`` over the command line."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import workbench as wb
from tests.deliberation.maven.scripts import OPTIONS, QUESTION, agents
from workbench import cli
from workbench.cli import live
from workbench.cli.person import Person


@pytest.fixture(autouse=True)
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the model by a script, and search by words."""
    monkeypatch.setattr(live, "language_model", lambda args: agents())
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


ASKED = ["run", "maven", "--question", QUESTION, "--out", "a.run.jsonl"]


def test_run(capsys: pytest.CaptureFixture[str]) -> None:
    """A question with options is answered, told as it goes, and written to a file that verifies."""
    assert 0 == cli.main([*ASKED, "--options", *OPTIONS, "--json"])

    out, err = capsys.readouterr()
    assert ("accepted", "A") == tuple(json.loads(out)["result"][n] for n in ("ended", "answer"))
    assert "turn 1 · judge · accept of draft 0, mean 5.00" in err
    run = wb.open_run(Path("a.run.jsonl"))
    assert list(OPTIONS) == run.started.params["options"]
    assert wb.verify(run)


def test_parameters(tmp_path: Path) -> None:
    """Thresholds and ablations are parameters; a corpus is recorded with its passport."""
    folder = tmp_path / "care"
    folder.mkdir()
    (folder / "care.md").write_text("# Goldfish\n\nEvery claim about a goldfish.\n")
    given = ["--param", "max_iterations=1", "--param", "cache=false", "--corpus", "care"]

    assert 0 == cli.main([*ASKED, *given, "--words", "40", "--quiet"])

    params = wb.open_run(Path("a.run.jsonl")).started.params
    assert (1, False, "care", 40) == tuple(
        params[name] for name in ("max_iterations", "cache", "corpus", "words")
    )
    assert wb.Corpus.read(folder).passport.sha256 == params["passport"]


@contextmanager
def typed(text: str) -> Iterator[None]:
    """Have `text` on standard input, and then its end."""
    before, (read, write) = os.dup(0), os.pipe()
    os.write(write, text.encode())
    os.close(write)
    os.dup2(read, 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(read)


def test_the_person_at_the_terminal_is_the_skeptic(capsys: pytest.CaptureFixture[str]) -> None:
    """They are shown the draft and type their doubts; an empty line ends them."""
    asked = [*ASKED, "--options", *OPTIONS, "--param", "skeptic=human"]

    with typed("factual: it forgets\n2. Is it so?\n\nnot read"):
        assert 0 == cli.main(asked)

    assert "You are the Skeptic. Which claims of this draft" in capsys.readouterr().err
    run = wb.open_run(Path("a.run.jsonl"))
    questioned = next(f for f in run.facts.values() if f.kind == "Questioned")
    assert ["it forgets", "Is it so?"] == [q["claim"] for q in questioned.data["questions"]]
    assert "human" == questioned.data["by"]


def test_nobody_at_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """The run stops in a sentence, and a resume asks again."""
    asked = [*ASKED, "--options", *OPTIONS, "--param", "skeptic=human", "--quiet"]

    with typed(""):
        assert 3 == cli.main(asked)
    assert "nobody answers: standard input is at its end" in capsys.readouterr().err
    with typed("it forgets"):  # a last line without its end
        assert 0 == cli.main(["resume", "a.run.jsonl", "--lm", "agents", "--quiet"])
    assert wb.verify(Path("a.run.jsonl"))


def test_options_at_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """What is none of the options is asked again."""
    asked = wb.Consulted(path="/q", clock=1, prompt="Go \x1b[2J on?", options=("yes", "no"))

    with typed("perhaps\n no \nyes\n"):
        assert "no" == asyncio.run(_answer(Person(lambda: None), asked))

    told = capsys.readouterr().err
    assert "'perhaps' is none of the options" in told
    assert "\x1b" not in told


async def _answer(person: Person, asked: wb.Consulted) -> str:
    return await person(asked)


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["run", "maven", "--out", "a"], "maven needs --question"),
        (["run", "bilayer", "--out", "a"], "bilayer needs --case"),
        ([*ASKED, "--case", "x"], "--case does not go with maven"),
        ([*ASKED, "--turns", "2"], "--turns does not go with maven"),
        (["run", "bilayer", "--case", "x", "--question", "y", "--out", "a"], "--question does not"),
        ([*ASKED, "--words", "9", "--param", "words=8"], "words is given twice"),
        ([*ASKED, "--param", "courage=8"], "courage"),
        ([*ASKED, "--param", "accept=6"], "less than or equal to 5"),
        ([*ASKED, "--options", "yes"], "one option is no choice"),
    ],
)
def test_wrong_usage(args: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not go together is refused with 2, and no file is made."""
    assert 2 == cli.main(args)
    assert why in capsys.readouterr().err
    assert [] == list(Path().glob("*.jsonl"))
