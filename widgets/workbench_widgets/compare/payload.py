"""The pages of a comparison: what a pair has in common, rows by path, and one row in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from workbench.record.events import EDITED, Answered
from workbench_widgets.compare.cells import about, cell, clip, held, place, short
from workbench_widgets.compare.lineup import START, Lineup, verdicts
from workbench_widgets.compare.pieces import Piece, apart, ref, run_pieces
from workbench_widgets.shared.source import JSON, PageMaker, Source

ROWS = 50
"""Rows on a page."""

PLACES = 500
"""Events whose rows are on one page."""

SHOWN = 40
"""Flips and parameters that a summary names; the others are counted, and are among the rows."""


def pair(source: Source, key: str) -> dict[str, JSON]:
    """Return how the columns ``I-J`` differ: what came first, what changed, and how much."""
    lineup = cast(Lineup, source)
    a, b = _columns(lineup, key)
    found = lineup.diff(a, b)
    flips = lineup.flips(a, b)
    rows = range(1, len(lineup.paths))
    here = [(lineup.has(a, row), lineup.has(b, row)) for row in rows]
    changed = _changed(lineup, a, b)
    return {
        "first": None
        if found.first is None
        else {
            "path": short(found.first.path),
            "kind": found.first.kind,
            "place": place(lineup, lineup.rows.get(found.first.path, 0)),
        },
        "open": place(lineup, lineup.opens(a, b)),
        "aligned": sum(x and y for x, y in here),
        "only": [sum(x and not y for x, y in here), sum(y and not x for x, y in here)],
        "counts": {
            "requests": len(found.requests),
            "answers": len(found.answers),
            "facts": len(found.facts),
            "verdicts": len(flips),
            "accounting": len(found.accounting),
        },
        "flips": [[*place(lineup, lineup.rows.get(f.path, 0)), *_flip(f)] for f in flips[:SHOWN]],
        "changed": changed[:SHOWN],
        "changes": len(changed),
    }


def _flip(flip: Any) -> list[JSON]:
    path, auditor, peer, before, after = flip
    return [short(path), auditor, peer, clip(before), clip(after)]


def _changed(lineup: Lineup, a: int, b: int) -> list[list[JSON]]:
    """Return (name, before, after) of what the two were started with."""
    sides = [
        {p.name: p.text for p in run_pieces(lineup.columns[i].run) if _given(p)} for i in (a, b)
    ]
    old, new = sides
    return [
        [short(name), clip(old.get(name)), clip(new.get(name))]
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]


def _given(piece: Piece) -> bool:
    return not piece.name.startswith(("Result", "Status", "Error"))


def rows(source: Source, key: str) -> dict[str, JSON]:
    """Return the rows ``FILTER/N``: the N-th page of those that differ, of flips, or of all.

    Each row is ``[row, dpos, vpos, path, kind, turn, agent, cells]``: its number, its positions
    among those that differ and those where a verdict changed (-1 if it is not), and for each
    column a cell, see `cell`.
    """
    lineup = cast(Lineup, source)
    name, _, number = key.partition("/")
    chosen = _rows(lineup, name)
    start = int(number) * ROWS
    if not 0 <= start < max(1, len(chosen)):
        raise KeyError(f"no rows {key}")
    agents = {agent: at for at, agent in enumerate(lineup.agents)}
    return {
        "start": start,
        "total": len(chosen),
        "rows": [_row(lineup, row, agents) for row in chosen[start : start + ROWS]],
    }


def _rows(lineup: Lineup, name: str) -> Sequence[int]:
    if name == "differs":
        return lineup.differing
    if name == "verdicts":
        return lineup.flipped
    if name == "all":
        return range(len(lineup.paths))
    raise KeyError(f"no rows {name}")


def _row(lineup: Lineup, row: int, agents: dict[str, int]) -> list[JSON]:
    path = lineup.paths[row]
    return [
        *place(lineup, row),
        short(path),
        *about(lineup, row, agents),
        [cell(lineup, column, row) for column in range(len(lineup.columns))],
    ]


def detail(source: Source, key: str) -> dict[str, JSON]:
    """Return the row ``I-J/ROW`` in full: what the columns I and J hold there, and what changed."""
    lineup = cast(Lineup, source)
    columns, _, number = key.partition("/")
    a, b = _columns(lineup, columns)
    row = int(number)
    if not 0 <= row < len(lineup.paths):
        raise KeyError(f"no row {number}")
    path = lineup.paths[row]
    sides = [held(lineup, column, row) for column in (a, b)]
    agents = {agent: at for at, agent in enumerate(lineup.agents)}
    return {
        "place": place(lineup, row),
        "path": ref(lineup, path),
        "about": about(lineup, row, agents),
        "at": 0 if row == 0 else lineup.places.get(path),
        "has": [lineup.has(column, row) for column in (a, b)],
        "sections": apart(lineup, *sides),
        "verdicts": _verdicts(lineup, a, b, path),
        "figures": [_figures(lineup, column, path) for column in (a, b)],
    }


def _verdicts(lineup: Lineup, a: int, b: int, path: str) -> list[JSON]:
    """Return ``[auditor, peer, verdict, verdict, reason, reason]`` of the two audits."""
    old, new = (verdicts(lineup.columns[i], path) for i in (a, b))
    out: list[JSON] = []
    for auditor, peer in dict.fromkeys((*old, *new)):
        pair = [side.get((auditor, peer)) for side in (old, new)]
        out.append(
            [
                auditor,
                peer,
                *(j.verdict if j else None for j in pair),
                *(_reason(lineup, j) if j else "" for j in pair),
            ]
        )
    return out


def _reason(lineup: Lineup, judged: Any) -> JSON:
    told = [judged.reason, *(f"{rule}: {verdict}. {why}" for rule, verdict, why in judged.rules)]
    return {"t": lineup.text("\n".join(words for words in told if words))}


def _figures(lineup: Lineup, column: int, path: str) -> dict[str, JSON] | None:
    answer = lineup.columns[column].run.answers.get(path)
    if answer is None:
        return None
    origin = getattr(answer, "origin", None)
    out: dict[str, JSON] = {
        "paid": "own" if origin is None else "edited" if origin == EDITED else "inherited",
        "from": None if origin in (None, EDITED) else origin[:16],
        "latency_s": getattr(answer, "latency_s", None),
    }
    if isinstance(answer, Answered):
        for name in ("model", "tokens_in", "tokens_cached", "tokens_out", "cost_usd", "attempts"):
            out[name] = getattr(answer, name)
    return out


def where(source: Source, key: str) -> dict[str, JSON]:
    """Return the rows of the N-th chunk of the first run's events, as `place` gives them."""
    lineup = cast(Lineup, source)
    start = int(key) * PLACES
    events = lineup.run.events[start : start + PLACES]
    if not events:
        raise KeyError(f"no events {key}")
    rows = (lineup.rows.get(getattr(event, "path", START), 0) for event in events)
    return {"start": start, "places": [place(lineup, row) for row in rows]}


def _columns(lineup: Lineup, key: str) -> tuple[int, int]:
    a, _, b = key.partition("-")
    many = len(lineup.columns)
    if not (a.isdecimal() and b.isdecimal() and int(a) < many and int(b) < many):
        raise KeyError(f"no columns {key}")
    return int(a), int(b)


MAKERS: dict[str, PageMaker] = {
    "pair": pair,
    "pairrows": rows,
    "pairplace": where,
    "pairdetail": detail,
}


def first(lineup: Lineup) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: summaries, the rows that differ, then rows in full."""
    pairs = [f"{base}-{j}" for j, base in enumerate(lineup.bases) if base is not None]
    for key in pairs:
        yield "pair", key
    yield "pairrows", "differs/0"
    yield "pairplace", "0"
    for key in pairs:
        yield "pairdetail", f"{key}/{lineup.opens(*_columns(lineup, key))}"
    for name in ("differs", "verdicts", "all"):
        for page in range(max(1, (len(_rows(lineup, name)) + ROWS - 1) // ROWS)):
            yield "pairrows", f"{name}/{page}"
    for page in range((len(lineup.run) + PLACES - 1) // PLACES):
        yield "pairplace", str(page)
    for chosen in (lineup.differing, range(len(lineup.paths))):
        for row in chosen:
            for key in pairs:
                yield "pairdetail", f"{key}/{row}"
