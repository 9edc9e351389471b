"""A run in plain text, one line a fact: for terminals and logs.

A terminal obeys control characters, and what a model or a server wrote may hold any: all that comes
from here has been through `visible`.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
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
    Said,
)
from workbench.record.run import Run
from workbench.record.visible import visible
from workbench.views.forms import said_of

Data = dict[str, Any]


def tell(event: Event, width: int = 96) -> str | None:
    """Return a fact, a failure or a run's end as text; None for what is only bookkeeping."""
    match event:
        case Posted():
            told = _fact(event, width)
        case Failed():
            told = _lines(f"FAILED · {event.path}: {event.error}", event.message, width)
        case RunEnded(status="complete"):
            told = "the run is complete"
        case RunEnded():
            told = _lines("the protocol raised", event.error or "", width)
        case _:
            told = None
    return None if told is None else visible(told)


def story(run: Run, width: int = 96) -> Iterator[str]:
    """Yield a run's facts in causal order, then how it stands."""
    for event in run.by_path():
        told = tell(event, width)
        if told is not None:
            yield told
    if run.ended is None:
        given = ", given the run that it is a fork of" if run.needs_parent else ""
        yield f"the run was interrupted; resume goes on from here{given}"


def inside(run: Run, path: str, width: int = 96) -> list[str]:
    """Return what happened below a path, in causal order: facts, and a line for each command.

    Empty if nothing did. `full` tells all of what is at one of the paths.
    """
    scope = path.rstrip("/") + "/"
    told = []
    for event in run.commands_and_facts():
        if not event.path.startswith(scope):
            continue
        if isinstance(event, Posted):
            told.append(tell(event, width))
        else:
            who = getattr(event, "role", None) or getattr(event, "tool", "a human")
            answered = "" if event.path in run.answers else ", no answer"
            told.append(visible(f"{event.event} · {event.path} ({who}){answered}"))
    return [text for text in told if text is not None]


def full(run: Run, path: str) -> str:
    """Return all that is known at a path: the prompt with its sources, the reply, the fact.

    Raises
    ------
    KeyError
        If nothing is there; the message names the nearest paths.
    """
    event = run[path]
    out = [path]
    match event:
        case Asked():
            out.append(f"asked as {event.role}, clock {event.clock}, {event.sampling}")
            for part in event.parts:
                out += [f"--- {part.speaker}, from {part.source or 'the protocol'}", part.text]
        case Called():
            out += [f"called {event.tool}, clock {event.clock}", _json(event.args)]
        case Consulted():
            out += [f"asked a human, clock {event.clock}", event.prompt, *event.options]
        case Posted():
            sources = ", ".join(event.sources) or "nothing"
            out.append(f"posted {event.kind}, clock {event.clock}, drawn from {sources}")
            out.append(_json(event.data))
    answer = run.answers.get(path)
    match answer:
        case Answered():
            out.append(
                f"=== answered by {answer.model}: {answer.tokens_in} tokens in, "
                f"{answer.tokens_out} out, {answer.finish_reason}, attempts {answer.attempts}"
            )
            if answer.unsent:
                out.append(
                    f"sent without {', '.join(answer.unsent)}, which the model does not take"
                )
            out.append(answer.text)
        case Returned():
            out += ["=== returned", _json(answer.value)]
        case Said():
            out += ["=== said", answer.text]
        case None if path in run.failures:
            failed = run.failures[path]
            out.append(f"=== failed: {failed.error}: {failed.message}")
    return visible("\n".join(out))


def _fact(event: Posted, width: int) -> str | None:
    """Return a fact in the words that there are for its kind, or else field by field."""
    kind, data = event.kind, event.data
    if kind in _TELL:
        with suppress(LookupError, TypeError, ValueError, AttributeError):  # another protocol's
            return _TELL[kind](event.path, data, width)
    if told := said_of(event):
        head, body = _fill(told[0], width, "", "    "), told[1:]
    else:
        head = f"{kind} · {event.path}"
        body = [f"{k}: {v if isinstance(v, str) else _flat(v)}" for k, v in data.items()]
    return "\n".join([head, *(_fill(one, width, "    ", "      ") for one in body)])


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _lines(head: str, body: str, width: int) -> str:
    filled = _fill(body, width, "    ", "    ")
    return f"{head}\n{filled}" if filled.strip() else head


def _fill(text: str, width: int, first: str, then: str) -> str:
    words = " ".join(visible(text).split())  # visible first: some controls count as blanks
    return textwrap.fill(words, width, initial_indent=first, subsequent_indent=then)


def _gate(path: str, d: Data, width: int) -> str | None:
    if d["attempts"] == 1 and d["tier"] is not None:
        return None
    how = f"recovered by {d['tier']}" if d["tier"] else "could not be read"
    head = f"gate · {path}: {how} after {d['attempts']} attempt{'s'[: d['attempts'] != 1]}"
    return _lines(head, "; ".join(d["errors"]), width)


def _goal(_: str, d: Data, width: int) -> str:
    who = ", ".join(d["nominated"])
    return _lines(f"turn {d['turn']} · goal ({d['phase']}) for {who}", d["goal"], width)


def _rule(_: str, d: Data, width: int) -> str:
    return _lines(f"turn {d['turn']} · rule {d['id']} added", d["text"], width)


def _proposed(_: str, d: Data, width: int) -> str:
    expected = [
        _fill(f"expects {peer}: {what}", width, "  ", "    ")
        for peer, what in d["predictions"].items()
    ]
    body = _lines("  contributes", d["contribution"], width)
    return "\n".join([f"turn {d['turn']} · {d['author']}", *expected, body])


def _not_proposed(_: str, d: Data, width: int) -> str:
    return _lines(f"turn {d['turn']} · {d['author']} could not be read", d["reason"], width)


def _ratified(_: str, d: Data, width: int) -> str:
    unread = " (no decision could be read)" if d["by"] == "unparsed" else ""
    head = f"turn {d['turn']} · {d['decision']}{unread}, phase {d['phase']}"
    return _lines(head, d["reason"], width)


def _logic(_: str, d: Data, width: int) -> str:
    head = f"logic · {d['author']}, turn {d['turn']}: {d['verdict']}"
    broken = "; ".join(
        f"{r['rule']} {r['verdict']}: {r['reason']}" for r in d["rules"] if r["verdict"] != "VALID"
    )
    return _lines(head, broken, width)


def _tom(_: str, d: Data, width: int) -> str:
    cosine = "" if d.get("cosine") is None else f", cosine {d['cosine']:.2f}"
    head = f"tom · {d['evaluator']} of {d['peer']}, turn {d['turn']}: {d['verdict']}{cosine}"
    return _lines(head, d["reason"], width)


def _rag(_: str, d: Data, width: int) -> str:
    head = f"rag · {d['author']}, turn {d['turn']}: {d['verdict']}, “{d['query']}”"
    return _lines(head, d["reason"], width)


def _interpreted(_: str, d: Data, width: int) -> str:
    found = []
    for f in d["findings"]:
        cited = [*f["cited"], *(f"{text!r} (names nothing)" for text in f["invalid"])]
        told = f"{f['sub_query']}: {f['conclusion']} ({', '.join(cited) or 'cites nothing'})"
        found.append(_fill(told, width, "  ", "    "))
    head = f"interpreter {d['interpreter']} found {len(found) or 'nothing'}"
    return "\n".join([head, *found])


def _not_interpreted(_: str, d: Data, width: int) -> str:
    return _lines(f"interpreter {d['interpreter']} is lost", d["reason"], width)


def _synthesised(_: str, d: Data, width: int) -> str:
    topology = d["topology"]
    names = ("overlap", "unique", "divergence", "unclassified", "unsupported")
    counts = ", ".join(f"{len(topology[name])} {name}" for name in names)
    told = [f"{one['type']} at {', '.join(one['passages'])}" for one in topology["divergences"]]
    told += [f"NON-CONFORMANT: {why}" for why in d["nonconformant"]]
    head = "synthesis" if "rules" in topology else "synthesis by the first rules, as recorded"
    return _lines(f"{head}: {counts}", "; ".join(told), width)


_TELL: dict[str, Callable[[str, Data, int], str | None]] = {
    "Gated": _gate,
    "GoalSet": _goal,
    "RuleAdded": _rule,
    "Proposed": _proposed,
    "NotProposed": _not_proposed,
    "Ratified": _ratified,
    "LogicVerdict": _logic,
    "ToMVerdict": _tom,
    "RAGVerdict": _rag,
    "Interpreted": _interpreted,
    "NotInterpreted": _not_interpreted,
    "Synthesised": _synthesised,
}
