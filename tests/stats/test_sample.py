"""What is a sample, and that every statistic refuses the same in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.stats.bootstrap import bootstrap_difference
from workbench.stats.effect_size import cohens_d
from workbench.stats.paired import wilcoxon
from workbench.stats.sample import numbers

STATISTICS: dict[str, Callable[[Any, Any], Any]] = {
    "an interval": lambda a, b: bootstrap_difference(a, b, paired=False),
    "d": cohens_d,
    "the test": wilcoxon,
}


@pytest.mark.parametrize("taker", STATISTICS)
@pytest.mark.parametrize(
    ("values", "error", "why"),
    [
        ([[1], [2, 3]], ValueError, "is ragged; {} takes one row"),
        ([[1, 2], [3, 4]], ValueError, r"has the shape \(2, 2\); {} takes one row"),
        ([], ValueError, "has 0 values; {} needs at least"),
        (["a", "b"], TypeError, "is a list of <U1; {} takes numbers"),
        ([True, False], TypeError, "is a list of bool; {} takes numbers"),
        ([None, 1.0], TypeError, "is a list of objects; {} takes a list or an array"),
        ((n for n in (1, 2)), TypeError, "is a generator of objects; {} takes a list or an array"),
        ([1.0, np.inf], ValueError, "holds a NaN or an infinity"),
    ],
)
def test_what_is_no_sample(values: Any, error: type[Exception], why: str, taker: str) -> None:
    """Each says which sample it is, what is wrong with it, and what would be taken."""
    with pytest.raises(error, match=f"^the first sample {why.format(taker)}"):
        STATISTICS[taker](values, [1.0, 2.0])


def test_what_is_a_sample() -> None:
    """Whole numbers become real ones."""
    found = numbers([1, 2], "the sample", "d")
    assert found.dtype == np.float64
    assert found.tolist() == [1.0, 2.0]
