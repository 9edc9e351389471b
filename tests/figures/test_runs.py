"""Measures of runs and of their audits, condition by condition."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import workbench as wb
from tests.toys import BOUND, Teller, human, words
from workbench.auditors.summary import summary
from workbench.figures.measures import MEASURES
from workbench.figures.runs import VALUES, measure_runs
from workbench.record.run import Run

SAMPLES = Path(__file__).parents[2] / "sample_runs"
FILES = {
    name: (SAMPLES / name / f"{name}.run.jsonl", SAMPLES / name / f"{name}.audit.run.jsonl")
    for name in ("aura_hub", "vance_v_innovate")
}


def council(seed: int) -> Run:
    """Return a run with a gate that asks twice and more."""
    return wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human, seed=seed)


def one(frame: pl.DataFrame, measure: str) -> float | None:
    """Return a measure's one value."""
    found: float | None = frame.filter(pl.col("measure") == measure)["value"].item()
    return found


@pytest.mark.parametrize("name", FILES)
def test_audited_shares_are_the_summarys(name: str) -> None:
    """Percentages and their units are those of the audit's own summary."""
    frame = measure_runs({"here": FILES[name]})
    told = summary(FILES[name][1])

    for measure, share in (
        ("logic_validity_percent", told.logic_validity),
        ("tom_consistency_percent", told.tom_consistency),
        ("rag_effectiveness_percent", told.rag_effectiveness),
    ):
        row = frame.filter(pl.col("measure") == measure)
        assert (share.percent, share.n) == (row["value"].item(), row["of"].item())


def test_two_conditions_of_one_name() -> None:
    """1 and "1" would be one condition, of a false n."""
    first, second = council(1), council(2)
    with pytest.raises(ValueError, match=r"2 conditions are called '1'; give each a name"):
        measure_runs({1: first, "1": second}, "calls")  # type: ignore[dict-item]


@pytest.mark.parametrize("name", FILES)
def test_totals_are_the_runs(name: str) -> None:
    """Totals and means are those of the run; the audit's own tokens are not among them."""
    run = wb.open_run(FILES[name][0])
    frame = measure_runs({"here": FILES[name]})
    said = [len(fact.data["contribution"].split()) for fact in run.facts_of("Proposed")]

    assert run.usage.tokens_out == one(frame, "tokens_out")
    assert run.usage.tokens_in == one(frame, "tokens_in")
    assert run.usage.cost_usd == one(frame, "cost_usd")
    assert run.usage.calls == one(frame, "calls")
    assert pytest.approx(sum(said) / len(said)) == one(frame, "words")
    assert list(MEASURES) == frame["measure"].to_list()
    assert {name} == set(frame["run"])
    assert {run.digest} == set(frame["digest"])


def test_gate_retries() -> None:
    """Attempts beyond each question's first are counted."""
    run = council(1)
    attempts = [fact.data["attempts"] for fact in run.facts_of("Gated")]
    frame = measure_runs({"toy": run}, "gate_retries")

    assert sum(attempts) - len(attempts) == one(frame, "gate_retries")
    assert sum(attempts) > len(attempts) == frame["of"].item()


def test_schema_and_order() -> None:
    """The columns are as written; measures, then conditions and runs, in the order given."""
    runs = {"b": [council(1), council(2)], "a": council(3)}
    frame = measure_runs(runs, "calls", "tokens_out")

    assert VALUES == dict(frame.schema)
    assert ["b", "b", "a"] * 2 == frame["condition"].to_list()
    assert ["calls"] * 3 + ["tokens_out"] * 3 == frame["measure"].to_list()
    assert [1, 2, 3] == frame["seed"].to_list()[:3]
    assert [run.digest[:12] for run in (*runs["b"], runs["a"])] == frame["run"].to_list()[:3]


def test_without_an_audit() -> None:
    """What an audit would tell is unknown of a run without one; the run keeps its row."""
    frame = measure_runs({"x": FILES["aura_hub"][0]}, "logic_validity_percent", "tokens_out")

    assert [None, 881.0] == frame["value"].to_list()
    assert [None, None] == frame["judge"].to_list()


def test_audit_elsewhere() -> None:
    """An audit belongs to its subject, in whichever condition it was given."""
    (hub, of_hub), (vance, of_vance) = FILES.values()
    apart = measure_runs({"a": [hub, of_vance], "b": [of_hub, vance]})

    assert measure_runs({"a": [hub, of_hub], "b": [vance, of_vance]}).equals(apart)


def test_interrupted(tmp_path: Path) -> None:
    """A run that stopped is measured by what it has, and its status says so."""
    lm = Teller(fail=("/turn=2/a0/speak",))
    with pytest.raises(wb.RunFailed) as stopped:
        wb.run_sync(BOUND["debate"], lm=lm, to=tmp_path / "a.run.jsonl")
    assert stopped.value.run is not None
    frame = measure_runs({"toy": tmp_path / "a.run.jsonl"}, "calls")

    assert stopped.value.run.usage.calls == frame["value"].item()
    assert stopped.value.run.status == frame["status"].item() != "complete"


def test_same_names_are_told_apart(tmp_path: Path) -> None:
    """Two files of one name, in two folders, have labels that differ."""
    for seed in (1, 2):
        (tmp_path / str(seed)).mkdir()
        to = tmp_path / str(seed) / "a.run.jsonl"
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), seed=seed, to=to)
    frame = measure_runs({"toy": sorted(tmp_path.rglob("*.run.jsonl"))}, "calls")

    assert 2 == frame["run"].n_unique()
    assert all(run.startswith("a (") for run in frame["run"])


def test_a_rerun_is_no_new_value() -> None:
    """A run given twice, and one repeated with equal answers, are refused: a false n."""
    with pytest.raises(ValueError, match=r"the same run, .* false n"):
        measure_runs({"a": [council(1)], "b": [council(2), council(1)]}, "calls")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"a": []}, "no run is given for 'a'"),
        ({"a": FILES["aura_hub"][1]}, "is an audit of 20a3c661cdb7, which is not among the runs"),
        ({"a": [*FILES["aura_hub"], FILES["aura_hub"][1]]}, "are audits of the same run"),
    ],
)
def test_refused(given: dict[str, list[Path]], why: str) -> None:
    """Conditions without a run, and audits that belong to none or to the same, are refused."""
    with pytest.raises(ValueError, match=why):
        measure_runs(given)


def test_unknown_measure() -> None:
    """A measure that is not known is refused with those that are."""
    with pytest.raises(ValueError, match=r"no measure is called 'tokens'; there are tokens_out,"):
        measure_runs({}, "tokens")
