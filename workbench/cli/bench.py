"""The command that runs methods over items: bench."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from workbench.cli import live
from workbench.cli.output import INTERRUPTED, OK, STOPPED, UsageError, Watch, refused, say

if TYPE_CHECKING:
    from workbench.experiments.bench import Done


class Progress:
    """Tell each run of many on standard error, once it is done with."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._done, self._total, self._quiet = 0, total, quiet

    def __call__(self, name: str, did: str, why: str) -> None:
        """Tell one run."""
        self._done += 1
        if not self._quiet:
            told = f": {why}" if why else ""
            say(f"{self._done}/{self._total} {name} {did}{told}", sys.stderr)
            sys.stderr.flush()


def bench_command(args: argparse.Namespace) -> int:
    """Run methods over items, go on where an earlier benchmark stopped, and tell the results."""
    from workbench.datasets.read import read_items
    from workbench.engine.commands import rng
    from workbench.experiments.bench import bench_sync
    from workbench.experiments.methods import Method, methods

    try:
        chosen = methods(args.methods)
        if args.method not in {one.label.partition(":")[0] for one in chosen}:
            chosen = (*chosen, Method.parse(args.method))
        baseline = args.baseline or chosen[0].label
        if baseline not in {one.label for one in chosen}:
            raise UsageError(f"--baseline {baseline} is none of the methods")
    except ValueError as error:
        raise UsageError(f"--methods: {error}") from None
    items = read_items(args.items, args.format)[args.skip :][: args.first]
    if not items:
        raise UsageError(f"--skip {args.skip} leaves no item of {args.items}")
    if args.sample is not None:
        if args.sample > len(items):
            raise UsageError(f"--sample {args.sample}: there are {len(items)} items")
        items = tuple(rng(args.seed, "items").sample(items, args.sample))
    lm = live.language_model(args)
    total = len(items) * len(chosen)
    progress = Progress(total, args.quiet)

    def tell(one: Done) -> None:
        progress(f"{one.method} {one.item.id}", one.did, one.why)

    try:
        with Watch(args) if args.facts and not args.quiet else nullcontext() as watch:
            found = bench_sync(
                chosen,
                items,
                lm=lm,
                to=args.out,
                seed=args.seed,
                runs_at_once=args.runs_at_once,
                on_event=watch,
                on_done=tell,
            )
    except KeyboardInterrupt:
        kept = "what was answered is kept, and the same command goes on"
        return refused(f"interrupted; {kept}", INTERRUPTED)
    compared = found.compare(baseline) if len(chosen) > 1 else None
    savings, iterations = found.savings(), found.iterations()
    if args.json:
        told = {
            "summary": found.summary.to_dicts(),
            "compared": compared.frame.to_dicts() if compared else [],
            "savings": savings.frame.to_dicts(),
            "iterations": iterations.frame.to_dicts(),
            "runs": found.runs.to_dicts(),
        }
        print(json.dumps(told, indent=2))
    else:
        say(found)
        if compared is not None:
            say(f"\n{compared}")
        for one in (savings, iterations):
            if one.frame.height:
                say(f"\n{one}")
        say(f"written: {args.out}")
    return STOPPED if found.summary.get_column("unfinished").sum() else OK
