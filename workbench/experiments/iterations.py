"""What each further iteration of MAVEN's loop gains: its budget T_max, from one to the next.

Section 4.5 and Table 6 of the paper. Here T is ``max_iterations``, passes of Algorithm 1's loop;
the paper's T_max = 1, "single-pass generation without deliberation", is ``max_iterations=0``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import polars as pl

from workbench.experiments.comparison import comparisons, p_value
from workbench.experiments.routing import settings
from workbench.experiments.table import Table, amount, over_all, points, share
from workbench.stats.bootstrap import bootstrap_mean
from workbench.stats.paired import holm

_SCHEMA: dict[str, pl.DataType] = {
    "series": pl.Int64(),
    "method": pl.String(),
    **dict.fromkeys("max_iterations n right".split(), pl.Int64()),
    **dict.fromkeys("accuracy lo hi".split(), pl.Float64()),
    **dict.fromkeys("complete accepted".split(), pl.Int64()),
    **dict.fromkeys("tokens seconds".split(), pl.Float64()),
    "pairs": pl.Int64(),
    **dict.fromkeys("gain gain_lo gain_hi p p_holm".split(), pl.Float64()),
    "why": pl.String(),
}


@dataclass(frozen=True, repr=False)
class Iterations(Table):
    """How results depend on the budget of iterations.

    Attributes
    ----------
    frame : DataFrame
        One row a method, by its budget within a ``series`` (methods that are alike in all else).
        ``method``, ``max_iterations``; ``n`` (judged), ``right``, ``accuracy``, ``lo``, ``hi``
        (95 % percentile bootstrap); ``complete`` (runs), ``accepted`` (those that the Judge
        ended), ``tokens``, ``seconds`` (means over these; null if one is unknown); then, against
        the next smaller budget on the items that both answered readably: ``pairs``, ``gain`` (in
        accuracy), ``gain_lo``, ``gain_hi`` (95 % paired percentile bootstrap), ``p`` (exact
        McNemar), ``p_holm`` (adjusted for the number of steps); ``why`` (what is refused, and
        cautions).
    """

    frame: pl.DataFrame

    def rows(self) -> list[list[str]]:
        """Return the table as texts, its head first."""
        head = "iterations|T|accuracy|95 % interval|n|accepted|tokens|seconds"
        table = [[*head.split("|"), "gain", "95 % interval", "p (McNemar)", "p (Holm)"]]
        for row in self.frame.to_dicts():
            lo, hi, first = row["lo"], row["hi"], row["pairs"] is None
            gained = row["gain_lo"], row["gain_hi"]
            table.append(
                [
                    row["method"],
                    str(row["max_iterations"]),
                    share(row["accuracy"]),
                    "none" if lo is None else f"{share(lo)} to {share(hi)}",
                    str(row["n"]),
                    f"{row['accepted']}/{row['complete']}",
                    *(amount(row[name]) for name in ("tokens", "seconds")),
                    "" if first else points(row["gain"]),
                    "" if first else "none" if None in gained else " to ".join(map(points, gained)),
                    *("" if first else p_value(row[name]) for name in ("p", "p_holm")),
                ]
            )
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the table."""
        about = (
            "T: passes of the loop at most; at 0 the draft is not deliberated, which the paper "
            "calls T_max = 1. Gain: percentage points of accuracy against the row above, on items "
            "that both answered readably. Intervals: percentile bootstrap, of the gain paired, "
            "10,000 resamples, seed 0."
        )
        return [about, *(f"{r['method']}: {r['why']}" for r in self.frame.to_dicts() if r["why"])]

    def __repr__(self) -> str:
        return f"Iterations({self.frame.height} methods)"


def iterations(runs: pl.DataFrame) -> Iterations:
    """Order the methods of a frame of results by ``max_iterations``; see `Results.iterations`."""
    alike: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for label, rest, most in settings(runs, "max_iterations"):
        alike[rest].setdefault(most, label)
    rows = []
    for number, members in enumerate((m for m in alike.values() if len(m) > 1), 1):
        series = sorted(members.items())
        made = [_alone(number, label, most, runs) for most, label in series]
        for row, (_, smaller) in zip(made[1:], series, strict=False):
            row |= _gained(runs, row["method"], smaller, row["why"])
        tested = [row for row in made if row["p"] is not None]
        for row, adjusted in zip(tested, holm([row["p"] for row in tested]), strict=True):
            row["p_holm"] = adjusted
        rows += made
    return Iterations(pl.DataFrame(rows, schema=_SCHEMA, orient="row"))


def _alone(number: int, label: str, most: int, runs: pl.DataFrame) -> dict[str, Any]:
    """Return what a method came to with its budget."""
    mine = runs.filter(pl.col("method") == label)
    done = mine.filter(pl.col("status") == "complete")
    outcomes = mine.get_column("outcome").to_list()
    right, wrong = outcomes.count("right"), outcomes.count("wrong")
    row: dict[str, Any] = dict.fromkeys(_SCHEMA) | {
        "series": number,
        "method": label,
        "max_iterations": most,
        "n": right + wrong,
        "right": right,
        "accuracy": right / (right + wrong) if right + wrong else None,
        "complete": done.height,
        "accepted": done.get_column("how").to_list().count("accepted"),
        "tokens": over_all(done.get_column("tokens_in") + done.get_column("tokens_out")),
        "seconds": over_all(done.get_column("seconds")),
    }
    try:
        interval = bootstrap_mean([1.0] * right + [0.0] * wrong)
        row["lo"], row["hi"], row["why"] = interval.lo, interval.hi, interval.caution
    except ValueError as refused:
        row["why"] = f"no interval: {refused}"
    return row


def _gained(runs: pl.DataFrame, label: str, smaller: str, why: str) -> dict[str, Any]:
    """Return the gain over the next smaller budget, as a comparison has it."""
    both = runs.filter(pl.col("method").is_in([label, smaller]))
    (pair,) = comparisons(both, smaller).frame.to_dicts()
    return {
        "pairs": pair["n"],
        "gain": pair["difference"],
        "gain_lo": pair["lo"],
        "gain_hi": pair["hi"],
        "p": pair["p"],
        "why": "; ".join(dict.fromkeys(filter(None, (why, pair["why"])))),
    }
