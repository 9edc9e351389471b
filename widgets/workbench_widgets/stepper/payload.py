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
from workbench_widgets.shared.source import JSON, PageMaker, Source, turn

ROWS = 200
"""Rows on a page."""

LABEL = 160
"""Characters of a row's label; the event in full has the whole text."""

BROKEN, RETRIED, FAILED = 1, 2, 4
"""Flags of a row: nothing could be read; read only after asking again; the world gave no answer."""


def rows(source: Source, key: str) -> dict[str, JSON]:
    """Return the rows ``ORDER/N``: the N-th page of events in an order.

    Each row is ``[at, kind, path, turn, agent, label, verdicts, flags]``: the event's index, its
    kind, path, turn and agent (its place in the head's agents, or None), a label of one line,
    verdicts as ``[auditor, verdict]``, and flags.
    """
    name, _, number = key.partition("/")
    order = source.order[name]
    start = int(number) * ROWS
    if not 0 <= start < max(1, len(order)):
        raise KeyError(f"no rows {key}")
    agents = {agent: place for place, agent in enumerate(source.agents)}
    return {
        "start": start,
        "rows": [row(source, at, agents) for at in order[start : start + ROWS]],
    }


def row(source: Source, at: int, agents: dict[str, int]) -> list[JSON]:
    """Return one row."""
    event = source.run.events[at]
    agent = source.agent(event)
    return [
        at,
        kind(event),
        getattr(event, "path", ""),
        turn(event),
        None if agent is None else agents.get(agent),
        line(label(event)),
        verdicts(source, event),
        flags(event),
    ]


def kind(event: Event) -> str:
    """Return the kind of a row: the fact's class for a fact, else the event's name."""
    return event.kind if isinstance(event, Posted) else event.event


def label(event: Event) -> str:
    """Return what an event says, whole."""
    return _LABELS[type(event)](event)


def _called(event: Called) -> str:
    query = event.args.get("query")
    return f"{event.tool}: {query if isinstance(query, str) else event.args}"


def _returned(event: Returned) -> str:
    many = isinstance(event.value, list)
    return f"{len(event.value)} results" if many else str(event.value)


def _posted(event: Posted) -> str:
    texts = [value for value in event.data.values() if isinstance(value, str)]
    return max(texts, key=len, default=event.kind)


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


def verdicts(source: Source, event: Event) -> list[list[str]]:
    """Return (auditor, verdict) of what the audit said of an event, or of a verdict's own."""
    if not isinstance(event, Posted | Called):
        return []
    found = [[auditor, j.verdict] for auditor, _, j in source.verdicts.get(event.path, ())]
    own = event.data.get("verdict") if isinstance(event, Posted) else None
    return [*found, ["own", own]] if isinstance(own, str) else found


def flags(event: Event) -> int:
    """Return the flags of a row."""
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


def turns(source: Source, key: str) -> dict[str, JSON]:
    """Return, for an order, each turn with where it begins and the flags and verdicts in it.

    ``turns`` holds ``[turn, start, flags, bad]``; `start` is a position in the order and `bad`
    counts verdicts that are not a pass. What lies in no turn belongs to the one before it.
    """
    if key not in source.order:
        raise KeyError(f"no order {key}")
    found: list[list[Any]] = []
    for place, at in enumerate(source.order[key]):
        event = source.run.events[at]
        number = turn(event)
        if not found or (number is not None and number != found[-1][0]):
            if found and found[-1][0] is None and len(found) == 1 and number is not None:
                found[-1][0] = number  # the start of the run stands with its first turn
            else:
                found.append([number, place, 0, 0])
        found[-1][2] |= flags(event)
        found[-1][3] += sum(
            v in ("INVALID", "inconsistent", "ineffective") for _, v in verdicts(source, event)
        )
    return {"turns": found}


def detail(source: Source, key: str) -> dict[str, JSON]:
    """Return the event with the index `key` in full; texts stand as references to the pool."""
    try:
        event = source.run.events[int(key)]
    except (ValueError, IndexError):
        raise KeyError(f"no event {key}") from None
    path = getattr(event, "path", "")
    command = source.run.commands.get(path)
    out: dict[str, JSON] = {"kind": kind(event), "path": path, "event": event.event}
    if isinstance(event, Posted):
        out["data"] = [[name, _value(source, value)] for name, value in event.data.items()]
        out["sources"] = [[path, _index(source, path)] for path in event.sources]
    if isinstance(command, Asked):
        out |= _prompt(source, command)
    elif isinstance(command, Called):
        out |= {"tool": command.tool, "args": _value(source, command.args)}
    elif isinstance(command, Consulted):
        out |= {"asked": _value(source, command.prompt), "choices": list(command.options)}
    if isinstance(event, Answered):
        out["reply"] = _value(source, event.text)
        out["figures"] = {
            name: getattr(event, name)
            for name in (
                "model finish_reason tokens_in tokens_out tokens_cached cost_usd latency_s "
                "attempts origin"
            ).split()
        }
    elif isinstance(event, Returned):
        out["value"] = _value(source, event.value)
        out["figures"] = {"latency_s": event.latency_s}
    elif isinstance(event, Said):
        out["reply"] = _value(source, event.text)
    elif isinstance(event, Failed):
        out["failed"] = {
            "error": event.error,
            "message": _value(source, event.message),
            "attempts": event.attempts,
        }
    elif isinstance(event, RunEnded):
        out["ended"] = {
            "status": event.status,
            "error": event.error and _value(source, event.error),
            "result": _value(source, event.result),
        }
    elif isinstance(event, RunStarted):
        out["params"] = [[name, _value(source, v)] for name, v in event.params.items()]
        out["models"] = _value(source, event.models)
    out["judged"] = _judged(source, event)
    return out


def _prompt(source: Source, asked: Asked) -> dict[str, JSON]:
    drawn = asked.sampling
    return {
        "role": asked.role,
        "parts": [
            [source.text(p.text), p.source, p.speaker, _index(source, p.source)]
            for p in asked.parts
        ],
        "sampling": {
            name: value
            for name in ("temperature", "top_p", "max_tokens", "seed")
            if (value := getattr(drawn, name)) is not None
        },
        "schema": asked.schema and str(asked.schema.get("title", "yes")),
    }


def _index(source: Source, path: str | None) -> int | None:
    """Return the index of the event that a text came from; None where it is not in this run."""
    return None if path is None else source.places.get(path)


def _value(source: Source, value: JSON) -> JSON:
    """Return JSON with its long strings in the pool."""
    if isinstance(value, str):
        return {"t": source.text(value)} if len(value) > 40 else value
    if isinstance(value, dict):
        return {"o": [[name, _value(source, item)] for name, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_value(source, item) for item in value]
    return value


def _judged(source: Source, event: Event) -> list[JSON]:
    """Return the audit's verdicts on an event, with their reasons."""
    if not isinstance(event, Posted | Called):
        return []
    return [
        {
            "auditor": auditor,
            "peer": peer,
            "verdict": j.verdict,
            "reason": _value(source, j.reason),
            "score": j.score,
            "rules": [[rule, verdict, _value(source, why)] for rule, verdict, why in j.rules],
        }
        for auditor, peer, j in source.verdicts.get(event.path, ())
    ]


MAKERS: dict[str, PageMaker] = {"turns": turns, "rows": rows, "detail": detail}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: the turns, the rows, then events in full."""
    for order in ("happened", "path"):
        yield "turns", order
        for page in range((len(source.run) + ROWS - 1) // ROWS):
            yield "rows", f"{order}/{page}"
        if order == "happened":
            for at in range(len(source.run)):
                yield "detail", str(at)
