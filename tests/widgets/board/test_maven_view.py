"""MAVEN's blackboard in a real browser: all of W_t, what is new on it, and what is settled."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.deliberation.maven.scripts import judging, play
from tests.widgets.mounted import go, mounted, shot
from workbench_widgets.board import payload
from workbench_widgets.shared.source import Source

pytestmark = pytest.mark.browser
VIEW: Any = SimpleNamespace(
    MAKERS=payload.MAKERS, first=payload.first, STYLES=("board",), MOUNT="board"
)


def test_a_draft_is_attacked_and_judged(page: Page, tmp_path: Path) -> None:
    """Empty parts say so from the start; each step tells what is new, changed or closed."""
    run = play(judging("reject", "replan", "accept"))
    at = {getattr(event, "path", ""): index for index, event in enumerate(run.events)}
    mounted(page, VIEW, Source(run), tmp_path)
    status = page.locator(".wbw-board-status")
    page.locator(".wbw-board-question").get_by_text("C. a pet rock").wait_for()
    for part in ("intuitions", "plan", "drafts", "justifications", "knowledge", "trace"):
        page.locator(f".wbw-board-{part}").get_by_text("nothing yet").wait_for()

    for path, told in (
        ("/turn=0/planner/planned", "Plan: 4 new"),
        ("/turn=0/synthesizer/draft", "Drafts: 1 new"),
        ("/turn=1/skeptic/questioned", "Open questions: 3 new"),
        ("/turn=1/researcher/reported", "Knowledge cache: 3 new"),
        ("/turn=1/judge/judged", "Judicial trace V: 1 new"),
        ("/turn=1/reviser/draft", "Drafts: 1 changed"),
        ("/turn=2/judge/judged", "Drafts: 4 closed"),
        ("/turn=2/planner/planned", "Plan: 4 new"),
        ("/concluded", "Decision: 1 new"),
    ):
        go(page, at[path])
        status.get_by_text(told).wait_for()
        shot(page, f"board-maven-{path.strip('/').replace('/', '-').replace('=', '')}")
    trace = page.locator(".wbw-board-trace article")
    assert 3 == trace.count()
    assert "factual 5 · coherence 5 · completeness 5 · neutrality 5" in trace.first.inner_text()
    assert 9 == page.locator(".wbw-board-knowledge article").count() + 3  # three a click away

    assert page.errors == []  # type: ignore[attr-defined]


def test_narrow(page: Page, tmp_path: Path) -> None:
    """One column at 360 pixels."""
    run = play(judging("reject", "accept"))
    page.set_viewport_size({"width": 360, "height": 800})
    mounted(page, VIEW, Source(run), tmp_path, at=len(run) - 1)
    page.locator(".wbw-board-decision").get_by_text("accepted").first.wait_for()
    shot(page, "board-maven-360")

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
