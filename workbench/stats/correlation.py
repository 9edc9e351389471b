"""Point-biserial correlation of a score with two classes, with stratified bootstrap intervals.

Decision: a score that never varies follows nothing, so that its correlation is told as 0. Resamples
keep the size of both classes, which a labelled set has by design.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.stats.bootstrap import Interval
from workbench.stats.sample import Numbers, Sample, numbers


def biserial(classes: Sample, score: Sample) -> float:
    """Return the point-biserial correlation of a score with two classes; 0 where it never varies.

    Parameters
    ----------
    classes : sequence or ndarray of 0 and 1, shape (n,)
        Both of them.
    score : sequence or ndarray of numbers, shape (n,)
        Of the same units.

    Returns
    -------
    float
        Between -1 and 1.

    Raises
    ------
    TypeError, ValueError
        If one is no sample of numbers, the lengths differ, or the classes are not 0 and 1.

    Examples
    --------
    >>> biserial([0, 0, 1, 1], [0.1, 0.1, 0.7, 0.7])
    1.0
    """
    groups, (values,) = _units(classes, score)
    return float(_biserial(groups[0].size, values[np.concatenate(groups)][None])[0])


def bootstrap_biserial(
    classes: Sample,
    score: Sample,
    less: Sample | None = None,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the correlation of a score with two classes, and its percentile bootstrap interval.

    Parameters
    ----------
    classes : sequence or ndarray of 0 and 1, shape (n,)
    score : sequence or ndarray of numbers, shape (n,)
        Of the same units.
    less : sequence or ndarray of numbers, shape (n,), optional
        Another score of the same units, whose correlation is taken from that of `score`.
    level, resamples, seed
        As in `bootstrap_mean`.

    Returns
    -------
    Interval
        Between -1 and 1, or -2 and 2 of a difference; its sizes are those of the classes.

    Raises
    ------
    TypeError, ValueError
        As in `bootstrap_mean`; if the lengths differ, a class has fewer than two units, or all
        resamples have the same correlation.

    Examples
    --------
    >>> round(bootstrap_biserial([0, 0, 0, 1, 1, 1], [0.2, 0.5, 0.4, 0.9, 0.6, 0.3]).mean, 2)
    0.51
    """
    groups, scores = _units(classes, *([score] if less is None else [score, less]))
    if min(group.size for group in groups) < 2:
        sizes = " and ".join(str(group.size) for group in groups)
        raise ValueError(f"the classes have {sizes} units; an interval needs two of each")
    tail = (1 - level) / 2
    if not 0 < level < 1 or resamples * tail < 1 - 1e-9:
        raise ValueError(f"{resamples} resamples are too few for a level of {level}")
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [group[rng.integers(0, group.size, (resamples, group.size))] for group in groups], axis=1
    )
    made, told = np.zeros(resamples), 0.0
    for sign, values in zip((1, -1), scores, strict=False):
        made += sign * _biserial(groups[0].size, values[drawn])
        told += sign * _biserial(groups[0].size, values[np.concatenate(groups)][None])[0]
    lo, hi = (float(end) for end in np.quantile(made, (tail, 1 - tail)))
    if math.isclose(lo, hi, abs_tol=1e-12):
        raise ValueError(
            f"all resamples have one correlation ({told:.2f}); an interval of no width would say "
            "that it is certain"
        )
    what = "point-biserial correlation" if less is None else "difference of two correlations"
    first, second = (int(group.size) for group in groups)
    method = f"stratified percentile bootstrap of the {what}"
    return Interval(float(told), lo, hi, (first, second), level, resamples, seed, method)


def _biserial(first: int, rows: Numbers) -> Numbers:
    """Return the correlation of each row, whose `first` values are of class 0, the others of 1."""
    n = rows.shape[1]
    gap = rows[:, first:].mean(axis=1) - rows[:, :first].mean(axis=1)
    spread = rows.std(axis=1)
    found: Numbers = np.zeros(len(rows))
    np.divide(gap * math.sqrt(first * (n - first)) / n, spread, out=found, where=spread > 1e-12)
    return found.clip(-1, 1)  # beyond by rounding


def _units(classes: Sample, *scores: Sample) -> tuple[list[NDArray[np.intp]], list[Numbers]]:
    """Return where the units of each class are, and the scores as arrays."""
    kinds = numbers(classes, "the classes", "a correlation")
    values = [numbers(one, "the score", "a correlation") for one in scores]
    if {one.size for one in values} != {kinds.size}:
        raise ValueError("classes and scores are of the same units, in the same order")
    groups = [np.flatnonzero(kinds == kind) for kind in (0, 1)]
    if sum(group.size for group in groups) != kinds.size or not all(g.size for g in groups):
        raise ValueError("the classes are 0 and 1, and there are units of both")
    return groups, values
