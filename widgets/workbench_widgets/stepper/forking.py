"""Fork a run from a selected turn, question or answer, and keep the fork."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import workbench as wb
from workbench import Run, RunError
from workbench.engine.drive import Human, Models, by_role
from workbench.engine.protocol import World
from workbench.engine.run import recorded_models
from workbench.errors import WorkbenchError
from workbench.lm.base import LM
from workbench.record.events import (
    COMMANDS,
    Answered,
    Called,
    Command,
    Event,
    Failed,
    Returned,
    Said,
)
from workbench_widgets.shared.arguments import check
from workbench_widgets.shared.source import JSON, Source
from workbench_widgets.stepper.waits import UnderWay, ticking, waits

if TYPE_CHECKING:
    from workbench_widgets.stepper.widget import Stepper


class Making(UnderWay):
    """A fork under way.

    Attributes
    ----------
    pending : dict of str to Command
        What waits for an answer, by path.
    """

    def __init__(self, path: str, source: Source, lm: Models | None) -> None:
        super().__init__("fork")
        self.path, self.source = path, source
        self.answered = 0
        self.pending: dict[str, Command] = {}
        self.models: dict[str, LM] = {}
        with suppress(WorkbenchError):  # the fork itself will raise it, and says what to do
            self.models = by_role(recorded_models(source.run.started) if lm is None else lm)
        self._stop = threading.Event()

    def heard(self, event: Event) -> None:
        """Take note of an event of the fork."""
        if isinstance(event, COMMANDS):
            self.pending[event.path] = event
        elif isinstance(event, Answered | Returned | Said | Failed):
            self.pending.pop(event.path, None)
            self.answered += not isinstance(event, Failed) and event.origin is None

    def through(self, fork: Coroutine[Any, Any, Run]) -> Run | None:
        """Wait for the fork; return it as far as it came, None if it was stopped before."""
        try:
            return wb.wait(fork, stop=self._stop)
        except KeyboardInterrupt as stopped:
            return getattr(stopped, "run", None)

    def stop(self) -> None:
        """Break off: what was answered is kept, and what is under way is not waited for."""
        self.stopping = True
        self._stop.set()

    def told(self) -> dict[str, JSON]:
        """Return also the ``path``, how many were ``answered``, and what is waited for."""
        pending = waits(self.source, list(self.pending.values()), self.models)
        return {**super().told(), "path": self.path, "answered": self.answered, "waits": pending}


class Forks:
    """The forks made in a stepper.

    Attributes
    ----------
    made : list of Run
    doing : Making or None
        The fork under way.
    """

    def __init__(
        self,
        widget: Stepper,
        *,
        lm: Models | None,
        world: World | None,
        human: Human | None,
        to: str | os.PathLike[str] | None,
    ) -> None:
        by_role(lm)  # which refuses what is no language model
        check(isinstance(world, Mapping | None), "world", world, "the tools by name")
        check(human is None or callable(human), "human", human, "a function that answers")
        check(isinstance(to, str | os.PathLike | None), "forks_to", to, "the path of a folder")
        self.widget = widget
        self.lm, self.world, self.human = lm, world, human
        self.folder = None if to is None else Path(to)
        self.made: list[Run] = []
        self.doing: Making | None = None

    def make(
        self,
        path: str,
        *,
        rule: Literal["prefix", "unchanged"] = "prefix",
        text: str | None = None,
        seed: str | None = None,
    ) -> dict[str, JSON]:
        """Ask again what lies at `path` (a turn's or an ask's), or put `text` in as the answer.

        `seed` is a text, since it may have more bits than a number of the front end.

        Returns
        -------
        dict
            ``fork``: its number from 1, or None if there is none; ``failed``: why it stopped;
            ``stopped``: whether `stop` did it; ``file``: where it is kept, if it has a file.
        """
        run = self.widget.run
        session = self.widget.source.session
        if session is not None and session.live:
            raise ValueError("the run is still live; it can be forked once it has ended")
        if self.lm is None and session is not None:
            self.lm = session.models or None  # also for a fork of what is forked now
        draw = _seed(seed)
        number = len(self.made) + 1
        making = self.doing = Making(path, self.widget.source, self.lm)
        made: Run | None = None
        failed: str | None = None
        try:
            fork = wb.fork(
                run,
                None if text is None else {path: _answer(run, path, text)},
                at=(path,) if text is None else (),
                rule=rule,
                lm=self.lm,
                world=self.world,
                human=self.human,
                to=self._file(number),
                seed=draw,
                on_event=making.heard,
            )
            self._show()
            with ticking(self._show):
                made = making.through(fork)
        except RunError as error:
            made, failed = error.run, str(error)
        except WorkbenchError as error:
            failed = str(error)
        finally:
            if made is not None:
                self.made.append(made)
            self.doing = None
            self._show()
        return {
            "fork": None if made is None else number,
            "failed": failed,
            "stopped": making.stopping,
            "file": None if made is None or made.path is None else str(made.path),
        }

    def stop(self) -> None:
        """Break off the fork under way."""
        if self.doing is not None:
            self.doing.stop()
            self._show()

    def _show(self) -> None:
        self.widget.taken(grew=False)

    def _file(self, number: int) -> Path | None:
        """Return the first file that is free; a run never overwrites one."""
        if self.folder is None:
            return None
        files = (self.folder / f"fork-{n}.run.jsonl" for n in count(number))
        return next(file for file in files if not file.exists())


def _seed(words: str | None) -> int | None:
    if words is None:
        return None
    try:
        return int(words)
    except ValueError:
        raise ValueError(f"a seed is a whole number, and {words[:80]!r} is none") from None


def _answer(run: Run, path: str, text: str) -> JSON:
    """Return what a text means as an answer: JSON for a tool, else the text itself."""
    if not isinstance(run.commands.get(path), Called):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"the result of a tool is JSON, and this is none: {error}") from None
