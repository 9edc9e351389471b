"""Opening long runs: seconds, memory, and how both grow with the number of events."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import row
from fresh import fresh
from row import Row
from server import structured

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
WINDOW = 2
"""Turns that the agents look back on, so that prompts do not grow with the run."""

_STEPS = ("open", "tables", "replay")
_TARGETS = {"open": 1.0, "tables": 2.0}


def measure(*, quick: bool) -> list[Row]:
    """Return seconds to open, tabulate and replay bi-layer runs, and peak memory."""
    sizes = SIZES[:3] if quick else SIZES
    n = 2 if quick else 5
    rows: list[Row] = []
    medians: dict[str, list[float]] = {step: [] for step in _STEPS}
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{size}.run.jsonl") for size in sizes]
        for size, path in zip(sizes, paths, strict=True):
            counts.append(fresh("opening.make", path=path, events=size)["events"])
        for path, events in zip(paths, counts, strict=True):
            taken = [fresh("opening.replayed", path=path) for _ in range(n)]
            largest = path == paths[-1] and not quick
            for step in _STEPS:
                some = [one[step] for one in taken]
                medians[step].append(median(some))
                target = _TARGETS.get(step) if largest else None
                rows.append(row.of(f"{step}, {events:,} events", some, "s", target=target))
        peaks = [fresh("opening.opened", path=paths[-1])["peak_mb"] for _ in range(n)]
        size_mb = Path(paths[-1]).stat().st_size / 1e6
    what = f"peak memory, open and tables, {counts[-1]:,} events ({size_mb:.0f} MB file)"
    rows.append(row.of(what, peaks, "MB", target=None if quick else 400.0))
    for step in _STEPS:
        what = f"log-log slope of {step} (1: linear)"
        rows.append(
            Row(
                what=what,
                value=row.slope(counts, medians[step]),
                unit="",
                n=len(counts),
                target=1.1,
            )
        )
    return rows


def make(path: str, events: int) -> dict[str, Any]:
    """Run the bi-layer protocol with a scripted model until there are about so many events."""
    import ours

    import workbench as wb
    from workbench.record.events import Asked

    marks = iter(range(10**9))

    def reply(asked: Asked) -> str:
        assert asked.schema is not None
        return structured(asked.schema, next(marks))

    def count(turns: int, to: str | None) -> int:
        bound = ours.deliberation(turns, WINDOW)
        return len(wb.run_sync(bound, lm=wb.ScriptedLM(reply), world=ours.WORLD, to=to))

    few, more = count(2, None), count(4, None)
    return {"events": count(2 + round((events - few) * 2 / (more - few)), path)}


def opened(path: str) -> dict[str, float]:
    """Open a run and make its tables, as a reader's first act."""
    import workbench as wb
    import workbench.record.tables

    begun = time.perf_counter()
    run = wb.open_run(path)
    between = time.perf_counter()
    made = wb.tables(run)
    ended = time.perf_counter()
    assert made.runs.height == 1
    return {"open": between - begun, "tables": ended - between}


def replayed(path: str) -> dict[str, float]:
    """Open a run, make its tables and replay it, once each."""
    import workbench as wb
    import workbench.agents.bilayer
    import workbench.engine.verify

    taken = opened(path)
    run = wb.open_run(path)
    begun = time.perf_counter()
    again = wb.replay(run)
    taken["replay"] = time.perf_counter() - begun
    assert len(again) == len(run)
    return taken
