"""The Logic auditor (V_Logic, section 5.4.2): one proposal against every rule in force."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, create_model

from workbench.auditors.facts import LogicVerdict, RuleVerdict
from workbench.auditors.material import Material, ProposalUnit
from workbench.engine.commands import Steps, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.record.events import Sampling
from workbench.record.parts import Part

ROLE = "logic_auditor"


class Judgement(BaseModel):
    """A reason, then a verdict, for one rule."""

    reason: str = Field(max_length=300)
    verdict: Literal["VALID", "INVALID"]


@lru_cache(maxsize=64)
def judgements_type(rules: tuple[str, ...]) -> type[BaseModel]:
    """Return the type of an answer: a `Judgement` for each rule id."""
    fields: Any = dict.fromkeys(rules, (Judgement, ...))
    return create_model("Judgements", **fields)


def judge(
    unit: ProposalUnit, material: Material, *, sampling: Sampling, attempts: int
) -> Steps[LogicVerdict]:
    """Judge one proposal and post the verdict at ``verdict``."""
    if unit.contribution is None:
        verdict = _unknown(unit, "the proposal could not be read")
        yield from post("verdict", verdict)
        return verdict
    got = yield from ask_json(
        "judge",
        ROLE,
        _prompt(unit, unit.contribution, material),
        judgements_type(unit.rules),
        sampling=sampling,
        attempts=attempts,
        repair=False,
    )
    if isinstance(got, Unparsed):
        verdict = _unknown(unit, f"the judge's answer could not be read: {got.errors[-1]}")
    else:
        rules = tuple(
            RuleVerdict(rule=rule, verdict=one.verdict, reason=one.reason)
            for rule in unit.rules
            for one in [cast(Judgement, getattr(got.value, rule))]
        )
        broken = any(one.verdict == "INVALID" for one in rules)
        verdict = LogicVerdict(
            subject=unit.path,
            turn=unit.turn,
            author=unit.author,
            verdict="INVALID" if broken else "VALID",
            rules=rules,
        )
    yield from post("verdict", verdict, [got.path])
    return verdict


def _unknown(unit: ProposalUnit, reason: str) -> LogicVerdict:
    return LogicVerdict(
        subject=unit.path,
        turn=unit.turn,
        author=unit.author,
        verdict="unknown",
        rules=tuple(RuleVerdict(rule=r, verdict="unknown", reason=reason) for r in unit.rules),
    )


def _prompt(unit: ProposalUnit, contribution: str, material: Material) -> list[Part]:
    active = [rule for rule in material.rules if rule.id in unit.rules]
    rules = "\n".join(f"{r.id}. {r.text}" for r in active if r.id not in material.added)
    return [
        Part(
            "You audit a team's contributions against fixed rules. You judge; you do not correct "
            f"or advise.\n\nThe rules:\n{rules}",
            None,
            "system",
        ),
        *(
            Part(f"{r.id}. {r.text}", material.source(material.added[r.id]), "system")
            for r in active
            if r.id in material.added
        ),
        Part(f"The team is in the phase {unit.phase}. Its goal:"),
        Part(unit.goal, material.source(f"/turn={unit.turn}/goal")),
        Part(f"The {material.titles[unit.author]}'s contribution:"),
        Part(contribution, material.source(unit.path)),
        Part(
            "For each rule give a reason of at most twenty words and then a verdict. INVALID is "
            "for a clear contradiction, a factual or arithmetic error, or a violation that counts "
            "in this phase. A rule that does not concern this contribution is VALID.\n\n"
            f"Answer with one JSON object with the keys {', '.join(unit.rules)}, each an object "
            "with the keys reason and verdict."
        ),
    ]
