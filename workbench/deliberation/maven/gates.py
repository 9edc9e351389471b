"""How MAVEN's Structural Integrity Gate fared (section 3.5): counts by role and by tier."""

from __future__ import annotations

from typing import get_args

import polars as pl

from workbench.engine.gate import Tier

TIERS = (*get_args(Tier), "unread")


def gate_counts(gates: pl.DataFrame) -> pl.DataFrame:
    """Return how often each tier recovered an answer, by role.

    Parameters
    ----------
    gates : DataFrame
        ``tables(runs).gates``, of one or more runs of any protocol.

    Returns
    -------
    DataFrame
        One row a role, sorted: ``role``, ``questions``, one column a tier (``direct``, ``regex``,
        ``fence``, ``repair``, and ``unread`` where no attempt gave a value), and ``attempts`` in
        sum; counts are Int64. ``attempts`` above ``questions`` is what self-correction cost.
    """
    tier = pl.col("tier").fill_null("unread")
    count = [(tier == name).sum().cast(pl.Int64).alias(name) for name in TIERS]
    return (
        gates.group_by("role")
        .agg(pl.len().cast(pl.Int64).alias("questions"), *count, pl.col("attempts").sum())
        .sort("role")
    )
