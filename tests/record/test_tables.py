"""Tests of `workbench.record.tables`."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import workbench as wb
from tests.record.deliberation import (
    HOSTILE,
    broken_off,
    deliberate,
    judge,
    odd_events,
    shuffled,
    written,
)
from workbench.engine.commands import Steps
from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Event,
    Failed,
    Lineage,
    Posted,
    Returned,
    RunStarted,
)
from workbench.record.order import natural
from workbench.record.parts import Part
from workbench.record.run import Run
from workbench.record.schema import SCHEMAS
from workbench.record.tables import Tables, tables

EMPTY = Run([RunStarted(protocol="toy", params={})])


@pytest.fixture(scope="module")
def run() -> Run:
    """Return a complete run of two turns."""
    return deliberate()


@pytest.fixture(scope="module")
def made(run: Run) -> Tables:
    """Return its tables."""
    return tables(run)


class Noted(wb.Fact):
    """A fact that no table knows of."""

    text: str


@wb.protocol("relay")
def relay(n: int) -> Steps[str]:
    """Let `n` agents speak at once, each reading what the one before said."""
    told: list[Part] = []
    for turn in range(1, 3):

        def speak(agent: int, heard: tuple[Part, ...]) -> Steps[Part]:
            reply = yield from wb.ask("speak", f"agent{agent}", ["Speak.", *heard])
            path = yield from wb.post("note", Noted(text=reply.text), [reply.path])
            return Part(reply.text, path)

        got = yield from wb.all_of(
            f"turn={turn}", {f"a{i}": speak(i, tuple(told)) for i in range(n)}
        )
        told = list(got.values())
    return "done"


def test_every_frame_has_its_written_schema(made: Tables) -> None:
    """A frame's columns and dtypes are those that are written down, in that order."""
    assert {name: dict(frame.schema) for name, frame in made.items()} == SCHEMAS


@pytest.mark.parametrize("given", [EMPTY, [], Run(odd_events()), broken_off()])
def test_the_schema_does_not_depend_on_the_rows(given: Run | list[Run]) -> None:
    """No run, an empty run, an interrupted run and odd facts give frames of the same schema."""
    assert {name: dict(frame.schema) for name, frame in tables(given).items()} == SCHEMAS


def test_the_docstring_names_every_column() -> None:
    """A column without a word about it does not pass."""
    told = Tables.__doc__ or ""
    assert [c for schema in SCHEMAS.values() for c in schema if f"``{c}``" not in told] == []


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_arrival_changes_no_frame(run: Run, made: Tables, seed: int) -> None:
    """The same events in another order give equal frames, row for row."""
    other = tables(shuffled(run, seed))
    assert [name for name, frame in made.items() if not frame.equals(getattr(other, name))] == []


def test_answers_that_overtake_each_other_change_no_frame() -> None:
    """A protocol with concurrency gives the same rows whichever agent is slow."""
    lm = wb.ScriptedLM(lambda asked: f"{asked.role} read {len(asked.parts)}")
    whole = wb.run_sync(relay(n=11), lm=lm)
    frames = tables({"r": whole})
    again = tables({"r": shuffled(whole, 4)})
    for name in ("asks", "answers", "facts", "reads", "edges"):
        assert getattr(again, name).equals(getattr(frames, name))
    roles = [f"agent{i}" for i in range(11)]
    assert frames.asks["role"].to_list() == roles * 2


def test_numbers_in_paths_are_ordered_as_numbers() -> None:
    """Turn 2 comes before turn 10, a shorter path before what lies below it."""
    ordered = "/9 /9z /10 /a /a/b /a=9 /a=9/b /a=9/c /a=10/b /z9a /z10a".split()
    mixed = [*ordered[1::2], *ordered[::2]]

    assert ordered == sorted(mixed, key=natural)


def test_runs_tell_what_ran(run: Run, tmp_path: Path) -> None:
    """One row a run: identity, status, usage, and where it came from."""
    path = written(run, tmp_path / "x.run.jsonl")
    row = tables(path).runs.row(0, named=True)
    use = run.usage
    assert row["run"] == run.digest[:12]
    assert (row["protocol"], row["status"], row["seed"]) == ("bilayer", "complete", 3)
    assert (row["calls"], row["tokens_in"], row["tokens_out"]) == use[:3]
    assert (row["model"], row["cost_usd"], row["path"]) == ("scripted", 0.0, str(path))
    assert row["started_at"].utcoffset().total_seconds() == 0


def test_a_fork_names_its_parent_and_an_audit_its_subject(run: Run) -> None:
    """Lineage and subject are columns, so runs can be joined by digest."""
    lineage = Lineage(parent="abc", rule="prefix")
    fork = Run([RunStarted(protocol="toy", params={}, lineage=lineage)])
    audit = judge(run)
    frame = tables([fork, audit]).runs
    assert frame.select("parent", "rule").row(0) == ("abc", "prefix")
    assert frame["subject"][1] == run.digest


def test_what_was_not_sent_is_in_the_answers() -> None:
    """A setting that the endpoint refuses is named with each answer, and in most there is none."""
    left_out = {1: ("temperature", "seed")}

    def answer(asked: Asked) -> Answered:
        unsent = left_out.pop(1, None)
        return Answered(path=asked.path, text="x", unsent=unsent)

    frame = tables(wb.run_sync(relay(n=1), lm=wb.ScriptedLM(answer))).answers
    assert [[], ["temperature", "seed"]] == sorted(frame["unsent"].to_list())


def test_an_unknown_price_is_null() -> None:
    """A cost that nobody knows is null in the answer and in the run's sum, never 0."""
    lm = wb.ScriptedLM(lambda asked: Answered(path=asked.path, text="x", cost_usd=None))
    frames = tables(wb.run_sync(relay(n=1), lm=lm))
    assert frames.answers["cost_usd"].to_list() == [None, None]
    assert frames.runs["cost_usd"].to_list() == [None]


def test_names_of_a_mapping_become_the_run_column(run: Run) -> None:
    """Runs with given names carry them, in the given order, and skip the digest."""
    frames = tables({"second": run, "first": EMPTY})
    assert frames.runs["run"].to_list() == ["second", "first"]
    assert frames.runs["digest"].to_list() == [None, None]
    assert set(frames.asks["run"]) == {"second"}


def test_several_runs_are_stacked(run: Run) -> None:
    """The rows of an iterable of runs follow one another, in every frame."""
    one, two = tables({"a": run}), tables({"a": run, "b": run})
    for name, frame in one.items():
        stacked = getattr(two, name)
        assert stacked.height == 2 * frame.height
        assert stacked.filter(pl.col("run") == "a").equals(frame)


def test_reads_tell_who_read_what(run: Run, made: Tables) -> None:
    """Each part of a prompt is a row with its reader, its source and the source's kind."""
    reads = made.reads
    assert reads.height == sum(len(e.parts) for e in run.events if isinstance(e, Asked))
    assert set(reads["kind"]) == {"own", "fact", "answer", "passage"}
    ratify = reads.filter(pl.col("path") == "/turn=1/ratify/try=1", pl.col("kind") == "fact")
    assert {f"/turn=1/{r}/proposal" for r in ("planner", "treasurer", "residents")} <= set(
        ratify["source"]
    )
    assert reads.filter(pl.col("kind") == "passage")["source"][0].endswith("notes.md#p0")


def test_what_an_audit_reads_of_its_subject_is_other(run: Run) -> None:
    """A source in another run is neither a passage nor a fact of this one."""
    reads = tables(judge(run)).reads
    quoted = reads.filter(pl.col("source").str.contains(":/"))
    assert quoted.height
    assert set(quoted["kind"]) == {"other"}


def test_predictions_stand_beside_what_the_peer_said(made: Tables) -> None:
    """Each pair has the prediction, and the contribution of the peer in the same turn."""
    frame = made.predictions
    assert frame.height == 12
    row = frame.row(
        by_predicate=(pl.col("evaluator") == "planner")
        & (pl.col("peer") == "treasurer")
        & (pl.col("turn") == 1),
        named=True,
    )
    assert row["prediction"] == "The treasurer will ask for less."
    assert row["contribution"].startswith("Two nights a week")
    assert row["peer_path"] == "/turn=1/treasurer/proposal"


def test_a_peer_that_said_nothing_is_null() -> None:
    """A prediction of a peer without a proposal keeps its row."""
    frame = tables(broken_off()).predictions
    gone = frame.filter(pl.col("turn") == 2, pl.col("peer") == "treasurer")
    assert gone.height >= 1
    assert gone["contribution"].null_count() == gone.height


def test_searches_are_retrievals_with_their_hits(made: Tables) -> None:
    """A search has its author, query, passages and best score; every tool call is in `calls`."""
    row = made.retrievals.row(0, named=True)
    assert (row["author"], row["corpus"], row["hits"]) == ("planner", "planner", 2)
    assert row["passages"] == ["planner/notes.md#p0", "planner/notes.md#p1"]
    assert row["top_score"] == pytest.approx(0.03)
    assert row["mode"] == "hybrid"
    assert made.calls.height == made.retrievals.height == 6
    assert set(made.calls["tool"]) == {"search"}


def test_a_search_that_does_not_tell_how_it_was_made() -> None:
    """Older runs have no mode, and are rows like any other."""
    started = RunStarted(protocol="toy", params={})
    path = "/turn=1/planner/search=1"
    called = Called(path=path, clock=0, tool="search", args={"query": "q", "corpus": "c"})
    returned = Returned(path=path, value=[{"passage": "a.md#p1", "score": 1.0}])
    row = tables(Run([started, called, returned])).retrievals.row(0, named=True)

    assert (1, None) == (row["hits"], row["mode"])


def test_gates_goals_proposals_and_ratifications(made: Tables) -> None:
    """The facts of the bi-layer protocol are frames of their own."""
    mended = made.gates.filter(pl.col("attempts") > 1).row(0, named=True)
    assert (mended["path"], mended["role"]) == ("/turn=2/residents/propose/gate", "residents")
    assert len(mended["errors"]) == 1
    assert "regex" in set(made.gates["tier"])
    assert made.goals["nominated"].to_list() == [["planner", "treasurer", "residents"]] * 2
    assert made.proposals.select("words", "predictions", "searches").row(0) == (33, 2, 1)
    assert made.ratifications["decision"].to_list() == ["advance", "conclude"]


def test_verdicts_have_a_row_for_each_rule(run: Run) -> None:
    """Logic gives one row over all rules and one a rule; ToM and RAG one a verdict."""
    frame = tables(judge(run)).verdicts
    counts = dict(frame.group_by("auditor").len().iter_rows())
    assert counts == {"logic": 6 + 3 * 2 + 3 * 3, "tom": 12, "rag": 6}
    whole = frame.filter(pl.col("auditor") == "logic", pl.col("rule").is_null())
    assert sorted(whole["verdict"]) == ["INVALID"] * 2 + ["VALID"] * 4
    assert set(frame.filter(pl.col("auditor") == "tom")["score"]) == {0.625}
    assert set(frame.filter(pl.col("auditor") == "rag")["score"]) == {0.8}


def test_any_fact_with_a_verdict_is_one() -> None:
    """A fact of another kind with a field ``verdict`` is a row under its own kind."""
    events: list[Event] = [
        RunStarted(protocol="toy", params={}),
        Posted(path="/x", clock=0, kind="Weighed", data={"verdict": "fair", "score": 2}),
    ]
    assert tables(Run(events)).verdicts.select("auditor", "verdict", "score").row(0) == (
        "Weighed",
        "fair",
        2.0,
    )


def test_failures_are_kept_and_say_whether_an_answer_came() -> None:
    """Each failure is a row, also one that a later answer made good."""
    asked = Asked(path="/a", clock=0, role="r", parts=())
    events: list[Event] = [
        RunStarted(protocol="toy", params={}),
        asked,
        Failed(path="/a", error="TimedOut", message="slow", at=2.0),
        Failed(path="/a", error="ServerError", message="503", at=1.0),
        Answered(path="/a", text="x"),
    ]
    frame = tables(Run(events)).failures
    assert frame.select("error", "answered").rows() == [("ServerError", True), ("TimedOut", True)]


def test_edges_count_nominations_reads_and_answers(made: Tables) -> None:
    """Agents are joined turn by turn by who nominated, read and answered whom."""
    first = made.edges.filter(pl.col("turn") == 1)
    nominated = first.filter(pl.col("kind") == "nominated").select("source", "target", "n").rows()
    assert nominated == [("meta_agent", r, 1) for r in ("planner", "treasurer", "residents")]
    answered = first.filter(pl.col("kind") == "answered")
    assert set(answered["source"]) == {"planner", "treasurer", "residents"}
    peers = made.edges.filter(
        pl.col("turn") == 2, pl.col("kind") == "read", pl.col("source") == "planner"
    )
    assert {"treasurer", "residents", "meta_agent"} <= set(peers["target"])


def test_odd_facts_never_break_a_table() -> None:
    """Missing fields, wrong types and numbers beyond 64 bits become null."""
    frames = tables(Run(odd_events()))
    assert frames.facts.height == len(odd_events()) - 1
    assert frames.gates["attempts"].to_list().count(None) == 6


def test_half_a_surrogate_pair_is_told_and_not_raised() -> None:
    """A text that cannot be encoded is written with a backslash."""
    events: list[Event] = [
        RunStarted(protocol="toy", params={}),
        Posted(path="/g", clock=0, kind="GoalSet", data={"turn": 1, "goal": "a\ud800b"}),
    ]
    assert tables({"odd": Run(events)}).goals["goal"].to_list() == ["a\\ud800b"]


def test_the_face_lists_every_table(made: Tables) -> None:
    """Names and shapes, in text and in HTML, with a run's name escaped nowhere needed."""
    html = made._repr_html_()
    for name, frame in made.items():
        assert f"{name}: {frame.height}x{frame.width}" in repr(made)
        assert f">{name}</th>" in html
    assert HOSTILE not in html


def test_names_that_are_no_text() -> None:
    """A run is named by what its key looks like, so that it can be joined by."""
    run = Run([RunStarted(protocol="toy", params={})])

    assert ["1", "None"] == tables({1: run, None: run}).runs["run"].to_list()  # type: ignore[dict-item]
