"""What every command has: exit codes, words for a terminal, and a watch on a run under way."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from workbench.record.visible import visible

if TYPE_CHECKING:
    from workbench.record.events import Event
    from workbench.record.run import Run

PAGE = b'<!DOCTYPE html><html lang="en">'
"""How every page of ours begins."""
OK, NO, USAGE, STOPPED, UNUSABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130


HUMAN = "you"
"""Whom a run waits for that consults the person at the terminal."""


class UsageError(Exception):
    """Flags that do not go together."""


def open_closed_streams() -> None:
    """Open the standard streams that were closed (``>&-``) on nothing.

    Else the next file to be opened, such as a run's, would take their place, and what a library
    writes to a stream would go into it. Standard input stays None: there is nothing to be read.
    """
    while (free := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(free)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # to the end
            setattr(sys, name, stream)


def refused(why: object, code: int) -> int:
    """Say why a command could not be carried out, and return its exit code."""
    say(f"workbench: {why}", sys.stderr)
    return code


def say(text: object, file: IO[str] | None = None) -> None:
    """Print for a terminal, which obeys control characters: they are written out."""
    with suppress(OSError) if file is sys.stderr else nullcontext():  # of a terminal that is gone
        print(visible(str(text)), file=file)


def warned(message: object, *_: object, **__: object) -> None:
    """Show a warning as one line, in place of `warnings.showwarning`."""
    say(f"workbench: warning: {message}", sys.stderr)


def beside(run: Path, what: str) -> Path:
    """Return ``NAME.WHAT.run.jsonl`` for the run file ``NAME.run.jsonl``."""
    from workbench.record.log import SUFFIX

    return run.with_name(f"{run.name.removesuffix(SUFFIX)}.{what}{SUFFIX}")


def page_file(path: Path) -> Path:
    """Return where a page is to be written: a new file, or one that holds an earlier page.

    Raises
    ------
    FileExistsError
        If another file is there, such as somebody's notes. Of a run `export` itself says so.
    """
    from workbench.record.log import SUFFIX

    if path.is_file() and path.stat().st_size and not path.name.endswith(SUFFIX):
        with path.open("rb") as file:
            if file.read(len(PAGE)) != PAGE:
                raise FileExistsError(f"{path}: is there, and no page of ours; choose another name")
    return path


def asks(models: Iterable[Mapping[str, Any]], kept: int = 0) -> str | None:
    """Return which models a run asks, so that a slow first answer is no surprise."""
    from workbench.views.markup import plural

    models = list(models)
    names = dict.fromkeys(visible(str(model.get("model", "a model"))) for model in models)
    if not names:
        return None
    first = any(model.get("kind") == "local" for model in models)
    loads = ", in this process: the first answer waits for its weights" if first else ""
    goes_on = f"; {plural(kept, 'answer')} kept" if kept else ""
    return f"asking {', '.join(names)}{loads}{goes_on}"


class Watch:
    """Tell a run's facts on standard error as they come; on a terminal also whom it waits for.

    `begun` is a run that goes on; one that begins tells itself by its first event. One that asks
    nobody (not `is_asking`) names no model.
    """

    def __init__(
        self, args: argparse.Namespace, begun: Run | None = None, *, is_asking: bool = True
    ) -> None:
        from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are one more package

        self._quiet = args.quiet
        self._bar = tqdm(
            disable=args.quiet or not sys.stderr.isatty(),
            bar_format="{desc}{elapsed}{postfix}",
            delay=0.001,  # not before it is known what to show
            leave=False,
        )
        self._is_asking = is_asking
        self._answers = 0
        self._waits: dict[str, str] = {}
        self._held: list[str] = []
        self._over = threading.Event()
        if begun is not None and begun.ended is None:
            self._answers = len(begun.answers)
            self._write(asks(begun.started.models.values(), self._answers))
        self._show()

    def __call__(self, event: Event) -> None:
        """Tell one event."""
        from workbench.record.events import (
            ANSWERS,
            Answered,
            Asked,
            Consulted,
            Failed,
            Returned,
            RunStarted,
            Said,
        )
        from workbench.views.terminal import tell

        if isinstance(event, Asked):
            self._waits[event.path] = event.role
        elif isinstance(event, Consulted):
            self._waits[event.path] = HUMAN
        elif isinstance(event, Answered | Returned | Said | Failed):
            self._waits.pop(event.path, None)
        self._answers += isinstance(event, ANSWERS)
        self._show()
        if isinstance(event, RunStarted):
            inherited = event.lineage.inherited if event.lineage else 0
            self._write(asks(event.models.values(), inherited) if self._is_asking else None)
        elif not self._quiet:
            self._write(tell(event))

    def _show(self) -> None:
        from workbench.views.markup import plural

        whom = ", ".join(dict.fromkeys(visible(role) for role in self._waits.values()))
        self._bar.set_description_str(f"{plural(self._answers, 'answer')}, ", refresh=False)
        self._bar.set_postfix_str(f"waiting for {whom}" if whom else "", refresh=False)

    def _write(self, told: str | None) -> None:
        if told is None or self._quiet:
            return
        self._held.append(told)
        if HUMAN in self._waits.values():  # who types is not written over
            return
        told, self._held = "\n".join(self._held), []
        try:
            self._bar.write(told, file=sys.stderr)
            sys.stderr.flush()
        except OSError:  # nobody listens any more; the run is paid for and goes on
            self._quiet = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            if HUMAN not in self._waits.values():  # who types is not written over
                with suppress(OSError):
                    self._bar.refresh()

    def clear(self) -> None:
        """Make room for other words on the terminal."""
        self._bar.clear()

    def __enter__(self) -> Self:
        if not self._bar.disable:
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._waits.clear()
        if self._held:
            self._write(self._held.pop())
        self._bar.close()
