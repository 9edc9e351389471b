"""The quality judge: explanations scored from 1 to 100 by four criteria, without names.

MAVEN's section 4.1 and Appendix C.2. The answers lie in runs of their own, which are closed; the
judge's run quotes them by sources such as ``3f2a9c11d0be:/final`` and changes none of them.

Decisions where the paper is silent:

- The judge sees the answers to one question side by side, in an order drawn from a seed, without
  the names of methods and agents. It is not told the gold answer.
- Each panel is read twice, the second time in reverse order of answers and of criteria. A score is
  the mean of both readings.
- What one reading does not tell is not made up from the other: the score is then unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

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
from workbench.auditors.rubrics import METRICS, RUBRICS
from workbench.engine.commands import Steps, all_of, post, rng
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.protocol import Bound, protocol
from workbench.record.events import Sampling
from workbench.record.facts import Fact
from workbench.record.parts import Part

MOST_BESIDE = 6
"""Answers of one panel: more are too much to compare in one reading."""

Score = Annotated[int, Field(ge=1, le=100)]


class QualityScored(Fact):
    """The scores of one answer.

    Attributes
    ----------
    subject : str
        The beginning of the run's digest, and the path of the answer in it.
    readings : tuple of (dict or None)
        What each of the two readings gave, by metric; None: it could not be read.
    scores : dict of str to float, or None
        The means of both readings; None: unknown.
    why : str
        Why they are unknown; else empty.
    """

    subject: str
    item: str
    method: str
    readings: tuple[dict[str, int] | None, ...]
    scores: dict[str, float] | None
    why: str = ""


class Judged(BaseModel):
    """How many units a judge's run came to, the unknown included."""

    units: int
    unknown: int


@protocol("quality")
def scoring(
    panels: tuple[Panel, ...],
    order: int = 0,
    temperature: float | None = 0.0,
    max_tokens: Count | None = 1200,
    attempts: Count = 3,
) -> Steps[Judged]:
    """Score all answers of all panels; see `quality`."""
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    steps = {
        f"item={number}": _scored(panel, order, sampling, attempts)
        for number, panel in enumerate(panels, 1)
    }
    made = yield from all_of("", steps)
    scored = [fact for facts in made.values() for fact in facts]
    return Judged(units=len(scored), unknown=sum(fact.scores is None for fact in scored))


def quality(
    runs: Runs,
    *,
    beside: bool = True,
    order: int = 0,
    **options: Any,
) -> Bound[Judged]:
    """Return the scoring of explanations, to be given to `run`.

    Parameters
    ----------
    runs : mapping of str to iterable of Run or path
        By method. Each answers a question and has ended in a `FinalAnswer`.
    beside : bool
        Whether the answers to one question are judged side by side; else each alone, in two
        readings that differ in the order of the criteria.
    order : int
        The seed of the order in which answers stand.
    **options
        ``temperature``, ``max_tokens``, ``attempts`` of the judge.

    Returns
    -------
    Bound
        Its run's result is how many answers there were to score (``units``), and of how many the
        scores are ``unknown``; `quality_scores` reads the scores.

    Raises
    ------
    RunError
        If a run has no answer, or two of one method answer one question.
    ValueError
        If a question has too many answers to judge side by side, or there is none at all.

    Examples
    --------
    >>> scores = await wb.run(wb.quality({"maven": a, "direct": b}), lm=judge)  # doctest: +SKIP
    """
    found = some(panels(runs))
    if not beside:
        found = tuple(
            panel.model_copy(update={"answers": (unit,)})
            for panel in found
            for unit in panel.answers
        )
    most = max(len(panel.answers) for panel in found)
    if most > MOST_BESIDE:
        raise ValueError(
            f"a question has {most} answers, and {MOST_BESIDE} can be judged side by side; "
            "leave methods out, or pass beside=False"
        )
    bound = scoring(found, order=order, **options)
    return Bound(bound.protocol, bound.params, subject_of(found))


def _scored(
    panel: Panel, order: int, sampling: Sampling, attempts: int
) -> Steps[list[QualityScored]]:
    """Read a panel in both orders and post the scores of each answer."""
    there = [unit for unit in panel.answers if unit.text is not None]
    rng(order, panel.item).shuffle(there)
    readings: dict[str, Any] = {}
    if there:
        readings = yield from all_of(
            "",
            {
                f"reading={number}": ask_json(
                    "judge",
                    ROLE,
                    _score_prompt(panel, units, criteria),
                    scores_type(len(units), criteria),
                    sampling=sampling,
                    attempts=attempts,
                    repair=False,
                )
                for number, units, criteria in (
                    (1, there, tuple(RUBRICS)),
                    (2, there[::-1], tuple(reversed(RUBRICS))),
                )
            },
        )
    facts = []
    for number, unit in enumerate(panel.answers, 1):
        told = []
        for got, units in zip(readings.values(), (there, there[::-1]), strict=False):
            read = not isinstance(got, Unparsed) and unit in units
            told.append(_reading(got.value, units.index(unit)) if read else None)
        fact = _quality(panel, unit, told)
        yield from post(f"answer={number}", fact, [got.path for got in readings.values()])
        facts.append(fact)
    return facts


def _reading(value: Any, place: int) -> dict[str, int]:
    given = getattr(value, f"answer_{place + 1}")
    return {metric: getattr(given, key) for key, metric in METRICS.items()}


def _quality(panel: Panel, unit: AnswerUnit, told: list[dict[str, int] | None]) -> QualityScored:
    known = [reading for reading in told if reading is not None]
    scores, why = None, ""
    if unit.text is None:
        why = "there is no answer with an explanation"
    elif len(known) < 2:
        why = f"{2 - len(known)} of 2 readings could not be read"
    else:
        scores = {m: sum(reading[m] for reading in known) / 2 for m in METRICS.values()}
    return QualityScored(
        subject=unit.source,
        item=panel.item,
        method=unit.method,
        readings=tuple(told),
        scores=scores,
        why=why,
    )


@lru_cache(maxsize=64)
def scores_type(answers: int, criteria: tuple[str, ...]) -> type[BaseModel]:
    """Return the type of one reading: for each answer a reason, then its scores, in this order."""
    fields: Any = {"reason": (Reason, ...), **dict.fromkeys(criteria, (Score, ...))}
    one = create_model("Scores", **fields)
    every: Any = {f"answer_{number}": (one, ...) for number in range(1, answers + 1)}
    return create_model("Readings", **every)


def _score_prompt(
    panel: Panel, units: Sequence[AnswerUnit], criteria: tuple[str, ...]
) -> list[Part]:
    rubrics = "\n".join(RUBRICS[key].told(key) for key in criteria)
    names = ", ".join(f"answer_{number}" for number in range(1, len(units) + 1))
    return [
        Part(f"{CHARGE}\n\nScore each criterion from 1 to 100:\n{rubrics}", None, "system"),
        *shown(panel, units),
        Part(
            "Score each answer by itself; use the whole scale. For each first give a reason of at "
            f"most 20 words.\n\nAnswer with one JSON object with the keys {names}, each an object "
            f"with the keys reason, {', '.join(criteria)}, in this order."
        ),
    ]
