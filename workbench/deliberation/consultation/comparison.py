"""A comparer model for the pairs that rules leave undecided, in a run of its own.

Its subject is the session's run, which it cannot change and no interpreter can read. Decisions:

- It reads the two conclusions without their authors, and the passages that both cite.
- Each pair is read in both orders. Where the two readings of it differ, or one cannot be read, the
  pair stays undecided; nothing breaks the tie.
- It says how two conclusions are related, never which is right.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.deliberation.consultation import prompts
from workbench.deliberation.consultation.classes import Pair
from workbench.deliberation.consultation.facts import RetrievalPackage
from workbench.deliberation.consultation.relation import Kind, Relation
from workbench.deliberation.consultation.schemas import Comparison
from workbench.deliberation.consultation.topology import Topology
from workbench.engine.commands import Steps, all_of, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.protocol import Bound, protocol
from workbench.errors import RunError
from workbench.record.events import Sampling
from workbench.record.facts import Fact
from workbench.record.run import Run, open_run

COMPARER = "comparer"
MOST_PAIRS = 100

Count = Annotated[int, Field(ge=1)]


class Conclusion(BaseModel):
    """One side of a pair: a reading's id and words, and where they were recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reading: str
    text: str
    source: str


class ComparedPair(BaseModel):
    """Two conclusions that rules could not relate, and the passages that both cite."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    one: Conclusion
    other: Conclusion
    passages: dict[str, str]


class Compared(Fact):
    """How a comparer relates two readings.

    Attributes
    ----------
    one, other : str
        Ids of readings.
    relation : str
        ``undecided`` where the two orders disagree or one could not be read.
    orders : tuple of (str or None)
        What each order gave.
    reasons : tuple of str
    """

    one: str
    other: str
    relation: Literal["compatible", "contradictory", "different_question", "undecided"]
    orders: tuple[str | None, ...]
    reasons: tuple[str, ...]


class ComparisonOutcome(BaseModel):
    """How many pairs a comparer was given, and how many it left undecided."""

    pairs: int
    undecided: int


@protocol("comparison")
def comparing(
    question: str,
    pairs: tuple[ComparedPair, ...],
    temperature: float | None = 0.0,
    max_tokens: Count | None = 400,
    attempts: Count = 3,
) -> Steps[ComparisonOutcome]:
    """Relate pairs of conclusions; see `comparison`."""
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    told = yield from all_of(
        "",
        {
            f"pair={n}": _compared(question, pair, sampling, attempts)
            for n, pair in enumerate(pairs, 1)
        },
    )
    undecided = sum(fact.relation == "undecided" for fact in told.values())
    return ComparisonOutcome(pairs=len(pairs), undecided=undecided)


def comparison(
    session: Run | str | os.PathLike[str], *, most: int = MOST_PAIRS, **options: Any
) -> Bound[ComparisonOutcome]:
    """Return the comparison of a session's undecided pairs, to be given to `run`.

    Parameters
    ----------
    session : Run or path
        A consultation or a verification, or a debated consultation: of its last round.
    most : int
        Pairs at most; each is two asks.
    **options
        ``temperature``, ``max_tokens``, ``attempts`` of the comparer.

    Returns
    -------
    Bound
        Its run's result is how many ``pairs`` there were to compare, and how many of them stay
        ``undecided``.

    Raises
    ------
    RunError
        If it is no session, or has more undecided pairs than that.
    """
    run = session if isinstance(session, Run) else open_run(session)
    package, topology, within = _came_to(run)
    classes = topology.classes
    texts = {passage.id: passage.text for passage in package.passages}
    short = run.digest[:12]
    source = {
        classes.reading_of[f.id]: f"{short}:{within}/interpreter={f.interpreter}/interpretation"
        for f in reversed(topology.findings)
    }
    pairs = tuple(
        ComparedPair(
            one=_conclusion(pair.one, classes.readings[pair.one].text, source),
            other=_conclusion(pair.other, classes.readings[pair.other].text, source),
            passages={id: texts[id] for id in pair.passages if id in texts},
        )
        for pair in classes.related
        if pair.kind == "undecided"
    )
    if len(pairs) > most:
        raise RunError(f"{len(pairs)} pairs are undecided, and {most} is the most; pass most=", run)
    bound = comparing(package.question, pairs, **options)
    return Bound(bound.protocol, bound.params, run.digest)


def _came_to(run: Run) -> tuple[RetrievalPackage, Topology, str]:
    """Return a session's package and topology, and the path that its reports are under."""
    from workbench.deliberation.consultation import debated, synthesis

    if run.started.protocol == debated.PROTOCOL:
        topology = debated.debated_topology(run)
        return debated.debated_package(run), topology, debated.last_round(run)
    package = synthesis.package_of(run)
    return package, synthesis.topology_in(run, package), ""


def _conclusion(reading: str, text: str, source: dict[str, str]) -> Conclusion:
    return Conclusion(reading=reading, text=text, source=source[reading])


def _compared(
    question: str, pair: ComparedPair, sampling: Sampling, attempts: int
) -> Steps[Compared]:
    sides = [pair.one, pair.other]
    told = yield from all_of(
        "",
        {
            f"order={n}": ask_json(
                "compare",
                COMPARER,
                prompts.compare(question, a.text, b.text, pair.passages, (a.source, b.source)),
                Comparison,
                sampling=sampling,
                attempts=attempts,
                repair=False,
            )
            for n, (a, b) in ((1, sides), (2, sides[::-1]))
        },
    )
    orders = tuple(
        None if isinstance(got, Unparsed) else got.value.relation for got in told.values()
    )
    relation: Kind = "undecided"
    if orders[0] == orders[1] and orders[0] is not None:
        relation = orders[0]
    fact = Compared(
        one=pair.one.reading,
        other=pair.other.reading,
        relation=relation,
        orders=orders,
        reasons=tuple(
            got.errors[-1] if isinstance(got, Unparsed) else got.value.reason
            for got in told.values()
        ),
    )
    yield from post("compared", fact, [got.path for got in told.values()])
    return fact


def decided_by(comparison: Run, session: Run) -> dict[Pair, Relation]:
    """Return what a comparer decided about a session's pairs.

    Raises
    ------
    RunError
        If it is no comparison, or one of another run.
    """
    if comparison.started.protocol != "comparison":
        raise RunError(f"this is a run of {comparison.started.protocol!r}, not of a comparison")
    if comparison.started.subject != session.digest:
        subject = (comparison.started.subject or "")[:12]
        raise RunError(
            f"the comparison is about {subject}, and the session is {session.digest[:12]}"
        )
    found = [Compared.read(fact) for fact in comparison.facts_of("Compared")]
    return {
        (min(fact.one, fact.other), max(fact.one, fact.other)): Relation(fact.relation, COMPARER)
        for fact in found
    }
