"""A limit on what may be spent, checked before each call."""

from __future__ import annotations

import threading
from collections.abc import Callable

from workbench.errors import BudgetExceeded
from workbench.lm.base import LM
from workbench.lm.prices import linear_usd, price_usd
from workbench.lm.wrapper import Wrapper
from workbench.record.events import JSON, Answered, Asked

Cost = Callable[[int | None, int | None, int | None], float | None]


class Budget(Wrapper):
    """Refuses a call that would pass the budget, before it is made.

    A call's estimate (a token for four characters of the prompt, and all of `max_tokens`) is set
    aside while it runs, so that calls at the same time cannot pass the budget together; afterwards
    its real usage is counted. A reply without usage counts as estimated, and a failed call as free.
    A run records the limits and not what was spent: a resumed run has the whole budget again.

    Parameters
    ----------
    lm : LM
        The model that is asked.
    tokens : int or None
        Tokens read and written, in all.
    usd : float or None
        US dollars, in all.
    price : tuple of float or None
        USD for a million tokens in and out, where the model's own price is not known.

    Attributes
    ----------
    spent_tokens : int
    spent_usd : float
        So far. Calls of unknown price add nothing to `spent_usd`.
    """

    def __init__(
        self,
        lm: LM,
        tokens: int | None = None,
        usd: float | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        for name, limit in (("tokens", tokens), ("usd", usd), *(("price", p) for p in price or ())):
            if limit is not None and not limit >= 0:  # NaN too
                raise ValueError(f"{name} is {limit}; it must be at least 0")
        super().__init__(lm)
        self.tokens = tokens
        self.usd = usd
        self._spent_tokens = 0
        self._spent_usd = 0.0
        self._price = price
        self._cost = _cost_of(lm, price)
        self._reserved_tokens = 0
        self._reserved_usd = 0.0
        self._lock = threading.Lock()

    @property
    def spent_tokens(self) -> int:
        """Tokens spent so far."""
        return self._spent_tokens

    @property
    def spent_usd(self) -> float:
        """US dollars spent so far."""
        return self._spent_usd

    async def answer(self, asked: Asked) -> Answered:
        """Return the inner model's answer.

        Raises
        ------
        BudgetExceeded
            If the budget does not hold the call's estimate, or if there is a limit in USD and the
            price is not known.
        """
        tokens_in = (sum(len(part.text) for part in asked.parts) + 3) // 4
        tokens_out = asked.sampling.max_tokens or 0
        tokens, usd = tokens_in + tokens_out, self._cost(tokens_in, tokens_out, None)
        self._reserve(asked.path, tokens, usd)
        answered = None
        try:
            answered = await self.inner.answer(asked)
        finally:
            self._settle(tokens, usd or 0.0, answered)
        return answered

    def _reserve(self, path: str, tokens: int, usd: float | None) -> None:
        if self.usd is not None and usd is None:
            raise BudgetExceeded(
                f"{path}: the price of {self.name!r} is not known, so a budget in USD cannot be "
                "kept. Pass price=(usd_per_mtok_in, usd_per_mtok_out), or limit tokens."
            )
        with self._lock:
            for unit, limit, spent, reserved, estimate in (
                ("tokens", self.tokens, self.spent_tokens, self._reserved_tokens, tokens),
                ("USD", self.usd, self.spent_usd, self._reserved_usd, usd or 0.0),
            ):
                if limit is not None and spent + reserved + estimate > limit:
                    raise BudgetExceeded(
                        f"{path}: spent {spent:.6g} of {limit:g} {unit}, {reserved:.6g} set aside "
                        f"for running calls; the next call is estimated at {estimate:.6g}. "
                        "Raise the budget, or lower max_tokens."
                    )
            self._reserved_tokens += tokens
            self._reserved_usd += usd or 0.0

    def _settle(self, tokens: int, usd: float, answered: Answered | None) -> None:
        with self._lock:
            self._reserved_tokens -= tokens
            self._reserved_usd = max(0.0, self._reserved_usd - usd)
            if answered is None:
                return
            used_in, used_out = answered.tokens_in, answered.tokens_out
            if used_in is not None and used_out is not None:
                tokens = used_in + used_out
            if self._price is not None and used_in is not None:
                usd = linear_usd(self._price, used_in, used_out) or usd
            elif answered.cost_usd is not None:
                usd = answered.cost_usd
            self._spent_tokens += tokens
            self._spent_usd += usd

    def _limits(self) -> dict[str, JSON]:
        return {"tokens": self.tokens, "usd": self.usd}

    def _tightened(self, limits: dict[str, JSON]) -> dict[str, JSON]:
        """Return the tighter limits; the price is the one that belongs to the limit in USD."""
        theirs, price = limits.get("usd"), limits.pop("price", None)
        if theirs is None or (self.usd is not None and self.usd < theirs):
            price = self._price if self._price is not None or self.usd is not None else price
        limits = super()._tightened(limits)
        return limits if price is None else limits | {"price": list(price)}


def _cost_of(lm: LM, price: tuple[float, float] | None) -> Cost:
    """Return the function that prices a call of `lm`: by `price`, its own, or its name."""
    if price is not None:
        return lambda tokens_in, tokens_out, _: linear_usd(price, tokens_in, tokens_out)
    inner: object = lm
    while isinstance(inner, Wrapper):
        inner = inner.inner
    own: Cost | None = getattr(inner, "cost_usd", None)
    return own or (lambda *tokens: price_usd(lm.name, *tokens))
