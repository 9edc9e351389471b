"""Standardised differences of means."""

from __future__ import annotations

import numpy as np

from workbench.stats.sample import Sample, numbers


def cohens_d(a: Sample, b: Sample) -> float:
    """Return Cohen's d of two independent samples, with the pooled standard deviation.

    d = (mean(a) - mean(b)) / s, where s^2 = ((n_a - 1) s_a^2 + (n_b - 1) s_b^2) / (n_a + n_b - 2).

    Parameters
    ----------
    a, b : sequence or ndarray of numbers, shape (n,)

    Raises
    ------
    TypeError
        If a sample holds something other than real numbers, or is a generator.
    ValueError
        If a sample is not one-dimensional, has fewer than two values or holds a NaN or an infinity;
        or if the values of each sample are all equal, or so near or so large that their spread
        cannot be computed: there is then nothing to measure the difference by.

    References
    ----------
    .. [1] J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed., 1988, p. 67.

    Examples
    --------
    >>> cohens_d([2, 4, 6], [1, 3, 5])
    0.5
    """
    x, y = numbers(a, "the first sample", "d"), numbers(b, "the second sample", "d")
    if x.min() == x.max() and y.min() == y.max():  # exactly: rounding gives them some spread
        raise ValueError("all values are equal within both samples; d is not defined")
    with np.errstate(over="ignore", invalid="ignore"):
        spread = (x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)
        pooled = np.sqrt(spread / (x.size + y.size - 2))
        d = float((x.mean() - y.mean()) / pooled) if pooled > 0 else np.nan
    if not (np.isfinite(d) and np.isfinite(pooled)):
        raise ValueError("the spread is too small or too large to compute; rescale the values")
    return d
