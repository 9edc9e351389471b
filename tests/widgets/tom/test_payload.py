"""The board's pages: what was due, what came of it, where it stands, and how much is shipped."""

from __future__ import annotations

import time
from typing import Any

import pytest

import workbench as wb
from tests.scripts import CASE, judge, play
from tests.widgets.tom.runs import empty, large, odd
from workbench.agents.case import Case
from workbench_widgets import ToMBoard
from workbench_widgets.shared.source import BUDGET, Pages, Source, dumped
from workbench_widgets.tom import payload
from workbench_widgets.tom.board import board_of

M, U, C, X, Q, L = (
    payload.MISSING,
    payload.UNJUDGED,
    payload.CONSISTENT,
    payload.INCONSISTENT,
    payload.UNKNOWN,
    payload.MISSING_JUDGED,
)


def cells(source: Source, place: int) -> dict[str, list[Any]]:
    """Return a turn's cells by the names of their agents."""
    page = payload.turn(source, str(place))
    names = [board_of(source).agents[i] for i in page["axes"]]
    return {f"{names[one]}{names[peer]}": rest for one, peer, *rest in page["cells"]}


def test_what_was_due_and_what_came_of_it() -> None:
    """A pair is due where both were nominated, or where there is a prediction all the same."""
    source = Source(*odd())

    assert cells(source, 0) == {}
    assert cells(source, 1) == {
        "ab": [1, 0, L, None],
        "ac": [0, 1, M, None],
        "ad": [1, 0, M, None],
        "ba": [0, 1, M, None],
        "bc": [0, 1, M, None],
        "ca": [1, 1, C, 0.5],
        "cb": [1, 0, M, None],
        "cd": [1, 0, M, None],
    }
    assert cells(source, 2) == {"ac": [1, 0, M, None], "ca": [0, 1, M, None]}


def test_without_an_audit_nothing_is_judged() -> None:
    """No verdict and no cosine is made up."""
    source = Source(odd()[0])

    assert cells(source, 1)["ca"] == [1, 1, U, None]
    assert not payload.about(source, "")["audited"]


def test_without_theory_of_mind_nothing_is_due() -> None:
    """In the mode no_tom no prediction is missing."""
    run = play(Case.model_validate(CASE), mode="no_tom")
    source = Source(run)

    assert payload.about(source, "")["without"]
    assert cells(source, 0) == {}


def test_places_in_both_orders() -> None:
    """Seats say where a proposal stands as it happened and by path."""
    source = Source(play(Case.model_validate(CASE)))
    page = payload.turn(source, "1")
    for agent, place in zip(page["axes"], page["seats"], strict=True):
        event = source.run.events[place[0]]
        assert (event.kind, event.data["author"]) == ("Proposed", board_of(source).agents[agent])
        assert source.run.by_path()[place[1]] is event
    places = payload.places(source, "0")
    turns = dict(places["turns"])
    assert [0, 1] == sorted(turns.values())
    assert source.run.events[max(turns)].path.startswith("/turn=2/")


def test_a_pair_in_full() -> None:
    """The texts are references to the pool, and what is missing says why."""
    source = Source(*odd())

    def words(key: str) -> dict[str, Any]:
        page = payload.cell(source, key)
        return {n: source.words(v["t"]) if isinstance(v, dict) else v for n, v in page.items()}

    assert words("1/2/0") == {
        "prediction": "a will",
        "said": "a says in turn 2",
        "no_prediction": None,
        "no_contribution": None,
        "verdict": "consistent",
        "reason": "because of a",
        "cosine": 0.5,
    }
    assert words("1/0/1")["no_contribution"] == "the peer's reply could not be read: no JSON"
    assert words("1/0/1")["verdict"] == "unknown"
    assert words("1/0/3")["no_contribution"] == "the peer said nothing in this turn"
    assert words("1/0/2")["no_prediction"].endswith("no prediction of this peer")
    with pytest.raises(KeyError):
        payload.cell(source, "0/0/1")


def test_strips_of_an_evaluator() -> None:
    """A point a turn, nothing where nothing was due; in bins the counts and the mean."""
    source = Source(*odd())
    page = payload.strip(source, "2/1/0")

    assert dict(page["strips"]) == {
        0: [None, [C, 0.5], [M, None]],
        1: [None, [M, None], None],
        3: [None, [M, None], None],
    }
    assert [number for _, number, *_ in page["turns"]] == [1, 2, 3]
    run, audit = large(250, 3)
    wide = Source(run, audit)
    assert payload.about(wide, "")["scale"] == 3
    bins = payload.strip(wide, "0/3/0")
    verdicts = [v for (path, peer), v in wide.judged.tom.items() if "agent_00/" in path]
    assert sum(point[0] for _, points in bins["strips"] for point in points) == sum(
        v.verdict == "consistent" for v in verdicts
    )
    assert [bins["turns"][0][:2], bins["turns"][-1][:2]] == [[2, 3], [249, 250]]
    first, last = bins["strips"][0][1][0], bins["strips"][0][1][-1]
    assert first[5] < 0.45 < last[5]  # the run was made to improve


def test_a_bin_counts_what_is_unknown_and_missing() -> None:
    """Each pair that was due is counted as what it came to, whatever there was to compare."""
    source = Source(*odd())
    bins = dict(payload.strip(source, "0/3/0")["strips"])

    assert bins == {
        1: [[0, 0, 0, 1, 0, None]],
        2: [[0, 0, 0, 2, 0, None]],
        3: [[0, 0, 0, 1, 0, None]],
    }
    assert dict(payload.strip(source, "2/3/0")["strips"])[0] == [[1, 0, 0, 1, 0, 0.5]]
    assert dict(payload.strip(Source(odd()[0]), "2/3/0")["strips"])[0] == [[0, 0, 0, 1, 1, None]]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("tom_turn", "9"), ("tom_turn", "x"), ("tom_turn", "-1"), ("tom_places", "1"),
        ("tom_cell", "0/0"), ("tom_cell", "0/0/9"), ("tom_strip", "0/0/0"), ("tom_strip", "0/1/9"),
        ("tom_about", "x"),
    ],
)  # fmt: skip
def test_no_such_page(kind: str, key: str) -> None:
    """A key that is none is refused as such."""
    with pytest.raises(KeyError):
        Pages(Source(*odd()), payload.MAKERS).page(kind, key)


def test_a_long_run_is_shipped_in_part() -> None:
    """What is shipped at first is bounded, holds the first turns, and a page is soon made."""
    run, audit = large(600, 20)
    source = Source(run, audit)
    board_of(source).ends, source.judged  # made once, then kept
    started = time.monotonic()
    pages = Pages(source, payload.MAKERS)
    made = pages.first(payload.first(source), BUDGET)
    assert time.monotonic() - started < 3
    assert not made["complete"]
    assert len(dumped(made)) < BUDGET * 1.1
    assert {"tom_about/", "tom_places/0", "tom_turn/0", "tom_turn/19"} < set(made["pages"])
    started = time.monotonic()
    pages.page("tom_turn", "599")
    pages.page("tom_strip", "19/6/0")
    assert time.monotonic() - started < 1
    assert len(dumped(pages.page("tom_turn", "300"))) < 20_000


def test_a_small_run_is_shipped_whole() -> None:
    """So that the board works when the notebook is opened without a kernel."""
    widget = ToMBoard(odd()[0], audit=odd()[1])

    assert widget.head["complete"]
    assert sum(name.startswith("tom_cell/") for name in widget.pages) == 10


def test_faces() -> None:
    """The static face holds each turn's matrix, and is there for runs with nothing in them."""
    face = ToMBoard(odd()[0], audit=odd()[1]).face()

    assert face.count("<table") == 3
    for words in (
        "not due",
        "consistent",
        "cosine 0.5",
        "missing: the peer&#x27;s reply could not be read: no JSON",
        "1 consistent of 1 judged · 1 unknown · 7 missing · 2 not reached",
    ):
        assert words in face
    assert "<script" not in face
    assert "No turn in which anyone was to speak" in ToMBoard(empty()).face()
    long = ToMBoard(large(300, 20)[0]).face()
    assert len(long) < 330_000
    assert "left out here" in long


def test_an_audit_of_the_whole_protocol() -> None:
    """Real protocols, scripted: every pair of three specialists in two turns is judged."""
    run = play(Case.model_validate(CASE))
    audit = wb.run_sync(wb.audit(run, embeddings=False), lm=judge())
    widget = ToMBoard(run, audit=audit)

    assert [C] * 6 == [outcome for _, _, outcome, _ in cells(widget.source, 0).values()]
    assert widget._repr_mimebundle_()[0]["text/plain"] == repr(widget)
