"""The pages of predict and reveal: what there is to guess, sealed until it was guessed.

A sealed text is no secret: it is Base64, so that neither the page, nor a search in it, nor the
source of a hand-out shows it to a reader by accident.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator

from workbench.record.events import Asked
from workbench.views.turns import Seat, Turn
from workbench_widgets.predict.items import UNITS, Edge, Group, Guessing, Item, guessing
from workbench_widgets.shared.source import JSON, PageMaker, Source, exact

MOUNT = "predict"
STYLES = ("predict",)


def sealed(value: JSON) -> str:
    """Return JSON in Base64."""
    return b64encode(json.dumps(value).encode("ascii")).decode("ascii")


def about(source: Source, key: str) -> dict[str, JSON]:
    """Return, for a unit, how many items each group has, and the case as all may read it.

    ``seated`` are those who speak in any turn of the run: whom a guess may be about. Those of one
    turn alone would tell what is to be guessed.
    """
    found = guessing(source, key)
    case = source.run.started.params.get("case")
    case = case if isinstance(case, dict) else {}
    brief = case.get("brief")
    turns = (group.turn for group in found.groups if group.turn)
    seats = (seat for told in turns for seat in told.seats.values() if seat.path)
    return {
        "unit": key if found.by_turn else "reply",
        "counts": [len(group.items) for group in found.groups],
        "brief": {"t": source.text(brief)} if isinstance(brief, str) and brief.strip() else None,
        "audited": bool(source.judged.tom),
        "seated": list(dict.fromkeys(seat.author for seat in seats)),
    }


def group(source: Source, key: str) -> dict[str, JSON]:
    """Return the items of the group ``UNIT/N``; what is not to be seen yet is sealed."""
    unit, _, number = key.partition("/")
    found = guessing(source, unit)
    if not number.isdecimal() or int(number) >= len(found.groups):
        raise KeyError(f"no group {key}")
    place = int(number)
    made = found.groups[place]
    before = found.groups[place - 1].turn if place else None
    return {
        "number": exact(made.turn.number) if made.turn else None,
        "context": sealed(_context(found, made, before)),
        "items": [_item(found, made, item) for item in made.items],
        "later": [_edge(edge) for edge in made.later],
        "end": sealed(_end(made.turn) if place + 1 == len(found.groups) else None),
    }


def _item(found: Guessing, made: Group, item: Item) -> dict[str, JSON]:
    source = found.source
    seats = made.turn.seats.values() if made.turn and item.agent is None else ()
    return {
        "path": item.path,
        "at": item.at,
        "places": [source.positions[order][item.at] for order in ("happened", "path")],
        "agent": item.agent,
        "edges": [_edge(edge) for edge in item.edges],
        "seats": [
            [seat.author, seat.path, source.places[seat.path]]
            for seat in seats
            if seat.path in source.places
        ],
        "hidden": sealed(_hidden(found, made, item)),
    }


def _edge(edge: Edge | None) -> list[int] | None:
    return None if edge is None else [edge.position, edge.before]


def _context(found: Guessing, made: Group, before: Turn | None) -> dict[str, JSON]:
    """Return what the guesser may know: for a turn what came before it, else the turn's goal."""
    out: dict[str, JSON] = {"before": None if before is None else _end(before)}
    told = made.turn
    if told is None:
        reply = made.items[0].reply
        asked = found.run.commands.get(reply.path) if reply else None
        return {"prompt": [p.text for p in asked.parts] if isinstance(asked, Asked) else []}
    if found.unit == "turn":
        if before is not None:
            out["before_goal"] = before.goal
        return out
    return out | _goal(told)


def _goal(told: Turn) -> dict[str, JSON]:
    return {"goal": told.goal, "phase": told.phase, "rules": [list(rule) for rule in told.rules]}


def _end(told: Turn | None) -> dict[str, JSON] | None:
    if told is None or told.decision is None:
        return None
    return {
        "number": exact(told.number),
        "decision": told.decision,
        "reason": told.reason,
        "phase": told.next_phase,
    }


def _hidden(found: Guessing, made: Group, item: Item) -> dict[str, JSON]:
    if item.reply is not None:
        return {"said": [[item.agent, item.reply.text, None, []]]}
    assert made.turn is not None  # items without a reply are of a turn
    if item.seat is not None:
        return {"said": [_said(found, made.turn, item.seat)]}
    return {
        **_goal(made.turn),
        "said": [_said(found, made.turn, seat) for seat in made.turn.seats.values() if seat.path],
        "end": _end(made.turn),
    }


def _said(found: Guessing, told: Turn, seat: Seat) -> list[JSON]:
    """Return ``[agent, contribution, why it could not be read, what its peers had predicted]``."""
    foreseen: list[JSON] = []
    for other in told.seats.values():
        for peer, words in other.predictions:
            if peer == seat.author:
                judged = found.source.judged.tom.get((other.path or "", peer))
                foreseen.append(
                    [
                        other.author,
                        words,
                        *((judged.verdict, judged.score) if judged else (None, None)),
                    ]
                )
    return [seat.author, seat.contribution, seat.unread, foreseen]


MAKERS: dict[str, PageMaker] = {"predict_about": about, "predict_group": group}


def first(source: Source, *units: str) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first, group by group; those of all units if none is named."""
    for unit in units or UNITS:
        yield "predict_about", unit
        for place in range(len(guessing(source, unit).groups)):
            yield "predict_group", f"{unit}/{place}"
