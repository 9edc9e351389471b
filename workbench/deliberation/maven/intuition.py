"""Before the plan: the Router (section 3.2), the FastProposers and their spread (section 3.3)."""

from __future__ import annotations

from collections import Counter

from workbench.deliberation.answers import counted
from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import Intuited, Path, Routed, Spread
from workbench.deliberation.maven.schemas import MOST_STEPS, Complexity, intuition_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps, all_of
from workbench.engine.gate import Parsed
from workbench.record.events import Sampling


def route(board: Blackboard, *, tau: int, on: bool) -> Steps[Path]:
    """Choose the path: fast if h <= tau. An estimate that cannot be read takes the full path."""
    if not on:
        yield from board.put(
            "router/routed", Routed(h=None, tau=tau, path="full", by="off"), sources=()
        )
        return "full"
    got = yield from board.ask(
        "router/complexity",
        "router",
        [prompts.router(MOST_STEPS)],
        Complexity,
        iteration=0,
        what="complexity",
        instead="the full path is taken",
    )
    if not isinstance(got, Parsed):
        fact = Routed(h=None, tau=tau, path="full", by="unparsed")
        yield from board.put("router/routed", fact, [got.path])
        return "full"
    h = got.value.complexity
    path: Path = "fast" if h <= tau else "full"
    fact = Routed(h=h, tau=tau, path=path, by="router", reason=got.value.reason)
    yield from board.put("router/routed", fact, [got.path])
    return path


def intuit(board: Blackboard, *, n: int, temperature: float | None) -> Steps[Spread]:
    """Ask `n` FastProposers at the same time, each alone with the question, and post the spread."""
    sampling = Sampling(temperature=temperature, max_tokens=board.sampling.max_tokens)
    yield from all_of(
        "",
        {
            f"fast_proposer={number}": _propose(board, number, sampling)
            for number in range(1, n + 1)
        },
    )
    fact = spread(board.now.intuitions, asked=n)
    path = yield from board.put("spread", fact, [one.path for one in board.now.intuitions])
    board.spread = Placed(path, fact)
    return fact


def _propose(board: Blackboard, number: int, sampling: Sampling) -> Steps[None]:
    query = board.query
    got = yield from board.ask(
        "answer",
        "fast_proposer",
        [prompts.fast_proposer(query)],
        intuition_type(len(query.options)),
        iteration=0,
        what=f"intuition {number}",
        instead="the others make up R",
        sampling=sampling,
    )
    if isinstance(got, Parsed):
        value = got.value
        fact = Intuited(
            number=number,
            answer=value.answer,
            confidence=value.confidence / 100,
            rationale=value.rationale,
        )
        yield from board.put("intuited", fact, [got.path])


def spread(given: tuple[Placed[Intuited], ...], *, asked: int) -> Spread:
    """Return how far intuitions are spread; which open answers are one, `counted` tells."""
    n = len(given)
    if not n:
        return Spread(
            n=0,
            asked=asked,
            leading=None,
            agreement=None,
            answer_variance=None,
            confidence_mean=None,
            confidence_variance=None,
        )
    facts = [one.fact for one in given]
    forms = counted([fact.answer for fact in facts])
    counts = Counter(forms)
    sure = Counter[str]()
    for form, fact in zip(forms, facts, strict=True):
        sure[form] += round(100 * fact.confidence)  # whole: no order of sums
    leading = max(counts, key=lambda answer: (counts[answer], sure[answer]))
    mean = sum(fact.confidence for fact in facts) / n
    return Spread(
        n=n,
        asked=asked,
        leading=facts[forms.index(leading)].answer,
        agreement=round(counts[leading] / n, 6),
        answer_variance=round(1 - sum((count / n) ** 2 for count in counts.values()), 6),
        confidence_mean=round(mean, 6),
        confidence_variance=round(sum((f.confidence - mean) ** 2 for f in facts) / n, 6),
    )


def spokesman(given: tuple[Placed[Intuited], ...], leading: str) -> Placed[Intuited]:
    """Return the surest intuition of the leading answer; of equals, the first."""
    *forms, form = counted([*(one.fact.answer for one in given), leading])
    agree = [one for one, its in zip(given, forms, strict=True) if its == form]
    return max(agree, key=lambda one: one.fact.confidence)
