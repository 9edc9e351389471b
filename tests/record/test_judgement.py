"""Verdicts are read once, for the tables and for the views."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.record.events import Posted
from workbench.record.judgement import Judgement, Ruled


def of(kind: str, **data: Any) -> Judgement:
    """Read a fact of a turn."""
    return Judgement.read(Posted(path="/turn=2/x", clock=0, kind=kind, data=data))


def test_logic() -> None:
    """The Logic auditor's verdict is a row, and so is that on each rule."""
    rules = [{"rule": "R1", "verdict": "INVALID", "reason": "too dear"}]
    found = of("LogicVerdict", subject="/p", author="a", verdict="INVALID", rules=rules)
    head = ("/turn=2/x", "logic", "/p", 2, "a", None)

    assert (Ruled("R1", "INVALID", "too dear"),) == found.rules
    assert [(*head, None, "INVALID", None, None), (*head, "R1", "INVALID", "too dear", None)] == (
        list(found.rows())
    )


def test_theory_of_mind() -> None:
    """The evaluator is whose it is, and the cosine its score."""
    found = of("ToMVerdict", evaluator="a", peer="b", verdict="consistent", cosine=0.5, reason="r")

    assert ("tom", "a", "b", "consistent", 0.5, "r") == (
        found.auditor,
        found.author,
        found.peer,
        found.verdict,
        found.score,
        found.reason,
    )


@pytest.mark.parametrize("odd", [None, [], {}, 5, "x" * 9, [None, 1, {"rule": None}], float("nan")])
def test_odd_facts(odd: Any) -> None:
    """Whatever a fact holds, a verdict is a word, a score a number and a rule has a name."""
    names = ("verdict", "reason", "subject", "author", "peer", "rule", "cosine", "rules")
    found = of("LogicVerdict", **dict.fromkeys(names, odd))

    assert isinstance(found.verdict, str)
    assert found.score is None or isinstance(found.score, float)
    assert all(ruled.rule for ruled in found.rules)
    assert 1 + len(found.rules) == len(list(found.rows()))
