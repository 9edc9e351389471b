"""Cohen's d: against a slow twin, by its properties, and where it refuses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.stats.effect_size import cohens_d

NUMBERS = st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=12)


def slow_d(a: list[float], b: list[float]) -> float:
    """Compute d by the definition, in exact fractions up to the root."""

    def mean(values: list[float]) -> Fraction:
        return sum(map(Fraction, values), Fraction()) / len(values)

    def squares(values: list[float]) -> Fraction:
        middle = mean(values)
        return sum(((Fraction(v) - middle) ** 2 for v in values), Fraction())

    pooled = (squares(a) + squares(b)) / (len(a) + len(b) - 2)
    return float(mean(a) - mean(b)) / math.sqrt(pooled)


def varied(a: list[float], b: list[float]) -> None:
    """Pass over samples without any spread."""
    assume(len(set(a)) > 1 or len(set(b)) > 1)


@given(NUMBERS, NUMBERS)
def test_slow_twin(a: list[float], b: list[float]) -> None:
    """The figure is that of the definition in exact fractions."""
    varied(a, b)
    assert pytest.approx(slow_d(a, b), rel=1e-9, abs=1e-9) == cohens_d(a, b)


@given(NUMBERS, NUMBERS)
def test_antisymmetry(a: list[float], b: list[float]) -> None:
    """Samples that change places change the sign."""
    varied(a, b)
    assert pytest.approx(-cohens_d(b, a)) == cohens_d(a, b)


@given(NUMBERS, NUMBERS, st.integers(-(10**6), 10**6), st.sampled_from([0.001, 0.5, 3.0, 1e6]))
def test_shift_and_scale(a: list[float], b: list[float], shift: int, scale: float) -> None:
    """Another zero and another unit make no difference; a negative unit changes the sign."""
    varied(a, b)
    moved = cohens_d([scale * (v + shift) for v in a], [scale * (v + shift) for v in b])
    mirrored = cohens_d([-v for v in a], [-v for v in b])

    assert pytest.approx(cohens_d(a, b), rel=1e-6, abs=1e-6) == moved
    assert pytest.approx(-cohens_d(a, b)) == mirrored


@given(NUMBERS, NUMBERS, st.randoms())
def test_permutation(a: list[float], b: list[float], random: Any) -> None:
    """The order within a sample makes no difference."""
    varied(a, b)
    shuffled = random.sample(a, len(a))
    assert pytest.approx(cohens_d(a, b)) == cohens_d(shuffled, b)


def test_t_statistic() -> None:
    """The figure is scipy's pooled t over the root of the harmonic sample size."""
    from scipy import stats

    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 1, 30), rng.normal(0, 2, 17)
    t = stats.ttest_ind(a, b).statistic

    assert pytest.approx(t * math.sqrt(1 / 30 + 1 / 17)) == cohens_d(a, b)


@pytest.mark.parametrize(
    "a", [[2, 4, 6], (2.0, 4.0, 6.0), np.array([2, 4, 6]), np.array([2, 4, 6], np.float32)]
)
def test_lists_and_arrays(a: Any) -> None:
    """Lists, tuples and arrays of numbers are samples, and the figure is a plain float."""
    assert 0.5 == cohens_d(a, [1, 3, 5])
    assert type(cohens_d(a, [1, 3, 5])) is float


@pytest.mark.parametrize(
    "a",
    [
        (v for v in (1.0, 2.0)),
        ["1", "2"],
        "12",
        [None, 1.0],
        [1j, 2j],
        {1.0, 2.0},
        [True, False],
        3,
    ],
    ids=["generator", "texts", "text", "none", "complex", "set", "booleans", "number"],
)
def test_no_samples(a: Any) -> None:
    """What is no row of real numbers is refused as such, not read as something."""
    with pytest.raises((TypeError, ValueError), match="the first sample"):
        cohens_d(a, [1, 3, 5])


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ([], [1, 2], "the first sample has 0 values; d needs at least 2"),
        ([1], [1, 2], "the first sample has 1 value; d needs at least 2"),
        ([1, 2], [1], "the second sample has 1 value; d needs at least 2"),
        ([1, math.nan], [1, 2], "the first sample holds a NaN or an infinity"),
        ([1, 2], [math.inf, 2], "the second sample holds a NaN or an infinity"),
        ([[1, 2], [3, 4]], [1, 2], "shape"),
        ([[1], [2, 3]], [1, 2], "ragged"),
        ([1, 1], [1, 1], "all values are equal"),
        ([0.1] * 3, [0.2] * 3, "all values are equal"),
        ([1e308, -1e308], [1e308, 1e308], "too small or too large"),
        ([0, 1e-200], [0, 0], "too small or too large"),
    ],
)
def test_refusals(a: Any, b: Any, why: str) -> None:
    """Where d would lie it refuses, and says why."""
    with pytest.raises(ValueError, match=why):
        cohens_d(a, b)
