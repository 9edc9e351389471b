"""Time a call takes beside the model's own time: our runs against the bare openai client."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import row
from row import Row
from server import serving

Round = Callable[[], Awaitable[object]]


def measure(*, quick: bool) -> list[Row]:
    """Return milliseconds a call at 0 ms latency, and their ratios."""
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(f"{url}/0/v1", Path(folder), 3 if quick else 25))


async def _measure(url: str, folder: Path, n: int) -> list[Row]:
    import ours
    import plain
    from openai import AsyncOpenAI

    import workbench as wb

    names = (str(folder / f"{number}.run.jsonl") for number in itertools.count())
    lm = ours.lm(url)
    bilayer = ours.deliberation()
    rows: list[Row] = []
    async with lm.session(), AsyncOpenAI(base_url=url, api_key=plain.KEY) as client:
        for merged, said in ((False, "8 rounds of 1 + 3"), (True, "the same, one user message")):
            await _check_equal(client, lm, merged=merged)

            def us(merged: bool = merged) -> Awaitable[object]:
                return wb.run(ours.rounds(merged=merged), lm=lm, to=next(names))

            def them(merged: bool = merged) -> Awaitable[object]:
                return plain.rounds(client, merged=merged)

            a, b = await _interleaved(us, them, n)
            rows += _rows(said, a, b, plain.ROUNDS * 4, None if merged else 0.3)

        def us_alone() -> Awaitable[object]:
            return wb.run(ours.rounds(), lm=ours.lm(url), to=next(names))

        async def them_alone() -> None:
            async with AsyncOpenAI(base_url=url, api_key=plain.KEY) as own:
                await plain.rounds(own)

        a, b = await _interleaved(us_alone, them_alone, n)
        rows += _rows("8 rounds, a client of its own for each run", a, b, plain.ROUNDS * 4, None)
        recorded = await wb.run(bilayer, lm=lm, world=ours.WORLD)
        turns = ours.turns_of(recorded)
        a, b = await _interleaved(
            lambda: wb.run(bilayer, lm=lm, world=ours.WORLD, to=next(names)),
            lambda: plain.deliberation(client, turns),
            n,
        )
        rows += _rows("bilayer, 8 turns", a, b, recorded.usage.calls, None)
        recorded = await wb.run(ours.maven(), lm=lm)
        calls, waves = recorded.usage.calls, ours.waves_of(recorded)

        def maven() -> Awaitable[object]:
            return wb.run(ours.maven(), lm=lm, to=next(names))

        a, b = await _interleaved(maven, lambda: plain.in_waves(client, waves), n)
        rows += _rows("maven, 3 iterations", a, b, calls, None)
        a, b = await _interleaved(maven, lambda: plain.rounds(client), n)
        a, b = [s / calls for s in a], [s / (plain.ROUNDS * 4) for s in b]
        what = "maven, 3 iterations: ours / openai client in 8 rounds of 1 + 3"
        rows.append(row.ratio(what, a, b, target=0.3))
    return rows


async def _interleaved(us: Round, them: Round, n: int) -> tuple[list[float], list[float]]:
    """Return the seconds of `n` rounds of each side, A B A B, after three to warm up."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(-3, n):
        for side, make in zip(taken, (us, them), strict=True):
            begun = time.perf_counter()
            await make()
            if number >= 0:
                side.append(time.perf_counter() - begun)
    return taken


def _rows(
    said: str, ours: list[float], theirs: list[float], calls: int, target: float | None
) -> list[Row]:
    ours, theirs = ([1000 * s / calls for s in side] for side in (ours, theirs))
    return [
        row.of(f"{said}: ours", ours, "ms a call"),
        row.of(f"{said}: openai client", theirs, "ms a call"),
        row.ratio(f"{said}: ours / openai client", ours, theirs, target=target),
    ]


async def _check_equal(client: object, lm: object, *, merged: bool) -> None:
    """Raise unless both sides send the same messages."""
    import ours
    import plain

    import workbench as wb

    run = await wb.run(ours.rounds(merged=merged), lm=lm)  # type: ignore[arg-type]
    seen: list[list[plain.Message]] = []
    await plain.rounds(client, merged=merged, seen=seen)  # type: ignore[arg-type]
    if sorted(map(json.dumps, ours.sent(run))) != sorted(map(json.dumps, seen)):
        raise AssertionError("the two sides do not make the same calls")
