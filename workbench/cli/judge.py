"""The command that has the explanations of a benchmark judged: judge."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from workbench.cli import live
from workbench.cli.output import OK, UsageError, Watch, say

SCORES, PAIRS = "quality.run.jsonl", "preference.run.jsonl"


def judge_command(args: argparse.Namespace) -> int:
    """Judge the explanations in a benchmark's folder, each answer or each pair, in a run file."""
    from workbench.auditors.preference import preference
    from workbench.auditors.quality import quality
    from workbench.engine.run import run_sync
    from workbench.experiments.bench import read_bench
    from workbench.experiments.scores import preferences, quality_scores

    try:
        found = read_bench(args.folder, args.methods)
    except ValueError as error:
        raise UsageError(f"--methods: {error}") from None
    runs = {name: found.open(name) for name in found.summary.get_column("method")}
    baseline = args.baseline or next(iter(runs), "")
    if baseline not in runs:
        raise UsageError(f"no method {baseline!r}; there are {', '.join(runs) or 'none'}")
    try:
        if args.pairs:
            bound = preference(runs, against=args.baseline, order=args.seed)
        else:
            bound = quality(runs, beside=not args.alone, order=args.seed)
    except ValueError as error:
        raise UsageError(str(error)) from None
    out: Path = args.out or args.folder / (PAIRS if args.pairs else SCORES)
    lm = live.language_model(args)
    with Watch(args) as watch:
        run = run_sync(bound, lm=lm, to=live.new_file(out), seed=args.seed, on_event=watch)
    if args.pairs:
        rows = preferences(run).to_dicts()
        told = [
            f"{r['method']} against {r['against']}: {r['wins']} wins, {r['ties']} ties "
            f"({r['inconsistent']} inconsistent), {r['losses']} losses of {r['n']}, "
            f"{r['unknown']} unknown; "
            + (f"sign test p = {r['p']:.3g}" if r["p"] is not None else r["why"])
            for r in rows
        ]
    else:
        scores = quality_scores(run)
        rows = scores.compare(baseline).to_dicts()
        told = [str(scores)]
        told += [
            f"{r['method']} against {r['baseline']}, {r['metric']}: "
            + (
                f"{r['difference']:+.1f}, p = {r['p']:.3g}, Holm {r['p_holm']:.3g} (n={r['n']})"
                if r["p"] is not None
                else r["why"]
            )
            for r in rows
        ]
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        for line in told:
            say(line)
        say(f"written: {out}")
    return OK
