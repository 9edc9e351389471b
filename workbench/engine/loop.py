"""One private event loop in a thread, for those who cannot await."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent import futures
from typing import Any, TypeVar

R = TypeVar("R")

_WAKE_S = 0.1
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def _private_loop() -> asyncio.AbstractEventLoop:
    global _loop, _thread
    with _lock:
        if _loop is None or _thread is None or not _thread.is_alive():  # no thread outlives a fork
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_loop.run_forever, name="workbench-loop", daemon=True)
            _thread.start()
        return _loop


def inside() -> bool:
    """Return whether the caller runs on the private loop, where it must not wait for it."""
    return threading.current_thread() is _thread


def wait(coroutine: Coroutine[Any, Any, R], *, stop: threading.Event | None = None) -> R:
    """Run a coroutine to its end and return its result; works in notebooks and in scripts.

    An interrupt (Ctrl-C, a notebook's Stop) cancels the coroutine, waits until it has put its files
    in order, and is raised again. It then has the ``.run`` that the cancelled coroutine left, if
    that was a run, a resume or a fork. `stop`, which another thread sets, does the same.

    Parameters
    ----------
    coroutine : coroutine
        Such as ``wb.run(...)``.
    stop : threading.Event, optional
        Once it is set, the coroutine is cancelled.

    Returns
    -------
    object
        What the coroutine returned; what it raised is raised.

    Raises
    ------
    RuntimeError
        If it is called from a coroutine of the workbench, which is to await it instead.

    Examples
    --------
    >>> async def two():
    ...     return 2
    >>> wait(two())
    2
    """
    if inside():
        coroutine.close()
        raise RuntimeError("wait() was called from a coroutine of the workbench; await it instead")
    settled = threading.Event()
    left: list[asyncio.CancelledError] = []

    async def to_its_end() -> R:
        try:
            return await coroutine
        except asyncio.CancelledError as cancelled:
            left.append(cancelled)
            raise
        finally:
            settled.set()

    future = asyncio.run_coroutine_threadsafe(to_its_end(), _private_loop())
    try:
        # Waking now and then lets an interrupt in: once polars is imported, whose signal handler
        # has interrupted system calls go on, a wait without end would hold it up to the end.
        while not futures.wait([future], timeout=_WAKE_S).done:
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt  # noqa: TRY301  # to be dealt with like one
        return future.result()
    except KeyboardInterrupt as stopped:
        future.cancel()  # which ends the future at once, and the coroutine when it has cleaned up
        settled.wait(timeout=10)
        for cancelled in left:
            vars(stopped).update(vars(cancelled))
        raise
