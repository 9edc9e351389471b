"""The Theory-of-Mind auditor (V_ToM, section 5.4.1): a prediction against what the peer then said.

Two measures that are read together: a judge's boolean with its reason, and the cosine of
embeddings. The cosine is a proxy. It is high for a paraphrase and for a role-play as much as for a
model of the peer, and a low one can be a good critique.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from workbench.auditors.facts import ToMVerdict
from workbench.auditors.material import Material, PairUnit
from workbench.engine.commands import Steps, call, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.record.events import Sampling
from workbench.record.parts import Part

ROLE = "tom_auditor"


class Judgement(BaseModel):
    """A reason, then whether prediction and contribution agree in substance."""

    reason: str = Field(max_length=600)
    consistent: bool


def judge(
    unit: PairUnit, material: Material, *, embeddings: bool, sampling: Sampling, attempts: int
) -> Steps[ToMVerdict]:
    """Judge one pair and post the verdict at ``verdict``."""
    sources: list[str] = []
    cosine = None
    verdict, reason = "unknown", ""
    if unit.prediction is None or unit.contribution is None:
        who = "evaluator" if unit.prediction is None else "peer"
        reason = f"the {who}'s proposal could not be read"
    else:
        if embeddings:
            compared = yield from call(
                "cosine", "cosine", one=unit.prediction, other=unit.contribution
            )
            cosine = compared.value
            sources.append(compared.path)
        got = yield from ask_json(
            "judge",
            ROLE,
            _prompt(unit, unit.prediction, unit.contribution, material),
            Judgement,
            sampling=sampling,
            attempts=attempts,
            repair=False,
        )
        sources.append(got.path)
        if isinstance(got, Unparsed):
            reason = f"the judge's answer could not be read: {got.errors[-1]}"
        else:
            verdict = "consistent" if got.value.consistent else "inconsistent"
            reason = got.value.reason
    fact = ToMVerdict.model_validate(
        {
            "subject": unit.path,
            "peer_subject": unit.peer_path,
            "turn": unit.turn,
            "evaluator": unit.evaluator,
            "peer": unit.peer,
            "verdict": verdict,
            "reason": reason,
            "cosine": cosine,
        }
    )
    yield from post("verdict", fact, sources)
    return fact


def _prompt(unit: PairUnit, prediction: str, contribution: str, material: Material) -> list[Part]:
    evaluator, peer = material.titles[unit.evaluator], material.titles[unit.peer]
    return [
        Part(
            "You judge whether one specialist foresaw what a colleague would say. You judge the "
            "substance, not the wording: the same position, priority or figures. A prediction of "
            "the topic alone, when the position taken is another, is not consistent.",
            None,
            "system",
        ),
        Part(f"The {evaluator} predicted of the {peer}:"),
        Part(prediction, material.source(unit.path)),
        Part(f"The {peer} then contributed:"),
        Part(contribution, material.source(unit.peer_path)),
        Part(
            "Answer with one JSON object with the keys reason (at most thirty words) and "
            "consistent (true or false)."
        ),
    ]
