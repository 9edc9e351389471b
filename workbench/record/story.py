"""A run in plain text, one line a fact: for terminals and logs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from workbench.record.events import Answered, Asked, Event, Failed, Posted, Returned, RunEnded, Said
from workbench.record.run import Run

Data = dict[str, Any]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return `text` with control and direction characters made visible: a terminal obeys them."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}", text)


def _lines(head: str, body: str, width: int) -> str:
    filled = textwrap.fill(
        " ".join(visible(body).split()), width, initial_indent="    ", subsequent_indent="    "
    )
    return f"{head}\n{filled}" if filled.strip() else head


def _goal(d: Data, width: int) -> str:
    who = ", ".join(d["nominated"])
    return _lines(f"turn {d['turn']} · goal ({d['phase']}) for {who}", d["goal"], width)


def _proposed(d: Data, width: int) -> str:
    told = [f"  expects {peer}: {what}" for peer, what in d["predictions"].items()]
    head = f"turn {d['turn']} · {d['author']}"
    predictions = "\n".join(
        textwrap.fill(" ".join(visible(t).split()), width, initial_indent="  ", subsequent_indent="    ")
        for t in told
    )
    body = _lines("  contributes", d["contribution"], width)
    return "\n".join(filter(None, [head, predictions, body]))


def _logic(d: Data, width: int) -> str:
    head = f"logic · {d['author']}, turn {d['turn']}: {d['verdict']}"
    broken = "; ".join(
        f"{r['rule']} {r['verdict']}: {r['reason']}" for r in d["rules"] if r["verdict"] != "VALID"
    )
    return _lines(head, broken, width)


def _tom(d: Data, width: int) -> str:
    cosine = "" if d.get("cosine") is None else f", cosine {d['cosine']:.2f}"
    head = f"tom · {d['evaluator']} of {d['peer']}, turn {d['turn']}: {d['verdict']}{cosine}"
    return _lines(head, d["reason"], width)


def _rag(d: Data, width: int) -> str:
    head = f"rag · {d['author']}, turn {d['turn']}: {d['verdict']}, “{visible(d['query'])}”"
    return _lines(head, d["reason"], width)


_TELL: dict[str, Callable[[Data, int], str]] = {
    "GoalSet": _goal,
    "RuleAdded": lambda d, w: _lines(f"turn {d['turn']} · rule {d['id']} added", d["text"], w),
    "Proposed": _proposed,
    "NotProposed": lambda d, w: _lines(
        f"turn {d['turn']} · {d['author']} could not be read", d["reason"], w
    ),
    "Ratified": lambda d, w: _lines(
        f"turn {d['turn']} · {d['decision']} (by {d['by']}), phase {d['phase']}", d["reason"], w
    ),
    "LogicVerdict": _logic,
    "ToMVerdict": _tom,
    "RAGVerdict": _rag,
}


def tell(event: Event, width: int = 96) -> str | None:
    """Return a fact, a failure or the end of a run as text; None for what is only bookkeeping."""
    match event:
        case Posted(kind="Gated", data=data):
            if data["attempts"] == 1 and data["tier"] is not None:
                return None
            how = f"recovered by {data['tier']}" if data["tier"] else "could not be read"
            return _lines(
                f"gate · {event.path}: {how} after {data['attempts']} attempts",
                "; ".join(data["errors"]),
                width,
            )
        case Posted(kind=kind, data=data):
            try:
                return _TELL[kind](data, width)
            except (KeyError, TypeError):
                return _lines(f"{kind} · {event.path}", str(data), width)
        case Failed():
            return _lines(f"FAILED · {event.path}: {event.error}", event.message, width)
        case RunEnded(status="complete"):
            return "the run is complete"
        case RunEnded():
            return _lines("the protocol raised", event.error or "", width)
    return None


def story(run: Run, width: int = 96) -> Iterator[str]:
    """Yield a run's facts in causal order, then how it stands."""
    for event in run.by_path():
        told = tell(event, width)
        if told is not None:
            yield told
    if run.ended is None:
        yield "the run was interrupted; resume goes on from here"


def full(run: Run, path: str) -> str:
    """Return all that is known at a path: the prompt with its sources, the reply, the fact."""
    event = run[path]
    out = [f"{path}"]
    if isinstance(event, Asked):
        out.append(f"asked as {event.role}, clock {event.clock}, sampling {event.sampling}")
        for part in event.parts:
            out.append(f"--- {part.speaker}, from {part.source or 'the protocol'}")
            out.append(visible(part.text))
    else:
        out.append(str(event))
    answer = run.answers.get(path)
    match answer:
        case Answered():
            out.append(
                f"=== answered by {answer.model}: {answer.tokens_in} tokens in, "
                f"{answer.tokens_out} out, {answer.finish_reason}, attempts {answer.attempts}"
            )
            out.append(visible(answer.text))
        case Returned():
            out.append(f"=== returned\n{visible(str(answer.value))}")
        case Said():
            out.append(f"=== said\n{visible(answer.text)}")
        case None if path in run.failures:
            failed = run.failures[path]
            out.append(f"=== failed: {failed.error}: {failed.message}")
    return "\n".join(out)
