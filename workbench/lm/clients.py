"""One client for each running event loop, opened at first use and closed by the last user."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

Client = TypeVar("Client")


class _Held(Generic[Client]):
    """A loop's client, once it is needed, and the number of its users."""

    __slots__ = ("client", "users")

    def __init__(self) -> None:
        self.client: Client | None = None
        self.users = 0


class Clients(Generic[Client]):
    """Clients by event loop, counted by use, since no client may outlive its loop.

    Parameters
    ----------
    open_client : callable
        Makes a client for the running loop.
    close_client : callable
        Closes it.

    Notes
    -----
    No lock: an entry is only ever touched from its own loop's thread, and the dict's own operations
    are atomic.
    """

    def __init__(
        self,
        open_client: Callable[[], Client],
        close_client: Callable[[Client], Awaitable[None]],
    ) -> None:
        self._open = open_client
        self._close = close_client
        self._held: dict[asyncio.AbstractEventLoop, _Held[Client]] = {}

    @asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        """Keep the running loop's client, once one is needed, until the last user leaves."""
        async with self._count():
            yield

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Client]:
        """Give the running loop's client; the last user to leave closes it."""
        async with self._count() as held:
            if held.client is None:
                held.client = self._open()
            yield held.client

    @asynccontextmanager
    async def _count(self) -> AsyncIterator[_Held[Client]]:
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for other in [loop for loop in self._held if loop.is_closed()]:
                self._held.pop(other, None)  # its session was never left
            held = self._held[loop] = _Held()
        held.users += 1
        try:
            yield held
        finally:
            held.users -= 1
            if not held.users:
                self._held.pop(loop, None)
                if held.client is not None:
                    await self._close(held.client)
