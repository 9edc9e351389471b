"""What passes between agents, as the tables and the graph have it."""

from __future__ import annotations

from typing import Any

import workbench as wb
from workbench.record.authors import author_of
from workbench.record.events import Asked
from workbench.record.parts import Part
from workbench.record.passings import LEADER, Goals, read_by


def fact(path: str, kind: str, *sources: str, **data: Any) -> wb.Posted:
    """Return a fact of any kind."""
    return wb.Posted(path=path, kind=kind, data=data, sources=sources, clock=0)


def test_only_the_words_of_agents_are_read() -> None:
    """The protocol's own words, passages, and what nobody is known to have written are not."""
    parts = (Part("own"), Part("said", "/a"), Part("passage", "doc#p1"), Part("again", "/a"))
    ask = Asked(path="/b", role="bob", parts=parts, clock=0)
    assert read_by(ask, {"/a": "ann"}) == [None, "ann", None, "ann"]


def test_a_goal_nominates_and_is_answered_in_its_turn() -> None:
    """The one who set it last is answered; a goal without an author is the leader's."""
    goals = Goals()
    early = fact("/turn=1/ann/proposal", "Proposed", author="ann")
    assert goals.passed(early, "ann", 1) == []
    goal = fact("/turn=1/goal", "GoalSet", nominated=["ann", "bob"])
    assert goals.passed(goal, None, 1) == [
        (LEADER, "ann", "nominated", "/turn=1/goal"),
        (LEADER, "bob", "nominated", "/turn=1/goal"),
    ]
    assert goals.passed(early, "ann", 1) == [("ann", LEADER, "answered", "/turn=1/goal")]
    assert goals.passed(early, "ann", 2) == []
    assert goals.passed(early, None, 1) == []
    assert goals.passed(fact("/turn=1/x", "Noted"), "ann", 1) == []


def test_an_author_is_named_or_that_of_the_first_known_source() -> None:
    """None where neither is known."""
    wrote = {"/b": "bob", "/c": "cara"}
    assert author_of(fact("/x", "Noted", "/b", author="ann"), wrote) == "ann"
    assert author_of(fact("/x", "Noted", "/a", "/c", "/b"), wrote) == "cara"
    assert author_of(fact("/x", "Noted", "/a"), wrote) is None
