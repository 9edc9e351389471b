"""A limit on what may be spent, checked before each call."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from contextvars import ContextVar

from workbench.errors import BudgetExceeded
from workbench.lm.base import LM
from workbench.lm.concurrency import Concurrency, give
from workbench.lm.prices import linear_usd, price_usd
from workbench.lm.wrapper import Wrapper
from workbench.record.events import JSON, Answered, Asked, Sampling

Cost = Callable[[int | None, int | None, int | None], float | None]

_BOUNDS = ("max_tokens", "max_completion_tokens", "n_predict")
"""What endpoints call the limit of written tokens, as `Sampling.extra` may name it."""


class _Call:
    """A call of a budget, until it is over; `turns` are of those without a bound made within it."""

    def __init__(self, budget: Budget, turns: Concurrency | None) -> None:
        self.budget: Budget | None = budget
        self.turns = turns


_under_way: ContextVar[tuple[_Call, ...]] = ContextVar("workbench_budgets", default=())
"""The calls that this one is made in; a task that such a call leaves behind outlives it."""


class Budget(Wrapper):
    """Refuses a call that would pass the budget, before it is made.

    A call's estimate is set aside while it runs, so that calls at the same time cannot pass the
    budget together by more than the estimates are too low; afterwards its real usage is counted.
    The estimate is all of `max_tokens`, and of the prompt and the schema a token for four ASCII
    characters and one for each other character (a server may count two or three for rare scripts).
    A server that writes more than `max_tokens`, as some do where a model reasons, can pass the
    budget by that in each running call; `at_once` bounds how many there are.

    Where what is spent leaves room for a call, and what is set aside does not, the call waits until
    a running one is over; one that is made from within a running call, which would wait for it in
    turn, is refused at once.

    A call without `max_tokens` may write any amount, of which nothing can be set aside: such calls
    are made one at a time, each only if something is left when the last one's usage is known, so
    that one reply at most passes the budget; and one more for each that is made from within
    another of them, which cannot wait for that one. A reply without usage counts as estimated (its
    characters, where nothing bounds it), and a failed call as free.

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
        self._running = 0
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._lock = threading.Lock()
        self._turns = self._one_at_a_time()

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
        bound = most_written(asked.sampling)
        schema = [] if asked.schema is None else [json.dumps(asked.schema, ensure_ascii=False)]
        tokens_in = _tokens([*(part.text for part in asked.parts), *schema])
        aside = self._priced(tokens_in, 1 if bound is None else bound)
        around = [call.turns for call in _under_way.get() if call.budget is self and call.turns]
        turns: Callable[[], AbstractAsyncContextManager[None]]
        turns = nullcontext if bound is not None else (around or [self._turns])[-1].turn
        while True:
            async with turns():
                if (settled := self._reserve(asked.path, *aside)) is None:
                    return await self._ask_within(asked, tokens_in, bound, aside)
            await self._pause(None, settled)  # without the turn, which a running call may need

    def _one_at_a_time(self) -> Concurrency:
        """Return turns for calls without a bound, of which a final error here ends the waits."""
        turns = Concurrency(self.inner, 1)
        turns.bells = self.bells
        return turns

    async def _ask_within(
        self, asked: Asked, tokens_in: int, bound: int | None, aside: tuple[int, float | None]
    ) -> Answered:
        answered, tokens_out = None, bound or 0
        call = _Call(self, self._one_at_a_time() if bound is None else None)
        outer = _under_way.set((*_under_way.get(), call))
        try:
            answered = await self._ask(asked)
            if bound is None:
                tokens_out = _tokens([answered.text])
        finally:
            call.budget = None
            self._settle(aside, answered, (tokens_in, tokens_out))
            _under_way.reset(outer)
        return answered

    def _priced(self, tokens_in: int, tokens_out: int) -> tuple[int, float | None]:
        return tokens_in + tokens_out, self._cost(tokens_in, tokens_out, None)

    def _reserve(self, path: str, tokens: int, usd: float | None) -> asyncio.Future[None] | None:
        """Set an estimate aside, or return what tells that a running call is over."""
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
                if limit is None or spent + reserved + estimate <= limit:
                    continue
                is_within = any(call.budget is self for call in _under_way.get())
                may_wait = self._running and not is_within
                if spent + estimate > limit or not may_wait:
                    raise BudgetExceeded(
                        f"{path}: spent {spent:.6g} of {limit:g} {unit}, {reserved:.6g} set aside "
                        f"for running calls; the next call is estimated at {estimate:.6g}. "
                        "Raise the budget, or lower max_tokens."
                    )
                loop = asyncio.get_running_loop()
                self._waiting.append((loop, loop.create_future()))
                return self._waiting[-1][1]
            self._running += 1
            self._reserved_tokens += tokens
            self._reserved_usd += usd or 0.0
        return None

    def _settle(
        self,
        aside: tuple[int, float | None],
        answered: Answered | None,
        estimate: tuple[int, int],
    ) -> None:
        with self._lock:
            self._running -= 1
            self._reserved_tokens -= aside[0]
            # What rounding leaves would keep room from the last call for ever.
            self._reserved_usd = self._reserved_usd - (aside[1] or 0.0) if self._running else 0.0
            if answered is not None:
                self._count(answered, *estimate)
            waiting, self._waiting = self._waiting, []
        for loop, settled in waiting:
            with suppress(RuntimeError):  # its loop was closed while it waited
                loop.call_soon_threadsafe(give, settled)

    def _count(self, answered: Answered, tokens_in: int, tokens_out: int) -> None:
        """Add an answer's usage, or the estimate of what of it is not known, to what is spent."""
        if answered.tokens_in is not None:
            tokens_in = max(0, answered.tokens_in)
        if answered.tokens_out is not None:
            tokens_out = max(0, answered.tokens_out)
        usd = answered.cost_usd if self._price is None else None
        if usd is None:
            usd = self._cost(tokens_in, tokens_out, None) or 0.0
        self._spent_tokens += tokens_in + tokens_out
        self._spent_usd += max(0.0, usd)

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


def is_priced(lm: LM) -> bool:
    """Return whether it is known what a call costs, as a budget in USD needs."""
    return _cost_of(lm, None)(1, 1, None) is not None


def most_written(sampling: Sampling) -> int | None:
    """Return how many tokens a call may write; None where nothing bounds them."""
    extra = sampling.extra
    named = {"max_tokens": sampling.max_tokens} | {n: extra[n] for n in _BOUNDS if n in extra}
    bounds: list[int] = [bound for bound in named.values() if bound is not None]
    if not bounds or not all(type(bound) is int and bound >= 0 for bound in bounds):
        return None  # to llama.cpp -1 is no bound
    replies = extra.get("n", 1)
    return max(bounds) * (replies if type(replies) is int and replies > 0 else 1)


def _tokens(texts: Iterable[str]) -> int:
    """Return an estimate that is rather too high: a letter of another script is a token."""
    ascii_ = other = 0
    for text in texts:
        of_text = len(text) if text.isascii() else sum(map(str.isascii, text))
        ascii_ += of_text
        other += len(text) - of_text
    return (ascii_ + 3) // 4 + other
