"""The comparison in the real JupyterLab and the real marimo."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.widgets.compare.forks import PROPOSE, SAMPLE

pytestmark = pytest.mark.browser

CELL = f"""
import workbench as wb
from workbench_widgets import Compare, Stepper
run = wb.open_run({str(SAMPLE / "aura_hub.run.jsonl")!r})
text = run.answers[{PROPOSE!r}].text
cheap = text.replace("On-device voice control", "A pair of wall switches")
lm = wb.ScriptedLM(lambda asked: run.answers[asked.path].text)
fork = wb.wait(wb.fork(run, {{{PROPOSE!r}: cheap}}, rule="unchanged", lm=lm))
compared = Compare(fork, run)
"""

Open = Callable[..., Page]


def test_in_jupyterlab(notebook: Open) -> None:
    """It opens, steps by key, and moves the cursor of the run in Python."""
    page = notebook(
        CELL,
        "compared",
        "from ipywidgets import Label, link\n"
        "told = Label()\n"
        "compared.cursor.observe(lambda c: setattr(told, 'value', f'at {c.new}'), names=['at'])\n"
        "told",
        name="compare.ipynb",
    )
    detail = page.locator(".wbw-compare-detail")
    expect(detail.locator("ins").first).to_contain_text("A pair of wall switches", timeout=60_000)
    page.locator(".wbw-compare-cell[aria-current]").focus()
    page.keyboard.press("ArrowDown")
    expect(detail).to_contain_text("/turn=1/product_manager/proposal")
    expect(page.locator(".jp-OutputArea .widget-label")).to_have_text("at 13", timeout=10_000)
    page.locator(".wbw-compare").scroll_into_view_if_needed()
    assert [] == page.errors  # type: ignore[attr-defined]
    assert [] == page.left  # type: ignore[attr-defined]


def test_in_marimo(marimo_app: Open) -> None:
    """It opens as an element of marimo, and steps."""
    page = marimo_app(f"import marimo as mo\n{CELL}\nshown = mo.ui.anywidget(compared)\nshown")
    detail = page.locator(".wbw-compare-detail")
    expect(detail.locator("ins").first).to_contain_text("A pair of wall switches", timeout=60_000)
    page.get_by_label("Next difference").click()
    expect(detail).to_contain_text("/turn=1/product_manager/proposal")
    assert [] == page.errors  # type: ignore[attr-defined]
