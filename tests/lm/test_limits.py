"""The wrappers: retry, concurrency, rate, timeout, budget, and their composition."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.lm.mock import Handler, Mock, ask, completion, says, sends
from workbench.errors import (
    AuthenticationFailed,
    BudgetExceeded,
    LMError,
    ModelNotFound,
    RateLimited,
    RequestRejected,
    ServerError,
    TimedOut,
)
from workbench.lm.base import LM
from workbench.lm.budget import most_written
from workbench.lm.limits import Budget, Concurrency, Rate, Retry, Timeout, limited
from workbench.lm.openai import OpenAILM
from workbench.lm.retry import wait_s
from workbench.lm.scripted import ScriptedLM
from workbench.record.events import Answered, Asked, Sampling


class Gauge:
    """A script that counts how many of its calls run at the same time."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds
        self.running = 0
        self.most = 0
        self.lock = threading.Lock()

    async def __call__(self, asked: Asked) -> str:
        """Run for a while."""
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            with self.lock:
                self.running -= 1
        return "ok"


async def many(lm: LM, n: int) -> list[Answered]:
    """Ask `n` times at once."""
    return await asyncio.gather(*(lm.answer(ask(path=f"/n={i}")) for i in range(n)))


def in_two_threads(main: Callable[[], Awaitable[Any]]) -> None:
    """Run `main` in two threads, with a loop each."""

    async def run() -> None:
        await main()

    threads = [threading.Thread(target=asyncio.run, args=(run(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_retry_only_what_may_mend() -> None:
    """Transient errors are retried, others are not, and attempts are counted."""
    lm = ScriptedLM({"/a": [ServerError("1"), RateLimited("2", 0.05), "ok"]})
    got = asyncio.run(Retry(lm, base_s=0.001).answer(ask(path="/a")))
    assert (got.text, got.attempts) == ("ok", 3)
    for error, calls in ((AuthenticationFailed("no"), 1), (ServerError("no"), 3)):
        lm = ScriptedLM({"/a": error})
        with pytest.raises(LMError):
            asyncio.run(Retry(lm, attempts=3, base_s=0.001).answer(ask(path="/a")))
        assert len(lm.asked) == calls


def test_back_off() -> None:
    """Waits double up to the cap, differ between paths, and are the same in each run."""
    error = ServerError("")
    waits = [wait_s(error, "/a", n, base_s=1, cap_s=6) or 0 for n in range(6)]
    assert waits == [wait_s(error, "/a", n, base_s=1, cap_s=6) for n in range(6)]
    assert all(top / 2 <= wait <= top for wait, top in zip(waits, (1, 2, 4, 6, 6, 6), strict=True))
    assert len({wait_s(error, f"/n={n}", 0) for n in range(50)}) == 50
    assert wait_s(RateLimited("", 7), "/a", 0) == 7


def test_concurrency_over_threads() -> None:
    """The limit holds for all loops and threads together, and the wrapper can be used again."""
    gauge = Gauge()
    lm = Concurrency(ScriptedLM(gauge), 3)
    assert len(asyncio.run(many(lm, 10))) == 10
    in_two_threads(lambda: many(lm, 10))
    assert gauge.most == 3
    assert lm._free == 3


def test_concurrency_and_cancelling() -> None:
    """Cancelled waiters and cancelled calls give their turns back."""
    gauge = Gauge(0.05)
    lm = Concurrency(ScriptedLM(gauge), 2)

    async def main() -> None:
        tasks = [asyncio.create_task(lm.answer(ask(path=f"/n={n}"))) for n in range(20)]
        await asyncio.sleep(0.07)
        for task in tasks[::2]:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(d, asyncio.CancelledError) for d in done) >= 7
        await many(lm, 3)

    asyncio.run(main())
    assert gauge.most == 2
    assert lm._free == 2
    assert not lm._waiting


def test_concurrency_survives_a_closed_loop() -> None:
    """A waiter whose loop was closed is passed over."""
    lm = Concurrency(ScriptedLM({"/a": "ok"}), 1)
    loop = asyncio.new_event_loop()

    async def main() -> str:
        await lm._enter()
        lm._waiting.append((loop, loop.create_future()))
        loop.close()
        waiting = asyncio.create_task(lm.answer(ask(path="/a")))
        await asyncio.sleep(0)
        lm._leave()
        return (await waiting).text

    assert asyncio.run(main()) == "ok"
    assert lm._free == 1


def test_rate() -> None:
    """After a burst of one second's worth, calls start at the rate."""
    starts: list[float] = []
    lm = Rate(ScriptedLM(lambda asked: starts.append(time.monotonic()) or "ok"), 1200)
    asyncio.run(many(lm, 30))
    took = starts[-1] - starts[0]
    assert took == pytest.approx(0.5, abs=0.2)  # 20 at once, 10 more at 20 a second
    in_two_threads(lambda: many(lm, 2))
    slow = Rate(ScriptedLM({"/a": "ok"}), 240)
    started = time.monotonic()
    for _ in range(2):
        asyncio.run(slow.answer(ask(path="/a")))
        asyncio.run(slow.answer(ask(path="/a")))
    assert time.monotonic() - started >= 0


def test_rate_holds_all_callers_after_a_429() -> None:
    """What one caller is told, all callers do."""
    starts: list[tuple[str, float]] = []

    def script(asked: Asked) -> str | Exception:
        starts.append((asked.path, time.monotonic()))
        return RateLimited("slow", 0.3) if len(starts) == 1 else "ok"

    async def main() -> None:
        with pytest.raises(RateLimited):
            await lm.answer(ask(path="/first"))
        await many(lm, 3)

    lm = Rate(ScriptedLM(script), 6000)
    asyncio.run(main())
    assert all(at - starts[0][1] >= 0.29 for _, at in starts[1:])


@pytest.mark.parametrize("kind", [RateLimited, ServerError])
@pytest.mark.parametrize("wish", [121.0, 86_400.0, 1e20, math.inf])
def test_a_wait_that_is_too_long(wish: float, kind: type[RateLimited | ServerError]) -> None:
    """Nobody waits for longer than a retry does: who waits fails alike, who comes later is sent."""
    sent: list[str] = []

    async def script(asked: Asked) -> str | Exception:
        sent.append(asked.path)
        await asyncio.sleep(0.02)
        return kind("come back tomorrow", wish) if len(sent) == 1 else "ok"

    lm = limited(ScriptedLM(script), per_minute=60)

    async def main() -> None:
        calls = (lm.answer(ask(path=f"/n={n}")) for n in range(5))
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert [kind] * 5 == [type(d) for d in done]
        assert {wish} == {d.retry_after_s for d in done if isinstance(d, kind)}
        assert 1 == len(sent)
        await lm.answer(ask(path="/later"))

    begun = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begun < 2.5


def test_a_cancelled_wait_gives_its_token_back() -> None:
    """Who no longer waits for the rate is not waited for by others."""

    async def main() -> float:
        lm = Rate(ScriptedLM(lambda asked: "ok"), 60)
        await lm.answer(ask())
        waiting = [asyncio.create_task(lm.answer(ask(path=f"/n={i}"))) for i in range(20)]
        await asyncio.sleep(0.01)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        begun = time.monotonic()
        await lm.answer(ask(path="/last"))
        return time.monotonic() - begun

    assert asyncio.run(main()) < 1.5


def test_timeout() -> None:
    """A call that takes too long is cancelled and told of; a cancelled one is not a timeout."""
    gauge = Gauge(5)
    lm = Timeout(ScriptedLM(gauge), 0.05)
    with pytest.raises(TimedOut, match=r"/a: scripted gave no answer in 0\.05 s") as caught:
        asyncio.run(lm.answer(ask(path="/a")))
    assert caught.value.__context__ is None
    assert gauge.running == 0

    async def main() -> None:
        task = asyncio.create_task(Timeout(ScriptedLM(gauge), 9).answer(ask(path="/a")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def answered(tokens_in: int | None, tokens_out: int | None, cost: float | None) -> Any:
    """Return a script of an answer with this usage."""
    return lambda asked: Answered(
        path=asked.path, text="x", tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost
    )


def test_budget_in_tokens() -> None:
    """Real usage is counted, and the call that would pass the limit is not made."""
    inner = ScriptedLM(answered(30, 20, 0.0))
    lm = Budget(inner, tokens=120)
    asyncio.run(lm.answer(ask(max_tokens=10)))
    assert (lm.spent_tokens, lm.spent_usd) == (50, 0.0)
    with pytest.raises(BudgetExceeded, match=r"spent 50 of 120 tokens.*estimated at 106"):
        asyncio.run(lm.answer(ask(max_tokens=100)))
    asyncio.run(lm.answer(ask(max_tokens=10)))
    assert lm.spent_tokens == 100
    assert len(inner.asked) == 2


def test_budget_in_usd() -> None:
    """The model's own price, or the given one, bounds what is spent in USD."""
    lm = Budget(ScriptedLM(answered(1_000_000, 0, 99.0)), usd=3.0, price=(1.0, 2.0))
    asyncio.run(lm.answer(ask(max_tokens=10)))
    assert lm.spent_usd == 1.0
    with pytest.raises(BudgetExceeded, match=r"spent 1 of 3 USD"):
        asyncio.run(lm.answer(ask(max_tokens=1_500_000)))
    priced = Budget(OpenAILM("gpt-4o-mini"), usd=0.00001)
    with pytest.raises(BudgetExceeded, match="USD"):
        asyncio.run(priced.answer(ask(max_tokens=1000)))


def test_budget_of_unknown_price_is_refused(mock: Mock) -> None:
    """A limit in USD without a price is refused before any call; a limit in tokens is not."""
    lm = Concurrency(OpenAILM("my-model", mock.url), 2)
    with pytest.raises(BudgetExceeded, match=r"price of 'my-model' is not known.*price="):
        asyncio.run(Budget(lm, usd=1.0).answer(ask()))
    assert not mock.bodies
    asyncio.run(Budget(lm, tokens=1000).answer(ask()))
    asyncio.run(Budget(lm, usd=1.0, price=(1, 1)).answer(ask()))
    assert len(mock.bodies) == 2


def test_budget_holds_at_once() -> None:
    """Calls at the same time cannot pass the budget together: who may yet have room waits."""
    script = Gauge()
    lm = Budget(ScriptedLM(script), tokens=100)

    async def main(n: int, max_tokens: int = 13) -> Counter[str]:
        calls = (lm.answer(ask("x" * 54, f"/n={i}", max_tokens=max_tokens)) for i in range(n))
        done = await asyncio.gather(*calls, return_exceptions=True)
        return Counter(type(d).__name__ for d in done)

    # 17 + 13 tokens each: three fit into 100. They come to 5 each.
    assert asyncio.run(main(10)) == {"Answered": 10}
    assert (script.most, lm.spent_tokens, lm._reserved_tokens) == (3, 50, 0)
    # Here one fits, and when that is over none does.
    assert asyncio.run(main(10, 29)) == {"Answered": 1, "BudgetExceeded": 9}
    assert (lm.spent_tokens, lm._reserved_tokens, lm._running) == (55, 0, 0)


def test_budget_is_waited_for_over_threads_and_in_dollars() -> None:
    """Waiters of several loops are woken, and what rounding leaves keeps nobody waiting."""

    async def script(asked: Asked) -> Answered:
        await asyncio.sleep(0.002)
        return Answered(path=asked.path, text="x", tokens_in=1, tokens_out=0)

    # 0.7 USD are set aside for a call that then costs 0.1.
    lm = Budget(ScriptedLM(script), usd=2.0, price=(1e5, 1e5))

    async def main() -> None:
        calls = (lm.answer(ask("x", f"/{n}", max_tokens=2)) for n in range(5))
        assert len(await asyncio.gather(*calls)) == 5

    in_two_threads(main)
    assert lm.spent_usd == pytest.approx(1.0)
    assert (lm._waiting, lm._running, lm._reserved_usd) == ([], 0, 0.0)


def test_a_call_within_a_running_one_does_not_wait_for_it() -> None:
    """It would wait for itself: it is refused, as nothing else could free the room."""

    async def script(asked: Asked) -> str:
        return (
            "ok" if asked.path == "/in" else (await lm.answer(ask("x", "/in", max_tokens=60))).text
        )

    lm = Budget(ScriptedLM(script), tokens=100)
    with pytest.raises(BudgetExceeded, match=r"spent 0 of 100 tokens, 6\d set aside for running"):
        asyncio.run(asyncio.wait_for(lm.answer(ask("x", "/out", max_tokens=60)), 10))


def test_a_call_without_a_bound_within_another_does_not_wait_for_its_turn() -> None:
    """The turn is held by a call that waits for it, so that nobody would ever be done."""

    async def script(asked: Asked) -> str:
        await asyncio.sleep(0.001)
        if asked.path.startswith("/out"):
            return (await lm.answer(ask("x", asked.path.replace("out", "in")))).text
        return "ok"

    lm = Budget(ScriptedLM(script), tokens=1000)

    async def main() -> list[str]:
        bounds: list[dict[str, Any]] = [{}, {"max_tokens": 60}, {}]
        calls = [lm.answer(ask("x", f"/out{n}", **bound)) for n, bound in enumerate(bounds)]
        return [a.text for a in await asyncio.wait_for(asyncio.gather(*calls), 10)]

    assert ["ok"] * 3 == asyncio.run(main())


def nested(fan: int, **outer: Any) -> tuple[int, Counter[str]]:
    """Let calls each make `fan` calls of 1,000 words without a bound; return what was spent."""

    async def script(asked: Asked) -> str:
        await asyncio.sleep(0.001)
        if not asked.path.startswith("/out"):
            return "word " * 1000
        within = (lm.answer(ask("x", f"/in{n}")) for n in range(fan))
        found = await asyncio.gather(*within, return_exceptions=True)
        made.update(type(one).__name__ for one in found)
        return "x"

    lm, made = Budget(ScriptedLM(script), tokens=2000), Counter[str]()

    async def main() -> None:
        calls = (lm.answer(ask("x", f"/out{n}", **outer)) for n in range(20 // fan))
        await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 10)

    asyncio.run(main())
    return lm.spent_tokens, made


@pytest.mark.parametrize(
    ("fan", "outer"), [(1, {"max_tokens": 10}), (20, {}), (20, {"max_tokens": 10})]
)
def test_calls_without_a_bound_within_others_keep_the_budget(
    fan: int, outer: dict[str, Any]
) -> None:
    """They take turns too: the reply that passes the budget is the last."""
    spent, made = nested(fan, **outer)

    assert 2000 < spent <= 3100
    assert {"Answered", "BudgetExceeded"} == set(made)
    assert made["Answered"] <= 3


def test_who_waits_for_room_does_not_hold_the_turn_meanwhile() -> None:
    """The call that it waits for may need the turn, for one that it makes within itself."""
    waits = asyncio.Event()

    async def script(asked: Asked) -> str:
        if asked.path == "/bounded":
            await waits.wait()
            await asyncio.sleep(0.01)
            return (await lm.answer(ask("x", "/in"))).text
        return "ok"

    lm = Budget(ScriptedLM(script), tokens=1000)

    async def main() -> list[str]:
        calls = [
            asyncio.create_task(lm.answer(ask("x", "/bounded", max_tokens=900))),
            asyncio.create_task(lm.answer(ask("x" * 400, "/waits"))),
        ]
        await asyncio.sleep(0)
        waits.set()
        return [a.text for a in await asyncio.wait_for(asyncio.gather(*calls), 10)]

    assert ["ok", "ok"] == asyncio.run(main())


def test_a_task_that_a_call_leaves_behind_waits_like_any_other() -> None:
    """What was started from within a call that is over waits for room; it is not refused."""
    left: list[asyncio.Task[Answered]] = []
    over = asyncio.Event()

    async def script(asked: Asked) -> str:
        if asked.path == "/leaves":
            left.append(asyncio.create_task(later()))
        elif asked.path == "/slow":
            over.set()
            await asyncio.sleep(0.01)
        return "x"

    async def later() -> Answered:
        await over.wait()
        return await lm.answer(ask("x", "/later", max_tokens=60))

    lm = Budget(ScriptedLM(script), tokens=100)

    async def main() -> str:
        await lm.answer(ask("x", "/leaves", max_tokens=10))
        await lm.answer(ask("x", "/slow", max_tokens=60))
        return (await asyncio.wait_for(left[0], 10)).text

    assert "x" == asyncio.run(main())


def test_a_final_error_ends_the_wait_for_a_budget() -> None:
    """Who waits for room when the key turns out to be wrong is not sent; who is stopped leaves."""
    sent: list[str] = []

    async def script(asked: Asked) -> Exception:
        sent.append(asked.path)
        await asyncio.sleep(0.01)
        return AuthenticationFailed("no")

    lm = Budget(ScriptedLM(script), tokens=100)

    async def main() -> list[type[object]]:
        calls = [asyncio.create_task(lm.answer(ask("x", f"/{n}", max_tokens=60))) for n in range(4)]
        await asyncio.sleep(0)
        calls[-1].cancel()
        return [type(d) for d in await asyncio.gather(*calls, return_exceptions=True)]

    assert [AuthenticationFailed] * 3 + [asyncio.CancelledError] == asyncio.run(main())
    assert sent == ["/0"]


@pytest.mark.parametrize(
    ("usage", "spent"),
    [((None, None), (39, 39e-6)), ((7, None), (17, 17e-6)), ((None, 7777), (7806, 7806e-6))],
)
def test_each_side_of_a_usage_is_counted_where_it_is_known(
    usage: tuple[int | None, int | None], spent: tuple[int, float]
) -> None:
    """What the server told is taken, and only what it did not is estimated."""

    class Half(ScriptedLM):
        async def answer(self, asked: Asked) -> Answered:
            return Answered(path=asked.path, text="x", tokens_in=usage[0], tokens_out=usage[1])

    lm = Budget(Half({}), tokens=10_000, usd=1.0, price=(1.0, 1.0))
    asyncio.run(lm.answer(ask("x" * 100, max_tokens=10)))
    assert spent == (lm.spent_tokens, pytest.approx(lm.spent_usd))


def test_a_price_of_nothing_is_a_price() -> None:
    """A call that costs nothing is not counted at its estimate, nor one that costs less."""
    for cost in (0.0, -5.0):
        lm = Budget(ScriptedLM(answered(10, 10, cost)), tokens=1000)
        asyncio.run(lm.answer(ask(max_tokens=10)))
        assert 0.0 == lm.spent_usd


def wordy(n: int) -> ScriptedLM:
    """Return a script that writes `n` words, of which it takes a while."""

    async def script(asked: Asked) -> str:
        await asyncio.sleep(0.001)
        return "word " * n

    return ScriptedLM(script)


@pytest.mark.parametrize("bound", [{}, {"extra": {"n_predict": -1}}])
def test_budget_of_calls_without_a_bound(bound: dict[str, Any]) -> None:
    """What may write any amount is asked one at a time: one reply at most passes the budget."""
    lm = limited(wordy(1000), tokens=2000)

    async def main() -> Counter[str]:
        calls = (lm.answer(ask(path=f"/n={n}", **bound)) for n in range(64))
        done = await asyncio.gather(*calls, return_exceptions=True)
        return Counter(type(d).__name__ for d in done)

    assert asyncio.run(main()) == {"Answered": 2, "BudgetExceeded": 62}
    assert 2000 <= lm.spent_tokens <= 3000
    in_two_threads(lambda: asyncio.gather(lm.answer(ask()), return_exceptions=True))


@pytest.mark.parametrize(
    ("prompt", "schema", "tokens_in"),
    [
        ("\u6c49" * 400, None, 400),
        (
            "x" * 40,
            {"title": "X", "properties": {f"f{n}": {"type": "integer"} for n in range(80)}},
            600,
        ),
    ],
)
def test_budget_of_other_scripts_and_schemas(
    prompt: str, schema: dict[str, Any] | None, tokens_in: int
) -> None:
    """A letter of another script is a token, and a schema is read as the prompt is."""

    async def script(asked: Asked) -> Answered:
        await asyncio.sleep(0.001)
        return Answered(path=asked.path, text="x", tokens_in=tokens_in, tokens_out=10)

    lm = Budget(ScriptedLM(script), tokens=1000)

    async def main() -> None:
        asked = (ask(prompt, f"/{n}", schema, max_tokens=10) for n in range(20))
        await asyncio.gather(*map(lm.answer, asked), return_exceptions=True)

    asyncio.run(main())
    assert tokens_in <= lm.spent_tokens <= 1000


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "n_predict"])
def test_budget_of_bounds_by_other_names(name: str) -> None:
    """A bound in the extra settings is a bound: such calls are made at the same time."""
    script = Gauge()
    lm = Budget(ScriptedLM(script), tokens=100)

    async def main() -> Counter[str]:
        calls = (lm.answer(ask("x" * 54, f"/{n}", extra={name: 13})) for n in range(10))
        done = await asyncio.gather(*calls, return_exceptions=True)
        return Counter(type(d).__name__ for d in done)

    assert asyncio.run(main()) == {"Answered": 10}
    assert script.most == 3
    assert most_written(Sampling(max_tokens=9, extra={name: 30, "n": 2})) == 60


def test_budget_gives_back_what_was_not_used() -> None:
    """Failed and cancelled calls cost nothing; a reply without usage costs its estimate."""
    lm = Budget(ScriptedLM({"/a": [ServerError("no"), "ok"]}), tokens=100)
    with pytest.raises(ServerError):
        asyncio.run(lm.answer(ask(path="/a", max_tokens=50)))
    assert (lm.spent_tokens, lm._reserved_tokens) == (0, 0)

    class Silent(ScriptedLM):
        async def answer(self, asked: Asked) -> Answered:
            return Answered(path=asked.path, text="x")

    silent = Budget(Silent({}), tokens=100)
    asyncio.run(silent.answer(ask(max_tokens=50)))
    assert silent.spent_tokens == 56
    asyncio.run(silent.answer(ask()))
    assert silent.spent_tokens == 56 + 6 + 1  # without a bound, what it wrote
    gauge = Budget(ScriptedLM(Gauge(5)), tokens=100)
    with pytest.raises(TimedOut):
        asyncio.run(Timeout(gauge, 0.02).answer(ask(max_tokens=50)))
    assert (gauge.spent_tokens, gauge._reserved_tokens) == (0, 0)


def test_limited(mock: Mock) -> None:
    """All limits together; tries do not multiply, and the description has the limits."""
    plain = OpenAILM("m", mock.url, retries=4)
    lm = limited(
        plain, at_once=3, per_minute=60_000, attempts=2, timeout_s=5, tokens=10_000, usd=None
    )
    limits = {
        "at_once": 3,
        "per_minute": 60_000,
        "attempts": 2,
        "timeout_s": 5,
        "tokens": 10_000,
    }
    assert lm.describe() == {**plain.describe(), "limits": limits}
    assert (lm.name, lm.family) == ("m", "unknown")
    assert "Retry(Concurrency(Budget(Rate(Timeout(OpenAILM(" in repr(lm)

    async def main() -> list[Answered]:
        async with lm.session():
            return await many(lm, 12)

    assert len(asyncio.run(main())) == 12
    assert mock.most_running <= 3
    assert lm.spent_tokens == 12 * 16
    assert lm.spent_usd == 0.0
    mock.bodies.clear()
    mock.script = [says("no", 429, retry_after="0.05")] * 2
    with pytest.raises(RateLimited):
        asyncio.run(lm.answer(ask()))
    assert len(mock.bodies) == 2
    mock.script = [sends(completion(), 503)]
    assert asyncio.run(lm.answer(ask())).attempts == 2


@pytest.mark.parametrize(
    "wrap",
    [
        lambda lm: lm,
        lambda lm: Budget(lm, tokens=10**6),
        lambda lm: Concurrency(Rate(Timeout(lm, 9), 6000), 2),
        lambda lm: Retry(lm, attempts=4),
    ],
)
def test_tries_do_not_multiply(mock: Mock, wrap: Callable[[LM], LM]) -> None:
    """Whatever is in between, only the outermost retry tries again."""
    mock.default = says("broken", 503)
    inner = OpenAILM("m", mock.url, retries=4)
    for lm in (
        Retry(wrap(inner), attempts=3, base_s=0.001),
        limited(wrap(inner), attempts=3),
    ):
        mock.bodies.clear()
        with pytest.raises(ServerError) as caught:
            asyncio.run(lm.answer(ask()))
        assert len(mock.bodies) == 3
        assert caught.value.attempts == 3  # type: ignore[attr-defined]


def test_a_model_alone_still_retries(mock: Mock) -> None:
    """Being wrapped once changes nothing for the model, nor does a limit without retries."""
    mock.default = says("slow", 429, retry_after="0.01")
    plain = OpenAILM("m", mock.url, retries=1)
    for lm, sent in (
        (limited(plain, attempts=3), 3),
        (plain, 2),
        (limited(plain, attempts=None), 2),
    ):
        mock.bodies.clear()
        with pytest.raises(RateLimited):
            asyncio.run(lm.answer(ask()))
        assert len(mock.bodies) == sent


def test_spent_is_told_by_the_outermost() -> None:
    """What a budget counted is told by every wrapper around it; without a budget, nothing is."""
    budget = Budget(ScriptedLM(answered(30, 20, 0.5)), usd=9.0)
    for lm in (limited(budget, at_once=2), limited(ScriptedLM(answered(30, 20, 0.5)), usd=9.0)):
        asyncio.run(lm.answer(ask(path="/a")))
        assert (lm.spent_tokens, lm.spent_usd) == (50, 0.5)
    assert (budget.spent_tokens, budget.spent_usd) == (50, 0.5)
    without = limited(ScriptedLM({}), at_once=2)
    assert not hasattr(without, "spent_usd")
    with pytest.raises(AttributeError, match="tokens="):
        _ = without.spent_tokens


def test_described_limits() -> None:
    """Of two limits of a kind the tighter is told, and one that limits nothing is not."""
    lm = Concurrency(Concurrency(Timeout(ScriptedLM({}), math.inf), 2), 8)
    assert lm.describe()["limits"] == {"at_once": 2}
    assert "limits" not in Timeout(ScriptedLM({}), math.inf).describe()


@pytest.mark.parametrize(
    ("inner", "outer", "usd", "price"),
    [
        ((5, (3.0, 4.0)), (2, (9.0, 9.0)), 2, [9.0, 9.0]),
        ((2, (3.0, 4.0)), (5, (1.0, 1.0)), 2, [3.0, 4.0]),
        ((5, (3.0, 4.0)), (2, None), 2, None),
        ((None, (3.0, 4.0)), (None, None), None, [3.0, 4.0]),
        ((None, None), (2, (1.0, 2.0)), 2, [1.0, 2.0]),
    ],
)
def test_described_budgets(inner: Any, outer: Any, usd: float | None, price: Any) -> None:
    """The price that is told is that of the limit in USD that is told."""
    lm: LM = ScriptedLM({})
    for limit, given in (inner, outer):
        lm = Budget(lm, tokens=10, usd=limit, price=given)
    limits = lm.describe()["limits"]

    assert (10, usd, price) == (limits["tokens"], limits.get("usd"), limits.get("price"))


FINAL = [says("bad key", 401), says("no such model", 404)]


@pytest.mark.parametrize("refuse", FINAL)
def test_a_final_error_ends_the_wait_for_a_turn(mock: Mock, refuse: Handler) -> None:
    """Calls that queue when one fails for all are not sent; later ones are."""
    mock.default = refuse
    lm = limited(OpenAILM("m", mock.url), at_once=2)

    async def main() -> None:
        for sent in (2, 4):
            calls = [lm.answer(ask(path=f"/n={n}")) for n in range(20)]
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert len({type(error) for error in done}) == 1
            assert isinstance(done[0], AuthenticationFailed | ModelNotFound)
            assert len(mock.bodies) == sent
            assert sum(getattr(error, "attempts", 1) for error in done) == 2
        mock.default = sends(completion())
        assert len(await many(lm, 4)) == 4

    asyncio.run(main())


def test_a_final_error_ends_the_wait_for_the_rate() -> None:
    """The tokens of calls that were not sent are there for later ones."""
    inner = ScriptedLM(
        lambda asked: AuthenticationFailed("no") if asked.path == "/n=0" else "ok", latency_s=0.05
    )
    lm = Rate(inner, 40)

    async def main() -> None:
        async with asyncio.timeout(5):
            calls = (lm.answer(ask(path=f"/n={n}")) for n in range(20))
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert Counter(map(type, done)) == {AuthenticationFailed: 20}
            assert len(inner.asked) == 1
            assert (await lm.answer(ask(path="/later"))).text == "ok"

    asyncio.run(main())


def test_a_final_error_ends_the_back_off() -> None:
    """A call that waits for its next try does not wait for what cannot come."""
    script = {"/slow": [RateLimited("wait", 60.0)], "/bad": BudgetExceeded("spent")}
    inner = ScriptedLM(script)
    lm = limited(inner, at_once=1)

    async def main() -> None:
        slow = asyncio.create_task(lm.answer(ask(path="/slow")))
        await asyncio.sleep(0.05)
        with pytest.raises(BudgetExceeded):
            await lm.answer(ask(path="/bad"))
        async with asyncio.timeout(5):
            with pytest.raises(BudgetExceeded) as caught:
                await slow
        assert caught.value.attempts == 1  # type: ignore[attr-defined]

    asyncio.run(main())
    assert len(inner.asked) == 2


def test_a_final_error_over_threads(mock: Mock) -> None:
    """Calls that wait in another thread's loop are let go of, and no turn is lost."""
    mock.default = says("bad key", 401)
    lm = Concurrency(OpenAILM("m", mock.url), 1)
    done: list[object] = []

    async def main() -> None:
        calls = (lm.answer(ask(path=f"/n={n}")) for n in range(10))
        done.extend(await asyncio.gather(*calls, return_exceptions=True))

    in_two_threads(main)
    assert Counter(map(type, done)) == {AuthenticationFailed: 20}
    assert len(mock.bodies) <= 4
    assert lm._free == 1
    assert not lm._waiting
    assert not lm.bells


def test_other_errors_let_the_queue_go_on() -> None:
    """A prompt that is refused says nothing of the others."""
    inner = ScriptedLM(lambda asked: RequestRejected("long") if asked.path == "/n=0" else "ok")

    async def main() -> None:
        lm = Concurrency(inner, 1)
        calls = (lm.answer(ask(path=f"/n={n}")) for n in range(5))
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(isinstance(d, Answered) for d in done) == 4

    asyncio.run(main())


@pytest.mark.parametrize(
    "make",
    [
        lambda lm: Retry(lm, 0),
        lambda lm: Concurrency(lm, 0),
        *(lambda lm, x=x: Rate(lm, x) for x in (0, -1, math.nan)),
        *(lambda lm, x=x: Timeout(lm, x) for x in (0, -1, math.nan)),
        *(lambda lm, x=x: Budget(lm, tokens=x) for x in (-5, math.nan)),
        *(lambda lm, x=x: Budget(lm, usd=x) for x in (-0.01, math.nan)),
        lambda lm: Budget(lm, usd=1, price=(1, -1)),
        lambda lm: limited(lm, timeout_s=0),
    ],
)
def test_limits_that_allow_nothing(make: Callable[[LM], LM]) -> None:
    """A limit of nothing at all, or of less, is refused."""
    with pytest.raises(ValueError, match="must be"):
        make(ScriptedLM({}))
