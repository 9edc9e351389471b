"""The marimo apps run, and what they show is a function of the cursor."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

import workbench_widgets as ww
from workbench_widgets.consult import payload as consult

APPS = Path(__file__).parents[2] / "notebooks" / "marimo"
OUT = Path(__file__).parent / "out"


@pytest.mark.parametrize("name", sorted(path.stem for path in APPS.glob("*.py")))
def test_runs_as_a_script(name: str) -> None:
    """An app is a program that comes to its end, and marimo finds nothing wrong with it."""
    for command in (
        [str(APPS / f"{name}.py")],
        ["-m", "marimo", "check", str(APPS / f"{name}.py")],
    ):
        done = subprocess.run(
            [sys.executable, *command], check=False, capture_output=True, text=True, timeout=120
        )

        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_surface(marimo_app: Callable[..., Page], tmp_path: Path, theme: str) -> None:
    """In either theme of marimo a widget and a run's face stand on the page, not in a box."""
    run = APPS.parents[1] / "sample_runs/vance_v_innovate/vance_v_innovate.run.jsonl"
    app = tmp_path / "app.py"
    app.write_text(
        f"# /// script\n# [tool.marimo.display]\n# theme = {theme!r}\n# ///\n"
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n"
        "    import marimo as mo\n    import workbench as wb\n    import workbench_widgets as ww\n"
        f"    run = wb.open_run({str(run)!r})\n"
        "    mo.vstack([mo.ui.anywidget(ww.GraphView(run)), run])\n"
    )
    page = marimo_app(file=app)
    page.wait_for_selector(".wbw-graph-node", timeout=60_000)
    page.wait_for_selector(".wb-run", timeout=60_000)
    drawn = page.evaluate(
        """() => {
      const pixel = document.createElement("canvas").getContext("2d");
      const seen = (node) => {
        pixel.fillStyle = getComputedStyle(node).backgroundColor;
        pixel.fillRect(0, 0, 1, 1);
        return [...pixel.getImageData(0, 0, 1, 1).data];
      };
      const all = (root) => [...root.querySelectorAll("*")].flatMap(
        (node) => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
      const boxes = all(document).filter((node) => node.matches(".wbw:has(.wbw-graph), .wb-run"));
      return [document.body, ...boxes].map(seen);
    }"""
    )
    assert len(drawn) == 3
    assert drawn == [[255, 255, 255, 255] if theme == "light" else [24, 28, 26, 255]] * 3


@pytest.mark.browser
def test_explorer(marimo_app: Callable[..., Page]) -> None:
    """A step in the widget changes the tables below it."""
    page = marimo_app(file=APPS / "explorer.py")
    page.wait_for_selector(".wbw-step", timeout=60_000)
    page.get_by_role("heading", name="Up to event 1 of 54").wait_for(timeout=30_000)
    page.locator(".wbw-step").focus()
    page.keyboard.press("End")
    page.get_by_role("heading", name="Up to event 54 of 54").wait_for(timeout=30_000)
    page.get_by_text("nominated", exact=True).last.wait_for()
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / "marimo-explorer.png", full_page=True)

    assert page.errors == []  # type: ignore[attr-defined]


def test_a_consultation_comes_with_its_comparison() -> None:
    """Of a consultation the explorer takes the comparison and the corpus that stand beside it."""
    app = runpy.run_path(str(APPS / "explorer.py"))["app"]
    folder = APPS.parents[1] / "sample_runs/handbook"
    for name in ("annual_leave", "hours", "notice"):
        run = folder / f"{name}.run.jsonl"
        beside = folder / f"{name}.comparison.run.jsonl"
        corpus = folder.parents[1] / "corpora/handbook"

        _, defined = app.run(defs={"which": SimpleNamespace(value=run)})
        shown = defined["view"].widget.source
        wanted = ww.explorer(run, comparison=beside, corpus=corpus).source
        told, wants = (consult.MAKERS["consult_about"](one, "") for one in (shown, wanted))

        assert shown.corpus.resolve() == corpus
        assert told == wants


@pytest.mark.browser
def test_a_run_behind_a_mean_is_opened(marimo_app: Callable[..., Page], tmp_path: Path) -> None:
    """A click marks the row, and the next cell shows its run, as `Intervals` says."""
    folder = str(APPS.parents[1] / "sample_runs/conditions")
    app = tmp_path / "app.py"
    app.write_text(
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n"
        "    import glob\n    import marimo as mo\n    import workbench_widgets as ww\n"
        f"    found = sorted(glob.glob({folder!r} + '/full-?.run.jsonl'))\n"
        "    x = ww.Intervals({'full': found}, 'words')\n"
        "    runs = mo.ui.anywidget(x.list)\n"
        "    mo.vstack([mo.ui.anywidget(x.chart), runs])\n"
        "    return mo, runs, x\n\n\n@app.cell\ndef _(mo, runs, x):\n"
        "    mo.stop(runs.value['opened'] is None, mo.md('none yet'))\n"
        "    mo.ui.anywidget(x.show_run(runs.value['opened']['digest']))\n"
    )
    page = marimo_app(file=app)
    page.get_by_text("none yet").wait_for(timeout=60_000)
    for row in (0, 1):
        page.get_by_role("button", name="Open").nth(row).click()
        page.get_by_text(f"Chosen: full-{row + 1}").wait_for(timeout=30_000)
        page.wait_for_selector(".wbw-step", timeout=30_000)

    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.browser
def test_intervals_as_a_whole(marimo_app: Callable[..., Page]) -> None:
    """Bare or in marimo's wrapper it is the chart with its list, and says how a run is shown."""
    folder = str(APPS.parents[1] / "sample_runs/conditions")
    page = marimo_app(
        "import glob\nimport marimo as mo\nimport workbench_widgets as ww\n"
        f"runs = {{n: sorted(glob.glob({folder!r} + f'/{{n}}-?.run.jsonl'))"
        " for n in ('full', 'no_tom')}\n"
        "x = ww.Intervals(runs, 'words')\n"
        "mo.vstack([x, mo.ui.anywidget(ww.Intervals(runs, 'calls'))])"
    )
    for place in (0, 1):
        listed = page.locator(".wbw-intervals").nth(place)
        listed.get_by_text("All runs (6)").wait_for(timeout=60_000)
        listed.get_by_label("List the runs of").select_option("no_tom")
        listed.get_by_text("no_tom (3)").wait_for(timeout=30_000)
        listed.get_by_role("button", name="Open").first.click()
        listed.get_by_text("Chosen: no_tom-1").wait_for(timeout=30_000)
        listed.get_by_text("To see it: runs = mo.ui.anywidget(x.list)").wait_for(timeout=30_000)
    page.locator(".vega-embed .mark-symbol path").first.click()
    page.get_by_text("full (3)").wait_for(timeout=30_000)

    assert page.errors == []  # type: ignore[attr-defined]


TALK = """import marimo

app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import workbench as wb
    import workbench_widgets as ww

    @wb.protocol("talk")
    def talk():
        for turn in (1, 2):
            def speak(name):
                reply = yield from wb.ask("speak", name, ["Speak."])
                return reply.text
            yield from wb.all_of(f"turn={turn}", {n: speak(n) for n in ("ann", "bob")})

    lm, other = (wb.ScriptedLM(lambda asked, word=word: word) for word in ("OLD", "NEW"))
    live = mo.ui.anywidget(ww.Stepper(wb.Session(talk(), lm=lm)))
    kept = mo.ui.anywidget(ww.Stepper(wb.run_sync(talk(), lm=lm), lm=other))
    mo.vstack([live, kept])
    return kept, live, mo

@app.cell
def _(live, mo):
    mo.md(f"## Live {live.value['at'] + 1} of {len(live.widget.run)}")

@app.cell
def _(kept, mo):
    mo.md("## Kept " + " ".join(answer.text for answer in kept.widget.run.answers.values()))
"""


@pytest.mark.browser
def test_what_a_button_changes_is_followed(marimo_app: Callable[..., Page], tmp_path: Path) -> None:
    """Cells that depend on a widget follow a live run's buttons, and show a fork where it is."""
    app = tmp_path / "app.py"
    app.write_text(TALK)
    page = marimo_app(file=app)
    page.get_by_role("heading", name="Live 1 of 3").wait_for(timeout=60_000)
    page.get_by_role("button", name="Step to the next answer").click()
    page.get_by_role("heading", name="Live 4 of 4").wait_for(timeout=30_000)
    page.get_by_role("button", name="Play to a stop or the end").click()
    page.get_by_role("heading", name="Live 10 of 10").wait_for(timeout=30_000)

    step = page.locator(".wbw-step").last
    step.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    step.get_by_text("Fork here", exact=True).click()
    step.get_by_role("button", name="Make the fork").click()
    step.get_by_role("button", name="fork 1").click()
    page.get_by_role("heading", name="NEW").wait_for(timeout=30_000)
    step.get_by_role("button", name="the run", exact=True).click()
    page.get_by_role("heading", name="NEW").wait_for(state="detached", timeout=30_000)

    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.browser
def test_classroom(marimo_app: Callable[..., Page]) -> None:
    """A guess that is written in the widget is in the table of guesses."""
    page = marimo_app(file=APPS / "classroom.py")
    page.wait_for_selector(".wbw textarea", timeout=60_000)
    page.get_by_role("heading", name="What was guessed (0)").wait_for(timeout=30_000)
    page.locator(".wbw textarea").first.fill("They will argue about the budget.")
    page.get_by_role("button", name="Reveal").click()
    page.get_by_role("heading", name="What was guessed (1)").wait_for(timeout=30_000)
    page.get_by_text("They will argue about the budget.").first.wait_for()
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / "marimo-classroom.png", full_page=True)

    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.browser
def test_a_graph_beside_a_live_run_is_drawn_anew(
    marimo_app: Callable[..., Page], tmp_path: Path
) -> None:
    """Each step brings agents and edges; none is told of by its number in an older drawing."""
    app = tmp_path / "app.py"
    app.write_text(
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n"
        f"    import sys\n    sys.path.insert(0, {str(APPS.parents[1])!r})\n"
        "    import marimo as mo\n    import workbench as wb\n    import workbench_widgets as ww\n"
        "    from pathlib import Path\n"
        "    from tests.scripts import CASE, WORLD, agents, write_case\n"
        f"    case = wb.Case.read(write_case(Path({str(tmp_path / 'case')!r}), CASE))\n"
        "    s = wb.Session(wb.bilayer(case, turns=2), lm=agents(), world=WORLD)\n"
        "    mo.vstack([mo.ui.anywidget(w) for w in (ww.Stepper(s), ww.GraphView(s))])\n"
    )
    page = marimo_app(file=app)
    page.wait_for_selector(".wbw-graph-node", timeout=60_000)
    page.locator(".wbw-step").first.focus()
    page.keyboard.press("End")
    live = page.locator('section[aria-label="The live run"]')
    step = live.get_by_role("button", name="Step to the next answer", exact=True)
    for _ in range(6):
        before = live.inner_text()
        step.click()
        expect(live).not_to_have_text(before, use_inner_text=True, timeout=15_000)
        page.wait_for_timeout(400)

    expect(page.locator(".wbw-graph-node")).to_have_count(4)
    told = page.locator(".wbw-graph-status").inner_text()
    assert "acts" in told
    assert "not drawn" not in told
