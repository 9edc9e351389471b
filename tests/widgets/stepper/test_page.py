"""The stepper in Chromium, in a page of its own: keys, mouse, search, stops, odd runs, pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import workbench as wb
from tests.toys import debate, words
from tests.widgets.hostile import CANARY, HOSTILE
from tests.widgets.mounted import at, shot, shown
from tests.widgets.stepper import runs
from workbench.record.events import Answered, Asked, Failed, Posted, RunEnded, RunStarted
from workbench.record.parts import Part
from workbench.views.html import run_html
from workbench_widgets.stepper.widget import Stepper

pytestmark = pytest.mark.browser


@pytest.fixture
def sample(page: Page, tmp_path: Path) -> Page:
    """Open a recorded run with its audit, and give the stepper the focus."""
    run, audit = runs.sample()
    shown(page, Stepper(run, audit=audit), "stepper", tmp_path)
    page.evaluate("window.store.set('at', 0)")
    page.locator(".wbw-step").focus()
    return page


def settled(page: Page, place: int) -> None:
    """Wait until the event at `place` is shown in full."""
    expect(page.locator(f".wbw-step-detail[data-at='{place}']")).to_be_visible()
    assert place == at(page)


def test_keys_step_jump_and_play(sample: Page) -> None:
    """Keys step jump and play."""
    keys = sample.keyboard
    for key, place in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 71), ("ArrowRight", 71),
        ("Home", 0), ("ArrowLeft", 0), ("Shift+ArrowRight", 36), ("ArrowRight", 37),
        ("Shift+ArrowLeft", 36), ("Shift+ArrowLeft", 0),
    ]:  # fmt: skip
        keys.press(key)
        settled(sample, place)
    sample.get_by_label("Speed").select_option("25")
    sample.locator(".wbw-step").focus()
    keys.press(" ")
    expect(sample.get_by_role("button", name="Pause")).to_be_visible()
    sample.wait_for_function("window.store.get('at') > 4")
    keys.press(" ")
    here = at(sample)
    sample.wait_for_timeout(200)
    assert here == at(sample)


def test_a_number_that_is_not_there_gives_way(sample: Page) -> None:
    """The box says where one is once it was told where to go, also while it has the focus."""
    box = sample.get_by_label("Event", exact=True)
    for typed, place in (("999", 71), ("0", 0), ("-3", 0), ("5", 4)):
        box.fill(typed)
        box.press("Enter")
        settled(sample, place)
        expect(box).to_have_value(str(place + 1))
    turn = sample.get_by_label("Turn", exact=True)
    there = turn.input_value()
    turn.fill("77")
    turn.press("Enter")
    expect(turn).to_have_value(there)


def test_keys_do_nothing_outside_and_typing_is_not_taken(sample: Page) -> None:
    """Keys do nothing outside and typing is not taken."""
    sample.evaluate(
        "document.body.addEventListener('keydown', (e) => (window.heard = (window.heard ?? 0) + 1))"
    )
    sample.keyboard.press("/")
    expect(sample.get_by_role("searchbox")).to_be_focused()
    sample.keyboard.type("a b")
    sample.keyboard.press("ArrowLeft")
    sample.keyboard.press("Home")
    assert at(sample) == 0
    assert sample.evaluate("window.heard") is None
    sample.keyboard.press("Escape")
    sample.keyboard.press("Escape")
    expect(sample.locator("section.wbw-step")).to_be_focused()
    sample.evaluate("document.activeElement.blur()")
    sample.keyboard.press("ArrowRight")
    assert at(sample) == 0
    assert sample.evaluate("window.heard") == 1


def test_mouse_picks_from_timeline_list_strip_and_prompt(sample: Page) -> None:
    """Mouse picks from timeline list strip and prompt."""
    sample.locator(".wbw-step-row").nth(4).click()
    settled(sample, 4)
    sample.keyboard.press("ArrowRight")  # a click gave it the focus
    settled(sample, 5)
    box = sample.locator(".wbw-step-lanes").bounding_box()
    assert box is not None
    sample.mouse.click(box["x"] + 16 * 10.5, box["y"] + 60)
    settled(sample, 10)
    box = sample.locator(".wbw-step-strip").bounding_box()
    assert box is not None
    sample.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + 10)
    settled(sample, 36)
    sample.get_by_label("Event", exact=True).fill("62")
    sample.keyboard.press("Enter")
    settled(sample, 61)
    sample.get_by_label("Turn", exact=True).fill("2")
    sample.keyboard.press("Enter")
    settled(sample, 36)
    sample.evaluate("window.store.set('at', 61)")
    settled(sample, 61)
    source = sample.locator(".wbw-step-parts .wbw-step-link").last
    source.click()
    assert at(sample) < 61


def test_the_sign_of_a_proposal_is_that_of_the_picture(page: Page, tmp_path: Path) -> None:
    """Timeline and static picture mark a proposal alike, and the legend says with what."""
    folder = Path("sample_runs/vance_v_innovate")
    run = wb.open_run(folder / "vance_v_innovate.run.jsonl")
    audit = wb.open_run(folder / "vance_v_innovate.audit.run.jsonl")
    drawn = re.findall(
        r'aria-label="proposal ([^"]+) · \w+">.*?>([✓✗?])</text>', run_html(run, audit=audit)
    )
    page.set_viewport_size({"width": 2400, "height": 900})
    shown(page, Stepper(run, audit=audit), "stepper", tmp_path)
    expect(page.locator(".wbw-step-legend")).to_contain_text("✓ ✗ Logic on a proposal")
    expect(page.locator(".wbw-step-legend")).to_contain_text("bad verdicts, in the strip above")
    marked = page.locator(".wbw-step-lanes g:has(> .wbw-step-mark)").evaluate_all(
        "all => all.map((g) => [parseInt(g.querySelector('title').textContent), "
        "g.querySelector('.wbw-step-mark').textContent])"
    )
    signs = {getattr(run.events[number - 1], "path", ""): sign for number, sign in marked}

    assert len(drawn) == 6
    assert {path: signs[path] for path, _ in drawn} == dict(drawn)


def test_a_row_keeps_the_kind_of_its_event(page: Page, tmp_path: Path) -> None:
    """Where the list is narrow the agent's name is cut before the kind."""
    run, audit = runs.sample()
    page.set_viewport_size({"width": 830, "height": 1400})
    shown(page, Stepper(run, audit=audit, presenter=True), "stepper", tmp_path)
    cut = page.locator(".wbw-step-line-who > .wbw-soft").evaluate_all(
        "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    )

    assert cut == []


def test_turns_that_come_in_parts_or_begin_at_nought(page: Page, tmp_path: Path) -> None:
    """An audit goes through the turns once for each auditor; MAVEN begins at turn 0."""
    for path, told in (
        ("aura_hub/aura_hub.audit.run.jsonl", "of 2, part 1 of 8"),
        ("maven/tree.run.jsonl", "of 0 to 3"),
    ):
        shown(page, Stepper(Path("sample_runs", path)), "stepper", tmp_path)
        expect(page.locator(".wbw-step-bar")).to_contain_text(told)
    legend = page.locator(".wbw-step-legend span")
    expect(legend.get_by_text("Fact", exact=True)).to_have_count(1)


def test_order_by_path_is_named_and_steps_in_it(sample: Page) -> None:
    """Order by path is named and steps in it."""
    expect(sample.locator(".wbw-step-why")).to_contain_text("answers came in")
    sample.get_by_label("Order").select_option("path")
    expect(sample.locator(".wbw-step-why")).to_contain_text("whoever answered first")
    sample.locator("section.wbw-step").focus()
    run = runs.sample()[0]
    for event in run.by_path()[1:12]:
        sample.keyboard.press("ArrowRight")
        settled(sample, list(run).index(event))
    sample.get_by_label("Order").select_option("happened")
    settled(sample, list(run).index(run.by_path()[11]))


def test_search_counts_dims_and_walks(sample: Page) -> None:
    """Search counts dims and walks."""
    sample.keyboard.press("/")
    sample.keyboard.type("bexley")
    told = sample.locator(".wbw-step-count")
    expect(told).to_contain_text("matches")
    assert sample.locator(".wbw-step-row.wbw-step-dim").count() > 0
    sample.keyboard.press("Enter")
    expect(told).to_contain_text("1 of ")
    first = at(sample)
    sample.keyboard.press("Enter")
    expect(told).to_contain_text("2 of ")
    sample.keyboard.press("Shift+Enter")
    settled(sample, first)
    sample.get_by_label("Verdict", exact=True).select_option("logic:INVALID")
    sample.get_by_role("button", name="Clear").click()
    expect(told).to_have_text("")
    assert sample.locator(".wbw-step-dim").count() == 0
    sample.get_by_label("Kind", exact=True).select_option("Proposed")
    expect(told).to_have_text("6 matches")
    sample.get_by_label("Agent", exact=True).select_option("case_strategist")
    expect(told).to_have_text("2 matches")


def test_play_stops_where_the_auditor_says_invalid(sample: Page) -> None:
    """Play stops where the auditor says invalid."""
    sample.locator(".wbw-step-stops summary").click()
    sample.get_by_label("the Logic auditor says INVALID").check()
    expect(sample.locator(".wbw-step-stops summary")).to_contain_text("4 places")
    shot(sample, "stepper-stops")
    sample.keyboard.press("Escape")
    sample.get_by_role("button", name="To the next stop").click()
    run, audit = runs.sample()
    verdicts = audit.facts_of("LogicVerdict")
    bad = {e.data["subject"] for e in verdicts if e.data["verdict"] == "INVALID"}
    stops = [i for i, e in enumerate(run) if isinstance(e, Posted) and e.path in bad]
    settled(sample, stops[0])
    sample.get_by_label("Speed").select_option("25")
    sample.get_by_role("button", name="Play").click()
    settled(sample, stops[1])
    expect(sample.get_by_role("button", name="Play")).to_be_visible()
    expect(sample.locator(".wbw-step-note")).to_contain_text("Stopped at a breakpoint")


def test_a_fact_shows_verdicts_prompt_reply_and_figures(sample: Page) -> None:
    """A fact shows verdicts prompt reply and figures."""
    run = runs.sample()[0]
    place = next(i for i, e in enumerate(run) if isinstance(e, Posted) and e.kind == "Proposed")
    sample.evaluate(f"window.store.set('at', {place})")
    settled(sample, place)
    pane = sample.locator(".wbw-step-detail")
    expected = ["What the audit says", "Reply, as it came", "Prompt,", "tokens", "latency", "cost"]
    for text in expected:
        expect(pane).to_contain_text(text)


def test_a_stepper_that_is_taken_away_leaves_nothing_behind(sample: Page) -> None:
    """A stepper that is taken away leaves nothing behind."""
    sample.keyboard.press("ArrowRight")
    sample.evaluate("window.cleanup()")
    assert sample.locator(".wbw-step").count() == 0
    sample.evaluate("window.store.set('at', 3)")
    sample.wait_for_timeout(100)
    assert sample.errors == []  # type: ignore[attr-defined]


def odd() -> list[tuple[str, wb.Run]]:
    """Return runs that are empty, half done, failed, without turns, and from elsewhere."""
    start = RunStarted(protocol="odd", params={})
    ask = Asked(path="/x", clock=0, role="\ud800r\u202e", parts=(Part("", None),))
    strange = Posted(
        path="/f", clock=1, kind="constructor", data={"verdict": "x" * 500, "turn": -4}
    )
    ended = RunEnded(clock=2, status="failed", error="ValueError: no")
    return [
        ("empty", wb.Run([start])),
        ("half", wb.Run([start, ask])),
        ("failed", runs.failed()),
        ("refused", wb.Run([start, ask, Failed(path="/x", error="E", message="m" * 100_000)])),
        ("council", runs.council()),
        ("fork", runs.forked()),
        ("ended", wb.Run([start, strange, ended])),
    ]


@pytest.mark.parametrize(("name", "run"), odd(), ids=[name for name, _ in odd()])
def test_odd_runs_show_what_there_is(page: Page, tmp_path: Path, name: str, run: wb.Run) -> None:
    """Odd runs show what there is."""
    shown(page, Stepper(run), "stepper", tmp_path)
    page.locator(".wbw-step").focus()
    page.keyboard.press("End")
    settled(page, len(run) - 1)
    for place in range(len(run)):
        page.evaluate(f"window.store.set('at', {place})")
        settled(page, place)
    shot(page, f"stepper-odd-{name}")
    assert page.locator(".wbw-step > div > .wbw-trouble").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]
    if name in ("failed", "refused", "ended"):
        expect(page.locator(".wbw-step-about .wbw-trouble")).to_be_visible()


def test_hostile_texts_are_shown_as_text(page: Page, tmp_path: Path) -> None:
    """Hostile texts are shown as text."""
    params = {"title": HOSTILE[1], HOSTILE[2]: 1}
    events: list[Any] = [RunStarted(protocol=HOSTILE[0], params=params)]
    for n, text in enumerate(HOSTILE):
        path, name = f"/turn={n}/{text.replace('/', '|')[:300]}/ask", text[:200]
        data = {name: text, "verdict": name}
        events += [
            Asked(path=path, clock=n, role=name, parts=(Part(text, name),)),
            Answered(path=path, text=text, model=name, finish_reason=name, unsent=(name,)),
            Posted(path=f"/turn={n}/f", clock=n, kind=name, data=data, sources=(path,)),
        ]
    widget = Stepper(wb.Run(events))
    shown(page, widget, "stepper", tmp_path, kernel=True)
    for place in range(len(events)):
        page.evaluate(f"window.store.set('at', {place})")
        expect(page.locator(f".wbw-step-detail[data-at='{place}']")).to_have_count(1)
    assert page.evaluate(CANARY.split("=")[0]) is None
    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]
    assert page.locator(".wbw-step script, .wbw-step img, .wbw-step iframe").count() == 0


def test_a_long_run_keeps_little_in_the_page_and_asks_for_the_rest(
    page: Page, tmp_path: Path
) -> None:
    """A long run keeps little in the page and asks for the rest."""
    run = wb.run_sync(debate(10, 120), lm=wb.ScriptedLM(words))
    widget = Stepper(run)
    assert not widget.head["complete"]
    shown(page, widget, "stepper", tmp_path, kernel=True)
    page.locator(".wbw-step").focus()
    page.keyboard.press("End")
    settled(page, len(run) - 1)
    assert page.locator(".wbw-step *").count() < 1500
    page.get_by_label("Turn", exact=True).fill("60")
    page.keyboard.press("Enter")
    page.wait_for_function("window.store.get('at') > 1000")
    page.get_by_label("Order").select_option("path")
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("agent7")
    expect(page.locator(".wbw-step-count")).to_contain_text("matches")
    here = page.locator(".wbw-step-count").inner_text()
    found = widget.actions()["find"](queries=[{"text": "agent7"}], order="path")
    assert f"{found['total']:,}" in here  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "width"), [("light", 1100), ("dark", 1100), ("360", 376), ("presenter", 1500)]
)
def test_pictures(page: Page, tmp_path: Path, name: str, width: int) -> None:
    """Pictures."""
    run, audit = runs.sample()
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if name == "dark" else "light")
    widget = Stepper(run, audit=audit, presenter=name == "presenter")
    shown(page, widget, "stepper", tmp_path)
    page.evaluate("window.store.set('at', 61)")
    settled(page, 61)
    shot(page, f"stepper-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_turn_of_many_digits_is_shown_as_it_is(page: Page, tmp_path: Path) -> None:
    """A number that the front end cannot hold is not rounded, and one can go to that turn."""
    big = 2**53 + 1
    events: list[Any] = [RunStarted(protocol="odd", params={})]
    for clock, turn in enumerate((1, big)):
        events += [
            Asked(path=f"/turn={turn}/ask", clock=clock, role="a", parts=(Part("Go.", None),)),
            Answered(path=f"/turn={turn}/ask", text="I go."),
        ]
    shown(page, Stepper(wb.Run(events)), "stepper", tmp_path)
    page.get_by_label("Turn", exact=True).fill(str(big))
    page.keyboard.press("Enter")
    settled(page, 3)
    expect(page.locator(".wbw-step-detail header")).to_contain_text(f"turn {big} ·")
    expect(page.locator(".wbw-step-bar")).to_contain_text(f"of {big}")
    page.get_by_label("Turn", exact=True).fill("01")
    page.keyboard.press("Enter")
    settled(page, 0)


STATES = {
    "loading": {"many": 3, "loading": ["qwen2.5-coder-1.5b"]},
    "asking": {"many": 9, "loading": []},
}


def doing(widget: Stepper, state: str, *, began: float, stopping: bool = False) -> dict[str, Any]:
    """Return the head of a widget that makes a fork."""
    names = ["Legal analyst", "   ", "", None, "Chief of staff", "Engineer"]
    calls = [
        [f"/turn=2/a{i}/speak", name, "qwen2.5-coder-1.5b"]
        for i, name in enumerate(names[: STATES[state]["many"]])  # type: ignore[misc]
    ]
    making = {"what": "fork", "path": "/turn=2", "began": began, "stopping": stopping}
    waits = {**STATES[state], "calls": calls}
    return {**widget.head, "doing": {**making, "answered": 1, "waits": waits}}


def test_a_fork_under_way_says_whom_it_asks_and_since_when(page: Page, tmp_path: Path) -> None:
    """Model, calls and their agents, and how long it has lasted; the button stops it."""
    run, audit = runs.sample()
    widget = Stepper(run, audit=audit)
    shown(page, widget, "stepper", tmp_path, kernel=True)
    page.evaluate(
        "() => { window.acts = []; window.store.act = async (name) => window.acts.push(name); }"
    )
    grow = "(head) => window.store.grow(head, {}, {})"
    panel = page.locator("section[aria-label='The fork under way']")
    expect(panel).to_be_hidden()
    page.clock.install()
    page.evaluate(grow, doing(widget, "loading", began=0))
    expect(panel).to_contain_text("Loading qwen2.5-coder-1.5b, which takes a while")
    expect(panel).to_contain_text("3 calls are pending")
    page.clock.fast_forward(75_000)
    expect(panel).to_contain_text("for 1 min 15 s")
    page.evaluate(grow, doing(widget, "asking", began=0))
    expect(panel).to_contain_text("Asking qwen2.5-coder-1.5b: 9 calls are pending. 1 answer so far")
    expect(panel.locator("li").first).to_contain_text("Legal analyst asks qwen2.5-coder-1.5b /turn")
    expect(panel.locator("li").nth(1)).to_contain_text("(blank)")
    expect(panel.locator("li").nth(2)).to_contain_text("(no name)")
    expect(panel.locator("li").last).to_have_text("and 3 more calls")
    for name, width, scheme in [("light", 1100, "light"), ("360-dark", 376, "dark")]:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        shot(page, f"stepper-forking-{name}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    panel.get_by_role("button", name="Stop the fork").click()
    assert page.evaluate("window.acts") == ["stop"]
    page.evaluate(grow, doing(widget, "asking", began=0, stopping=True))
    expect(panel).to_contain_text("what was answered is kept, what is under way is dropped")
    expect(panel.get_by_role("button")).to_be_disabled()
    page.evaluate(grow, widget.head)
    expect(panel).to_be_hidden()


def test_without_a_kernel_buttons_say_why_and_stepping_goes_on(page: Page, tmp_path: Path) -> None:
    """What needs a kernel is disabled and says so; what is here is stepped and searched."""
    session = wb.Session(debate(turns=3), lm=wb.ScriptedLM(words))
    session.step("turn")
    widget = Stepper(session)
    shown(page, widget, "stepper", tmp_path, kernel=True)
    live = page.locator(".wbw-step-live").first
    expect(live.get_by_role("button", name="Finish the turn")).to_be_enabled()
    page.evaluate("window.store.set('gone', true)")
    expect(live).to_contain_text("without a kernel nothing drives it")
    for name in ("Step to the next answer", "Finish the turn", "Play to a stop or the end", "Stop"):
        expect(live.get_by_role("button", name=name, exact=True)).to_be_disabled()
    page.locator(".wbw-step").focus()
    page.keyboard.press("End")
    settled(page, len(widget.run) - 1)
    page.keyboard.press("/")
    page.keyboard.type("agent1")
    expect(page.locator(".wbw-step-count")).to_contain_text("match")
    shot(page, "stepper-gone")

    shown(page, Stepper(runs.sample()[0]), "stepper", tmp_path)
    page.evaluate("window.store.ask = () => {}; window.store.set('gone', true)")
    page.locator(".wbw-step-forking summary").click()
    expect(page.get_by_role("button", name="Make the fork")).to_be_disabled()
    expect(page.locator(".wbw-step-form")).to_contain_text("A fork needs a kernel")
