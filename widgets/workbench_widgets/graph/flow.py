"""What passed between the agents of a run, event by event, as columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.record.authors import author_of
from workbench.record.events import Answered, Asked, Event, Failed, Posted
from workbench.record.order import natural, turn_of
from workbench.record.passings import Goals, read_by
from workbench.record.plainly import text
from workbench_widgets.shared.places import in_order, standing
from workbench_widgets.shared.source import Source, turn

KINDS = ("nominated", "read", "answered")
"""What an edge may be, as in the table ``edges``; also the order in which they are drawn."""

Ints = NDArray[np.int64]
T = TypeVar("T")


@dataclass
class Flow:
    """The passings of a run: at an event, words of one agent came to another.

    They are the rows of the tables ``reads`` (those whose source has an agent), and of ``edges``
    for ``nominated`` and ``answered``, each with the index of its event.

    Attributes
    ----------
    agents : list of str
        The nodes, in causal order of the first act or mention.
    edges : list of (int, int, str)
        Source and target, as places in `agents`, and kind; in ascending order.
    at, edge, source, part : array of int, one element a passing
        The event's index, in ascending order; the place in `edges`; the index of the event that
        the words came from, or -1; which part of the prompt holds them, or -1.
    """

    of: Source = field(repr=False)
    agents: list[str]
    edges: list[tuple[int, int, str]]
    at: Ints
    edge: Ints
    source: Ints
    part: Ints
    made: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    def ordered(self, order: str) -> tuple[Ints, Ints]:
        """Return each passing's position in an order, ascending, and which passing it is."""
        if order == "happened":
            return self.at, np.arange(len(self.at))
        return self._kept("ordered", order, self._ordered)

    def _ordered(self, order: str) -> tuple[Ints, Ints]:
        stands = np.asarray(standing(self.of, order), dtype=np.int64)[self.at]
        by = np.argsort(stands, kind="stable")
        return stands[by], by

    def _kept(self, name: str, order: str, make: Callable[[str], T]) -> T:
        kept: T | None = self.made.get((name, order))
        if kept is None:
            kept = self.made[name, order] = make(order)
        return kept

    @cached_property
    def actors(self) -> list[int]:
        """Each event's node, as in the timeline: -1 for the run's own, -2 for no node's."""
        number = {agent: place for place, agent in enumerate(self.agents)}
        found = map(self.of.agent, self.of.run.events)
        return [-1 if agent is None else number.get(agent, -2) for agent in found]

    def turns(self, order: str) -> tuple[list[int | None], list[int]]:
        """Return each position's turn, and the position at which that turn began.

        What lies in no turn belongs to the one before it, and the start of a run to its first.
        """
        return self._kept("turns", order, self._turns)

    def _turns(self, order: str) -> tuple[list[int | None], list[int]]:
        events = self.of.run.events
        numbers: list[int | None] = []
        starts: list[int] = []
        now, start = None, 0
        for place, at in enumerate(in_order(self.of, order)):
            number = turn(events[at])
            if number is not None and number != now:
                start = place if now is not None else 0
                now = number
            numbers.append(now)
            starts.append(start)
        return numbers, starts

    def passed(self, at: int) -> range:
        """Return which passings an event is."""
        first, last = np.searchsorted(self.at, [at, at + 1])
        return range(int(first), int(last))

    def fed(self, event: Event, at: int) -> list[int]:
        """Return the edges over which came what an event was made from.

        For an ask, what it reads; for an answer, what its ask read; for a fact, what the asks that
        it was drawn from read, and its own passings.
        """
        asked = self.of.asked_at
        asks = [at]
        if isinstance(event, Answered | Failed):
            asks = [asked.get(event.path, -1)]
        elif isinstance(event, Posted):
            asks = [at, *(asked.get(path, -1) for path in event.sources)]
        found = (int(self.edge[one]) for ask in asks for one in self.passed(ask))
        return list(dict.fromkeys(found))

    def spent(self, order: str) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the models' answers: position, node, tokens, and 1 where none were told."""
        return self._kept("spent", order, self._spent)

    def _spent(self, order: str) -> tuple[Ints, Ints, Ints, Ints]:
        stands = standing(self.of, order)
        rows = np.array(
            [
                (stands[at], node, (e.tokens_in or 0) + (e.tokens_out or 0), e.tokens_in is None)
                for at, e in enumerate(self.of.run.events)
                if isinstance(e, Answered) and (node := self.actors[at]) >= 0
            ],
            dtype=np.int64,
        ).reshape(-1, 4)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]

    def words(self, one: int) -> str:
        """Return the words of a passing: the part that was read, the goal, or the proposal."""
        event = self.of.run.events[int(self.at[one])]
        if isinstance(event, Asked):
            return event.parts[int(self.part[one])].text
        assert isinstance(event, Posted)  # `_Collector` makes passings of nothing else
        said = event.data.get("contribution" if event.kind == "Proposed" else "goal")
        return text(said) or ""


def flow(source: Source) -> Flow:
    """Return the flow of a source's run as it is now; made once for each length of the run."""
    return source.keep(_collected)


def _collected(source: Source) -> Flow:
    return _Collector(source).collect()


class _Collector:
    """Goes through a run as it happened, by the rules of `workbench.record.passings`.

    What an ask read and a fact was drawn from stands before it. Agents and edges are put in an
    order at the end that does not depend on who answered first.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[str, tuple[int, str, int]] = {}
        self.edges: dict[tuple[str, str, str], int] = {}
        self.readers: dict[str, dict[str, int]] = {}  # by reader and writer: the edge
        # four columns, not rows: a long run has millions of passings
        self.at, self.edge, self.said, self.part = (array("q") for _ in range(4))
        self.writers: dict[str, str] = {}
        self.indices: dict[str, int] = {}
        self.goals = Goals()

    def collect(self) -> Flow:
        for at, event in enumerate(self.source.run.events):
            if isinstance(event, Asked):
                self._asked(event, at)
            elif isinstance(event, Posted):
                self._posted(event, at)
            elif isinstance(event, Answered) and event.path in self.indices:
                self.indices[event.path] = at  # words are looked up where they were said
        agents = sorted(self.nodes, key=self.nodes.__getitem__)
        place = {agent: number for number, agent in enumerate(agents)}
        edges = [(place[s], place[t], kind) for s, t, kind in self.edges]
        ranked = sorted(range(len(edges)), key=edges.__getitem__)
        number = np.empty(len(edges), dtype=np.int64)
        number[ranked] = np.arange(len(edges))
        columns = (self.at, self.edge, self.said, self.part)
        when, edge, source, part = (np.array(column, dtype=np.int64) for column in columns)
        in_rank = [edges[one] for one in ranked]
        return Flow(self.source, agents, in_rank, when, number[edge], source, part)

    def _asked(self, event: Asked, at: int) -> None:
        writers, role, indices = self.writers, event.role, self.indices
        self._met(role, event, 0)
        whose = enumerate(read_by(event, writers))
        read = [(number, writer) for number, writer in whose if writer is not None]
        sources = [part.source or "" for part in event.parts]
        known = self.readers.setdefault(role, {})
        for _, writer in read:
            if writer not in known:
                known[writer] = self._edge(writer, role, "read")
        self.at.extend([at] * len(read))
        self.edge.extend([known[writer] for _, writer in read])
        self.said.extend([indices[sources[number]] for number, _ in read])
        self.part.extend([number for number, _ in read])
        writers[event.path] = role
        indices[event.path] = at

    def _posted(self, event: Posted, at: int) -> None:
        number = turn_of(event.path, event.data)
        author = author_of(event, self.writers)
        if author is not None:
            self.writers[event.path] = author
            self._met(author, event, 0)
        self.indices[event.path] = at
        passed = self.goals.passed(event, author, number)
        if event.kind == "GoalSet":
            self._met(self.goals.set_by[number][0], event, 0)
        for rank, (source, target, kind, words) in enumerate(passed, 1):
            if kind == "nominated":
                self._met(target, event, rank)
            self._pass(at, source, target, kind, self.indices[words])

    def _pass(self, at: int, source: str, target: str, kind: str, said: int) -> None:
        self.at.append(at)
        self.edge.append(self._edge(source, target, kind))
        self.said.append(said)
        self.part.append(-1)

    def _edge(self, source: str, target: str, kind: str) -> int:
        return self.edges.setdefault((source, target, kind), len(self.edges))

    def _met(self, agent: str, event: Asked | Posted, rank: int) -> None:
        """Note where an agent first acted, or was named as the `rank`-th."""
        known = self.nodes.get(agent)
        if known is None or event.clock <= known[0]:
            place = (event.clock, natural(event.path), rank)
            self.nodes[agent] = place if known is None else min(known, place)
