"""Who may read what in a MAVEN run, as a table, and the check that a run keeps to it.

Section 3.2: generation, critique, retrieval and adjudication are separate stages, so that "no
single agent controls both claim generation and verification". What an agent read is data
(`Part.source`), so this is a join of a run's reads with its facts and needs no model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from workbench.deliberation.answers import normalised
from workbench.errors import RunError
from workbench.record.events import Asked, Consulted, Posted
from workbench.record.run import Run, open_run
from workbench.record.tables import tables

MAY_READ: dict[tuple[str, str], frozenset[str]] = {
    ("router", "Complexity"): frozenset(),
    ("fast_proposer", "Intuition"): frozenset(),
    ("planner", "Plan"): frozenset({"Intuited", "Spread", "Judged"}),
    ("multi_proposer", "Draft"): frozenset({"Intuited", "Planned"}),
    ("synthesizer", "Draft"): frozenset({"Intuited", "Planned", "Drafted"}),
    ("skeptic", "Doubts"): frozenset({"DraftMade"}),
    ("responder", "Defence"): frozenset({"DraftMade", "Questioned"}),
    ("researcher", "Probe"): frozenset({"Questioned"}),
    ("researcher", "Comparisons"): frozenset({"Probed", "Defended"}),
    ("judge", "Judgement"): frozenset({"DraftMade", "Planned", "EvidenceReported"}),
    ("reviser", "Draft"): frozenset({"DraftMade", "Planned", "EvidenceReported", "Judged"}),
    ("stylist", "Style"): frozenset({"DraftMade"}),
}
"""The kinds of facts that each agent may read, by role and by what it is asked for. The Responder
has nothing of the Researcher; the Researcher has nothing of the Responder while it probes; the
Judge has no defence and no intuition but only what the evidence report makes of them."""

MAKES = frozenset({"Intuited", "Drafted", "DraftMade", "Styled"})
"""Facts that make claims."""
CHECKS = frozenset({"Questioned", "Probed", "EvidenceReported", "Judged"})
"""Facts that check them."""

HUMAN = "human"

SCHEMA = pl.Schema(
    {
        "rule": pl.String(),
        "path": pl.String(),
        "role": pl.String(),
        "source": pl.String(),
        "kind": pl.String(),
    }
)


class Breach(NamedTuple):
    """A separation that a run does not keep."""

    rule: str
    path: str
    role: str
    source: str
    kind: str


def separation(run: Run | str | os.PathLike[str]) -> pl.DataFrame:
    """Return the separations that a run breaks; no rows: it keeps them all.

    Parameters
    ----------
    run : Run or path
        Of MAVEN, finished or not.

    Returns
    -------
    DataFrame
        One row a breach. ``rule``: ``reads`` (an agent read what it may not), ``probes_blind`` (the
        Researcher read the Responder before it had probed), ``makes_and_checks`` (one role wrote a
        claim and checked claims), ``probed_twice`` (with the cache on, one claim has two probes).
        ``path`` and ``role`` of who did it, ``source`` and ``kind`` of what.

    Raises
    ------
    RunError
        If it is no MAVEN run: there is then nothing to hold it to.
    """
    run = run if isinstance(run, Run) else open_run(run)
    if run.started.protocol != "maven":
        raise RunError(f"this is a run of {run.started.protocol!r}; the separations are MAVEN's")
    breaches = [*_reads(run), *_makes_and_checks(run), *_probed_twice(run)]
    return pl.DataFrame(breaches, schema=SCHEMA, orient="row")


def _reads(run: Run) -> Iterator[Breach]:
    """Yield the parts of prompts that their reader may not have."""
    asks = {event.path: event for event in run.commands.values() if isinstance(event, Asked)}
    read = tables(run).reads.filter(pl.col("kind") != "own")
    for path, source in read.select("path", "source").iter_rows():
        asked = asks[path]
        title = str((asked.schema or {}).get("title"))
        allowed = MAY_READ.get((asked.role, title), frozenset())
        fact = run.facts.get(source)
        if fact is not None:
            fine, kind = fact.kind in allowed, fact.kind
        elif source in asks:  # the gate shows an agent its own reply, and nobody else's
            fine, kind = _question(source) == _question(path), asks[source].role
        elif source.startswith("/"):
            nothing_found = source in run.commands and asked.role == "researcher"
            fine, kind = nothing_found and _scope(source) == _scope(path), "other"
        else:
            fine, kind = asked.role == "researcher" and title == "Probe", "passage"
        if not fine:
            blind = title == "Probe" and kind in ("Defended", "responder")
            yield Breach("probes_blind" if blind else "reads", path, asked.role, source, kind)


def _makes_and_checks(run: Run) -> Iterator[Breach]:
    """Yield the checks that a role made which makes claims too."""
    made: dict[str, str] = {}
    for fact in run.facts.values():
        if fact.kind in MAKES:
            for role in _writers(run, fact):
                made.setdefault(role, fact.path)
    for fact in run.facts.values():
        if fact.kind in CHECKS:
            for role in sorted(_writers(run, fact) & made.keys()):
                yield Breach("makes_and_checks", fact.path, role, made[role], fact.kind)


def _writers(run: Run, fact: Posted) -> set[str]:
    """Return the roles whose replies a fact was drawn from, however far back; not what it says."""
    writers: set[str] = set()
    sources = list(fact.sources)
    while sources:
        event = run.derived.get(sources.pop())
        if isinstance(event, Asked):
            writers.add(event.role)
        elif isinstance(event, Consulted):
            writers.add(HUMAN)
        elif isinstance(event, Posted):
            sources += event.sources
    return writers


def _probed_twice(run: Run) -> Iterator[Breach]:
    """Yield the second and later probes of one claim, where the cache is on."""
    if not run.started.params.get("cache", True):
        return
    first: dict[str, str] = {}
    for fact in run.facts_of("Probed"):
        claim = normalised(str(fact.data["claim"]))
        if claim in first:
            yield Breach("probed_twice", fact.path, "researcher", first[claim], "Probed")
        first.setdefault(claim, fact.path)


def _question(path: str) -> str:
    return path.rpartition("/try=")[0]


def _scope(path: str) -> str:
    """Return where a claim's search and probe both lie."""
    return path.partition("/probe/")[0].removesuffix("/search")
