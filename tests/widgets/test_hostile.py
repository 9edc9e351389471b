"""Texts that want to be more than text, in every view: none runs, none leaves, all are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import workbench as wb
import workbench_widgets as ww
from tests.widgets.hostile import HOSTILE, hostile_run
from workbench.record.events import Answered, Asked, Posted
from workbench.record.parts import Part
from workbench.record.run import Run

pytestmark = pytest.mark.browser
AUDITED = hostile_run()

# The characters that `visible` of shared/dom.mjs writes out.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


_WALK = """async (count) => {
  const step = document.querySelector('.wbw-step');
  const key = (key) =>
    step.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const words = new Set();
  key('Home');
  for (let at = 0; at < count; at += 1) {
    await new Promise((done) => setTimeout(done));
    for (const part of document.querySelectorAll('.wbw-step-panes > *, [role=tabpanel]'))
      if (!part.hidden) words.add(part.textContent);
    key('ArrowRight');
  }
  return [...words].join(' ');
}"""
"""Step from the first event to the last, and return all that was to be read on the way."""


def harmless(page: Page) -> None:
    """Assert that no script of a text ran and no request wanted to leave."""
    assert page.evaluate("window.pwned") is None
    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]
    parsed = page.evaluate(
        "document.querySelectorAll('.wbw script, .wbw img, .wbw iframe, .wbw object, .wbw embed, "
        ".wbw link, .wbw style, .wbw form, .wbw video, .wbw audio, .wbw meta, .wbw base').length"
    )
    assert parsed == 0
    handlers = page.evaluate(
        "[...document.querySelectorAll('.wbw *')].flatMap((e) => [...e.attributes])"
        ".filter((a) => a.name.startsWith('on') || (!a.value.startsWith('#') "
        "&& /^(xlink:)?href$|^src|^action|^data$/.test(a.name))).map((a) => a.name + '=' + a.value)"
    )
    assert handlers == []


def seen(words: str) -> list[str]:
    """Return the hostile texts that cannot be read in `words` as text."""
    flat = "".join(words.split())
    told = {t: _HIDDEN.sub(lambda c: f"\\u{ord(c[0]):04x}", t) for t in HOSTILE}
    return [text for text, shown in told.items() if "".join(shown.split()) not in flat]


def test_hand_out(page: Page, tmp_path: Path) -> None:
    """Stepped to its end with each view open, the hand-out shows every text as text."""
    run, audit = AUDITED
    path = ww.handout(run, tmp_path / "run.html", audit=audit)
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw-explorer")
    words = ""
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.keyboard.press("Home")
        words += page.locator(".wbw").first.inner_text()
        harmless(page)
    words += page.evaluate(_WALK, len(run))
    harmless(page)

    assert seen(words) == []


def test_predict_hand_out(page: Page, tmp_path: Path) -> None:
    """So does the one for guessing."""
    run, audit = AUDITED
    path = ww.handout(run, tmp_path / "guess.html", audit=audit, view="predict")
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw")
    harmless(page)


@pytest.mark.parametrize("make", [ww.Stepper, ww.ToMBoard, ww.GraphView, ww.Board, ww.explorer])
def test_static_faces(make: type, page: Page, tmp_path: Path) -> None:
    """The faces without a script are as harmless, also with the scripts of a page allowed."""
    run, audit = AUDITED
    face = make(run, audit=audit).face()
    (tmp_path / "face.html").write_text(f"<!doctype html><meta charset=utf-8>{face}")
    page.goto((tmp_path / "face.html").as_uri())

    assert "<script" not in face
    assert page.evaluate("window.pwned") is None
    assert page.left == []  # type: ignore[attr-defined]


def test_graph_page(page: Page, tmp_path: Path) -> None:
    """The stand-alone page of a graph brings all that it needs and runs nothing else."""
    run, audit = AUDITED
    ww.GraphView(run, audit=audit).pyvis(tmp_path / "graph.html")
    page.goto((tmp_path / "graph.html").as_uri())
    page.wait_for_selector("canvas")

    assert page.evaluate("window.pwned") is None
    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


def test_jupyter_lab(notebook: object, tmp_path: Path) -> None:
    """In a real notebook the widgets and their saved faces are as harmless."""
    page = notebook(  # type: ignore[operator]
        "import sys; sys.path.insert(0, " + repr(str(Path(__file__).parents[2])) + ")\n"
        "from tests.widgets.hostile import hostile_run\n"
        "import workbench_widgets as ww\n"
        "run, audit = hostile_run()\n"
        "ww.explorer(run, audit=audit)",
        "ww.Compare(run, audit)",
        "run",
        name="hostile.ipynb",
    )
    page.wait_for_selector(".wbw-explorer", timeout=60_000)
    page.wait_for_selector(".wb-run", timeout=60_000)
    page.wait_for_timeout(500)
    harmless(page)


@pytest.mark.parametrize("words", ["w" * 1_000_000, "\u202e" * 1000, "half \ud800 of a pair"])
def test_long_and_broken(words: str, page: Page, tmp_path: Path) -> None:
    """A megabyte without a space, many overrides and half a pair are shown, and stepped past."""
    run, audit = hostile_run(["agent", "title", "model", "kind", words[:2000], "last"])
    big = [
        Asked(path="/big", clock=900, role=words[:2000], parts=(Part(words),)),
        Answered(path="/big", text=words),
        Posted(path="/fact", clock=901, kind="Proposed", data={"contribution": words}),
    ]
    run = Run([*run.events[:-1], *big, run.events[-1]])
    path = ww.handout(run, tmp_path / "long.html", audit=audit)
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw-step")
    read = page.evaluate(_WALK, len(run))

    assert "".join(words[:1000].split()) in "".join(read.split()) or "\\u" in read
    assert page.errors == []  # type: ignore[attr-defined]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1290


def test_runs_of_files_cannot_hold_half_a_pair(tmp_path: Path) -> None:
    """What reaches the widgets from a file is whole text."""
    run, _ = hostile_run(["agent", "title", "model", "kind", "half \ud800", "last"])
    with pytest.raises(wb.RunFileError), wb.record.log.Log.create(tmp_path / "x.run.jsonl") as log:
        log.append(run.events)
