"""Sixty-four runs at once at 20 ms: calls a second and peak memory, each side on its own."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import row
from fresh import fresh
from row import Row
from server import serving

RUNS = 64


def measure(*, quick: bool) -> list[Row]:
    """Return calls a second, peak megabytes, and the ratios of both."""
    us, them = [], []
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        for number in range(2 if quick else 7):
            place = Path(folder) / str(number)
            place.mkdir()
            us.append(fresh("many.us", url=f"{url}/20/v1", folder=str(place)))
            them.append(fresh("many.them", url=f"{url}/20/v1"))
    rates, peaks = (
        [[one[name] for one in side] for side in (us, them)] for name in ("rate", "peak_mb")
    )
    return [
        row.of("64 runs at once: ours", rates[0], "calls/s"),
        row.of("64 runs at once: openai client", rates[1], "calls/s"),
        row.ratio("calls/s: ours / openai client", *rates, target=4.0, at_least=True),
        row.of("peak memory: ours", peaks[0], "MB"),
        row.of("peak memory: openai client", peaks[1], "MB"),
        row.ratio("peak memory: ours / openai client", *peaks, target=1.2),
    ]


def us(url: str, folder: str) -> dict[str, float]:
    """Make the runs with the workbench, each with a run file."""
    import ours

    import workbench as wb

    async def main() -> float:
        lm = ours.lm(url)
        async with lm.session():
            await wb.run(ours.rounds(), lm=lm, to=f"{folder}/warm.run.jsonl")
            begun = time.perf_counter()
            await asyncio.gather(
                *(wb.run(ours.rounds(), lm=lm, to=f"{folder}/{n}.run.jsonl") for n in range(RUNS))
            )
            return time.perf_counter() - begun

    return _rate(asyncio.run(main()))


def them(url: str) -> dict[str, float]:
    """Make the runs with the openai client alone."""
    import plain
    from openai import AsyncOpenAI

    async def main() -> float:
        async with AsyncOpenAI(base_url=url, api_key=plain.KEY) as client:
            await plain.rounds(client)
            begun = time.perf_counter()
            await asyncio.gather(*(plain.rounds(client) for _ in range(RUNS)))
            return time.perf_counter() - begun

    return _rate(asyncio.run(main()))


def _rate(seconds: float) -> dict[str, float]:
    return {"rate": RUNS * 32 / seconds}
