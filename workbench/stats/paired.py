"""Tests of two methods on the same items: McNemar's for right and wrong, Wilcoxon's for scores.

Both are exact. Each refuses with a reason where it has nothing to go on, and carries a caution
where its n is so small that no outcome could have been significant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.stats.sample import Numbers, Sample, numbers, row

Outcomes = Sequence[bool] | Sequence[int] | NDArray[np.bool_] | NDArray[np.integer]

_TAKER = "the test"

ALPHA = 0.05
"""The level that cautions speak of."""

MOST_EXACT = 500
"""Wilcoxon's distribution is counted up to so many differences, in under a second; beyond, it is so
near to normal that p-values above 0.001 agree to two digits."""


@dataclass(frozen=True, slots=True, repr=False)
class Paired:
    """A two-sided test of paired values.

    Attributes
    ----------
    p : float
    statistic : float
        Of McNemar: the pairs that only the first has right. Of Wilcoxon: the sum of the ranks of
        the positive differences, W+.
    first, second : int
        Pairs that speak for the first and for the second: only it is right, or its value is higher.
    n : int
        Pairs in all. Those that speak for neither are in no test.
    least : float
        The smallest p that so many differing pairs can give.
    method : str
    """

    p: float
    statistic: float
    first: int
    second: int
    n: int
    least: float
    method: str

    @property
    def caution(self) -> str:
        """What to tell with a test that could not have come out significant; else empty."""
        if self.least <= ALPHA:
            return ""
        pairs = self.first + self.second
        return f"with {pairs} differing pairs no outcome has p below {self.least:.2g}"

    def __str__(self) -> str:
        p = f"p = {self.p:.3f}" if self.p >= 0.001 else f"p = {self.p:.1e}"
        said = f"{p} ({self.method}, n={self.n} pairs, {self.first} to {self.second})"
        return f"{said}; {self.caution}" if self.caution else said

    def __repr__(self) -> str:
        return f"Paired({self})"


def mcnemar(a: Outcomes, b: Outcomes, *, mid_p: bool = False) -> Paired:
    """Test whether two methods are right equally often on the same items, by McNemar's exact test.

    Of the pairs in which one method is right and the other wrong, the first's share is tested
    against one half by the binomial distribution. Pairs in which both are right, or both wrong, say
    nothing of a difference.

    Parameters
    ----------
    a, b : sequence or ndarray of bool (or 0 and 1), shape (n,)
        Whether each method is right on item i. An item on which either is unknown is to be left out
        of both.
    mid_p : bool
        Count half of the probability of the outcome itself: less conservative, no longer a
        guaranteed bound.

    Raises
    ------
    TypeError
        If a sample holds something other than truth values.
    ValueError
        If the lengths differ, or no pair does: there is then nothing to test.

    References
    ----------
    .. [1] Q. McNemar, Note on the sampling error of the difference between correlated proportions
       or percentages, Psychometrika 12, 1947.
    .. [2] M. W. Fagerland, S. Lydersen and P. Laake, The McNemar test for binary matched-pairs
       data: mid-p and asymptotic are better than exact conditional, BMC Med. Res. Methodol. 13:91,
       2013.

    Examples
    --------
    >>> print(mcnemar([1, 1, 1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 1, 0, 1]))
    p = 0.031 (exact McNemar, n=9 pairs, 6 to 0)
    """
    x, y = _outcomes(a, "the first sample"), _outcomes(b, "the second sample")
    _same_length(x.size, y.size)
    first, second = int((x & ~y).sum()), int((y & ~x).sum())
    pairs = first + second
    if pairs == 0:
        raise ValueError(
            f"both are right, or both wrong, in all {x.size} pairs; there is no difference to test"
        )
    return Paired(
        p=_binomial(min(first, second), pairs, mid_p=mid_p),
        statistic=float(first),
        first=first,
        second=second,
        n=x.size,
        least=_binomial(0, pairs, mid_p=mid_p),
        method="McNemar, mid-p" if mid_p else "exact McNemar",
    )


def _binomial(fewer: int, pairs: int, *, mid_p: bool) -> float:
    """Return the two-sided p of `fewer` successes of `pairs` at one half, in whole numbers."""
    tail = 2 * sum(math.comb(pairs, k) for k in range(fewer + 1))
    if mid_p:
        tail -= math.comb(pairs, fewer)  # twice half of the outcome itself, on either side
    return float(min(1.0, tail / 2**pairs))


def wilcoxon(a: Sample, b: Sample) -> Paired:
    """Test whether paired values differ, by Wilcoxon's signed-rank test.

    The differences a - b are ranked by size, equal ones by their mean rank; differences of 0 are
    dropped, as in Wilcoxon's paper. Given the ranks, each sign is as likely as the other: W+ is
    tested against that distribution, which is counted exactly, ties included. Beyond `MOST_EXACT`
    differences it is taken as normal, with the correction for ties and no other.

    Parameters
    ----------
    a, b : sequence or ndarray of numbers, shape (n,)
        Values of the same items, in the same order.

    Raises
    ------
    TypeError
        If a sample holds something other than real numbers.
    ValueError
        If the lengths differ, a value is NaN or infinite, or no pair differs.

    References
    ----------
    .. [1] F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945.
    .. [2] E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 2006, section 3.2.

    Examples
    --------
    >>> print(wilcoxon([82, 75, 91, 60, 77, 88, 70], [80, 70, 85, 61, 66, 80, 70]))
    p = 0.062 (exact Wilcoxon signed-rank, n=7 pairs, 5 to 1)
    """
    x = numbers(a, "the first sample", _TAKER, least=1)
    y = numbers(b, "the second sample", _TAKER, least=1)
    _same_length(x.size, y.size)
    with np.errstate(over="ignore"):
        d = x - y
    if not np.isfinite(d).all():
        raise ValueError("the values are too large to compute with; rescale them")
    # What only rounding makes of equal values is no difference: 0.3 - 0.1 against 0.2.
    rounding = 4 * np.finfo(np.float64).eps * np.maximum(np.abs(x), np.abs(y))
    kept = d[np.abs(d) > rounding]
    if kept.size == 0:
        raise ValueError(f"all {x.size} pairs are equal; there is no difference to test")
    doubled = _doubled_ranks(np.abs(kept))
    plus = int(doubled[kept > 0].sum())
    exact = kept.size <= MOST_EXACT
    return Paired(
        p=_counted(doubled, plus) if exact else _normal(doubled, plus),
        statistic=plus / 2,
        first=int((kept > 0).sum()),
        second=int((kept < 0).sum()),
        n=x.size,
        least=2.0 ** (1 - kept.size) if exact else 0.0,
        method="exact Wilcoxon signed-rank" if exact else "Wilcoxon signed-rank, normal",
    )


def _doubled_ranks(sizes: Numbers) -> NDArray[np.int64]:
    """Return twice the mean ranks, which are whole numbers.

    Sizes that differ by rounding alone are tied.
    """
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    steps = np.diff(ordered) > 16 * np.finfo(np.float64).eps * ordered[1:]
    starts = np.concatenate(([0], np.flatnonzero(steps) + 1))
    ends = np.concatenate((starts[1:], [sizes.size]))
    ranks = np.empty(sizes.size, np.int64)
    for start, end in zip(starts, ends, strict=True):
        ranks[order[start:end]] = start + 1 + end  # twice the mean of start + 1, ..., end
    return ranks


def _counted(doubled: NDArray[np.int64], plus: int) -> float:
    """Return the two-sided p of W+ over all choices of signs, one rank after another."""
    total = int(doubled.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for rank in doubled.tolist():
        chance[rank:] = (chance[rank:] + chance[: total + 1 - rank]) / 2
        chance[:rank] /= 2
    lower = float(chance[: min(plus, total - plus) + 1].sum())
    return min(1.0, 2 * lower)


def _normal(doubled: NDArray[np.int64], plus: int) -> float:
    ranks = doubled / 2
    z = (plus / 2 - ranks.sum() / 2) / math.sqrt(float((ranks**2).sum()) / 4)
    return math.erfc(abs(z) / math.sqrt(2))


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, by Holm's step-down method.

    References
    ----------
    .. [1] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6,
       1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.02])
    [0.03, 0.04, 0.04]
    """
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError(f"p-values lie between 0 and 1, not so {ps}")
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    adjusted, highest = [0.0] * len(ps), 0.0
    for passed, place in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - passed) * ps[place]))
        adjusted[place] = highest
    return adjusted


def _same_length(first: int, second: int) -> None:
    if first != second:
        raise ValueError(
            f"the first sample has {first} values and the second {second}; a paired test needs "
            "those of the same items, in the same order"
        )


def _outcomes(values: Outcomes, name: str) -> NDArray[np.bool_]:
    found = row(values, name, _TAKER)
    if found.dtype.kind not in "biu" or not np.isin(found, (0, 1)).all():
        raise TypeError(f"{name} holds something other than true and false (or 1 and 0)")
    return found.astype(np.bool_)
