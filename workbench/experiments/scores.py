"""What a quality judge's run came to: scores and preferences by method, compared in pairs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import polars as pl

from workbench.auditors.preference import Preferred
from workbench.auditors.quality import QualityScored
from workbench.auditors.rubrics import METRICS
from workbench.errors import RunError
from workbench.experiments.table import Table
from workbench.record.rows import model_names
from workbench.record.run import Run, open_run
from workbench.stats.bootstrap import bootstrap_difference, bootstrap_mean
from workbench.stats.paired import holm, mcnemar, wilcoxon

NAMES = tuple(METRICS.values())

_SUMMARY: dict[str, pl.DataType] = {
    "method": pl.String(),
    "metric": pl.String(),
    **dict.fromkeys("n unknown".split(), pl.Int64()),
    **dict.fromkeys("mean lo hi swap".split(), pl.Float64()),
    "why": pl.String(),
}
_COMPARED: dict[str, pl.DataType] = {
    "method": pl.String(),
    "baseline": pl.String(),
    "metric": pl.String(),
    "n": pl.Int64(),
    **dict.fromkeys("difference lo hi p p_holm".split(), pl.Float64()),
    "why": pl.String(),
}
_PREFERRED: dict[str, pl.DataType] = {
    "method": pl.String(),
    "against": pl.String(),
    **dict.fromkeys("n wins ties losses inconsistent unknown".split(), pl.Int64()),
    "p": pl.Float64(),
    "why": pl.String(),
}


@dataclass(frozen=True, repr=False)
class Scores(Table):
    """The scores that a quality judge gave.

    Attributes
    ----------
    scores : DataFrame
        One row a judged answer: ``item``, ``method``, then each metric (JCD, F&C, C&A, ARS: means
        of both readings, null if unknown) and its ``swap`` (by how much the second reading is above
        the first, as ``JCD_swap``).
    judge : tuple of str
        The models that judged, each with its family.
    seed : int
    """

    scores: pl.DataFrame
    judge: tuple[str, ...]
    seed: int

    @cached_property
    def summary(self) -> pl.DataFrame:
        """One row a method and metric.

        ``method``, ``metric``, ``n``, ``unknown``, ``mean``, ``lo``, ``hi`` (95 % percentile
        bootstrap), ``swap`` (the mean size of the difference of the two readings, in points: what
        order alone does to this judge), ``why`` (there is no interval, or with what caution).
        """
        rows = []
        for method, metric in product(self.methods, NAMES):
            mine = self.scores.filter(pl.col("method") == method)
            values = mine.get_column(metric).drop_nulls().to_list()
            lo = hi = None
            try:
                made = bootstrap_mean(values)
                lo, hi, why = made.lo, made.hi, made.caution
            except ValueError as refused:
                why = f"no interval: {refused}"
            swap = mine.get_column(f"{metric}_swap").abs().mean()
            mean = sum(values) / len(values) if values else None
            n, unknown = len(values), mine.height - len(values)
            rows.append((method, metric, n, unknown, mean, lo, hi, swap, why))
        return pl.DataFrame(rows, schema=_SUMMARY, orient="row")

    @property
    def methods(self) -> list[str]:
        """The methods in the order of the panels."""
        return self.scores.get_column("method").unique(maintain_order=True).to_list()

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every method with `baseline` on the items where both have scores.

        Returns
        -------
        DataFrame
            One row a method and metric: ``method``, ``baseline``, ``metric``, ``n`` (pairs),
            ``difference`` (of means, the method's less the baseline's), ``lo``, ``hi`` (95 % paired
            percentile bootstrap), ``p`` (exact Wilcoxon signed-rank), ``p_holm`` (adjusted for the
            number of rows), ``why`` (what is refused, and cautions).

        Raises
        ------
        ValueError
            If there is no such method.
        """
        if baseline not in self.methods:
            raise ValueError(f"no method {baseline!r}; there are {', '.join(self.methods)}")
        base = self.scores.filter(pl.col("method") == baseline)
        rows = []
        for method, metric in product(self.methods, NAMES):
            if method != baseline:
                pairs = self.scores.filter(pl.col("method") == method).join(base, on="item")
                pairs = pairs.drop_nulls([metric, f"{metric}_right"])
                ours, theirs = pairs[metric].to_list(), pairs[f"{metric}_right"].to_list()
                rows.append(_compared(method, baseline, metric, ours, theirs))
        tested = [row for row in rows if row["p"] is not None]
        for row, adjusted in zip(tested, holm([row["p"] for row in tested]), strict=True):
            row["p_holm"] = adjusted
        return pl.DataFrame(rows, schema=_COMPARED, orient="row")

    def rows(self) -> list[list[str]]:
        """Return the means as a table of texts, a row a method, its head first."""
        table = [["method", *NAMES, "n", "unknown", "swap"]]
        for method in self.methods:
            mine = self.summary.filter(pl.col("method") == method)
            swaps = mine["swap"].drop_nulls().to_list()
            means = ["none" if m is None else f"{m:.1f}" for m in mine["mean"].to_list()]
            counts = [str(mine["n"][0]), str(mine["unknown"][0])]
            told = f"{sum(swaps) / len(swaps):.1f}" if swaps else "none"
            table.append([method, *means, *counts, told])
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the table."""
        said = (
            f"Means from 1 to 100 of two readings in reverse order; swap: the mean difference of "
            f"the two. Judge: {', '.join(self.judge) or 'no model'}; seed {self.seed}. A judge of "
            "the methods' own family may favour them; scores are not comparable between judges."
        )
        return [said]

    def __repr__(self) -> str:
        return f"Scores({self.scores.height} answers of {len(self.methods)} methods)"


def quality_scores(judged: Run | str | os.PathLike[str]) -> Scores:
    """Return the scores of a run of the quality judge.

    Parameters
    ----------
    judged : Run or path
        Of `quality`, finished or not.

    Returns
    -------
    Scores
        Of the answers that were judged.

    Raises
    ------
    RunError
        If it is another run.
    """
    run = _of(judged, "quality")
    facts = [QualityScored.read(posted) for posted in run.facts_of("QualityScored")]
    rows = []
    for fact in facts:
        swaps: list[float | None] = [None] * len(NAMES)
        if fact.scores is not None:
            first, second = (reading or {} for reading in fact.readings)
            swaps = [float(second[name] - first[name]) for name in NAMES]
        values = [None if fact.scores is None else fact.scores[name] for name in NAMES]
        rows.append((fact.item, fact.method, *values, *swaps))
    columns = ["item", "method", *NAMES, *(f"{name}_swap" for name in NAMES)]
    schema = dict.fromkeys(columns[:2], pl.String()) | dict.fromkeys(columns[2:], pl.Float64())
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Scores(frame, tuple(model_names(run, family=True)), run.started.seed)


def preferences(judged: Run | str | os.PathLike[str]) -> pl.DataFrame:
    """Return the preferences of a run of the quality judge.

    Parameters
    ----------
    judged : Run or path
        Of `preference`, finished or not.

    Returns
    -------
    DataFrame
        One row a pair of methods: ``method``, ``against``, ``n`` (pairs judged), ``wins``,
        ``ties``, ``losses`` (of the method), ``inconsistent`` (of the ties, those where the judge
        followed the place), ``unknown``, ``p`` (exact sign test of wins against losses), ``why``
        (it is refused, or with what caution).

    Raises
    ------
    RunError
        If it is another run.
    """
    run = _of(judged, "preference")
    facts = [Preferred.read(posted) for posted in run.facts_of("Preferred")]
    pairs = dict.fromkeys((fact.method, fact.against) for fact in facts)
    rows = []
    for method, against in pairs:
        mine = [fact for fact in facts if (fact.method, fact.against) == (method, against)]
        said = [fact.verdict for fact in mine]
        wins, losses = said.count("method"), said.count("against")
        p = None
        try:  # McNemar's test of the pairs that differ is the sign test
            test = mcnemar([1] * wins + [0] * losses, [0] * wins + [1] * losses)
            p, why = test.p, test.caution
        except ValueError:
            why = "no test: neither is ever preferred"
        ties, unknown = said.count("tie"), said.count("unknown")
        odd = sum(fact.consistent is False for fact in mine)
        n = len(mine) - unknown
        rows.append((method, against, n, wins, ties, losses, odd, unknown, p, why))
    return pl.DataFrame(rows, schema=_PREFERRED, orient="row")


def _of(judged: Run | str | os.PathLike[str], protocol: str) -> Run:
    run = judged if isinstance(judged, Run) else open_run(judged)
    if run.started.protocol != protocol:
        raise RunError(f"this is a run of {run.started.protocol!r}, not of {protocol!r}", run)
    return run


def _compared(
    method: str, baseline: str, metric: str, ours: list[float], theirs: list[float]
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_COMPARED)
    row |= {"method": method, "baseline": baseline, "metric": metric, "n": len(ours)}
    if ours:
        row["difference"] = (sum(ours) - sum(theirs)) / len(ours)
    why: dict[str, None] = {}
    try:
        test = wilcoxon(ours, theirs)
        row["p"] = test.p
        why[test.caution] = None
    except ValueError as refused:
        why[f"no test: {refused}"] = None
    try:
        interval = bootstrap_difference(ours, theirs, paired=True)
        row["lo"], row["hi"] = interval.lo, interval.hi
        why[interval.caution] = None
    except ValueError as refused:
        why[f"no interval: {refused}"] = None
    row["why"] = "; ".join(filter(None, why))
    return row
