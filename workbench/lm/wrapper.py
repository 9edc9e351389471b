"""The base of models that wrap another one to limit how it is asked."""

from __future__ import annotations

import asyncio
import math
from contextlib import AbstractAsyncContextManager, suppress
from copy import copy
from typing import Any

from workbench.errors import (
    AuthenticationFailed,
    BudgetExceeded,
    LMError,
    ModelNotFound,
    RateLimited,
    RequestsForbidden,
    ServerError,
)
from workbench.lm.base import LM
from workbench.lm.pauses import pausing
from workbench.record.events import JSON, Answered, Asked

_FINAL = (AuthenticationFailed, BudgetExceeded, ModelNotFound, RequestsForbidden)
"""Errors that the calls in waiting would meet too."""

LONGEST_WAIT_S = 120.0
"""An endpoint that asks for a longer wait is not waited for: the error says how long it is."""


def is_waited_for(error: LMError, longest_s: float = LONGEST_WAIT_S) -> bool:
    """Return whether the endpoint asked for no wait, or for one that is not too long."""
    wish = getattr(error, "retry_after_s", None)
    return wish is None or wish <= longest_s


class Wrapper:
    """A model that asks `inner`.

    A limit says how this process asks, not who answers: a wrapper has its inner model's name and
    family, and adds its limit to the description.

    When a call fails for a reason that holds for all (no valid key, no such model, no budget left,
    a wish to wait for longer than anybody does), the calls that wait in the wrapper at that moment
    fail with it, unsent. Later ones are sent.

    Attributes
    ----------
    spent_tokens : int
    spent_usd : float
        What the `Budget` counted that is this wrapper or one inside it. Where there is none, there
        are no such attributes.
    """

    def __init__(self, lm: LM) -> None:
        self.inner = lm
        self.name = lm.name
        self.family = lm.family
        self.bells: dict[asyncio.Future[LMError], asyncio.AbstractEventLoop] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inner!r})"

    @property
    def spent_tokens(self) -> int:
        """Tokens spent so far."""
        return self._budget().spent_tokens

    @property
    def spent_usd(self) -> float:
        """US dollars spent so far."""
        return self._budget().spent_usd

    def _budget(self) -> Wrapper:
        if isinstance(self.inner, Wrapper):
            return self.inner
        raise AttributeError("there is no budget: limited(lm, tokens=..., usd=...) sets one")

    def describe(self) -> dict[str, JSON]:
        """Return the inner model's description with this limit; of two of a kind, the tighter."""
        described = self.inner.describe()
        limits = self._tightened(dict(described.get("limits", {})))
        return {**described, "limits": limits} if limits else described

    def _tightened(self, limits: dict[str, JSON]) -> dict[str, JSON]:
        """Return the inner model's limits with this one; of two of a kind, the tighter."""
        for name, value in self._limits().items():
            if value not in (None, math.inf):
                limits[name] = min(value, limits.get(name, value))
        return limits

    def _limits(self) -> dict[str, JSON]:
        """Return the arguments of `limited` that set this limit."""
        return {}

    def session(self) -> AbstractAsyncContextManager[None]:
        """Return the inner model's session."""
        return self.inner.session()

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer."""
        return await self.inner.answer(asked)

    async def _ask(self, asked: Asked) -> Answered:
        """Return the inner model's answer; a final error ends the wait of the calls in waiting."""
        try:
            return await self.inner.answer(asked)
        except (*_FINAL, RateLimited, ServerError) as error:
            holds = isinstance(error, _FINAL) or not is_waited_for(error)
            attempts: int | None = getattr(error, "attempts", None)
            if holds and attempts != 0:  # 0: it was itself not sent, for another's error
                for bell, loop in self.bells.copy().items():
                    with suppress(RuntimeError):  # the loop was closed while the call waited
                        loop.call_soon_threadsafe(_ring, bell, error)
            raise

    async def _pause(self, seconds: float | None, turn: asyncio.Future[None] | None = None) -> None:
        """Wait for `seconds` or for `turn`, and raise the final error that came meanwhile."""
        loop = asyncio.get_running_loop()
        bell: asyncio.Future[LMError] = loop.create_future()
        self.bells[bell] = loop
        waited_for: list[asyncio.Future[Any]] = [bell] if turn is None else [bell, turn]
        try:
            with pausing():
                await asyncio.wait(waited_for, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self.bells[bell]
        if bell.done():
            error = copy(bell.result())
            error.attempts = 0  # type: ignore[attr-defined]
            raise error


def _ring(bell: asyncio.Future[LMError], error: LMError) -> None:
    if not bell.done():
        bell.set_result(error)
