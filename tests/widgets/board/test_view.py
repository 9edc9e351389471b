"""The board in a real browser: step and see what changed, jump to what a cell rests on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page

import workbench as wb
from tests.widgets.board.test_fold import crowded
from tests.widgets.hostile import hostile_run
from tests.widgets.mounted import go, mounted, shot, stops_in_words
from workbench.record.events import Posted, adapter
from workbench_widgets import Board
from workbench_widgets.board import payload
from workbench_widgets.shared.source import Source

pytestmark = pytest.mark.browser
SAMPLE = Path(__file__).parents[3] / "sample_runs/vance_v_innovate"
VIEW: Any = SimpleNamespace(
    MAKERS=payload.MAKERS, first=payload.first, STYLES=("board",), MOUNT="board"
)


def sample() -> Source:
    """Return a recorded run with its audit."""
    name = SAMPLE.name
    return Source(
        wb.open_run(SAMPLE / f"{name}.run.jsonl"), wb.open_run(SAMPLE / f"{name}.audit.run.jsonl")
    )


def test_step_and_see_what_changed(page: Page, tmp_path: Path) -> None:
    """New and changed cells say so in words; a source is a jump; verdicts come in their time."""
    mounted(page, VIEW, sample(), tmp_path, at=4)
    status = page.locator(".wbw-board-status")
    status.get_by_text("Goal: 1 new").wait_for()
    status.get_by_text("Plan: 3 new").wait_for()
    assert status.locator("strong").inner_text() == "Goal set"
    assert page.locator(".wbw-board-verdicts").count() == 0
    go(page, 25)
    draft = page.locator(".wbw-board-drafts article")
    assert draft.count() == 1
    assert draft.locator(".wbw-board-mark").inner_text() == "new"
    assert page.locator(".wbw-board-plan .wbw-board-mark").inner_text() == "changed"
    shot(page, "board-light")
    draft.get_by_role("button", name="Answered 24").click()
    assert page.evaluate("window.store.get('at')") == 23
    assert page.locator(".wbw-board-drafts article").count() == 0
    go(page, 70)
    page.locator(".wbw-board-decision").get_by_text("advance").wait_for()
    page.emulate_media(color_scheme="dark")
    shot(page, "board-dark")
    page.locator(".wbw-board-knowledge").get_by_role("button", name="Show 6 more of 12").click()
    assert page.locator(".wbw-board-knowledge article").count() == 12
    page.locator(".wbw-board-all").first.click()
    page.evaluate("window.cleanup()")
    assert page.locator(".wbw-board").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "width"), [("360", 360), ("presenter", 1280)])
def test_narrow_and_large(page: Page, tmp_path: Path, name: str, width: int) -> None:
    """One column at 360 px; large letters for a room."""
    page.set_viewport_size({"width": width, "height": 800})
    mounted(page, VIEW, sample(), tmp_path, at=31)
    if name == "presenter":
        page.evaluate("document.getElementById('here').classList.add('wbw-presenter')")
    page.locator(".wbw-board-drafts article").first.wait_for()
    shot(page, f"board-{name}")

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_face_is_no_tower(page: Page) -> None:
    """On a page that lays out all tables alike, what holds has the most room, and no JSON."""
    style = ".p table { table-layout: fixed; } .p td, .p th { max-width: none; }"
    page.set_viewport_size({"width": 1100, "height": 800})
    face = Board(SAMPLE.parent / "aura_hub/aura_hub.run.jsonl").face()
    page.set_content(f'<style>{style}</style><div class="p">{face}</div>')
    widths = "heads => heads.map(head => head.getBoundingClientRect().width)"
    found = dict(
        zip(
            page.locator("thead th").all_inner_texts(),
            page.locator("thead th").evaluate_all(widths),
            strict=True,
        )
    )

    assert found["What holds"] > 400
    assert found["Turn"] < 100
    assert "product_manager: /turn=2/product_manager/proposal" in page.inner_text("table")
    assert "{" not in page.inner_text("table")


def test_pages_on_demand(page: Page, tmp_path: Path) -> None:
    """What did not fit comes when it is wanted: states, and the rest of a section."""
    run = crowded()
    mounted(page, VIEW, Source(run), tmp_path, budget=1, at=len(run) - 1)
    cache = page.locator(".wbw-board-knowledge")
    cache.get_by_role("button", name="Show").click()
    cache.get_by_role("button", name="Show").click()
    page.wait_for_timeout(300)

    assert cache.locator("article").count() > 40
    assert cache.get_by_role("button", name="Show").is_hidden()
    assert page.errors == []  # type: ignore[attr-defined]


def test_hostile_words(page: Page, tmp_path: Path) -> None:
    """Whatever is on the board: no script runs, no request leaves; so in the static face."""
    run, audit = hostile_run()
    mounted(page, VIEW, Source(run, audit), tmp_path)
    for at in range(0, len(run), 29):
        go(page, at)
    go(page, len(run) - 1)
    page.locator(".wbw-board-decision").wait_for()
    shot(page, "board-hostile")
    assert page.locator("[role=alert]").count() == 0
    (tmp_path / "face.html").write_text(Board(run, audit=audit).face(), errors="replace")
    page.goto((tmp_path / "face.html").as_uri())
    shot(page, "board-face")

    assert page.evaluate("window.pwned") is None
    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


def test_a_megabyte_and_half_a_surrogate(page: Page, tmp_path: Path) -> None:
    """A word of a million letters is shown in part, and whole at a click."""
    run, _ = hostile_run(["a" * 1_000_000, "u", "x", "y", "z", "w"])
    half = Posted(path="/turn=1/\ud800/x", clock=1, kind="\ud800", data={"author": "\ud800"})
    run = wb.Run([run.started, half, *run.events[1:]])
    mounted(page, VIEW, Source(run), tmp_path, at=8, budget=900_000)
    page.locator(".wbw-board-drafts article").wait_for()
    page.locator(".wbw-board-drafts .wbw-board-all").click()
    page.wait_for_timeout(500)

    assert len(page.locator(".wbw-board-drafts .wbw-say").inner_text()) == 1_000_000
    assert page.errors == []  # type: ignore[attr-defined]


def test_odd_runs(page: Page, tmp_path: Path) -> None:
    """A run that has only begun shows its rules, and where the rest will be."""
    mounted(page, VIEW, Source(wb.Run([sample().run.started])), tmp_path)
    page.locator(".wbw-board-status").wait_for()
    page.get_by_text("nothing yet").first.wait_for()

    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("order", ["happened", "path"])
def test_a_run_that_stopped_says_so(page: Page, tmp_path: Path, order: str) -> None:
    """At its last event, with the error; not before, and not in a run that is complete."""
    stops_in_words(
        page, VIEW, wb.open_run(SAMPLE / f"{SAMPLE.name}.run.jsonl"), tmp_path, order=order
    )


def test_marimo(marimo_app: Callable[..., Page]) -> None:
    """In marimo too, the board and the graph of one run move together."""
    name = SAMPLE.name
    opened = marimo_app(
        "import marimo as mo\n"
        "import workbench as wb\n"
        "from workbench_widgets import Board, GraphView\n"
        f"run = wb.open_run({str(SAMPLE / f'{name}.run.jsonl')!r})\n"
        "mo.vstack([mo.ui.anywidget(GraphView(run)), mo.ui.anywidget(Board(run))])"
    )
    opened.wait_for_selector(".wbw-graph-node", timeout=60_000)
    opened.wait_for_selector(".wbw-board-section", timeout=60_000)
    for _ in range(4):
        opened.locator(".wbw-board").get_by_role("button", name="Step forward").click()
    opened.locator(".wbw-board-status").get_by_text("Goal set").wait_for()
    opened.locator(".wbw-graph-status").get_by_text("nominated Associate").wait_for()
    shot(opened, "board-marimo")

    assert opened.errors == []  # type: ignore[attr-defined]


def test_what_has_no_name_is_named(page: Page, tmp_path: Path) -> None:
    """A button to a passage whose name is blank has words that are seen and read out."""
    lines = [adapter.dump_json(event).decode() for event in sample().run.events]
    for passage, name in (("insurer_letter_april.md#p4", "   "), ("recall_notice.md#p6", "")):
        pattern = re.compile(rf'"[a-z_]+/{re.escape(passage)}"')
        lines = [pattern.sub(f'"{name}"', line) for line in lines]
    run = wb.Run([adapter.validate_json(line) for line in lines])
    mounted(page, VIEW, Source(run), tmp_path, at=35)
    buttons = page.locator(".wbw-board-go")
    names = buttons.all_inner_texts()
    assert [] == [name for name in names if not name.strip()]
    assert any("(blank)" in name for name in names), names
