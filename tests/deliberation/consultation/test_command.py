"""`workbench consult` and `workbench check isolation`, with scripted models."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import (
    NOTICE,
    QUESTION,
    SIXTY,
    THIRTY,
    reader,
    told,
    with_part,
    write_corpus,
)
from workbench.cli import live, main
from workbench.deliberation.consultation.schemas import Comparison
from workbench.errors import LMError
from workbench.record.log import Log

MODELS = {
    "local": reader(THIRTY, family="qwen2.5"),
    "local:smollm2": reader(SIXTY, family="smollm2"),
    "cfo": reader(told("The CFO signs.", NOTICE), family="cfo"),
    "ceo": reader(told("The CEO signs.", NOTICE), family="ceo"),
    "judge": wb.ScriptedLM(
        lambda _: Comparison(reason="Two people.", relation="contradictory").model_dump_json()
    ),
}

USUALLY = (([THIRTY], "qwen2.5"), ([SIXTY], "smollm2"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a handbook, with scripted models for names."""

    def language_model(args: argparse.Namespace) -> wb.ScriptedLM:
        return MODELS[args.lm]

    monkeypatch.setattr(live, "language_model", language_model)
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "handbook")
    return tmp_path


def consult(*more: str) -> int:
    """Consult the handbook."""
    return main(["consult", "handbook", "--question", QUESTION, "--quiet", *more])


def test_a_corpus_is_consulted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two models make three interpreters; run and output are named after the corpus."""
    assert 0 == consult("--lm", "local", "--lm", "smollm2")
    said = capsys.readouterr().out
    file = folder / "handbook.consultation.run.jsonl"
    output = folder / "handbook.consultation.output.json"

    assert "2 overlap, 0 unique, 3 divergence" in said
    assert "logical_contradiction" in said
    assert [] == wb.verify_output(wb.open_run(file), output, folder / "handbook")
    assert 0 == main(["check", "isolation", str(file)])
    said = capsys.readouterr().out
    assert "interpreter 2 read 7 parts: 4 of the package, 3 of the protocol's own words" in said
    assert "isolation contract: kept" in said


def test_names_of_files_are_free(folder: Path) -> None:
    """A second session has a file of its own, and --out names another."""
    assert 0 == consult()
    assert 0 == consult()
    assert 0 == consult("--out", "mine.run.jsonl")
    assert 4 == consult("--out", "mine.run.jsonl")

    assert {
        "handbook.consultation.run.jsonl",
        "handbook.consultation-2.run.jsonl",
        "mine.run.jsonl",
    } == {path.name for path in folder.glob("*.run.jsonl")}
    assert (folder / "mine.output.json").exists()


def test_a_session_that_was_killed_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command asks those who had not answered, and its output is that of one go."""
    more = ("--lm", "cfo", "--lm", "ceo", "--comparer", "judge")
    assert 0 == consult("--out", "whole.run.jsonl", *more)
    lines = (folder / "whole.run.jsonl").read_bytes().splitlines(keepends=True)
    two = next(n for n, line in enumerate(lines) if b'"/interpreter=2/report/try=1"' in line)
    cuts = [(n, torn) for n in (two, two + 1, len(lines) - 2) for torn in (b"", b'{"event": "ans')]
    for place, (cut, torn) in enumerate([*cuts, (len(lines), b"")]):
        name = f"killed-{place}"
        (folder / f"{name}.run.jsonl").write_bytes(b"".join(lines[:cut]) + torn)

        assert 0 == consult("--out", f"{name}.run.jsonl", *more)
        assert 0 == main(["check", "output", f"{name}.output.json", "--corpus", "handbook"])
        for what in ("run.jsonl", "comparison.run.jsonl"):
            one, other = (wb.open_run(folder / f"{n}.{what}") for n in ("whole", name))
            assert one.digest == other.digest
    capsys.readouterr()
    assert 4 == consult("--out", "killed-0.run.jsonl", *more)
    assert "exists" in capsys.readouterr().err


def test_only_who_had_not_answered_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that was down ends the command with 3, and nobody is paid twice."""
    down = wb.ScriptedLM(lambda _: LMError("down"), name="smollm2-1b", family="smollm2")
    monkeypatch.setitem(MODELS, "local:smollm2", down)
    assert 3 == consult("--out", "one.run.jsonl")
    assert not (folder / "one.output.json").exists()
    first, second = (reader(*found, family=f) for found, f in USUALLY)
    monkeypatch.setitem(MODELS, "local", first)
    monkeypatch.setitem(MODELS, "local:smollm2", second)

    assert 0 == consult("--out", "one.run.jsonl")
    assert [] == first.asked
    assert 1 == len(second.asked)
    assert 4 == consult("--out", "one.run.jsonl", "--words", "9")


def test_a_corpus_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a question, its own coherence is assessed."""
    assert 0 == main(["consult", "handbook", "--verify", "--quiet", "--json"])
    made = json.loads(capsys.readouterr().out)

    assert ("verification", True, True) == (made["mode"], made["conformant"], made["valid"])
    assert "claims" in made["topology"]


def test_a_comparer_has_a_run_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It decides what rules could not."""
    assert 0 == consult("--lm", "cfo", "--lm", "ceo", "--comparer", "judge")

    assert "corpus_ambiguity" in capsys.readouterr().out
    names = {path.name for path in folder.glob("*.run.jsonl")}
    assert "handbook.consultation.comparison.run.jsonl" in names


def test_one_family_is_refused_unless_allowed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked; with the flag, every output says what it is."""
    assert 2 == consult("--lm", "local")
    assert "--allow-nonconformant" in capsys.readouterr().err
    assert [] == list(folder.glob("*.jsonl"))

    assert 0 == consult("--lm", "local", "--allow-nonconformant")
    assert "NON-CONFORMANT: 1 model family (qwen2.5)" in capsys.readouterr().out


def test_a_family_that_a_name_does_not_tell_is_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Aliases of an endpoint are of no family that is known, and two of them are refused."""
    made: list[wb.OpenAILM] = []

    def language_model(args: argparse.Namespace) -> wb.OpenAILM:
        made.append(wb.OpenAILM(args.lm, "http://localhost:9/v1", "k", family=args.family))
        return made[-1]

    monkeypatch.setattr(live, "language_model", language_model)

    assert 2 == consult("--lm", "prod-1", "--lm", "alias-2")
    assert "2 are the least" in (said := capsys.readouterr().err)
    assert "3 unknown, give --lm MODEL,family=NAME" in said
    assert 0 != consult("--lm", "prod-1,family=llama", "--lm", "alias-2,family=qwen3")
    assert [("prod-1", "llama"), ("alias-2", "qwen3")] == [(lm.name, lm.family) for lm in made[2:]]
    assert "conformant" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["consult", "handbook"], 2),
        (["consult", "handbook", "--question", "x", "--lm", "local,family=qwen"], 2),
        (["consult", "handbook", "--question", "x", "--verify"], 2),
        (["consult", "handbook", "--verify", "--options", "a", "b"], 2),
        (["consult", "handbook", "--verify", "--lm", "rules:A", "--lm", "rules:B"], 2),
        (["consult", "nowhere", "--question", "x"], 4),
        (["check", "isolation", "nowhere.run.jsonl"], 4),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], code: int) -> None:
    """By exit codes as everywhere."""
    assert code == main(arguments)


def test_a_leak_is_told_with_its_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the condition, the part and where it came from."""
    consult()
    run = wb.open_run(folder / "handbook.consultation.run.jsonl")
    part = wb.Part("Another said 30 days.", "/interpreter=1/interpretation")
    with Log.create(folder / "leak.run.jsonl") as log:
        log.append(with_part(run, "/interpreter=2/report/try=1", part).events)
    capsys.readouterr()

    assert 1 == main(["check", "isolation", "leak.run.jsonl"])
    said = capsys.readouterr().out
    assert (
        "(i) reads_other at /interpreter=2/report/try=1, part 7 from "
        "/interpreter=1/interpretation: it reads interpreter 1"
    ) in said
    assert "1 from elsewhere" in said
    assert 1 == main(["check", "isolation", "leak.run.jsonl", "--json"])
    assert "reads_other" == json.loads(capsys.readouterr().out)[0]["rule"]


def test_an_output_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against the run beside it, a comparer's too, and the corpus as it is now."""
    consult("--lm", "cfo", "--lm", "ceo", "--comparer", "judge")
    output = str(folder / "handbook.consultation.output.json")
    capsys.readouterr()

    assert 0 == main(["check", "output", output, "--corpus", "handbook"])
    said = capsys.readouterr().out
    assert "nothing has changed" in said
    assert "which is current" in said
    (folder / "handbook/notice.md").write_text("The notice is 90 days.")
    assert 1 == main(["check", "output", output, "--corpus", "handbook"])
    assert "superseded by version" in capsys.readouterr().out
    assert 0 == main(["check", "output", output, "--json"])
    assert {"found": [], "current": None} == json.loads(capsys.readouterr().out)
    assert 2 == main(["check", "output", "handbook"])
    assert 2 == main(["check", "isolation", output, "--corpus", "handbook"])


def test_a_session_is_told_in_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who found what, from which passages, and what it comes to."""
    consult()
    capsys.readouterr()
    assert 0 == main(["show", str(folder / "handbook.consultation.run.jsonl")])
    said = capsys.readouterr().out

    assert "interpreter 1 found 1\n  Q1: The notice is 30 days. (notice.md#p1)" in said
    assert "synthesis: 2 overlap, 0 unique, 3 divergence, 0 unclassified, 0 unsupported" in said
    assert "logical_contradiction at notice.md#p1" in said
