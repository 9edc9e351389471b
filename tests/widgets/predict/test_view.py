"""Predict and reveal in a real browser: nothing is told before the guess, by page or by cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import workbench as wb
from tests.scripts import CASE, judge, play
from tests.toys import debate
from tests.widgets.hostile import hostile_run
from tests.widgets.mounted import mounted, shot
from tests.widgets.tom.runs import empty, odd, stopped
from workbench.agents.case import Case
from workbench_widgets.predict import payload
from workbench_widgets.shared.source import Source

pytestmark = pytest.mark.browser
SAMPLES = Path(__file__).parents[3] / "sample_runs"


def scripted() -> Source:
    """Return a run in which every text is another, with its audit."""
    run = play(Case.model_validate(CASE))
    return Source(run, wb.run_sync(wb.audit(run, embeddings=False), lm=judge()))


def state(page: Page, name: str) -> Any:
    """Return a shared value."""
    return page.evaluate("(name) => store.get(name)", name)


def told(source: Source, at: int, order: str) -> str:
    """Return all texts that a view may show whose cursor stands at an event."""
    place = source.positions[order][at]
    seen = [source.run.events[i] for i in source.order[order][: place + 1]]
    return " ".join(repr(event) for event in seen)


def press(page: Page, name: str) -> None:
    """Press a button of the view."""
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("order", ["happened", "path"])
def test_nothing_is_told_before_the_guess(order: str, page: Page, tmp_path: Path) -> None:
    """Neither in the document, at any moment, nor by the cursor, which other views follow."""
    source = scripted()
    mounted(page, payload, source, tmp_path, at=len(source.run) - 1, order=order)
    left = {
        f"contribution-{turn}-{name}" for turn in (1, 2) for name in ("analyst", "buyer", "critic")
    }
    guessed = []
    for n in range(6):
        html = page.content()
        whom = page.locator(".wbw-predict-ask .wbw-who").inner_text().lower()
        assert [words for words in left if words in html] == []
        assert [words for words in left if words in told(source, state(page, "at"), order)] == []
        assert page.locator(".wbw-predict-count").inner_text() == f"{n + 1} of 6"
        assert page.get_by_role("button", name="Reveal").is_disabled()
        page.get_by_role("textbox").fill(f"guess {n}")
        if n % 2:
            page.get_by_role("textbox").press("Control+Enter")
        else:
            press(page, "Reveal")
        (said,) = (
            w for w in left if w.endswith(whom) and w.startswith(f"contribution-{n // 3 + 1}")
        )
        left.remove(said)
        body = page.locator(".wbw-predict").inner_text()
        assert said in body
        assert f"guess {n}" in body
        others = {"analyst", "buyer", "critic"} - {whom}
        assert all(f"prediction-{n // 3 + 1}-{other}-of-{whom}" in body for other in others)
        assert body.count("consistent") == 2
        assert [words for words in left if words in page.content()] == []
        for at in page.evaluate("moves.splice(0)"):
            assert [words for words in left if words in told(source, at, order)] == []
        guessed.append(f"/turn={n // 3 + 1}/{whom}/proposal")
        press(page, "Next")
    assert "You guessed 6 contributions." in page.locator(".wbw-predict").inner_text()
    assert [entry["path"] for entry in state(page, "guesses")] == guessed
    for number, entry in enumerate(state(page, "guesses")):
        assert entry["guess"] == f"guess {number}"
        assert source.run.events[entry["at_event"]].path == entry["path"]
    assert page.errors == []  # type: ignore[attr-defined]


def test_pick_skip_back_and_large_type(page: Page, tmp_path: Path) -> None:
    """Another agent may be guessed first; a skip shows and counts; one can look back."""
    source = scripted()
    mounted(page, payload, source, tmp_path)
    page.get_by_role("button", name="Critic").click()
    page.get_by_role("textbox").fill("a word")
    press(page, "Reveal")
    assert "contribution-1-critic" in page.locator(".wbw-predict").inner_text()
    press(page, "Next")
    page.get_by_text("Said in this turn so far").wait_for()
    assert page.get_by_role("button", name="Critic").count() == 0
    press(page, "Skip")
    assert "Skipped." in page.locator(".wbw-predict").inner_text()
    press(page, "Next")
    press(page, "Skip")
    press(page, "Back")
    assert page.locator("h3").inner_text() == "Turn 1: Analyst"
    assert [entry["guess"] for entry in state(page, "guesses")] == ["a word", None, None]
    press(page, "Next")
    press(page, "Next")
    assert page.locator(".wbw-predict-side .wbw-say").first.inner_text() == "a word"
    press(page, "Next")
    assert "What will Analyst say?" in page.locator(".wbw-predict-ask").inner_text()
    page.get_by_role("textbox").fill("half written")
    small = page.locator("h3").evaluate("node => getComputedStyle(node).fontSize")
    press(page, "Large type")
    assert page.locator("h3").evaluate("node => getComputedStyle(node).fontSize") > small
    assert page.get_by_role("textbox").input_value() == "half written"
    page.evaluate("() => store.set('guesses', [])")  # the teacher begins anew
    assert page.locator(".wbw-predict-count").inner_text() == "1 of 6"
    assert page.errors == []  # type: ignore[attr-defined]


def test_by_turns(page: Page, tmp_path: Path) -> None:
    """A whole turn is hidden with its goal; the guess may be about one agent."""
    source = scripted()
    mounted(page, payload, source, tmp_path, unit="turn")
    html = page.content()
    offered = page.locator("option").all_inner_texts()
    assert sorted(offered) == ["Analyst", "Buyer", "Critic", "the whole turn"]
    assert "goal-of-turn-1" not in html
    assert "contribution-1" not in html
    page.get_by_role("combobox").select_option(label="Buyer")
    page.get_by_role("textbox").fill("bread")
    press(page, "Reveal")
    body = page.locator(".wbw-predict").inner_text()

    assert "Your guess about Buyer" in body
    for words in ("goal-of-turn-1", "contribution-1-critic", "reason-of-turn-1"):
        assert words in body
    assert "turn-2" not in page.content()
    assert state(page, "guesses")[0]["path"] == "/turn=1/buyer/proposal"
    assert state(page, "guesses")[0]["about"] == "buyer"
    press(page, "Next")
    assert "goal-of-turn-2" not in told(source, state(page, "at"), "happened")
    press(page, "Skip")
    press(page, "Next")
    assert state(page, "at") == len(source.run) - 1
    assert "You guessed 1 turn and skipped 1." in page.locator(".wbw-predict").inner_text()


def test_a_guess_about_one_who_did_not_speak(page: Page, tmp_path: Path) -> None:
    """Whom it was about is kept; only who speaks in the run may be chosen, not in which turn."""
    source = Source(*odd())
    mounted(page, payload, source, tmp_path, unit="turn")
    options = page.locator("option").all_inner_texts()
    page.get_by_role("combobox").select_option(label="C")
    page.get_by_role("textbox").fill("c will object")
    press(page, "Reveal")

    assert options == ["the whole turn", "A", "B", "C"]
    assert "Your guess about C" in page.locator(".wbw-predict").inner_text()
    (entry,) = state(page, "guesses")
    assert entry == {
        "path": "/turn=1/goal",
        "guess": "c will object",
        "at_event": source.places["/turn=1/goal"],
        "about": "c",
    }
    press(page, "Next")
    press(page, "Back")
    assert "Your guess about C" in page.locator(".wbw-predict").inner_text()
    press(page, "Next")
    page.get_by_role("combobox").select_option(label="B")
    press(page, "Skip")
    assert state(page, "guesses")[1]["about"] is None
    assert page.errors == []  # type: ignore[attr-defined]


def test_other_protocols_and_empty_runs(page: Page, tmp_path: Path) -> None:
    """Replies are guessed where there are no turns; a run with nothing in it says so."""
    run = wb.run_sync(debate(turns=1), lm=wb.ScriptedLM(lambda asked: f"words of {asked.role}"))
    mounted(page, payload, Source(run), tmp_path)
    assert "What will Agent0 reply?" in page.locator(".wbw-predict-ask").inner_text()
    assert "words of agent0" not in page.content()
    press(page, "Skip")
    assert "words of agent0" in page.locator(".wbw-predict").inner_text()
    mounted(page, payload, Source(empty()), tmp_path)
    assert "Nothing to guess yet" in page.locator(".wbw-predict").inner_text()
    mounted(page, payload, Source(*odd()), tmp_path)
    while page.get_by_role("button", name="Skip").count():
        press(page, "Skip")
        press(page, "Next")
    assert "skipped 5" in page.locator(".wbw-predict").inner_text()
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("failed", [False, True])
def test_a_run_that_stopped_says_so(page: Page, tmp_path: Path, failed: bool) -> None:
    """At its end, and where there is nothing to guess; not in a run that is complete."""
    whole = wb.open_run(SAMPLES / "vance_v_innovate/vance_v_innovate.run.jsonl")
    told = "The run is interrupted after 60 events."
    run = whole.before(60)
    if failed:
        run, told = stopped(run), "The run is failed after 61 events: no wire"
    for shown, title, words in (
        (run, "All that was said is revealed", told),
        (whole, "All revealed", None),
    ):
        mounted(page, payload, Source(shown), tmp_path)
        while page.get_by_role("button", name="Skip").count():
            press(page, "Skip")
            press(page, "Next")
        assert page.locator(".wbw-predict h3").inner_text() == title
        if words:
            assert page.get_by_text(words, exact=True).is_visible()
        else:
            assert "The run is" not in page.locator(".wbw-predict").inner_text()
        shot(page, f"predict-end-{shown.status}")
    mounted(page, payload, Source(stopped(whole.before(1))), tmp_path)
    assert "The run is failed after 2 events: no wire" in page.locator(".wbw-predict").inner_text()


def test_hostile_words(page: Page, tmp_path: Path) -> None:
    """Goals, names, contributions and predictions are text."""
    mounted(page, payload, Source(*hostile_run()), tmp_path)
    seen = page.evaluate(
        """() => { let words = '';
        const buttons = () => [...document.querySelectorAll('button')];
        const named = (name) => buttons().find((button) => button.textContent === name);
        while (named('Skip')) {
          named('Skip').click();
          words += document.body.textContent;
          named('Next').click();
        }
        return words; }"""
    )

    assert "<img src=x onerror=" in seen
    assert page.evaluate("window.pwned") is None
    assert page.locator(".wbw script, .wbw img, .wbw iframe").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]
    assert page.left == []  # type: ignore[attr-defined]
    mounted(page, payload, Source(*hostile_run(["w" * 100_000] * 4)), tmp_path)
    press(page, "Skip")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


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
    folder = SAMPLES / "vance_v_innovate"
    run, audit = (wb.open_run(p) for p in sorted(folder.glob("*.jsonl"), reverse=True))
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 700})
    mounted(page, payload, Source(run, audit), tmp_path)
    if name == "big":
        press(page, "Large type")
    page.get_by_role("textbox").fill("They will blame the charger, and ask for the report.")
    shot(page, f"predict-{name}-ask")
    press(page, "Reveal")
    shot(page, f"predict-{name}-told")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
