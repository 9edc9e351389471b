"""Fork a run from a selected turn, question or answer, and keep the fork."""

from __future__ import annotations

import json
import os
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import workbench as wb
from workbench import Run, RunError
from workbench.engine.drive import Human, Models
from workbench.engine.protocol import World
from workbench.errors import WorkbenchError
from workbench.record.events import Called, Event
from workbench_widgets.shared.source import JSON

if TYPE_CHECKING:
    from workbench_widgets.stepper.widget import Stepper

TICK_S = 0.2


class Forks:
    """The forks made in a stepper.

    Attributes
    ----------
    made : list of Run
    doing : dict or None
        The fork under way: its ``path``, and how many ``events`` it has so far.
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
        self.widget = widget
        self.lm, self.world, self.human = lm, world, human
        self.folder = None if to is None else Path(to)
        self.made: list[Run] = []
        self.doing: dict[str, JSON] | None = None

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
            ``fork``: its number from 1, or None if there is none; ``failed``: why it stopped.
        """
        run = self.widget.run
        session = self.widget.source.session
        if session is not None and session.live:
            raise ValueError("the run is still live; it can be forked once it has ended")
        draw = _seed(seed)
        begun, last = len(self.made) + 1, time.monotonic()
        heard_of = 0

        def heard(_: Event) -> None:
            nonlocal heard_of, last
            heard_of += 1
            if (now := time.monotonic()) - last > TICK_S:
                last = now
                self._tell({"what": "fork", "events": heard_of, "path": path})

        self._tell({"what": "fork", "events": 0, "path": path})
        made: Run | None = None
        failed: str | None = None
        try:
            made = wb.wait(
                wb.fork(
                    run,
                    None if text is None else {path: _answer(run, path, text)},
                    at=(path,) if text is None else (),
                    rule=rule,
                    lm=self.lm,
                    world=self.world,
                    human=self.human,
                    to=self._file(begun),
                    seed=draw,
                    on_event=heard,
                )
            )
        except RunError as error:
            made, failed = error.run, str(error)
        except WorkbenchError as error:
            failed = str(error)
        finally:
            if made is not None:
                self.made.append(made)
            self._tell(None)
        return {"fork": None if made is None else begun, "failed": failed}

    def _tell(self, doing: dict[str, JSON] | None) -> None:
        """Show what is under way."""
        self.doing = doing
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
