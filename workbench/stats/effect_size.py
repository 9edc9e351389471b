"""Standardised differences of means."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def cohens_d(a: ArrayLike, b: ArrayLike) -> float:
    """Return Cohen's d of two independent samples, with the pooled standard deviation.

    d = (mean(a) - mean(b)) / s, where s^2 = ((n_a - 1) s_a^2 + (n_b - 1) s_b^2) / (n_a + n_b - 2).

    Parameters
    ----------
    a, b : array_like of shape (n,)

    Raises
    ------
    ValueError
        If a sample has fewer than two values, holds a NaN, or all values of both are equal: there is
        then no spread to measure the difference by.

    References
    ----------
    .. [1] J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed., 1988, p. 67.

    Examples
    --------
    >>> cohens_d([2, 4, 6], [1, 3, 5])
    0.5
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    for name, values in (("first", x), ("second", y)):
        if values.ndim != 1 or values.size < 2:
            raise ValueError(f"the {name} sample has {values.size} values; d needs at least 2")
        if np.isnan(values).any():
            raise ValueError(f"the {name} sample holds a NaN")
    spread = (x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)
    pooled = np.sqrt(spread / (x.size + y.size - 2))
    if pooled == 0:
        raise ValueError("all values are equal within both samples; d is not defined")
    return float((x.mean() - y.mean()) / pooled)
