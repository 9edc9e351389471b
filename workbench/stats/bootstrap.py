"""Percentile bootstrap intervals of a mean, and of a difference of two."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.stats.sample import Numbers, Sample, numbers

_Draw = Callable[[np.random.Generator, int], Numbers]

_TAKER = "an interval"
_CELLS = 2**20
"""Values drawn at once: 8 MB of them and 8 MB of indices, however many resamples are wanted."""

FEW = 10
"""Intervals of fewer values than this carry a caution."""

COVERAGE_PERCENT = {2: 50, 3: 75, 4: 80, 5: 83, 6: 86, 7: 87, 8: 89, 9: 90}
"""In how many of 100 samples of so many normal values a 95 % interval holds the mean, by
simulation. Of 2 or 3 values the interval is their range, and 50 and 75 are exact for every
symmetric distribution without atoms."""


@dataclass(frozen=True, slots=True, repr=False)
class Interval:
    """A mean, or a difference of means, with its interval and how that was made.

    Attributes
    ----------
    mean : float
        Of the sample itself, not of the resamples.
    lo, hi : float
        Ends of the interval, in the unit of the sample.
    sizes : tuple of int
        Values in the sample; pairs, of a paired difference; of an unpaired one, values in each.
    level : float
        Nominal coverage, between 0 and 1.
    resamples : int
    seed : int
    method : str
    """

    mean: float
    lo: float
    hi: float
    sizes: tuple[int, ...]
    level: float
    resamples: int
    seed: int
    method: str

    @property
    def n(self) -> int:
        """How many values, or pairs, there are in all."""
        return sum(self.sizes)

    @property
    def caution(self) -> str:
        """What to tell with an interval of few values; empty from `FEW` on."""
        fewest = min(self.sizes)
        if fewest >= FEW:
            return ""
        if self.level == 0.95 and len(self.sizes) == 1:
            cover = COVERAGE_PERCENT[fewest]
            return (
                f"with n = {fewest} such an interval holds the true mean about {cover} times in 100"
            )
        return f"with n = {fewest} such an interval is too narrow"

    def __str__(self) -> str:
        n = " and ".join(map(str, self.sizes))
        mean, lo, hi = told(self.mean, self.lo, self.hi)
        said = (
            f"{mean} [{lo}, {hi}] ({100 * self.level:g} % {self.method}, n={n}, "
            f"{self.resamples:,} resamples, seed {self.seed})"
        )
        return f"{said}; {self.caution}" if self.caution else said

    def __repr__(self) -> str:
        return f"Interval({self})"


def bootstrap_mean(
    values: Sample, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Return the mean of a sample with its percentile bootstrap interval.

    The sample is drawn again, with replacement, `resamples` times; the interval reaches from the
    (1 - level) / 2 quantile of the means to the one as far from the top. Of few values it is too
    narrow: `Interval.caution` says by how much.

    Parameters
    ----------
    values : sequence or ndarray of numbers, shape (n,)
        Independent of each other: one value a run, not one a turn.
    level : float
        Nominal coverage, between 0 and 1.
    resamples : int
    seed : int
        Of a `numpy.random.Generator`. The same seed gives the same numbers.

    Returns
    -------
    Interval
        In the unit of the sample.

    Raises
    ------
    TypeError
        If the sample holds something other than real numbers, or is a generator.
    ValueError
        If it is not one-dimensional, has fewer than two values, holds a NaN or an infinity, or if
        its values are all equal, so that the interval would have no width; if they are too large to
        compute with; or if there are too few resamples for the level.

    References
    ----------
    .. [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Examples
    --------
    >>> print(bootstrap_mean([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]))
    11.0 [7.4, 14.6] (95 % percentile bootstrap of the mean, n=10, 10,000 resamples, seed 0)
    """
    x = numbers(values, "the sample", _TAKER)
    if x.min() == x.max():  # exactly: rounding gives equal values some spread
        raise ValueError(
            f"all {x.size} values are equal ({x[0]:g}); an interval of no width would say that "
            "the next one is certain"
        )
    return _interval(
        x.mean, _resampled(x), (x.size,), level, resamples, seed, "percentile bootstrap of the mean"
    )


def bootstrap_difference(
    a: Sample,
    b: Sample,
    *,
    paired: bool,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return mean(a) - mean(b) with its percentile bootstrap interval.

    Parameters
    ----------
    a, b : sequence or ndarray of numbers, shapes (n,) and (m,)
    paired : bool
        Whether a[i] and b[i] belong together (the same case, seed or branch), so that pairs are
        drawn. Otherwise the two samples are drawn apart.
    level, resamples, seed
        As in `bootstrap_mean`.

    Returns
    -------
    Interval
        In the unit of the samples.

    Raises
    ------
    TypeError, ValueError
        As in `bootstrap_mean`, for either sample; where `paired`, also if the lengths differ or the
        differences are all equal; where not, if the values are equal within both.

    Examples
    --------
    >>> bootstrap_difference([5, 7, 9, 6], [4, 4, 5, 5], paired=True).mean
    2.25
    """
    x = numbers(a, "the first sample", _TAKER)
    y = numbers(b, "the second sample", _TAKER)
    if paired:
        return _paired(x, y, level, resamples, seed)
    if x.min() == x.max() and y.min() == y.max():
        raise ValueError(
            "all values are equal within both samples; an interval of no width would say that "
            "the difference is certain"
        )
    draw_x, draw_y = _resampled(x), _resampled(y)
    return _interval(
        lambda: x.mean() - y.mean(),
        lambda rng, size: draw_x(rng, size) - draw_y(rng, size),
        (x.size, y.size),
        level,
        resamples,
        seed,
        "percentile bootstrap of the difference of means, unpaired",
    )


def _paired(x: Numbers, y: Numbers, level: float, resamples: int, seed: int) -> Interval:
    if x.size != y.size:
        raise ValueError(
            f"the first sample has {x.size} values and the second {y.size}; a paired difference "
            "needs the values of the same items, in the same order"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        d = x - y
        spread = d.max() - d.min()
    rounding = 4 * np.finfo(np.float64).eps * max(np.abs(x).max(), np.abs(y).max())
    if spread <= rounding:
        raise ValueError(
            f"all {d.size} differences are equal ({d[0]:g}); an interval of no width would say "
            "that the next one is certain"
        )
    method = "percentile bootstrap of the mean difference, paired"
    return _interval(d.mean, _resampled(d), (d.size,), level, resamples, seed, method)


def _resampled(x: Numbers) -> _Draw:
    """Return what draws means of a sample: `size` of them, in bounded memory."""
    rows = max(1, _CELLS // x.size)

    def draw(rng: np.random.Generator, size: int) -> Numbers:
        means = np.empty(size)
        for start in range(0, size, rows):
            stop = min(start + rows, size)
            drawn = x[rng.integers(0, x.size, (stop - start, x.size))]
            means[start:stop] = drawn.mean(axis=1)
        return means

    return draw


def _interval(
    estimate: Callable[[], float],
    draw: _Draw,
    sizes: tuple[int, ...],
    level: float,
    resamples: int,
    seed: int,
    method: str,
) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"the level is {level}; it is a share between 0 and 1, such as 0.95")
    tail = (1 - level) / 2
    if resamples * tail < 1 - 1e-9:
        needed = math.ceil(1 / tail - 1e-9)
        raise ValueError(
            f"{resamples} resamples leave none beyond the ends of a {100 * level:g} % interval; "
            f"it needs at least {needed:,}, and 10,000 are usual"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        means = draw(np.random.default_rng(seed), resamples)
        mean = float(estimate())
        lo, hi = (float(end) for end in np.quantile(means, (tail, 1 - tail)))
    if not np.isfinite((mean, lo, hi)).all():
        raise ValueError("the values are too large to compute with; rescale them")
    return Interval(mean, lo, hi, sizes, level, resamples, seed, method)


def told(mean: float, lo: float, hi: float) -> tuple[str, str, str]:
    """Return the three with the decimals that the interval's width warrants: two digits of it."""
    width = hi - lo
    decimals = 2 if width <= 0 else 1 - math.floor(math.log10(width))
    if decimals > 6 or max(map(abs, (mean, lo, hi))) >= 1e12:
        return f"{mean:.4g}", f"{lo:.4g}", f"{hi:.4g}"
    form = f",.{max(decimals, 0)}f"
    return f"{mean:{form}}", f"{lo:{form}}", f"{hi:{form}}"
