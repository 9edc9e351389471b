"""Trying again after a fault that another try may mend."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace

from workbench.errors import LMError, Transient
from workbench.lm.base import LM
from workbench.lm.pauses import pausing
from workbench.lm.wrapper import LONGEST_WAIT_S, Wrapper, is_waited_for
from workbench.record.events import JSON, Answered, Asked

_log = logging.getLogger("workbench")
_within = ContextVar("workbench_retrying", default=False)


async def retrying(
    call: Callable[[Asked], Awaitable[Answered]],
    asked: Asked,
    *,
    attempts: int,
    base_s: float = 0.5,
    cap_s: float = 30.0,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Answered:
    """Return ``call(asked)``, tried up to `attempts` times while it raises `Transient`.

    Within another `retrying` it is tried once, as the outer one tries again: tries do not multiply,
    whatever wrappers are in between.

    The answer's `attempts` counts all the requests that were sent; so does an attribute `attempts`
    of an error that goes through.
    """
    if _within.get():
        return await call(asked)
    outer = _within.set(True)
    try:
        return await _tried(call, asked, attempts, base_s, cap_s, sleep)
    finally:
        _within.reset(outer)


async def _tried(
    call: Callable[[Asked], Awaitable[Answered]],
    asked: Asked,
    attempts: int,
    base_s: float,
    cap_s: float,
    sleep: Callable[[float], Awaitable[None]],
) -> Answered:
    sent = 0
    wait: float | None = None
    for attempt in range(attempts):
        try:
            if wait is not None:
                with pausing():
                    await sleep(wait)
            answered = await call(asked)
        except LMError as error:
            sent += getattr(error, "attempts", 1)
            wait = None
            if attempt + 1 < attempts and isinstance(error, Transient):
                wait = wait_s(error, asked.path, attempt, base_s=base_s, cap_s=cap_s)
            if wait is None:
                error.attempts = sent  # type: ignore[attr-defined]
                raise
            _log.info("%s Next try in %.2f s (%d of %d).", error, wait, attempt + 2, attempts)
        else:
            return replace(answered, attempts=answered.attempts + sent) if sent else answered
    raise AssertionError("attempts is at least 1")


def wait_s(
    error: Transient, path: str, attempt: int, *, base_s: float = 0.5, cap_s: float = 30.0
) -> float | None:
    """Return the seconds to wait after failed try number `attempt` (from 0); None to give up.

    What the endpoint asked for, or exponential back-off with jitter. The jitter is drawn from the
    path, so that asks that failed together do not come back together, and a rerun waits the same.
    """
    wish = getattr(error, "retry_after_s", None)
    if wish is not None:
        return float(wish) if is_waited_for(error, max(cap_s, LONGEST_WAIT_S)) else None
    half = min(cap_s, base_s * 2.0**attempt) / 2
    return half + half * random.Random(f"{path}#{attempt}").random()  # noqa: S311  # no secret


class Retry(Wrapper):
    """Tries again, up to `attempts` times in all, after a `Transient` error and no other.

    A model or wrapper inside that tries again by itself leaves that to this one.

    Parameters
    ----------
    lm : LM
        The model that is asked.
    attempts : int
        Tries in all, at least 1.
    base_s, cap_s : float
        The first back-off in seconds, doubled each time, and the longest.
    """

    def __init__(self, lm: LM, attempts: int = 5, base_s: float = 0.5, cap_s: float = 30.0) -> None:
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}; it must be at least 1")
        super().__init__(lm)
        self.attempts = attempts
        self._base_s = base_s
        self._cap_s = cap_s

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer, after as many tries as it takes."""
        return await retrying(
            self._ask,
            asked,
            attempts=self.attempts,
            base_s=self._base_s,
            cap_s=self._cap_s,
            sleep=self._pause,
        )

    def _limits(self) -> dict[str, JSON]:
        return {"attempts": self.attempts}
