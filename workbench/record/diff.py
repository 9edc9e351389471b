"""Two runs side by side: where they part first, and what changed after that.

What counts is what a run's digest is made of: whole events, without time, latency, attempts and
origin, and without the package and lineage of the first one. Two runs are equal here exactly when
their digests are, those two apart; so a fork without an edit equals its parent.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any, NamedTuple

from pydantic_core import to_json

from workbench.record.events import (
    Answered,
    Asked,
    Event,
    Posted,
    Returned,
    Said,
    canonical,
    plain,
)
from workbench.record.plainly import leaves, words
from workbench.record.run import Run, Usage, open_run
from workbench.record.visible import visible

VERDICT = "verdict"
"""A fact with a field of this name is a verdict."""

MOST_VALUES = 12
"""How many values of the heads and parameters are shown; the others are counted."""

MOST_CHARACTERS = 80
"""How many characters of such a value are shown."""

MOST_LINES = 200
"""How many lines of one difference are shown; the others are counted."""


class Change(NamedTuple):
    """A place where two runs differ; None where one of them has nothing.

    `before` and `after` are the prompt, the reply, the fact's data or the tool's result; where
    these are equal, they are the other fields that differ, by name.
    """

    path: str
    kind: str
    before: Any
    after: Any

    def words(self, most: int = MOST_LINES) -> str:
        """Return the difference as text: ``-`` before, ``+`` after, with three lines around each.

        Lines beyond `most` are left out, and their number is told. Hidden characters are written
        out (`visible`).
        """
        found = list(
            difflib.unified_diff(_lines(self.before), _lines(self.after), n=3, lineterm="")
        )[3:]  # the names of the two, and where the first place is
        lines = ["..." if x.startswith("@@") else f"{x[0]} {x[1:]}" for x in found]
        if len(lines) > most:
            lines[most:] = [f"... {len(lines) - most:,} more lines are left out"]
        return visible("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Diff:
    """What `diff` found.

    Attributes
    ----------
    first : Change or None
        The first divergence in causal order; None where the runs are equal. Accounting comes into
        it only where nothing else differs between the events; and where no event does, it is how
        the runs began or ended, at the path ``/``.
    requests, answers, facts, verdicts : tuple of Change
        What changed, by path, in causal order. `requests` are what was asked of models, tools and
        humans; `verdicts` are the changed facts with a field ``verdict``, reduced to it.
    usage : tuple of Usage
        Of the first and the second run.
    accounting : tuple of Change
        Answers that say the same and differ in their tokens or cost alone, as what was cached.
    head : dict
        Of protocol, seed, sampling, models and subject those that differ, as ``(before, after)``.
    params : dict
        Parameters that differ, as ``(before, after)``.
    """

    first: Change | None
    answers: tuple[Change, ...]
    facts: tuple[Change, ...]
    verdicts: tuple[Change, ...]
    usage: tuple[Usage, Usage]
    head: dict[str, tuple[Any, Any]]
    params: dict[str, tuple[Any, Any]]
    requests: tuple[Change, ...] = ()
    accounting: tuple[Change, ...] = ()

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
            f"requests changed: {len(self.requests)}, answers: {len(self.answers)}, "
            f"facts: {len(self.facts)}, verdicts: {len(self.verdicts)}"
        )
        if self.accounting:
            counts += f"; answers alike but for tokens or cost: {len(self.accounting)}"
        usage = (
            f"calls {a.calls} -> {b.calls} ({b.inherited} inherited), "
            f"tokens in {a.tokens_in} -> {b.tokens_in}, out {a.tokens_out} -> {b.tokens_out}"
        )
        lines = [
            f"first divergence: {self.first.path} ({self.first.kind})",
            self.first.words(),
            counts,
            *(f"  {c.path}: {c.before} -> {c.after}" for c in self.verdicts),
            *_values(self.head),
            *_values(self.params, "parameter "),
            usage,
        ]
        return visible("\n".join(lines))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": f"<pre>{escape(str(self))}</pre>"}


def diff(before: Run | str | os.PathLike[str], after: Run | str | os.PathLike[str]) -> Diff:
    """Compare two runs path by path, in causal order; who answered first makes no difference.

    Parameters
    ----------
    before, after : Run or path

    Returns
    -------
    Diff
        False where the runs are equal.

    Raises
    ------
    RunFileError
        If one of them cannot be read.
    """
    a = before if isinstance(before, Run) else open_run(before)
    b = after if isinstance(after, Run) else open_run(after)
    order = dict.fromkeys((*_paths(a), *_paths(b)))
    found = [c for path in order for c in _changes(a, b, path)]
    found.sort(key=lambda c: _clock(a, b, c.path))
    accounting = tuple(c for c in found if c.kind == "accounting")
    changes = [c for c in found if c.kind != "accounting"]
    head = _differing(_head(a), _head(b))
    params = _differing(a.started.params, b.started.params)
    facts = tuple(c for c in changes if c.kind not in ("request", "answer"))
    return Diff(
        first=next(iter((*changes, *accounting)), None) or _ends(a, b, head, params),
        answers=tuple(c for c in changes if c.kind == "answer"),
        facts=facts,
        verdicts=tuple(v for c in facts if (v := _verdict(c)) is not None),
        usage=(a.usage, b.usage),
        head=head,
        params=params,
        requests=tuple(c for c in changes if c.kind == "request"),
        accounting=accounting,
    )


def _head(run: Run) -> dict[str, Any]:
    first = run.started
    return {
        "protocol": first.protocol,
        "seed": first.seed,
        "sampling": None if first.sampling is None else asdict(first.sampling),
        "models": first.models,
        "subject": first.subject,
    }


def _differing(a: dict[str, Any], b: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the items that differ as JSON: 1, 1.0 and true are three values."""
    return {
        name: (a.get(name), b.get(name))
        for name in dict.fromkeys((*a, *b))
        if name not in a or name not in b or _json(a[name]) != _json(b[name])
    }


def _ends(
    a: Run, b: Run, head: dict[str, tuple[Any, Any]], params: dict[str, tuple[Any, Any]]
) -> Change | None:
    """Return how runs differ that have the same asks, facts and answers."""
    for name, (old, new) in head.items():
        return Change("/", name, old, new)
    if params or _json(a.started.params) != _json(b.started.params):
        return Change("/", "parameters", a.started.params, b.started.params)
    if a.status != b.status:
        return Change("/", "status", a.status, b.status)
    if _json(a.result) != _json(b.result):
        return Change("/", "result", a.result, b.result)
    if not _same(a.ended, b.ended):
        return Change("/", "end", *_other_fields(a.ended, b.ended))
    if _digest(a) != _digest(b):  # one of them holds an event twice
        return Change("/", "events", len(a), len(b))
    return None


def _json(value: Any) -> bytes:
    """Return a value as JSON; one that no file could hold (half a surrogate pair) as Python."""
    try:
        return to_json(value)
    except ValueError:
        return repr(value).encode()


def _digest(run: Run) -> str:
    """Return the digest of a run without what it owes to where it came from."""
    try:
        return _neutral(run).digest
    except ValueError:
        return f"{len(run)} events that no file could hold"


def _neutral(run: Run) -> Run:
    """Return a run without what its digest owes to where it came from."""
    return Run([replace(run.started, package="", lineage=None), *run.events[1:]])


def _paths(run: Run) -> list[str]:
    return [p for e in run.by_path() if (p := getattr(e, "path", None)) is not None]


def _clock(a: Run, b: Run, path: str) -> int:
    clocks = [getattr(run.derived[path], "clock", 0) for run in (a, b) if path in run.derived]
    return min(clocks, default=0)


def _changes(a: Run, b: Run, path: str) -> list[Change]:
    x, y = a.derived.get(path), b.derived.get(path)
    told, tells = a.answers.get(path), b.answers.get(path)
    posted = next((e.kind for e in (y, x) if isinstance(e, Posted)), None)
    answer = "accounting" if _same(_words_alone(told), _words_alone(tells)) else "answer"
    return [
        Change(path, kind, *_parted(old, new))
        for kind, old, new in ((posted or "request", x, y), (answer, told, tells))
        if not _same(old, new)
    ]


def _words_alone(answer: Event | None) -> Event | None:
    """Return an answer without its accounting."""
    if not isinstance(answer, Answered):
        return answer
    return replace(answer, tokens_in=None, tokens_out=None, tokens_cached=None, cost_usd=None)


def _same(a: Event | None, b: Event | None) -> bool:
    """Whether two events have the same part in a digest."""
    if a is b or a is None or b is None:
        return a is b
    try:
        return canonical(a) == canonical(b)
    except ValueError:  # half a surrogate pair, which no file could hold
        return a == b


def _parted(a: Event | None, b: Event | None) -> tuple[Any, Any]:
    """Return what two events say, or, where that is the same, their other fields that differ."""
    old, new = _says(a), _says(b)
    return _other_fields(a, b) if type(a) is type(b) and old == new else (old, new)


def _other_fields(a: Event | None, b: Event | None) -> tuple[dict[str, Any], dict[str, Any]]:
    fields = [plain(e, metadata=False) if e is not None else {} for e in (a, b)]
    found = _differing(*fields)
    return {k: x for k, (x, _) in found.items()}, {k: y for k, (_, y) in found.items()}


def _says(event: Event | None) -> Any:
    """Return the words of an event: prompt, reply, data or result."""
    match event:
        case None:
            return None
        case Posted(data=data):
            return data
        case Asked(parts=parts):
            return "\n\n".join(part.text for part in parts)
        case Answered(text=text) | Said(text=text):
            return text
        case Returned(value=value):
            return value
    shown = plain(event, metadata=False)
    return {k: v for k, v in shown.items() if k not in ("event", "path", "clock")}


def _verdict(change: Change) -> Change | None:
    old, new = (
        fact.get(VERDICT) if isinstance(fact, dict) else None
        for fact in (change.before, change.after)
    )
    return Change(change.path, change.kind, old, new) if old != new else None


def _lines(value: Any) -> list[str]:
    """Return a value for reading, each of its fields on a line of its own or on several."""
    if value is None:
        return []
    fields = [f"{name}: {_word(item)}" if name else _word(item) for name, item in leaves(value)]
    return "\n".join(fields).split("\n")


def _word(value: Any) -> str:
    return "none" if value is None else words(value)


def _values(changed: dict[str, tuple[Any, Any]], what: str = "") -> list[str]:
    """Return a line for each field that differs, with its two values, long ones cut."""
    old, new = (dict(leaves({k: pair[i] for k, pair in changed.items()})) for i in (0, 1))
    found = _differing(old, new)
    lines = [
        f"  {what}{name}: {_short(old.get(name))} -> {_short(new.get(name))}"
        for name in list(found)[:MOST_VALUES]
    ]
    if len(found) > MOST_VALUES:
        lines.append(f"  ... {len(found) - MOST_VALUES:,} more {what}values that differ")
    return lines


def _short(value: Any) -> str:
    told = ", ".join(_word(value).splitlines())
    return told if len(told) <= MOST_CHARACTERS else f"{told[:MOST_CHARACTERS]}..."
