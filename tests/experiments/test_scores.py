"""Scores and preferences of a judge: means, pairs, and what is left unknown."""

from __future__ import annotations

import json
from typing import Any

import pytest

import workbench as wb
from workbench.errors import RunError
from workbench.experiments.scores import Scores
from workbench.record.events import Asked
from workbench.record.run import Run

METRICS = ["JCD", "F&C", "C&A", "ARS"]


def runs(items: int, *methods: str) -> dict[str, list[Run]]:
    """Return runs of methods whose explanation is the method's name spelled backwards."""
    made: dict[str, list[Run]] = {}
    for method in methods:
        text = json.dumps({"answer": "B", "explanation": method[::-1]})
        lm = wb.ScriptedLM(lambda asked, text=text: text)
        made[method] = [
            wb.run_sync(wb.direct(question=f"Question {n}?", options=("a", "b")), lm=lm)
            for n in range(items)
        ]
    return made


def judge(points: Any) -> wb.ScriptedLM:
    """Return a judge that gives ``points(text, question, reading)`` for every criterion."""

    def reply(asked: Asked) -> str:
        number = int(asked.parts[1].text.split("?", maxsplit=1)[0].split()[-1])
        reading = 2 if "reading=2" in asked.path else 1
        quoted = [part.text for part in asked.parts if part.source and part.speaker == "user"]
        shown = [text.rpartition("\n")[2][::-1] for text in quoted]
        properties = (asked.schema or {})["properties"]
        if "better" in properties:
            given = [points(text, number, reading) for text in shown]
            better = "tie" if given[0] == given[1] else str(1 + given.index(max(given)))
            return json.dumps({"reason": "so", "better": better})
        said = {}
        for key, text in zip(properties, shown, strict=True):
            value = points(text, number, reading)
            said[key] = dict.fromkeys(properties[key]["properties"], value) | {"reason": "so"}
        return json.dumps(said)

    return wb.ScriptedLM(reply, name="judge", family="toy")


def scored(points: Any, items: int, *methods: str) -> Scores:
    """Return the scores that such a judge gives."""
    return wb.quality_scores(wb.run_sync(wb.quality(runs(items, *methods)), lm=judge(points)))


def test_means_and_intervals() -> None:
    """Each method and metric has its mean, its n, its interval and its swap."""
    found = scored(lambda m, n, r: 50 + n + 10 * (m == "abc") + 4 * (r == 2), 3, "abc", "xyz")
    rows = found.summary.to_dicts()

    assert [(m, k) for m in ("abc", "xyz") for k in METRICS] == [
        (row["method"], row["metric"]) for row in rows
    ]
    assert {(63.0, 3, 0, 4.0)} == {
        (row["mean"], row["n"], row["unknown"], row["swap"]) for row in rows[:4]
    }
    assert (62.0, 64.0) == (rows[0]["lo"], rows[0]["hi"])
    assert "75 times in 100" in rows[0]["why"]
    assert "judge (toy)" in str(found)


def test_pairs_by_wilcoxon() -> None:
    """Methods are compared item by item; eight metrics' tests are adjusted together."""
    found = scored(lambda m, n, r: 50 + n * (1 + (m == "abc")), 8, "abc", "xyz", "mno")
    compared = found.compare("xyz").to_dicts()

    assert 8 == len(compared)
    first = compared[0]
    assert ("abc", "xyz", "JCD", 8) == tuple(
        first[k] for k in ("method", "baseline", "metric", "n")
    )
    assert (3.5, 2 / 2**7, 4 * 2 / 2**7) == (first["difference"], first["p"], first["p_holm"])
    same = compared[4]
    assert ("mno", None, None) == (same["method"], same["p"], same["lo"])
    assert "no test: all 8 pairs are equal" in same["why"]
    with pytest.raises(ValueError, match="no method 'maven'; there are abc, xyz"):
        found.compare("maven")


def test_unknown_scores_are_in_no_mean() -> None:
    """A panel with a reading that cannot be read is counted as unknown and in no pair."""

    def points(method: str, number: int, reading: int) -> Any:
        return "?" if number == 0 and reading == 2 else 70 + number

    found = scored(points, 4, "abc", "xyz")

    assert {(3, 1)} == {(row["n"], row["unknown"]) for row in found.summary.to_dicts()}
    assert {3} == set(found.compare("abc")["n"])
    assert "unknown" in str(found)


def test_preferences_are_counted() -> None:
    """Wins, ties, losses, and the ties of a judge that follows the place, with a sign test."""

    def points(method: str, number: int, reading: int) -> int:
        if number < 6:
            return 60 if method == "abc" else 50
        return 50

    table = wb.preferences(
        wb.run_sync(wb.preference(runs(8, "abc", "xyz"), against="xyz"), lm=judge(points))
    )
    (row,) = table.to_dicts()

    assert ("abc", "xyz", 8, 6, 2, 0, 0, 0) == tuple(row.values())[:8]
    assert (2 / 2**6, "") == (row["p"], row["why"])


def test_a_judge_that_follows_the_place() -> None:
    """Its ties are told to be inconsistent, and there is nothing to test."""
    first = wb.ScriptedLM(lambda asked: json.dumps({"reason": "so", "better": "1"}))
    table = wb.preferences(wb.run_sync(wb.preference(runs(3, "abc", "xyz")), lm=first))
    (row,) = table.to_dicts()

    assert (0, 3, 0, 3) == (row["wins"], row["ties"], row["losses"], row["inconsistent"])
    assert "no test" in row["why"]


def test_another_run_is_refused() -> None:
    """Scores are read of a scoring, and preferences of a preference."""
    run = wb.run_sync(wb.quality(runs(1, "abc")), lm=judge(lambda m, n, r: 50))

    with pytest.raises(RunError, match="a run of 'quality', not of 'preference'"):
        wb.preferences(run)
    with pytest.raises(RunError, match="a run of 'direct'"):
        wb.quality_scores(runs(1, "abc")["abc"][0])


def test_faces() -> None:
    """Scores show themselves as text and as escaped HTML."""
    found = scored(lambda m, n, r: 50, 2, "<b>")

    assert "&lt;b&gt;" in found._repr_mimebundle_()["text/html"]
    assert "<b>" not in found._repr_mimebundle_()["text/html"]
    assert "Scores(2 answers of 1 methods)" == repr(found)
