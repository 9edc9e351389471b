"""The pages of the Theory-of-Mind board: places of events, a turn's matrix, a strip, one pair."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from workbench.record.rows import model_names
from workbench_widgets.shared.source import JSON, PageMaker, Source, exact
from workbench_widgets.tom.board import MOST, Board, Pair, board_of

EVENTS = 2000
"""Events on a page of places."""

BLOCK = 100
"""Turns on a strip; a longer run has several strips of a pair, and one over all turns in bins."""

MISSING, UNJUDGED, CONSISTENT, INCONSISTENT, UNKNOWN, MISSING_JUDGED = range(1, 7)
"""What a pair came to. The last is unknown to an audit because a text is missing."""

_VERDICTS = {"consistent": CONSISTENT, "inconsistent": INCONSISTENT}

MOUNT = "tomBoard"
STYLES = ("tom",)


def outcome(pair: Pair) -> int:
    """Return what a pair came to in the end."""
    if pair.missing is not None:
        return MISSING if pair.judged is None else MISSING_JUDGED
    if pair.judged is None:
        return UNJUDGED
    return _VERDICTS.get(pair.judged.verdict, UNKNOWN)


def cosine(pair: Pair) -> float | None:
    """Return the cosine that the audit found, of three digits."""
    score = pair.judged.score if pair.judged and pair.missing is None else None
    return None if score is None else round(score, 3)


def about(source: Source, key: str) -> dict[str, JSON]:
    """Return who predicts in the run, how many turns it has, and what it was judged by."""
    if key:
        raise KeyError(f"no page {key}")
    board = board_of(source)
    return {
        "agents": board.agents,
        "turns": len(board.turns),
        "events": EVENTS,
        "block": BLOCK,
        "scale": max(1, ceil(len(board.turns) / BLOCK)),
        "audited": bool(source.judged.tom),
        "audit": source.audit is not None,
        "judge": model_names(source.audit) if source.audit else [],
        "without": board.without,
    }


def places(source: Source, key: str) -> dict[str, JSON]:
    """Return the `key`-th page of events: their turns, run-length encoded, and places by path."""
    board, start = board_of(source), _numbers(key, 1)[0] * EVENTS
    if start >= len(source.run):
        raise KeyError(f"no places {key}")
    turns: list[list[int]] = []
    for at, place in enumerate(board.turn_at[start : start + EVENTS], start):
        if not turns or turns[-1][1] != place:
            turns.append([at, place])
    return {
        "start": start,
        "turns": turns,
        "path": source.positions["path"][start : start + EVENTS],
    }


def turn(source: Source, key: str) -> dict[str, JSON]:
    """Return the matrix of the `key`-th turn, without texts.

    ``axes`` holds places among the run's agents. ``cells`` holds ``[evaluator, peer, predicted,
    said, outcome, cosine]`` for the pairs that are due, with agents as places among ``axes``;
    ``seats`` where each agent's proposal stands, as ``[index, position by path]`` or None.
    """
    board, place = board_of(source), _place(source, key)
    found = board.turns[place]
    wanted = board.axes(found)
    axes = wanted[:MOST]
    index = {name: i for i, name in enumerate(axes)}
    return {
        "number": exact(found.number),
        "phase": found.phase and found.phase[:80],
        "axes": [board.index[name] for name in axes],
        "cut": len(wanted) - len(axes),
        "goal": board.place(board.goals.get(found.number)),
        "end": board.ends[place],
        "over": board.over(found),
        "whole": board.whole(place),
        "before": board.whole(place - 1) if place else None,
        "after": board.whole(place + 1) if place + 1 < len(board.turns) else None,
        "nominated": [index[name] for name in found.nominated if name in index],
        "seats": [
            board.place(found.seats[name].path) if name in found.seats else None for name in axes
        ],
        "cells": [
            [
                index[pair.evaluator],
                index[pair.peer],
                int(pair.no_prediction is None),
                int(pair.no_contribution is None),
                outcome(pair),
                cosine(pair),
            ]
            for pair in board.pairs(found, axes)
        ],
    }


def cell(source: Source, key: str) -> dict[str, JSON]:
    """Return the pair ``TURN/EVALUATOR/PEER`` in full; agents as places among the run's."""
    board, (where, evaluator, peer) = board_of(source), _numbers(key, 3)
    found = board.turns[_place(source, str(where))]
    one, other = _agent(board, evaluator), _agent(board, peer)
    pair = next(iter(board.pairs_of(found, one, [other])), None)
    if pair is None:
        raise KeyError(f"no prediction was due: {key}")
    judged = pair.judged
    return {
        "prediction": _text(source, pair.prediction),
        "said": _text(source, pair.said),
        "no_prediction": _text(source, pair.no_prediction),
        "no_contribution": _text(source, pair.no_contribution),
        "verdict": judged.verdict if judged else None,
        "reason": _text(source, judged.reason) if judged else None,
        "cosine": judged.score if judged else None,
    }


def strip(source: Source, key: str) -> dict[str, JSON]:
    """Return the strips ``EVALUATOR/SCALE/BLOCK`` of an evaluator, one a peer.

    ``turns`` holds ``[place, number, index to go to as it happened, and by path]`` of the last turn
    of each point. With the scale 1 a point is one turn, ``[outcome, cosine]`` or None where none
    was due; else it is a bin, how many pairs came to what and their mean cosine: ``[consistent,
    inconsistent, unknown, missing, unjudged, cosine]``.
    """
    board, (evaluator, scale, block) = board_of(source), _numbers(key, 3)
    start = block * BLOCK * scale
    if scale < 1 or block < 0 or (start and start >= len(board.turns)):
        raise KeyError(f"no strip {key}")
    name = _agent(board, evaluator)
    peers = [peer for peer in board.agents if peer != name]
    if len(board.agents) > MOST:
        peers = peers[: MOST - 1]
    within = range(start, min(start + BLOCK * scale, len(board.turns)))
    rows: dict[str, list[list[Pair | None]]] = {peer: [] for peer in peers}
    for first in within[::scale]:
        made: list[dict[str, Pair]] = [
            {p.peer: p for p in board.pairs_of(board.turns[i], name, peers)}
            for i in within[first - start : first - start + scale]
        ]
        for peer in peers:
            rows[peer].append([there.get(peer) for there in made])
    return {
        "start": start,
        "scale": scale,
        "from": exact(board.turns[start].number) if board.turns else None,
        "turns": [
            [last, exact(board.turns[last].number), *board.whole(last)]
            for first in within[::scale]
            for last in [min(first + scale, within.stop) - 1]
        ],
        "cut": len(board.agents) - 1 - len(peers),
        "strips": [
            [board.index[peer], [_point(pairs, scale) for pairs in points]]
            for peer, points in rows.items()
        ],
    }


def _point(pairs: list[Pair | None], scale: int) -> list[JSON] | None:
    due = [pair for pair in pairs if pair is not None]
    if not due:
        return None
    if scale == 1:
        return [outcome(due[0]), cosine(due[0])]
    came = [outcome(pair) for pair in due]
    scores = [score for pair in due if (score := cosine(pair)) is not None]
    return [
        came.count(CONSISTENT),
        came.count(INCONSISTENT),
        came.count(UNKNOWN),
        came.count(MISSING) + came.count(MISSING_JUDGED),
        came.count(UNJUDGED),
        round(sum(scores) / len(scores), 3) if scores else None,
    ]


def _place(source: Source, key: str) -> int:
    (place,) = _numbers(key, 1)
    if not 0 <= place < len(board_of(source).turns):
        raise KeyError(f"no turn at {key}")
    return place


def _agent(board: Board, place: int) -> str:
    if not 0 <= place < len(board.agents):
        raise KeyError(f"no agent at {place}")
    return board.agents[place]


def _numbers(key: str, many: int) -> list[int]:
    parts = key.split("/")
    if len(parts) != many or not all(part.isdecimal() for part in parts):
        raise KeyError(f"not a key of {many} numbers: {key}")
    return [int(part) for part in parts]


def _text(source: Source, words: str | None) -> JSON:
    return None if words is None else {"t": source.text(words)}


MAKERS: dict[str, PageMaker] = {
    "tom_about": about,
    "tom_places": places,
    "tom_turn": turn,
    "tom_strip": strip,
    "tom_cell": cell,
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: matrices and strips, then the texts of each pair."""
    seen: set[tuple[str, str]] = set()
    for page in _wanted(source):
        if page not in seen:
            seen.add(page)
            yield page


def _wanted(source: Source) -> Iterator[tuple[str, str]]:
    board = board_of(source)
    turns, agents = len(board.turns), len(board.agents)
    scale = max(1, ceil(turns / BLOCK))
    yield "tom_about", ""
    yield "tom_places", "0"
    for place in range(min(turns, 20)):
        yield "tom_turn", str(place)
    for evaluator in range(agents if turns else 0):
        if agents <= 4 or evaluator == 0:
            yield "tom_strip", f"{evaluator}/1/0"
    for place, found in enumerate(board.turns):
        yield "tom_places", str(board.ends[place][0][0] // EVENTS)
        yield "tom_turn", str(place)
        axes = board.axes(found)[:MOST]
        for pair in board.pairs(found, axes):
            yield "tom_cell", f"{place}/{board.index[pair.evaluator]}/{board.index[pair.peer]}"
    for page in range(ceil(len(source.run) / EVENTS)):
        yield "tom_places", str(page)
    for evaluator in range(agents if turns else 0):
        for block in range(scale):
            yield "tom_strip", f"{evaluator}/1/{block}"
        if scale > 1:
            yield "tom_strip", f"{evaluator}/{scale}/0"
