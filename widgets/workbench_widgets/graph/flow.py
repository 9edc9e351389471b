"""What passed between the agents of a run, event by event, as columns."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.record.events import Answered, Asked, Event, Failed, Posted
from workbench.record.order import owner_of, turn_of
from workbench.record.plainly import text, texts
from workbench_widgets.shared.source import Source, turn

KINDS = ("nominated", "read", "answered")
"""What an edge may be, as in the table ``edges``; also the order in which they are drawn."""

Ints = NDArray[np.int64]


@dataclass
class Flow:
    """The passings of a run: at an event, words of one agent came to another.

    They are the rows of the tables ``reads`` (those whose source has an agent), and of ``edges``
    for ``nominated`` and ``answered``, each with the index of its event.

    Attributes
    ----------
    writers : dict of str to str
        By path of an ask or a fact, the agent whose words lie there.
    agents : list of str
        The nodes, in causal order of the first act or mention.
    edges : list of (int, int, str)
        Source and target, as places in `agents`, and kind; in causal order of the first passing.
    at, edge, source, part : array of int, one element a passing
        The event's index, in ascending order; the place in `edges`; the index of the event that
        the words came from, or -1; which part of the prompt holds them, or -1.
    """

    of: Source = field(repr=False)
    writers: dict[str, str] = field(repr=False)
    agents: list[str]
    edges: list[tuple[int, int, str]]
    at: Ints
    edge: Ints
    source: Ints
    part: Ints

    @cached_property
    def ordered(self) -> dict[str, tuple[Ints, Ints]]:
        """By order: each passing's position in it, ascending, and which passing it is."""
        out = {"happened": (self.at, np.arange(len(self.at)))}
        places = np.asarray(self.of.positions["path"], dtype=np.int64)[self.at]
        by = np.argsort(places, kind="stable")
        return out | {"path": (places[by], by)}

    @cached_property
    def actors(self) -> list[int]:
        """Each event's node; -1 for the run's own."""
        number = {agent: place for place, agent in enumerate(self.agents)}
        found = (self._actor(getattr(event, "path", "")) for event in self.of.run.events)
        return [-1 if agent is None else number.get(agent, -1) for agent in found]

    def _actor(self, path: str) -> str | None:
        return self.writers.get(path) or owner_of(path)

    @cached_property
    def turns(self) -> dict[str, tuple[list[int | None], list[int]]]:
        """By order: each position's turn, and the position at which that turn began.

        What lies in no turn belongs to the one before it, and the start of a run to its first.
        """
        return {name: self._turns(order) for name, order in self.of.order.items()}

    def _turns(self, order: list[int]) -> tuple[list[int | None], list[int]]:
        events = self.of.run.events
        numbers: list[int | None] = []
        starts: list[int] = []
        now, start = None, 0
        for place, at in enumerate(order):
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

    @cached_property
    def spent(self) -> dict[str, tuple[Ints, Ints, Ints, Ints]]:
        """By order, the models' answers: position, node, tokens, and 1 where none were told."""
        found = [
            (at, self.actors[at], (e.tokens_in or 0) + (e.tokens_out or 0), e.tokens_in is None)
            for at, e in enumerate(self.of.run.events)
            if isinstance(e, Answered) and self.actors[at] >= 0
        ]
        rows = np.asarray(found, dtype=np.int64).reshape(-1, 4)
        out = {}
        for order, places in self.of.positions.items():
            placed = rows.copy()
            placed[:, 0] = np.asarray(places, dtype=np.int64)[rows[:, 0]] if len(rows) else 0
            placed = placed[np.argsort(placed[:, 0], kind="stable")]
            out[order] = (placed[:, 0], placed[:, 1], placed[:, 2], placed[:, 3])
        return out

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
    known = _FLOWS.get(source)
    if known is None or known[0] != len(source.run):
        _FLOWS[source] = known = (len(source.run), _Collector(source).collect())
    return known[1]


_FLOWS: weakref.WeakKeyDictionary[Source, tuple[int, Flow]] = weakref.WeakKeyDictionary()


class _Collector:
    """Goes through a run in causal order, by the rules of `workbench.record.rows`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[str, int] = {}
        self.edges: dict[tuple[int, int, str], int] = {}
        self.rows: list[tuple[int, int, int, int]] = []
        self.writers: dict[str, str] = {}
        self.indices: dict[str, int] = {}
        self.setters: dict[int | None, tuple[str, int]] = {}

    def collect(self) -> Flow:
        events = self.source.run.events
        for at in self.source.order["path"]:
            event = events[at]
            if isinstance(event, Asked):
                self._asked(event, at)
            elif isinstance(event, Posted):
                self._posted(event, at)
            elif isinstance(event, Answered) and event.path in self.indices:
                self.indices[event.path] = at  # words are looked up where they were said
        rows = np.asarray(self.rows, dtype=np.int64).reshape(-1, 4)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        columns = [np.ascontiguousarray(column) for column in rows.T]
        return Flow(self.source, self.writers, list(self.nodes), list(self.edges), *columns)

    def _asked(self, event: Asked, at: int) -> None:
        writers, role = self.writers, event.role
        self._node(role)
        for number, part in enumerate(event.parts):
            source = part.source
            writer = None if source is None else writers.get(source)
            if source is not None and writer is not None:
                self._pass(at, writer, role, "read", self.indices[source], number)
        writers[event.path] = role
        self.indices[event.path] = at

    def _posted(self, event: Posted, at: int) -> None:
        get, number = event.data.get, turn_of(event.path, event.data)
        author = text(get("author")) or next(
            (self.writers[path] for path in event.sources if path in self.writers), None
        )
        if author is not None:
            self.writers[event.path] = author
            self._node(author)
        self.indices[event.path] = at
        if event.kind == "GoalSet":
            setter = author or "meta_agent"
            self.setters[number] = (setter, at)
            for peer in texts(get("nominated")):
                self._pass(at, setter, peer, "nominated", at, -1)
        elif event.kind == "Proposed" and author is not None and number in self.setters:
            setter, goal_at = self.setters[number]
            self._pass(at, author, setter, "answered", goal_at, -1)

    def _pass(self, at: int, source: str, target: str, kind: str, said: int, part: int) -> None:
        edge = (self._node(source), self._node(target), kind)
        number = self.edges.setdefault(edge, len(self.edges))
        self.rows.append((at, number, said, part))

    def _node(self, agent: str) -> int:
        return self.nodes.setdefault(agent, len(self.nodes))
