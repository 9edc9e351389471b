"""Whether each of the four predictions came out: figures with intervals, and a verdict in words.

Decisions, where the paper sets no threshold:

- Outcomes go by the figures themselves; where an interval does not tell them from chance, the
  reason says so.
1. As predicted: divergence is reported more often of ambiguous questions than of plain ones, and of
   more than half of the ambiguous ones the first reader gives one answer, with high confidence. A
   reader who gives both readings has told of the ambiguity. One of the two: in part.
2. As predicted: agreement goes with plainness of the corpus, and more closely under isolation.
   Agreement that never varies follows nothing: its correlation is 0.
3. As predicted: more than half of the sessions keep their class, and topologies are alike by more
   than a half. One of the two: in part.
4. As predicted: more than half of the contested unanimities are flagged. Whether the flag tells
   them from unanimities that nobody contests is told beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import polars as pl

from workbench.stats.bootstrap import Interval, bootstrap_difference, bootstrap_mean
from workbench.stats.correlation import biserial, bootstrap_biserial
from workbench.stats.proportion import proportion

Outcome = Literal["as predicted", "in part", "not as predicted", "nothing can be said"]


class Figure(NamedTuple):
    """A figure with its interval; `method` is why there is none, where `lo` and `hi` are None.

    Attributes
    ----------
    name : str
    value : float or None
        A share, a mean or a correlation.
    lo, hi : float or None
        95 %.
    n : int
        Questions that it is of.
    method : str
    text : str
        All of it in words.
    """

    name: str
    value: float | None
    lo: float | None
    hi: float | None
    n: int
    method: str
    text: str


class Verdict(NamedTuple):
    """What came of a prediction.

    Attributes
    ----------
    number : int
        As in the paper's section 11, from 1.
    predicted : str
    figures : tuple of Figure
    outcome : {"as predicted", "in part", "not as predicted", "nothing can be said"}
    why : str
    """

    number: int
    predicted: str
    figures: tuple[Figure, ...]
    outcome: Outcome
    why: str

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON, each figure by its fields."""
        return {**self._asdict(), "figures": [one._asdict() for one in self.figures]}

    @property
    def lines(self) -> list[str]:
        """The verdict for a terminal."""
        told = [f"    {one.name}: {one.text}" for one in self.figures]
        outcome = self.outcome[0].upper() + self.outcome[1:]
        return [f"{self.number}. {self.predicted}", *told, f"    {outcome}: {self.why}."]


def of_ambiguity(seen: pl.DataFrame) -> Verdict:
    """Return what came of prediction 1, of the frame of `ambiguity_seen`."""
    predicted = (
        "Where the corpus is ambiguous, sessions report divergence, and a single reader is highly "
        "confident of one answer"
    )
    ambiguous = seen.filter(expected="divergence")
    plain = seen.filter(pl.col("expected").is_in(["overlap", "unique"]))
    if ambiguous.is_empty():
        return _nothing(1, predicted, "no question had an ambiguous answer")
    found, alarms = (frame.filter("divergence").height for frame in (ambiguous, plain))
    told = Counter(ambiguous.get_column("single").to_list())
    one = ambiguous.filter(pl.col("answers") == 1, single="high").height
    several = ambiguous.filter(pl.col("answers") > 1).height
    n, m = ambiguous.height, plain.height
    shares = [frame.get_column("divergence").cast(pl.Int64()) for frame in (ambiguous, plain)]
    apart = found / n - (alarms / m if m else 0)
    gap = _figure("difference of the two", apart, n + m, _difference, *shares)
    figures = (
        _share("ambiguous questions with a divergence report", found, n),
        _share("plain questions with a divergence report", alarms, m),
        *([gap] if m else []),
        _share(
            "ambiguous questions of which the first reader alone is highly confident of one answer",
            one,
            n,
        ),
    )
    reported = found / n > (alarms / m if m else 0.5)
    said = ", ".join(f"{level!r} {told[level]}" for level in ("high", "medium", "low"))
    beside = f"and of {alarms} of {m} plain ones" if m else "and no question was plain"
    why = (
        f"divergence is reported of {found} of {n} ambiguous questions, {beside}; the first "
        f"reader's surest finding there is {said} times, and {told[None]} times it has none; to "
        f"{several} it gives more than one answer"
    )
    if m:
        why += _chance(gap)
    return Verdict(1, predicted, figures, _outcome(reported, 2 * one > n), why)


def of_isolation(effect: pl.DataFrame) -> Verdict:
    """Return what came of prediction 2, of the frame of `isolation_effect`."""
    predicted = "Agreement follows the corpus more closely under isolation than under debate"
    plain = effect.get_column("plain").cast(pl.Int64()).to_numpy()
    alone, told = (effect.get_column(name).to_numpy() for name in ("isolated", "debated"))
    n = len(plain)
    if not n or plain.min() == plain.max():
        lacks = "at all" if not n else "that was ambiguous" if plain[0] else "that was plain"
        return _nothing(2, predicted, f"no question {lacks} was read under both conditions")
    following = biserial(plain, alone), biserial(plain, told)
    gap = following[0] - following[1]
    figures = (
        _figure("correlation under isolation", following[0], n, bootstrap_biserial, plain, alone),
        _figure("correlation under debate", following[1], n, bootstrap_biserial, plain, told),
        _figure("difference", gap, n, bootstrap_biserial, plain, alone, told),
    )
    means = [f"{values[plain == kind].mean():.2f}" for values in (alone, told) for kind in (1, 0)]
    still = [
        name
        for name, values in (("isolation", alone), ("debate", told))
        if values.min() == values.max()
    ]
    why = (
        f"mean agreement on plain and on ambiguous questions is {means[0]} and {means[1]} under "
        f"isolation, {means[2]} and {means[3]} under debate"
    )
    if len(still) == 2:
        return Verdict(2, predicted, figures, "nothing can be said", f"{why}; it never varies")
    if still:
        why += f"; under {still[0]} it never varies, and so follows nothing"
    came = following[0] > max(following[1], 0)
    why += _chance(figures[2])
    return Verdict(2, predicted, figures, "as predicted" if came else "not as predicted", why)


def of_substitution(alike: pl.DataFrame) -> Verdict:
    """Return what came of prediction 3, of the frame of `PredictionScores.substitution`."""
    predicted = "Other models come to a similar topology"
    n = alike.height
    if not n:
        return _nothing(3, predicted, "no question was read by both sets of models")
    same = alike.filter("same").height
    values = alike.get_column("similarity").to_list()
    average = sum(values) / n
    mean = _figure("similarity of topologies (Jaccard index)", average, n, bootstrap_mean, values)
    kept = _share("sessions of the same class", same, n)
    shares = [Counter(alike.get_column(name).to_list()) for name in ("found", "substituted")]
    chance = sum(shares[0][name] * shares[1][name] for name in shares[0]) / n**2
    why = (
        f"{same} of {n} come to the same class, and {100 * chance:.0f} % would if classes were "
        f"dealt out at random; on average topologies share {100 * average:.0f} % of their cited "
        "passages with the same class"
    )
    if kept.lo is not None and kept.lo <= chance:
        why += "; the interval of the classes does not exclude chance"
    return Verdict(3, predicted, (kept, mean), _outcome(2 * same > n, average > 0.5), why)


def of_bias(shared: pl.DataFrame) -> Verdict:
    """Return what came of prediction 4, of the frame of `shared_bias`."""
    predicted = "Where one family is unanimous and several diverge, the one family is flagged"
    if shared.is_empty():
        return _nothing(4, predicted, "no question was read by one family and by several")
    unanimous = shared.filter("unanimous")
    both, quiet = unanimous.filter("contested"), unanimous.filter(~pl.col("contested"))
    flagged, flags = (frame.filter("flagged").height for frame in (both, quiet))
    figures = (
        _share("questions on which one family is unanimous", unanimous.height, shared.height),
        _share("of these, contested by several families", both.height, unanimous.height),
        _share("contested unanimities that are flagged", flagged, both.height),
        _share("other unanimities that are flagged", flags, quiet.height),
    )
    if both.is_empty():
        why = "no question had a unanimity of one family that several families contest"
        return Verdict(4, predicted, figures, "nothing can be said", why)
    often = flagged / both.height
    why = (
        f"{flagged} of {both.height} contested unanimities are flagged, and {flags} of "
        f"{quiet.height} that nobody contests"
    )
    if flagged and quiet.height and flags / quiet.height >= often:
        why += "; the flag is no rarer where nobody contests, so that it does not tell them apart"
    return Verdict(4, predicted, figures, _outcome(often > 0.5), why)


def _figure(
    name: str, value: float, n: int, interval: Callable[..., Interval], *samples: Any
) -> Figure:
    """Return a figure with its bootstrap interval, or with the reason why it has none."""
    try:
        made = interval(*samples)
    except ValueError as error:
        told = f"{value:.2f} (n={n}; no interval: {error})"
        return Figure(name, value, None, None, n, str(error), told)
    return Figure(name, value, made.lo, made.hi, n, made.method, str(made))


def _difference(one: pl.Series, other: pl.Series) -> Interval:
    return bootstrap_difference(one.to_numpy(), other.to_numpy(), paired=False)


def _share(name: str, hits: int, n: int) -> Figure:
    told = proportion(hits, n)
    lo, hi = (told.low, told.high) if n else (None, None)
    return Figure(name, told.value, lo, hi, n, told.method, str(told))


def _outcome(*held: bool) -> Outcome:
    return "as predicted" if all(held) else "in part" if any(held) else "not as predicted"


def _chance(figure: Figure) -> str:
    if figure.lo is None or figure.hi is None:
        return "; the difference has no interval to tell it from chance by"
    if figure.lo <= 0 <= figure.hi:
        return "; the interval of the difference includes 0, so that chance explains this as well"
    return ""


def _nothing(number: int, predicted: str, why: str) -> Verdict:
    return Verdict(number, predicted, (), "nothing can be said", why)
