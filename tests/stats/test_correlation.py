"""Point-biserial correlations against scipy's, and what has no interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pointbiserialr  # type: ignore[import-untyped]

from workbench.stats.correlation import biserial, bootstrap_biserial

RNG = np.random.default_rng(4)
CLASSES = RNG.permutation([0] * 12 + [1] * 18)
SCORE = RNG.normal(size=30) + 0.8 * CLASSES
OTHER = RNG.normal(size=30)


def test_as_scipy_has_it() -> None:
    """Of whatever order of the units."""
    assert pytest.approx(pointbiserialr(CLASSES, SCORE).statistic) == biserial(CLASSES, SCORE)


def test_a_score_that_never_varies_follows_nothing() -> None:
    """Its correlation is 0, not undefined."""
    assert 0.0 == biserial(CLASSES, np.full(30, 0.1))


def test_intervals() -> None:
    """They hold the figure, keep to the seed, and tell the sizes of the classes."""
    made = bootstrap_biserial(CLASSES, SCORE)

    assert made.lo < made.mean < made.hi
    assert pytest.approx(biserial(CLASSES, SCORE)) == made.mean
    assert (12, 18) == made.sizes
    assert made == bootstrap_biserial(CLASSES, SCORE)
    assert made.lo != bootstrap_biserial(CLASSES, SCORE, seed=1).lo


def test_a_difference() -> None:
    """Of the same units, drawn together: of a score and itself there is none to tell."""
    made = bootstrap_biserial(CLASSES, SCORE, OTHER)

    gap = biserial(CLASSES, SCORE) - biserial(CLASSES, OTHER)
    assert pytest.approx(gap) == made.mean
    with pytest.raises(ValueError, match="no width"):
        bootstrap_biserial(CLASSES, SCORE, SCORE)


def test_it_covers() -> None:
    """About 95 of 100 intervals of samples hold the correlation that they are drawn with."""
    classes, held = np.array([0] * 40 + [1] * 40), 0
    true = 0.5 / np.sqrt(1 + 0.25)  # of normal scores whose means are 1 apart, in halves
    for _ in range(200):
        made = bootstrap_biserial(classes, RNG.normal(size=80) + classes, resamples=400)
        held += made.lo <= true <= made.hi

    assert 180 <= held <= 200


@pytest.mark.parametrize(
    ("classes", "score", "options", "why"),
    [
        ([0, 1, 1], [1, 2, 3], {}, "two of each"),
        ([0, 0], [1, 2], {}, "units of both"),
        ([0, 1, 2], [1, 2, 3], {}, "0 and 1"),
        ([0, 1], [1, 2, 3], {}, "same units"),
        ([0, 0, 1, 1], [1, 1, 2, 2], {}, "no width"),
        ([0, 0, 1, 1], [1, 2, 2, 3], {"resamples": 5}, "too few"),
    ],
)
def test_refused(classes: list[int], score: list[int], options: dict[str, int], why: str) -> None:
    """What would mislead has no interval, and the reason is told."""
    with pytest.raises(ValueError, match=why):
        bootstrap_biserial(classes, score, **options)  # type: ignore[arg-type]
