"""What a benchmark came to: a frame of its runs, and what may be said of the methods."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from workbench.datasets.item import Item
from workbench.datasets.scoring import score
from workbench.errors import RunFileError
from workbench.experiments.comparison import Comparisons, comparisons
from workbench.experiments.iterations import Iterations, iterations
from workbench.experiments.methods import Method
from workbench.experiments.routing import Savings, savings
from workbench.experiments.table import Table, over_all, share
from workbench.record.events import Answered
from workbench.record.log import SUFFIX
from workbench.record.run import Run, open_run
from workbench.stats.bootstrap import bootstrap_mean

RESULTS: dict[str, pl.DataType] = {
    "method": pl.String(),
    "protocol": pl.String(),
    "params": pl.String(),
    "item": pl.String(),
    "source": pl.String(),
    "kind": pl.String(),
    "status": pl.String(),
    "answer": pl.String(),
    "gold": pl.String(),
    "outcome": pl.String(),
    "how": pl.String(),
    "route": pl.String(),
    "calls": pl.Int64(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "tokens_cached": pl.Int64(),
    "seconds": pl.Float64(),
    "cost_usd": pl.Float64(),
    "unread": pl.Int64(),
    "file": pl.String(),
}
"""The schema of `Results.runs`."""


@dataclass(frozen=True, repr=False)
class Results(Table):
    """The runs of some methods on some items.

    Attributes
    ----------
    runs : DataFrame
        One row a method and item, in the order in which they were given. ``method``, ``protocol``,
        ``params`` (JSON: all but the item's), ``item``, ``source``, ``kind`` (of the item),
        ``status`` (``complete``, ``failed``, ``interrupted``, ``missing``, ``damaged``),
        ``answer``, ``gold``, ``outcome`` (``right``, ``wrong``, ``unknown`` where no answer could
        be read, ``no_gold``; null unless complete), ``how`` (the method came to the answer),
        ``route`` (``fast`` or ``full``, of MAVEN), ``calls``, ``tokens_in``, ``tokens_out``,
        ``tokens_cached``, ``seconds`` (in which at least one call was under way: waiting between a
        stop and a resume does not count), ``cost_usd`` (null if a price is unknown), ``unread``
        (questions of which the gate could read no answer), ``file``. What is unknown is null and
        never 0.
    """

    runs: pl.DataFrame

    @cached_property
    def summary(self) -> pl.DataFrame:
        """One row a method.

        ``method``; ``n`` (judged: right or wrong), ``right``, ``wrong``, ``unknown``, ``no_gold``,
        ``unfinished`` (not complete); ``accuracy`` (right of the judged), ``lo``, ``hi`` (95 %
        percentile bootstrap, 10,000 resamples, seed 0), ``why`` (there is no interval, or with what
        caution); ``at_least``, ``at_most`` (accuracy if all that is unknown were wrong, or right);
        ``calls``, ``tokens``, ``seconds`` (means over complete runs; null if that of any of them
        is unknown); ``fast`` (complete runs on the fast path), ``full``.
        """
        order = self.runs.get_column("method").unique(maintain_order=True).to_list()
        rows = [_summed(m, self.runs.filter(pl.col("method") == m)) for m in order]
        return pl.DataFrame(rows, schema=_SUMMARY, orient="row")

    def compare(self, baseline: str) -> Comparisons:
        """Compare every method with `baseline`, on the items that both have answered.

        Raises
        ------
        ValueError
            If there is no such method.
        """
        return comparisons(self.runs, baseline)

    def savings(self) -> Savings:
        """Tell what the Router saves: pairs of methods of which one has ``router=false``."""
        return savings(self.runs)

    def iterations(self) -> Iterations:
        """Tell what each iteration gains: methods that differ in ``max_iterations`` alone."""
        return iterations(self.runs)

    def open(self, method: str) -> list[Run]:
        """Return the complete runs of a method, such as `quality` judges."""
        kept = self.runs.filter((pl.col("method") == method) & (pl.col("status") == "complete"))
        return [open_run(file) for file in kept.get_column("file")]

    def rows(self) -> list[list[str]]:
        """Return the summary as a table of texts, its head first."""
        head = [
            "method",
            "accuracy",
            "95 % interval",
            "right",
            "n",
            "unknown",
            "if all wrong/right",
        ]
        head += ["no gold", "unfinished", "calls", "tokens", "seconds", "fast/full"]
        table = [head]
        for row in self.summary.to_dicts():
            bounds = f"{share(row['at_least'])} to {share(row['at_most'])}"
            interval = "none" if row["lo"] is None else f"{share(row['lo'])} to {share(row['hi'])}"
            routed = f"{row['fast']}/{row['full']}" if row["fast"] + row["full"] else ""
            table.append(
                [
                    row["method"],
                    share(row["accuracy"]),
                    interval,
                    str(row["right"]),
                    str(row["n"]),
                    str(row["unknown"]),
                    bounds if row["unknown"] else "",
                    str(row["no_gold"]),
                    str(row["unfinished"]),
                    _mean(row["calls"], 1),
                    _mean(row["tokens"], 0),
                    _mean(row["seconds"], 1),
                    routed,
                ]
            )
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the summary."""
        about = (
            "Accuracy is of the answers that could be judged (n); calls, tokens and seconds are "
            "means over complete runs. Intervals: percentile bootstrap, 10,000 resamples, seed 0. "
            "Intervals that overlap are not a test: compare pairs."
        )
        whys = (f"{row['method']}: {row['why']}" for row in self.summary.to_dicts() if row["why"])
        return [about, *whys]

    def __repr__(self) -> str:
        done = self.runs.filter(pl.col("status") == "complete").height
        return f"Results({done} of {self.runs.height} runs are complete)"


def results(
    chosen: Sequence[Method], items: Iterable[Item], folder: str | os.PathLike[str]
) -> Results:
    """Read the results of methods and items from a benchmark's folder."""
    asked = tuple(items)
    rows = [
        _row(method, item, Path(folder) / method.folder / f"{item.id}{SUFFIX}")
        for method in chosen
        for item in asked
    ]
    return Results(pl.DataFrame(rows, schema=RESULTS, orient="row"))


def _row(method: Method, item: Item, path: Path) -> tuple[Any, ...]:
    about = (item.id, item.source, item.kind)
    try:
        run = open_run(path) if path.exists() else None
        status: str = "missing" if run is None else run.status
    except RunFileError:
        run, status = None, "damaged"
    if run is None:
        return (
            method.label,
            None,
            None,
            *about,
            status,
            None,
            item.answer,
            *[None] * 10,
            str(path),
        )
    finals = run.facts_of("FinalAnswer") if status == "complete" else []
    final = finals[-1].data if finals else {}
    answer = final.get("answer") if isinstance(final.get("answer"), str) else None
    use = run.usage
    routed = [fact.data.get("path") for fact in run.facts_of("Routed")]
    start = run.started
    params = {k: v for k, v in start.params.items() if k not in ("question", "options")}
    return (
        method.label,
        start.protocol,
        json.dumps(params, sort_keys=True),
        *about,
        status,
        answer,
        item.answer,
        score(item, answer) if status == "complete" else None,
        final.get("how"),
        routed[-1] if routed else None,
        use.calls,
        use.tokens_in,
        use.tokens_out,
        use.tokens_cached,
        busy_s(run),
        use.cost_usd,
        sum(fact.data.get("tier") is None for fact in run.facts_of("Gated")),
        str(path),
    )


def busy_s(run: Run) -> float | None:
    """Return the seconds in which at least one model call was under way; None if unknown.

    Each call lies between its arrival and so much earlier as it took; calls at the same time count
    once. So the figure is what the run took, and a pause before a resume is not in it.
    """
    answers = [a for a in run.answers.values() if isinstance(a, Answered) and a.origin is None]
    spans = sorted(
        (a.at - a.latency_s, a.at) for a in answers if a.at is not None and a.latency_s is not None
    )
    if not spans or len(spans) < len(answers):
        return None
    busy, until = 0.0, spans[0][0]
    for start, end in spans:
        busy += max(0.0, end - max(start, until))
        until = max(until, end)
    return busy


_SUMMARY: dict[str, pl.DataType] = {
    "method": pl.String(),
    **dict.fromkeys("n right wrong unknown no_gold unfinished".split(), pl.Int64()),
    **dict.fromkeys("accuracy lo hi".split(), pl.Float64()),
    "why": pl.String(),
    **dict.fromkeys("at_least at_most calls tokens seconds".split(), pl.Float64()),
    **dict.fromkeys("fast full".split(), pl.Int64()),
}


def _summed(method: str, runs: pl.DataFrame) -> dict[str, Any]:
    outcomes = runs.get_column("outcome").to_list()
    right, wrong, unknown, no_gold, unfinished = (
        outcomes.count(outcome) for outcome in ("right", "wrong", "unknown", "no_gold", None)
    )
    n, known = right + wrong, right + wrong + unknown
    lo = hi = None
    try:
        interval = bootstrap_mean([1.0] * right + [0.0] * wrong)
        lo, hi, why = interval.lo, interval.hi, interval.caution
    except ValueError as refused:
        why = f"no interval: {refused}"
    done = runs.filter(pl.col("status") == "complete")
    routes = done.get_column("route").to_list()
    return {
        "method": method,
        "n": n,
        "right": right,
        "wrong": wrong,
        "unknown": unknown,
        "no_gold": no_gold,
        "unfinished": unfinished,
        "accuracy": right / n if n else None,
        "lo": lo,
        "hi": hi,
        "why": why,
        "at_least": right / known if known else None,
        "at_most": (right + unknown) / known if known else None,
        "calls": over_all(done.get_column("calls")),
        "tokens": over_all(done.get_column("tokens_in") + done.get_column("tokens_out")),
        "seconds": over_all(done.get_column("seconds")),
        "fast": routes.count("fast"),
        "full": routes.count("full"),
    }


def _mean(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:,.{digits}f}"
