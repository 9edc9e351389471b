"""The calibration of the Logic auditor: it judges statements of which the answers are known.

Section 5.4.2 of the bi-layer paper: "the accuracy of this auditor was benchmarked against a
hand-curated set of known valid and invalid statements", and Appendix B.2, "calibrated against a
hand-curated corpus". Prompt and schema are those of the audit. The run holds no label, so that none
can be in a prompt; `diagnostic_accuracy` holds its verdicts against them.

Decisions where the paper is silent: a statement stands where an audit has a specialist's
contribution, one call for each. Its author is called Specialist, the goal is the case's brief, and
the phase is the case's last, in which every rule counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated, Any

from pydantic import BaseModel, Field

from workbench.agents.case import Case
from workbench.auditors import logic
from workbench.auditors.material import Material, ProposalUnit
from workbench.auditors.statements import LabelledStatement
from workbench.engine.commands import Steps, all_of
from workbench.engine.protocol import Bound, protocol
from workbench.record.events import Sampling

_AUTHOR = "specialist"


class Judged(BaseModel):
    """How many statements were judged, and how many of these verdicts are unknown."""

    statements: int
    unknown: int


@protocol("calibration")
def calibrating(
    material: Material,
    temperature: float | None = 0.0,
    max_tokens: Annotated[int, Field(ge=1)] | None = 900,
    attempts: Annotated[int, Field(ge=1)] = 3,
) -> Steps[Judged]:
    """Judge every statement over every rule, all at the same time; see `calibration`."""
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    made = yield from all_of(
        "",
        {
            unit.path.strip("/"): logic.judge(unit, material, sampling=sampling, attempts=attempts)
            for unit in material.proposals
        },
    )
    unknown = sum(fact.verdict == "unknown" for fact in made.values())
    return Judged(statements=len(made), unknown=unknown)


def calibration(
    case: Case,
    statements: Iterable[LabelledStatement],
    *,
    phase: str | None = None,
    goal: str | None = None,
    **options: Any,
) -> Bound[Judged]:
    """Return the judging of labelled statements over a case's rules, to be given to `run`.

    Parameters
    ----------
    case : Case
    statements : iterable of LabelledStatement
        As `read_statements` reads them. Their ids and texts alone go into the run.
    phase, goal : str, optional
        What the judge is told of them; default: the case's last phase, and its brief.
    **options
        ``temperature``, ``max_tokens``, ``attempts`` of the judge; default: those of `audit`.

    Returns
    -------
    Bound
        Its run's result is how many ``statements`` there were to judge, and how many verdicts are
        ``unknown``.

    Raises
    ------
    ValueError
        If there is no statement, or an id is there twice.

    Examples
    --------
    >>> case, labels = wb.Case.read("aura_hub"), wb.read_statements("aura_hub")  # doctest: +SKIP
    >>> run = await wb.run(wb.calibration(case, labels), lm=judge)  # doctest: +SKIP
    >>> wb.diagnostic_accuracy(run, labels)  # doctest: +SKIP
    """
    texts = [(one.id, one.text) for one in statements]
    if not texts or len(dict(texts)) < len(texts):
        raise ValueError("a calibration needs statements, each with an id of its own")
    subject = sha256(repr(texts).encode()).hexdigest()
    rules = tuple(rule.id for rule in case.rules)
    material = Material(
        subject=subject,
        mode="statements",
        rules=case.rules,
        added={},
        titles={_AUTHOR: "Specialist"},
        proposals=tuple(
            ProposalUnit(
                path=f"/statement={name}",
                turn=1,
                author=_AUTHOR,
                phase=phase or case.phases[-1],
                goal=goal or case.brief,
                contribution=text,
                rules=rules,
            )
            for name, text in texts
        ),
        pairs=(),
        searches=(),
        turns=(),
    )
    bound = calibrating(material, **options)
    return Bound(bound.protocol, bound.params, subject)
