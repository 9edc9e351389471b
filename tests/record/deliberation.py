"""Small runs and audits that the tests of tables and pages share; every answer is scripted."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import workbench as wb
from workbench.agents.bilayer import bilayer
from workbench.agents.case import Case
from workbench.auditors.audit import audit
from workbench.errors import RunError, ServerError
from workbench.record.events import Asked, Event
from workbench.record.log import Log
from workbench.record.run import Run

HOSTILE = (
    "</script><img src=x onerror=1><!-- <think>plan</think> --> \u2028 \u202egnp.exe\u202c "
    '\x00\x1b[31m \u200b \U000e0041 ]]> &amp; " \' </style><svg onload=1> <a href="http://e.vil">'
)

CASE = Case(
    name="tram",
    title="Night trams for Harbour Street",
    brief="The city has 400,000 dollars a year. Agree on one plan for trams after midnight.",
    framework="Double Diamond",
    phases=("Discover", "Define"),
    rules=(
        {"id": "R1", "text": "A plan must cost no more than 400,000 dollars a year."},
        {"id": "R2", "text": "A plan must name at least one drawback."},
    ),
    roles=(
        {"name": "planner", "title": "Planner", "charge": "The timetable.", "corpus": "planner"},
        {"name": "treasurer", "title": "Treasurer", "charge": "The sum.", "corpus": "treasurer"},
        {"name": "residents", "title": "Residents", "charge": "The night.", "corpus": "residents"},
    ),
)

SAID = {
    "planner": "Trams every 40 minutes until three, on Fridays and Saturdays alone. " * 3,
    "treasurer": "Two nights a week come to 312,000 dollars; wages rise in May, a real risk. " * 3,
    "residents": "Rails must be ground first, or the curve at the fish market will wake us. " * 3,
}


def answer(asked: Asked, text: str | None = None) -> str:
    """Return the scripted reply to an ask of the bi-layer protocol or of its audit."""
    path = asked.path
    if path.startswith("/logic"):
        rules = asked.schema["properties"] if asked.schema else {}
        broken = "treasurer" in path and "R2" in rules
        return json.dumps(
            {
                rule: {
                    "reason": text or f"{rule} was held against the figures.",
                    "verdict": "INVALID" if broken and rule == "R2" else "VALID",
                }
                for rule in rules
            }
        )
    if path.startswith("/tom"):
        return json.dumps({"reason": text or "Same.", "consistent": "turn=1" in path})
    if path.startswith("/rag"):
        return json.dumps({"reason": text or "Used.", "relevance": 80, "effective": True})
    if "/goal/" in path:
        turn = 2 if "turn=2" in path else 1
        goal = {
            "goal": text or f"Draft {turn} of one plan within the budget",
            "phase": "Discover" if turn == 1 else "Define",
            "nominated": list(SAID),
            "set_constraint": "Name the source of each figure." if turn == 2 else None,
        }
        return json.dumps(goal) if turn == 1 else f"Gladly: {json.dumps(goal)}"
    if "/queries/" in path:
        return json.dumps({"queries": [text[:100] if text else "cost of a night tram"]})
    if "/ratify/" in path:
        return json.dumps({"reason": text or "The sum fits.", "decision": "advance"})
    author = path.split("/")[2]
    if path == "/turn=2/residents/propose/try=1":
        return "I would rather not answer in JSON."
    peers = [peer for peer in SAID if peer != author]
    proposal = {
        "predictions": {peer: text or f"The {peer} will ask for less." for peer in peers},
        "contribution": text or SAID[author],
    }
    return json.dumps(proposal)


async def search(*, query: str, corpus: str, k: int) -> list[dict[str, Any]]:
    """Return made-up passages."""
    return [
        {
            "passage": f"{corpus}/notes.md#p{n}",
            "document": f"{corpus}/notes.md",
            "heading": "Costs",
            "text": f"About {query}: line {n} of the notes.",
            "score": 0.03 - n / 1000,
            "mode": "hybrid",
        }
        for n in range(min(k, 2))
    ]


def deliberate(text: str | None = None, turns: int = 2, lm: Any = None, **options: Any) -> Run:
    """Return a complete run of the bi-layer protocol; `text` is put wherever a model may write."""
    lm = lm or wb.ScriptedLM(lambda asked: answer(asked, text))
    run: Run = wb.run_sync(
        bilayer(CASE, turns=turns), lm=lm, world={"search": search}, seed=3, **options
    )
    return run


def judge(run: Run, text: str | None = None) -> Run:
    """Return the audit of a run, with cosines that are made up."""
    lm = wb.ScriptedLM(lambda asked: answer(asked, text), name="judge")
    cosine = {"cosine": lambda one, other: 0.625}
    audited: Run = wb.run_sync(audit(run, embeddings=True), lm=lm, world=cosine)
    return audited


def broken_off() -> Run:
    """Return a run that the world stopped answering in the middle of its second turn."""

    def scripted(asked: Asked) -> Any:
        if asked.path.startswith("/turn=2/treasurer/propose"):
            return ServerError("the server hung up on <treasurer>")
        return answer(asked)

    with pytest.raises(RunError) as raised:
        deliberate(lm=wb.ScriptedLM(scripted))
    assert raised.value.run is not None
    return raised.value.run


def shuffled(run: Run, seed: int) -> Run:
    """Return a run with the same events in another order of arrival."""
    first, *rest = run.events
    random.Random(seed).shuffle(rest)
    return Run([first, *rest], run.path)


def odd_events() -> list[Event]:
    """Return facts that nobody has heard of, and known ones whose fields are wrong or missing."""
    kinds = ["GoalSet", "RuleAdded", "Proposed", "NotProposed", "Ratified", "Gated", "Marvelled"]
    shapes: list[dict[str, Any]] = [
        {},
        {"turn": 1},
        {"turn": "one", "author": 7, "predictions": ["a"], "contribution": {"deep": [1, None]}},
        {"turn": 10**30, "attempts": 10**30, "nominated": "no list", "errors": 5, "author": "x"},
        {"turn": 2, "author": "x", "verdict": None, "cosine": "high", "rules": [1, {"rule": 2}]},
        {"turn": 3, "author": "x", "predictions": {"y": None, "z": 4}, "searches": None},
    ]
    verdicts = ["LogicVerdict", "ToMVerdict", "RAGVerdict", "RuleVerdict"]
    events: list[Event] = [wb.RunStarted(protocol="odd", params={"case": {"rules": 4}})]
    for number, kind in enumerate((*kinds, *verdicts)):
        for index, data in enumerate(shapes):
            given = data | ({"verdict": "INVALID"} if kind in verdicts else {})
            path = f"/turn={index}/k{number}"
            events.append(wb.Posted(path=path, clock=index, kind=kind, data=given))
    return events


def written(run: Run, path: Any) -> Any:
    """Write a run's events to a file and return its path."""
    with Log.create(path) as log:
        log.append(run.events)
    return path
