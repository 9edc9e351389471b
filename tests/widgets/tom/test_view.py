"""The board in a real browser: the story by steps, a pair in full, strips, odd runs, speed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page

import workbench as wb
from tests.widgets.hostile import HOSTILE, hostile_run
from tests.widgets.mounted import go, mounted, shot
from tests.widgets.tom.runs import empty, large, odd, stopped
from workbench_widgets.shared.source import BUDGET, Source
from workbench_widgets.tom import payload

pytestmark = pytest.mark.browser
SAMPLES = Path(__file__).parents[3] / "sample_runs"


def sample(name: str) -> Source:
    """Return a recorded run with its audit."""
    folder = SAMPLES / name
    return Source(
        wb.open_run(folder / f"{name}.run.jsonl"), wb.open_run(folder / f"{name}.audit.run.jsonl")
    )


def states(page: Page) -> list[str]:
    """Return the states of all cells, row by row."""
    return page.eval_on_selector_all("td[data-state]", "cells => cells.map(c => c.dataset.state)")


def at(page: Page) -> int:
    """Return where the shared cursor is."""
    return page.evaluate("window.store.get('at')")


def test_stepping_tells_the_story(page: Page, tmp_path: Path) -> None:
    """A prediction, then the contribution, then the verdict; nothing before it happened."""
    mounted(page, payload, sample("vance_v_innovate"), tmp_path)
    summary = page.locator(".wbw-tom-summary")

    assert summary.inner_text() == "The turn has not begun: there is no goal yet."
    go(page, 10)
    assert set(states(page)) == {"self", "due"}
    go(page, 25)
    assert states(page) == [
        "self",
        "due",
        "due",
        "waiting",
        "self",
        "waiting",
        "due",
        "due",
        "self",
    ]
    assert summary.inner_text() == "2 not yet said · 4 not yet predicted"
    go(page, 28)
    assert states(page)[3:8] == ["waiting", "self", "inconsistent", "waiting", "inconsistent"]
    assert summary.inner_text() == "0 consistent of 2 judged · 2 not yet said · 2 not yet predicted"
    go(page, 71)
    assert summary.inner_text() == "1 consistent of 6 judged"
    assert page.get_by_role("gridcell", name="consistent, cosine 0.10").count() == 1
    page.get_by_role("button", name="Earlier turn").click()
    assert at(page) == 31
    page.evaluate("window.store.set('order', 'path')")
    assert summary.inner_text() == "2 not yet said · 4 not yet predicted"  # by path, a comes first
    page.get_by_role("button", name="Later turn").click()
    assert summary.inner_text() == "1 consistent of 6 judged"
    assert page.errors == []  # type: ignore[attr-defined]


def test_heads_of_long_names_stand_apart(page: Page, tmp_path: Path) -> None:
    """Over narrow columns a long name is cut, and whole in its tooltip."""
    names = [
        "Senior Associate for Regulatory Affairs and Compliance",
        "Head of Product Marketing and Customer Communications",
        "Lead Engineer, Embedded Systems and Firmware Security",
        "W" * 50,
    ]
    run, audit = hostile_run([*names, "one", "two"])
    mounted(page, payload, Source(run, audit), tmp_path, at=len(run) - 2)
    heads = page.locator(".wbw-tom-tight thead th span")
    boxes = [box for head in heads.all() if (box := head.bounding_box()) is not None]

    assert len(boxes) > 6
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"]
    assert heads.first.inner_text() == "Senior Associate for Regulatory…"
    assert heads.first.get_attribute("title") == names[0]
    shot(page, "tom-names")


def test_a_pair_in_full(page: Page, tmp_path: Path) -> None:
    """A cell opens both texts with the reason, and leads to their events; keys do all of it."""
    source = sample("vance_v_innovate")
    mounted(page, payload, source, tmp_path, at=71)
    page.locator("td[data-row][tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    panel = page.locator(".wbw-tom-panel")
    seat = source.told.turns[1].seats["paralegal_researcher"]
    then = source.told.turns[1].seats["associate_attorney"]
    words = panel.inner_text()

    assert dict(seat.predictions)["associate_attorney"] in words
    assert then.contribution in words
    assert source.judged.tom[seat.path, "associate_attorney"].reason in words
    assert "cosine 0.099" in words
    panel.get_by_role("button", name="event").first.click()
    assert source.run.events[at(page)].path == seat.path
    assert "Not yet said at this step." in panel.inner_text()
    panel.get_by_role("button", name="event").last.click()
    assert source.run.events[at(page)].path == then.path
    panel.get_by_role("button", name="Close").click()
    assert panel.count() == 0
    assert page.evaluate("document.activeElement.dataset.row") == "2"


def test_bins_tell_what_is_split_unknown_and_missing(page: Page, tmp_path: Path) -> None:
    """A tie is no majority, and what has no verdict is drawn as why it has none."""
    source = Source(*large(250, 3))
    made = payload.strip(source, "0/3/0")
    points = [[1, 1, 0, 0, 0, 0.5], [0, 0, 3, 0, 0, None], [0, 0, 0, 3, 0, None]]
    made["strips"][0][1][:3] = points
    views = SimpleNamespace(**vars(payload))
    views.MAKERS = {
        **payload.MAKERS,
        "tom_strip": lambda source, key: made if key == "0/3/0" else payload.strip(source, key),
    }
    mounted(page, views, source, tmp_path, at=len(source.run) - 1)  # type: ignore[arg-type]
    page.get_by_role("button", name="All 250 turns").click()
    strip = page.get_by_role("slider").first
    page.get_by_text("split, no majority").wait_for()
    told = []
    strip.press("Home")
    for _ in points:
        strip.press("ArrowRight")
        told.append(strip.get_attribute("aria-valuetext"))
    shot(page, "tom-bins")

    assert told[0] is not None
    assert "3 unknown" in str(told)
    assert "3 missing" in str(told)
    assert "not judged" not in str(told)
    for kind in ("split", "unknown", "missing"):
        marks = page.locator(f".wbw-tom-strip:first-of-type .wbw-tom-mark.wbw-tom-{kind}")
        assert marks.count() >= 1
    assert page.errors == []  # type: ignore[attr-defined]


def test_strips_lead_to_turns(page: Page, tmp_path: Path) -> None:
    """A click and the arrow keys move to a turn; what has not happened is not drawn."""
    run, audit = large(30, 3)
    source = Source(run, audit)
    mounted(page, payload, source, tmp_path, at=9 * 4)
    strip = page.get_by_role("slider").first

    assert strip.get_attribute("aria-valuenow") == "8"
    box = strip.bounding_box()
    assert box
    strip.click(position={"x": box["width"] - 2, "y": 10})
    assert source.run.events[at(page)].path == "/turn=30/agent_02/proposal"
    strip.press("ArrowLeft")
    strip.press("ArrowLeft")
    assert source.run.events[at(page)].path == "/turn=28/agent_02/proposal"
    drawn = "paths => paths.map(p => p.getAttribute('d').split('M').length - 1)"
    assert page.eval_on_selector_all(".wbw-tom-strip:first-of-type .wbw-tom-mark", drawn)
    strip.press("Home")
    assert strip.get_attribute("aria-valuetext").startswith("turn 1: ")
    marks = page.locator(".wbw-tom-group").first.locator(".wbw-tom-strip").first
    assert marks.locator(".wbw-tom-mark").count() == 1
    assert page.errors == []  # type: ignore[attr-defined]


def test_what_is_missing_is_told(page: Page, tmp_path: Path) -> None:
    """Not due, missing and not judged are different things, in words."""
    mounted(page, payload, Source(*odd()), tmp_path, at=8)
    page.get_by_role("button", name="Earlier turn").click()

    assert page.locator(".wbw-tom-summary").inner_text() == (
        "1 consistent of 1 judged · 1 verdict unknown (1 for a missing text) · 6 missing"
    )
    assert "The run is interrupted after 9 events." in page.locator(".wbw-tom").inner_text()
    page.get_by_role("gridcell", name="A of B: missing").click()
    assert "could not be read: no JSON" in page.locator(".wbw-tom-panel").inner_text()
    page.get_by_role("button", name="Earlier turn").click()
    assert page.locator(".wbw-tom-summary").inner_text() == "No prediction was due in this turn."
    assert "Not due in this turn." in page.locator(".wbw-tom-panel").inner_text()
    mounted(page, payload, Source(odd()[0]), tmp_path, at=8)
    assert "No audit was given" in page.locator(".wbw-tom-source").inner_text()


@pytest.mark.parametrize(("cut", "failed"), [(60, False), (60, True), (24, False)])
def test_what_was_not_reached_is_not_missing(
    page: Page, tmp_path: Path, cut: int, failed: bool
) -> None:
    """In a run that stopped in a turn, who never came to speak failed to give nothing."""
    run = wb.open_run(SAMPLES / "vance_v_innovate/vance_v_innovate.run.jsonl").before(cut)
    told = f"The run is interrupted after {cut} events."
    if failed:
        run, told = stopped(run), "The run is failed after 61 events: no wire"
    page.set_viewport_size({"width": 360, "height": 900})
    mounted(page, payload, Source(run), tmp_path, at=len(run) - 1)
    shot(page, f"tom-stopped-{run.status}-{cut}")

    assert "missing" not in states(page)
    assert {"due", "waiting"} & set(states(page))
    summary = page.locator(".wbw-tom-summary").inner_text()
    assert "missing" not in summary
    assert "not yet" in summary
    assert page.get_by_text(told, exact=True).is_visible()
    ticks = page.locator(".wbw-tom-ticks").inner_text().split("\n")
    assert ticks.count("turn 1") == 1


@pytest.mark.parametrize("run", [empty(), wb.open_run(next(SAMPLES.rglob("aura_hub.audit*")))])
def test_runs_without_predictions(run: wb.Run, page: Page, tmp_path: Path) -> None:
    """A run of another protocol, or one in which nothing happened, says so."""
    mounted(page, payload, Source(run), tmp_path)

    assert "No predictions to show" in page.locator(".wbw-tom").inner_text()
    assert page.errors == []  # type: ignore[attr-defined]


def test_hostile_words(page: Page, tmp_path: Path) -> None:
    """Names, texts, verdicts and reasons are text."""
    run, audit = hostile_run()
    mounted(page, payload, Source(run, audit), tmp_path)
    page.evaluate(
        """(events) => {
        for (let at = 0; at < events; at += 7) {
          store.set('at', at);
          const cells = [...document.querySelectorAll('td[data-row]')].slice(0, 3);
          cells.forEach((cell) => cell.click());
        } }""",
        len(run),
    )

    assert page.evaluate("window.pwned") is None
    assert page.locator(".wbw script, .wbw img, .wbw iframe, .wbw svg image").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]
    assert page.left == []  # type: ignore[attr-defined]
    mounted(page, payload, Source(*hostile_run([*HOSTILE[:4], "w" * 100_000])), tmp_path, at=38)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.errors == []  # type: ignore[attr-defined]


def test_many_agents_and_turns(page: Page, tmp_path: Path) -> None:
    """Twenty agents: pages on demand, and a bounded document however long the run is."""
    source = Source(*large(250, 20))
    mounted(page, payload, source, tmp_path, at=100, budget=BUDGET)
    page.wait_for_selector(".wbw-tom-body[aria-busy='false']")
    go(page, 21 * 200)
    page.wait_for_function("document.querySelector('h3').textContent.startsWith('Turn 200')")
    page.wait_for_selector(".wbw-tom-body[aria-busy='false']")
    assert page.locator(".wbw-tom-tight td[data-row]").count() == 400
    assert page.evaluate("document.querySelectorAll('*').length") < 5000
    shot(page, "tom-many")
    page.get_by_role("combobox").select_option(label="Agent 07")
    page.wait_for_selector("h5:has-text('Agent 07')")
    page.get_by_role("button", name="All 250 turns").click()
    page.wait_for_function("document.querySelector('.wbw-tom-key').textContent.includes('3 turns')")
    shot(page, "tom-many-all")
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("light", 1100, "light"),
        ("dark", 1100, "dark"),
        ("360", 360, "light"),
        ("big", 1280, "dark"),
    ],
)
def test_pictures(name: str, width: int, scheme: str, page: Page, tmp_path: Path) -> None:
    """Pictures to look at; nothing is wider than the page."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    mounted(page, payload, sample("vance_v_innovate"), tmp_path, at=71)
    if name == "big":
        page.evaluate("document.getElementById('here').classList.add('wbw-presenter')")
    page.locator("td[data-row='2'][data-column='0']").click()
    page.wait_for_timeout(100)
    shot(page, f"tom-{name}")
    torn = (
        "all => all.filter(one => one.getClientRects().length > one.textContent.split(' ').length)"
    )
    assert page.locator(".wbw-tom-matrix th .wbw-who").evaluate_all(torn) == []
    words = "words => words.filter(word => word.scrollWidth > word.closest('td').clientWidth)"
    assert page.locator(".wbw-tom-matrix .wbw-tom-word").evaluate_all(words) == []

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_cleanup(page: Page, tmp_path: Path) -> None:
    """Two boards on a page do not disturb each other, and a closed one is gone."""
    mounted(page, payload, sample("aura_hub"), tmp_path, at=48)
    page.evaluate(
        "() => { tomBoard(document.body.appendChild(document.createElement('div')), store) }"
    )
    assert page.locator(".wbw-tom").count() == 2
    page.evaluate("() => cleanup()")
    go(page, 10)

    assert page.locator(".wbw-tom").count() == 1
    assert page.locator("h3").inner_text().startswith("Turn 1")
