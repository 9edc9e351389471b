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


def test_what_was_started_otherwise_is_on_one_line(notebook: Open) -> None:
    """JupyterLab's own style of a list of definitions does not break its names into pieces."""
    page = notebook(
        "from dataclasses import replace\nimport workbench as wb\n"
        "from workbench_widgets import Compare\n"
        f"run = wb.open_run({str(SAMPLE / 'aura_hub.run.jsonl')!r})\n"
        "begun = replace(run.started, seed=77)\n"
        "Compare(run, wb.Run([begun, *run.events[1:]]))",
        name="otherwise.ipynb",
    )
    name = page.locator(".wbw-compare-given dt").first
    expect(name).to_be_visible(timeout=60_000)
    told = name.evaluate(
        "(e) => ({float: getComputedStyle(e).float, weight: getComputedStyle(e).fontWeight, "
        "lines: e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight)})"
    )
    assert told == {"float": "none", "weight": "400", "lines": pytest.approx(1, abs=0.2)}


def test_in_marimo(marimo_app: Open) -> None:
    """It opens as an element of marimo, and steps."""
    page = marimo_app(f"import marimo as mo\n{CELL}\nshown = mo.ui.anywidget(compared)\nshown")
    detail = page.locator(".wbw-compare-detail")
    expect(detail.locator("ins").first).to_contain_text("A pair of wall switches", timeout=60_000)
    page.get_by_label("Next difference").click()
    expect(detail).to_contain_text("/turn=1/product_manager/proposal")
    assert [] == page.errors  # type: ignore[attr-defined]
