"""One private event loop in a thread, for those who cannot await."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _private_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="workbench-loop", daemon=True).start()
        return _loop


def wait(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine to its end and return its result; works in notebooks and in scripts.

    An interrupt (Ctrl-C, a notebook's Stop) cancels the coroutine, waits until it has put its files
    in order, and is raised again.

    Examples
    --------
    >>> async def two():
    ...     return 2
    >>> wait(two())
    2
    """
    if threading.current_thread().name == "workbench-loop":
        coroutine.close()
        raise RuntimeError("wait() was called from a coroutine of the workbench; await it instead")
    future = asyncio.run_coroutine_threadsafe(coroutine, _private_loop())
    try:
        return future.result()
    except KeyboardInterrupt:
        settled = threading.Event()
        future.add_done_callback(lambda _: settled.set())
        future.cancel()
        settled.wait(timeout=10)
        raise
