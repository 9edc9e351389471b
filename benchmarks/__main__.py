"""Measure speed and memory: ``python benchmarks [NAME ...] [--quick]``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module

import readme
from row import table

BENCHMARKS = {
    "calls": "calls",
    "many": "many",
    "disk": "disk",
    "open": "opening",
    "start": "start",
    "consult": "consultation",
    "widgets": "widgets",
    "prefix": "prefix",
}
"""Name to module; each has a ``measure(quick=...)`` that returns rows."""


def main() -> None:
    """Run what is named, print its tables, keep the results and show them in README.md."""
    parser = argparse.ArgumentParser(prog="python benchmarks", description=__doc__)
    names = parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="few rounds; keeps no results")
    parser.add_argument("--render", action="store_true", help="only show results.json in README.md")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in BENCHMARKS]
    if unknown:
        parser.error(str(argparse.ArgumentError(names, f"no benchmark {unknown[0]!r}")))
    if given.render:
        readme.render()
        return
    measured = readme.commit()  # once, before anything is written
    for name in given.names or BENCHMARKS:
        before, begun = os.getloadavg()[0], time.perf_counter()
        rows = import_module(BENCHMARKS[name]).measure(quick=given.quick)
        seconds = time.perf_counter() - begun
        after = os.getloadavg()[0]
        head = f"{name}: {seconds:.0f} s, load {before:.2f} before and {after:.2f} after"
        tell(f"\n{head}\n\n{table(rows)}")
        if not given.quick:
            readme.keep(name, rows, (before, after), seconds, measured)
    if given.quick:
        tell("\nA smoke run: nothing was kept.")
    else:
        readme.render()


def tell(text: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
