"""What a run holds at one path, as named texts; and how two runs' texts there differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workbench.record.events import (
    JSON,
    Answered,
    Asked,
    Called,
    Consulted,
    Posted,
    Returned,
    RunEnded,
    Said,
    plain,
)
from workbench.record.plainly import leaves, words
from workbench.record.run import Run
from workbench_widgets.compare.words import words_apart
from workbench_widgets.shared.source import Source

SHORT = 40
"""Characters up to which a text stands in a page itself, not in the pool."""


class Piece(NamedTuple):
    """A text at a path.

    `group` is one of ``prompt``, ``args``, ``reply``, ``result``, ``fact``, ``failure``, ``run``,
    which are always shown, and ``settings``, which are shown where they differ.
    """

    group: str
    name: str
    text: str


def pieces(run: Run, path: str) -> Iterator[Piece]:
    """Return what a run holds at a path, in the order in which it came about."""
    made = run.derived.get(path)
    answer = run.answers.get(path)
    if isinstance(made, Asked):
        yield Piece("prompt", "Prompt", "\n\n".join(part.text for part in made.parts))
        yield Piece("settings", "Role", made.role)
        yield from _leaves("settings", plain(made)["sampling"], "Sampling")
        yield Piece("settings", "Schema", words(made.schema))
        came = [f"{part.speaker}: {part.source or 'the protocol'}" for part in made.parts]
        yield Piece("settings", "Where the prompt's parts come from", "\n".join(came))
    elif isinstance(made, Called):
        yield Piece("args", "Tool", made.tool)
        yield from _leaves("args", made.args)
    elif isinstance(made, Consulted):
        yield Piece("prompt", "Question", made.prompt)
        yield Piece("settings", "Options", "\n".join(made.options))
    elif isinstance(made, Posted):
        yield from _leaves("fact", made.data)
        yield Piece("settings", "Kind", made.kind)
        yield Piece("settings", "Drawn from", "\n".join(made.sources))
    if isinstance(answer, Answered):
        yield Piece("reply", "Reply", answer.text)
        yield Piece("settings", "Finished because of", answer.finish_reason)
        if answer.model is not None:
            yield Piece("settings", "Answered by", answer.model)
    elif isinstance(answer, Said):
        yield Piece("reply", "Said", answer.text)
    elif isinstance(answer, Returned):
        yield from _leaves("result", answer.value, "Result")
    if failed := run.failures.get(path):
        yield Piece("failure", "No answer", f"{failed.error}: {failed.message}")
    if made is not None and not isinstance(made, RunEnded):
        yield Piece("settings", "Lamport time", str(made.clock))


def run_pieces(run: Run) -> Iterator[Piece]:
    """Return what a run is as a whole: what it was started with, and how it ended."""
    started, ended = run.started, run.ended
    yield Piece("run", "Protocol", started.protocol)
    yield Piece("run", "Status", run.status)
    if ended is not None and ended.error is not None:
        yield Piece("run", "Error", ended.error)
    yield Piece("run", "Seed", str(started.seed))
    yield Piece("settings", "Subject", started.subject or "")
    yield from _leaves("run", started.models, "Models")
    yield from _leaves("run", started.params, "Parameters")
    yield from _leaves("run", run.result, "Result")


def _leaves(group: str, value: JSON, name: str = "") -> Iterator[Piece]:
    """Return the fields of a JSON value, each under its dotted name."""
    for at, item in leaves(value, name):
        if item is not None and (item or group != "settings" or isinstance(item, int | float)):
            yield Piece(group, at, words(item))


def apart(source: Source, before: list[Piece], after: list[Piece]) -> list[dict[str, JSON]]:
    """Return the pieces of two sides, paired by name, with what changed in each.

    Each has ``group`` and ``name``, and either ``same`` (a text), or ``segs`` (see `words_apart`),
    ``how``, and in ``only`` the one side that has the piece at all.
    """
    a, b = (
        {(p.group, p.name): p.text for p in side if p.text or p.group != "settings"}
        for side in (before, after)
    )
    both = bool(a) and bool(b)  # where only one is, its settings differ from nothing
    out: list[dict[str, JSON]] = []
    for key in _woven(list(a), list(b)):
        group, name = key
        if a.get(key) == b.get(key) or (group == "settings" and not both):
            if group != "settings":
                out.append({"group": group, "name": name[:300], "same": ref(source, a[key])})
            continue
        said = words_apart(a.get(key, ""), b.get(key, ""))
        made: dict[str, JSON] = {
            "group": group,
            "name": name[:300],
            "segs": [[op, ref(source, text)] for op, text in said.segments],
            "how": said.how,
        }
        if key not in a or key not in b:
            made["only"] = "after" if key in b else "before"
        out.append(made)
    return sorted(out, key=lambda section: section["group"] == "settings")


def _woven(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the names of both sides in their order, those of the second among the first's."""
    known = set(a)
    out: list[tuple[str, str]] = []
    rest = iter(a)
    for key in b:
        if key in known and key not in out:
            for other in rest:
                out.append(other)
                if other == key:
                    break
        elif key not in known:
            out.append(key)
    return list(dict.fromkeys((*out, *rest)))


def ref(source: Source, text: str) -> JSON:
    """Return a text as it stands in a page."""
    return text if len(text) <= SHORT else {"t": source.text(text)}
