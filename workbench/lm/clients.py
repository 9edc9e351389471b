"""One client for each running event loop, opened at first use and closed by the last user."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

Client = TypeVar("Client")


class _Held(Generic[Client]):
    """A client and the number of its users."""

    __slots__ = ("client", "users")

    def __init__(self, client: Client) -> None:
        self.client = client
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
    async def use(self) -> AsyncIterator[Client]:
        """Give the running loop's client; the last user to leave closes it."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for other in [loop for loop in self._held if loop.is_closed()]:
                self._held.pop(other, None)  # its session was never left
            held = self._held[loop] = _Held(self._open())
        held.users += 1
        try:
            yield held.client
        finally:
            held.users -= 1
            if not held.users:
                self._held.pop(loop, None)
                await self._close(held.client)
