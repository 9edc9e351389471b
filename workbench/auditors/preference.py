"""The quality judge's preference in pairs of explanations, swap-consistent or a tie, without names.

The pair is read twice, the second time in reverse order. A preference holds if both readings agree
on it; a judge that follows the place instead contradicts itself, and that is a tie, and told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from workbench.auditors.answers import (
    CHARGE,
    ROLE,
    AnswerUnit,
    Count,
    Panel,
    Reason,
    Runs,
    panels,
    shown,
    some,
    subject_of,
)
from workbench.auditors.quality import Judged
from workbench.auditors.rubrics import RUBRICS
from workbench.engine.commands import Steps, all_of, post, rng
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.protocol import Bound, protocol
from workbench.record.events import Sampling
from workbench.record.facts import Fact
from workbench.record.parts import Part

Side = Literal["method", "against", "tie"]


class Preferred(Fact):
    """Which of two answers is the better one.

    `verdict` is ``tie`` where both readings say so and where they contradict each other; the latter
    is not `consistent`, and the judge then follows the place. ``unknown`` if a reading is missing.
    """

    subject: str
    other: str
    item: str
    method: str
    against: str
    readings: tuple[Side | None, ...]
    verdict: Side | Literal["unknown"]
    consistent: bool | None
    reason: str


def _as_text(number: object) -> object:
    return str(number) if type(number) is int else number


class Better(BaseModel):
    """What the judge answers on a pair."""

    reason: Reason
    better: Annotated[Literal["1", "2", "tie"], BeforeValidator(_as_text)]


def _preferred(panel: Panel, order: int, sampling: Sampling, attempts: int) -> Steps[Preferred]:
    """Read a pair in both orders and post the preference."""
    one, other = panel.answers
    pair = [one, other]
    rng(order, f"{panel.item}/{one.method}/{other.method}").shuffle(pair)
    readings: dict[str, Any] = {}
    orders = (pair, pair[::-1])
    if one.text is not None and other.text is not None:
        readings = yield from all_of(
            "",
            {
                f"reading={number}": ask_json(
                    "judge",
                    ROLE,
                    _better_prompt(panel, units),
                    Better,
                    sampling=sampling,
                    attempts=attempts,
                    repair=False,
                )
                for number, units in enumerate(orders, 1)
            },
        )
    told: list[Side | None] = []
    reasons = []
    for got, units in zip(readings.values(), orders, strict=False):
        if isinstance(got, Unparsed):
            told.append(None)
            continue
        reasons.append(got.value.reason)
        if got.value.better == "tie":
            told.append("tie")
        else:
            told.append("method" if units[int(got.value.better) - 1] is one else "against")
    whole = len(told) == 2 and None not in told
    consistent = told[0] == told[1] if whole else None
    verdict = "unknown" if not whole else (told[0] or "tie") if consistent else "tie"
    missing = "a reading could not be read" if told else "an answer has no explanation"
    fact = Preferred(
        subject=one.source,
        other=other.source,
        item=panel.item,
        method=one.method,
        against=other.method,
        readings=tuple(told),
        verdict=verdict,
        consistent=consistent,
        reason=" / ".join(reasons) if whole else missing,
    )
    yield from post("preference", fact, [got.path for got in readings.values()])
    return fact


@protocol("preference")
def preferring(
    panels: tuple[Panel, ...],
    order: int = 0,
    temperature: float | None = 0.0,
    max_tokens: Count | None = 600,
    attempts: Count = 3,
) -> Steps[Judged]:
    """Prefer one of two answers in each panel; see `preference`."""
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    steps = {
        f"item={number}": _preferred(panel, order, sampling, attempts)
        for number, panel in enumerate(panels, 1)
    }
    made = yield from all_of("", steps)
    unknown = sum(fact.verdict == "unknown" for fact in made.values())
    return Judged(units=len(made), unknown=unknown)


def preference(
    runs: Runs, *, against: str | None = None, order: int = 0, **options: Any
) -> Bound[Judged]:
    """Return the pairwise preference of explanations, to be given to `run`.

    Parameters
    ----------
    runs : mapping of str to iterable of Run or path
        By method, as in `quality`.
    against : str, optional
        The method that all others are compared with; default: every method with every other.
    order : int
        The seed of which of the two is read first.
    **options
        ``temperature``, ``max_tokens``, ``attempts`` of the judge.

    Returns
    -------
    Bound
        Its run's result is how many pairs there were to judge (``units``), and of how many the
        verdict is ``unknown``; `preferences` reads the verdicts.

    Raises
    ------
    RunError, ValueError
        As in `quality`; also if `against` is none of the methods, or there is no pair.
    """
    if against is not None and against not in runs:
        raise ValueError(f"no method {against!r}; there are {', '.join(runs)}")
    pairs = tuple(
        panel.model_copy(update={"answers": (one, other)})
        for panel in panels(runs)
        for place, other in enumerate(panel.answers)
        for one in (panel.answers if against else panel.answers[:place])
        if one is not other and against in (None, other.method)
    )
    bound = preferring(some(pairs), order=order, **options)
    return Bound(bound.protocol, bound.params, subject_of(pairs))


def _better_prompt(panel: Panel, units: Sequence[AnswerUnit]) -> list[Part]:
    rubrics = "\n".join(f"- {rubric.name}: {rubric.asks}" for rubric in RUBRICS.values())
    return [
        Part(f"{CHARGE}\n\nYou go by:\n{rubrics}", None, "system"),
        *shown(panel, units),
        Part(
            "Which answer is explained better, 1 or 2? If neither is, say tie. First give a reason "
            "of at most 20 words.\n\nAnswer with one JSON object with the keys reason and better, "
            "in this order."
        ),
    ]
