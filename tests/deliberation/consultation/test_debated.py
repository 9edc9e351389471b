"""The control condition: readers of one package who are told each other's reports."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import (
    FAMILIES,
    QUESTION,
    USUAL,
    models,
    play,
    write_corpus,
)
from workbench.deliberation.consultation.debated import debated_consultation, debated_topology
from workbench.deliberation.consultation.prompts import HEARD
from workbench.errors import RunError
from workbench.record.events import Asked
from workbench.record.run import Run
from workbench.testing import check_protocol

PARKING = {
    "old.md": "Version: 1\n\n# Parking\n\nParking costs 4 pounds a day.",
    "new.md": "Version: 2\nReplaces: old.md\n\n# Parking\n\nParking costs 6 pounds a day.",
}


def asks(run: Run, place: str) -> list[Asked]:
    """Return the asks below a place."""
    found = (event for path, event in run.commands.items() if path.startswith(place))
    return [event for event in found if isinstance(event, Asked)]


def test_it_keeps_the_protocol_contract(tmp_path: Path) -> None:
    """It resumes, replays and forks."""
    corpus = write_corpus(tmp_path / "handbook")
    bound = debated_consultation(QUESTION, str(corpus), FAMILIES)

    check_protocol(bound, lm=models(*USUAL), seeds=[0])


def test_nothing_but_isolation_is_taken_away(tmp_path: Path) -> None:
    """The first round asks what a consultation asks; the second one adds what others said."""
    corpus = str(write_corpus(tmp_path / "handbook"))
    session = play(tmp_path / "handbook")
    run = wb.run_sync(debated_consultation(QUESTION, corpus, FAMILIES), lm=models(*USUAL))

    for one, other in zip(asks(session, "/interp"), asks(run, "/interp"), strict=True):
        assert (one.path, one.parts, one.schema) == (other.path, other.parts, other.schema)
    told = {ask.path: [p for p in ask.parts if p.text.startswith(HEARD)] for ask in asks(run, "/r")}
    sources = [part.source for part in told["/round=2/interpreter=2/report/try=1"]]
    assert ["/interpreter=1/interpretation", "/interpreter=3/interpretation"] == sources
    assert all(2 == len(parts) for parts in told.values())
    assert "> Q1 (P3): The notice is 30 days." in told[next(iter(told))][1].text


def test_who_is_swayed_agrees(tmp_path: Path) -> None:
    """Isolated readers show that the corpus says two things; told of each other, they hide it."""
    corpus = str(write_corpus(tmp_path / "parking", PARKING))
    question, families = "What does parking cost a day?", ("north", "south", "north")
    readers = [wb.rule_reader(family, sway=1.0) for family in families]
    lms = {f"interpreter={n}": lm for n, lm in enumerate(readers, 1)}

    alone = wb.synthesis(wb.run_sync(wb.consultation(question, corpus, families), lm=lms)).topology
    run = wb.run_sync(debated_consultation(question, corpus, families), lm=lms)
    told = debated_topology(run)

    assert ["temporal_conflict"] == [report.type for report in alone.divergences]
    assert () == told.divergences
    assert 1.0 == told.claims[0].confidence.score
    assert told.correlated_bias


def test_it_is_no_session(tmp_path: Path) -> None:
    """It has no contract to keep and no synthesis; one that was stopped has no last round."""
    corpus = str(write_corpus(tmp_path / "handbook"))
    run = wb.run_sync(debated_consultation(QUESTION, corpus, FAMILIES), lm=models(*USUAL))
    stopped = Run([event for event in run.events if "round=2" not in getattr(event, "path", "")])

    for refused in (wb.isolation, wb.synthesis):
        with pytest.raises(RunError):
            refused(run)
    with pytest.raises(RunError, match="last round"):
        debated_topology(stopped)
    with pytest.raises(RunError, match="not of 'debated"):
        debated_topology(
            wb.run_sync(wb.consultation(QUESTION, corpus, FAMILIES), lm=models(*USUAL))
        )
    with pytest.raises(RunError, match="not conformant"):
        wb.run_sync(debated_consultation(QUESTION, corpus, ("qwen",)), lm=models(*USUAL))
