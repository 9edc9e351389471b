"""The facts that a MAVEN run posts.

A run looks like this, by path; ``turn=0`` is phase I, ``turn=1`` the loop's first pass::

    /turn=0/router/routed                      Routed            h and the path taken
    /turn=0/fast_proposer=1/intuited           Intuited          r_1 of R
    /turn=0/spread                             Spread            the uncertainty over R
    /turn=0/planner/planned                    Planned           the plan
    /turn=0/multi_proposer/lens=data/drafted   Drafted           one lens's draft
    /turn=0/synthesizer/draft                  DraftMade         d(0)
    /turn=1/skeptic/questioned                 Questioned        Q_ver
    /turn=1/responder/defended                 Defended          A_int
    /turn=1/researcher/claim=1/probed          Probed            what was found, blind
    /turn=1/researcher/reported                EvidenceReported  E, and what enters K
    /turn=1/judge/judged                       Judged            accept, reject or replan
    /turn=1/reviser/draft                      DraftMade         d(1), after a reject
    /turn=1/planner/planned                    Planned           after a replan, and so on
    /stylist/styled                            Styled            with the check of its claims
    /concluded                                 Concluded         the answer and why it ended
    /final                                     FinalAnswer       as every method posts it

A reply that could not be read is a `Missing` at the ask's own path. Iteration 0 is phase I. Answers
are letters where the question has options. Confidences lie in [0, 1].
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from workbench.record.facts import Fact

Path = Literal["fast", "full"]
Dimension = Literal["factual", "logical", "causal", "adversarial"]
Priority = Literal["high", "medium", "low"]
Finding = Literal["supported", "refuted", "unknown"]
Agreement = Literal["agrees", "contradicts", "unaddressed"]
Verdict = Literal["accept", "reject", "replan"]
Lens = Literal["general", "critical", "data"]
Contradiction = Literal[
    "",
    "accepts_below_thresholds",
    "accepts_unexamined",
    "accepts_refuted",
    "rejects_above_thresholds",
]
Ended = Literal[
    "accepted", "out_of_iterations", "fast_path", "no_intuitions", "no_plan", "no_draft"
]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Routed(Fact):
    """The Router's estimate h and the path that follows from it (section 3.2).

    `h` is None where there is no estimate: the router was off, or could not be read.
    """

    author: str = "router"
    h: int | None
    tau: int
    path: Path
    by: Literal["router", "unparsed", "off"]
    reason: str = ""


class Intuited(Fact):
    """One FastProposer's answer, r_i of R."""

    author: str = "fast_proposer"
    number: int
    answer: str
    confidence: float
    rationale: str


class Spread(Fact):
    """How far R is spread: the uncertainty that section 3.3 reads off it.

    Attributes
    ----------
    n : int
        Intuitions that could be read, of those `asked` for.
    leading : str or None
        The most frequent answer; of several, that with the most confidence in sum, then the first.
    agreement : float or None
        The share of the leading answer.
    answer_variance : float or None
        1 - sum of squared shares (Gini 1912), the variance of a categorical variable: 0 where all
        agree. None for n = 0, as are the next two.
    confidence_mean, confidence_variance : float or None
        Of the stated confidences; the variance is that of the population.
    """

    n: int
    asked: int
    leading: str | None
    agreement: float | None
    answer_variance: float | None
    confidence_mean: float | None
    confidence_variance: float | None


class Planned(Fact):
    """A plan pi: steps, the contradictions found, and the steps that verify.

    `overlooked`: the intuitions differ in their answers, and the Planner named no contradiction.
    """

    iteration: int
    author: str = "planner"
    steps: tuple[str, ...]
    contradictions: tuple[str, ...]
    verifications: tuple[str, ...]
    overlooked: bool = False


class Drafted(Fact):
    """A draft through one lens of the MultiProposer."""

    iteration: int
    author: str = "multi_proposer"
    lens: Lens
    text: str
    answer: str


class DraftMade(Fact):
    """d(t), the draft that the loop works on.

    `author` is ``synthesizer``; ``reviser`` after a Reject; ``multi_proposer`` where the
    Synthesizer could not be read, and one lens's draft stands in.
    """

    iteration: int
    number: int
    author: str
    text: str
    answer: str


class Question(_Frozen):
    """A verification question: the claim of the draft that it doubts, its type and its priority."""

    number: int
    dimension: Dimension
    priority: Priority
    claim: str
    question: str


class Questioned(Fact):
    """Q_ver, the Skeptic's questions on a draft, those of high priority first."""

    iteration: int
    author: str = "skeptic"
    by: Literal["model", "human", "unparsed"]
    questions: tuple[Question, ...]


class Defence(_Frozen):
    """The Responder's justification of one questioned claim."""

    number: int
    justification: str
    confidence: float


class Defended(Fact):
    """A_int, the Responder's internal justifications."""

    iteration: int
    author: str = "responder"
    defences: tuple[Defence, ...]


class Probed(Fact):
    """What the Researcher found about one claim before it read any defence.

    `passages` are ids of a corpus's passages that the evidence rests on; without a corpus there are
    none, and the evidence is what the model knows.
    """

    iteration: int
    author: str = "researcher"
    claim: str
    verdict: Finding
    evidence: str
    confidence: float
    passages: tuple[str, ...] = ()


class Evidence(_Frozen):
    """A line of the evidence report, and the value of a claim in K.

    Attributes
    ----------
    key : str
        The claim in normal form, by which K finds it again.
    confidence : float
        After calibration; as probed, where nothing could be held against it.
    agreement : str or None
        Whether the Responder's justification agrees; None: there was none to compare with.
    probed : str
        The path of the `Probed`.
    cached : bool
        Taken from K; nothing was probed for it in this iteration.
    """

    key: str
    claim: str
    verdict: Finding
    evidence: str
    confidence: float
    agreement: Agreement | None
    passages: tuple[str, ...] = ()
    probed: str
    cached: bool


class EvidenceReported(Fact):
    """E_t, one line a claim that could be examined. `kept`: its new lines enter K."""

    iteration: int
    author: str = "researcher"
    findings: tuple[Evidence, ...]
    kept: bool


class Judged(Fact):
    """A line of the judicial trace V: scores from 1 to 5, their weighted mean, and the verdict.

    Attributes
    ----------
    said : str or None
        The Judge's own verdict; None if it could not be read, which counts as a reject.
    verdict : str
        What holds. An accept below the thresholds, or of a draft of which no claim was examined,
        is overruled to a reject; a reject or replan stands whatever the scores are.
    contradiction : str
        How the Judge's verdict and its scores contradict each other, or what it was told of refuted
        claims; empty: they do not.
    overruled : bool
        Whether `verdict` is not what the Judge said.
    examined : bool
        Whether the evidence report had a line at all.
    """

    iteration: int
    author: str = "judge"
    draft: int
    factual: int | None = None
    coherence: int | None = None
    completeness: int | None = None
    neutrality: int | None = None
    score: float | None = None
    said: Verdict | None = None
    verdict: Verdict
    contradiction: Contradiction = ""
    overruled: bool = False
    examined: bool
    feedback: str


class Styled(Fact):
    """The Stylist's text. `changed` says which claims are not as they were; it is then not used."""

    author: str = "stylist"
    text: str
    kept: bool
    changed: tuple[str, ...]


class Missing(Fact):
    """An agent whose reply could not be read, and what was done instead."""

    iteration: int
    author: str
    what: str
    reason: str
    instead: str


class Concluded(Fact):
    """How a run ended.

    Attributes
    ----------
    answer : str or None
        The letter of an option or a short text; None where nothing was drafted.
    ended : str
        ``accepted`` by the Judge; ``out_of_iterations``; ``fast_path``; or a failure by name:
        ``no_intuitions``, ``no_plan``, ``no_draft``.
    draft : str or None
        The path of the draft, or on the fast path the intuition, that the answer is from.
    judged : bool
        Whether the Judge gave a verdict on this very draft.
    iterations : int
        Passes of the loop that were begun.
    """

    answer: str | None
    text: str
    ended: Ended
    draft: str | None
    judged: bool
    styled: bool
    iterations: int
