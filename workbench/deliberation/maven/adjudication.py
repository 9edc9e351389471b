"""The Judge (section 3.4), the rule that its verdicts are held to, and who revises.

Decisions where the paper is silent or contradicts itself:

- The four criteria weigh the same, unless `Weights` says otherwise; the paper gives no weights.
- Both thresholds must be met for an accept. A Judge who accepts below them is overruled to a
  reject. One who rejects or replans above them is not: of two contradicting signals the more
  cautious holds. Both are written into `Judged`.
- An accept of a draft of which no claim could be examined is overruled to a reject.
- The Judge is told to give at most 3 for facts where a claim is refuted. An accept that needs a
  higher score contradicts that and is written down as such. It stands: whether the refuted claim is
  one that the draft makes, or one that the Skeptic made up, the Judge alone can tell.
- A verdict that cannot be read is a reject.
- Algorithm 1 has the Judge return the revised draft d'. Section 3.2 forbids that one agent
  controls both the making and the checking of a claim, so d' is written by the role ``reviser``,
  in an ask that reads what the Judge read and its feedback, and the Judge never rates its own text.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import (
    Contradiction,
    DraftMade,
    EvidenceReported,
    Judged,
    Planned,
    Verdict,
)
from workbench.deliberation.maven.schemas import Judgement, draft_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps
from workbench.engine.gate import Parsed
from workbench.record.parts import Part


class Weights(BaseModel):
    """What each criterion counts in the Judge's mean; only their ratios matter.

    Scores are whole numbers: with equal weights the mean moves in steps of 0.25, so that a
    threshold of 4.2 is one of 4.25.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    factual: float = Field(default=1.0, ge=0, le=1e6)
    coherence: float = Field(default=1.0, ge=0, le=1e6)
    completeness: float = Field(default=1.0, ge=0, le=1e6)
    neutrality: float = Field(default=1.0, ge=0, le=1e6)

    @model_validator(mode="after")
    def _some_weight(self) -> Self:
        if not sum(self.model_dump().values()) > 0:
            raise ValueError("at least one weight must be above 0")
        return self

    def mean(self, given: Judgement) -> float:
        """Return the weighted mean of a judgement's scores, to 6 places."""
        weights: dict[str, float] = self.model_dump()
        total = sum(weight * float(getattr(given, name)) for name, weight in weights.items())
        return round(total / sum(weights.values()), 6)


FACTUAL_IF_REFUTED = 3
"""The most that the Judge is told to give for facts where the evidence refutes a claim."""


class Thresholds(BaseModel):
    """What a draft must reach to be accepted: alpha and beta of Table 5."""

    model_config = ConfigDict(frozen=True)

    accept: float
    factual: float
    weights: Weights

    def met(self, given: Judgement) -> bool:
        """Return whether scores reach both."""
        return self.weights.mean(given) >= self.accept and given.factual >= self.factual


def ruling(
    given: Judgement, thresholds: Thresholds, *, examined: bool, refuted: bool = False
) -> tuple[Verdict, Contradiction]:
    """Return the verdict that holds, and how the Judge's own contradicts its scores.

    Examples
    --------
    >>> scores = dict(factual=3, coherence=5, completeness=5, neutrality=5)
    >>> given = Judgement(feedback="Fine.", verdict="accept", **scores)
    >>> ruling(given, Thresholds(accept=4.2, factual=4.0, weights=Weights()), examined=True)
    ('reject', 'accepts_below_thresholds')
    """
    met = thresholds.met(given)
    if given.verdict != "accept":
        return given.verdict, "rejects_above_thresholds" if met else ""
    if not met:
        return "reject", "accepts_below_thresholds"
    if not examined:
        return "reject", "accepts_unexamined"
    capped = given.model_copy(update={"factual": min(given.factual, FACTUAL_IF_REFUTED)})
    return "accept", "accepts_refuted" if refuted and not thresholds.met(capped) else ""


def _read(
    board: Blackboard,
    plan: Placed[Planned] | None,
    draft: Placed[DraftMade],
    evidence: Placed[EvidenceReported],
) -> list[Part]:
    """Return what the Judge and the reviser both read: d, pi and E."""
    planned = [] if plan is None else [prompts.plan(plan)]
    return [prompts.draft(draft, board.query), *planned, prompts.evidence(evidence)]


def judge(
    board: Blackboard,
    draft: Placed[DraftMade],
    evidence: Placed[EvidenceReported],
    thresholds: Thresholds,
    *,
    iteration: int,
) -> Steps[Placed[Judged]]:
    """Ask for scores and a verdict, hold them to the thresholds, and post both."""
    examined = bool(evidence.fact.findings)
    got = yield from board.ask(
        "judge/judgement",
        "judge",
        [*_read(board, board.now.plan, draft, evidence), prompts.judge()],
        Judgement,
        iteration=iteration,
        what="verdict",
        instead="the draft is rejected",
    )
    if not isinstance(got, Parsed):
        fact = Judged(
            iteration=iteration,
            draft=draft.fact.number,
            verdict="reject",
            examined=examined,
            feedback="",
        )
        return Placed((yield from board.put("judge/judged", fact, [got.path])), fact)
    given = got.value
    refuted = any(one.verdict == "refuted" for one in evidence.fact.findings)
    verdict, contradiction = ruling(given, thresholds, examined=examined, refuted=refuted)
    fact = Judged(
        iteration=iteration,
        draft=draft.fact.number,
        **given.model_dump(exclude={"verdict"}),
        score=thresholds.weights.mean(given),
        said=given.verdict,
        verdict=verdict,
        contradiction=contradiction,
        overruled=verdict != given.verdict,
        examined=examined,
    )
    return Placed((yield from board.put("judge/judged", fact, [got.path])), fact)


def revise(
    board: Blackboard,
    draft: Placed[DraftMade],
    evidence: Placed[EvidenceReported],
    judged: Placed[Judged],
    *,
    iteration: int,
) -> Steps[None]:
    """Ask for d', the draft revised by the evidence and the feedback."""
    query = board.query
    got = yield from board.ask(
        "reviser/revision",
        "reviser",
        [
            *_read(board, board.now.plan, draft, evidence),
            prompts.feedback(judged),
            prompts.reviser(query, board.words),
        ],
        draft_type(len(query.options), board.words),
        iteration=iteration,
        what="revised draft",
        instead="the draft stays as it is",
    )
    if isinstance(got, Parsed):
        fact = DraftMade(
            iteration=iteration,
            number=board.drafts,
            author="reviser",
            text=got.value.text,
            answer=got.value.answer,
        )
        yield from board.put("reviser/draft", fact, [got.path])
