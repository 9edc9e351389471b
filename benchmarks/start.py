"""Waiting at the beginning: the import, the replay of the sample runs, one search."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import row
import search
from fresh import fresh
from row import Row

SAMPLES = Path(__file__).resolve().parent.parent / "sample_runs"

_TIMED = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
_FIRST_USE = "import workbench as wb; wb.run, wb.OpenAILM, wb.bilayer, wb.Case, wb.tables"


def measure(*, quick: bool) -> list[Row]:
    """Return seconds for the import, milliseconds for replays and for a search."""
    n = 3 if quick else 15
    return [*_imports(n), *_replays(n), *search.measure(quick=quick)]


def _imports(n: int) -> list[Row]:
    taken: dict[str, list[float]] = {}
    for number in range(-1, n):
        for what, code in (
            ("bare Python, start to end", "pass"),
            ("python -c 'import workbench', start to end", "import workbench"),
        ):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            if number >= 0:
                taken.setdefault(what, []).append(time.perf_counter() - begun)
        for what, code in (
            ("the statement: import workbench", "import workbench"),
            ("first use of run, OpenAILM, bilayer, Case, tables", _FIRST_USE),
        ):
            command = [sys.executable, "-c", _TIMED.format(code)]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            if number >= 0:
                taken.setdefault(what, []).append(float(told.stdout))
    return [
        row.of(what, some, "s", target=0.15 if "import workbench" in what else None)
        for what, some in taken.items()
    ]


def _replays(n: int) -> list[Row]:
    """Return the time of ``wb.replay(path)``, with the reading of the file, once warm."""
    found = sorted(SAMPLES.rglob("*.run.jsonl"))
    named = [(f"replay of sample_runs/{path.relative_to(SAMPLES)}", path) for path in found]
    with tempfile.TemporaryDirectory() as folder:
        if not found:
            path = Path(folder) / "stand-in.run.jsonl"
            made = fresh("opening.make", path=str(path), events=210)
            named = [(f"no sample run yet: a scripted one of {made['events']} events", path)]
        return [
            row.of(what, fresh("start.replays", path=str(path), n=n)["ms"], "ms", target=50.0)
            for what, path in named
        ]


def replays(path: str, n: int) -> dict[str, list[float]]:
    """Replay a run from its file `n` times, after once to warm up."""
    import workbench as wb

    taken = []
    for _ in range(n + 1):
        begun = time.perf_counter()
        wb.replay(path)
        taken.append(1000 * (time.perf_counter() - begun))
    return {"ms": taken[1:]}
