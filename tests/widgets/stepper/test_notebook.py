"""The stepper in a real JupyterLab and marimo: a live session, a failure, a fork, the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widgets.mounted import OUT

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TALK = """
import workbench as wb
from workbench_widgets import Stepper

@wb.protocol("talk")
def talk(turns=8, n=3):
    last = []
    for turn in range(1, turns + 1):
        def speak(i, read=tuple(last)):
            reply = yield from wb.ask("speak", f"agent{i}", [*read, f"Speak in turn {turn}."])
            return wb.Part(reply.text, reply.path)
        said = yield from wb.all_of(f"turn={turn}", {f"a{i}": speak(i) for i in range(n)})
        last = list(said.values())
    return turns

failing = {"/turn=2/a1/speak"}

def says(asked):
    if asked.path in failing:
        failing.discard(asked.path)
        raise RuntimeError("the model is asleep")
    return f"I say {asked.path}."

lm = wb.ScriptedLM(says, latency_s=0.25)
"""
LIVE = """
session = wb.Session(talk(turns=24), lm=lm)
stepper, beside = Stepper(session), Stepper(session)
display(stepper, beside)
"""
BIG = 2**53 + 1
FORK = """
lm = wb.ScriptedLM(lambda asked: f"I now say {asked.path}.")
run = wb.run_sync(talk(turns=2), lm=wb.ScriptedLM(lambda asked: f"I said {asked.path}."))
forking = Stepper(run, lm=lm)
forking
"""
TOLD = """
fork = forking.forks[-1] if forking.forks else None
print("FORK", fork and (fork.status, fork.usage.calls, fork.started.lineage.edits))
print("SEED", fork and fork.started.lineage.seed)
"""

Open = Callable[..., Page]


def events(page: Page) -> int:
    """Return how many events the first stepper tells of."""
    told = page.locator(".wbw-step").first.locator(".wbw-step-field").nth(1).inner_text()
    return int(told.rpartition("of")[2].replace(",", ""))


def test_a_live_session_and_a_fork_in_jupyterlab(notebook: Open) -> None:
    """Step, play, fail, ask again, stop (from the widget beside, too), end; then fork a turn."""
    page = notebook(TALK, LIVE, FORK, TOLD, name="stepper.ipynb")
    first = page.locator(".wbw-step").first
    live = first.get_by_role("region", name="The live run")
    expect(live).to_contain_text("live and waits", timeout=60_000)
    expect(live.locator("li")).to_have_count(3)
    before = events(page)
    live.get_by_role("button", name="Step to the next answer").click()
    expect(live.locator("li").first).to_contain_text("a1/speak")
    assert events(page) == before + 1

    live.get_by_role("button", name="Play to a stop or the end").click()
    expect(live).to_contain_text("the model is asleep", timeout=20_000)
    live.scroll_into_view_if_needed()
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / "stepper-lab-failed.png")
    live.get_by_role("button", name="Ask again").click()
    expect(live).not_to_contain_text("the model is asleep")

    live.get_by_role("button", name="Finish the turn").click()
    expect(live).to_contain_text("turn=3/a0/speak")
    live.get_by_role("button", name="Play to a stop or the end").click()
    live.get_by_role("button", name="Stop", exact=True).click()
    expect(live).to_contain_text("live and waits", timeout=20_000)
    held = events(page)
    page.wait_for_timeout(600)
    assert held == events(page)

    beside = page.locator(".wbw-step").nth(1).get_by_role("region", name="The live run")
    live.get_by_role("button", name="Play to a stop or the end").click()
    expect(beside).to_contain_text("Running")
    expect(beside.get_by_role("button", name="Play to a stop or the end")).to_be_disabled()
    beside.get_by_role("button", name="Stop", exact=True).click()
    for one in (live, beside):
        expect(one).to_contain_text("live and waits", timeout=20_000)
    assert held < events(page)

    first.locator(".wbw-step-row[aria-selected=true]").click()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(live).to_contain_text("3 events behind its edge")
    active = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    assert active.count() == 1
    live.get_by_role("button", name="Go to the live edge").click()
    live.get_by_role("button", name="Play to a stop or the end").click()
    expect(live).to_contain_text("has ended", timeout=60_000)

    forked(page)
    assert page.errors == []  # type: ignore[attr-defined]


def forked(page: Page) -> None:
    """Fork the second turn in the last stepper, look at the fork, and find it in Python."""
    second = page.locator(".wbw-step").nth(2)
    second.scroll_into_view_if_needed()
    second.get_by_label("Turn", exact=True).fill("2")
    page.keyboard.press("Enter")
    second.locator(".wbw-step-forking summary").click()
    second.get_by_label("What to change").select_option(label="ask the whole turn again: /turn=2")
    second.get_by_label("Seed").fill(str(BIG))
    second.get_by_role("button", name="Make the fork").click()
    second.get_by_role("button", name="fork 1").click()
    expect(second.locator(".wbw-step-lineage")).to_contain_text("asked again /turn=2")
    expect(second.locator(".wbw-step-lineage")).to_contain_text("3 answers inherited")
    second.get_by_label("Turn", exact=True).fill("2")
    page.keyboard.press("Enter")
    second.scroll_into_view_if_needed()
    page.screenshot(path=OUT / "stepper-lab-fork.png")
    page.locator(".jp-Cell .jp-InputArea-editor").nth(3).click()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".jp-OutputArea-output", has_text="FORK").last).to_contain_text(
        "('complete', 3, {'at': ['/turn=2']})"
    )
    expect(page.locator(".jp-OutputArea-output", has_text="SEED").last).to_contain_text(str(BIG))
    second.get_by_role("button", name="the run").click()
    expect(second.locator(".wbw-step-lineage")).to_have_count(0)


CELLS = """
other = wb.Session(talk(turns=3), lm=wb.ScriptedLM(lambda asked: f"I say {asked.path}."))
Stepper(other)
"""


def test_another_cell_steps_and_then_the_kernel_is_gone(notebook: Open) -> None:
    """What a cell does is shown at once; after a restart the view says so, and still steps."""
    page = notebook(TALK, CELLS, "other.step()", "other.play();", name="cells.ipynb")
    live = page.locator(".wbw-step-live").first
    expect(live).to_contain_text("has ended", timeout=60_000)
    expect(live.get_by_role("button", name="Finish the turn")).to_be_disabled()
    page.click(".lm-MenuBar-itemLabel:text('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Restart Kernel…')")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(page.locator(".wbw-gone")).to_contain_text(
        "No kernel answers this view. The saved view still steps through the whole", timeout=60_000
    )
    page.locator(".wbw-step-forking summary").click()
    expect(page.get_by_role("button", name="Make the fork")).to_be_disabled()
    expect(page.locator(".wbw-step-form")).to_contain_text("A fork needs a kernel")
    step = page.locator(".wbw-step").first
    step.focus()
    page.keyboard.press("Home")
    expect(step.locator(".wbw-step-detail")).to_contain_text("Parameters")
    page.screenshot(path=OUT / "stepper-lab-gone.png")
    assert page.errors == []  # type: ignore[attr-defined]


SHOWN = """
import workbench as wb
from workbench_widgets import Board, Predict, Stepper

run = wb.run_sync(talk(turns=2), lm=wb.ScriptedLM(lambda asked: f"I say {asked.path}."))
display(Stepper(run), Board(run), Predict(run))
"""


def test_every_view_says_that_the_kernel_was_shut_down(notebook: Open) -> None:
    """At once, also those of a complete run, which ask the kernel for no page."""
    page = notebook(TALK, SHOWN, name="shut.ipynb")
    page.locator(".wbw-predict").wait_for(timeout=60_000)
    step = page.locator(".wbw-step").first
    step.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".wbw-gone").count() == 0
    page.click(".lm-MenuBar-itemLabel:text('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Shut Down Kernel')")
    expect(page.locator(".wbw-gone")).to_have_count(3, timeout=30_000)
    page.screenshot(path=OUT / "stepper-lab-shut.png")
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.fixture
def state_saved(lab: tuple[str, Path]) -> Iterator[Callable[[], None]]:
    """Let JupyterLab save the widgets' state into the notebook, as its settings menu does."""
    folder = lab[1] / "settings" / "@jupyter-widgets" / "jupyterlab-manager"
    setting = folder / "plugin.jupyterlab-settings"

    def switch() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        setting.write_text('{"saveState": true}')

    yield switch
    setting.unlink(missing_ok=True)


@pytest.mark.parametrize("saved", [False, True])
def test_a_notebook_is_opened_again(
    notebook: Open, state_saved: Callable[[], None], saved: bool
) -> None:
    """A new kernel starts: a view is there if its state was saved, else once its cell is run."""
    if saved:
        state_saved()
    name = f"again-{saved}.ipynb"
    page = notebook(
        TALK,
        SHOWN.replace("display(Stepper(run), Board(run), Predict(run))", "Stepper(run)"),
        name=name,
    )
    page.locator(".wbw-step").wait_for(timeout=60_000)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)
    page.click(".lm-MenuBar-itemLabel:text('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Shut Down Kernel')")
    expect(page.locator(".wbw-gone")).to_have_count(1, timeout=30_000)
    page.goto("about:blank")
    page = notebook(name=name, run=False)
    output = page.locator(".jp-Cell").nth(1).locator(".jp-OutputArea-output")
    if saved:
        step = output.locator(".wbw-step")
        step.wait_for(timeout=60_000)
        expect(output.locator(".wbw-gone")).to_have_count(1)
        step.focus()
        page.keyboard.press("End")
        expect(step.locator(".wbw-step-detail")).to_contain_text("The run is complete")
    else:
        expect(output).to_contain_text("Error displaying widget: model not found", timeout=60_000)
        page.click(".lm-MenuBar-itemLabel:text('Run')")
        page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        page.locator(".wbw-step").wait_for(timeout=60_000)
        expect(page.locator(".wbw-gone")).to_have_count(0)
    page.screenshot(path=OUT / f"stepper-lab-again-{saved}.png")
    assert page.errors == []  # type: ignore[attr-defined]


def test_marimo_shows_and_steps(marimo_app: Open) -> None:
    """In marimo it shows, steps by key, and asks the kernel."""
    cell = (
        "import marimo as mo\nimport workbench as wb\nfrom workbench_widgets import Stepper\n"
        f"{_indented(TALK)}\n"
        "widget = mo.ui.anywidget(Stepper(wb.run_sync(talk(), lm=wb.ScriptedLM(lambda a: a.path))))"
        "\nwidget"
    )
    page = marimo_app(cell)
    node = page.locator(".wbw-step")
    node.wait_for(timeout=60_000)
    node.focus()
    page.keyboard.press("End")
    expect(node.locator(".wbw-step-detail")).to_contain_text("The run is complete")
    page.keyboard.press("ArrowLeft")
    expect(node.locator(".wbw-step-detail")).to_contain_text("Reply, as it came")
    page.screenshot(path=OUT / "stepper-marimo.png")


def _indented(code: str) -> Any:
    """Return code without the imports, which stand above it in the one cell."""
    return "\n".join(line for line in code.splitlines() if not line.startswith(("import", "from")))
