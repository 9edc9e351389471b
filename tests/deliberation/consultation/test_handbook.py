"""Sound readers of the labelled handbook: what rules alone make of readings that are right.

Three scripted readers cite what the labels name and say what the labels say; where the corpus says
two things, one of them says the other. So every miss is the synthesis's own.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import found
from workbench.deliberation.consultation.facts import Finding, RetrievalPackage
from workbench.deliberation.consultation.topology import Topology, topology_of
from workbench.knowledge.package import Packager

HANDBOOK = Path(__file__).parents[3] / "corpora/handbook"


def lines(name: str) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in (HANDBOOK / name).read_text("utf-8").splitlines()]


LABELS = lines("labels.jsonl")
QUESTIONS = {one["id"]: one["question"] for one in lines("questions.jsonl")}


@cache
def packager() -> Packager:
    """Return what makes packages of the handbook."""
    return Packager(wb.Index(wb.Corpus.read(HANDBOOK)))


def readings(label: dict[str, Any]) -> list[Finding]:
    """Return what three sound readers find.

    In a temporal conflict each cites the version that it read. Elsewhere two of them cite both
    places: without a common passage there is nothing to compare (Invariant 2).
    """
    places = [one["passage"] for one in label["evidence"]]
    answers = label["answers"]
    if label["class"] == "divergence":
        first, second = places[0], places[min(1, len(places) - 1)]
        cited = {first} if label["type"] == "temporal_conflict" else {first, second}
        both = [found(f"{i}.1", answers[0], *cited) for i in (1, 3)]
        return [*both, found("2.1", answers[1], second)]
    who = {"overlap": (1, 2, 3), "unique": (1,), "absent": ()}[label["class"]]
    return [found(f"{i}.1", answers[0], places[0]) for i in who]


def came_to(label: dict[str, Any]) -> tuple[str, Topology]:
    """Return the class, or the type of divergence, that the synthesis gives."""
    include = [one["passage"] for one in label["evidence"]]
    made = packager().package(QUESTIONS[label["id"]], include=include)
    topology = topology_of(readings(label), (1, 2, 3), RetrievalPackage.model_validate(made))
    if topology.divergences:
        return topology.divergences[0].type, topology
    classes = topology.classes
    names = [name for name in ("overlap", "unique") if getattr(classes, name)]
    return (names[0] if names else "absent"), topology


@pytest.mark.parametrize("label", LABELS, ids=[label["id"] for label in LABELS])
def test_agreement_is_never_taken_for_divergence(label: dict[str, Any]) -> None:
    """Plain facts, facts seen by one and facts absent are what they are."""
    told, _ = came_to(label)

    if label["class"] != "divergence":
        assert label["class"] == told


def test_most_divergences_have_their_type_by_rules_alone() -> None:
    """Twelve of nineteen; what no rule decides is left to a comparer, and is listed for it."""
    right: Counter[bool] = Counter()
    for label in LABELS:
        if label["class"] == "divergence":
            told, topology = came_to(label)
            right[told == label["type"]] += 1
            if told not in ("overlap", "unique"):
                continue
            assert "undecided" in {pair.kind for pair in topology.classes.related}

    assert right[True] >= 12
    assert right.total() == 19
