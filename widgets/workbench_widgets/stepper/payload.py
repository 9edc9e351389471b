"""The pages of the stepper: turns, rows of events, and one event in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Consulted,
    Event,
    Failed,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
    Said,
)
from workbench.record.judgement import BAD
from workbench_widgets.shared import places
from workbench_widgets.shared.source import JSON, PageMaker, Source, exact
from workbench_widgets.stepper.detail import detail
from workbench_widgets.stepper.index import index

ROWS = 200
"""Rows on a page."""

LABEL = 160
"""Characters of a row's label; the event in full has the whole text."""

STRIPES = 400
"""Parts that a run without turns is shown in."""

_EARLY = 12
"""Pages of rows that are shipped before events in full: a run of usual size has all its rows."""


def rows(source: Source, key: str) -> dict[str, JSON]:
    """Return the rows ``ORDER/N``: the N-th page of events in an order.

    Each row is ``[at, kind, path, turn, agent, label, verdicts, flags]``: the event's index, its
    kind, path, turn and agent (its place in the head's agents, or None), a label of one line,
    verdicts as ``[auditor, verdict]``, and flags.
    """
    name, _, number = key.partition("/")
    start = _number(number, key) * ROWS
    if not 0 <= start < max(1, len(source.run)):
        raise KeyError(f"no rows {key}")
    stop = min(start + ROWS, len(source.run))
    known, events = index(source), source.run.events
    return {
        "start": start,
        "rows": [
            [
                at,
                known.kinds[at],
                getattr(events[at], "path", ""),
                exact(known.turns[at]),
                known.agents[at],
                line(label(events[at])),
                known.verdicts.get(at, []),
                known.flags[at],
            ]
            for at in _order(source, name)[start:stop]
        ],
    }


def _order(source: Source, name: str) -> list[int] | range:
    """Return the events' indices in an order; that of the file costs nothing."""
    if name == "happened":
        return range(len(source.run))
    if name not in source.order:
        raise KeyError(f"no order {name}")
    return source.order[name]


def _number(words: str, key: str) -> int:
    try:
        return int(words)
    except ValueError:
        raise KeyError(f"no page {key}") from None


def label(event: Event) -> str:
    """Return what an event says, whole."""
    return _LABELS[type(event)](event)


def _called(event: Called) -> str:
    query = event.args.get("query")
    return f"{event.tool}: {query if isinstance(query, str) else event.args}"


def _returned(event: Returned) -> str:
    value = event.value
    if not isinstance(value, list):
        return str(value)
    return f"{len(value)} result{'' if len(value) == 1 else 's'}"


def _posted(event: Posted) -> str:
    if event.kind == "Gated":
        return _gated(event)
    texts = [value for value in event.data.values() if isinstance(value, str)]
    return max(texts, key=len, default=event.kind)


def _gated(event: Posted) -> str:
    """Say how the structural gate fared, which its fields alone hardly tell."""
    schema, tier = (event.data.get(name) for name in ("schema_name", "tier"))
    attempts, errors = (event.data.get(name) for name in ("attempts", "errors"))
    many = f"{attempts} attempt{'' if attempts == 1 else 's'}"
    why = f": {errors[-1]}" if isinstance(errors, list | tuple) and errors else ""
    if tier is None:
        return f"{schema} could not be read in {many}{why}"
    return f"{schema} read ({tier}) in {many}{why}"


_LABELS: dict[type, Callable[[Any], str]] = {
    Asked: lambda event: event.parts[-1].text if event.parts else "",
    Answered: lambda event: event.text,
    Said: lambda event: event.text,
    Called: _called,
    Returned: _returned,
    Consulted: lambda event: event.prompt,
    Failed: lambda event: f"{event.error}: {event.message}",
    Posted: _posted,
    RunStarted: lambda event: f"the run of {event.protocol} began",
    RunEnded: lambda event: event.error or f"the run is {event.status}",
}


def line(words: str) -> str:
    """Return the beginning of a text as one line; cut, it ends in an ellipsis."""
    flat = " ".join(words[: LABEL * 4].split())
    whole = len(flat) <= LABEL and len(words) <= LABEL * 4
    return flat if whole else flat[:LABEL] + "…"


def turns(source: Source, key: str) -> dict[str, JSON]:
    """Return, for an order, each turn with where it begins and the flags and verdicts in it.

    ``turns`` holds ``[turn, start, flags, bad]``; `start` is a position in the order and `bad`
    counts verdicts that are not a pass. What lies in no turn belongs to the one before it. A run
    without turns comes in at most `STRIPES` even parts, whose turn is None. ``kinds`` and
    ``verdicts`` count what there is to filter by.
    """
    order, known = _order(source, key), index(source)
    bare = all(number is None for number in known.turns)
    stripe = -(-len(order) // STRIPES)
    found: list[list[Any]] = []
    for place, at in enumerate(order):
        number = known.turns[at]
        if not found or (number is not None and number != found[-1][0]):
            if len(found) == 1 and found[0][0] is None:
                found[0][0] = number  # the start of the run stands with its first turn
            else:
                found.append([number, place, 0, 0])
        elif bare and place % stripe == 0:
            found.append([None, place, 0, 0])
        if flag := known.flags[at]:
            found[-1][2] |= flag
        if at in known.verdicts:
            found[-1][3] += sum(verdict in BAD for _, verdict in known.verdicts[at])
    kinds, verdicts = known.counted()
    return {
        "turns": [[exact(number), *rest] for number, *rest in found],
        "kinds": [list(pair) for pair in sorted(kinds.items())],
        "verdicts": [[*pair, n] for pair, n in sorted(verdicts.items())],
    }


MAKERS: dict[str, PageMaker] = {
    "turns": turns,
    "rows": rows,
    "places": places.places,
    "detail": detail,
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: the turns, the rows, then events in full."""
    events = len(source.run)
    pages = range((events + ROWS - 1) // ROWS)
    yield "turns", "happened"
    for page in pages[:_EARLY]:
        yield "rows", f"happened/{page}"
    yield from (("detail", str(at)) for at in range(events))
    for page in pages[_EARLY:]:
        yield "rows", f"happened/{page}"
    yield "turns", "path"
    for page in pages:
        yield "rows", f"path/{page}"
    for page in places.pages(source):
        yield "places", str(page)
