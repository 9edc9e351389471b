"""A scripted model that plays all of MAVEN's agents; each text it writes names its author."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import workbench as wb
from workbench.deliberation.maven.maven import maven
from workbench.record.events import Asked
from workbench.record.run import Run

QUESTION = "Which animal is harder to care for?"
OPTIONS = ("a goldfish", "an isopod", "a pet rock")

Reply = str | dict[str, Any] | None
Override = Callable[[Asked], Reply]


def title(asked: Asked) -> str:
    """Return what an ask is for."""
    return str((asked.schema or {})["title"])


def mark(asked: Asked) -> str:
    """Return a word that only this ask's texts hold."""
    place = asked.path.strip("/").replace("/", "-").replace("=", "")
    return f"mark-{place}"


def usual(asked: Asked, *, verdict: str = "accept", scores: int = 5) -> dict[str, Any]:
    """Return what an agent answers when nothing is the matter."""
    said, fields = mark(asked), (asked.schema or {})["properties"]
    letter = {"answer": "A" if "enum" in fields.get("answer", {}) else "a goldfish"}
    criteria = ("factual", "coherence", "completeness", "neutrality")
    doubts = [("causal", "low"), ("factual", "high"), ("logical", "medium")]
    draft = next((p.text for p in asked.parts if p.text.startswith("The draft: ")), "")
    cited = {"passages": [1]} if "passages" in fields else {}
    replies: dict[str, dict[str, Any]] = {
        "Complexity": {"reason": said, "complexity": 5},
        "Intuition": {"rationale": said, **letter, "confidence": 80},
        "Plan": {"contradictions": [said], "verifications": [said], "steps": [said, said]},
        "Draft": {"text": f"{said} a goldfish needs 20 gallons", **letter},
        "Doubts": {
            "questions": [
                {
                    "dimension": dimension,
                    "claim": f"{said} {dimension} claim",
                    "question": f"{said}?",
                    "priority": priority,
                }
                for dimension, priority in doubts
            ]
        },
        "Defence": {n: {"justification": f"{said} {n}", "confidence": 97} for n in fields},
        "Probe": {**cited, "evidence": said, "verdict": "supported", "confidence": 70},
        "Comparisons": {n: {"note": said, "agreement": "agrees", "confidence": 75} for n in fields},
        "Judgement": {"feedback": said, **dict.fromkeys(criteria, scores), "verdict": verdict},
        "Style": {"text": draft.removeprefix("The draft: ").split("\nIts answer")[0]},
    }
    return replies[title(asked)]


def agents(override: Override | None = None) -> wb.ScriptedLM:
    """Return a model that plays all agents; `override` may give another reply to an ask."""

    def reply(asked: Asked) -> str:
        given = override(asked) if override is not None else None
        if given is None:
            given = usual(asked)
        return given if isinstance(given, str) else json.dumps(given)

    return wb.ScriptedLM(reply)


def judging(*verdicts: str) -> Override:
    """Return an override whose Judge gives these verdicts, one an iteration, the last ever after.

    An accept comes with the best scores, anything else with low ones.
    """

    def reply(asked: Asked) -> Reply:
        if title(asked) != "Judgement":
            return None
        turn = int(asked.path.split("/")[1].removeprefix("turn="))
        verdict = verdicts[min(turn, len(verdicts)) - 1]
        return usual(asked, verdict=verdict, scores=5 if verdict == "accept" else 2)

    return reply


def garbled(*titles: str) -> Override:
    """Return an override that cannot be read where these are asked for."""
    return lambda asked: "I would rather not." if title(asked) in titles else None


async def found(*, query: str, corpus: str, k: int = 3) -> list[dict[str, Any]]:
    """Search nothing and find two passages."""
    return [
        {"passage": f"care.md#p{n}", "text": f"Passage {n} of the guide.", "score": 1.0}
        for n in (1, 2)
    ]


def play(override: Override | None = None, **options: Any) -> Run:
    """Run MAVEN with scripted agents."""
    given = {"options": OPTIONS} | options
    extra = {name: given.pop(name) for name in ("human", "world") if name in given}
    run: Run = wb.run_sync(maven(QUESTION, **given), lm=agents(override), **extra)
    return run


def facts(run: Run, kind: str) -> list[dict[str, Any]]:
    """Return the data of a run's facts of a kind."""
    return [fact.data for fact in run.facts_of(kind)]
