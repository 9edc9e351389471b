"""Two runs side by side: where they part first, and what changed after that."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from workbench.record.events import Answer, Answered, Asked, Event, Posted, Returned, Said, plain
from workbench.record.run import Run, Usage, open_run

VERDICT = "verdict"
"""A fact with a field of this name is a verdict."""


class Change(NamedTuple):
    """A place where two runs differ; None where one of them has nothing."""

    path: str
    kind: str
    before: Any
    after: Any

    def words(self) -> str:
        """Return the difference as text, ``-`` before and ``+`` after, line by line."""
        return "\n".join(
            line.rstrip("\n")
            for line in difflib.ndiff(_text(self.before), _text(self.after))
            if not line.startswith("? ")
        )


@dataclass(frozen=True, slots=True)
class Diff:
    """What `diff` found.

    Attributes
    ----------
    first : Change or None
        The first divergence in causal order; None where the runs are equal.
    answers, facts, verdicts : tuple of Change
        What changed, by path, in causal order. `verdicts` are the changed facts with a field
        ``verdict``, reduced to it.
    usage : tuple of Usage
        Of the first and the second run.
    params : dict
        Parameters that differ, as ``(before, after)``.
    """

    first: Change | None
    answers: tuple[Change, ...]
    facts: tuple[Change, ...]
    verdicts: tuple[Change, ...]
    usage: tuple[Usage, Usage]
    params: dict[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return self.first is not None

    @property
    def cost_usd(self) -> float | None:
        """The second run's cost less the first's; None if one is unknown."""
        a, b = self.usage
        return None if a.cost_usd is None or b.cost_usd is None else b.cost_usd - a.cost_usd

    def __str__(self) -> str:
        if self.first is None:
            return "the runs are equal"
        a, b = self.usage
        counts = (
            f"answers changed: {len(self.answers)}, facts: {len(self.facts)}, "
            f"verdicts: {len(self.verdicts)}"
        )
        usage = (
            f"calls {a.calls} -> {b.calls} ({b.inherited} inherited), "
            f"tokens in {a.tokens_in} -> {b.tokens_in}, out {a.tokens_out} -> {b.tokens_out}"
        )
        lines = [
            f"first divergence: {self.first.path} ({self.first.kind})",
            self.first.words(),
            counts,
            *(f"  {c.path}: {c.before} -> {c.after}" for c in self.verdicts),
            *(f"  parameter {k}: {x!r} -> {y!r}" for k, (x, y) in self.params.items()),
            usage,
        ]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": f"<pre>{escape(str(self))}</pre>"}


def diff(before: Run | str | os.PathLike[str], after: Run | str | os.PathLike[str]) -> Diff:
    """Compare two runs path by path, in causal order; who answered first makes no difference."""
    a = before if isinstance(before, Run) else open_run(before)
    b = after if isinstance(after, Run) else open_run(after)
    order = dict.fromkeys((*_paths(a), *_paths(b)))
    changes = [c for path in order for c in _changes(a, b, path)]
    changes.sort(key=lambda c: _clock(a, b, c.path))
    params = {
        name: (a.started.params.get(name), b.started.params.get(name))
        for name in sorted({*a.started.params, *b.started.params})
        if a.started.params.get(name) != b.started.params.get(name)
    }
    first = changes[0] if changes else None
    if first is None and (params or a.started.protocol != b.started.protocol):
        first = Change("/", "parameters", a.started.params, b.started.params)
    elif first is None and a.status != b.status:
        first = Change("/", "status", a.status, b.status)
    elif first is None and a.result != b.result:
        first = Change("/", "result", a.result, b.result)
    facts = tuple(c for c in changes if c.kind not in ("request", "answer"))
    return Diff(
        first=first,
        answers=tuple(c for c in changes if c.kind == "answer"),
        facts=facts,
        verdicts=tuple(v for c in facts if (v := _verdict(c)) is not None),
        usage=(a.usage, b.usage),
        params=params,
    )


def _paths(run: Run) -> list[str]:
    return [p for e in run.by_path() if (p := getattr(e, "path", None)) is not None]


def _clock(a: Run, b: Run, path: str) -> int:
    clocks = [getattr(run.derived[path], "clock", 0) for run in (a, b) if path in run.derived]
    return min(clocks, default=0)


def _changes(a: Run, b: Run, path: str) -> list[Change]:
    x, y = a.derived.get(path), b.derived.get(path)
    if isinstance(x, Posted) or isinstance(y, Posted):
        old, new = _fact(x), _fact(y)
        kind = next(e.kind for e in (y, x) if isinstance(e, Posted))
        same = old == new and getattr(x, "kind", None) == getattr(y, "kind", None)
        return [] if same else [Change(path, kind, old, new)]
    out = []
    old, new = _request(x), _request(y)
    if old != new:
        out.append(Change(path, "request", old, new))
    told, tells = _said(a.answers.get(path)), _said(b.answers.get(path))
    if told != tells:
        out.append(Change(path, "answer", told, tells))
    return out


def _fact(event: Event | None) -> Any:
    return event.data if isinstance(event, Posted) else None


def _request(event: Event | None) -> Any:
    if isinstance(event, Asked):
        return "\n\n".join(part.text for part in event.parts)
    if event is None:
        return None
    return {k: v for k, v in plain(event).items() if k not in ("event", "path", "clock")}


def _said(answer: Answer | None) -> Any:
    match answer:
        case Answered(text=text) | Said(text=text):
            return text
        case Returned(value=value):
            return value
    return None


def _verdict(change: Change) -> Change | None:
    old = change.before.get(VERDICT) if change.before else None
    new = change.after.get(VERDICT) if change.after else None
    return Change(change.path, change.kind, old, new) if old != new else None


def _text(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, dict):
        return [f"{name}: {item}\n" for name, item in value.items()]
    return [line + "\n" for line in str(value).splitlines()]
