"""The board, and predict and reveal, in a real JupyterLab and a real marimo, on one cursor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[3]

MAKE = f"""import sys; sys.path.insert(0, {str(ROOT)!r})
import workbench as wb
from workbench_widgets import Predict, ToMBoard
from tests.scripts import CASE, judge, play
from workbench.agents.case import Case
run = play(Case.model_validate(CASE))
audit = wb.run_sync(wb.audit(run, embeddings=False), lm=judge())"""


def guess(page: Page) -> None:
    """Guess the first contribution."""
    page.get_by_role("textbox", name="What will").fill("hm")
    page.locator(".wbw-predict textarea").press("Control+Enter")
    page.get_by_text("contribution-1-").first.wait_for()


def test_jupyter_lab(notebook: Callable[..., Page]) -> None:
    """Predict draws the cursor back, the board follows it, and Python has the guesses."""
    page = notebook(
        MAKE,
        "board = ToMBoard(run, audit=audit)\nboard.cursor.at = len(run) - 1\nboard",
        "guessing = Predict(run, audit=audit)\nguessing",
        name="tom.ipynb",
    )
    page.wait_for_selector(".wbw-predict textarea", timeout=60_000)
    board = page.locator(".wbw-tom").first
    board.get_by_text("6 not yet predicted").wait_for()
    page.locator(".wbw-predict").scroll_into_view_if_needed()
    assert page.locator(".jp-Cell:last-child").get_by_text("contribution-1-").count() == 0
    guess(page)
    cell = board.locator("td[data-row]").first
    cell.scroll_into_view_if_needed()
    cell.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.column") == "1"
    board.get_by_role("button", name="Later turn").click()
    board.get_by_text("6 consistent of 6 judged").wait_for()
    board.locator("td[data-state=consistent]").first.click()
    board.get_by_text("foreseen").wait_for()
    assert page.errors == []  # type: ignore[attr-defined]


def test_marimo(marimo_app: Callable[..., Page]) -> None:
    """So it is in marimo, where the data that a page holds tells nothing either."""
    page = marimo_app(
        f"import marimo as mo\n{MAKE}\n"
        "board = ToMBoard(run, audit=audit)\n"
        "guessing = mo.ui.anywidget(Predict(run, audit=audit))\n"
        "mo.vstack([board, guessing])",
        'mo.md(f\'guessed: {[g["guess"] for g in guessing.value["guesses"]]}\')',
    )
    page.wait_for_selector(".wbw-predict textarea", timeout=60_000)
    page.wait_for_selector(".wbw-tom-matrix", timeout=60_000)
    assert "contribution-1-analyst" not in page.locator(".wbw-predict").inner_html()
    guess(page)
    page.get_by_text("guessed: ['hm']").wait_for(timeout=30_000)
    assert page.errors == []  # type: ignore[attr-defined]
