"""Intervals by condition: bootstrap_mean's numbers, or the reason why there are none."""

from __future__ import annotations

import polars as pl
import pytest

from tests.figures.conftest import values_of
from workbench.figures.intervals import MEANS, mean_difference, mean_intervals
from workbench.stats.bootstrap import bootstrap_difference, bootstrap_mean


def test_numbers_are_the_bootstraps() -> None:
    """A row holds what `bootstrap_mean` gives, and the runs that it is of."""
    frame = values_of(full=[881, 700, 1003], no_tom=[500, 620, 580, 555])
    means = mean_intervals(frame, seed=4, level=0.9, resamples=500)
    row = means.row(1, named=True)
    found = bootstrap_mean([500, 620, 580, 555], seed=4, level=0.9, resamples=500)

    assert MEANS == dict(means.schema)
    assert ["full", "no_tom"] == means["condition"].to_list()
    assert (found.mean, found.lo, found.hi, found.n) == tuple(
        row[name] for name in ("mean", "lo", "hi", "n")
    )
    assert (found.method, 0.9, 500, 4, None) == tuple(
        row[name] for name in ("method", "level", "resamples", "seed", "refused")
    )
    assert ["no_tom-1", "no_tom-2", "no_tom-3", "no_tom-4"] == row["runs"]
    assert 4 == len(row["digests"])


def test_refused_rows_stay() -> None:
    """One run, equal values and nothing known keep their rows, with the reason."""
    means = mean_intervals(
        values_of(one=[3], equal=[2, 2, 2], none=[None, None], some=[1, 2, None])
    )

    assert [3, 2, None, 1.5] == means["mean"].to_list()
    assert [1, 3, 0, 2] == means["n"].to_list()
    assert [0, 0, 2, 1] == means["unknown"].to_list()
    assert [None, None, None, 1.0] == means["lo"].to_list()
    why = means["refused"].to_list()
    assert "has 1 value" in why[0]
    assert "all 3 values are equal (2)" in why[1]
    assert "has 0 values" in why[2]
    assert why[3] is None
    assert "50 times in 100" in means["caution"].to_list()[3]


def test_several_measures() -> None:
    """Each measure of a frame has its rows."""
    both = pl.concat([values_of("calls", a=[1, 2]), values_of("words", a=[30, 50])])

    assert [("calls", 1.5), ("words", 40.0)] == mean_intervals(both)[["measure", "mean"]].rows()


def test_bad_options() -> None:
    """A wrong level is an error, and not the reason for a chart without intervals."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_intervals(values_of(a=[1, 2]), level=95)
    with pytest.raises(ValueError, match="no column 'measure'"):
        mean_intervals(values_of(a=[1, 2]).drop("measure"))


def test_difference_by_seed() -> None:
    """Runs of one seed are a pair, in whichever order they stand."""
    frame = values_of(a=[5, 7, 9, 6], b=[4, 4, 5, 5])
    found = bootstrap_difference([5, 7, 9, 6], [4, 4, 5, 5], paired=True)

    assert found == mean_difference(frame, "a", "b")
    assert found.mean == mean_difference(frame.reverse(), "a", "b").mean
    assert "unpaired" in mean_difference(frame, "a", "b", pair_by=None).method


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (values_of(a=[1, 2, 3], b=[1, 3]), "no partner by 'seed' for 3"),
        (values_of(a=[1, 2, None], b=[1, 3, 4]), "not known of 1 of 3 runs of 'a'"),
        (values_of(a=[1, 2]), "no run is of the condition 'b'"),
        (pl.concat([values_of(a=[1], b=[2])] * 2), "does not tell the runs of 'a' apart"),
        (pl.concat([values_of("x", a=[1]), values_of("y", b=[2])]), "one measure is wanted"),
        (values_of(a=[2, 3], b=[1, 2]), "all 2 differences are equal"),
    ],
)
def test_refused_differences(frame: pl.DataFrame, why: str) -> None:
    """Runs without a partner or a value, and pairs that all differ alike, are refused."""
    with pytest.raises(ValueError, match=why):
        mean_difference(frame, "a", "b")
