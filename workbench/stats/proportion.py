"""Proportions with exact intervals, and agreement beyond chance, of counts in two classes."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, repr=False)
class Proportion:
    """`hits` of `n`, with the interval of Clopper and Pearson, which covers at least `confidence`.

    Attributes
    ----------
    hits, n : int
    low, high : float
        The interval's ends in [0, 1]; of no unit, all of it.
    confidence : float
    """

    hits: int
    n: int
    low: float
    high: float
    confidence: float

    @property
    def value(self) -> float | None:
        """Hits over n; None where there is no unit."""
        return self.hits / self.n if self.n else None

    @property
    def method(self) -> str:
        """The interval's name and level."""
        return f"{self.confidence:.0%} Clopper-Pearson (exact)"

    def __str__(self) -> str:
        if self.value is None:
            return "none to tell (n=0)"
        ends = f"{100 * self.low:.1f} to {100 * self.high:.1f}"
        return f"{100 * self.value:.1f} % [{ends}] ({self.hits} of {self.n})"

    def __repr__(self) -> str:
        return f"<Proportion {self}, {self.method}>"


def proportion(hits: int, n: int, confidence: float = CONFIDENCE) -> Proportion:
    """Return a proportion with its exact interval, for units that are independent.

    Raises
    ------
    ValueError
        If `hits` is not from 0 to `n`, or `confidence` not between 0 and 1.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in
       the case of the binomial, Biometrika 26(4), 1934, pp. 404-413.

    Examples
    --------
    >>> proportion(5, 11)
    <Proportion 45.5 % [16.7 to 76.6] (5 of 11), 95% Clopper-Pearson (exact)>
    """
    from scipy.special import betaincinv  # type: ignore[import-untyped]  # stubs: one more package

    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no proportion")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence} is not between 0 and 1")
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Proportion(hits, n, low, high, confidence)


def cohens_kappa(both: int, first: int, second: int, neither: int) -> float | None:
    """Return Cohen's kappa of two raters who say yes or no, or None where it is not defined.

    Parameters
    ----------
    both, first, second, neither : int
        Units to which both say yes, the first alone, the second alone, and neither.

    References
    ----------
    .. [1] J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
       Measurement 20(1), 1960, pp. 37-46.

    Examples
    --------
    >>> cohens_kappa(20, 5, 10, 15)
    0.4
    """
    n = both + first + second + neither
    chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    if n * n == chance:  # no unit, or both raters say one and the same to all
        return None
    return ((both + neither) * n - chance) / (n * n - chance)
