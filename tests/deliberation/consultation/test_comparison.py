"""The comparer: pairs that rules leave undecided, in both orders, in a run of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import NOTICE, models, play, told, write_corpus
from workbench.errors import RunError
from workbench.record.events import Asked
from workbench.record.run import Run
from workbench.testing import check_protocol

CFO, CEO = "The CFO signs the notice.", "The CEO signs the notice."


@pytest.fixture
def session(tmp_path: Path) -> Run:
    """Return a session with one pair that no rule decides."""
    corpus = write_corpus(tmp_path / "handbook")
    return play(corpus, models([told(CFO, NOTICE)], [told(CEO, NOTICE)], []))


def comparer(first: str, second: str | None = None) -> wb.ScriptedLM:
    """Return a model that tells a relation in each order; other words than JSON are unreadable."""

    def reply(asked: Asked) -> str:
        said = first if "order=1" in asked.path else second or first
        return json.dumps({"reason": "So it is.", "relation": said}) if said != "?" else said

    return wb.ScriptedLM(reply, name="comparer", family="judge")


@pytest.mark.parametrize(
    ("relation", "group", "type_"),
    [
        ("compatible", "overlap", None),
        ("contradictory", "divergence", "corpus_ambiguity"),
        ("different_question", "unclassified", None),
    ],
)
def test_a_comparer_decides_what_rules_do_not(
    session: Run, relation: str, group: str, type_: str | None
) -> None:
    """What both orders say takes its place in the topology, told as the comparer's."""
    made = wb.synthesis(session, check_protocol(wb.comparison(session), lm=comparer(relation)))
    (pair,) = made.topology.classes.related

    assert (relation, "comparer") == (pair.kind, pair.rule)
    assert ("1.1", "2.1") == getattr(made.topology.classes, group)
    assert ([type_] if type_ else []) == [d.type for d in made.topology.divergences]
    assert () == made.breaches


@pytest.mark.parametrize("second", ["contradictory", "?"])
def test_two_orders_that_differ_decide_nothing(session: Run, second: str) -> None:
    """A judgement that depends on the order, or that cannot be read, is none."""
    run = wb.run_sync(wb.comparison(session), lm=comparer("compatible", second))

    assert {"pairs": 1, "undecided": 1} == run.result
    assert ("1.1", "2.1") == wb.synthesis(session, run).topology.classes.unclassified


def test_the_session_does_not_change(session: Run) -> None:
    """The comparison is about a digest, and quotes it; authors are not told."""
    before = session.digest
    run = wb.run_sync(wb.comparison(session), lm=comparer("compatible"))
    asks = [event for event in run.commands.values() if isinstance(event, Asked)]

    assert (before, before) == (session.digest, run.started.subject)
    assert 2 == len(asks)
    assert not any("interpreter" in part.text for ask in asks for part in ask.parts)
    assert {f"{before[:12]}:/interpreter={n}/interpretation" for n in (1, 2)} == {
        part.source for part in asks[0].parts if part.source and ":/" in part.source
    }


def test_a_comparison_of_another_session_is_refused(session: Run, tmp_path: Path) -> None:
    """It decides about the run that it read, and no other."""
    run = wb.run_sync(wb.comparison(session), lm=comparer("compatible"))
    other = play(write_corpus(tmp_path / "other"))
    with pytest.raises(RunError, match="the comparison is about"):
        wb.synthesis(other, run)
    with pytest.raises(RunError, match="not of a comparison"):
        wb.synthesis(session, session)


def test_nothing_to_compare(tmp_path: Path) -> None:
    """Where rules decide all, the comparer is not asked."""
    session = play(write_corpus(tmp_path / "handbook"))
    lm = comparer("compatible")
    run = wb.run_sync(wb.comparison(session), lm=lm)

    assert ({"pairs": 0, "undecided": 0}, []) == (run.result, lm.asked)


def test_there_is_a_bound(session: Run) -> None:
    """More pairs than are to be paid for are refused, before anything is asked."""
    with pytest.raises(RunError, match="1 pairs are undecided, and 0 is the most"):
        wb.comparison(session, most=0)
