"""The board at any place of a run: a fold of its events in the order of stepping."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from workbench_widgets.board.audited import Verdicts
from workbench_widgets.board.cells import SECTIONS, Cell, Change, Drop, changes
from workbench_widgets.shared.places import in_order
from workbench_widgets.shared.source import Source

LATEST = 40
"""Cells of a section that are shown; how many more there are is told, and they come on demand."""


class Entry(NamedTuple):
    """A change of a section, in its log.

    Attributes
    ----------
    place : int
        The event's position in the order.
    key : str or None
        None where all of the section is dropped.
    number : int
        Which of the event's changes sets the cell; -1 where it is dropped.
    was : int
        The place at which the cell was set before; -1 for a new one.
    total : int
        Cells of the section after the change.
    """

    place: int
    key: str | None
    number: int
    was: int
    total: int


class Folded:
    """A run's board, as a log of changes for each section, read as far as it is needed.

    What holds at a place is read off a log backwards from there, so that no copy of the state need
    be kept, however long the run is.
    """

    def __init__(self, source: Source, order: str) -> None:
        self.source = source
        self.order = in_order(source, order)
        self.logs: dict[str, list[Entry]] = {name: [] for name in SECTIONS}
        self.reached = 0
        self._alive: dict[str, dict[str, int]] = {name: {} for name in SECTIONS}
        self._verdicts = Verdicts(source)
        self._judged: dict[int, list[Cell]] = {}

    def grown(self) -> bool:
        """Read on in a run that has grown; by path, what is new may stand before the old."""
        if isinstance(self.order, range):
            self.order = in_order(self.source, "happened")
        return isinstance(self.order, range)

    def changes(self, place: int) -> list[Change]:
        """Return what the event at a place changes; the place has been reached."""
        event = self.source.run.events[self.order[place]]
        return [*changes(event, self.source), *self._judged.get(place, ())]

    def cell(self, entry: Entry) -> Cell:
        """Return the cell that an entry sets."""
        found = self.changes(entry.place)[entry.number]
        assert isinstance(found, Cell)  # entries that drop have no cell
        return found

    def reach(self, place: int) -> None:
        """Read on until the event at `place` is in the logs."""
        while self.reached <= min(place, len(self.order) - 1):
            now = self.reached
            due = self._verdicts.after(self.source.run.events[self.order[now]])
            if due:
                self._judged[now] = due
            for number, change in enumerate(self.changes(now)):
                self._log(now, number, change)
            self.reached += 1

    def _log(self, place: int, number: int, change: Change) -> None:
        alive, log = self._alive[change.section], self.logs[change.section]
        key = change.key
        if isinstance(change, Drop):
            if key is None and alive:
                alive.clear()
                log.append(Entry(place, None, -1, -1, 0))
            elif key is not None and (was := alive.pop(key, None)) is not None:
                log.append(Entry(place, key, -1, was, len(alive)))
            return
        assert key is not None  # a cell has one
        was = alive.get(key, -1)
        alive[key] = place
        log.append(Entry(place, key, number, was, len(alive)))

    def at(self, section: str, place: int) -> tuple[int, Iterator[Entry]]:
        """Return how many cells a section has after a place, and the cells, latest first."""
        self.reach(place)
        log = self.logs[section]
        end = bisect_right(log, place, key=lambda entry: entry.place)
        total = log[end - 1].total if end else 0
        return total, _alive(log, end, total)

    def shown(self, section: str, place: int) -> tuple[int, list[Entry]]:
        """Return how many cells a section has, and its latest."""
        total, found = self.at(section, place)
        return total, [entry for entry, _ in zip(found, range(LATEST), strict=False)]


def _alive(log: list[Entry], end: int, total: int) -> Iterator[Entry]:
    """Go through the cells that hold at the end of a log, the last that changed first."""
    seen: set[str] = set()
    left = total
    for place in range(end - 1, -1, -1):
        entry = log[place]
        if left <= 0 or entry.key is None:
            return
        if entry.key in seen:
            continue
        seen.add(entry.key)
        if entry.number >= 0:
            left -= 1
            yield entry


def folded(source: Source, order: str) -> Folded:
    """Return the board of a source in an order."""
    return source.keep(Folded, order)
