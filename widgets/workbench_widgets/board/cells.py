"""What each kind of event puts on the board, or takes off it.

`CELLS` maps a kind (a fact's class name, or another event's name) to a function from the event to
changes. A protocol's own state is shown by adding its kinds, and its sections if it has others::

    SECTIONS["bets"] = Section("Bets")
    CELLS["Bet"] = lambda event, source: [
        Cell("bets", event.path, event.data["words"], by=source.agent(event))
    ]

Facts of unknown kinds go to "Other facts".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple

from workbench.record.events import (
    JSON,
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
from workbench.record.plainly import as_text, text, texts
from workbench.views.turns import story
from workbench_widgets.shared.source import Source


class Section(NamedTuple):
    """A part of the board: its title, and how its cells stand.

    `by` is ``key`` (their names, or the agents' order) or ``recent`` (the last that changed first).
    """

    title: str
    by: Literal["key", "recent"] = "key"


SECTIONS: dict[str, Section] = {
    "question": Section("Question"),
    "goal": Section("Goal"),
    "phase": Section("Phase"),
    "decision": Section("Decision"),
    "plan": Section("Plan"),
    "rules": Section("Rules in force"),
    "intuitions": Section("Intuitions R"),
    "open": Section("Open questions", "recent"),
    "drafts": Section("Drafts"),
    "justifications": Section("Justifications"),
    "knowledge": Section("Knowledge cache", "recent"),
    "trace": Section("Judicial trace V", "recent"),
    "verdicts": Section("Verdicts", "recent"),
    "other": Section("Other facts", "recent"),
}
"""The sections by name, in the order of reading."""

ALWAYS: dict[str, tuple[str, ...]] = {
    "bilayer": tuple("goal phase decision plan rules open drafts knowledge".split()),
    "maven": tuple("intuitions plan open drafts justifications knowledge trace".split()),
}
"""By protocol, the sections that are shown even while they are empty."""


class Cell(NamedTuple):
    """Something that holds from an event on, until its section and key are set again or dropped.

    Attributes
    ----------
    section, key : str
        Where it stands: one of `SECTIONS`, and its name there.
    text : str
        What it says.
    label : str
        A short head; empty where the section's title says it all.
    by : str or None
        Its author: an agent's name, or words for one who is no agent.
    verdict : str or None
    sources : tuple of str
        Paths of the events that it rests on.
    passages : tuple of (str, str)
        Passages that it rests on, each with the path of the search that found it.
    """

    section: str
    key: str
    text: str
    label: str = ""
    by: str | None = None
    verdict: str | None = None
    sources: tuple[str, ...] = ()
    passages: tuple[tuple[str, str], ...] = ()


class Drop(NamedTuple):
    """Takes a cell off the board; `key` is None for all of a section."""

    section: str
    key: str | None


Change = Cell | Drop
Maker = Callable[[Any, Source], Iterable[Change]]


def changes(event: Event, source: Source) -> list[Change]:
    """Return what an event changes on the board."""
    if isinstance(event, Posted):
        maker = CELLS.get(event.kind)
        if maker is None:
            maker = judged if "verdict" in event.data else _other
        return list(maker(event, source))
    found = CELLS.get(event.event)
    return [] if found is None else list(found(event, source))


def _started(event: RunStarted, source: Source) -> Iterator[Change]:
    if question := text(event.params.get("question")):
        options = texts(event.params.get("options"))
        lines = (
            f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)
        )
        yield Cell("question", "question", "\n".join((question, *lines)))
    for id_, words in story(source.run.before(1)).rules.items():
        yield Cell("rules", id_, words, label=id_, by="the case")


def _asked(event: Asked, _source: Source) -> Iterator[Change]:
    wanted = event.schema.get("title") if isinstance(event.schema, dict) else None
    yield Cell(
        "open",
        event.path,
        event.parts[-1].text if event.parts else "",
        label=f"asked for {wanted}" if isinstance(wanted, str) else "asked",
        by=event.role,
        sources=tuple(part.source for part in event.parts if part.source is not None),
    )


def _called(event: Called, source: Source) -> Iterator[Change]:
    query = event.args.get("query")
    words = query if isinstance(query, str) else as_text(event.args)
    by = source.agent(event)
    yield Cell("open", event.path, words, label=f"calls {event.tool}", by=by)


def _consulted(event: Consulted, _source: Source) -> Iterator[Change]:
    choices = f" ({', '.join(event.options)})" if event.options else ""
    words = event.prompt + choices
    yield Cell("open", event.path, words, label="asks a person")


def _answered(event: Answered | Said, _source: Source) -> Iterator[Change]:
    yield Drop("open", event.path)


def _failed(event: Failed, source: Source) -> Iterator[Change]:
    yield Cell(
        "open",
        event.path,
        f"{event.error}: {event.message}",
        label="no answer yet",
        by=source.agent(event),
        verdict="failed",
        sources=(event.path,),
    )


def _returned(event: Returned, source: Source) -> Iterator[Change]:
    yield Drop("open", event.path)
    command = source.run.commands.get(event.path)
    if not isinstance(command, Called) or command.tool != "search":
        return
    by = source.agent(command)
    for hit in hits(event.value):
        id_ = text(hit.get("passage")) or "?"
        heading = text(hit.get("heading")) or ""
        yield Cell(
            "knowledge",
            id_,
            text(hit.get("text")) or "",
            label=heading,
            by=by,
            sources=(event.path,),
            passages=((id_, event.path),),
        )


def hits(value: JSON) -> list[dict[str, JSON]]:
    """Return the hits of a search, whatever it returned."""
    return [hit for hit in value if isinstance(hit, dict)] if isinstance(value, list) else []


def _goal(event: Posted, source: Source) -> Iterator[Change]:
    get, by = event.data.get, source.agent(event)
    yield Cell("goal", "goal", text(get("goal")) or "", by=by, sources=event.sources)
    yield Cell("phase", "phase", text(get("phase")) or "", by=by, sources=(event.path,))
    yield Drop("plan", None)
    yield Drop("decision", None)
    for peer in texts(get("nominated")):
        yield Cell("plan", peer, "is to contribute", by=by, sources=(event.path,))


def _rule(event: Posted, source: Source) -> Iterator[Change]:
    id_ = text(event.data.get("id")) or "?"
    words = text(event.data.get("text")) or ""
    by = source.agent(event)
    yield Cell("rules", id_, words, label=id_, by=by, sources=event.sources)


def _proposed(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event) or "?"
    searches = texts(event.data.get("searches"))
    yield Cell(
        "drafts",
        by,
        text(event.data.get("contribution")) or "",
        by=by,
        sources=(*event.sources, *searches),
        passages=tuple(_passages(source, searches)),
    )
    yield Cell("plan", by, "has contributed", by=by, sources=(event.path,))


def _passages(source: Source, searches: list[str]) -> Iterator[tuple[str, str]]:
    for path in searches:
        answer = source.run.answers.get(path)
        for hit in hits(answer.value) if isinstance(answer, Returned) else ():
            yield text(hit.get("passage")) or "?", path


def _not_proposed(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event) or "?"
    words = f"the reply could not be read: {text(event.data.get('reason')) or 'no reason given'}"
    yield Cell("plan", by, words, by=by, verdict="unparsed", sources=event.sources)


def _ratified(event: Posted, source: Source) -> Iterator[Change]:
    get, by = event.data.get, source.agent(event)
    decision = text(get("decision")) or "?"
    words = text(get("reason")) or ""
    yield Cell("decision", "decision", words, by=by, verdict=decision, sources=event.sources)
    if decision == "advance":
        words = text(get("phase")) or ""
        yield Cell("phase", "phase", words, label="next", by=by, sources=(event.path,))


def _gated(event: Posted, _source: Source) -> Iterator[Change]:
    if event.data.get("tier") is None:
        role = text(event.data.get("role")) or "?"
        words = "; ".join(texts(event.data.get("errors"))) or "no reply could be read"
        yield Cell(
            "other",
            f"Gated/{event.path}",
            words,
            label="a reply that could not be read",
            by=role,
            verdict="unparsed",
            sources=event.sources,
        )


def judged(event: Posted, source: Source) -> Iterator[Change]:
    """Show a fact with a verdict: an audit's, or a protocol's own judge's."""
    get = event.data.get
    by = text(get("author")) or text(get("evaluator"))
    about = [name for name in (by, text(get("peer"))) if name]
    yield Cell(
        "verdicts",
        "/".join((event.kind, *about)),
        text(get("reason")) or "",
        label=" on ".join((event.kind, *(source.title(name) for name in about))),
        by=source.agent(event),
        verdict=text(get("verdict")) or "unknown",
        sources=event.sources,
    )


def _other(event: Posted, source: Source) -> Iterator[Change]:
    """Show a fact of an unknown kind: its longest text, else all of it."""
    by = source.agent(event)
    said = [value for value in event.data.values() if isinstance(value, str)]
    yield Cell(
        "other",
        f"{event.kind}/{by}",
        max(said, key=len) if said else as_text(event.data),
        label=event.kind,
        by=by,
        sources=event.sources,
    )


def _ended(event: RunEnded, _source: Source) -> Iterator[Change]:
    result = event.result
    if event.error:
        words = event.error
    elif isinstance(result, dict):
        words = "\n".join(f"{key}: {_told(value)}" for key, value in result.items())
    else:
        words = "" if result is None else as_text(result)
    yield Cell("decision", "end", words, label="The run is", verdict=event.status)


def _told(value: JSON) -> str:
    """Return a part of a run's result: what is in it a line each, and not as JSON."""
    if isinstance(value, dict) and value:
        return "".join(f"\n  {key}: {text(one)}" for key, one in value.items())
    return str(text(value))


CELLS: dict[str, Maker] = {
    "run_started": _started,
    "asked": _asked,
    "called": _called,
    "consulted": _consulted,
    "answered": _answered,
    "said": _answered,
    "failed": _failed,
    "returned": _returned,
    "run_ended": _ended,
    "GoalSet": _goal,
    "RuleAdded": _rule,
    "Proposed": _proposed,
    "NotProposed": _not_proposed,
    "Ratified": _ratified,
    "Gated": _gated,
}
"""By a fact's class name or another event's name, what it changes on the board."""
