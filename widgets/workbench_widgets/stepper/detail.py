"""One event in full: the fact, the prompt by its parts, the reply and its cost, the verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.record.events import (
    ANSWERS,
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
from workbench_widgets.shared.source import JSON, Source, brief, exact
from workbench_widgets.stepper.index import kind_of

SHORT = 40
"""Characters up to which a text stands in the page itself, not in the pool."""

_FIGURES = "model finish_reason tokens_in tokens_out tokens_cached cost_usd latency_s attempts"


def detail(source: Source, key: str) -> dict[str, JSON]:
    """Return the event with the index `key` in full; texts stand as references to the pool.

    ``ask`` is the question to a model that the event belongs to: its own, the one that it answers,
    or for a fact the one that it was drawn from, then with the reply. It is None where there is
    none. In values, an object stands as ``{"o": [[name, value], ...]}``.
    """
    try:
        at = int(key)
        event = source.run.events[at] if at >= 0 else None
    except (ValueError, IndexError):
        event = None
    if event is None:
        raise KeyError(f"no event {key}")
    path = getattr(event, "path", "")
    out: dict[str, JSON] = {"kind": kind_of(event), "event": event.event, "path": path}
    if (own := _OWN.get(type(event))) is not None:
        out |= own(source, event)
    if (origin := getattr(event, "origin", None)) is not None:
        out["origin"] = origin
    command = source.run.commands.get(path)
    if isinstance(command, Called | Consulted):
        out["command"] = [path, _command(source, path)]
        out["answer"] = None if isinstance(event, ANSWERS) else _answer(source, path)
    out["ask"] = _ask(source, event)
    out["judged"] = _judged(source, event)
    return out


def _posted(source: Source, event: Posted) -> dict[str, JSON]:
    return {
        "data": [[name, value_of(source, value)] for name, value in event.data.items()],
        "sources": [[path, _index(source, path)] for path in event.sources],
    }


def _called(source: Source, event: Called) -> dict[str, JSON]:
    return {"tool": event.tool, "args": value_of(source, event.args)}


def _consulted(source: Source, event: Consulted) -> dict[str, JSON]:
    return {"asked": value_of(source, event.prompt), "choices": list(event.options)}


def _returned(source: Source, event: Returned) -> dict[str, JSON]:
    command = source.run.commands.get(event.path)
    given = _called(source, command) if isinstance(command, Called) else {}
    return {**given, "value": value_of(source, event.value), "latency_s": event.latency_s}


def _said(source: Source, event: Said) -> dict[str, JSON]:
    command = source.run.commands.get(event.path)
    given = _consulted(source, command) if isinstance(command, Consulted) else {}
    return {**given, "said": value_of(source, event.text)}


def _failed(source: Source, event: Failed) -> dict[str, JSON]:
    return {
        "failed": {
            "error": event.error,
            "message": value_of(source, event.message),
            "attempts": event.attempts,
        }
    }


def _ended(source: Source, event: RunEnded) -> dict[str, JSON]:
    return {
        "ended": {
            "status": event.status,
            "error": value_of(source, event.error),
            "result": value_of(source, event.result),
        }
    }


def _started(source: Source, event: RunStarted) -> dict[str, JSON]:
    return {
        "protocol": event.protocol,
        "params": [[name, value_of(source, value)] for name, value in event.params.items()],
        "models": value_of(source, event.models),
        "seed": str(event.seed),
    }


_OWN: dict[type, Callable[[Source, Any], dict[str, JSON]]] = {
    Posted: _posted,
    Called: _called,
    Consulted: _consulted,
    Returned: _returned,
    Said: _said,
    Failed: _failed,
    RunEnded: _ended,
    RunStarted: _started,
}


def _ask(source: Source, event: Event) -> dict[str, JSON] | None:
    """Return the question that an event belongs to, with its reply unless it came only later."""
    paths = event.sources if isinstance(event, Posted) else [getattr(event, "path", "")]
    for path in paths:
        asked = source.run.commands.get(path)
        if isinstance(asked, Asked):
            break
    else:
        return None
    out: dict[str, JSON] = {"path": asked.path, "at": _command(source, asked.path)}
    out |= _prompt(source, asked)
    answer = source.run.answers.get(asked.path)
    if isinstance(event, Asked | Failed):
        out["answer"] = None if answer is None else _index(source, asked.path)
    elif isinstance(answer, Answered):
        out["answer"] = _index(source, asked.path)
        out["reply"] = {"t": source.text(answer.text)}
        given = {name: getattr(answer, name) for name in _FIGURES.split()}
        out["figures"] = {n: brief(v) if isinstance(v, str) else v for n, v in given.items()}
        out["figures"]["unsent"] = [brief(name) for name in answer.unsent or ()]
    return out


def _prompt(source: Source, asked: Asked) -> dict[str, JSON]:
    drawn = asked.sampling
    named = {name: getattr(drawn, name) for name in ("temperature", "top_p", "max_tokens", "seed")}
    if named["seed"] is not None:
        named["seed"] = str(named["seed"])  # it has more bits than a number of the front end
    given = {**named, "stop": list(drawn.stop) or None, **drawn.extra}
    return {
        "role": asked.role,
        "parts": [
            [{"t": source.text(p.text)}, p.source, p.speaker, _index(source, p.source)]
            for p in asked.parts
        ],
        "sampling": [
            [name, value_of(source, value)] for name, value in given.items() if value is not None
        ],
        "schema": asked.schema and brief(str(asked.schema.get("title", "yes"))),
    }


def _index(source: Source, path: str | None) -> int | None:
    """Return the index of the event that a text came from; None where it is not in this run."""
    return None if path is None else source.places.get(path)


def _command(source: Source, path: str) -> int | None:
    return source.asked_at.get(path)


def _answer(source: Source, path: str) -> int | None:
    return source.places.get(path) if path in source.run.answers else None


def value_of(source: Source, value: JSON) -> JSON:
    """Return JSON with its long strings in the pool."""
    if isinstance(value, str):
        return {"t": source.text(value)} if len(value) > SHORT else value
    if isinstance(value, dict):
        return {"o": [[name, value_of(source, item)] for name, item in value.items()]}
    if isinstance(value, list | tuple):
        return [value_of(source, item) for item in value]
    return exact(value) if isinstance(value, int) else value


def _judged(source: Source, event: Event) -> list[JSON]:
    """Return the audit's verdicts on an event, with their reasons."""
    if not isinstance(event, Posted | Called):
        return []
    return [
        {
            "auditor": auditor,
            "peer": peer,
            "verdict": brief(j.verdict),
            "reason": value_of(source, j.reason),
            "score": j.score,
            "rules": [
                [brief(rule), brief(verdict), value_of(source, why)]
                for rule, verdict, why in j.rules
            ],
        }
        for auditor, peer, j in source.verdicts.get(event.path, ())
    ]
