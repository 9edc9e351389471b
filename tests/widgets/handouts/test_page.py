"""The hand-out: one file with no kernel and no network, that steps forward and back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import workbench as wb
import workbench_widgets as ww
from tests.widgets.consult.columns import astray
from workbench_widgets.handouts import page as made
from workbench_widgets.shared.source import dumped

SAMPLES = Path(__file__).parents[3] / "sample_runs"
RUN = SAMPLES / "aura_hub/aura_hub.run.jsonl"
AUDIT = SAMPLES / "aura_hub/aura_hub.audit.run.jsonl"
OUT = Path(__file__).parents[1] / "out"


def test_nothing_from_outside() -> None:
    """The page names no address, and its policy allows its own script alone."""
    html = ww.handout_html(RUN, audit=AUDIT)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)

    assert policy
    assert policy[1].startswith("default-src 'none'")
    assert not re.search(r"""(?:src|href|action)\s*=\s*["']?https?:""", html)


def test_it_is_the_same_each_time() -> None:
    """One run makes one page."""
    assert ww.handout_html(RUN) == ww.handout_html(wb.open_run(RUN))


def test_all_is_there() -> None:
    """Every event of the run is in the page, in full."""
    html = ww.handout_html(RUN, audit=AUDIT)
    found = re.search(r'<script type="application/json" id="run">(.*?)</script>', html, re.DOTALL)
    assert found
    data = json.loads(found[1])

    assert data["head"]["complete"]
    assert not data["head"]["kernel"]
    assert {f"detail/{at}" for at in range(len(wb.open_run(RUN)))} <= set(data["pages"])


def test_no_run_is_overwritten(tmp_path: Path) -> None:
    """A run's file is never replaced by a page about it."""
    path = tmp_path / "a.run.jsonl"
    path.write_bytes(RUN.read_bytes())
    with pytest.raises(FileExistsError):
        ww.handout(path, path)
    with pytest.raises(FileExistsError):
        ww.handout(path, tmp_path / "other.run.jsonl")

    assert path.read_bytes() == RUN.read_bytes()


def test_a_consultation_with_its_comparison(tmp_path: Path) -> None:
    """A hand-out of a consultation says what the explorer says with the same comparison."""
    folder = SAMPLES / "handbook"
    run, comparison = folder / "hours.run.jsonl", folder / "hours.comparison.run.jsonl"
    corpus = SAMPLES.parent / "corpora/handbook"
    path = ww.handout(run, tmp_path / "a.html", comparison=comparison, corpus=corpus)
    found = re.search(r'id="run">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    pages = json.loads(found[1])["pages"]
    wanted = ww.explorer(run, comparison=comparison, corpus=corpus).pages

    assert pages["consult_about/"] == json.loads(dumped(wanted["consult_about/"]))
    with pytest.raises(TypeError, match="'predict' shows no comparison= and no corpus="):
        ww.handout_html(run, comparison=comparison, view="predict")
    with pytest.raises(ValueError, match="go with a consultation"):
        ww.handout_html(RUN, corpus=corpus)


def test_an_unknown_view() -> None:
    """A view that is not there is named with those that are."""
    with pytest.raises(ValueError, match="explorer, predict, not 'film'"):
        ww.handout_html(RUN, view="film")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "]]>", "</SCRIPT\t>"])
def test_data_ends_no_script(text: str) -> None:
    """What would end the element, or open a comment in it, is written otherwise."""
    embedded = made._embedded({"a": text})

    assert json.loads(embedded) == {"a": text}
    assert not set("<>\u2028") & set(embedded)


@pytest.mark.browser
def test_it_steps(page: Page, tmp_path: Path) -> None:
    """Opened from a folder, it steps forward and back, and the other views follow."""
    page.goto(ww.handout(RUN, tmp_path / "run.html", audit=AUDIT).as_uri())
    page.locator(".wbw-step").focus()
    for key in ("End", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    page.locator(".wbw-step-detail").get_by_text("event 52 of 54").wait_for()
    for name in ("Theory of Mind", "Graph", "Board"):
        page.get_by_role("tab", name=name).click()
        page.wait_for_timeout(100)
    page.keyboard.press("ArrowRight")  # in the tabs: the next tab, not the next event
    page.locator(".wbw-step-detail").get_by_text("event 52 of 54").wait_for()
    page.locator(".wbw-step").focus()
    page.keyboard.press("Home")
    page.locator(".wbw-step-detail").get_by_text("event 1 of 54").wait_for()

    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.browser
def test_the_keys_work_at_once(page: Page, tmp_path: Path) -> None:
    """Nothing has to be clicked before the arrows step."""
    page.goto(ww.handout(RUN, tmp_path / "run.html").as_uri())
    page.keyboard.press("ArrowRight")
    page.locator(".wbw-step-detail").get_by_text("event 2 of 54").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("name", ["maven/tree", "handbook/hours", "aura_hub/aura_hub"])
def test_theory_of_mind_where_predictions_were_asked_for(
    name: str, page: Page, tmp_path: Path
) -> None:
    """Where nobody predicts there is no such tab, and the arrows go past it."""
    page.goto(ww.handout(SAMPLES / f"{name}.run.jsonl", tmp_path / "run.html").as_uri())
    tabs = page.get_by_role("tab")
    tabs.first.wait_for()
    wanted = name.startswith("aura")

    assert ("Theory of Mind" in tabs.all_inner_texts()) == wanted
    page.get_by_role("tab", name="Board").click()
    page.keyboard.press("ArrowRight")
    after = page.get_by_role("tab", selected=True).inner_text()
    assert after == ("Theory of Mind" if wanted else "Graph")


@pytest.mark.browser
def test_presenter_type_has_room(page: Page, tmp_path: Path) -> None:
    """In large type the board beside the stepper is one column."""
    page.set_viewport_size({"width": 1600, "height": 900})
    page.goto(ww.handout(RUN, tmp_path / "run.html", presenter=True).as_uri())
    columns = page.locator(".wbw-board-columns")
    columns.wait_for()

    assert " " not in columns.evaluate("(e) => getComputedStyle(e).gridTemplateColumns")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "presenter"), [(1400, False), (360, False), (1400, True)])
def test_it_can_be_looked_at(
    scheme: str, width: int, presenter: bool, page: Page, tmp_path: Path
) -> None:
    """Pictures for a person to look at; nothing is wider than the page."""
    run = SAMPLES / "vance_v_innovate/vance_v_innovate.run.jsonl"
    audit = SAMPLES / "vance_v_innovate/vance_v_innovate.audit.run.jsonl"
    path = ww.handout(run, tmp_path / "run.html", audit=audit, presenter=presenter)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    page.locator(".wbw-step").focus()
    page.keyboard.press("End")
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)
    OUT.mkdir(exist_ok=True)
    size = "presenter" if presenter else str(width)
    page.screenshot(path=OUT / f"explorer-{size}-{scheme}.png", full_page=True)

    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280, 1440])
def test_marks_of_passages_stand_under_their_interpreter(
    page: Page, tmp_path: Path, width: int
) -> None:
    """In the explorer the grid of a consultation is narrow also on a wide page."""
    for name in ("annual_leave", "hours", "notice"):
        run = SAMPLES / f"handbook/{name}.run.jsonl"
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(ww.handout(run, tmp_path / f"{name}.html").as_uri())

        assert astray(page) == []


CUT = """(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_no_verdict_and_no_heading_is_cut(page: Page, tmp_path: Path, width: int) -> None:
    """The list's rows hold all their labels, lanes are told apart, and a table its last heading."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(ww.handout(RUN, tmp_path / "run.html", audit=AUDIT).as_uri())
    page.keyboard.press("End")
    page.locator(".wbw-step-row .wbw-badge").first.wait_for()
    assert (
        page.locator(".wbw-step-row .wbw-step-said, .wbw-step-row .wbw-badge").evaluate_all(CUT)
        == []
    )
    inside = """(all) => all.every((one) => one.getBoundingClientRect().right
      <= one.closest(".wbw-step-list").getBoundingClientRect().right)"""
    assert page.locator(".wbw-step-row .wbw-badge").evaluate_all(inside)

    notice = SAMPLES / "handbook/notice.run.jsonl"
    page.goto(ww.handout(notice, tmp_path / "notice.html").as_uri())
    names = page.locator(".wbw-step-name")
    assert names.all_text_contents()[1:] == [f"Interpreter {n}" for n in (1, 2, 3)]
    ends = names.locator("span:last-child").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().right"
        " <= one.closest('.wbw-step-names').getBoundingClientRect().right)"
    )
    assert [True] * 4 == ends
    if width == 1280:
        table = page.locator(".wbw-consult-scroll").last
        assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")
        heads = table.locator("thead th").evaluate_all(
            "(all) => all.map((one) => one.clientHeight)"
        )
        assert max(heads) < 60  # two lines, and no word in pieces


@pytest.mark.browser
def test_a_run_without_anything(page: Page, tmp_path: Path) -> None:
    """An empty, a failed and a half run say what there is and why it stopped."""
    run = wb.open_run(RUN)
    failed = [*run.events[:9], wb.record.events.Failed(path="/x", error="Gone", message="no wire")]
    for name, events in {
        "empty": run.events[:1],
        "half": run.events[:20],
        "failed": failed,
    }.items():
        path = ww.handout(wb.Run(events), tmp_path / f"{name}.html")
        page.goto(path.as_uri())
        page.locator(".wbw-step").wait_for()
        page.get_by_text("interrupted").first.wait_for()

        assert page.errors == []  # type: ignore[attr-defined]
