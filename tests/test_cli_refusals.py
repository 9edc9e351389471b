"""What the command line refuses before it does harm, and says in whose words it went wrong."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench as wb
from workbench import cli
from workbench.cli.person import Person
from workbench.record.events import Consulted

RUN = Path(__file__).parents[1] / "sample_runs" / "handbook" / "annual_leave.run.jsonl"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of the test's own, with a run and without a key."""
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    shutil.copy(RUN, "a.run.jsonl")


def test_a_page_against_a_corpus_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """No page is written that calls a session superseded by what cannot be read."""
    Path("empty").mkdir()
    for folder in ("nofolder", "empty"):
        args = ["export", "a.run.jsonl", "--html", "a.html", "--corpus", folder]
        assert 4 == cli.main(args)
        assert folder in capsys.readouterr().err
        assert not Path("a.html").exists()


def test_a_page_over_a_file_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """An earlier page is replaced, an empty file filled, and notes are kept."""
    notes = Path("notes.txt")
    notes.write_text("mine")
    Path("corpus").mkdir()
    Path("corpus/a.md").write_text("# A\n\nOne rule.\n")
    for args in (["export", "a.run.jsonl"], ["passport", "corpus", "--coherence"]):
        assert 4 == cli.main([*args, "--html", str(notes)])
        assert "notes.txt: is there, and no page of ours" in capsys.readouterr().err
        assert "mine" == notes.read_text()
        Path("page.html").write_text("")
        for _ in range(2):
            assert 0 == cli.main([*args, "--html", "page.html"])


@pytest.mark.parametrize("args", [["show", ""], ["export", "a.run.jsonl", "--html", ""]])
def test_an_empty_name(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An empty name is refused as such, and is not the folder that one is in."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(args)

    assert 2 == stopped.value.code
    assert "an empty text names no file" in capsys.readouterr().err


def test_a_budget_in_usd_without_a_price(capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused before a file is made, with a flag that the command line has."""
    asked = ["run", "direct", "--question", "Why?", "--out", "b.run.jsonl", "--budget-usd", "1"]

    assert 2 == cli.main([*asked, "--lm", "no-such-model", "--base-url", "http://127.0.0.1:9"])
    assert "--budget-tokens" in capsys.readouterr().err
    assert not Path("b.run.jsonl").exists()


def test_a_fork_of_nothing_names_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing is changed nobody is asked, and it is said that nothing is changed."""
    args = ["fork", "a.run.jsonl", "--lm", "other", "--base-url", "http://127.0.0.1:9"]

    assert 0 == cli.main(args)
    told = capsys.readouterr().err
    assert "nothing is changed by --at, --answer or --param: nobody is asked" in told
    assert "asking" not in told


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda data: data.replace(b"\n", b"\r\n"), "line 1.*ends in CRLF.*autocrlf"),
        (lambda data: b"\xef\xbb\xbf" + data, "line 1.*byte order mark"),
    ],
)
def test_a_run_that_another_program_has_changed(change: object, cause: str) -> None:
    """The cause is named where it can be seen."""
    Path("b.run.jsonl").write_bytes(change(RUN.read_bytes()))  # type: ignore[operator]

    with pytest.raises(wb.RunFileError, match=cause):
        wb.open_run("b.run.jsonl")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Make standard input a pipe that is not the tests' own, and return where to write."""
    out, to = os.pipe()
    own = os.dup(0)
    os.dup2(out, 0)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    yield to
    os.dup2(own, 0)
    for handle in (out, own, to):
        os.close(handle)


def test_an_answer_of_two_paragraphs(typed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Empty lines before an answer are none, and what an empty line leaves over is not hidden."""
    os.write(typed, b"\n\nOne.\nTwo.\n\nThree.\n\n")
    person = Person(lambda: None)
    consulted = Consulted(path="/a", clock=1, prompt="Well?", options=())

    assert "One.\nTwo." == asyncio.run(person(consulted))
    assert "what stands after it answers what is asked next" in capsys.readouterr().err
    assert "Three." == asyncio.run(person(consulted))
    assert "answers what is asked next" not in capsys.readouterr().err


def test_one_option() -> None:
    """A text for options is one option, not its letters."""

    @wb.protocol("toy_option")
    def steps():  # noqa: ANN202
        return (yield from wb.consult("b", "Which?", "yes")).text

    async def human(consulted: Consulted) -> str:
        return "/".join(consulted.options)

    assert "yes" == wb.run_sync(steps(), human=human).result
