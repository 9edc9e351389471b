"""A run: its events and what can be read off them, without the protocol's code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workbench.record import log
from workbench.record.events import (
    ANSWERS,
    COMMANDS,
    DERIVED,
    EDITED,
    JSON,
    Answer,
    Answered,
    Asked,
    Called,
    Command,
    Consulted,
    Derived,
    Event,
    Failed,
    Posted,
    RunEnded,
    RunStarted,
    canonical,
)
from workbench.record.order import natural
from workbench.record.visible import visible

Status = Literal["complete", "failed", "interrupted"]


class Usage(NamedTuple):
    """What a run's model calls came to.

    `calls` counts answers and `tokens_*` sums those that the servers reported. `cost_usd` is None
    as soon as one answer's price is unknown. `inherited` answers were paid for by a fork's parent;
    neither they nor answers that an edit put in place are in the other figures.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost_usd: float | None
    attempts: int
    inherited: int


class Run:
    """A run's events, in the order in which they came.

    Parameters
    ----------
    events : sequence of Event
        Beginning with `RunStarted`.
    path : Path or None
        The file that they came from.

    See Also
    --------
    open_run : read a run from its file.

    Examples
    --------
    >>> run = open_run("sample_runs/aura_hub/aura_hub.run.jsonl")  # doctest: +SKIP
    >>> run.facts["/turn=1/goal"].data["goal"]  # doctest: +SKIP
    'Define the target audience for the Aura Hub.'
    >>> print(run.prompt("/turn=1/goal/try=1"))  # as the model read it  # doctest: +SKIP
    >>> run.find(lambda e: e.event == "answered" and e.finish_reason == "length")  # doctest: +SKIP
    []
    """

    def __init__(self, events: Sequence[Event], path: Path | None = None) -> None:
        if not events or not isinstance(events[0], RunStarted):
            raise ValueError("a run begins with RunStarted")
        self.events: tuple[Event, ...] = tuple(events)
        self.path = path

    @property
    def started(self) -> RunStarted:
        """The first event: protocol, parameters, seed and models."""
        first = self.events[0]
        assert isinstance(first, RunStarted)  # the constructor saw to it
        return first

    @property
    def folder(self) -> Path | None:
        """The folder of the run's file; None for a run in memory."""
        return None if self.path is None else self.path.absolute().parent

    @cached_property
    def ended(self) -> RunEnded | None:
        """The last event of a protocol that returned or raised; None for an interrupted run."""
        return next((e for e in reversed(self.events) if isinstance(e, RunEnded)), None)

    @property
    def status(self) -> Status:
        """``complete``, ``failed`` (the protocol raised) or ``interrupted`` (a resume goes on)."""
        return self.ended.status if self.ended else "interrupted"

    @cached_property
    def needs_parent(self) -> bool:
        """Whether this is a fork that stopped before it had all that it takes from its parent.

        A resume is then given the parent: ``resume(run, parent=...)``. Under the rule
        ``unchanged`` any fork that stopped may yet come to a request that its parent made.
        """
        lineage = self.started.lineage
        if lineage is None or self.ended is not None:
            return False
        edited = lineage.edits.get("answers", {})
        taken = sum(a.origin is not None and a.path not in edited for a in self.answers.values())
        return lineage.rule == "unchanged" or taken < lineage.inherited

    @property
    def result(self) -> JSON:
        """What the protocol returned, as JSON; None if it did not."""
        return self.ended.result if self.ended else None

    @cached_property
    def commands(self) -> dict[str, Command]:
        """Asks, calls and consultations by path."""
        return {e.path: e for e in self.events if isinstance(e, COMMANDS)}

    @cached_property
    def answers(self) -> dict[str, Answer]:
        """The world's answers by path."""
        return {e.path: e for e in self.events if isinstance(e, ANSWERS)}

    @cached_property
    def facts(self) -> dict[str, Posted]:
        """The posted facts by path."""
        return {e.path: e for e in self.events if isinstance(e, Posted)}

    @cached_property
    def failures(self) -> dict[str, Failed]:
        """The last failure at each path that has no answer yet."""
        failed = {e.path: e for e in self.events if isinstance(e, Failed)}
        return {path: e for path, e in failed.items() if path not in self.answers}

    @cached_property
    def derived(self) -> dict[str, Derived]:
        """What the protocol made, by path; the end of the run stands under ``""``."""
        return {getattr(e, "path", ""): e for e in self.events if isinstance(e, DERIVED)}

    def facts_of(self, kind: str) -> list[Posted]:
        """Return the facts of a kind, in causal order."""
        return [e for e in self.by_path() if isinstance(e, Posted) and e.kind == kind]

    def by_path(self) -> tuple[Event, ...]:
        """Return the events in causal order, which does not depend on who answered first.

        The order is Lamport time, then path (``turn=2`` before ``turn=10``); an answer follows its
        command.
        """
        return self._causal

    @cached_property
    def _causal(self) -> tuple[Event, ...]:
        clock = {path: e.clock for path, e in self.derived.items()}
        key = cache(natural)  # of the beginnings and ends of paths, which are few

        def place(event: Event) -> tuple[Any, ...]:
            if isinstance(event, RunStarted):
                return (-1,)
            if isinstance(event, RunEnded):
                return (float("inf"),)
            path = event.path
            scope, slash, name = path.rpartition("/")
            by = key(scope) + slash + key(name)
            return (clock.get(path, 0), by, path, not isinstance(event, DERIVED))

        return tuple(sorted(self.events, key=place))

    def commands_and_facts(self) -> list[Command | Posted]:
        """Return what the protocol asked for and posted, in causal order."""
        return [e for e in self._causal if isinstance(e, Asked | Called | Consulted | Posted)]

    @cached_property
    def usage(self) -> Usage:
        """Calls, tokens and cost of the run's own model calls."""
        answers = [a for a in self.answers.values() if isinstance(a, Answered)]
        own = [a for a in answers if a.origin is None]
        costs = [a.cost_usd for a in own]
        known = [c for c in costs if c is not None]
        return Usage(
            calls=len(own),
            tokens_in=sum(a.tokens_in or 0 for a in own),
            tokens_out=sum(a.tokens_out or 0 for a in own),
            tokens_cached=sum(a.tokens_cached or 0 for a in own),
            cost_usd=sum(known) if len(known) == len(costs) else None,
            attempts=sum(a.attempts for a in own),
            inherited=sum(a.origin not in (None, EDITED) for a in answers),
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the events in causal order, without metadata and failures.

        Two recordings of the same answers have the same digest, whoever answered first. An audit
        names its subject by it.
        """
        digest = sha256()
        for event in self.by_path():
            if not isinstance(event, Failed):
                digest.update(canonical(event) + b"\n")
        return digest.hexdigest()

    def before(self, count: int) -> Run:
        """Return the run as it was after its first `count` events (at least 1)."""
        return Run(self.events[: max(1, count)])

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __getitem__(self, path: str) -> Event:
        """Return the fact or command at `path`."""
        try:
            return self.derived[path]
        except KeyError:
            raise KeyError(f"{path} is not in this run{nearest(path, self.derived)}") from None

    def answer(self, path: str) -> Answer:
        """Return the world's answer to the command at `path`."""
        try:
            return self.answers[path]
        except KeyError:
            raise KeyError(f"{path} has no answer{nearest(path, self.answers)}") from None

    def prompt(self, path: str) -> str:
        """Return the prompt of the ask at `path`, as the model read it."""
        asked = self[path]
        if not isinstance(asked, Asked):
            raise KeyError(f"{path} is no ask of a model")
        return "\n\n".join(part.text for part in asked.parts)

    def find(self, test: Callable[[Event], bool]) -> list[Event]:
        """Return the events that `test` holds for, in causal order."""
        return [event for event in self.by_path() if test(event)]

    def __repr__(self) -> str:
        use = self.usage
        return (
            f"<Run {visible(self.started.protocol)}: {self.status}, {len(self.events)} events, "
            f"{use.calls} calls, {use.tokens_in} tokens in, {use.tokens_out} out>"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from workbench.views.html import run_html

        return {"text/plain": repr(self), "text/html": run_html(self)}


def open_run(path: str | os.PathLike[str]) -> Run:
    """Read a run from its file; nothing else is needed, not even the protocol's code.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Run
        Whole or interrupted.

    Raises
    ------
    RunFileError
        If the file is missing, empty, damaged, of a newer version, or not a run.

    Warns
    -----
    TornLine
        If the last line was cut off.
    """
    return Run(log.read(path).events, Path(path))


def nearest(path: str, known: Any) -> str:
    """Return ``; the nearest are ...`` for an error message, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(path, list(known), n=3, cutoff=0.4)
    return f"; the nearest are {', '.join(close)}" if close else ""
