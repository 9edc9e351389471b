"""What the stepper ships: pages that are whole, small at first, and right in both orders."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from tests.toys import debate, words
from tests.widgets.stepper import runs
from workbench.record.events import Posted, RunStarted
from workbench_widgets.explore import payload as explore
from workbench_widgets.shared.source import BUDGET, Pages, Source, dumped, refs
from workbench_widgets.stepper import payload
from workbench_widgets.stepper.index import BROKEN, FAILED, INHERITED, PUT, RETRIED, flags_of
from workbench_widgets.stepper.widget import Stepper


@pytest.fixture
def source() -> Source:
    """Return a recorded run with its audit."""
    return Source(*runs.sample())


def every() -> list[Source]:
    """Return a source of each sort of run."""
    run, audit = runs.sample()
    bare = wb.Run([RunStarted(protocol="bare", params={})])
    found = [run, audit, runs.council(), runs.failed(), runs.forked(), bare]
    return [Source(run, audit), *map(Source, found)]


def test_each_event_is_in_each_order_once() -> None:
    """Each event is in each order once."""
    for source in every():
        for order in ("happened", "path"):
            pages = range((len(source.run) + payload.ROWS - 1) // payload.ROWS)
            rows = [r for n in pages for r in payload.rows(source, f"{order}/{n}")["rows"]]
            assert list(range(len(source.run))) == sorted(row[0] for row in rows)
            if order == "path":
                places = payload.MAKERS["places"](source, "0")["places"]
                assert [rows[place][0] for place in places] == list(range(len(source.run)))


def test_agents_are_called_as_one_reads_them() -> None:
    """An auditor's lane says RAG and ToM; an interpreter's has a number and no sign."""
    folder = Path("sample_runs")
    audit = Stepper(folder / "aura_hub/aura_hub.audit.run.jsonl").head["agents"]
    session = Stepper(folder / "handbook/hours.run.jsonl").head["agents"]

    assert ["Logic auditor", "RAG auditor", "ToM", "ToM auditor"] == [a[1] for a in audit[:4]]
    assert ["Interpreter 1", "Interpreter 2", "Interpreter 3"] == [a[1] for a in session]


def test_turns_begin_where_their_first_event_stands(source: Source) -> None:
    """Turns begin where their first event stands."""
    turns = payload.turns(source, "happened")
    assert [1, 2] == [turn[0] for turn in turns["turns"]]
    assert turns["turns"][0][1] == 0
    first = payload.rows(source, "happened/0")["rows"][turns["turns"][1][1]]
    assert first[3] == 2
    assert sum(bad for *_, bad in turns["turns"]) == 16
    assert ["logic", "INVALID", 4] in turns["verdicts"]
    assert ["Proposed", 6] in turns["kinds"]


def test_a_run_without_turns_comes_in_even_parts() -> None:
    """A run without turns comes in even parts."""
    turns = payload.turns(Source(runs.council()), "happened")["turns"]
    assert {None} == {turn[0] for turn in turns}
    assert len(turns) > 10


def test_agents_are_those_who_act_not_pieces_of_paths(source: Source) -> None:
    """Agents are those who act not pieces of paths."""
    names = {"meta_agent", "associate_attorney", "case_strategist", "paralegal_researcher"}
    assert names == set(source.agents)
    assert source.agents[0] == "meta_agent"


def test_a_fact_comes_with_prompt_reply_and_verdicts(source: Source) -> None:
    """A fact comes with prompt reply and verdicts."""
    at = next(i for i, e in enumerate(source.run) if isinstance(e, Posted) and e.kind == "Proposed")
    page = payload.detail(source, str(at))
    assert page["ask"]["reply"]
    assert {"model", "tokens_in", "cost_usd", "latency_s", "attempts"} <= set(
        page["ask"]["figures"]
    )
    assert ["logic", "tom", "tom"] == [judged["auditor"] for judged in page["judged"]]
    sources = [part[3] for part in page["ask"]["parts"] if part[1] is not None]
    assert sources
    assert all(found is None or found < at for found in sources)


def test_an_ask_does_not_show_the_reply_that_came_later(source: Source) -> None:
    """An ask does not show the reply that came later."""
    at = next(i for i, e in enumerate(source.run) if e.event == "asked")
    page = payload.detail(source, str(at))
    assert "reply" not in page["ask"]
    assert source.run.events[page["ask"]["answer"]].event == "answered"


def test_every_detail_of_every_run_is_made_and_its_texts_are_there() -> None:
    """Every detail of every run is made and its texts are there."""
    for source in every():
        pages = Pages(source, payload.MAKERS)
        for at in range(len(source.run)):
            made = pages.page("detail", str(at))
            assert {str(n) for n in refs(made["page"])} == set(made["texts"])


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("rows", "happened/9"), ("rows", "happened/-1"), ("rows", "sideways/0"), ("rows", "x"),
        ("places", "7"), ("places", "-1"), ("turns", "sideways"),
        ("detail", "72"), ("detail", "-1"), ("detail", "one"), ("nothing", "0"),
    ],
)  # fmt: skip
def test_a_page_that_is_not_there_is_an_error(source: Source, kind: str, key: str) -> None:
    """A page that is not there is an error."""
    with pytest.raises(KeyError):
        Pages(source, payload.MAKERS).page(kind, key)


def test_flags_tell_what_went_wrong_and_what_was_inherited() -> None:
    """Flags tell what went wrong and what was inherited."""
    found = [{flags_of(event) for event in source.run} for source in every()]
    assert BROKEN in found[3]
    assert RETRIED in found[3]
    assert FAILED in found[4]
    assert {INHERITED, PUT} <= found[5]


def test_a_short_run_is_shipped_whole_and_a_long_one_never_cut_unsaid() -> None:
    """A short run is shipped whole and a long one never cut unsaid."""
    assert Stepper(runs.sample()[0]).head["complete"]
    run = wb.run_sync(debate(10, 60), lm=wb.ScriptedLM(lambda asked: words(asked) * 4))
    widget = Stepper(run)
    assert not widget.head["complete"]
    shipped = {"pages": widget.pages, "texts": widget.texts}
    assert BUDGET * 0.5 < len(dumped(shipped)) < BUDGET
    assert "turns/happened" in widget.pages
    assert "rows/happened/0" in widget.pages
    last = Pages(widget.source, payload.MAKERS).page("detail", str(len(run) - 1))
    assert last["page"]["ended"]


def test_integers_that_the_front_end_would_round_stay_whole(source: Source) -> None:
    """Integers that the front end would round stay whole."""
    page = payload.detail(source, "1")
    seed = dict(page["ask"]["sampling"])["seed"]
    assert seed == str(source.run.events[1].sampling.seed)  # type: ignore[union-attr]


def test_the_widgets_face_is_static_and_its_name_steady() -> None:
    """The widgets face is static and its name steady."""
    run = runs.sample()[0]
    one, two = Stepper(run), Stepper(run)
    assert repr(one) == repr(two)
    assert "<script" not in one.face()
    assert one.cursor is two.cursor


def test_the_explorer_ships_each_page_once(source: Source) -> None:
    """A page that several views of the explorer read is made, and counted, but once."""
    wanted = list(explore.first(source))
    assert len(wanted) == len(set(wanted))
    assert ("places", "0") in wanted
