"""Forks of a recorded run, made offline by a script that rewords the run's own answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import workbench as wb
from tests.scripts import WORLD, judge, lenient, usual
from workbench.auditors.audit import audit
from workbench.record.events import Asked
from workbench.record.run import Run

SAMPLE = Path(__file__).parents[3] / "sample_runs" / "aura_hub"
PROPOSE = "/turn=1/product_manager/propose/try=1"
RATIFY = "/turn=1/ratify/try=1"


@cache
def parent() -> Run:
    """Return the recorded run."""
    return wb.open_run(SAMPLE / "aura_hub.run.jsonl")


@cache
def parent_audit() -> Run:
    """Return its audit, judged by the embedded model."""
    return wb.open_run(SAMPLE / "aura_hub.audit.run.jsonl")


def reworded(old: str, new: str) -> wb.ScriptedLM:
    """Return a model that says what the parent's said, with some words changed."""

    def reply(asked: Asked) -> str | dict[str, Any]:
        known = parent().answers.get(asked.path)
        text = getattr(known, "text", None)
        if text is None:
            import json

            return json.dumps(usual(asked))
        return wb.Answered(
            path=asked.path,
            text=text.replace(old, new),
            model="scripted",
            tokens_in=sum(len(part.text) for part in asked.parts) // 4,
            tokens_out=len(text) // 4,
            cost_usd=0.0004,
            latency_s=0.25,
        )  # type: ignore[return-value]

    return wb.ScriptedLM(reply)


def edited(path: str, old: str, new: str) -> dict[str, str]:
    """Return an edit that changes some words of the recorded answer at `path`."""
    text = parent().answers[path].text  # type: ignore[union-attr]
    assert old in text
    return {path: text.replace(old, new)}


@cache
def voiceless() -> Run:
    """Return the fork whose first proposal is about a cheaper hub; all after it is live."""
    edit = edited(PROPOSE, "On-device voice control for 40 commands", "A pair of wall switches")
    lm = reworded("Define the target audience", "Set the launch price")
    return wb.wait(wb.fork(parent(), edit, lm=lm, world=WORLD))


@cache
def concluded() -> Run:
    """Return the fork that ends after the first turn."""
    edit = edited(RATIFY, "advance", "conclude")
    return wb.wait(wb.fork(parent(), edit, rule="unchanged", lm=reworded("", ""), world=WORLD))


@cache
def again() -> Run:
    """Return a fork of the first fork: one specialist speaks again in turn 2."""
    lm = reworded("marketing", "advertising")
    at = "/turn=2/marketing_lead/propose"
    return wb.wait(wb.fork(voiceless(), at=at, rule="unchanged", lm=lm, world=WORLD))


@cache
def audit_of(run: Run, strict: bool = False) -> Run:
    """Return an audit by a scripted judge; a strict one finds the first rule broken."""

    def verdict(asked: Asked) -> dict[str, Any]:
        made = lenient(asked)
        if strict and asked.role == "logic_auditor":
            first = next(iter(made))
            made[first] = {"reason": "Over the launch budget.", "verdict": "INVALID"}
        return made

    return wb.run_sync(audit(run, embeddings=False), lm=judge(verdict))
