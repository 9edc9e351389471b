"""How fast and how long a model may be asked: wrappers that compose."""

from __future__ import annotations

import asyncio
import threading
import time

from workbench.errors import LMError, RateLimited, ServerError, TimedOut
from workbench.lm.base import LM
from workbench.lm.budget import Budget
from workbench.lm.concurrency import Concurrency
from workbench.lm.retry import Retry
from workbench.lm.wrapper import Wrapper, is_waited_for
from workbench.record.events import JSON, Answered, Asked

__all__ = ["Budget", "Concurrency", "Rate", "Retry", "Timeout", "limited"]


class Rate(Wrapper):
    """Starts at most `per_minute` calls a minute, evenly (a bucket that holds one second's worth).

    When the endpoint answers 429 or 5xx and says how long to wait, all callers wait that long, and
    not only the one that was told. A wait so long that `Retry` gives up is waited for by nobody:
    the callers in waiting fail with the same error, and later ones are sent.
    """

    def __init__(self, lm: LM, per_minute: float) -> None:
        if not per_minute > 0:
            raise ValueError(f"per_minute is {per_minute}; it must be above 0")
        super().__init__(lm)
        self.per_minute = per_minute
        self._interval_s = 60.0 / per_minute
        self._burst_s = max(0.0, 1.0 - self._interval_s)
        self._lock = threading.Lock()
        self._full_at = 0.0  # when the bucket is full again, on the clock of time.monotonic
        self._closed_until = 0.0

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer, after waiting for a token."""
        wait = self._take()
        try:
            while wait > 0:
                await self._pause(wait)
                wait = self._closed_until - time.monotonic()  # it may have moved on
        except (asyncio.CancelledError, LMError):
            self._give_back()
            raise
        try:
            return await self._ask(asked)
        except (RateLimited, ServerError) as error:
            if error.retry_after_s is not None and is_waited_for(error):
                until = time.monotonic() + error.retry_after_s
                with self._lock:
                    self._closed_until = max(self._closed_until, until)
            raise

    def _take(self) -> float:
        """Take a token and return the seconds until it is there."""
        with self._lock:
            now = time.monotonic()
            self._full_at = max(self._full_at, now) + self._interval_s
            wait = self._full_at - self._interval_s - self._burst_s - now
            return max(0.0, wait, self._closed_until - now)

    def _give_back(self) -> None:
        with self._lock:
            self._full_at -= self._interval_s

    def _limits(self) -> dict[str, JSON]:
        return {"per_minute": self.per_minute}


class Timeout(Wrapper):
    """Gives each call `seconds`, then raises `TimedOut`."""

    def __init__(self, lm: LM, seconds: float) -> None:
        if not seconds > 0:  # NaN too
            raise ValueError(f"timeout_s is {seconds}; it must be above 0")
        super().__init__(lm)
        self.seconds = seconds

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer if it comes in time."""
        try:
            async with asyncio.timeout(self.seconds) as limit:
                return await self.inner.answer(asked)
        except TimeoutError:
            if not limit.expired():
                raise
        raise TimedOut(
            f"{asked.path}: {self.name} gave no answer in {self.seconds:g} s. "
            "Raise timeout_s, or ask for less."
        )

    def _limits(self) -> dict[str, JSON]:
        return {"timeout_s": self.seconds}


def limited(
    lm: LM,
    *,
    at_once: int | None = None,
    per_minute: float | None = None,
    attempts: int | None = 5,
    timeout_s: float | None = None,
    tokens: int | None = None,
    usd: float | None = None,
    price: tuple[float, float] | None = None,
) -> Wrapper:
    """Return `lm` with these limits, composed in the order in which they make sense.

    Retry, then concurrency, then budget, then rate, then timeout: a call that backs off holds no
    turn, each try takes a token of the rate, the timeout bounds one try. A model that retries by
    itself leaves that to the outer retry, so that tries do not multiply.

    A run records the limits, and `resume`, `fork` and `rerun` keep them where they make the model
    from the record; a budget then starts from 0 again.

    Parameters
    ----------
    lm : LM
        The model.
    at_once : int or None
        Calls at the same time.
    per_minute : float or None
        Calls started a minute.
    attempts : int or None
        Tries in all, on `Transient` errors. None leaves that to the model.
    timeout_s : float or None
        Seconds for one try.
    tokens, usd, price : int, float, tuple of float, or None
        The budget; see `Budget`.

    Returns
    -------
    Wrapper
        With a budget, its `spent_tokens` and `spent_usd` tell what was spent so far.

    Raises
    ------
    ValueError
        If a limit is not positive, or a budget negative.

    Examples
    --------
    >>> from workbench.lm.openai import OpenAILM
    >>> lm = limited(OpenAILM("gpt-4o-mini"), at_once=8, per_minute=300, usd=2.50)
    >>> lm.spent_usd
    0.0
    """
    out: LM = lm
    if timeout_s is not None:
        out = Timeout(out, timeout_s)
    if per_minute is not None:
        out = Rate(out, per_minute)
    if tokens is not None or usd is not None:
        out = Budget(out, tokens=tokens, usd=usd, price=price)
    if at_once is not None:
        out = Concurrency(out, at_once)
    if attempts is not None:
        out = Retry(out, attempts)
    return out if isinstance(out, Wrapper) else Wrapper(out)
