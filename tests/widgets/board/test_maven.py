"""MAVEN's blackboard on the board: R, the plan, d(t), justifications, K and V."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.deliberation.maven.scripts import OPTIONS, QUESTION, garbled, judging, play
from workbench.record.events import Posted
from workbench_widgets.board import payload
from workbench_widgets.board.fold import folded
from workbench_widgets.shared.source import Source


def held(source: Source, section: str, kind: str, nth: int = 0) -> list[dict[str, Any]]:
    """Return the cells of a section after the n-th fact of a kind."""
    events = enumerate(source.run.events)
    at = [at for at, e in events if isinstance(e, Posted) and e.kind == kind][nth]
    board = folded(source, "happened")
    entries = board.at(section, at)[1]
    return [payload.cell(source, board, section, entry) for entry in entries]


def test_the_blackboard_fills_and_settles() -> None:
    """Intuitions, plan and draft; then questions are open until the Judge has ruled on them."""
    source = Source(play(judging("reject", "accept")))

    assert len(held(source, "intuitions", "Spread")) == 6
    assert {cell["k"] for cell in held(source, "plan", "Planned")} >= {"step 1", "verify 1"}
    drafts = held(source, "drafts", "DraftMade")
    assert drafts[0]["label"] == "d(0)"
    assert drafts[0]["by"] == "synthesizer"
    doubts = [c for c in held(source, "open", "Questioned") if c["k"].startswith("question")]
    assert doubts
    assert held(source, "justifications", "Defended")
    known = held(source, "knowledge", "EvidenceReported")
    assert known
    assert known[0]["verdict"] == "supported"
    assert "confidence" in known[0]["label"]
    assert not [c for c in held(source, "open", "Judged") if c["k"].startswith("question")]
    trace = held(source, "trace", "Judged", 1)
    assert [cell["verdict"] for cell in trace] == ["accept", "reject"]
    assert held(source, "drafts", "Judged", 1)[0]["label"] == "d(1)"
    assert {cell["k"] for cell in held(source, "decision", "FinalAnswer")} == {
        "decision",
        "answer",
        "styled",
    }


def shows(source: Source, place: int) -> dict[str, Any]:
    """Return what of W_t the board shows after an event, in the terms of `wb.workspace`."""
    board = folded(source, "happened")
    cells = {
        name: [board.cell(entry) for entry in board.at(name, place)[1]]
        for name in ("question", "intuitions", "plan", "drafts", "justifications", "trace")
    }
    known = [board.cell(entry) for entry in board.at("knowledge", place)[1]]
    return {
        "query": [cell.text for cell in cells["question"]],
        "intuitions": sorted(cell.key for cell in cells["intuitions"] if cell.key != "spread"),
        "plan": sorted(cell.text for cell in cells["plan"]),
        "draft": [cell.label for cell in cells["drafts"] if cell.key == "d"],
        "justifications": sorted(cell.text for cell in cells["justifications"]),
        "cache": {cell.key: (cell.text, cell.verdict) for cell in known},
        "trace": sorted((cell.key, cell.verdict) for cell in cells["trace"]),
    }


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize(
    "override",
    [judging("reject", "replan", "accept"), judging("replan"), garbled("Judgement")],
    ids=["all", "replans", "unread"],
)
def test_the_board_is_the_workspace(override: Any, *, cache: bool) -> None:
    """After every event the board shows W_t, all seven parts, and nothing that no longer holds."""
    run = play(override, cache=cache)
    source = Source(run)
    for place in range(len(run)):
        now = wb.workspace(run, place + 1)
        plan = now.plan and now.plan.fact
        planned = (*plan.steps, *plan.contradictions, *plan.verifications) if plan else ()
        defended = now.justifications.fact.defences if now.justifications else ()
        lettered = zip("ABC", OPTIONS, strict=True)
        assert {
            "query": ["\n".join([QUESTION, *(f"{a}. {option}" for a, option in lettered)])],
            "intuitions": sorted(str(one.fact.number) for one in now.intuitions),
            "plan": sorted(planned),
            "draft": [f"d({now.draft.fact.number})"] if now.draft else [],
            "justifications": sorted(one.justification for one in defended),
            "cache": {key: (one.evidence, one.verdict) for key, one in now.cache.items()},
            "trace": [(str(one.fact.iteration), one.fact.verdict) for one in now.trace],
        } == shows(source, place)


def test_findings_before_they_are_in_k() -> None:
    """What a probe found stands by itself until the report has taken it into K."""
    source = Source(play())

    assert 3 == len(held(source, "verdicts", "Probed", 2))
    assert [] == held(source, "verdicts", "EvidenceReported")
    uncached = Source(play(cache=False))
    assert 3 == len(held(uncached, "verdicts", "EvidenceReported"))
    assert [] == held(uncached, "knowledge", "EvidenceReported")


def test_the_judges_scores() -> None:
    """A verdict has all four scores and their mean, the latest first."""
    board = folded(Source(play(judging("reject"))), "happened")
    cells = [board.cell(entry) for entry in board.at("trace", len(board.order) - 1)[1]]

    assert ["pass 3, d(2), 2.00", "pass 2, d(1), 2.00", "pass 1, d(0), 2.00"] == [
        cell.label for cell in cells
    ]
    assert {"factual 2 · coherence 2 · completeness 2 · neutrality 2"} == {
        cell.text.split("\n")[0] for cell in cells
    }
