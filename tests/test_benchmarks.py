"""The page of the benchmarks shows their results, and says which of them are provisional."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def readme(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give the module that writes the page."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield import_module("readme")
    for name in ("readme", "row"):
        sys.modules.pop(name, None)


def test_the_page_is_as_the_results(readme: Any) -> None:
    """The tables are those of results.json: none is edited by hand, none is left behind."""
    text = readme.README.read_text("utf-8")

    assert text == readme.rendered(text, json.loads(readme.RESULTS.read_text("utf-8")))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"commit": "abc-dirty"}, "files differed from the commit"),
        ({"load_after": 2.1}, "the load was above the number of cores"),
        (
            {"commit": "abc-dirty", "load_before": 9.0},
            "files differed from the commit, and the load was above the number of cores",
        ),
    ],
)
def test_what_is_provisional(readme: Any, changed: dict[str, Any], why: str) -> None:
    """Every value of a result that was not taken in order is marked, and the reason is told."""
    row = {"what": "a", "value": 1.0, "unit": "s", "n": 3, "target": 2.0, "met": True}
    result = {
        "command": "c", "seconds": 1, "date": "d", "commit": "abc", "machine": "m, 2 cores, Linux",
        "load_before": 2.0, "load_after": 0.5, "versions": "v", "rows": [row],
    }  # fmt: skip
    text = f"{readme.BEGIN}{readme.END}"
    page = readme.rendered(text, {"one": result | changed})

    assert bool(why) == (r"1.00 s \*" in page) == ("1 of them provisionally" in page)
    assert why in page


def test_a_percentile_has_its_own_interval() -> None:
    """The interval beside a percentile is that percentile's, and not the middle of the samples."""
    row = import_module("row").percentile("steps", [float(n) for n in range(200)], "ms", 95)

    assert ("steps, 95th percentile", 189.05) == (row.what, pytest.approx(row.value))
    assert 180 < row.low < row.value < row.high < 199
