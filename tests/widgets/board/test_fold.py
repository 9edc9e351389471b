"""The board at every place is the fold of the events before it: in Python, plainly, and in node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import workbench as wb
from tests.scripts import CASE, judge, play
from tests.toys import BOUND, debate, human, words
from tests.widgets.hostile import hostile_run
from workbench.agents.case import Case
from workbench.record.events import Asked, Called, Posted, Returned
from workbench_widgets.board import payload
from workbench_widgets.board.cells import CELLS, SECTIONS, Cell, Drop
from workbench_widgets.board.fold import LATEST, folded
from workbench_widgets.shared.source import Source

SCRIPT = Path(__file__).with_name("fold.mjs")
SAMPLES = Path(__file__).parents[3] / "sample_runs"


def crowded() -> wb.Run:
    """Return a run with more passages and more open questions than a section shows."""
    run = play(Case.model_validate(CASE), turns=1)
    events: list[Any] = [run.started]
    for number in range(120):
        path = f"/turn={1 + number // 30}/buyer/search={number}"
        found = [{"passage": f"p{(number * 7) % 90}", "text": f"words {number}"}]
        events += [
            Called(path=path, clock=number, tool="search", args={"query": "q"}),
            Asked(path=f"/turn=1/x/{number}", clock=number, role="buyer", parts=()),
        ]
        if number % 5:
            events.append(Returned(path=path, value=found))
        if number == 60:
            data = {"turn": 2, "goal": "g", "phase": "p", "nominated": ["buyer"] * 2}
            events.append(Posted(path="/turn=2/goal", clock=1, kind="GoalSet", data=data))
    return wb.Run(events)


def sources() -> dict[str, Source]:
    """Return runs, some with audits."""
    picnic = play(Case.model_validate(CASE), turns=3)
    folder = SAMPLES / "vance_v_innovate"
    audit = wb.open_run(folder / "vance_v_innovate.audit.run.jsonl")
    council = wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human)
    return {
        "vance": Source(wb.open_run(folder / "vance_v_innovate.run.jsonl"), audit),
        "audit": Source(audit),
        "picnic": Source(picnic, wb.run_sync(wb.audit(picnic, embeddings=False), lm=judge())),
        "debate": Source(wb.run_sync(debate(n=4, turns=2), lm=wb.ScriptedLM(words))),
        "council": Source(council),
        "crowded": Source(crowded()),
        "hostile": Source(*hostile_run()),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Source]:
    """Make the runs once."""
    return sources()


NAMES = ("vance", "audit", "picnic", "debate", "council", "crowded", "hostile")


def plainly(source: Source, order: str) -> list[dict[str, list[tuple[str, int, int]]]]:
    """Return, after each event, each section's cells (key, place, number), latest first: slowly."""
    board = folded(source, order)
    board.reach(len(source.run))
    state: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in SECTIONS}
    out = []
    for place in range(len(source.run)):
        for number, change in enumerate(board.changes(place)):
            cells = state[change.section]
            if isinstance(change, Cell):
                cells.pop(change.key, None)
                cells[change.key] = (place, number)
            elif change.key is None:
                cells.clear()
            else:
                cells.pop(change.key, None)
        out.append(
            {name: [(k, *at) for k, at in reversed(cells.items())] for name, cells in state.items()}
        )
    return out


@pytest.mark.parametrize("order", ["happened", "path"])
@pytest.mark.parametrize("name", NAMES)
def test_the_log_is_the_fold(made: dict[str, Source], name: str, order: str) -> None:
    """Whatever place is asked for, and in whatever order."""
    source = made[name]
    board = folded(source, order)
    want = plainly(source, order)
    for place in [*range(len(want) - 1, -1, -7), *range(len(want))]:
        for section in SECTIONS:
            total, entries = board.at(section, place)
            assert want[place][section] == [(e.key, e.place, e.number) for e in entries]
            assert total == len(want[place][section])


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("order", ["happened", "path"])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_folds_to_the_same_in_node(made: dict[str, Source], name: str, order: str) -> None:
    """The state at the start of a page and the changes since are what holds, at every place."""
    source = made[name]
    want = plainly(source, order)
    many = (len(want) + payload.EVENTS - 1) // payload.EVENTS
    pages = [payload.state(source, f"{order}/{number}") for number in range(many)]
    text = json.dumps(pages).encode(errors="replace")
    done = subprocess.run(
        ["node", str(SCRIPT)], input=text, capture_output=True, timeout=60, check=True
    )
    found = json.loads(done.stdout)

    assert len(found) == len(want)
    for mine, state in zip(found, want, strict=True):
        for section in SECTIONS:
            latest = state[section][:LATEST]
            total, cells = mine[section]
            assert total == len(state[section])
            assert sorted(map(list, latest), key=str) == sorted(cells, key=str)


def test_the_rest_of_a_section_comes_by_pages(made: dict[str, Source]) -> None:
    """All cells of a crowded section, the latest first, forty at a time."""
    source = made["crowded"]
    place = len(source.run) - 1
    want = [key for key, _, _ in plainly(source, "happened")[place]["knowledge"]]
    pages = [payload.more(source, f"happened/{place}/knowledge/{n}") for n in range(3)]

    assert len(want) > LATEST
    assert want == [cell["k"] for page in pages for cell in page["cells"]]
    assert pages[0]["total"] == len(want)


def test_a_cell_rests_on_nothing_later(made: dict[str, Source]) -> None:
    """What a cell names as its support has happened, as it happened."""
    for source in made.values():
        for number in range((len(source.run) + payload.EVENTS - 1) // payload.EVENTS):
            page = payload.state(source, f"happened/{number}")
            for delta in page["deltas"]:
                for cell in delta[4]:
                    assert all(at <= cell["at"] for at, _ in cell["from"])


def test_verdicts_come_when_both_texts_are_there(made: dict[str, Source]) -> None:
    """A Theory-of-Mind verdict is not on the board before the peer has spoken."""
    source = made["picnic"]
    board = folded(source, "happened")
    spoken: set[str] = set()
    seen = 0
    for place, event in enumerate(source.run.events):
        if isinstance(event, Posted) and event.kind == "Proposed" and event.data["turn"] == 1:
            spoken.add(event.data["author"])
        if getattr(event, "path", "").startswith("/turn=2"):
            break
        for entry in board.at("verdicts", place)[1]:
            assert entry.key is not None
            auditor, *names = entry.key.split("/")
            if auditor == "tom":
                seen += 1
                assert set(names) <= spoken

    assert seen > 0


def test_another_protocol_adds_its_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines show a fact of one's own; without them it is among the other facts."""
    run = wb.run_sync(debate(n=2, turns=1), lm=wb.ScriptedLM(words))
    page = payload.state(Source(run), "happened/0")
    assert {cell["s"] for delta in page["deltas"] for cell in delta[4]} >= {"other", "verdicts"}
    monkeypatch.setitem(
        CELLS, "Heard", lambda event, source: [Cell("drafts", event.path, event.data["text"])]
    )
    page = payload.state(Source(run), "happened/0")

    assert "drafts" in {cell["s"] for delta in page["deltas"] for cell in delta[4]}


def test_a_session_reads_on() -> None:
    """As a run grows, what was read of it stays, and the board goes on."""
    run = play(Case.model_validate(CASE), turns=2)
    source = Source(run.before(10))
    source.session = SimpleNamespace(run=run)  # type: ignore[assignment]
    board, by_path = folded(source, "happened"), folded(source, "path")
    board.reach(9)
    assert source.refresh()
    assert folded(source, "path") is not by_path
    again = folded(source, "happened")

    assert again is board
    assert plainly(Source(run), "happened")[-1]["drafts"] == [
        (e.key, e.place, e.number) for e in again.at("drafts", len(run) - 1)[1]
    ]


def test_drops_name_sections_that_there_are() -> None:
    """A change is a cell or a drop of a known section."""
    assert Drop("plan", None).section in SECTIONS
    assert set(SECTIONS) >= {"goal", "phase", "rules", "drafts", "plan", "knowledge", "open"}
