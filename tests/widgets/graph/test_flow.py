"""What passed between agents: equal to the tables, step by step, whoever answered first."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.scripts import CASE, play
from tests.toys import BOUND, debate, human, words
from tests.widgets.hostile import hostile_run
from workbench.agents.case import Case
from workbench_widgets.graph import payload
from workbench_widgets.graph.flow import flow
from workbench_widgets.shared.source import Source, turn

SAMPLES = Path(__file__).parents[3] / "sample_runs"


def runs() -> dict[str, wb.Run]:
    """Return runs of several protocols."""
    council = BOUND["council"]
    return {
        "aura_hub": wb.open_run(SAMPLES / "aura_hub" / "aura_hub.run.jsonl"),
        "vance": wb.open_run(SAMPLES / "vance_v_innovate" / "vance_v_innovate.run.jsonl"),
        "audit": wb.open_run(SAMPLES / "aura_hub" / "aura_hub.audit.run.jsonl"),
        "debate": wb.run_sync(debate(n=4, turns=3), lm=wb.ScriptedLM(words)),
        "council": wb.run_sync(council, lm=wb.ScriptedLM(words), human=human),
        "picnic": play(Case.model_validate(CASE), turns=3),
        "hostile": hostile_run()[0],
    }


@pytest.fixture(scope="module", params=list(runs()))
def run(request: pytest.FixtureRequest) -> wb.Run:
    """One of the runs."""
    return runs()[request.param]


def test_it_is_what_the_tables_say(run: wb.Run) -> None:
    """Each row of the table of edges, with its count."""
    found = flow(Source(run))
    mine: Counter[Any] = Counter()
    for at, edge in zip(found.at, found.edge, strict=True):
        source, target, kind = found.edges[edge]
        mine[turn(run.events[at]), found.agents[source], found.agents[target], kind] += 1
    table = wb.tables({"it": run}).edges
    theirs = {tuple(row[1:5]): row[5] for row in table.rows()}

    assert {safe(key): n for key, n in mine.items()} == {safe(key): n for key, n in theirs.items()}


@pytest.mark.parametrize("name", ["maven/cleopatra", "handbook/notice", "aura_hub/aura_hub.audit"])
def test_who_acts_is_whose_lane_it_is(name: str) -> None:
    """An event is the run's own, or an agent's, as in the timeline."""
    source = Source.of(SAMPLES / f"{name}.run.jsonl")
    found = flow(source)
    acts = [found.agents[one] if one >= 0 else one for one in found.actors]
    lanes = [-1 if agent is None else agent for agent in map(source.agent, source.run.events)]

    assert acts == [one if one == -1 or one in found.agents else -2 for one in lanes]
    if name == "maven/cleopatra":
        assert acts[-3:] == [-1, -1, -1]  # Concluded, FinalAnswer, the end


def safe(key: Any) -> Any:
    """Return a key as a table holds it."""
    return tuple(
        part.encode(errors="backslashreplace").decode() if isinstance(part, str) else part
        for part in key
    )


@pytest.mark.parametrize("order", ["happened", "path"])
def test_a_page_and_its_steps_are_the_counts(run: wb.Run, order: str) -> None:
    """What stands before a page, and its steps, sum up to what passed until then."""
    source = Source(run)
    found = flow(source)
    stands = source.positions[order]
    for first in range(0, len(run), payload.STEPS):
        page = payload.steps(source, f"{order}/{first // payload.STEPS}")
        counts: Counter[int] = Counter(dict(page["run"]["edges"]))
        for place, step in enumerate(page["steps"], first):
            counts.update(dict(step[5]))
            want = Counter(
                int(e) for at, e in zip(found.at, found.edge, strict=True) if stands[at] <= place
            )
            assert want == +counts


def test_arrival_order_changes_no_picture() -> None:
    """Two recordings of the same answers draw the same graph."""
    run = wb.run_sync(debate(n=5, turns=2), lm=wb.ScriptedLM(words))
    events = list(run.events)
    inner = [at for at, e in enumerate(events) if getattr(e, "path", "").startswith("/turn=1/a")]
    by_agent: dict[str, list[Any]] = {}
    for at in inner:
        by_agent.setdefault(events[at].path.split("/")[2], []).append(events[at])
    names = list(by_agent)
    random.Random(1).shuffle(names)
    mixed = [event for name in names for event in by_agent[name]]
    for at, event in zip(inner, mixed, strict=True):
        events[at] = event
    other = wb.Run(events)

    assert payload.shapes(Source(run), "wide") == payload.shapes(Source(other), "wide")


def test_the_words_of_an_edge_are_those_that_were_read() -> None:
    """A page of passings has the parts of prompts, the goals and the proposals."""
    source = Source(play(Case.model_validate(CASE), turns=2))
    found = flow(source)
    said = {}
    for number, (_, _, kind) in enumerate(found.edges):
        page = payload.passings(source, f"happened/{number}/0")
        for at, came, _, ref, size in page["passings"]:
            text = source.words(ref["t"])
            assert len(text) == size
            assert came <= at
            said.setdefault(kind, set()).add(text)

    assert "goal-of-turn-1" in said["nominated"]
    assert "contribution-2-buyer" in said["answered"]
    assert any("contribution-1-buyer" in text for text in said["read"])


@pytest.mark.parametrize("key", ["happened/99", "path/-1"])
def test_there_are_no_other_pages(key: str) -> None:
    """A page beyond the run is an error that says so."""
    with pytest.raises(KeyError):
        payload.steps(Source(play(Case.model_validate(CASE))), key)


def test_an_empty_run_has_no_agents() -> None:
    """There is a drawing of nothing, and one step."""
    source = Source(wb.Run([wb.open_run(SAMPLES / "aura_hub/aura_hub.run.jsonl").started]))

    assert payload.shapes(source, "wide")["nodes"] == []
    assert len(payload.steps(source, "happened/0")["steps"]) == 1
