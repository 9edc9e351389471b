"""Step a run forward and back: a cursor over events, with a live edge that answers on demand."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import Any, Literal, Self

from workbench.engine.drive import (
    Human,
    Models,
    Recorder,
    Responder,
    begin,
    conclude,
    drive,
)
from workbench.engine.execution import Execution
from workbench.engine.inheritance import check_whole, edits_of
from workbench.engine.loop import inside, wait
from workbench.engine.protocol import Bound, World, find_protocol
from workbench.engine.run import started
from workbench.engine.seeds import Seeds
from workbench.engine.verify import retrace
from workbench.errors import RunError
from workbench.lm.base import LM
from workbench.record.events import ANSWERS, Event, RunEnded, Sampling
from workbench.record.log import Log
from workbench.record.order import natural
from workbench.record.run import Run, open_run
from workbench.record.visible import visible

Unit = Literal["event", "answer"] | str
Breakpoint = Callable[[Event], bool]


class Session:
    """A run that is stepped.

    Over a finished run, stepping moves a cursor. Over a protocol, or an interrupted run, stepping
    past the live edge answers what is pending; going back moves the cursor and undoes nothing.
    All methods are plain: they wait on a private loop, and work in any notebook. Threads that step
    one session take turns; while a widget steps it, others are refused.

    Parameters
    ----------
    source : Bound, Run or path
        A protocol to run live, or a run. The file of an interrupted run is gone on with when `lm`
        is given; otherwise it is only read.
    lm, world, human, to, seed, sampling
        As for `run`; the last three go with a protocol alone.
    breakpoints : iterable of callable
        Each takes an event; `play` and steps by scope stop after an event for which one holds.

    Attributes
    ----------
    cursor : int
        How many events lie before the cursor; 0 at the beginning.

    Examples
    --------
    >>> session = Session("sample_runs/aura_hub/aura_hub.run.jsonl")  # doctest: +SKIP
    >>> session.step("turn")  # doctest: +SKIP
    """

    def __init__(
        self,
        source: Bound[Any] | Run | str | os.PathLike[str],
        *,
        lm: Models | None = None,
        world: World | None = None,
        human: Human | None = None,
        to: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        sampling: Sampling | None = None,
        breakpoints: Iterable[Breakpoint] = (),
    ) -> None:
        self.breakpoints = list(breakpoints)
        self.cursor = 0
        self._execution: Execution | None = None
        self._path: Path | None = None
        self._stack: AsyncExitStack | None = None
        self._closed = False
        self._one_at_a_time = threading.RLock()
        self._held: tuple[int, str] | None = None
        self._listeners = _Listeners()
        if isinstance(source, Bound):
            first = started(source, lm=lm, seed=0 if seed is None else seed, sampling=sampling)
            self._execution = Execution(source.steps(), seed=Seeds.of(first))
            self._responder = Responder(lm, source.world() if world is None else world, human)
            log = Log.create(to) if to is not None else None
            self._recorder = Recorder([], log, self._listeners)
            begin(self._execution, first, self._recorder)
        else:
            given = {"to": to, "seed": seed, "sampling": sampling}
            if lost := [f"{name}=" for name, value in given.items() if value is not None]:
                raise ValueError(
                    f"{', '.join(lost)} goes with a protocol: a run has its own seed and sampling, "
                    "and stays in its file. fork() or rerun() make another run of it"
                )
            self._open(source, lm, world, human)

    def _open(
        self,
        source: Run | str | os.PathLike[str],
        lm: Models | None,
        world: World | None,
        human: Human | None,
    ) -> None:
        run = source if isinstance(source, Run) else open_run(source)
        log = None
        if lm is not None and run.ended is None:
            if run.path is not None:
                log, events = Log.resume(run.path)
                run = Run(events, run.path)
            try:
                check_whole(run)
                start = run.started
                bound = find_protocol(start.protocol).bind(start.params, start.subject)
                self._execution, missing = retrace(run, bound)
                tools = bound.world(run.folder) if world is None else world
            except BaseException:
                if log is not None:
                    log.close()
                raise
            self._responder = Responder(lm, tools, human, edits_of(start))
            self._recorder = Recorder(run.events, log, self._listeners)
            self._recorder(missing)
        else:
            self._recorder = Recorder(run.events)
        self._path = run.path

    @property
    def run(self) -> Run:
        """All that has happened, also past the cursor."""
        run = self._recorder.run()
        return Run(run.events, run.path or self._path)

    @property
    def now(self) -> Run:
        """The run as it was at the cursor."""
        return self.run.before(self.cursor)

    @property
    def event(self) -> Event | None:
        """The event just before the cursor."""
        return self._events[self.cursor - 1] if self.cursor else None

    @property
    def done(self) -> bool:
        """Whether the cursor is at the end and nothing more can come."""
        return self.cursor == len(self._events) and not self.live

    @property
    def live(self) -> bool:
        """Whether there is a live edge: commands that wait for an answer. A closed one has none."""
        return self._unfinished and not self._closed

    @property
    def _unfinished(self) -> bool:
        return self._execution is not None and not self._execution.done

    @property
    def pending(self) -> list[str]:
        """The paths of the commands that wait at the live edge, in causal order."""
        if self._execution is None or self._closed:
            return []
        waiting = list(self._execution.pending.values())  # at once: another thread may step
        return [c.path for c in sorted(waiting, key=lambda c: (c.clock, natural(c.path)))]

    @property
    def models(self) -> dict[str, LM]:
        """Who answers at the live edge, by role (``"*"``: all others); nobody over a mere run."""
        return {} if self._execution is None else dict(self._responder.models)

    def listen(self, listener: Callable[[Event | None], object]) -> None:
        """Tell a bound method each event that comes from now on, whoever steps.

        A session that is closed before its end tells None, since nothing more will come.
        It is called on another thread, and the run waits for it: it is to be quick, and to raise
        nothing. Its object is held weakly, and forgotten once it is gone.
        """
        self._listeners.add(listener)

    @property
    def _events(self) -> list[Event]:
        return self._recorder.events

    def step(self, unit: Unit = "answer", *, stop: Breakpoint | None = None) -> Event | None:
        """Go one step forward and return the event at the cursor.

        Parameters
        ----------
        unit : str
            ``"event"``; ``"answer"`` (to the next answer, with what it caused); or the name of a
            path segment: ``"turn"`` goes to the end of the current turn.
        stop : callable, optional
            A breakpoint of this step alone; like the others it matters to steps by scope.

        Raises
        ------
        RunFailed
            If the world did not answer; the session can be stepped again.
        RunError
            If the protocol raised, or the session is closed.
        RuntimeError
            If a widget steps it meanwhile.
        ValueError
            If no path so far has a segment of the unit's name.
        """
        with self._alone():
            if unit == "event":
                if self.cursor == len(self._events):
                    self._answer_one()
                self.cursor = min(self.cursor + 1, len(self._events))
            elif unit == "answer":
                if not any(isinstance(e, ANSWERS) for e in self._events[self.cursor :]):
                    self._answer_one()
                self.cursor = self._end_of_answer(self.cursor)
            else:
                self._to_scope_end(unit, stop)
            return self.event

    def back(self, unit: Unit = "answer") -> Event | None:
        """Go one step back and return the event at the cursor."""
        if unit == "event":
            self.cursor = max(0, self.cursor - 1)
            return self.event
        self._check_unit(unit)
        stops = self._stops(unit)
        self.cursor = max((s for s in stops if s < self.cursor), default=0)
        return self.event

    def goto(self, place: int | str) -> Event | None:
        """Move the cursor to an event count, or just after the last event at a path.

        Raises
        ------
        IndexError, KeyError, TypeError
            If there is no such place in what has happened so far.
        """
        if isinstance(place, str):
            found = [i for i, e in enumerate(self._events, 1) if getattr(e, "path", None) == place]
            if not found:
                raise KeyError(f"{place} has not happened yet")
            place = found[-1]
        place = index(place)
        if not 0 <= place <= len(self._events):
            raise IndexError(f"{place} is not between 0 and {len(self._events)}")
        self.cursor = place
        return self.event

    def play(self, *, stop: Breakpoint | None = None) -> Event | None:
        """Go on to a breakpoint, or to the end; live commands are answered many at once.

        Parameters
        ----------
        stop : callable, optional
            A breakpoint of this call alone: it takes an event, is asked about each that comes, on
            another thread and perhaps more than once, and where it holds nothing new is sent. What
            is under way is paid for, and is waited for and recorded.

        Examples
        --------
        Stop when a button is pressed in another thread:

        >>> pressed = threading.Event()  # doctest: +SKIP
        >>> session.play(stop=lambda event: pressed.is_set())  # doctest: +SKIP
        """
        with self._alone():
            hit = self._breakpoint(self.cursor, stop)
            if hit is None and self._unfinished:
                edge = len(self._events)
                self._drive(stop=lambda events: any(self._breaks(e, stop) for e in events))
                hit = self._breakpoint(edge, stop)
            self.cursor = len(self._events) if hit is None else hit
            return self.event

    def close(self) -> None:
        """Close the file and the clients. The session can still be read.

        Where another thread is playing, that sends nothing new from the next answer on; what is
        under way is paid for, and is waited for and recorded first.
        """
        if not inside():
            self._closed = True
        with self._alone(waiting=True):
            stack, self._stack = self._stack, None
            try:
                if stack is not None:
                    wait(stack.aclose())
            finally:
                self._recorder.close()
        if self._unfinished:
            self._listeners(None)

    @contextmanager
    def held(self, by: str) -> Iterator[None]:
        """Keep steps to this thread for a while: those of others are refused, and do not wait.

        Parameters
        ----------
        by : str
            Who steps meanwhile, as the others are told: ``"a widget plays it"``.
        """
        self._held = threading.get_ident(), by
        try:
            yield
        finally:
            self._held = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def _alone(self, *, waiting: bool = False) -> Iterator[None]:
        """Keep other threads from paying for the same answer, which would then be there twice."""
        if inside():  # a tool, a human or a breakpoint: the step that waits for it holds the lock
            raise RuntimeError("what answers a session's commands cannot step or close the session")
        held = None if waiting else self._held
        if held is not None and held[0] != threading.get_ident():
            raise RuntimeError(
                f"this session is under way: {held[1]}; stop it there, or wait for its end"
            )
        with self._one_at_a_time:
            yield

    def _breaks(self, event: Event, stop: Breakpoint | None) -> bool:
        if stop is not None and stop(event):
            return True
        return any(holds(event) for holds in self.breakpoints)

    def _breakpoint(self, start: int, stop: Breakpoint | None) -> int | None:
        for count, event in enumerate(self._events[start:], start + 1):
            if self._breaks(event, stop):
                return count
        return None

    def _stops(self, unit: Unit) -> list[int]:
        """Return the places where steps of `unit` end."""
        events = self._events
        if unit == "answer":
            stops, cursor = [], 0
            while cursor < len(events):
                cursor = self._end_of_answer(cursor)
                stops.append(cursor)
            return stops
        marks = [self._scope(e, unit) for e in events]
        known = [(i, m) for i, m in enumerate(marks) if m is not None]
        ends = [j for (_, a), (j, b) in pairwise(known) if a != b]
        return [*ends, len(events)]

    def _end_of_answer(self, cursor: int) -> int:
        """Return the place after the next answer and the events that it caused."""
        events = self._events
        seen = False
        for count in range(cursor, len(events)):
            if isinstance(events[count], ANSWERS):
                if seen:
                    return count
                seen = True
        return len(events)

    @staticmethod
    def _scope(event: Event, name: str) -> str | None:
        found = re.search(rf"/{re.escape(name)}=([^/]+)", getattr(event, "path", ""))
        return found.group(1) if found else None

    def _check_unit(self, unit: str) -> None:
        """Refuse a unit that names nothing here: a slip of the pen is not to pay for a run."""
        paths = [getattr(event, "path", "") for event in self._events]
        segments = {name for path in paths for name in re.findall(r"/([^/=]+)=", path)}
        if unit not in ("event", "answer") and unit not in segments:
            known = ", ".join(sorted({"event", "answer", *segments}))
            raise ValueError(f"no path has a segment {unit}=...; a step is one of {known}")

    def _to_scope_end(self, unit: str, stop: Breakpoint | None) -> None:
        self._check_unit(unit)

        def halts(events: Sequence[Event]) -> bool:
            return stop_at() is not None or any(self._breaks(e, stop) for e in events)

        def stop_at() -> int | None:
            """Return the first place past the cursor where another scope has begun."""
            current = None
            for count, event in enumerate(self._events[self.cursor :], self.cursor):
                mark = self._scope(event, unit)
                if mark is None:
                    continue
                if current is not None and mark != current:
                    return count
                current = mark
            return None

        start = self.cursor
        place = stop_at()
        if place is None and self._unfinished:
            self._drive(stop=halts)
            place = stop_at()
        place = len(self._events) if place is None else place
        hit = self._breakpoint(start, stop)
        self.cursor = place if hit is None else min(place, hit)

    def _answer_one(self) -> None:
        if self._unfinished:
            self._drive(only=next(iter(self.pending), None))

    def _drive(
        self,
        stop: Callable[[Sequence[Event]], bool] | None = None,
        only: str | None = None,
    ) -> None:
        execution = self._execution
        assert execution is not None  # callers ask `_unfinished` first
        if self._closed:
            raise RunError("this session is closed; open one over its run to go on", self.run)

        def halts(events: Sequence[Event]) -> bool:
            return self._closed or (stop is not None and stop(events))

        async def go() -> None:
            if self._stack is None:
                stack = AsyncExitStack()
                await stack.enter_async_context(self._responder.session())
                self._stack = stack
            await drive(execution, self._responder, self._recorder, stop=halts, only=only)

        self._responder.causes.clear()
        wait(go())
        if execution.done:
            self.close()
        conclude(execution, self._responder, self.run)

    def __repr__(self) -> str:
        where = f"{self.cursor} of {len(self._events)} events"
        edge = f", {len(self.pending)} waiting at the live edge" if self.live else ""
        at = getattr(self.event, "path", "the end" if isinstance(self.event, RunEnded) else "start")
        return visible(f"<Session {self.run.started.protocol}: {where}, at {at}{edge}>")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from workbench.views.html import run_html

        return {"text/plain": repr(self), "text/html": run_html(self.now, title=repr(self))}


class _Listeners:
    """Who is told of each event; it knows no session, which so goes with its last name."""

    def __init__(self) -> None:
        self._known: tuple[weakref.WeakMethod[Callable[[Event | None], object]], ...] = ()

    def add(self, listener: Callable[[Event | None], object]) -> None:
        alive = (known for known in self._known if known() is not None)
        self._known = (*alive, weakref.WeakMethod(listener))  # another thread may be telling

    def __call__(self, event: Event | None) -> None:
        for known in self._known:
            if (listener := known()) is not None:
                listener(event)
