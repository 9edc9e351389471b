"""The mean of each condition with its bootstrap interval, or the reason why there is none."""

from __future__ import annotations

import polars as pl

from workbench.stats.bootstrap import Interval, bootstrap_difference, bootstrap_mean

MEANS: dict[str, pl.DataType] = {
    "measure": pl.String(),
    "condition": pl.String(),
    "mean": pl.Float64(),
    "lo": pl.Float64(),
    "hi": pl.Float64(),
    "n": pl.Int64(),
    "unknown": pl.Int64(),
    "refused": pl.String(),
    "caution": pl.String(),
    "method": pl.String(),
    "level": pl.Float64(),
    "resamples": pl.Int64(),
    "seed": pl.Int64(),
    "runs": pl.List(pl.String()),
    "digests": pl.List(pl.String()),
}
"""The columns of `mean_intervals`."""


def mean_intervals(
    frame: pl.DataFrame, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> pl.DataFrame:
    """Return each condition's mean over runs with its percentile bootstrap interval.

    Parameters
    ----------
    frame : DataFrame
        From `measure_runs`, or any with the columns ``condition``, ``run``, ``measure`` and
        ``value``; a row is one run.
    level, resamples, seed
        As in `workbench.stats.bootstrap.bootstrap_mean`.

    Returns
    -------
    DataFrame
        A row for each measure and condition, in the order of the frame. ``measure``,
        ``condition``, ``mean`` (null without a value), ``lo`` and ``hi`` (null where an interval is
        refused), ``n`` (runs with a value), ``unknown`` (runs without), ``refused`` (why there is
        no interval; null if there is), ``caution`` (what to tell with it; null if nothing),
        ``method``, ``level``, ``resamples``, ``seed``, ``runs`` (labels of all) and ``digests``.

    Raises
    ------
    ValueError
        If the level or the number of resamples makes no interval, or the frame lacks a column.

    Examples
    --------
    >>> values = {"run": ["a", "b", "c"], "value": [3.0, 5.0, 4.0]}
    >>> frame = pl.DataFrame({"condition": "full", "measure": "words", **values})
    >>> mean_intervals(frame).select("mean", "lo", "hi", "n").row(0)
    (4.0, 3.0, 5.0, 3)
    """
    needed = ("condition", "run", "measure", "value")
    if lacking := [name for name in needed if name not in frame.columns]:
        raise ValueError(f"the frame has no column {lacking[0]!r}; measure_runs makes such frames")
    bootstrap_mean([0, 1], level=level, resamples=resamples, seed=seed)  # refuses bad options
    rows = []
    for (measure, condition), group in frame.group_by("measure", "condition", maintain_order=True):
        values = group["value"].drop_nulls()
        found: Interval | None = None
        refused = None
        try:
            found = bootstrap_mean(values.to_numpy(), level=level, resamples=resamples, seed=seed)
        except ValueError as reason:
            refused = str(reason)
        row = {
            "measure": measure,
            "condition": condition,
            "mean": found.mean if found else values.mean(),
            "lo": found.lo if found else None,
            "hi": found.hi if found else None,
            "n": values.len(),
            "unknown": group.height - values.len(),
            "refused": refused,
            "caution": found.caution or None if found else None,
            "method": found.method if found else None,
            "level": level,
            "resamples": resamples,
            "seed": seed,
            "runs": group["run"].to_list(),
            "digests": group["digest"].to_list() if "digest" in group.columns else [],
        }
        rows.append(row)
    return pl.DataFrame(rows, schema=MEANS, orient="row")


def mean_difference(
    frame: pl.DataFrame,
    a: str,
    b: str,
    *,
    pair_by: str | None = "seed",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return how much greater the mean of condition `a` is than that of `b`, with its interval.

    This, and not whether two intervals overlap, tells two conditions apart.

    Parameters
    ----------
    frame : DataFrame
        From `measure_runs`, with one measure.
    a, b : str
        Conditions.
    pair_by : str or None
        The column by which runs of the two belong together; None for runs that do not.
    level, resamples, seed
        As in `workbench.stats.bootstrap.bootstrap_difference`.

    Returns
    -------
    Interval
        In the unit of the measure; paired unless `pair_by` is None.

    Raises
    ------
    ValueError
        If there is another number of measures than one; if a condition is not there, has two runs
        of one pair, or runs that have no partner or no value; or where `bootstrap_difference`
        refuses.

    Examples
    --------
    >>> values = {"seed": [1, 2, 3] * 2, "value": [3.0, 5.0, 4.0, 2.0, 5.0, 2.0]}
    >>> frame = pl.DataFrame({"condition": ["a"] * 3 + ["b"] * 3, "measure": "words", **values})
    >>> mean_difference(frame, "a", "b").mean
    1.0
    """
    measure = one_measure(frame)
    sides = []
    for condition in (a, b):
        side = frame.filter(pl.col("condition") == condition)
        if side.is_empty():
            raise ValueError(f"no run is of the condition {condition!r}")
        if blanks := side["value"].null_count():
            raise ValueError(
                f"{measure} is not known of {blanks} of {side.height} runs of {condition!r}; leave "
                "them out of the frame, with their partners"
            )
        sides.append(side)
    if pair_by is not None:
        _refuse_unpaired(sides, (a, b), pair_by)
        sides = [side.sort(pair_by) for side in sides]
    x, y = (side["value"].to_numpy() for side in sides)
    paired = pair_by is not None
    return bootstrap_difference(x, y, paired=paired, level=level, resamples=resamples, seed=seed)


def one_measure(frame: pl.DataFrame) -> str:
    """Return the frame's one measure, or refuse to take one of several."""
    there = frame["measure"].unique(maintain_order=True).to_list()
    if len(there) != 1:
        names = ", ".join(map(str, there)) or "none"
        raise ValueError(
            f"one measure is wanted, and the frame holds {names}: filter it, as by "
            "pl.col('measure') == 'tokens_out'"
        )
    return str(there[0])


def _refuse_unpaired(sides: list[pl.DataFrame], names: tuple[str, str], by: str) -> None:
    x, y = (side[by] for side in sides)
    for keys, name in zip((x, y), names, strict=True):
        if keys.null_count() or keys.n_unique() < keys.len():
            raise ValueError(f"the column {by!r} does not tell the runs of {name!r} apart")
    if alone := sorted({*x} ^ {*y}, key=str):
        raise ValueError(
            f"no partner by {by!r} for {', '.join(map(str, alone))}; give both runs of each pair, "
            "or pair_by=None"
        )
