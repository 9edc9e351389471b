"""The pages of the board: its state at the start of a page, and what each event then changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from workbench.record.events import JSON, Posted
from workbench_widgets.board.cells import ALWAYS, SECTIONS, Cell, Drop
from workbench_widgets.board.fold import LATEST, Entry, Folded, folded
from workbench_widgets.shared.places import pages as place_pages
from workbench_widgets.shared.places import places
from workbench_widgets.shared.source import PageMaker, Source, brief, exact, turn

EVENTS = 100
"""Events on a page."""

WORDS = 1200
"""Characters of a cell that are shipped; how many more there are is told, and they can be had."""

SUPPORT = 12
"""Sources and passages of a cell that are shipped; how many more there are is told."""


def state(source: Source, key: str) -> dict[str, JSON]:
    """Return ``ORDER/N``: the N-th page of events in an order.

    ``cells`` are those that hold before the page's first event (the latest of each section), and
    ``totals`` how many there are. ``deltas`` holds, for each event, ``[at, kind, by, turn, set,
    gone, totals, closed]``: its index, kind, author and turn, the cells to set, those to take away
    as ``[section, key]``, the new totals, and how many cells of each section no longer hold.
    Applied one after the other they give the state after each event.
    """
    order, _, page = key.partition("/")
    board = folded(source, order)
    first = int(page) * EVENTS
    if not 0 <= first < max(1, len(board.order)):
        raise KeyError(f"no board {key}")
    shown = {name: board.shown(name, first - 1) for name in SECTIONS}
    out: dict[str, JSON] = {
        "start": first,
        "sections": sections(source),
        "cells": [
            cell(source, board, name, entry) for name, (_, es) in shown.items() for entry in es
        ],
        "totals": {name: total for name, (total, _) in shown.items() if total},
        "deltas": [],
    }
    for place in range(first, min(first + EVENTS, len(board.order))):
        out["deltas"].append(_delta(source, board, place, shown))
    return out


def sections(source: Source) -> list[JSON]:
    """Return each section as ``[name, title, by, always]``."""
    always = ALWAYS.get(source.run.started.protocol, ())
    return [[name, s.title, s.by, name in always] for name, s in SECTIONS.items()]


def _delta(
    source: Source, board: Folded, place: int, shown: dict[str, tuple[int, list[Entry]]]
) -> list[JSON]:
    """Return what an event changes of what is shown, and bring `shown` up to it."""
    board.reach(place)
    event = source.run.events[board.order[place]]
    made = board.changes(place)
    to_set: list[JSON] = []
    gone: list[JSON] = []
    totals: dict[str, int] = {}
    closed: dict[str, int] = {}
    for name in dict.fromkeys(change.section for change in made):
        total, before = shown[name]
        now, after = shown[name] = board.shown(name, place)
        known = set(before)
        keys = {entry.key for entry in after}
        to_set += [cell(source, board, name, entry) for entry in after if entry not in known]
        gone += [[name, entry.key] for entry in before if entry.key not in keys]
        if now != total:
            totals[name] = now
        new = {c.key for c in made if isinstance(c, Cell) and c.section == name}
        fresh = sum(entry.was < 0 for entry in after if entry.key in new and entry.place == place)
        if any(isinstance(c, Drop) and c.section == name for c in made):
            closed[name] = total + fresh - now
    at = board.order[place]
    closed = {name: many for name, many in closed.items() if many > 0}
    return [
        at,
        _kind(source, at),
        source.agent(event),
        exact(turn(event)),
        to_set,
        gone,
        totals,
        closed,
    ]


def cell(source: Source, board: Folded, section: str, entry: Entry) -> dict[str, JSON]:
    """Return a cell; its text stands in the pool."""
    made = board.cell(entry)
    at = board.order[entry.place]
    out: dict[str, JSON] = {
        "s": section,
        "k": made.key,
        "i": entry.number,
        "place": entry.place,
        "at": at,
        "turn": exact(turn(source.run.events[at])),
        "text": {"t": source.text(made.text[:WORDS])},
        "from": [[one, _kind(source, one)] for one in rests(source, made, at)[:SUPPORT]],
        "passages": [
            [brief(id_), source.places.get(path)]
            for id_, path in dict.fromkeys(made.passages[:SUPPORT])
        ],
    }
    optional = {
        "label": made.label[:300],
        "by": made.by,
        "verdict": made.verdict and brief(made.verdict),
        "more": max(0, len(made.text) - WORDS),
        "unshown": max(0, len(made.sources) - SUPPORT) + max(0, len(made.passages) - SUPPORT),
    }
    if entry.was >= 0:
        out["was"] = entry.was
    return out | {name: value for name, value in optional.items() if value}


def rests(source: Source, made: Cell, at: int) -> list[int]:
    """Return the events that a cell rests on, none of them later than the event that set it."""
    found = (_before(source, path, at) for path in made.sources)
    return [one for one in dict.fromkeys(found) if one is not None]


def _before(source: Source, path: str, at: int) -> int | None:
    """Return the index of what a path names: its answer, or its command while there is none."""
    place = source.places.get(path)
    return place if place is None or place <= at else source.asked_at.get(path)


def _kind(source: Source, at: int) -> str:
    event = source.run.events[at]
    return brief(event.kind) if isinstance(event, Posted) else event.event


def more(source: Source, key: str) -> dict[str, JSON]:
    """Return ``ORDER/PLACE/SECTION/N``: the N-th page of all cells of a section, latest first."""
    order, place, section, page = key.split("/")
    board = folded(source, order)
    if section not in SECTIONS:
        raise KeyError(f"no section {section}")
    total, found = board.at(section, int(place))
    first = int(page) * LATEST
    kept = islice(found, first, first + LATEST)
    return {"total": total, "cells": [cell(source, board, section, entry) for entry in kept]}


def whole(source: Source, key: str) -> dict[str, JSON]:
    """Return ``ORDER/PLACE/NUMBER``: all words of the cell that a change of an event sets."""
    order, place, which = key.split("/")
    board = folded(source, order)
    if not 0 <= int(place) < len(board.order):
        raise KeyError(f"no cell {key}")
    board.reach(int(place))
    made = board.changes(int(place))
    found = made[int(which)] if 0 <= int(which) < len(made) else None
    if not isinstance(found, Cell):
        raise KeyError(f"no cell {key}")
    return {"text": {"t": source.text(found.text)}}


MAKERS: dict[str, PageMaker] = {
    "board_state": state,
    "board_more": more,
    "board_whole": whole,
    "places": places,
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: the states as it happened, then by path."""
    pages = range((len(source.run) + EVENTS - 1) // EVENTS)
    for page in pages:
        yield "board_state", f"happened/{page}"
    for page in place_pages(source):
        yield "places", str(page)
    for page in pages:
        yield "board_state", f"path/{page}"
