"""What there is to guess in a run, and how far one may look before each guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from workbench import Run
from workbench.record.events import ANSWERS, Answered, Asked
from workbench.views.turns import Seat, Turn
from workbench_widgets.shared.places import goals
from workbench_widgets.shared.source import Source, turn

ORDERS = ("happened", "path")

UNITS = ("contribution", "turn")


class Edge(NamedTuple):
    """The first event that tells what is hidden: its position in an order, and the event before."""

    position: int
    before: int


@dataclass(slots=True)
class Item:
    """Something to guess: a contribution, a whole turn, or a reply where a run has no turns.

    `at` is the event that is guessed; `edges` are, in each order, where it begins to be told.
    """

    path: str
    at: int
    agent: str | None
    edges: list[Edge]
    seat: Seat | None = None
    reply: Answered | None = None


@dataclass(slots=True)
class Group:
    """The items of one turn, or one reply; `later` is the first edge of all later groups."""

    turn: Turn | None
    items: list[Item]
    later: list[Edge | None] = field(default_factory=lambda: [None, None])


class Guessing:
    """What there is to guess in a run.

    Attributes
    ----------
    groups : list of Group
        Turn by turn. A run without turns has one group for each reply of a model.
    """

    def __init__(self, source: Source, unit: str) -> None:
        self.source = source
        self.run: Run = source.run
        self.unit = unit
        self._first_answers = self._read()
        turns = [t for t in source.told.turns if any(seat.path for seat in t.seats.values())]
        self.by_turn = bool(turns)
        if turns:
            made = (self._whole if unit == "turn" else self._contributions)(turns)
        else:
            made = self._replies()
        self.groups = [group for group in made if group.items]
        self._set_later()

    def _read(self) -> list[dict[str, int]]:
        """Return in each order the position of the first answer under each scope."""
        found: list[dict[str, int]] = [{}, {}]
        for which, order in enumerate(ORDERS):
            for position, at in enumerate(self.source.order[order]):
                event = self.run.events[at]
                if isinstance(event, ANSWERS):
                    found[which].setdefault(event.path.rpartition("/")[0], position)
        return found

    def _contributions(self, turns: list[Turn]) -> list[Group]:
        groups = []
        for found in turns:
            seats = [seat for seat in found.seats.values() if seat.path in self.run.facts]
            items = [self._item(seat) for seat in seats]
            items.sort(key=lambda item: self.source.positions["path"][item.at])
            groups.append(Group(found, items))
        return groups

    def _item(self, seat: Seat) -> Item:
        assert seat.path is not None  # the caller saw to it
        at = self.source.places[seat.path]
        scopes = {s.rpartition("/")[0] for s in self.run.facts[seat.path].sources}
        edges = []
        for which, order in enumerate(ORDERS):
            answers = (self._first_answers[which].get(scope) for scope in scopes)
            told = [position for position in answers if position is not None]
            edges.append(self._edge(which, min((*told, self.source.positions[order][at]))))
        return Item(seat.path, at, seat.author, edges, seat=seat)

    def _whole(self, turns: list[Turn]) -> list[Group]:
        number = {t.number for t in turns}
        first: list[dict[int, int]] = [{}, {}]
        for which, order in enumerate(ORDERS):
            for position, at in enumerate(self.source.order[order]):
                found = turn(self.run.events[at])
                if found in number and found is not None:
                    first[which].setdefault(found, position)
        known = goals(self.run)
        groups = []
        for told in turns:
            path = known.get(told.number) or next(s.path for s in told.seats.values() if s.path)
            edges = [self._edge(which, first[which][told.number]) for which in (0, 1)]
            groups.append(Group(told, [Item(path, self.source.places[path], None, edges)]))
        return groups

    def _replies(self) -> list[Group]:
        groups = []
        for at in self.source.order["path"]:
            event = self.run.events[at]
            asked = self.run.commands.get(getattr(event, "path", ""))
            if isinstance(event, Answered) and isinstance(asked, Asked):
                edges = [
                    self._edge(which, self.source.positions[order][at])
                    for which, order in enumerate(ORDERS)
                ]
                groups.append(Group(None, [Item(event.path, at, asked.role, edges, reply=event)]))
        return groups

    def _edge(self, which: int, position: int) -> Edge:
        before = max(0, position - 1)
        return Edge(position, self.source.order[ORDERS[which]][before])

    def _set_later(self) -> None:
        """Give each group the first edge of all that follow it: to look further would tell them."""
        later: list[Edge | None] = [None, None]
        for group in reversed(self.groups):
            group.later = list(later)
            for which in (0, 1):
                edges = [item.edges[which] for item in group.items]
                later[which] = min(edge for edge in (*edges, later[which]) if edge is not None)


def guessing(source: Source, unit: str) -> Guessing:
    """Return what there is to guess as the run is now.

    Raises
    ------
    KeyError
        If there is no such unit.
    """
    if unit not in UNITS:
        raise KeyError(f"no unit {unit!r}; there are {', '.join(UNITS)}")
    return source.keep(Guessing, unit)
