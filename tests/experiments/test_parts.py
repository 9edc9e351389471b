"""What MAVEN's Router saves and what each iteration gains, from the runs of a benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import workbench as wb
from tests.deliberation.maven.scripts import title, usual
from tests.experiments.test_bench import model
from workbench.datasets.item import Item
from workbench.experiments.iterations import iterations
from workbench.experiments.results import Results
from workbench.record.events import Asked

ITEMS = tuple(
    Item(question=f"Question {n}?", options=("a", "b"), answer="A", source=f"x:{n}")
    for n in range(1, 13)
)


def number_of(asked: Asked) -> int:
    """Return the number of the question that an ask is about."""
    return int(asked.parts[1].text.split("?", maxsplit=1)[0].split()[-1])


def maven(says: Callable[[Asked, int], dict[str, Any] | None]) -> wb.ScriptedLM:
    """Return a model that plays MAVEN's agents; `says` may answer in its place, by question."""
    return model(lambda asked: json.dumps(says(asked, number_of(asked)) or usual(asked)))


def play(folder: Path, lm: wb.ScriptedLM, chosen: str) -> Results:
    """Run a benchmark of the twelve items."""
    return wb.bench_sync(chosen, ITEMS, lm=lm, to=folder)


def routed(asked: Asked, number: int) -> dict[str, Any] | None:
    """Find every third question hard."""
    if title(asked) == "Complexity":
        return {"reason": "so", "complexity": 5 if number % 3 == 0 else 1}
    return None


def test_what_routing_saves(tmp_path: Path) -> None:
    """Tokens and seconds a question, on the same questions, with an interval of the pairs."""
    found = play(tmp_path, maven(routed), "maven,maven:router=false")
    tokens, seconds = found.savings().frame.to_dicts()

    use = {
        (row["method"], row["item"]): row["tokens_in"] + row["tokens_out"]
        for row in found.runs.to_dicts()
    }
    ours, theirs = (
        [use[name, item.id] for item in ITEMS] for name in ("maven", "maven:router=false")
    )
    assert ("maven", "maven:router=false", 12, 8, 4) == tuple(
        tokens[name] for name in ("method", "unrouted", "n", "fast", "full")
    )
    assert (sum(theirs) - sum(ours)) / 12 == pytest.approx(tokens["saved"])
    assert 1 - sum(ours) / sum(theirs) == pytest.approx(tokens["share"])
    interval = wb.bootstrap_difference(theirs, ours, paired=True)
    assert (interval.lo, interval.hi) == (tokens["lo"], tokens["hi"])
    assert 0 < tokens["lo"] < tokens["saved"] < tokens["hi"]
    assert ("seconds", 12) == (seconds["what"], seconds["pairs"])
    told = str(found.savings())
    assert "maven against maven:router=false" in told
    assert "8/4" in told
    assert "the Router's own call is in them" in told


def test_a_router_that_saves_nothing(tmp_path: Path) -> None:
    """Where all questions take the full path routing costs a call, and that is told."""
    hard = maven(lambda asked, _: {"reason": "", "complexity": 9} if title(asked) == "?" else None)
    tokens, _ = play(tmp_path, hard, "maven,maven:router=false").savings().frame.to_dicts()

    assert (0, 12) == (tokens["fast"], tokens["full"])
    assert tokens["saved"] < 0
    assert tokens["share"] < 0


def test_pairs_differ_in_the_router_alone(tmp_path: Path) -> None:
    """Another difference, or no partner, is no pair."""
    chosen = "direct,maven,maven:router=false:words=50,maven:words=50:max_iterations=1"
    found = wb.bench_sync(chosen, ITEMS[:2], lm=wb.ScriptedLM(wb.testing.imagined), to=tmp_path)

    assert 0 == found.savings().frame.height
    found = wb.bench_sync(
        "maven:words=50,maven:router=false:words=50",
        ITEMS[:2],
        lm=wb.ScriptedLM(wb.testing.imagined),
        to=tmp_path,
    )
    assert ["maven:words=50"] * 2 == found.savings().frame["method"].to_list()


def accepted_late(asked: Asked, number: int) -> dict[str, Any] | None:
    """Revise to the right answer in the pass that the question's number says, and accept then."""
    needs, turn = number % 4, asked.path.split("/")[1].removeprefix("turn=")
    match title(asked):
        case "Complexity":
            return {"reason": "so", "complexity": 9}
        case "Draft":
            right = needs == 0 or (asked.role == "reviser" and int(turn) >= needs)
            return usual(asked) | {"answer": "A" if right else "B"}
        case "Judgement":
            good = int(turn) > needs
            return usual(asked, verdict="accept" if good else "reject", scores=5 if good else 2)
    return None


def test_what_each_iteration_gains(tmp_path: Path) -> None:
    """A row a budget, in their order, with the gain over the one before on the same questions."""
    chosen = "direct,maven:max_iterations=2," + ",".join(
        f"maven:max_iterations={n}" for n in (6, 0, 1, 4)
    )

    def says(asked: Asked, number: int) -> dict[str, Any] | None:
        if "answer" in (asked.schema or {})["properties"] and "explanation" in str(asked.schema):
            return {"answer": "A", "explanation": "so"}
        return accepted_late(asked, number)

    made = play(tmp_path, maven(says), f"{chosen},maven").iterations()
    rows = made.frame.to_dicts()

    assert [0, 1, 2, 3, 4, 6] == [row["max_iterations"] for row in rows]
    assert [3, 6, 9, 12, 12, 12] == [row["right"] for row in rows]
    assert [0, 3, 6, 9, 12, 12] == [row["accepted"] for row in rows]
    assert [None, 0.25, 0.25, 0.25, 0.0, 0.0] == [row["gain"] for row in rows]
    assert [None, *[12] * 5] == [row["pairs"] for row in rows]
    after, before = ([float(n % 4 <= t) for n in range(1, 13)] for t in (1, 0))
    interval = wb.bootstrap_difference(after, before, paired=True)
    assert (interval.lo, interval.hi) == (rows[1]["gain_lo"], rows[1]["gain_hi"])
    assert rows[1]["p"] == pytest.approx(0.25)
    assert rows[1]["p_holm"] == pytest.approx(0.75)
    assert "no test" in rows[4]["why"]
    tokens = [row["tokens"] for row in rows]
    assert sorted(tokens) == tokens
    assert tokens[4] == tokens[5]  # all was accepted: a larger budget is not used
    told = str(made)
    assert "calls T_max = 1" in told
    assert "12/12" in told
    assert "<table>" in made._repr_mimebundle_()["text/html"]


def test_series_are_alike_in_all_else(tmp_path: Path) -> None:
    """Methods that differ in more than the budget are series of their own, or none."""
    lm = wb.ScriptedLM(wb.testing.imagined)
    chosen = "maven,maven:words=50,maven:words=50:max_iterations=1,maven:tau=0"
    found = wb.bench_sync(chosen, ITEMS[:2], lm=lm, to=tmp_path)

    rows = found.iterations().frame.to_dicts()
    assert [(1, "maven:words=50:max_iterations=1"), (1, "maven:words=50")] == [
        (row["series"], row["method"]) for row in rows
    ]
    assert 0 == wb.read_bench(tmp_path, "maven,maven:tau=0").iterations().frame.height
    unsaid = found.runs.with_columns(
        tokens_in=pl.when(pl.col("item") == ITEMS[0].id).then(None).otherwise("tokens_in")
    )
    assert [None, None] == iterations(unsaid).frame.get_column("tokens").to_list()


def test_unfinished_and_unknown(tmp_path: Path) -> None:
    """What is not there is in no mean and no pair, and the reason is told."""
    play(tmp_path, maven(routed), "maven")
    missing = wb.read_bench(tmp_path, "maven,maven:router=false,maven:max_iterations=1")
    assert 0 == missing.savings().frame.height + missing.iterations().frame.height

    lm = maven(routed)
    wb.bench_sync("maven:router=false", ITEMS[:1], lm=lm, to=tmp_path)
    tokens, _ = wb.read_bench(tmp_path).savings().frame.to_dicts()
    assert (1, None) == (tokens["pairs"], tokens["lo"])
    assert tokens["why"].startswith("no interval: ")
