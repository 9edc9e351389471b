"""The words in which facts are told: one form for each kind there is, true to its fields."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from string import Formatter
from typing import Any

import pytest

import workbench
import workbench as wb
from tests.deliberation.maven.scripts import garbled, judging, play
from workbench.experiments.methods import METHODS
from workbench.record.events import Posted
from workbench.record.facts import Fact
from workbench.testing import imagined
from workbench.views.forms import FORMS
from workbench.views.terminal import _TELL, story, tell


def kinds() -> dict[str, type[Fact]]:
    """Return every kind of fact that the workbench posts."""
    for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
        if not module.name.endswith("__main__"):
            import_module(module.name)

    def below(kind: type[Fact]) -> Iterator[type[Fact]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    return {k.__name__: k for k in below(Fact) if k.__module__.startswith("workbench.")}


def fields(template: str) -> set[str]:
    """Return the names of the fields that a template fills in."""
    name, each, _ = template.partition(":: ")
    return {name} if each else {field for _, field, _, _ in Formatter().parse(template) if field}


def test_every_fact_is_told_in_words() -> None:
    """No kind is left to be told field by field, and no form is of a kind that is no more."""
    assert set(kinds()) == set(FORMS) | (set(_TELL) & set(kinds()))


@pytest.mark.parametrize("kind", FORMS)
def test_fields_are_those_of_the_kind(kind: str) -> None:
    """A form names fields that its fact has."""
    form = FORMS[kind]
    named = set().union(*map(fields, (form.head, *form.more, *form.body)))

    assert named <= set(kinds()[kind].model_fields)


def test_story_of_maven() -> None:
    """Each step of the deliberation has a line with who, what and how sure, then its words."""
    told = "\n".join(story(play(judging("reject", "replan", "accept")), width=400))

    places = [
        told.index(words)
        for words in (
            "router · the full path, h = 5, tau = 2\n    mark-turn0-router-complexity-try1",
            "fast proposer 1 · A, confidence 0.80\n    mark-turn0-fast_proposer1",
            "intuitions · 5 of 5 could be read, 100% say A, mean confidence 0.80",
            "turn 0 · plan\n    contradiction: mark-turn0-planner-plan-try1\n    to be verified: ",
            "turn 0 · critical lens · A\n    mark-turn0-multi_proposer-lenscritical",
            "turn 0 · draft 0 · A, by the synthesizer",
            "turn 1 · skeptic\n    1. factual, high: mark-turn1-skeptic-attack-try1? (of: mark",
            "turn 1 · researcher · supported, confidence 0.70\n    claim: mark",
            "turn 1 · responder\n    1. mark-turn1-responder-defence-try1 q1 (confidence 0.97)",
            "turn 1 · evidence report, kept in K: yes\n    supported, confidence 0.75, from K: no",
            "turn 1 · judge · reject of draft 0, mean 2.00, factual 2, coherence 2, completeness 2",
            "turn 1 · draft 1 · A, by the reviser",
            "turn 2 · judge · replan of draft 1",
            "turn 2 · plan",
            "turn 3 · judge · accept of draft 2, mean 5.00",
            "stylist, used: ",
            "concluded · accepted · A, passes: 3, judged: yes",
            "answer · A, accepted",
        )
    ]
    assert sorted(places) == places


def test_what_went_wrong_is_told() -> None:
    """What could not be read says what was done instead; a Judge without scores tells none."""
    told = "\n".join(story(play(garbled("Judgement")), width=400))

    assert "turn 1 · judge · verdict could not be read\n    instead: the draft is rejected" in told
    assert "turn 1 · judge · reject of draft 0\n" in told


def test_an_overruled_judge() -> None:
    """What the Judge said stands beside what holds."""
    judged = {"iteration": 1, "draft": 0, "verdict": "reject", "said": "accept", "score": 4.5}
    scores = {"factual": 3, "coherence": 5, "completeness": 5, "neutrality": 5}
    judged |= {**scores, "contradiction": "accepts_below_thresholds", "feedback": "Fine."}
    told = tell(Posted(path="/x", clock=1, kind="Judged", data=judged), width=400)

    assert (
        "turn 1 · judge · reject of draft 0, mean 4.50, factual 3, coherence 5, completeness 5, "
        "neutrality 5, said accept and accepts below thresholds\n    Fine." == told
    )


@pytest.mark.parametrize("name", METHODS)
def test_no_brackets_of_python(name: str) -> None:
    """Every method's run is told without a dict or a list of the fact as Python writes it."""
    bound = {"question": "Why?", "options": ("a", "b")}
    bound |= {"corpus": "shelf"} if name == "react" else {}

    async def search(*, query: str, corpus: str, k: int = 3) -> list[dict[str, Any]]:
        return [{"passage": "a.md#p1", "text": f"Of {query}.", "score": 1.0}]

    protocol: Any = wb.find_protocol(METHODS[name])
    run = wb.run_sync(
        protocol(**bound), lm=wb.ScriptedLM(imagined), world={"search": search}, seed=2
    )
    told = list(story(run))

    assert any(line.startswith("answer · ") for line in told)
    assert not [line for line in told if "{'" in line or "['" in line or "None" in line]


def test_a_fact_of_ones_own() -> None:
    """A kind that nobody has heard of is told field by field, in its own order."""
    data = {"text": "We should\nstart.", "weights": {"ann": 1}, "done": True}
    told = tell(Posted(path="/round=1/ann/position", clock=1, kind="Position", data=data))

    assert (
        "Position · /round=1/ann/position\n    text: We should start.\n"
        '    weights: {"ann": 1}\n    done: true' == told
    )
