"""What a run gives to the front end: a head, and pages of rows and texts on demand."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, overload

from workbench import Run, Session, open_run
from workbench.record.events import (
    ANSWERS,
    COMMANDS,
    Command,
    Event,
    Posted,
)
from workbench.record.judgement import Judgement
from workbench.record.order import turn_of
from workbench.record.rows import model_names
from workbench.record.visible import visible
from workbench.views.agents import agent_of, agents, hues
from workbench.views.turns import Judgements, edits, judgements, shown, story, title_of
from workbench_widgets.shared.common import Common

AT_PATHS = (*COMMANDS, *ANSWERS, Posted)

DIGESTED = 50_000
"""Events up to which the head of a run tells its digest, which takes a while to compute."""

BUDGET = 520_000
"""Bytes of JSON that a widget ships at first; what does not fit comes on demand. With the static
face (up to 330 kB) and the code it stays under a megabyte."""

NAMED = 300
"""Characters of a name that are shipped; how many more there are is told."""

NAMES_END = 20
"""Of these, how many stand at its end, so that names with an equal beginning are told apart."""

JSON = Any
Path = str | os.PathLike[str]
T = TypeVar("T")
PageMaker = Callable[["Source", str], JSON]
"""Makes one page from its key; raises KeyError where there is no such page."""


class kept(Generic[T]):  # noqa: N801  # a kind of property, and written like one
    """A property of a source that is made of its run once, and anew when the run has grown."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, source: None, owner: type) -> Self: ...

    @overload
    def __get__(self, source: Source, owner: type) -> T: ...

    def __get__(self, source: Source | None, owner: type) -> Self | T:
        return self if source is None else source.keep(self.make)


class Source:
    """A run, or a session whose run grows, and perhaps an audit of it.

    Attributes
    ----------
    run : Run
        As it is now; a session's grows, see `refresh`.
    session : Session or None
    audit : Run or None
        Its verdicts are shown beside what they are about.
    cursor : Cursor
        Shared by the widgets that were given the same run.

    Raises
    ------
    ValueError
        If the audit is about another run.
    """

    def __init__(
        self, run: Run | Session, audit: Run | None = None, common: Common | None = None
    ) -> None:
        self.session = run if isinstance(run, Session) else None
        self.run = run.run if isinstance(run, Session) else run
        self.audit = audit
        self.common = Common(self.session) if common is None else common
        self.cursor = self.common.cursor
        self.lock = self.common.lock
        self._kept: dict[Hashable, Any] = {}
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        _check_subject(self.run, audit, live=self.session is not None and self.session.live)

    @classmethod
    def of(cls, run: Run | Session | Path | Source, audit: Run | Path | None = None) -> Source:
        """Return the source of a run and an audit, which widgets that show the same ones share.

        Widgets on one run share its cursor, whichever audit they were given.

        Raises
        ------
        TypeError, RunFileError, ValueError
            If there is no run in what was given, or the audit is about another one.
        """
        if isinstance(run, Source):
            return run
        run = given(run)
        audit = None if audit is None else opened(audit, "audit= takes a Run")
        key = (id(run), id(audit))
        known = _SOURCES.get(key)
        if known is None:
            beside = (source for (of, _), source in _SOURCES.items() if of == id(run))
            other = next(beside, None)
            known = _SOURCES[key] = cls(run, audit, other.common if other else None)
        return known

    @property
    def watchers(self) -> list[Any]:
        """The widgets on the run."""
        with self.lock:
            return list(self.common.watchers)

    def refresh(self) -> bool:
        """Take in what a session's run has become; returns whether it grew.

        What was made of the shorter run is forgotten, but for what has a method ``grown``, which
        reads on and tells whether it could.
        """
        with self.lock:
            if self.session is None or len(now := self.session.run) == len(self.run):
                return False
            self.run = now
            old = self._kept.items()
            self._kept = {key: made for key, made in old if getattr(made, "grown", bool)()}
            return True

    def keep(self, make: Callable[..., T], *args: Hashable) -> T:
        """Return ``make(self, *args)``, made once for a run of this length (see `refresh`)."""
        with self.lock:
            if (make, args) not in self._kept:
                self._kept[make, args] = make(self, *args)
            made: T = self._kept[make, args]
            return made

    def text(self, words: str) -> int:
        """Return the number of a text in the pool, which the front end reads it by."""
        with self.lock:
            number = self._ids.setdefault(words, len(self._texts))
            if number == len(self._texts):
                self._texts.append(words)
            return number

    def words(self, number: int) -> str:
        """Return the text of a number."""
        return self._texts[number]

    @kept
    def order(self) -> dict[str, list[int]]:
        """The events' indices in each order."""
        index = {id(event): at for at, event in enumerate(self.run.events)}
        return {
            "happened": list(range(len(self.run))),
            "path": [index[id(event)] for event in self.run.by_path()],
        }

    @kept
    def positions(self) -> dict[str, list[int]]:
        """Where each event stands in each order: the inverse of `order`."""
        out = {}
        for name, order in self.order.items():
            places = [0] * len(order)
            for place, at in enumerate(order):
                places[at] = place
            out[name] = places
        return out

    @kept
    def places(self) -> dict[str, int]:
        """The index of the event that a path's words came from: its answer, else what it names."""
        found: dict[str, int] = {}
        for at, event in enumerate(self.run.events):
            if isinstance(event, AT_PATHS):  # an answer comes after its command
                found[event.path] = at
        return found

    @kept
    def asked_at(self) -> dict[str, int]:
        """The index of the command at a path."""
        events = enumerate(self.run.events)
        return {event.path: at for at, event in events if isinstance(event, COMMANDS)}

    @kept
    def verdicts(self) -> dict[str, list[tuple[str, str | None, Judgement]]]:
        """The audit's verdicts by path, as (auditor, peer, judgement)."""
        judged = self.judged
        out: dict[str, list[tuple[str, str | None, Judgement]]] = {}
        for path, found in judged.logic.items():
            out.setdefault(path, []).append(("logic", None, found))
        for (path, peer), found in judged.tom.items():
            out.setdefault(path, []).append(("tom", peer, found))
        for path, found in judged.rag.items():
            out.setdefault(path, []).append(("rag", None, found))
        return out

    @kept
    def judged(self) -> Judgements:
        """The audit's verdicts by what they are about."""
        return judgements(self.audit)

    @kept
    def told(self) -> Any:
        """The run's story (`workbench.views.turns.Story`)."""
        return story(self.run)

    @kept
    def agents(self) -> list[str]:
        """Who acts in the run, in causal order of the first act."""
        return agents(self.run)

    @kept
    def hues(self) -> dict[str, int]:
        """The agents' colours."""
        return hues(self.run, self.agents)

    def agent(self, event: Event, commands: Mapping[str, Command] | None = None) -> str | None:
        """Return whose event it is; None for the run's own.

        `commands` are those of the run; another mapping knows of newer ones.
        """
        return agent_of(event, self.run.commands if commands is None else commands)

    @kept
    def titles(self) -> dict[str, str]:
        """The agents' titles, where the run's parameters give any."""
        return story(self.run.before(1)).titles

    def title(self, agent: str) -> str:
        """Return an agent's title, as one reads it."""
        return brief(shown(agent, self.titles))

    def head(self) -> dict[str, JSON]:
        """Return what every view needs at once: what ran, how it stands, and who acts in it."""
        run, use, session = self.run, self.run.usage, self.session
        ended, lineage = run.ended, run.started.lineage
        return {
            "title": title_of(run)[:300],
            "protocol": brief(run.started.protocol),
            "status": run.status,
            "error": ended.error[:2000] if ended and ended.error else None,
            "failures": [
                {"path": e.path, "error": e.error, "message": e.message[:2000]}
                for e in list(run.failures.values())[:20]
            ],
            "failed": len(run.failures),
            "events": len(run),
            "digest": self._digest(),
            "models": [brief(name) for name in model_names(run)],
            "usage": use._asdict(),
            "agents": [[name, self.title(name), self.hues[name]] for name in self.agents],
            "lineage": None
            if lineage is None
            else {
                "parent": lineage.parent,
                "rule": lineage.rule,
                "seed": str(lineage.seed),  # it has more bits than a number of the front end
                "edits": [[how, what[:500]] for how, what in edits(lineage)[:20]],
                "depth": len(lineage.earlier) + 1,
            },
            "live": bool(session and session.live),
            "pending": session.pending if session else [],
            "audited": self.audit is not None,
        }

    def _digest(self) -> str | None:
        """Return the run's digest; None while it is live, and where it would take long."""
        if len(self.run) > DIGESTED or (self.session and self.session.live):
            return None
        return digest_of(self.run)


def brief(name: str) -> str:
    """Return a name that is no longer than names are, and how much of it is left out."""
    if len(name) <= NAMED:
        return name
    left = len(name) - NAMED
    return f"{name[: NAMED - NAMES_END]}… (+{left:,}) …{name[-NAMES_END:]}"


def given(run: object) -> Run | Session:
    """Return the run or the session that a widget was given, or the run at a path."""
    return run if isinstance(run, Session) else opened(run, "a widget takes a Run, a Session")


def opened(run: object, wants: str) -> Run:
    """Return a run, or the run at a path; `wants` begins the sentence about anything else.

    Raises
    ------
    TypeError
        If it is neither.
    RunFileError
        If there is no run at the path.
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, str | os.PathLike):
        return open_run(run)
    raise TypeError(f"{wants} or the path of a run's file, not {visible(repr(run))[:80]}")


def digest_of(run: Run) -> str | None:
    """Return a run's digest; None for one that no file could hold (half a surrogate pair)."""
    try:
        return run.digest
    except ValueError:
        return None


def _check_subject(run: Run, audit: Run | None, *, live: bool) -> None:
    """Refuse an audit of another run: its verdicts would stand beside the wrong words."""
    if audit is None:
        return
    subject = audit.started.subject
    if subject is None:
        raise ValueError(
            f"audit= takes an audit of the run, and this is no audit but a run of "
            f"{visible(audit.started.protocol)!r}"
        )
    digest = None if live else digest_of(run)
    if digest is not None and digest != subject:
        raise ValueError(
            f"the audit is about the run {subject[:12]}, and this one is {digest[:12]}: its "
            "verdicts would stand beside the wrong words"
        )


_SOURCES: weakref.WeakValueDictionary[tuple[int, int], Source] = weakref.WeakValueDictionary()
"""By the identities of run and audit, which their source keeps alive; gone with its last widget."""


def turn(event: Event) -> int | None:
    """Return the turn that an event belongs to."""
    data = event.data if isinstance(event, Posted) else None
    return turn_of(getattr(event, "path", ""), data)


def exact(number: int | None) -> int | str | None:
    """Return a whole number as the front end can hold it: from 2**53 on as a text."""
    return number if number is None or abs(number) < 2**53 else str(number)


class Pages:
    """The pages that a widget can give out.

    Parameters
    ----------
    source : Source
    makers : dict of str to callable
        By kind. The text numbers of a page stand in its lists and dicts as ``{"t": number}``.
    """

    def __init__(self, source: Source, makers: dict[str, PageMaker]) -> None:
        self.source = source
        self.makers = makers

    def page(self, kind: str, key: str) -> dict[str, JSON]:
        """Return a page with the texts that it refers to.

        Raises
        ------
        KeyError
            If there is no such page.
        """
        if kind not in self.makers:
            raise KeyError(f"no pages of the kind {kind!r}")
        with self.source.lock:
            page = self.makers[kind](self.source, key)
        return {"page": page, "texts": {str(n): self.source.words(n) for n in sorted(refs(page))}}

    def first(self, wanted: Iterable[tuple[str, str]], budget: float) -> dict[str, JSON]:
        """Return as many of the wanted pages as fit into `budget` bytes, and their texts.

        ``complete`` tells whether all did; then the views need no kernel.
        """
        pages: dict[str, JSON] = {}
        texts: dict[str, str] = {}
        room = budget
        complete = True
        for kind, key in wanted:
            made = self.page(kind, key)
            new = {n: words for n, words in made["texts"].items() if n not in texts}
            size = len(dumped(made["page"])) + len(dumped(new)) + len(kind) + len(key) + 8
            if size > room:
                complete = False
                break
            room -= size
            pages[f"{kind}/{key}"] = made["page"]
            texts |= new
        return {"pages": pages, "texts": texts, "complete": complete}


def refs(value: JSON) -> set[int]:
    """Return the numbers of the texts that a page refers to."""
    return set(_refs(value))


def _refs(value: JSON) -> Iterator[int]:
    if isinstance(value, dict):
        if len(value) == 1 and "t" in value:
            yield value["t"]
        else:
            for item in value.values():
                yield from _refs(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _refs(item)


def dumped(value: JSON) -> bytes:
    """Return JSON as it goes over the wire; half a surrogate pair becomes its escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        errors="backslashreplace"
    )
