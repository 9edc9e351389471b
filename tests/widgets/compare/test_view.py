"""The comparison as one uses it, in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import workbench as wb
from tests.widgets.compare.forks import (
    PROPOSE,
    again,
    audit_of,
    concluded,
    parent,
    parent_audit,
    voiceless,
)
from tests.widgets.compare.test_lineup import council, debate, failing
from tests.widgets.mounted import shot, shown
from workbench.record.events import Answered, Asked, Posted
from workbench.record.parts import Part
from workbench.record.run import Run
from workbench_widgets import Compare, Cursor

pytestmark = pytest.mark.browser

CONDITIONS = Path(__file__).parents[3] / "sample_runs/conditions"

EVIL = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'> </script>"
    "<!-- \u2028 \u202e right to left $x^2$ [a](javascript:alert(1)) }} * { display: none }"
)


def pair() -> Compare:
    """Return the sample and its fork with their audits, and a cursor that no other test moved."""
    audits = (parent_audit(), audit_of(voiceless()))
    return Compare(parent(), voiceless(), audits=audits, cursor=Cursor())


def clean(page: Page) -> None:
    """Nothing was thrown, and nothing left the machine."""
    assert [] == page.errors  # type: ignore[attr-defined]
    assert [] == page.left  # type: ignore[attr-defined]


def test_from_the_first_divergence_on(page: Page, tmp_path: Path) -> None:
    """It opens at the first divergence; the button, arrows, filters and modes lead through it."""
    shown(page, pair(), "compare", tmp_path)
    detail = page.locator(".wbw-compare-detail")
    expect(detail.locator("del").first).to_have_text("On-device voice control for 40 commands")
    expect(detail.locator("ins").first).to_have_text("A pair of wall switches")
    assert 0 == page.evaluate("store.get('at')")  # opening moves nobody

    page.get_by_label("Next difference").click()
    expect(detail).to_contain_text("/turn=1/product_manager/proposal")
    at = page.evaluate("store.get('at')")
    assert "/turn=1/product_manager/proposal" == parent().events[at].path  # type: ignore[union-attr]
    page.locator(".wbw-compare-first").click()
    expect(detail).to_contain_text(PROPOSE)

    chosen = page.locator(".wbw-compare-cell[aria-current]")
    chosen.focus()
    page.keyboard.press("ArrowDown")
    expect(detail).to_contain_text("/turn=1/product_manager/proposal")
    expect(page.locator(".wbw-compare-cell:focus")).to_have_attribute("data-column", "1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".wbw-compare-cell:focus")).to_have_attribute("data-column", "0")
    page.keyboard.press("End")
    expect(page.get_by_text("difference 19 of 19")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_text("difference 1 of 19")).to_be_visible()

    assert 19 == page.locator(".wbw-compare-row[data-row]").count()
    page.get_by_role("button", name="All rows").click()
    expect(page.locator(".wbw-compare-row[data-row]")).to_have_count(37)
    page.get_by_role("button", name="Verdicts").click()
    expect(page.locator(".wbw-compare-row[data-row]")).to_have_count(4)
    page.locator(".wbw-compare-flip").first.click()
    expect(detail.locator("h5").first).to_have_text("Audits")

    page.get_by_role("button", name="What differs").click()
    page.locator(".wbw-compare-first").click()
    page.get_by_role("button", name="Side by side").click()
    expect(detail.locator(".wbw-compare-side")).to_have_count(2)
    before = detail.locator(".wbw-compare-side").first
    assert before.locator("ins").count() == 0
    page.get_by_role("button", name="Whole texts").click()
    assert detail.locator(".wbw-compare-fold").count() == 0
    reply = parent().answers[PROPOSE].text  # type: ignore[union-attr]
    text = before.locator(".wbw-compare-text").evaluate(
        "n => { n.querySelectorAll('.wbw-compare-hidden').forEach(h => h.remove());"
        " return n.textContent }"
    )
    assert reply == text
    clean(page)


def test_from_the_end_of_a_run_too(page: Page, tmp_path: Path) -> None:
    """Where the cursor is at the end, which has no path, it opens at the first divergence."""
    runs = [wb.open_run(CONDITIONS / f"{name}-1.run.jsonl") for name in ("full", "no_tom")]
    widget = Compare(*runs, cursor=Cursor())
    widget.at = len(runs[0]) - 1
    shown(page, widget, "compare", tmp_path, kernel=True)
    title = page.locator(".wbw-compare-title")
    expect(title).to_contain_text("/turn=2/marketing_lead/queries/try=1")
    expect(page.locator(".wbw-compare-card").first).to_contain_text("full-1")
    expect(page.locator(".wbw-compare-card").first).to_contain_text("qwen2.5-coder-1.5b")
    told = page.locator(".wbw-compare-told")
    expect(told).to_contain_text("2 answers alike but for tokens or cost")
    clean(page)


def test_it_follows_the_cursor(page: Page, tmp_path: Path) -> None:
    """Another view's step shows the row of that event, also one that is the same in both."""
    shown(page, pair(), "compare", tmp_path)
    detail = page.locator(".wbw-compare-detail")
    page.evaluate("store.set('at', 1)")
    expect(detail).to_contain_text("/turn=1/goal/try=1")
    expect(detail).to_contain_text("The same in A and B")
    assert 1 == page.evaluate("store.get('at')")
    clean(page)


def test_a_lineage(page: Page, tmp_path: Path) -> None:
    """Forks stand as columns behind their parents; a cell opens its pair."""
    shown(
        page, Compare(again(), concluded(), parent(), voiceless()), "compare", tmp_path, kernel=True
    )
    cards = page.locator(".wbw-compare-card")
    expect(cards).to_have_count(4)
    expect(cards.nth(1)).to_contain_text("Fork of A: unchanged rule")
    expect(cards.nth(1)).to_contain_text("answered otherwise /turn=1/ratify/try=1")
    expect(cards.nth(3)).to_contain_text("Fork of C")

    page.get_by_role("button", name="C → D").click()
    expect(page.locator(".wbw-compare-summary")).to_contain_text("marketing_lead/propose/try=1")
    page.locator(".wbw-compare-first").click()
    expect(page.locator(".wbw-compare-detail")).to_contain_text("its own call")
    page.locator(".wbw-compare-cell.wbw-compare-s4").first.click()
    expect(page.locator(".wbw-compare-detail")).to_contain_text("Only in A: B has nothing")
    page.get_by_label("Second run").select_option("D")
    page.get_by_label("First run").select_option("B")
    expect(page.locator(".wbw-compare-detail")).to_contain_text("Only in D: B has nothing")
    clean(page)


@pytest.mark.parametrize("case", ["equal", "protocols", "failed", "half", "empty", "nothing"])
def test_odd_runs(page: Page, tmp_path: Path, case: str) -> None:
    """What there is is shown, and what there is not is told."""
    whole, empty = debate(), Run([debate().started])
    runs, told = {
        "equal": ((whole, whole), "The runs are equal."),
        "protocols": ((whole, council()), "they are runs of different protocols"),
        "failed": ((whole, failing()), "1 answer failed to come"),
        "half": ((whole, whole.before(6)), "in A alone"),
        "empty": ((whole, empty), "in A alone"),
        "nothing": ((empty, empty), "The runs are equal."),
    }[case]
    shown(page, Compare(*runs), "compare", tmp_path, kernel=True)
    expect(page.locator(".wbw-compare")).to_contain_text(told)
    for name in ("All rows", "What differs"):
        page.get_by_role("button", name=name).click()
        for cell in page.locator(".wbw-compare-cell").all()[:6]:
            cell.click()
    expect(page.locator(".wbw-trouble")).to_have_count(0)
    clean(page)


def hostile(words: str) -> Run:
    """Return a run whose every text is `words`."""
    role = f"role {words[:200]}"
    return Run(
        [
            wb.RunStarted(protocol=words[:90], params={words[:50]: words, "title": words}),
            Asked(path=f"/{words[:60]}/a", clock=0, role=role, parts=(Part(words, None),)),
            Answered(path=f"/{words[:60]}/a", text=words),
            Posted(path="/turn=1/b", clock=1, kind=role, data={"verdict": words, "text": words}),
            Posted(path="/turn=1/c", clock=2, kind="Long", data={"text": words * 8000}),
        ]
    )


def test_hostile_texts(page: Page, tmp_path: Path) -> None:
    """Scripts do not run, nothing is asked of anybody, and the words are there to read."""
    one, other = hostile(EVIL), hostile(EVIL)
    events = list(other.events)
    events[2] = replace(events[2], text=f"{EVIL} and more")
    events[3] = replace(events[3], data={"verdict": EVIL + "!", "text": EVIL})
    events[4] = replace(events[4], data={"text": EVIL * 4000 + "!" + EVIL * 4000})
    shown(page, Compare(one, Run(events)), "compare", tmp_path, kernel=True)
    detail = page.locator(".wbw-compare-detail")
    expect(detail).to_contain_text("<script>window.hurt = 1</script>")
    for cell in page.locator(".wbw-compare-cell").all():
        cell.click()
        expect(detail).not_to_have_attribute("aria-busy", "true")
        page.get_by_role("button", name="Whole texts").click()
        page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".wbw-trouble")).to_have_count(0)
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "\u202e" not in page.locator(".wbw-compare").inner_text()
    clean(page)


def test_words_of_1_mb_without_a_blank(page: Page, tmp_path: Path) -> None:
    """They are compared by their ends, which is told, and shown a part at a time."""
    start = debate().started
    ask = Asked(path="/a", clock=0, role="r", parts=(Part("say"),))
    one, other = (
        Run([start, ask, Answered(path="/a", text="x" * 500_000 + mark + "x" * 500_000)])
        for mark in "ab"
    )
    shown(page, Compare(one, other), "compare", tmp_path, kernel=True)
    detail = page.locator(".wbw-compare-detail")
    expect(detail.locator("del")).to_have_text(["a"])
    expect(detail).to_contain_text("Too long to compare by words")
    assert len(detail.inner_text()) < 3000
    detail.get_by_role("button", name="characters that are the same").first.click()
    expect(detail.get_by_role("button", name="more characters")).to_be_visible()
    clean(page)


def test_names_of_1_mb(page: Page, tmp_path: Path) -> None:
    """Roles, paths, kinds and parameters without an end are cut in rows, and half letters shown."""
    big = "\ud800" + "n" * 1_000_000
    start = wb.RunStarted(protocol=big, params={big: 1})
    ask = Asked(path=f"/{big}", clock=0, role=big, parts=(Part("say", big),))
    fact = Posted(path=f"/{big}/b", clock=1, kind=big, data={big: big, "verdict": big})
    one = Run([start, ask, Answered(path=ask.path, text="a"), fact])
    other = Run([replace(start, params={big: 2}), ask, Answered(path=ask.path, text="b")])
    shown(page, Compare(one, other), "compare", tmp_path, kernel=True)
    page.get_by_role("button", name="All rows").click()
    for cell in page.locator(".wbw-compare-cell").all():
        cell.click()
        expect(page.locator(".wbw-compare-detail")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator(".wbw-compare-rows")).to_contain_text("\\ud800nnn")
    expect(page.locator(".wbw-trouble")).to_have_count(0)
    assert len(page.locator(".wbw-compare-rows").inner_text()) < 20_000
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    clean(page)


def test_rows_come_by_page(page: Page, tmp_path: Path) -> None:
    """Of long runs only what is looked at is in the page; the rest is a step away."""
    facts = [
        Posted(path=f"/turn={i}/a", clock=i, kind="Said", data={"text": f"said {i}"})
        for i in range(4000)
    ]
    events = [debate().started, *facts]
    other = [
        replace(e, data={"text": "else"}) if isinstance(e, Posted) and e.clock % 2 else e
        for e in events
    ]
    widget = Compare(Run(events), Run(other))
    shown(page, widget, "compare", tmp_path, kernel=True)
    assert page.locator("*").count() < 2500
    expect(page.get_by_text("1 to 50 of 2,000")).to_be_visible()
    page.get_by_role("button", name="Last", exact=True).click()
    expect(page.get_by_text("1,951 to 2,000 of 2,000")).to_be_visible()
    page.locator(".wbw-compare-cell").last.click()
    expect(page.get_by_text("difference 2,000 of 2,000")).to_be_visible()
    page.evaluate("store.set('at', 11)")
    expect(page.locator(".wbw-compare-detail")).to_contain_text("/turn=10/a")
    page.get_by_role("button", name="All rows").click()
    page.evaluate("store.set('at', 3001)")
    expect(page.locator(".wbw-compare-on")).to_contain_text("said 3000")
    assert page.locator("*").count() < 2500
    clean(page)


def test_what_is_not_in_the_page_is_told(page: Page, tmp_path: Path) -> None:
    """Without a kernel, a row that was not shipped says so in its place."""
    widget = pair()
    widget.pages = {k: v for k, v in widget.pages.items() if not k.startswith("pairdetail/0-1/9")}
    shown(page, widget, "compare", tmp_path)
    page.locator(".wbw-compare-cell[data-row='9']").last.click()
    expect(page.locator(".wbw-compare-detail [role=alert]")).to_contain_text("not in this page")
    page.locator(".wbw-compare-first").click()
    expect(page.locator(".wbw-compare-detail")).to_contain_text(PROPOSE)
    clean(page)


def test_two_on_a_page_and_cleanup(page: Page, tmp_path: Path) -> None:
    """After its cleanup a view hears nothing more."""
    shown(page, pair(), "compare", tmp_path)
    page.evaluate("cleanup()")
    before = page.locator(".wbw-compare-detail").inner_text()
    page.evaluate("store.set('at', 20)")
    page.wait_for_timeout(100)
    assert before == page.locator(".wbw-compare-detail").inner_text()
    clean(page)


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures(page: Page, tmp_path: Path, width: int, scheme: str) -> None:
    """Nothing is wider than its place; the pictures are for a person to look at."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    shown(page, pair(), "compare", tmp_path)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"compare-pair-{scheme}-{width}")
    page.evaluate("document.getElementById('here').classList.add('wbw-presenter')")
    page.get_by_role("button", name="Side by side").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"compare-presenter-{scheme}-{width}")
