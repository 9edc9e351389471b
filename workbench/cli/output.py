"""What every command has: exit codes, words for a terminal, and a watch on a run under way."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from workbench.record.visible import visible

if TYPE_CHECKING:
    from workbench.record.events import Event

OK, NO, USAGE, STOPPED, UNUSABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130


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
    print(visible(str(text)), file=file)


def warned(message: object, *_: object, **__: object) -> None:
    """Show a warning as one line, in place of `warnings.showwarning`."""
    say(f"workbench: warning: {message}", sys.stderr)


def beside(run: Path, what: str) -> Path:
    """Return ``NAME.WHAT.run.jsonl`` for the run file ``NAME.run.jsonl``."""
    from workbench.record.log import SUFFIX

    return run.with_name(f"{run.name.removesuffix(SUFFIX)}.{what}{SUFFIX}")


def _asks(event: Event) -> str | None:
    """Return which models a run that begins asks, so that a slow first answer is no surprise."""
    from workbench.record.events import RunStarted

    if not isinstance(event, RunStarted) or not event.models:
        return None
    models = list(event.models.values())
    names = dict.fromkeys(visible(str(model.get("model", "a model"))) for model in models)
    first = any(model.get("kind") == "local" for model in models)
    loads = ", in this process: the first answer waits for its weights" if first else ""
    return f"asking {', '.join(names)}{loads}"


class Watch:
    """Tell a run's facts on standard error as they come; on a terminal also whom it waits for."""

    def __init__(self, args: argparse.Namespace) -> None:
        from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are one more package

        self._quiet = args.quiet
        self._bar = tqdm(
            unit=" answers",
            disable=args.quiet or not sys.stderr.isatty(),
            bar_format="{n_fmt} answers, {elapsed}{desc}",
            leave=False,
        )
        self._waits: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Tell one event."""
        from workbench.record.events import ANSWERS, Answered, Asked, Failed, Returned, Said
        from workbench.views.terminal import tell

        if isinstance(event, Asked):
            self._waits[event.path] = event.role
        elif isinstance(event, Answered | Returned | Said | Failed):
            self._waits.pop(event.path, None)
        whom = ", ".join(dict.fromkeys(visible(role) for role in self._waits.values()))
        self._bar.set_description_str(f", waiting for {whom}" if whom else "", refresh=False)
        self._bar.update(isinstance(event, ANSWERS))
        told = None if self._quiet else _asks(event) or tell(event)
        if told is None:
            return
        try:
            self._bar.write(told, file=sys.stderr)
            sys.stderr.flush()
        except BrokenPipeError:  # nobody listens any more; the run is paid for and goes on
            self._quiet = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

    def clear(self) -> None:
        """Make room for other words on the terminal."""
        self._bar.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.close()
