"""The stepper: a run, event by event, forward and back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from workbench import Run, Session
from workbench.engine.drive import Human, Models
from workbench.engine.protocol import World
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.source import JSON, Path, Source
from workbench_widgets.shared.widget import Action, RunWidget
from workbench_widgets.stepper import payload
from workbench_widgets.stepper.find import Query, find
from workbench_widgets.stepper.forking import Forks
from workbench_widgets.stepper.live import Live
from workbench_widgets.stepper.waits import UnderWay, waits


class Stepper(RunWidget):
    """A run's events on a timeline with a lane for each agent, and the selected one in full.

    Works on a finished run, on a live `Session` (its buttons drive the run) and on a fork.

    Parameters
    ----------
    run : Run, Session, path or Source
        What is stepped. Breakpoints are set in the widget, under "Stop at...".
    audit : Run or path, optional
        An audit of the run: its verdicts stand beside what they are about.
    cursor : Cursor, optional
        By default the one that all widgets on this run share.
    lm, world, human : optional
        Who answers what is live in a fork; default: the session's models, else as the run recorded.
    forks_to : path, optional
        A folder that forks are written to, as ``fork-1.run.jsonl``; default: they are only kept in
        `forks`.
    **options
        ``presenter=True``: large type, for a projector.

    Attributes
    ----------
    forks : list of Run
        Made with "Fork here", the oldest first; one that failed is kept as far as it came.

    Examples
    --------
    >>> import workbench as wb
    >>> run = wb.open_run("sample_runs/aura_hub/aura_hub.run.jsonl")
    >>> Stepper(run)
    <Stepper of <Run bilayer: complete, 54 events, 12 calls, 11497 tokens in, 881 out>>
    """

    _esm = esm("stepper/widget.js", "stepper")
    _css = css("stepper")
    makers = payload.MAKERS
    quick: ClassVar[frozenset[str]] = frozenset({"find", "stop", "look"})

    def __init__(
        self,
        run: Run | Session | Path | Source,
        *,
        audit: Run | Path | None = None,
        cursor: Cursor | None = None,
        lm: Models | None = None,
        world: World | None = None,
        human: Human | None = None,
        forks_to: str | os.PathLike[str] | None = None,
        **options: JSON,
    ) -> None:
        self._forks = Forks(self, lm=lm, world=world, human=human, to=forks_to)
        self._looking = 0
        super().__init__(run, audit=audit, cursor=cursor, **options)
        self._given = self.source

    @property
    def forks(self) -> list[Run]:
        """The forks made here, the oldest first."""
        return self._forks.made

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the turns, the rows, then events in full."""
        return payload.first(self.source)

    def actions(self) -> dict[str, Action]:
        """Return find, the live session's steps, fork and look."""
        return {
            "find": self._find,
            "drive": self._drive,
            "stop": self._stop,
            "fork": self._forks.make,
            "look": self._look,
        }

    def more_head(self) -> dict[str, JSON]:
        """Return what is under way, what the session waits for, and which forks there are."""
        session, doing = self.source.session, self.doing
        return {
            "session": session is not None,
            "doing": None if doing is None else doing.told(),
            "waits": None if session is None else self._waits(session),
            "looking": self._looking,
            "forks": [
                {"status": fork.status, "events": len(fork), "calls": fork.usage.calls}
                for fork in self.forks
            ],
        }

    @property
    def doing(self) -> UnderWay | None:
        """What is under way: a fork made here, or what a widget on the same session drives."""
        session = self.source.session
        return self._forks.doing or (None if session is None else Live.of(session).doing)

    def _waits(self, session: Session) -> dict[str, JSON]:
        commands = self.run.commands
        pending = [commands[path] for path in session.pending if path in commands]
        return waits(self.source, pending, session.models)

    def _drive(self, unit: str, stops: Sequence[Query] = ()) -> dict[str, JSON]:
        session = self._session()
        return Live.of(session).drive(self, session, unit, stops)

    def _stop(self) -> None:
        if self._forks.doing is not None:
            self._forks.stop()
        else:
            Live.of(self._session()).stop(self.source)

    def _session(self) -> Session:
        if self.source.session is None:
            raise ValueError("this is a finished run, and no session: there is nothing to drive")
        return self.source.session

    def _find(self, queries: list[Query], order: str) -> JSON:
        return find(self.source, queries, order)

    def _look(self, number: int) -> None:
        """Show a fork (from 1), or the run that was given (0)."""
        if number not in range(len(self.forks) + 1):
            raise IndexError(f"there is no fork {number}")
        self._looking = number
        self.show(Source.of(self.forks[number - 1]) if number else self._given)
