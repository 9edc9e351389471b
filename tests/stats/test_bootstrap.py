"""Bootstrap intervals: as scipy's, covering as they say, and refused where they would mislead."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from workbench.stats import bootstrap
from workbench.stats.bootstrap import (
    COVERAGE_PERCENT,
    Interval,
    bootstrap_difference,
    bootstrap_mean,
)

RNG = np.random.default_rng(7)
SKEWED = RNG.exponential(2, 40)
OTHER = RNG.normal(1, 3, 25)
NUMBERS = st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=12)


def scipys(*samples: Any, seed: int = 1, paired: bool = False) -> tuple[float, float]:
    """Return scipy's percentile interval of a mean, or of a difference of means."""

    def mean(x: Any, axis: int = -1) -> Any:
        return np.mean(x, axis=axis)

    def difference(x: Any, y: Any, axis: int = -1) -> Any:
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    found = stats.bootstrap(
        samples,
        mean if len(samples) == 1 else difference,
        method="percentile",
        n_resamples=10_000,
        paired=paired,
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def monte_carlo(values: Any) -> float:
    """Return five standard errors of a 2.5 % quantile of 10,000 near-normal means, and of two."""
    error = np.std(values) / math.sqrt(len(values))
    density = stats.norm.pdf(stats.norm.ppf(0.025))
    return float(5 * math.sqrt(2) * error * math.sqrt(0.025 * 0.975 / 10_000) / density)


@pytest.mark.parametrize("values", [SKEWED, OTHER], ids=["skewed", "normal"])
def test_mean_as_scipys(values: Any) -> None:
    """The interval is scipy's within the error of two Monte Carlo draws."""
    ours = bootstrap_mean(values, seed=0)

    assert pytest.approx(scipys(values), abs=monte_carlo(values)) == (ours.lo, ours.hi)
    assert values.mean() == ours.mean


def test_unpaired_difference_as_scipys() -> None:
    """An unpaired difference is scipy's within Monte Carlo error."""
    ours = bootstrap_difference(SKEWED, OTHER, paired=False)
    error = monte_carlo(SKEWED) + monte_carlo(OTHER)

    assert pytest.approx(scipys(SKEWED, OTHER), abs=error) == (ours.lo, ours.hi)
    assert pytest.approx(SKEWED.mean() - OTHER.mean()) == ours.mean
    assert (40, 25) == ours.sizes
    assert 65 == ours.n


def test_paired_difference_as_scipys() -> None:
    """A paired difference is scipy's within Monte Carlo error, and the mean of the differences."""
    a = OTHER + RNG.normal(0.5, 0.2, 25)
    ours = bootstrap_difference(a, OTHER, paired=True)
    of_differences = bootstrap_mean(a - OTHER)

    assert pytest.approx(scipys(a, OTHER, paired=True), abs=monte_carlo(a - OTHER)) == (
        ours.lo,
        ours.hi,
    )
    assert (of_differences.mean, of_differences.lo) == (ours.mean, ours.lo)
    assert 25 == ours.n


def test_pairs_are_worth_having() -> None:
    """Where pairs go together, a paired interval is narrower than an unpaired one."""
    a = OTHER + RNG.normal(0.5, 0.2, 25)
    paired = bootstrap_difference(a, OTHER, paired=True)
    apart = bootstrap_difference(a, OTHER, paired=False)

    assert paired.hi - paired.lo < (apart.hi - apart.lo) / 5


@pytest.mark.parametrize("n", [*COVERAGE_PERCENT, 40])
def test_coverage(n: int) -> None:
    """Intervals hold the mean of normal values as often as is said; of few, as the caution says."""
    rng = np.random.default_rng(n)
    trials = 2000
    held = 0
    for seed in range(trials):
        found = bootstrap_mean(rng.normal(3, 2, n), resamples=1000, seed=seed)
        held += found.lo <= 3 <= found.hi

    expected = COVERAGE_PERCENT.get(n, 94)
    error = 100 * math.sqrt(expected / 100 * (1 - expected / 100) / trials)
    assert pytest.approx(expected, abs=4 * error + 0.5) == 100 * held / trials


def test_coverage_of_a_difference() -> None:
    """Unpaired intervals of 30 and 40 values hold the true difference about 95 times in 100."""
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(500):
        a, b = rng.normal(2, 1, 30), rng.normal(1, 3, 40)
        found = bootstrap_difference(a, b, paired=False, resamples=1000, seed=seed)
        held += found.lo <= 1 <= found.hi

    assert 0.91 <= held / 500 <= 0.98


def test_three_values_give_their_range() -> None:
    """A 95 % interval of three values is their range: one resample in 27 repeats the least."""
    found = bootstrap_mean([881, 700, 1003])

    assert (700, 1003) == (found.lo, found.hi)
    assert "about 75 times in 100" in found.caution


def test_same_seed_same_numbers() -> None:
    """The seed settles the numbers; another seed moves them a little."""
    again = bootstrap_mean(SKEWED, seed=3)

    assert bootstrap_mean(SKEWED, seed=3) == again
    assert bootstrap_mean(SKEWED, seed=4).lo != again.lo
    assert bootstrap_mean(SKEWED, seed=4).mean == again.mean


def test_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resamples are drawn by the piece, and the pieces change no number."""
    whole = bootstrap_mean(SKEWED)
    monkeypatch.setattr(bootstrap, "_CELLS", 999)
    assert whole == bootstrap_mean(SKEWED)
    monkeypatch.undo()

    values = RNG.normal(size=5000)
    tracemalloc.start()
    bootstrap_mean(values)  # 400 MB if it were drawn at once
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


@given(NUMBERS, st.integers(-(10**6), 10**6), st.sampled_from([0.25, 2.0, 1024.0]))
def test_shift_and_scale(values: list[float], shift: int, scale: float) -> None:
    """Another zero and another unit move mean and ends alike."""
    assume(len(set(values)) > 1)
    plain = bootstrap_mean(values, resamples=200)
    moved = bootstrap_mean([scale * (v + shift) for v in values], resamples=200)

    for end in ("mean", "lo", "hi"):
        there = scale * (getattr(plain, end) + shift)
        assert pytest.approx(there, rel=1e-9, abs=1e-6) == getattr(moved, end)


@given(NUMBERS)
def test_within_the_range(values: list[float]) -> None:
    """The interval lies within the values; a higher level gives a wider one."""
    assume(len(set(values)) > 1)
    narrow = bootstrap_mean(values, level=0.5, resamples=400)
    wide = bootstrap_mean(values, level=0.99, resamples=400)

    assert min(values) <= wide.lo <= narrow.lo <= narrow.hi <= wide.hi <= max(values)


@given(NUMBERS, NUMBERS)
def test_change_of_places(a: list[float], b: list[float]) -> None:
    """Samples that change places change the sign of the difference."""
    assume(len(set(a)) > 1 or len(set(b)) > 1)
    there = bootstrap_difference(a, b, paired=False, resamples=200).mean

    assert pytest.approx(-there) == bootstrap_difference(b, a, paired=False, resamples=200).mean


def test_says_how_it_was_made() -> None:
    """The text holds estimate, interval, level, method, n, resamples and seed; so does repr."""
    found = bootstrap_mean([2, 4, 6, 8, 10, 12, 14, 16, 18, 20], seed=5, level=0.9)

    how = "(90 % percentile bootstrap of the mean, n=10, 10,000 resamples, seed 5)"
    assert f"11.0 [8.0, 14.0] {how}" == str(found)
    assert f"Interval({found})" == repr(found)
    assert "" == found.caution
    apart = bootstrap_difference([1, 2, 4], [2, 9, 7, 3], paired=False)
    assert "unpaired, n=3 and 4, 10,000" in str(apart)
    assert str(apart).endswith("; with n = 3 such an interval is too narrow")


@pytest.mark.parametrize(
    ("mean", "lo", "hi", "expected"),
    [
        (12345.6, 11000.0, 14000.0, "12,346 [11,000, 14,000]"),
        (0.01234, 0.0113, 0.0139, "0.0123 [0.0113, 0.0139]"),
        (1e-9, 0.5e-9, 2e-9, "1e-09 [5e-10, 2e-09]"),
        (2.0, 2.0, 2.0, "2.00 [2.00, 2.00]"),
        (1e300, -1e300, 1e300, "1e+300 [-1e+300, 1e+300]"),
    ],
)
def test_decimals(mean: float, lo: float, hi: float, expected: str) -> None:
    """Numbers are told with two digits of the interval's width."""
    assert str(Interval(mean, lo, hi, (12,), 0.95, 100, 0, "")).startswith(expected + " (")


@pytest.mark.parametrize("values", [[1, 3, 5], (1.0, 3.0, 5.0), np.array([1, 3, 5], np.float32)])
def test_lists_and_arrays(values: Any) -> None:
    """Lists, tuples and arrays of numbers are samples; the figures are plain floats."""
    found = bootstrap_mean(values)

    assert 3.0 == found.mean
    assert {float} == {type(found.mean), type(found.lo), type(found.hi)}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "has 0 values; an interval needs at least 2"),
        ([1.0], "has 1 value; an interval needs at least 2"),
        ([1, math.nan], "holds a NaN or an infinity"),
        ([1, math.inf], "holds a NaN or an infinity"),
        ([0.1] * 3, "all 3 values are equal"),
        ([[1, 2], [3, 4]], "shape"),
        ([[1], [2, 3]], "ragged"),
        ([1e308, 1.7e308, 1.7e308], "too large"),
    ],
)
def test_refusals(values: Any, why: str) -> None:
    """Where an interval would lie it is refused, with the reason."""
    with pytest.raises(ValueError, match=why):
        bootstrap_mean(values)


@pytest.mark.parametrize("values", [[True, False], [1, None], ["1", "2"], [1j, 2j], "12"])
def test_no_samples(values: Any) -> None:
    """What is no row of real numbers is refused as such, not read as something."""
    with pytest.raises((TypeError, ValueError), match="the sample"):
        bootstrap_mean(values)


@pytest.mark.parametrize(
    ("a", "b", "paired", "why"),
    [
        ([1, 2, 3], [1, 2], True, "the first sample has 3 values and the second 2"),
        ([2, 3, 4], [1, 2, 3], True, "all 3 differences are equal"),
        ([0.3, 0.4, 0.5], [0.1, 0.2, 0.3], True, "all 3 differences are equal"),
        ([1], [1, 2], False, "the first sample has 1 value"),
        ([1, 2], [math.nan, 2], False, "the second sample holds a NaN"),
        ([1, 1], [2, 2], False, "all values are equal within both samples"),
        ([1.7e308, -1.7e308], [-1.7e308, 1.7e308], True, "too large"),
    ],
)
def test_refused_differences(a: Any, b: Any, paired: bool, why: str) -> None:
    """A difference is refused for what either sample lacks, and for items that have no pair."""
    with pytest.raises(ValueError, match=why):
        bootstrap_difference(a, b, paired=paired)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"level": 95}, "between 0 and 1"),
        ({"level": 0.0}, "between 0 and 1"),
        ({"level": 0.99, "resamples": 100}, "it needs at least 200"),
        ({"resamples": 0}, "it needs at least 40"),
        ({"seed": -1}, "non-negative"),
    ],
)
def test_refused_options(options: Any, why: str) -> None:
    """A level in percent and resamples too few for the level are refused."""
    with pytest.raises(ValueError, match=why):
        bootstrap_mean([1, 2, 3], **options)
