"""Drive a live session from the front end's buttons; the run goes on beside the kernel's thread."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import RunError, Session
from workbench.record.events import COMMANDS, Command, Event
from workbench_widgets.shared.source import JSON
from workbench_widgets.stepper.find import Matcher, Query
from workbench_widgets.stepper.index import flags_of, kind_of, verdicts_of

if TYPE_CHECKING:
    from workbench_widgets.stepper.widget import Stepping

TICK_S = 0.2
"""How often the front end is shown what has come meanwhile."""


class Live:
    """The live edge of a stepper's session."""

    def __init__(self, widget: Stepping) -> None:
        self.widget = widget
        self._stop = threading.Event()

    def stop(self) -> None:
        """Send nothing new; what is under way is waited for, since it is paid for."""
        self._stop.set()
        if self.widget.doing:
            self.widget.tell({**self.widget.doing, "stopping": True})

    def drive(self, unit: str, stops: Sequence[Query] = ()) -> dict[str, JSON]:
        """Go on from the live edge: ``answer``, ``turn``, or ``play`` to a stop or the end.

        Returns
        -------
        dict
            ``failed``: why the world did not answer, or None; the session can be driven again.
            ``stopped``: whether a breakpoint was hit.
        """
        session = self.widget.source.session
        if session is None:
            raise ValueError("this is a finished run, and no session: there is nothing to drive")
        edge = len(session.run)
        holds = _Stops(self.widget, session, stops)
        theirs = session.breakpoints
        self._stop.clear()
        session.breakpoints = [*theirs, holds, lambda _: self._stop.is_set()]
        self.widget.tell({"what": unit, "stopping": False})
        done = threading.Event()
        ticking = threading.Thread(target=self._tick, args=(done,), daemon=True)
        ticking.start()
        failed = None
        try:
            session.goto(edge)
            session.play() if unit == "play" else session.step(unit)
        except RunError as error:
            failed = str(error)
        finally:
            session.breakpoints = theirs
            done.set()
            ticking.join()
            self.widget.doing = None
            self.widget.grown()
            self.widget.tell(None)
        events = session.run.events
        stopped = holds.hit is not None or any(b(e) for e in events[edge:] for b in theirs)
        if not self._stop.is_set() and failed is None and session.cursor > edge:
            self.widget.cursor.at = session.cursor - 1
        else:
            self.widget.cursor.at = len(events) - 1
        return {"failed": failed, "stopped": stopped}

    def _tick(self, done: threading.Event) -> None:
        while not done.wait(TICK_S):
            self.widget.grown()


class _Stops:
    """Whether one of the queries holds for an event as it comes."""

    def __init__(self, widget: Stepping, session: Session, queries: Sequence[Query]) -> None:
        self.source = widget.source
        self.matchers = [Matcher(self.source, query) for query in queries]
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
