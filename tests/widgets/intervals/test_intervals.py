"""Intervals: a chart in the cell, the runs behind a mark, and one of them in the stepper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import workbench_widgets as ww
from workbench.figures.measures import MEASURES

FOLDER = Path(__file__).parents[3] / "sample_runs" / "conditions"
OUT = Path(__file__).parents[1] / "out"
CONDITIONS = {name: sorted(FOLDER.glob(f"{name}-*.run.jsonl")) for name in ("full", "no_tom")}


def test_what_is_listed() -> None:
    """All runs at first, then those of the conditions that are chosen."""
    made = ww.Intervals(CONDITIONS, "tokens_out")
    assert repr(made) == "<Intervals of Tokens written: full n = 3, no_tom n = 3>"
    assert [row["condition"] for row in made.list.rows] == ["full"] * 3 + ["no_tom"] * 3

    made.choose("no_tom")
    assert made.list.title == "no_tom"
    assert {row["condition"] for row in made.list.rows} == {"no_tom"}

    made.choose()
    assert len(made.list.rows) == 6


def test_the_choice_is_marked_in_the_chart() -> None:
    """A choice in the list is the chart's as well, and each draws the chart anew."""
    made = ww.Intervals(CONDITIONS, "tokens_out")
    assert made.list.conditions == [["full", 3], ["no_tom", 3]]
    specs = [made.chart.spec]
    for chosen in (["no_tom"], [], []):
        made.list._message(made.list, {"choose": chosen}, [])
        assert made.list.chosen == chosen
        assert made.chart.spec["params"][0]["value"] == [{"condition": name} for name in chosen]
        assert made.chart.spec not in specs
        specs.append(made.chart.spec)


def test_parts_have_faces() -> None:
    """The chart is a picture where no kernel is, and the list a table of what it lists."""
    made = ww.Intervals({"<b>": CONDITIONS["full"]}, "tokens_out")
    chart, listed = (made.chart._repr_mimebundle_(), made.list._repr_mimebundle_())
    data = [one[0] if isinstance(one, tuple) else one for one in (chart, listed)]

    assert data[0]["image/svg+xml"].startswith("<svg")
    assert "&lt;b&gt;" in data[1]["text/html"]
    assert "<td>full-3</td>" in data[1]["text/html"]
    assert "<b>" not in data[1]["text/html"]


def test_a_run_is_opened_with_its_audit() -> None:
    """The stepper has the verdicts of the audit that was among the files."""
    made = ww.Intervals(CONDITIONS, "words")
    digest = made.list.rows[0]["digest"]
    stepper = made.show_run(digest)

    assert stepper.run.digest == digest
    assert stepper.source.audit is not None
    assert made.children[-1] is stepper


@pytest.mark.parametrize("given", [7, [7]])
def test_what_is_no_run(given: object) -> None:
    """It is refused in a sentence, as by every widget."""
    with pytest.raises(
        TypeError, match=r"^a condition takes Runs or the path of a run's file, not"
    ):
        ww.Intervals({"a": given}, "tokens")  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"conditions": None}, "conditions= takes the runs by the name of their condition, as "),
        ({"conditions": [1]}, "conditions= takes the runs by the name of their condition, as "),
        ({"conditions": {}}, "conditions= takes the runs by the name of their condition, as "),
        ({"measure": ["calls"]}, "measure= takes one of tokens_out, "),
        ({"level": "x"}, "level= takes a share between 0 and 1, such as 0.95, not 'x'"),
        ({"seed": -1}, "seed= takes a whole number from 0 on, not -1"),
        ({"seed": None}, "seed= takes a whole number from 0 on, not None"),
        ({"resamples": 1.5}, "resamples= takes a whole number, such as 10000, not 1.5"),
        ({"title": 5}, "title= takes words, not 5"),
        ({"colour": 5}, "Intervals has no option 'colour'; it has level, resamples, seed, "),
    ],
)
def test_what_is_no_argument(given: dict[str, Any], told: str) -> None:
    """Each is refused in a sentence that says what is taken."""
    with pytest.raises(TypeError, match=re.escape(told)):
        ww.Intervals(**{"conditions": CONDITIONS, "measure": "words", **given})


def test_every_measure_is_named() -> None:
    """The docstring lists what can be measured."""
    assert all(f"``{name}``" in (ww.Intervals.__doc__ or "") for name in MEASURES)


def test_only_the_cell_has_the_colours_of_the_theme() -> None:
    """What is saved keeps those of its paper, and so does the cell where a paper was chosen."""
    made = ww.Intervals(CONDITIONS, "words")
    assert made.chart.spec["config"]["background"] == "var(--wbw-chart-paper, #ffffff)"
    assert made.figure.to_dict()["config"]["background"] == "#ffffff"
    chosen = ww.Intervals(CONDITIONS, "words", paper="dark")
    assert chosen.chart.spec["config"]["background"] == "#17181b"


def test_one_run_is_open_at_a_time() -> None:
    """The run that was opened before is let go of, and the last one with the whole."""
    made = ww.Intervals(CONDITIONS, "words")
    first, second = (made.show_run(row["digest"]) for row in made.list.rows[:2])
    assert first.comm is None
    assert second.comm is not None
    made.close()

    assert {child.comm for child in (second, made.chart, made.list)} == {None}


def test_a_width_of_numpys() -> None:
    """A whole number is one, whoever made it."""
    made = ww.Intervals(CONDITIONS, "words", width=np.int64(400))
    assert 400 == made.figure.to_dict()["width"]


def test_intervals_is_found_by_tab() -> None:
    """Although it is loaded late."""
    assert "Intervals" in dir(ww)


def test_an_error_in_a_callback_is_shown() -> None:
    """A run that is not there is told of in the widget."""
    made = ww.Intervals(CONDITIONS, "words")
    made.list._message(made.list, {"open": "nothing"}, [])

    assert "no run here has the digest" in made.list.problem


def test_still_picture(tmp_path: Path) -> None:
    """Without a kernel there is the picture, and files need no browser."""
    made = ww.Intervals(CONDITIONS, "words")
    bundle = made._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle

    assert data["image/svg+xml"].startswith("<svg")
    assert "percentile bootstrap" in data["image/svg+xml"]
    assert "<script" not in data["image/svg+xml"]
    for ending, begins in (("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        assert made.save(tmp_path / f"x.{ending}").read_bytes().startswith(begins)


INSIDE = """(svg) => { const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect())
    .every((text) => text.left >= box.left && text.right <= box.right + 0.5); }"""


@pytest.mark.browser
@pytest.mark.parametrize("width", ["column", "page", "slide"])
def test_no_word_is_cut_off(page: Page, width: Any) -> None:
    """Title and caption stay within the picture, also in a wider font than it was drawn with."""
    for measure in ("tokens_out", "tom_cosine"):
        made = ww.Intervals(CONDITIONS, measure, width=width)
        svg = made.figure._repr_mimebundle_()["image/svg+xml"]
        page.set_content(svg.replace("Liberation Sans", "DejaVu Sans"))
        assert page.locator("svg").evaluate(INSIDE), measure


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_a_click_lists_and_opens(notebook: Callable[..., Page], dark: bool) -> None:
    """In JupyterLab: click a mark, see its runs, open one, and nothing asks the network."""
    page = notebook(
        "from pathlib import Path\n"
        "import workbench_widgets as ww\n"
        f"folder = Path({str(FOLDER)!r})\n"
        "runs = {n: sorted(folder.glob(f'{n}-*.run.jsonl')) for n in ('full', 'no_tom')}\n"
        "ww.Intervals(runs, 'tokens_out')",
        name="intervals.ipynb",
        dark=dark,
    )
    page.get_by_text("All runs (6)").wait_for(timeout=60_000)
    marks = page.locator(".vega-embed .mark-symbol path")
    marks.first.wait_for(timeout=60_000)
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"intervals-lab-{'dark' if dark else 'light'}.png")
    ink, paper = page.locator(".vega-embed svg").evaluate(
        "(svg) => [getComputedStyle(svg.querySelector('.role-title-text text')).fill, "
        "getComputedStyle(svg.querySelector('.background') ?? svg.querySelector('path')).fill]"
    )
    assert ink == ("rgb(232, 230, 225)" if dark else "rgb(29, 28, 26)")
    assert paper in {"rgba(0, 0, 0, 0)", "none"}
    assert page.locator(".vega-embed svg").evaluate(INSIDE)
    marks.first.click()
    page.get_by_text("full (3)").wait_for(timeout=10_000)
    page.get_by_role("button", name="Open full-1 in the stepper").click()
    page.locator(".wbw-step").wait_for(timeout=30_000)
    assert "full-1" in page.locator(".wbw-intervals tr[aria-current]").inner_text()
    page.get_by_role("heading", name="Below: full-1 full").wait_for()
    page.locator(".wbw-intervals-below").scroll_into_view_if_needed()
    page.screenshot(path=OUT / f"intervals-opened-{'dark' if dark else 'light'}.png")

    box = page.locator(".wbw-step").bounding_box()
    assert box is not None
    assert box["y"] < page.viewport_size["height"]  # type: ignore[index]

    page.get_by_label("List the runs of").select_option("no_tom")
    page.get_by_text("no_tom (3)").wait_for(timeout=10_000)
    chosen = "rgb(243, 154, 107)" if dark else "rgb(168, 72, 10)"
    paints = "[...document.querySelectorAll('.vega-embed .mark-symbol path')].map((mark) => "
    paints += "getComputedStyle(mark).fill)"
    page.wait_for_function(f"() => {paints}.at(-1) === '{chosen}'")
    assert page.evaluate(paints)[0] != chosen
    marks.first.click()
    page.get_by_text("full (3)").wait_for(timeout=10_000)
    page.get_by_label("List the runs of").select_option("All runs")
    page.get_by_text("All runs (6)").wait_for(timeout=10_000)

    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.browser
def test_no_word_of_the_list_is_in_pieces(marimo_app: Callable[..., Page]) -> None:
    """Buttons, heads and numbers are whole, however narrow; what does not fit is scrolled to."""
    long = "an_unreasonably_long_condition_without_spaces_at_temperature_0.7"
    page = marimo_app(
        "from pathlib import Path\n"
        "import workbench_widgets as ww\n"
        f"folder = Path({str(FOLDER)!r})\n"
        f"runs = {{n: sorted(folder.glob(f'{{c}}-?.run.jsonl')) for n, c in "
        f"(({long!r}, 'full'), ('no theory of mind, seeds 1 to 3', 'no_tom'))}}\n"
        "ww.Intervals(runs, 'words')"
    )
    page.get_by_text("All runs (6)").wait_for(timeout=60_000)
    for width in (360, 640, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        page.screenshot(path=OUT / f"intervals-marimo-{width}.png")
        for one in page.locator(".wbw-intervals td button").all():
            assert one.bounding_box()["height"] < 40  # type: ignore[index]
        told = page.locator(".wbw-intervals").evaluate(
            """(view) => {
          const line = (one) => parseFloat(getComputedStyle(one).fontSize) * 1.5;
          const tall = (one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getBoundingClientRect().height / line(one);
          };
          const words = ["Run", "Condition", "over", "Seed"];
          const heads = [...view.querySelectorAll("thead th")];
          const short = heads.filter((head) => words.includes(head.textContent));
          const names = [...view.querySelectorAll("tbody th + td")];
          const [label, caption] = ["select", "caption"].map((one) =>
            view.querySelector(one).getBoundingClientRect());
          return { lines: Math.max(...short.map(tall)), heads: short.length,
            gap: caption.top - label.bottom, right: label.right,
            name: Math.min(...names.map((one) => one.clientWidth)) };
        }"""
        )
        assert told["heads"] == 4
        assert told["lines"] < 1.5
        assert told["gap"] >= 6
        assert told["right"] <= width
        assert told["name"] > 80


@pytest.mark.browser
def test_what_was_opened_of_many_is_in_sight(notebook: Callable[..., Page]) -> None:
    """The list has a height of its own, and the page goes to the run that was opened."""
    page = notebook(
        "import workbench as wb\nimport workbench_widgets as ww\n"
        '@wb.protocol("talk")\ndef talk(k):\n'
        '    yield from wb.ask("speak", "ann", [f"say {k}"])\n'
        'lm = wb.ScriptedLM(lambda asked: "yes")\n'
        "runs = [wb.run_sync(talk(k), lm=lm, seed=k) for k in range(200)]\n"
        "ww.Intervals({'many': runs[:150], 'more': runs[150:]}, 'tokens_out')",
        name="many.ipynb",
    )
    page.get_by_text("All runs (200)").wait_for(timeout=60_000)
    listed = page.locator(".wbw-intervals-scroll")
    assert listed.bounding_box()["height"] < 400  # type: ignore[index]
    button = listed.get_by_role("button", name="Open").nth(120)
    button.scroll_into_view_if_needed()
    top = listed.evaluate("(list) => list.scrollTop")
    button.click()
    page.locator(".wbw-step").wait_for(timeout=30_000)
    page.wait_for_timeout(1000)
    box = page.locator(".wbw-step").bounding_box()
    assert box is not None
    assert 0 < box["y"] < page.viewport_size["height"]  # type: ignore[index]
    assert listed.evaluate("(list) => list.scrollTop") == top  # one is where one was in the list
    assert page.evaluate("document.activeElement.textContent") == "Open"
