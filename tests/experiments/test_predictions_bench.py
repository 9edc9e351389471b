"""The bench of the four predictions: its conditions, what is run again, and its verdicts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import workbench as wb
from tests.experiments import test_consultations
from workbench.errors import LMError, NonConformant, RunError, RunFailed, RunFileError
from workbench.experiments.prediction_scores import CONDITIONS, SESSIONS, PredictionScores
from workbench.experiments.prediction_verdicts import (
    of_ambiguity,
    of_bias,
    of_isolation,
    of_substitution,
)
from workbench.experiments.predictions_bench import Predicted
from workbench.knowledge.embedding import MiniLM
from workbench.record.events import Asked

corpus = test_consultations.corpus
"""The fixture: a small corpus with questions and labels."""
IDS = [one["id"] for one in test_consultations.LABELS]


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLM, "installed", staticmethod(lambda: False))


def two(**options: float) -> list[wb.ScriptedLM]:
    """Return readers of two families."""
    return [wb.rule_reader("north", **options), wb.rule_reader("south", **options)]


def play(corpus: Path, to: Path, lms: Any = None, **options: Any) -> PredictionScores:
    """Run the bench."""
    return wb.bench_predictions_sync(corpus, lms or two(), to=to, **options)


def test_four_conditions_over_one_package(corpus: Path, tmp_path: Path) -> None:
    """Each has a run a question, of the families that it is of, over the same package."""
    found = play(corpus, tmp_path / "out")

    assert SESSIONS == dict(found.sessions.schema)
    assert {(name, id) for name in CONDITIONS for id in IDS} == set(
        found.sessions.select("condition", "id").iter_rows()
    )
    assert {1} == set(found.sessions.group_by("id").agg(pl.col("package").n_unique())["package"])
    families = {
        name: wb.open_run(tmp_path / "out" / name / "A1.run.jsonl").started.params["families"]
        for name in CONDITIONS
    }
    mixed = ["north", "south", "north"]
    assert families == {
        "isolated": mixed,
        "debated": mixed,
        "substituted": ["south", "north", "south"],
        "alike": ["north"] * 3,
    }
    assert all(wb.verify(file) for file in (tmp_path / "out").rglob("*.run.jsonl"))


def test_what_is_not_isolated_or_conformant_says_so(corpus: Path, tmp_path: Path) -> None:
    """One family is marked in every output; a debate has no isolation to prove."""
    found = play(corpus, tmp_path / "out")

    marked = found.sessions.filter(pl.col("nonconformant").is_not_null())
    assert {"alike"} == set(marked["condition"])
    assert len(IDS) == marked.height
    broken = found.sessions.filter(pl.col("isolation") != "kept")
    assert {"debated"} == set(broken["condition"])
    told = str(found)
    assert f"NON-CONFORMANT ({len(IDS)} of {len(IDS)})" in told
    assert "BROKEN" in told
    assert "NON-CONFORMANT" in found._repr_mimebundle_()["text/html"]
    alike = wb.open_run(tmp_path / "out" / "alike" / "A1.run.jsonl")
    assert any("NON-CONFORMANT" in mark for mark in wb.synthesis(alike).marks)
    debated = wb.open_run(tmp_path / "out" / "debated" / "A1.run.jsonl")
    for look in (wb.isolation, wb.synthesis):
        with pytest.raises(RunError, match="debated_consultation"):
            look(debated)


def test_what_is_done_is_not_done_again(corpus: Path, tmp_path: Path) -> None:
    """A second time nothing is asked, and it comes to the same."""
    first = play(corpus, tmp_path / "out")
    lms, did = two(), list[Predicted]()

    again = play(corpus, tmp_path / "out", lms, on_done=did.append)

    assert [] == [asked for lm in lms for asked in lm.asked]
    assert {"kept": len(IDS) * 4} == Counter(one.did for one in did)
    assert first.sessions.equals(again.sessions)
    assert first.verdicts == again.verdicts


def test_a_question_comes_under_all_conditions_before_the_next(
    corpus: Path, tmp_path: Path
) -> None:
    """Where models fall silent, what there is, is there for all conditions, and it goes on."""
    asks = 2 * (2 + 4 + 1 + 3)  # of the first reader, for two questions

    def dies(asked: Asked) -> str | Exception:
        asked_of.append(asked)
        return LMError("down") if len(asked_of) > asks else '{"findings": []}'

    asked_of: list[Asked] = []
    dying = wb.ScriptedLM(dies, name="rules", family="north")
    did: list[Predicted] = []
    with pytest.raises(RunFailed):
        play(corpus, tmp_path / "out", [dying, two()[1]], on_done=did.append)
    stopped = wb.score_predictions(corpus, tmp_path / "out")

    assert [(name, id) for id in IDS[:2] for name in CONDITIONS] == [
        (one.condition, one.question.id) for one in did if one.did == "ran"
    ]
    assert set(IDS[:2]) == set(stopped.isolation["id"])
    assert "Not judged: " in str(stopped)
    did.clear()
    whole = play(corpus, tmp_path / "out", on_done=did.append)
    assert 8 == Counter(one.did for one in did)["kept"]
    assert {"complete"} == set(whole.sessions["status"])


def test_a_failure_does_not_stop_the_others(corpus: Path, tmp_path: Path) -> None:
    """A file that was damaged is set aside and run anew; in scores it is told."""
    play(corpus, tmp_path / "out")
    (tmp_path / "out" / "debated" / "A2.run.jsonl").write_text("no run\n", "utf-8")
    scored = wb.score_predictions(corpus, tmp_path / "out")
    did: list[Predicted] = []
    play(corpus, tmp_path / "out", on_done=did.append)

    assert "1 damaged (debated)" in str(scored)
    assert [("debated", "A2")] == [(d.condition, d.question.id) for d in did if d.did == "ran"]


def test_a_comparer_decides_under_every_condition(corpus: Path, tmp_path: Path) -> None:
    """Also of a debate's last round, in a run of its own beside it."""
    lms = [saying("The chair decides it alone."), saying("A vote settles it.", "south")]
    judge = wb.ScriptedLM(lambda _: '{"reason": "Other ways.", "relation": "contradictory"}')
    asked = [one for one in wb.read_questions(corpus) if one.id == "A4"]

    alone = play(corpus, tmp_path / "out", lms, questions=asked)
    found = play(corpus, tmp_path / "out", lms, questions=asked, comparer=judge)

    told = {one: found.sessions.filter(condition=one)["found"].item() for one in CONDITIONS}
    assert {"divergence"} == {told[one] for one in ("isolated", "debated", "substituted")}
    assert "divergence" not in alone.sessions["found"].to_list()
    debated = tmp_path / "out" / "debated" / "A4.run.jsonl"
    about = wb.open_run(debated.with_name("A4.comparison.run.jsonl"))
    (pair,) = about.started.params["pairs"]
    assert ":/round=2/interpreter=" in pair["one"]["source"]
    assert wb.debated_topology(wb.open_run(debated), about).divergences
    other = wb.open_run(tmp_path / "out" / "isolated" / "A4.comparison.run.jsonl")
    with pytest.raises(RunError, match="is about"):
        wb.debated_topology(wb.open_run(debated), other)


def saying(conclusion: str, family: str = "north") -> wb.ScriptedLM:
    """Return a reader that concludes this of the first passage, whatever it reads."""
    finding = {"sub_query": "Q1", "passages": ["P1"], "conclusion": conclusion}
    more: dict[str, Any] = {"confidence": "high", "ambiguities": [], "alternatives": []}
    text = json.dumps({"findings": [finding | more]})
    return wb.ScriptedLM(lambda _: text, name=family, family=family)


def test_other_models_and_packages_are_not_mixed_in(corpus: Path, tmp_path: Path) -> None:
    """A folder is of one set of models, errors, options, and one state of the corpus."""
    play(corpus, tmp_path / "out")
    for options in ({"words": 9}, {"seed": 1}, {"lms": two(error=0.2)}):
        with pytest.raises(RunFileError, match="was made with other"):
            play(corpus, tmp_path / "out", **options)
    (corpus / "more.md").write_text("# More\n\nThere is more.", "utf-8")
    found = wb.score_predictions(corpus, tmp_path / "out")

    assert {"superseded"} == set(found.sessions["status"])
    assert {"nothing can be said"} == {one.outcome for one in found.verdicts}


def test_wrong_calls(corpus: Path, tmp_path: Path) -> None:
    """Two models of two families, some question, some run at a time; nothing is written else."""
    north = wb.rule_reader("north")
    for options, why in (
        ({"lms": [north]}, "1 models"),
        ({"questions": ()}, "no question"),
        ({"runs_at_once": 0}, "starts at 1"),
    ):
        with pytest.raises(ValueError, match=why):
            play(corpus, tmp_path / "out", **options)
    with pytest.raises(NonConformant):
        play(corpus, tmp_path / "out", [north, wb.rule_reader("north")])
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_says_nothing(corpus: Path, tmp_path: Path) -> None:
    """No session, no verdict, and no traceback."""
    found = wb.score_predictions(corpus, tmp_path / "none")

    assert found.sessions.is_empty()
    assert {"nothing can be said"} == {one.outcome for one in found.verdicts}
    assert found.figures.is_empty()


def ambiguous(*rows: tuple[str, bool, str | None]) -> pl.DataFrame:
    """Return a frame of `ambiguity_seen`: what is expected, what was reported, how sure one is."""
    told = [(f"Q{n}", e, None, d, s, 1) for n, (e, d, s) in enumerate(rows)]
    schema = {"id": pl.String(), "expected": pl.String(), "type": pl.String()}
    more = {"divergence": pl.Boolean(), "single": pl.String(), "answers": pl.Int64()}
    return pl.DataFrame(told, schema={**schema, **more}, orient="row")


def test_ambiguity_has_two_halves() -> None:
    """That sessions see it, and that one reader would have been sure; either may fail."""
    plain = ("overlap", False, "high")
    seen, unseen = ("divergence", True, "high"), ("divergence", False, "high")
    unsure = ("divergence", True, "medium")

    told = [of_ambiguity(ambiguous(*rows)) for rows in ((plain, seen), (plain, unsure))]
    assert ["as predicted", "in part"] == [one.outcome for one in told]
    assert "in part" == of_ambiguity(ambiguous(plain, unseen)).outcome
    alarm = ("overlap", True, "high")
    assert "not as predicted" == of_ambiguity(ambiguous(alarm, unsure)).outcome
    assert "nothing can be said" == of_ambiguity(ambiguous(plain)).outcome
    assert (1.0, 1) == (told[0].figures[0].value, told[0].figures[0].n)


def effect(*rows: tuple[bool, float, float]) -> pl.DataFrame:
    """Return a frame of `isolation_effect`."""
    schema = {"plain": pl.Boolean(), "isolated": pl.Float64(), "debated": pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_isolation_is_held_against_debate() -> None:
    """A debate that agrees on everything follows nothing; the same under both is no effect."""
    apart = [(True, 1.0, 1.0), (True, 0.7, 1.0), (False, 0.0, 1.0), (False, 0.4, 1.0)]
    told = of_isolation(effect(*apart))

    assert "as predicted" == told.outcome
    assert 0 == told.figures[1].value
    assert told.figures[0].value == told.figures[2].value
    assert "under debate it never varies" in told.why
    same = of_isolation(effect(*((plain, one, one) for plain, one, _ in apart)))
    assert "not as predicted" == same.outcome
    assert "no interval" in same.figures[2].text
    still = of_isolation(effect((True, 1.0, 1.0), (False, 1.0, 1.0)))
    assert "nothing can be said" == still.outcome
    assert "nothing can be said" == of_isolation(effect((True, 1.0, 0.0))).outcome
    against = of_isolation(effect(*((not plain, one, two) for plain, one, two in apart)))
    assert "not as predicted" == against.outcome


def test_substitution_needs_both_measures() -> None:
    """Classes that stay, and topologies that are alike."""

    def told(*rows: tuple[bool, float]) -> str:
        frame = pl.DataFrame(rows, schema=["same", "similarity"], orient="row").with_columns(
            found=pl.lit("overlap"),
            substituted=pl.when("same").then(pl.lit("overlap")).otherwise(pl.lit("absent")),
        )
        return of_substitution(frame).outcome

    assert "as predicted" == told((True, 1.0), (True, 0.9))
    assert "in part" == told((True, 0.2), (True, 0.1))
    assert "not as predicted" == told((False, 0.2), (True, 0.1))


def test_a_flag_is_judged_where_it_is_due() -> None:
    """Where a unanimous family is contested; a flag that is always up tells nothing apart."""

    def told(*rows: tuple[bool, bool, bool]) -> tuple[str, str]:
        columns = dict.fromkeys(("unanimous", "contested", "flagged"), pl.Boolean())
        verdict = of_bias(pl.DataFrame(rows, schema=columns, orient="row"))
        return verdict.outcome, verdict.why

    due, quiet = (True, True, True), (True, False, False)
    assert "as predicted" == told(due, quiet)[0]
    assert "does not tell them apart" not in told(due, quiet)[1]
    outcome, why = told(due, (True, False, True))
    assert "as predicted" == outcome
    assert "does not tell them apart" in why
    assert "not as predicted" == told((True, True, False), quiet)[0]
    assert "nothing can be said" == told(quiet, (False, True, False))[0]
