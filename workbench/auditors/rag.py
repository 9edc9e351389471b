"""The RAG auditor (V_RAG, section 5.4.3): was a search relevant, and did the proposal use it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from workbench.auditors.facts import RAGVerdict
from workbench.auditors.material import Material, SearchUnit
from workbench.engine.commands import Steps, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.percent import Percent
from workbench.record.events import Sampling
from workbench.record.parts import Part

ROLE = "rag_auditor"


class Judgement(BaseModel):
    """A reason, a relevance in percent, and whether what was found was put to use."""

    reason: str = Field(max_length=600)
    relevance: Percent
    effective: bool


def judge(
    unit: SearchUnit, material: Material, *, sampling: Sampling, attempts: int
) -> Steps[RAGVerdict]:
    """Judge one search call and post the verdict at ``verdict``."""
    if unit.contribution is None:
        verdict = _verdict(unit, None, "unknown", "there is no proposal that could be read")
        yield from post("verdict", verdict)
        return verdict
    got = yield from ask_json(
        "judge",
        ROLE,
        _prompt(unit, unit.contribution, material),
        Judgement,
        sampling=sampling,
        attempts=attempts,
        repair=False,
    )
    if isinstance(got, Unparsed):
        reason = f"the judge's answer could not be read: {got.errors[-1]}"
        verdict = _verdict(unit, None, "unknown", reason)
    else:
        said = got.value
        effective = "effective" if said.effective else "ineffective"
        verdict = _verdict(unit, said.relevance / 100, effective, said.reason)
    yield from post("verdict", verdict, [got.path])
    return verdict


def _verdict(unit: SearchUnit, relevance: float | None, verdict: str, reason: str) -> RAGVerdict:
    return RAGVerdict.model_validate(
        {
            "subject": unit.path,
            "proposal": unit.proposal,
            "turn": unit.turn,
            "author": unit.author,
            "query": unit.query,
            "relevance": relevance,
            "verdict": verdict,
            "reason": reason,
        }
    )


def _prompt(unit: SearchUnit, contribution: str, material: Material) -> list[Part]:
    found = "\n\n".join(unit.found) or "(nothing was found)"
    return [
        Part(
            "You audit how a specialist uses searches. A search is effective if what it found went "
            "into the contribution: a fact, a figure or a source of it is there. Finding nothing, "
            "or finding something that the contribution does not use, is not effective.",
            None,
            "system",
        ),
        Part("The goal:"),
        Part(unit.goal, material.source(f"/turn={unit.turn}/goal")),
        Part("The search query:"),
        Part(unit.query, material.source(unit.path)),
        Part("It found:"),
        Part(found, material.source(unit.path)),
        Part(f"The {material.titles[unit.author]} then contributed:"),
        Part(contribution, material.source(str(unit.proposal))),
        Part(
            "Answer with one JSON object with the keys reason (at most thirty words), relevance "
            "(how well the query fits the goal, 0 to 100) and effective (true or false)."
        ),
    ]
