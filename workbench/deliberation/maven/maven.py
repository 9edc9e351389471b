"""MAVEN as one protocol: Algorithm 1 of the paper, in its order.

"MAVEN: Multi-Agent Verification-Elaboration Network with In-Step Epistemic Auditing". Phase I goes
from intuitions over a plan to a draft; phase II has the draft attacked by a Skeptic, defended by a
Responder, checked by a Researcher and ruled on by a Judge, until it is accepted or the iterations
are used up. Decisions where the paper is silent:

- The fast path, which the paper names and does not describe, is the FastProposers' most frequent
  answer, in the words of the surest of those who gave it: one more round of calls, no plan.
- Table 5 fixes the temperature at 0. N proposers who read one prompt would then say one thing N
  times, and the variance over R would be 0 by construction; so they alone are asked at
  `intuition_temperature`. 0 is the paper's letter.
- `max_iterations` counts passes of Algorithm 1's loop. Section 4.5 calls a run without
  deliberation T_max = 1; that run is ``max_iterations=0`` here, and 1 is one pass, whose verdict
  may still revise the draft. The draft of a last Reject or Replan is returned without another
  verdict, as in Algorithm 1, and `Concluded.judged` says so.
- What a reply that cannot be read leads to is told in a `Missing` fact: no intuition, no plan or no
  draft ends the run under that name with the last draft there was; all else has a stand-in that is
  the more cautious choice (the full path, no acceptance, a reject, an unstyled text).

`adjudication`, `probing` and `style` hold the decisions that belong to the Judge, the Researcher
and the Stylist.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.deliberation.facts import FinalAnswer
from workbench.deliberation.maven.adjudication import Thresholds, Weights, judge, revise
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import Concluded, Defended, Ended, Evidence, Judged
from workbench.deliberation.maven.intuition import intuit, route, spokesman
from workbench.deliberation.maven.planning import LENSES, plan_and_draft
from workbench.deliberation.maven.probing import probe, report
from workbench.deliberation.maven.query import Options, Query, Text
from workbench.deliberation.maven.scrutiny import attack, defend
from workbench.deliberation.maven.style import style
from workbench.deliberation.maven.workspace import Placed, Workspace
from workbench.engine.commands import Steps, all_of, post, within
from workbench.engine.protocol import World, protocol
from workbench.record.events import Sampling

PHASE_ONE = "turn=0"
"""Where the paths of phase I lie: a run is stepped and tabled by turn from its beginning."""

Count = Annotated[int, Field(ge=1)]
Score = Annotated[float, Field(ge=1, le=5)]
Temperature = Annotated[float, Field(ge=0)] | None


class Outcome(BaseModel):
    """How a MAVEN run ended: `Concluded`, and what it came to.

    Attributes
    ----------
    answer : str or None
    ended : str
    judged : bool
    iterations : int
        As in `Concluded`.
    tokens : int
        Read and written, as far as the server told.
    """

    model_config = ConfigDict(frozen=True)

    answer: str | None
    ended: Ended
    judged: bool
    iterations: int
    tokens: int


def _world(
    corpus: str | None = None,
    passport: str | None = None,
    near: Path | None = None,
    **_: object,
) -> World:
    from workbench.knowledge.tool import search_documents

    return {} if corpus is None else search_documents(corpus, passport, near)


@protocol("maven", world=_world)
def maven(
    question: Text,
    options: Options = (),
    *,
    tau: Annotated[int, Field(ge=0)] = 2,
    proposers: Count = 5,
    max_iterations: Annotated[int, Field(ge=0)] = 3,
    accept: Score = 4.2,
    factual: Score = 4.0,
    weights: Weights = Weights(),  # noqa: B008  # frozen
    router: bool = True,
    fast_proposers: bool = True,
    multi_proposer: bool = True,
    cache: bool = True,
    corpus: Text | None = None,
    passport: str | None = None,  # noqa: ARG001  # its tool checks it
    passages: Count = 3,
    skeptic: Literal["model", "human"] = "model",
    questions: Count = 4,
    words: Count = 100,
    temperature: Temperature = 0.0,
    intuition_temperature: Temperature = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[Outcome]:
    """Answer a question by deliberation.

    Parameters
    ----------
    question : str
    options : tuple of str
        To choose from; the answer is then a letter, A for the first.
    tau : int
        The fast path is taken if the Router's h is at most this (Eq. in section 3.2).
    proposers : int
        N.
    max_iterations : int
        T_max.
    accept, factual : float
        alpha and beta: the weighted mean and the factual score that an accept needs.
    weights : Weights
        Of the four criteria in the mean.
    router, fast_proposers, multi_proposer, cache : bool
        False leaves the part out (section 4.3). Without a Router the path is the full one; without
        FastProposers R is empty and the fast path is one answer; without the MultiProposer the
        Synthesizer drafts from the plan and R; without the cache every claim is probed anew.
    corpus : str, optional
        A folder of documents that the Researcher searches; the evidence then cites passages.
        Without it, it knows what the model knows.
    passport : str, optional
        Of the corpus (``Corpus.read(folder).passport.sha256``): other documents are refused.
    passages : int
        For each claim.
    skeptic : {"model", "human"}
        Who attacks the draft; a person is consulted. The fast path has no Skeptic (`router`).
    questions : int
        Of the Skeptic, at most.
    words : int
        Asked for in a draft.
    temperature, max_tokens
        Of every ask; `intuition_temperature` is that of the FastProposers.
    attempts : int
        Asks for each structured answer.

    Returns
    -------
    Outcome
        The run's result: how it ended, and its answer. The words of the answer are in the
        `FinalAnswer` at ``/final``.
    """
    query = Query(question=question, options=options)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    board = Blackboard(query, sampling, attempts, words, Workspace(query=query))
    path = yield from within(PHASE_ONE, route(board, tau=tau, on=router))
    if path == "fast":
        if not fast_proposers:
            return (yield from _fast(board, 1, temperature))
        return (yield from _fast(board, proposers, intuition_temperature))
    if fast_proposers:
        intuitions = intuit(board, n=proposers, temperature=intuition_temperature)
        spread = yield from within(PHASE_ONE, intuitions)
        if not spread.n:
            return (yield from _conclude(board, "no_intuitions", iterations=0))
    lenses = LENSES if multi_proposer else ()
    failed = yield from within(
        PHASE_ONE, plan_and_draft(board, iteration=0, lenses=lenses, after=None)
    )
    thresholds = Thresholds(accept=accept, factual=factual, weights=weights)
    iteration = 0
    while failed is None and iteration < max_iterations:
        iteration += 1
        step = _iterate(
            board,
            iteration,
            thresholds,
            most=questions,
            human=skeptic == "human",
            corpus=corpus,
            passages=passages,
            keep=cache,
        )
        judged = yield from within(f"turn={iteration}", step)
        if judged.fact.verdict == "accept":
            return (yield from _conclude(board, "accepted", iterations=iteration, styled=True))
        if judged.fact.verdict == "replan":
            failed = yield from within(
                f"turn={iteration}",
                plan_and_draft(board, iteration=iteration, lenses=lenses, after=judged),
            )
    if failed is not None:
        return (yield from _conclude(board, failed, iterations=iteration))
    return (yield from _conclude(board, "out_of_iterations", iterations=iteration, styled=True))


def _iterate(
    board: Blackboard,
    iteration: int,
    thresholds: Thresholds,
    *,
    most: int,
    human: bool,
    corpus: str | None,
    passages: int,
    keep: bool,
) -> Steps[Placed[Judged]]:
    """Take one pass of the loop: question, defend and probe at once, contrast, judge, revise."""
    draft = board.now.draft
    assert draft is not None  # the loop is entered with one, and a Replan makes another
    asked = yield from attack(board, draft, iteration=iteration, most=most, human=human)
    defended: Placed[Defended] | None = None
    found: tuple[Evidence, ...] = ()
    if asked.fact.questions:
        both: dict[str, Steps[Any]] = {
            "responder": defend(board, draft, asked, iteration=iteration),
            "researcher": probe(
                board, asked, iteration=iteration, corpus=corpus, passages=passages
            ),
        }
        made = yield from all_of("", both)
        defended, found = made["responder"], made["researcher"]
    evidence = yield from within(
        "researcher", report(board, found, defended, iteration=iteration, keep=keep)
    )
    judged = yield from judge(board, draft, evidence, thresholds, iteration=iteration)
    if judged.fact.verdict == "reject":
        yield from revise(board, draft, evidence, judged, iteration=iteration)
    return judged


def _fast(board: Blackboard, n: int, temperature: float | None) -> Steps[Outcome]:
    """Answer from the intuitions alone."""
    spread = yield from within(PHASE_ONE, intuit(board, n=n, temperature=temperature))
    if spread.leading is None:
        return (yield from _conclude(board, "no_intuitions", iterations=0))
    chosen = spokesman(board.now.intuitions, spread.leading)
    fact = Concluded(
        answer=chosen.fact.answer,
        text=chosen.fact.rationale,
        ended="fast_path",
        draft=chosen.path,
        judged=False,
        styled=False,
        iterations=0,
    )
    return (yield from _end(board, fact))


def _conclude(
    board: Blackboard, ended: Ended, *, iterations: int, styled: bool = False
) -> Steps[Outcome]:
    """End with the last draft there is, if any, in the Stylist's words if they pass."""
    last = board.last
    text = None
    if last is not None and styled:
        text = yield from style(board, last, iteration=iterations)
    fact = Concluded(
        answer=None if last is None else last.fact.answer,
        text=text or ("" if last is None else last.fact.text),
        ended=ended,
        draft=None if last is None else last.path,
        judged=last is not None
        and any(one.fact.draft == last.fact.number for one in board.now.trace),
        styled=text is not None,
        iterations=iterations,
    )
    return (yield from _end(board, fact))


def _end(board: Blackboard, fact: Concluded) -> Steps[Outcome]:
    sources = [] if fact.draft is None else [fact.draft]
    path = yield from post("concluded", fact, sources)
    how = fact.ended.replace("_", " ")
    final = FinalAnswer(answer=fact.answer, explanation=fact.text, how=how)
    yield from post("final", final, [path])
    return Outcome(
        answer=fact.answer,
        ended=fact.ended,
        judged=fact.judged,
        iterations=fact.iterations,
        tokens=board.tokens,
    )
