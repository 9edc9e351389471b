"""Readers by rules: what they find, what they cannot see, and errors that are set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import NOTICE, QUESTION, write_corpus
from workbench.experiments.readers import _sentences
from workbench.knowledge.embedding import MiniLM

STAFF = "How long is the notice of staff?"


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLM, "installed", staticmethod(lambda: False))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Give the small handbook."""
    return write_corpus(tmp_path / "handbook")


def consult(corpus: Path, lms: Any, question: str = STAFF, **options: Any) -> Any:
    """Return what a session came to."""
    run = wb.wait(wb.consult_corpus(question, corpus, lms, **options))
    assert wb.isolation(run).is_empty()
    return wb.synthesis(run).topology


def readers(**options: float) -> list[wb.ScriptedLM]:
    """Return three readers of two families."""
    return [wb.rule_reader(family, **options) for family in ("north", "south", "north")]


def test_they_quote_the_sentence_that_answers(corpus: Path) -> None:
    """With its passage; another that has the words as well is told too, and no third."""
    one = consult(corpus, readers())

    assert {(NOTICE,)} == {finding.cited for finding in one.findings}
    assert {"The notice of staff is 30 days."} == {f.conclusion for f in one.findings}
    assert 6 == len(consult(corpus, readers(), QUESTION).findings)


def test_they_find_nothing_where_nothing_answers(corpus: Path) -> None:
    """Their reports are empty, and not made up."""
    assert () == consult(corpus, readers(), "May a dog come along?").findings


def test_errors_are_each_reader_s_own(corpus: Path) -> None:
    """Two of one family misread apart, so that they contradict each other."""
    topology = consult(corpus, readers(error=1.0))

    assert 3 == len({finding.conclusion for finding in topology.findings})
    assert 3 == len(topology.classes.divergence)


def test_a_bias_is_shared_by_a_family(corpus: Path) -> None:
    """One family agrees on what is wrong, and only another one shows it."""
    biased = [wb.rule_reader("north", bias=1.0) for _ in range(3)]
    alone = consult(corpus, biased, allow_nonconformant=True)
    mixed = consult(corpus, [*biased[:2], wb.rule_reader("south")])

    assert alone.correlated_bias
    assert "30" not in alone.findings[0].conclusion
    assert 3 == len(mixed.classes.divergence)
    assert not mixed.correlated_bias


@pytest.mark.parametrize("error", [0.0, 0.3])
def test_errors_come_as_often_as_is_set(corpus: Path, error: float) -> None:
    """Over seeds; and the same ones again for the same seed."""
    wrong = Counter(
        "30" in finding.conclusion
        for seed in range(40)
        for finding in consult(corpus, readers(error=error), seed=seed).findings
    )

    assert abs(wrong[False] / wrong.total() - error) < 0.13  # three standard errors
    assert consult(corpus, readers(error=error)) == consult(corpus, readers(error=error))


def test_what_has_no_figure_is_turned_round(tmp_path: Path) -> None:
    """Its opposite, in words that a rule can tell."""
    corpus = write_corpus(
        tmp_path / "dogs", {"dogs.md": "# Dogs\n\nDogs are allowed on the jetty."}
    )
    found = consult(corpus, readers(error=1.0), "Are dogs allowed on the jetty?").findings

    assert {"It is not the case: Dogs are allowed on the jetty."} == {f.conclusion for f in found}


def test_what_is_no_probability(corpus: Path) -> None:
    """It is refused, with its name."""
    with pytest.raises(ValueError, match=r"error=2\b"):
        wb.rule_reader("north", error=2)
    with pytest.raises(ValueError, match="bias"):
        wb.rule_reader("north", bias=-0.1)


def test_any_prompt_is_answered() -> None:
    """One that has no passage in it gives an empty report; a comparison is not decided."""
    lm = wb.rule_reader("north")
    asked = wb.Asked(path="/x", role="r", parts=(wb.Part("Q1: What?"),), clock=0)
    compare = wb.Asked(path="/x", role="r", parts=(), clock=0, schema={"title": "Comparison"})

    assert {"findings": []} == json.loads(wb.wait(lm.answer(asked)).text)
    assert "relation" in json.loads(wb.wait(lm.answer(compare)).text)


def test_a_heading_is_no_sentence() -> None:
    """What a passage is headed by says nothing about what it states."""
    lines = [
        "<passage P1 of a.md>",
        "> [Travel > Claiming]",
        "> Claim in 30 days.",
        "</passage P1>",
    ]
    found = _sentences("\n".join(lines))
    assert ["Claim in 30 days."] == [one.text for one in found]
