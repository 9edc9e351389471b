"""Standardised differences of means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Sample = Sequence[float] | NDArray[np.floating] | NDArray[np.integer]


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
    x, y = _sample(a, "first"), _sample(b, "second")
    if (
        x.min() == x.max() and y.min() == y.max()
    ):  # exactly: rounding gives equal values some spread
        raise ValueError("all values are equal within both samples; d is not defined")
    with np.errstate(over="ignore", invalid="ignore"):
        spread = (x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)
        pooled = np.sqrt(spread / (x.size + y.size - 2))
        d = float((x.mean() - y.mean()) / pooled) if pooled > 0 else np.nan
    if not (np.isfinite(d) and np.isfinite(pooled)):
        raise ValueError("the spread is too small or too large to compute; rescale the values")
    return d


def _sample(values: Sample, name: str) -> NDArray[np.float64]:
    try:
        found = np.asarray(values)
    except ValueError:
        raise ValueError(f"the {name} sample is ragged; d takes one row of numbers") from None
    if found.ndim != 1 and found.dtype.kind != "O":
        raise ValueError(f"the {name} sample has the shape {found.shape}; d takes one row")
    if found.size and found.dtype.kind not in "fiu":
        raise TypeError(
            f"the {name} sample is a {type(values).__name__} of {found.dtype}; "
            "d takes a list or an array of numbers"
        )
    if found.size < 2:
        raise ValueError(f"the {name} sample has {found.size} values; d needs at least 2")
    numbers = found.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"the {name} sample holds a NaN or an infinity")
    return numbers
