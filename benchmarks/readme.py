"""Results: kept as JSON, and shown in README.md between two markers."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from row import Row, table

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
README = HERE / "README.md"
MARK = "\\*"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"

_PACKAGES = ("openai", "aiohttp", "httpx2", "pydantic", "polars", "numpy", "bm25s")


def machine() -> str:
    """Return what the figures were taken on."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def versions() -> str:
    """Return the versions of the interpreter and of what matters most to the figures."""
    return ", ".join(
        [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in _PACKAGES)]
    )


def commit() -> str:
    """Return the commit that is measured, with a note where files differ from it.

    The results are not what is measured: an earlier benchmark may just have written them.
    """
    results = [f":(exclude){path.name}" for path in (RESULTS, README)]
    try:
        told, differ = (
            subprocess.run(["git", *args], cwd=HERE, check=True, capture_output=True, text=True)
            for args in (
                ["describe", "--always"],
                ["status", "--porcelain", "--untracked-files=no", "--", ":/", *results],
            )
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return told.stdout.strip() + ("-dirty" if differ.stdout.strip() else "")


def keep(
    name: str, rows: Sequence[Row], loads: tuple[float, float], seconds: float, commit: str
) -> None:
    """Put a benchmark's rows in results.json in place of the old ones."""
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[name] = {
        "command": f"python benchmarks {name}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions(),
        "commit": commit,
        "load_before": round(loads[0], 2),
        "load_after": round(loads[1], 2),
        "seconds": round(seconds, 1),
        "rows": [asdict(row) | {"met": row.met} for row in rows],
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def render() -> None:
    """Write what is in results.json into README.md."""
    README.write_text(rendered(README.read_text(), json.loads(RESULTS.read_text())))


def rendered(text: str, results: dict[str, Any]) -> str:
    """Return the text of README.md with the results between its markers."""
    pieces = [_verdict(results)]
    for name, result in results.items():
        rows = [Row(**{k: v for k, v in row.items() if k != "met"}) for row in result["rows"]]
        why = provisional(result)
        pieces.append(f"### {name}\n\n{table(rows, f' {MARK}' if why else '')}")
        if why:
            pieces.append(f"{MARK} Provisional, to be measured again: {why}.")
        pieces.append(
            f"`{result['command']}` in {result['seconds']:.0f} s on {result['date']}, at "
            f"{result['commit']}. {result['machine']}; load {result['load_before']} before, "
            f"{result['load_after']} after. {result['versions']}."
        )
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n\n" + "\n\n".join(pieces) + f"\n\n{END}{tail}"


def provisional(result: dict[str, Any]) -> str:
    """Say why a result does not hold yet: changed files, or a busy machine; else nothing."""
    cores = re.search(r"(\d+) cores", result["machine"])
    load = max(result["load_before"], result["load_after"])
    return ", and ".join(
        [
            *(["files differed from the commit"] if result["commit"].endswith("-dirty") else []),
            *(["the load was above the number of cores"] if cores and load > int(cores[1]) else []),
        ]
    )


def _verdict(results: dict[str, Any]) -> str:
    held = [
        (row, provisional(result))
        for result in results.values()
        for row in result["rows"]
        if row["met"] is not None
    ]
    missed = [row["what"] for row, _ in held if not row["met"]]
    told = f"{len(held) - len(missed)} of {len(held)} targets met"
    unsure = sum(bool(row["met"] and why) for row, why in held)
    told += f", {unsure} of them provisionally." if unsure else "."
    return told + (f" Missed: {'; '.join(missed)}." if missed else "")


if __name__ == "__main__":
    render()
    sys.stdout.write(f"{README}\n")
