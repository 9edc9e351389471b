"""A sample as an array of numbers, or the reason why it is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Sample = Sequence[float] | NDArray[np.floating] | NDArray[np.integer]
Numbers = NDArray[np.float64]


def numbers(values: Sample, name: str, taker: str, *, least: int = 2) -> Numbers:
    """Return a sample's values.

    Parameters
    ----------
    values : sequence or ndarray of numbers, shape (n,)
    name : str
        What the sample is called where it is refused, as ``the first sample``.
    taker : str
        What takes it, as ``an interval``.
    least : int
        How many values that needs.

    Returns
    -------
    ndarray of float64, shape (n,)

    Raises
    ------
    TypeError
        If it holds something other than real numbers, or is a generator.
    ValueError
        If it is not one-dimensional, has too few values, or holds a NaN or an infinity.
    """
    found = row(values, name, taker, least=least)
    if found.dtype.kind not in "fiu":
        raise TypeError(
            f"{name} is a {type(values).__name__} of {found.dtype}; {taker} takes numbers"
        )
    taken = found.astype(np.float64)
    if not np.isfinite(taken).all():
        raise ValueError(f"{name} holds a NaN or an infinity")
    return taken


def row(values: object, name: str, taker: str, *, least: int = 1) -> NDArray[np.generic]:
    """Return one row of anything, at least so long."""
    try:
        found = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged; {taker} takes one row") from None
    if found.dtype.kind == "O":
        raise TypeError(
            f"{name} is a {type(values).__name__} of objects; {taker} takes a list or an array"
        )
    if found.ndim != 1:
        raise ValueError(f"{name} has the shape {found.shape}; {taker} takes one row")
    if found.size < least:
        has = f"{found.size} value" + "s" * (found.size != 1)
        raise ValueError(f"{name} has {has}; {taker} needs at least {least}")
    return found
