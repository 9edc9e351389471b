"""How many calls of a model may be under way at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench.errors import LMError
from workbench.lm.base import LM
from workbench.lm.wrapper import Wrapper
from workbench.record.events import JSON, Answered, Asked


class Concurrency(Wrapper):
    """Asks the inner model at most `at_once` times at the same time, over all loops and threads."""

    def __init__(self, lm: LM, at_once: int) -> None:
        if at_once < 1:
            raise ValueError(f"at_once is {at_once}; it must be at least 1")
        super().__init__(lm)
        self.at_once = at_once
        # Not an asyncio.Semaphore: that belongs to the first loop that waits for it.
        self._lock = threading.Lock()
        self._free = at_once
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer, after waiting for a turn."""
        async with self.turn():
            return await self._ask(asked)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and hold it while inside."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    def _limits(self) -> dict[str, JSON]:
        return {"at_once": self.at_once}

    async def _enter(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            loop = asyncio.get_running_loop()
            turn: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, turn))
        try:
            await self._pause(None, turn)
        except (asyncio.CancelledError, LMError):
            with self._lock:
                mine = (loop, turn)
                given = mine not in self._waiting
                if not given:
                    self._waiting.remove(mine)
            if given:  # the turn came at the same moment: pass it on
                self._leave()
            raise

    def _leave(self) -> None:
        with self._lock:
            while self._waiting:
                loop, turn = self._waiting.popleft()
                try:
                    loop.call_soon_threadsafe(give, turn)
                except RuntimeError:  # its loop was closed while it waited
                    continue
                return
            self._free += 1


def give(turn: asyncio.Future[None]) -> None:
    """End the wait for `turn`, if somebody still waits."""
    if not turn.done():
        turn.set_result(None)
