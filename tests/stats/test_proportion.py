"""Exact intervals and Cohen's kappa: against slow twins, and where they refuse."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.stats.proportion import cohens_kappa, proportion


def at_least(hits: int, n: int, p: float) -> float:
    """Return the probability of `hits` or more of `n`, summed by the definition."""
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1))


@given(st.integers(1, 40), st.data())
def test_the_ends_are_where_the_tails_are_as_told(n: int, data: st.DataObject) -> None:
    """At the low end, so many hits or more have a chance of 2.5 %; at the high end, or fewer."""
    hits = data.draw(st.integers(0, n))

    found = proportion(hits, n)

    assert found.value is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    if hits:
        assert pytest.approx(0.025, abs=1e-9) == at_least(hits, n, found.low)
    if hits < n:
        assert pytest.approx(0.975, abs=1e-9) == at_least(hits + 1, n, found.high)


def test_all_and_none() -> None:
    """The ends of 0 of n and n of n are closed forms; of no unit nothing is known."""
    none, every, no_unit = proportion(0, 11), proportion(11, 11), proportion(0, 0)

    assert (0, pytest.approx(1 - 0.025 ** (1 / 11))) == (none.low, none.high)
    assert (pytest.approx(0.025 ** (1 / 11)), 1) == (every.low, every.high)
    assert (None, 0, 1) == (no_unit.value, no_unit.low, no_unit.high)
    assert "none to tell (n=0)" == str(no_unit)


def test_told_with_n_and_method() -> None:
    """The repr has the figure, its interval, n and the method."""
    told = "<Proportion 45.5 % [16.7 to 76.6] (5 of 11), 95% Clopper-Pearson (exact)>"

    assert told == repr(proportion(5, 11))


@pytest.mark.parametrize(
    ("hits", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (0, -1, 0.95), (1, 3, 1), (1, 3, 0)]
)
def test_what_is_no_proportion(hits: int, n: int, confidence: float) -> None:
    """Counts that cannot be, and levels outside 0 to 1, are refused."""
    with pytest.raises(ValueError, match=r"no proportion|not between"):
        proportion(hits, n, confidence)


COUNT = st.integers(0, 50)


@given(COUNT, COUNT, COUNT, COUNT)
def test_kappa_by_its_definition(both: int, first: int, second: int, neither: int) -> None:
    """Kappa is the share of the agreement beyond chance; raters may change places."""
    n = both + first + second + neither
    assume(n)
    yes, no = (both + first) / n * (both + second) / n, (neither + first) * (neither + second)
    chance = yes + no / n**2
    assume(chance < 1 - 1e-9)

    found = cohens_kappa(both, first, second, neither)

    assert pytest.approx(((both + neither) / n - chance) / (1 - chance)) == found
    assert found == cohens_kappa(both, second, first, neither)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 0, 7)])
def test_kappa_of_one_answer(counts: tuple[int, int, int, int]) -> None:
    """Where both say one and the same to all, there is no kappa; where one does, it is 0."""
    assert cohens_kappa(*counts) is None
    assert 0 == cohens_kappa(5, 0, 6, 0)
