"""The base of models that wrap another one to limit how it is asked."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from workbench.lm.base import LM
from workbench.record.events import JSON, Answered, Asked


class Wrapper:
    """A model that asks `inner`.

    A limit says how this process asks, not who answers: a wrapper has its inner model's name,
    family and description.
    """

    def __init__(self, lm: LM) -> None:
        self.inner = lm
        self.name = lm.name
        self.family = lm.family

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inner!r})"

    def describe(self) -> dict[str, JSON]:
        """Return the inner model's description."""
        return self.inner.describe()

    def session(self) -> AbstractAsyncContextManager[None]:
        """Return the inner model's session."""
        return self.inner.session()

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer."""
        return await self.inner.answer(asked)
