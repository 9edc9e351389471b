"""Bytes on disk for each call, as a run's history grows."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import row
from row import Row
from server import serving

FLAT = 0.05
"""A log-log slope under this is called constant: 8 to 128 rounds then differ by under 15 %."""


def measure(*, quick: bool) -> list[Row]:
    """Return bytes a call for runs of 8 to 128 rounds, beside the bytes that were sent."""
    rounds = (8, 16, 32) if quick else (8, 16, 32, 64, 128)
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        kept, sent = asyncio.run(_measure(f"{url}/0/v1", Path(folder), rounds))
    rows = [
        Row(what=f"run file, {n} rounds", value=size, unit="bytes a call", n=n * 4)
        for n, size in zip(rounds, kept, strict=True)
    ]
    rows += [
        Row(what=f"prompts sent, {n} rounds", value=size, unit="bytes a call", n=n * 4)
        for n, size in ((rounds[0], sent[0]), (rounds[-1], sent[-1]))
    ]
    what = "log-log slope of the run file's bytes a call (0: constant)"
    steps = row.slope(rounds, kept)
    return [*rows, Row(what=what, value=steps, unit="", n=len(rounds), target=FLAT)]


async def _measure(
    url: str, folder: Path, rounds: tuple[int, ...]
) -> tuple[list[float], list[float]]:
    import ours

    import workbench as wb

    kept, sent = [], []
    lm = ours.lm(url)
    async with lm.session():
        for n in rounds:
            path = folder / f"{n}.run.jsonl"
            run = await wb.run(ours.rounds(n), lm=lm, to=path)
            kept.append(path.stat().st_size / run.usage.calls)
            texts = (m["content"] for messages in ours.sent(run) for m in messages)
            sent.append(sum(map(len, texts)) / run.usage.calls)
    return kept, sent
