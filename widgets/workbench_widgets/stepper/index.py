"""Each event's kind, agent, turn, flags and verdicts: read once, then looked up."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from workbench.record.events import (
    EDITED,
    Answered,
    Event,
    Failed,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
    Said,
)
from workbench.record.judgement import AUDITORS
from workbench.record.order import turn_of
from workbench_widgets.shared.source import Source, brief

BROKEN, RETRIED, FAILED, INHERITED, PUT = 1, 2, 4, 8, 16
"""Flags of an event: nothing could be read; read only after asking again; the world gave no answer;
the answer is a fork's parent's; a fork's edit put it there."""

_FLAGGED = frozenset(("Gated", "NotProposed"))
_UNFLAGGED = frozenset(("asked", "called", "consulted", "run_started", "run_ended"))

Verdict = tuple[str, str]
"""An auditor (``own`` for a fact's own) and what it said."""


class Index(NamedTuple):
    """What is known of each event, by its index in the run.

    Attributes
    ----------
    events : int
        How many there were when the index was made.
    agents : list of int or None
        Places in ``source.agents``; None for the run's own events.
    verdicts : dict of int to list of Verdict
        Only where there are any.
    """

    events: int
    kinds: list[str]
    agents: list[int | None]
    turns: list[int | None]
    flags: bytearray
    verdicts: dict[int, list[Verdict]]

    def counted(self) -> tuple[Counter[str], Counter[Verdict]]:
        """Return how often there is each kind, and each verdict."""
        said = Counter(verdict for found in self.verdicts.values() for verdict in found)
        return Counter(self.kinds), said


def index(source: Source) -> Index:
    """Return the index of a source's events."""
    return source.keep(_made)


def _made(source: Source) -> Index:
    places = {name: place for place, name in enumerate(source.agents)}
    agent_of = source.agent
    kinds: list[str] = []
    agents: list[int | None] = []
    turns: list[int | None] = []
    flags = bytearray(len(source.run))
    verdicts: dict[int, list[Verdict]] = {}
    audited = source.verdicts
    by_path: dict[str, tuple[int | None, int | None]] = {}  # a path's turn and agent, for answers
    for at, event in enumerate(source.run.events):  # what is rare is looked at only where it can be
        path = getattr(event, "path", "")
        flag = 0
        if isinstance(event, Posted):
            kind = event.kind
            turn, agent = turn_of(path, event.data), agent_of(event)
            place = None if agent is None else places.get(agent)
            if ("verdict" in event.data or path in audited) and (
                found := verdicts_of(source, event)
            ):
                verdicts[at] = found
            if kind in _FLAGGED:
                flag = flags_of(event)
        else:
            kind = event.event
            if path not in by_path:
                agent = agent_of(event)
                by_path[path] = turn_of(path), None if agent is None else places.get(agent)
            turn, place = by_path[path]
            if path in audited and (found := verdicts_of(source, event)):
                verdicts[at] = found
            if kind not in _UNFLAGGED:
                flag = flags_of(event)
        kinds.append(brief(kind))
        agents.append(place)
        turns.append(turn)
        if flag:
            flags[at] = flag
    return Index(len(source.run), kinds, agents, turns, flags, verdicts)


def kind_of(event: Event) -> str:
    """Return the kind of a row: the fact's class for a fact, else the event's name."""
    return brief(event.kind) if isinstance(event, Posted) else event.event


def verdicts_of(source: Source, event: Event) -> list[Verdict]:
    """Return what the audit said of an event, and a verdict's own words."""
    if isinstance(event, RunStarted | RunEnded | Answered | Returned | Said | Failed):
        return []
    found = [(auditor, brief(j.verdict)) for auditor, _, j in source.verdicts.get(event.path, ())]
    own = event.data.get("verdict") if isinstance(event, Posted) else None
    if isinstance(event, Posted) and isinstance(own, str):
        found.append((AUDITORS.get(event.kind, "own"), brief(own)))
    return found


def flags_of(event: Event) -> int:
    """Return the flags of an event."""
    if isinstance(event, Answered | Returned | Said):
        if event.origin is None:
            return 0
        return PUT if event.origin == EDITED else INHERITED
    if isinstance(event, Failed):
        return FAILED
    if not isinstance(event, Posted):
        return 0
    if event.kind == "Gated":
        attempts = event.data.get("attempts")
        if event.data.get("tier") is None:
            return BROKEN
        return RETRIED if isinstance(attempts, int) and attempts > 1 else 0
    return BROKEN if event.kind == "NotProposed" else 0
