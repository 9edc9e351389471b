"""Calls that wait with nothing sent: between two tries, for a turn, for the rate.

Whoever drives many calls ends these waits when the run is halted, since what comes after them would
be sent after the halt. What is under way is left alone: it is paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Pauses:
    """The waits of the calls that one driver has under way, on its loop."""

    def __init__(self) -> None:
        self.halted = False
        self._waiting: set[asyncio.Task[object]] = set()

    def enter(self) -> None:
        """Take note of the calls that the running task makes from here on."""
        _current.set(self)

    def halt(self) -> None:
        """Cancel the calls that wait, and from now on those that are about to."""
        self.halted = True
        for task in self._waiting:
            task.cancel()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark the running task as one that waits."""
        task = asyncio.current_task()
        assert task is not None  # whoever waits is in one
        if self.halted:
            task.cancel()  # takes effect where the wait begins
        self._waiting.add(task)
        try:
            yield
        finally:
            self._waiting.discard(task)


_current: ContextVar[Pauses] = ContextVar("workbench_pauses")


@contextmanager
def pausing() -> Iterator[None]:
    """Mark a wait before which nothing of this call is under way."""
    pauses = _current.get(None)
    if pauses is None:
        yield
        return
    with pauses.waiting():
        yield
