"""A run as plain text: every fact told, and nothing that a terminal would obey."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.scripts import CASE, goal, judge, play
from workbench.agents.case import Case
from workbench.auditors.audit import audit
from workbench.errors import RunFailed
from workbench.record.events import (
    Answered,
    Asked,
    Failed,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
)
from workbench.record.parts import Part
from workbench.record.run import Run
from workbench.record.visible import HIDDEN, visible
from workbench.views.markup import safe
from workbench.views.terminal import full, story, tell

RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
EVIL = "\x1b]0;owned\x07\x1b[2J\x08\x00\x7f\x9b\u202e\r\u2066 end"
CASE_ = Case.model_validate(CASE)

CONSULTED = Path(__file__).parents[2] / "sample_runs" / "handbook"


def posted(kind: str, **data: Any) -> Posted:
    """Return a fact of a kind."""
    return Posted(path="/x", clock=1, kind=kind, data=data)


@given(st.text())
def test_visible(text: str) -> None:
    """No control or direction character is left, all else stays, and twice is as once."""
    out = visible(text)

    assert RAW.search(out) is None
    assert visible(out) == out
    if HIDDEN.search(text) is None:
        assert out == text


@pytest.mark.parametrize("character", ["\u200b", "\u00ad", "\ufeff", "\u2028", "\U000e0041"])
def test_a_terminal_hides_no_more_than_a_page(character: str) -> None:
    """Zero-width, soft and tag characters are written out in both."""
    assert character not in visible(f"a{character}b")
    assert character not in safe(f"a{character}b")
    assert "\\U000e0041" == visible("\U000e0041")


def test_visible_tells_which() -> None:
    """A character is written out with its code; line breaks and tabs stay."""
    assert "\\x1b[31m \\u202e\\x00\n\t" == visible("\x1b[31m \u202e\0\n\t")
    assert "\\ud800" == visible("\ud800")


def test_story_of_a_run() -> None:
    """A story tells goals, rules, predictions, contributions, decisions and the end, in order."""

    def constrains(asked: Asked) -> dict[str, Any] | None:
        return goal(1, constraint="No olives.") if asked.path == "/turn=1/goal/try=1" else None

    told = "\n".join(story(play(CASE_, constrains)))

    places = [
        told.index(words)
        for words in (
            "turn 1 · goal (Plan) for analyst, buyer, critic",
            "goal-of-turn-1",
            "turn 1 · rule A1 added",
            "No olives.",
            "turn 1 · analyst",
            "expects buyer: prediction-1-analyst-of-buyer",
            "contribution-1-analyst",
            "turn 1 · refine, phase Plan",
            "turn 2 · goal",
            "turn 2 · refine, phase Plan",
            "the run is complete",
        )
    ]
    assert sorted(places) == places
    assert "gate" not in told


def test_story_tells_what_went_wrong() -> None:
    """Gates that needed more than one attempt and replies that could not be read are told."""

    def bad(asked: Asked) -> str | None:
        if asked.path == "/turn=1/buyer/queries/try=1":
            return "?"
        return "?" if asked.path.startswith("/turn=1/critic/propose") else None

    told = "\n".join(story(play(CASE_, bad, turns=1)))

    assert "gate · /turn=1/buyer/queries/gate: recovered by direct after 2 attempts" in told
    assert "gate · /turn=1/critic/propose/gate: could not be read after 3 attempts" in told
    assert "turn 1 · critic could not be read" in told


def test_story_of_an_interrupted_run() -> None:
    """A run that was stopped tells its failure and that it can go on."""

    def dies(asked: Asked) -> None:
        if asked.path.startswith("/turn=1/buyer"):
            raise RuntimeError("no more")

    with pytest.raises(RunFailed) as stopped:
        play(CASE_, dies)
    assert stopped.value.run is not None
    told = list(story(stopped.value.run))

    assert any(t.startswith("FAILED · /turn=1/buyer/queries/try=1: RuntimeError") for t in told)
    assert "the run was interrupted; resume goes on from here" == told[-1]


def test_story_of_an_audit() -> None:
    """An audit's story tells each verdict, with the rules that were not kept."""

    def strict(asked: Asked) -> Any:
        bad = {"reason": "too dear", "verdict": "INVALID"}
        return {"R1": bad, "R2": bad} if "/logic/turn=1/buyer/" in asked.path else None

    bound = audit(play(CASE_, turns=1), embeddings=True)
    lm, world = judge(strict), {"cosine": lambda one, other: 0.25}
    told = "\n".join(story(wb.run_sync(bound, lm=lm, world=world)))

    assert "logic · buyer, turn 1: INVALID\n    R1 INVALID: too dear; R2" in told
    assert "logic · critic, turn 1: VALID" in told
    assert "tom · buyer of critic, turn 1: consistent, cosine 0.25" in told
    assert "rag · buyer, turn 1: effective, “bread and cheese, or the price of the hub”" in told


@pytest.mark.parametrize("kind", ["Gated", "GoalSet", "Proposed", "Ratified", "ToMVerdict", "Mine"])
@pytest.mark.parametrize(
    "data",
    [
        {},
        {"turn": 1},
        {"nominated": 3, "predictions": ["a"], "attempts": "many", "tier": None, "errors": None},
        {"evaluator": 1, "peer": 2, "turn": 1, "verdict": 1, "cosine": "x", "reason": "r"},
        {"turn": 1, "author": "a", "predictions": ["p"], "contribution": 4},
    ],
)
def test_facts_of_other_protocols(kind: str, data: dict[str, Any]) -> None:
    """A fact that only shares its name with one of ours is told as it is."""
    told = tell(posted(kind, **data))

    assert told is not None
    assert told.startswith(f"{kind} · /x")


def test_what_older_rules_came_to_is_told_as_such() -> None:
    """A session's own record is by the rules of its day, and what it comes to today may differ."""
    text = "\n".join(story(wb.open_run(CONSULTED / "hours.run.jsonl")))

    assert "\nsynthesis by the first rules, as recorded: 4 overlap" in text
    assert "as recorded" not in str(wb.synthesis(wb.open_run(CONSULTED / "hours.run.jsonl")))


def hostile() -> Run:
    """Return a run in which everything from outside is written to take over a terminal."""
    at = f"/turn=1/{EVIL.replace(' ', '')}"
    return Run(
        [
            RunStarted(protocol="bilayer", params={}),
            Asked(path="/a", clock=0, role=EVIL, parts=(Part(EVIL, EVIL),)),
            Answered(path="/a", text=EVIL, model=EVIL, finish_reason=EVIL),
            Asked(path="/f", clock=0, role="r", parts=()),
            Failed(path="/f", error=EVIL, message=EVIL),
            wb.Called(path="/c", clock=1, tool=EVIL, args={EVIL: EVIL}),
            Returned(path="/c", value=[{EVIL: EVIL}]),
            wb.Consulted(path="/h", clock=1, prompt=EVIL, options=(EVIL,)),
            wb.Said(path="/h", text=EVIL),
            Posted(path=at, clock=2, kind=EVIL, data={EVIL: EVIL}, sources=(EVIL,)),
            posted("GoalSet", turn=1, goal=EVIL, phase=EVIL, nominated=[EVIL]),
            posted("Gated", attempts=2, tier=EVIL, errors=[EVIL]),
            RunEnded(clock=3, status="failed", error=EVIL),
        ]
    )


def test_nothing_raw_is_told() -> None:
    """Names, errors, models, sources and texts alike come out without a control character."""
    run = hostile()

    for told in story(run):
        assert RAW.search(told) is None
    for path in filter(None, run.derived):
        assert RAW.search(full(run, path)) is None


def test_long_texts_are_wrapped() -> None:
    """A contribution of 100 kB without a blank is wrapped like any other."""
    long = "x" * 100_000
    fact = posted("Proposed", turn=1, author="a", predictions={"b": long}, contribution=long)

    told = tell(fact, width=80)

    assert told is not None
    assert max(map(len, told.splitlines())) <= 80
    assert 200_000 == told.count("x") - told.count("expects")


def test_full_of_an_ask() -> None:
    """At an ask: role, sampling, every part with its source, and the reply with its cost."""
    told = full(play(CASE_), "/turn=2/buyer/propose/try=1")

    assert "asked as buyer" in told
    assert "--- system, from the protocol" in told
    assert "--- user, from /turn=1/critic/proposal\nCritic, turn 1: contribution-1-critic" in told
    assert "--- user, from buyer/notes.md#p1" in told
    assert "=== answered by scripted:" in told
    assert "contribution-2-buyer" in told


def test_full_of_an_answer_that_was_asked_without_a_setting() -> None:
    """What the model did not take is told beside its reply."""
    said = [
        replace(event, unsent=("temperature", "top_p")) if isinstance(event, Answered) else event
        for event in play(CASE_, turns=1)
    ]
    run = Run(said)

    told = full(run, "/turn=1/buyer/propose/try=1")

    assert "sent without temperature, top_p, which the model does not take" in told
    assert "sent without" not in full(play(CASE_, turns=1), "/turn=1/buyer/propose/try=1")


def test_full_of_a_search_and_a_fact() -> None:
    """At a search: arguments and result. At a fact: its kind, its sources and its fields."""
    run = play(CASE_, turns=1)

    search = full(run, "/turn=1/buyer/search=1")
    assert "called search" in search
    assert '"query": "bread and cheese, or the price of the hub"' in search
    assert "=== returned" in search
    fact = full(run, "/turn=1/buyer/proposal")
    assert "posted Proposed" in fact
    assert "drawn from /turn=1/buyer/propose/try=1" in fact
    assert '"contribution": "contribution-1-buyer"' in fact


def test_full_of_nothing() -> None:
    """A path that is not in the run names the nearest that are."""
    with pytest.raises(KeyError, match="/turn=1/buyer/proposal"):
        full(play(CASE_, turns=1), "/turn=1/buyer/proposl")


def test_an_in_memory_run_with_half_a_surrogate(tmp_path: Path) -> None:
    """A text that no file can hold can still be shown."""
    ask = Asked(path="/a", clock=0, role="r", parts=(Part("\ud800"),))
    run = Run([RunStarted(protocol="p", params={}), ask])

    (tmp_path / "out").write_text(full(run, "/a"), encoding="utf-8")

    assert "\\ud800" in (tmp_path / "out").read_text(encoding="utf-8")
