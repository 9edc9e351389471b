"""Drive a live session from the front end's buttons; the run goes on beside the kernel's thread."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import RunError, Session
from workbench.record.events import COMMANDS, Command, Event
from workbench_widgets.shared.source import JSON, Source
from workbench_widgets.stepper.find import Matcher, Query
from workbench_widgets.stepper.index import flags_of, kind_of, verdicts_of
from workbench_widgets.stepper.waits import UnderWay, ticking

if TYPE_CHECKING:
    from workbench_widgets.stepper.widget import Stepper


class Live:
    """What drives a session: one for all widgets on it, so that each can stop what another began.

    Attributes
    ----------
    doing : UnderWay or None
        What is under way.
    """

    def __init__(self) -> None:
        self.doing: UnderWay | None = None
        self._one_at_a_time = threading.Lock()
        self._telling = threading.RLock()  # a stop that comes at the very end is not told after it
        self._stop = threading.Event()

    @classmethod
    def of(cls, session: Session) -> Live:
        """Return what drives a session."""
        return _LIVES.setdefault(session, cls())

    def stop(self, source: Source) -> None:
        """Send nothing new; what is under way is waited for, since it is paid for."""
        self._stop.set()
        with self._telling:
            if self.doing is not None:
                self.doing.stopping = True
                _tell(source)

    def drive(
        self, widget: Stepper, session: Session, unit: str, stops: Sequence[Query] = ()
    ) -> dict[str, JSON]:
        """Go on from the live edge: ``answer``, ``turn``, or ``play`` to a stop or the end.

        Returns
        -------
        dict
            ``failed``: why the world did not answer, or None; the session can be driven again.
            ``stopped``: whether a breakpoint was hit.

        Raises
        ------
        RuntimeError
            If a widget drives the session already.
        """
        if not self._one_at_a_time.acquire(blocking=False):
            raise RuntimeError("this session is under way already; stop it, or wait for its end")
        try:
            self._stop.clear()
            by = "a widget plays it" if unit == "play" else f"a widget steps it by {unit}"
            with session.held(by):
                return self._drive(widget, session, unit, stops)
        finally:
            self._one_at_a_time.release()

    def _drive(
        self, widget: Stepper, session: Session, unit: str, stops: Sequence[Query]
    ) -> dict[str, JSON]:
        edge = len(session.run)
        holds = _Stops(widget.source, session, stops)

        def stop(event: Event) -> bool:
            return holds(event) or self._stop.is_set()

        self.doing = UnderWay(unit)
        _tell(widget.source)
        failed = None
        try:
            with ticking(lambda: _tell(widget.source)):
                session.goto(edge)
                session.play(stop=stop) if unit == "play" else session.step(unit, stop=stop)
        except RunError as error:
            failed = str(error)
        finally:
            with self._telling:
                self.doing = None
            widget.grown()
        events = session.run.events
        theirs = (b(e) for e in events[edge:] for b in session.breakpoints)
        stopped = holds.hit is not None or any(theirs)
        if not self._stop.is_set() and failed is None and session.cursor > edge:
            widget.cursor.at = session.cursor - 1
        else:
            widget.cursor.at = len(events) - 1
        return {"failed": failed, "stopped": stopped}


_LIVES: weakref.WeakKeyDictionary[Session, Live] = weakref.WeakKeyDictionary()


def _tell(source: Source) -> None:
    """Show what is under way in all widgets on the session: their buttons go by it."""
    for widget in source.watchers:
        widget.taken(grew=False)


class _Stops:
    """Whether one of the queries holds for an event as it comes."""

    def __init__(self, source: Source, session: Session, queries: Sequence[Query]) -> None:
        self.source = source
        self.matchers = [Matcher(source, query) for query in queries]
        self.commands: dict[str, Command] = dict(session.run.commands)
        self.hit: Event | None = None

    def __call__(self, event: Event) -> bool:
        if not self.matchers:
            return False
        if isinstance(event, COMMANDS):
            self.commands[event.path] = event
        agent = self.source.agent(event, self.commands)
        held = any(
            matcher.fits(
                event, kind_of(event), agent, flags_of(event), verdicts_of(self.source, event)
            )
            for matcher in self.matchers
        )
        if held and self.hit is None:
            self.hit = event
        return held
