"""MAVEN's blackboard on the board: R, the plan, d(t), justifications, K and V."""

from __future__ import annotations

from typing import Any

from tests.deliberation.maven.scripts import judging, play
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
    assert {cell["k"] for cell in held(source, "decision", "FinalAnswer")} == {"decision", "answer"}
