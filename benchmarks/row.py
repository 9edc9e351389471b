"""Rows of a benchmark's table: a figure, its spread, and the target it is held to."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

RESAMPLES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure.

    Attributes
    ----------
    what : str
        What was measured.
    value : float
        The median, or what the row says that it is.
    unit : str
        Of value, low, high and target; empty for a ratio.
    n : int
        How many measurements it rests on.
    low, high : float or None
        Of a median the middle half of the measurements, of a ratio or a percentile its 95 %
        interval.
    target : float or None
        None for a row that only tells.
    at_least : bool
        Whether the target is a lower bound.
    """

    what: str
    value: float
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def cells(self, mark: str = "") -> tuple[str, ...]:
        """Return the row as text: what, n, value with a mark, spread, target, met."""
        spread = ""
        if self.low is not None and self.high is not None:
            spread = f"{figure(self.low)} to {figure(self.high)}"
        target = ""
        if self.target is not None:
            target = f"{'>=' if self.at_least else '<='} {figure(self.target)} {self.unit}".rstrip()
        met = {None: "", True: "yes", False: "NO"}[self.met]
        value = f"{figure(self.value)} {self.unit}".rstrip() + mark
        return (self.what, str(self.n), value, spread, target, met)


HEAD = ("what", "n", "value", "spread", "target", "met")


def figure(value: float) -> str:
    """Return a number with three digits that count."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def of(
    what: str,
    samples: Sequence[float],
    unit: str,
    *,
    target: float | None = None,
    at_least: bool = False,
) -> Row:
    """Return the median of `samples` with their middle half."""
    low, high = samples[0], samples[0]
    if len(samples) > 1:
        low, _, high = quantiles(samples, n=4, method="inclusive")
    return Row(
        what=what,
        value=median(samples),
        unit=unit,
        n=len(samples),
        low=low,
        high=high,
        target=target,
        at_least=at_least,
    )


def ratio(
    what: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    target: float | None = None,
    at_least: bool = False,
) -> Row:
    """Return the ratio of two medians with a 95 % bootstrap interval over the interleaved pairs."""
    draw = random.Random(0)
    pairs = list(zip(ours, theirs, strict=True))
    drawn = []
    for _ in range(RESAMPLES):
        some = draw.choices(pairs, k=len(pairs))
        drawn.append(median(a for a, _ in some) / median(b for _, b in some))
    low, high = _interval(drawn)
    return Row(
        what=what,
        value=median(ours) / median(theirs),
        unit="",
        n=len(pairs),
        low=low,
        high=high,
        target=target,
        at_least=at_least,
    )


def percentile(
    what: str, samples: Sequence[float], unit: str, percent: int, *, target: float | None = None
) -> Row:
    """Return a percentile of `samples` with its 95 % bootstrap interval."""
    draw = random.Random(0)

    def cut(some: Sequence[float]) -> float:
        return quantiles(some, n=100, method="inclusive")[percent - 1]

    low, high = _interval([cut(draw.choices(samples, k=len(samples))) for _ in range(RESAMPLES)])
    return Row(
        what=f"{what}, {percent}th percentile",
        value=cut(samples),
        unit=unit,
        n=len(samples),
        low=low,
        high=high,
        target=target,
    )


def _interval(drawn: Sequence[float]) -> tuple[float, float]:
    """Return the middle 95 % of what was drawn."""
    ordered, last = sorted(drawn), len(drawn) - 1
    return ordered[round(0.025 * last)], ordered[round(0.975 * last)]


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the least-squares slope of log value over log size: 1 is linear, 0 is constant."""
    xs, ys = [math.log(x) for x in sizes], [math.log(y) for y in values]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - x_mean) ** 2 for x in xs)


def table(rows: Sequence[Row], mark: str = "") -> str:
    """Return rows as an aligned table, which is Markdown as well; `mark` follows each value."""
    cells = [HEAD, *(row.cells(mark) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEAD))]
    lines = [
        "| "
        + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
        + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
