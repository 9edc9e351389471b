"""What MAVEN's Router saves: a method against the same one with every question on the full path.

Section 4.7 of the paper. The saving is measured, and not worked out from the share of questions on
the fast path: these are the simple ones, which the full path may answer in fewer iterations too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from workbench.experiments.table import Table, amount, share
from workbench.stats.bootstrap import bootstrap_difference

SAVED = ("tokens", "seconds")
_SCHEMA: dict[str, pl.DataType] = {
    "method": pl.String(),
    "unrouted": pl.String(),
    **dict.fromkeys("n fast full".split(), pl.Int64()),
    "what": pl.String(),
    "pairs": pl.Int64(),
    **dict.fromkeys("routed_mean unrouted_mean saved lo hi share".split(), pl.Float64()),
    "why": pl.String(),
}


@dataclass(frozen=True, repr=False)
class Savings(Table):
    """What routing saves.

    Attributes
    ----------
    frame : DataFrame
        Two rows a pair of methods, for tokens and for seconds. ``method`` (with the Router),
        ``unrouted`` (the same without), ``n`` (items that both have completed), ``fast``, ``full``
        (the paths of these), ``what``, ``pairs`` (of the n, those of which both figures are known),
        ``routed_mean``, ``unrouted_mean``, ``saved`` (a question, on average), ``lo``, ``hi`` (95 %
        paired percentile bootstrap), ``share`` (saved of all that the unrouted method took),
        ``why`` (what is refused, and cautions). What is unknown is null.
    """

    frame: pl.DataFrame

    def rows(self) -> list[list[str]]:
        """Return the savings as a table of texts, its head first."""
        head = "routing|n|fast/full|of|routed|unrouted|saved|95 % interval|share"
        table = [head.split("|")]
        for row in self.frame.to_dicts():
            lo, hi = row["lo"], row["hi"]
            table.append(
                [
                    f"{row['method']} against {row['unrouted']}",
                    str(row["pairs"]),
                    f"{row['fast']}/{row['full']}",
                    row["what"],
                    *(amount(row[name]) for name in ("routed_mean", "unrouted_mean", "saved")),
                    "none" if lo is None else f"{amount(lo)} to {amount(hi)}",
                    share(row["share"]),
                ]
            )
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the table."""
        about = (
            "Means a question, on the same questions; the Router's own call is in them. Intervals: "
            "percentile bootstrap of the mean difference, paired, 10,000 resamples, seed 0."
        )
        whys = (
            f"{r['method']}, {r['what']}: {r['why']}" for r in self.frame.to_dicts() if r["why"]
        )
        return [about, *whys]

    def __repr__(self) -> str:
        return f"Savings({self.frame.height // len(SAVED)} pairs of methods)"


def savings(runs: pl.DataFrame) -> Savings:
    """Pair the methods of a frame of results that differ in MAVEN's Router; `Results.savings`."""
    rows = [
        _saved(routed, unrouted, done, what)
        for routed, unrouted in _pairs(runs)
        for done in [_shared(runs, routed, unrouted)]
        for what in SAVED
    ]
    return Savings(pl.DataFrame(rows, schema=_SCHEMA, orient="row"))


def settings(runs: pl.DataFrame, but: str) -> Iterator[tuple[str, str, Any]]:
    """Yield each method that has a parameter: label, all else that it was given, the parameter."""
    known = runs.drop_nulls("params").unique("method", keep="first", maintain_order=True)
    for label, name, text in known.select("method", "protocol", "params").iter_rows():
        params = json.loads(text)
        if but in params:
            value = params.pop(but)
            yield label, f"{name} {json.dumps(params, sort_keys=True)}", value


def _pairs(runs: pl.DataFrame) -> Iterator[tuple[str, str]]:
    known = list(settings(runs, "router"))
    for routed, rest, on in known:
        for unrouted, others, also_on in known:
            if on and not also_on and rest == others:
                yield routed, unrouted


def _shared(runs: pl.DataFrame, routed: str, unrouted: str) -> pl.DataFrame:
    done = runs.filter(pl.col("status") == "complete").with_columns(
        tokens=pl.col("tokens_in") + pl.col("tokens_out")
    )
    ours = done.filter(pl.col("method") == routed)
    return ours.join(done.filter(pl.col("method") == unrouted), on="item")


def _saved(routed: str, unrouted: str, done: pl.DataFrame, what: str) -> dict[str, Any]:
    routes = done.get_column("route").to_list()
    pairs = done.drop_nulls([what, f"{what}_right"])
    ours, theirs = (pairs.get_column(name).to_list() for name in (what, f"{what}_right"))
    row: dict[str, Any] = dict.fromkeys(_SCHEMA) | {
        "method": routed,
        "unrouted": unrouted,
        "n": done.height,
        "fast": routes.count("fast"),
        "full": routes.count("full"),
        "what": what,
        "pairs": pairs.height,
    }
    if ours:
        row["routed_mean"], row["unrouted_mean"] = sum(ours) / len(ours), sum(theirs) / len(ours)
        row["saved"] = row["unrouted_mean"] - row["routed_mean"]
        row["share"] = 1 - sum(ours) / sum(theirs) if sum(theirs) else None
    try:
        interval = bootstrap_difference(theirs, ours, paired=True)
        row["lo"], row["hi"], row["why"] = interval.lo, interval.hi, interval.caution
    except ValueError as refused:
        row["why"] = f"no interval: {refused}"
    return row
