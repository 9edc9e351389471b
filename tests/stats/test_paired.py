"""Paired tests: as scipy's, exact with ties, and refused where there is nothing to go on."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels

from workbench.stats import paired
from workbench.stats.paired import Paired, holm, mcnemar, wilcoxon

RNG = np.random.default_rng(11)
SMALL = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=9)


def pairs(first: int, second: int, both: int = 0, neither: int = 0) -> tuple[list[int], list[int]]:
    """Return two rows of outcomes with so many pairs of each sort."""
    a = [1] * first + [0] * second + [1] * both + [0] * neither
    b = [0] * first + [1] * second + [1] * both + [0] * neither
    return a, b


@pytest.mark.parametrize(("first", "second"), [(0, 1), (6, 0), (5, 5), (12, 3), (40, 71), (1, 900)])
def test_mcnemar_as_scipys_binomial_and_statsmodels(first: int, second: int) -> None:
    """The exact p is the binomial test's over the pairs that differ."""
    found = mcnemar(*pairs(first, second, both=7, neither=2))

    expected = stats.binomtest(first, first + second, 0.5).pvalue
    assert pytest.approx(expected, rel=1e-9) == found.p
    table = [[7, first], [second, 2]]
    assert pytest.approx(mcnemar_of_statsmodels(table, exact=True).pvalue) == found.p
    assert (first, second, first + second + 9) == (found.first, found.second, found.n)


@pytest.mark.parametrize(("first", "second"), [(6, 0), (5, 5), (12, 3), (40, 71)])
def test_mid_p(first: int, second: int) -> None:
    """The mid-p takes half of the outcome's own probability off each side."""
    found = mcnemar(*pairs(first, second), mid_p=True)

    n, k = first + second, min(first, second)
    expected = 2 * stats.binom.cdf(k, n, 0.5) - stats.binom.pmf(k, n, 0.5)
    assert pytest.approx(min(1, expected)) == found.p
    assert "mid-p" in str(found)


def test_published_examples() -> None:
    """The p-values are those of Fagerland et al. 2013 (table 2) and of R's ``wilcox.test`` page."""
    airway = pairs(1, 7, both=1, neither=12)
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

    assert pytest.approx(0.0703, abs=5e-5) == mcnemar(*airway).p
    assert pytest.approx(0.0391, abs=5e-5) == mcnemar(*airway, mid_p=True).p
    found = wilcoxon(before, after)
    assert (40, pytest.approx(2 * 0.01953, abs=2e-5)) == (found.statistic, found.p)


def test_mcnemar_keeps_its_level() -> None:
    """Of tests of equal methods, at most 5 in 100 have p below 0.05."""
    rng = np.random.default_rng(3)
    ps = []
    for _ in range(1000):
        a, b = rng.random(60) < 0.7, rng.random(60) < 0.7
        ps.append(mcnemar(a, b).p)

    assert sum(p < 0.05 for p in ps) <= 60


@pytest.mark.parametrize("n", [5, 12, 40])
def test_wilcoxon_as_scipys_exact(n: int) -> None:
    """Without ties and zeros it is scipy's exact test."""
    a = RNG.normal(0.4, 1, n)
    b = RNG.normal(0, 1, n)
    expected = stats.wilcoxon(a, b, method="exact")

    found = wilcoxon(a, b)
    assert pytest.approx(expected.pvalue, rel=1e-9) == found.p
    total = n * (n + 1) / 2
    assert expected.statistic == min(found.statistic, total - found.statistic)


@given(SMALL)
def test_wilcoxon_with_ties_as_all_signs(given_: list[tuple[int, int]]) -> None:
    """With ties and zeros the p is what going through all choices of signs gives."""
    a, b = zip(*given_, strict=True)
    d = np.array([x - y for x, y in given_ if x != y], float)
    assume(d.size > 0)
    ranks = stats.rankdata(np.abs(d))
    observed = ranks[d > 0].sum()
    centre = ranks.sum() / 2
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in itertools.product((0, 1), repeat=d.size)
    ]
    expected = np.mean([abs(s - centre) >= abs(observed - centre) - 1e-9 for s in sums])

    found = wilcoxon(a, b)
    assert pytest.approx(expected) == found.p
    assert observed == found.statistic


def test_wilcoxon_of_many_as_scipys_normal() -> None:
    """Beyond what is counted it is scipy's normal approximation; at the border the two agree."""
    a = RNG.integers(0, 100, 900).astype(float)
    b = RNG.integers(3, 103, 900).astype(float)

    expected = stats.wilcoxon(a, b, method="asymptotic", correction=False)
    assert pytest.approx(expected.pvalue, rel=1e-9) == wilcoxon(a, b).p
    counted = wilcoxon(a[:400], b[:400])
    near = stats.wilcoxon(a[:400], b[:400], method="asymptotic", correction=False)
    assert pytest.approx(near.pvalue, rel=0.02) == counted.p


def test_rounding_is_no_difference() -> None:
    """What only rounding tells apart is equal, and sizes so near are tied."""
    found = wilcoxon([0.3, 0.1 + 0.2, 0.7], [0.1, 0.3, 0.5])

    assert (2, 0, 3) == (found.first, found.second, found.n)
    assert 3.0 == found.statistic
    with pytest.raises(ValueError, match="all 2 pairs are equal"):
        wilcoxon([0.1 + 0.2, 1], [0.3, 1])


@given(SMALL)
def test_change_of_places(given_: list[tuple[int, int]]) -> None:
    """The samples' places do not matter to p, and change the sides."""
    a, b = zip(*given_, strict=True)
    assume(a != b)
    there, back = wilcoxon(a, b), wilcoxon(b, a)

    assert pytest.approx(there.p) == back.p
    assert (there.first, there.second) == (back.second, back.first)


def test_caution() -> None:
    """A test that could not come out significant says so."""
    assert "with 5 differing pairs no outcome has p below 0.062" in str(mcnemar(*pairs(5, 0)))
    assert "" == mcnemar(*pairs(6, 0)).caution
    assert "0.25" in wilcoxon([1, 2, 3], [0, 0, 0]).caution
    assert "Paired(p = 0.031 (exact McNemar, n=6 pairs, 6 to 0))" == repr(mcnemar(*pairs(6, 0)))
    assert "p = 1.9e-06" in str(mcnemar(*pairs(20, 0)))


@pytest.mark.parametrize("test", [mcnemar, wilcoxon])
@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ([], [], "has 0 values; the test needs at least 1"),
        ([1, 0], [1], "the same items"),
        ([1, 0], [1, 0], "no difference to test"),
        ([[1, 0]], [[0, 1]], "shape"),
        ([[1], [1, 0]], [1, 0], "ragged"),
    ],
)
def test_refusals(test: Any, a: Any, b: Any, why: str) -> None:
    """Where a test would mislead it is refused, with the reason."""
    with pytest.raises(ValueError, match=why):
        test(a, b)


@pytest.mark.parametrize("values", [[0.5, 1], [2, 1], [None, True], ["1", "0"], [math.nan, 1]])
def test_no_outcomes(values: Any) -> None:
    """What is neither true nor false is refused: unknown is no outcome."""
    with pytest.raises(TypeError, match="the first sample"):
        mcnemar(values, [True, False])


def test_no_numbers() -> None:
    """What is no number, or no finite one, is refused."""
    with pytest.raises(TypeError, match="takes numbers"):
        wilcoxon(["1", "2"], [1, 2])
    with pytest.raises(TypeError, match="takes numbers"):
        wilcoxon([True, False], [1, 2])  # type: ignore[list-item]
    for odd in (math.nan, math.inf):
        with pytest.raises(ValueError, match="NaN or an infinity"):
            wilcoxon([odd, 1], [1, 2])
    with pytest.raises(ValueError, match="too large"):
        wilcoxon([1.7e308, 1], [-1.7e308, 2])


def test_holm() -> None:
    """Each p is multiplied by how many are left, and none falls below an earlier one."""
    ps = [0.01, 0.2, 0.02, 0.04]

    assert pytest.approx([0.04, 0.2, 0.06, 0.08]) == holm(ps)
    assert [] == holm([])
    assert [1.0] == holm([1.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.5])


def test_exact_is_quick_enough() -> None:
    """The largest sample that is counted does not take long, and gives a p."""
    a = RNG.normal(0.1, 1, paired.MOST_EXACT)
    found = wilcoxon(a, np.zeros(paired.MOST_EXACT))

    assert isinstance(found, Paired)
    assert 0 < found.p <= 1
    assert "exact" in found.method
