"""Methods against a baseline, pair by pair: accuracy, tokens and seconds on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from workbench.experiments.table import Table, points
from workbench.stats.bootstrap import bootstrap_difference
from workbench.stats.paired import holm, mcnemar

_SCHEMA: dict[str, pl.DataType] = {
    "method": pl.String(),
    "baseline": pl.String(),
    "n": pl.Int64(),
    **dict.fromkeys("difference lo hi".split(), pl.Float64()),
    **dict.fromkeys("only_method only_baseline".split(), pl.Int64()),
    **dict.fromkeys("p p_holm".split(), pl.Float64()),
    "shared": pl.Int64(),
    **dict.fromkeys("tokens_ratio seconds_ratio".split(), pl.Float64()),
    "why": pl.String(),
}


@dataclass(frozen=True, repr=False)
class Comparisons(Table):
    """Each method against one baseline.

    Attributes
    ----------
    frame : DataFrame
        One row a method: ``method``, ``baseline``; ``n`` (items on which both could be judged),
        ``difference`` (in accuracy, the method's less the baseline's), ``lo``, ``hi`` (95 % paired
        percentile bootstrap), ``only_method``, ``only_baseline`` (items that only the one has
        right), ``p`` (exact McNemar), ``p_holm`` (adjusted for the number of methods), ``shared``
        (items that both have completed), ``tokens_ratio``, ``seconds_ratio`` (the method's sum over
        these by the baseline's), ``why`` (what is refused, and cautions). What is refused is null.
    """

    frame: pl.DataFrame

    def rows(self) -> list[list[str]]:
        """Return the comparisons as a table of texts, its head first."""
        head = "method|n|points|95 % interval|only it|only base|p (McNemar)|p (Holm)|tokens"
        table = [[*head.split("|"), "seconds"]]
        for row in self.frame.to_dicts():
            lo, hi = row["lo"], row["hi"]
            table.append(
                [
                    f"{row['method']} against {row['baseline']}",
                    str(row["n"]),
                    points(row["difference"]),
                    "none" if lo is None else f"{points(lo)} to {points(hi)}",
                    str(row["only_method"]),
                    str(row["only_baseline"]),
                    p_value(row["p"]),
                    p_value(row["p_holm"]),
                    _times(row["tokens_ratio"]),
                    _times(row["seconds_ratio"]),
                ]
            )
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the table."""
        about = (
            "Points: percentage points of accuracy, on items that both answered readably. "
            "Intervals: percentile bootstrap of the mean difference, paired, 10,000 resamples, "
            "seed 0."
        )
        return [about, *(f"{r['method']}: {r['why']}" for r in self.frame.to_dicts() if r["why"])]

    def __repr__(self) -> str:
        return f"Comparisons({self.frame.height} methods)"


def comparisons(runs: pl.DataFrame, baseline: str) -> Comparisons:
    """Compare the methods of a frame of results with one of them; see `Results.compare`."""
    names = runs.get_column("method").unique(maintain_order=True).to_list()
    if baseline not in names:
        raise ValueError(f"no method {baseline!r}; there are {', '.join(names)}")
    base = runs.filter(pl.col("method") == baseline)
    rows = [
        _compared(name, baseline, runs.filter(pl.col("method") == name).join(base, on="item"))
        for name in names
        if name != baseline
    ]
    tested = [row for row in rows if row["p"] is not None]
    for row, adjusted in zip(tested, holm([row["p"] for row in tested]), strict=True):
        row["p_holm"] = adjusted
    return Comparisons(pl.DataFrame(rows, schema=_SCHEMA, orient="row"))


def _compared(name: str, baseline: str, pairs: pl.DataFrame) -> dict[str, Any]:
    known = ["right", "wrong"]
    judged = pairs.filter(pl.col("outcome").is_in(known) & pl.col("outcome_right").is_in(known))
    ours = [outcome == "right" for outcome in judged.get_column("outcome")]
    theirs = [outcome == "right" for outcome in judged.get_column("outcome_right")]
    n = len(ours)
    row: dict[str, Any] = dict.fromkeys(_SCHEMA)
    row |= {
        "method": name,
        "baseline": baseline,
        "n": n,
        "difference": (sum(ours) - sum(theirs)) / n if n else None,
        "only_method": sum(a and not b for a, b in zip(ours, theirs, strict=True)),
        "only_baseline": sum(b and not a for a, b in zip(ours, theirs, strict=True)),
    }
    why: dict[str, None] = {}
    try:
        test = mcnemar(ours, theirs)
        row["p"] = test.p
        why[test.caution] = None
    except ValueError as refused:
        why[f"no test: {refused}"] = None
    try:
        interval = bootstrap_difference(
            [float(x) for x in ours], [float(x) for x in theirs], paired=True
        )
        row["lo"], row["hi"] = interval.lo, interval.hi
        why[interval.caution] = None
    except ValueError as refused:
        why[f"no interval: {refused}"] = None
    row["why"] = "; ".join(filter(None, why))
    done = pairs.filter(
        (pl.col("status") == "complete") & (pl.col("status_right") == "complete")
    ).with_columns(
        tokens=pl.col("tokens_in") + pl.col("tokens_out"),
        tokens_right=pl.col("tokens_in_right") + pl.col("tokens_out_right"),
    )
    row["shared"] = done.height
    for what in ("tokens", "seconds"):
        row[f"{what}_ratio"] = _ratio(done.get_column(what), done.get_column(f"{what}_right"))
    return row


def _ratio(ours: pl.Series, theirs: pl.Series) -> float | None:
    if not ours.len() or ours.null_count() or theirs.null_count() or not theirs.sum():
        return None
    return float(ours.sum()) / float(theirs.sum())


def p_value(value: float | None) -> str:
    """Return a p-value with the digits that count."""
    return "none" if value is None else f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def _times(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f} x"
