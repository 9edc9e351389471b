"""Texts that want to be more than text, in every view: none runs, none leaves, all are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page

import workbench as wb
import workbench_widgets as ww
from tests.widgets.hostile import HOSTILE, hostile_run
from workbench.record.events import Answered, Asked, Posted, RunEnded, RunStarted
from workbench.record.parts import Part
from workbench.record.run import Run
from workbench.record.visible import HIDDEN, visible
from workbench_widgets.shared.join import css, joined

pytestmark = pytest.mark.browser
AUDITED = hostile_run()

# The characters that `visible` of shared/dom.mjs writes out.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)

_WALK = """async ([count, needles]) => {
  const step = document.querySelector('.wbw-step');
  const key = (key) =>
    step.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  let missing = needles;
  key('Home');
  for (let at = 0; at < count; at += 1) {
    await new Promise((done) => setTimeout(done));
    for (const part of document.querySelectorAll('.wbw-step-panes > *, [role=tabpanel]')) {
      if (part.hidden || !missing.length) continue;
      const flat = part.textContent.replace(/\\s+/g, '');
      missing = missing.filter((needle) => !flat.includes(needle));
    }
    key('ArrowRight');
  }
  return missing;
}"""
"""Step from the first event to the last, and return what was never to be read on the way."""

_REVEAL = """async ([guesses]) => {
  const view = document.querySelector('.wbw-predict');
  const press = (name) => {
    const button = [...view.querySelectorAll('button')].find((b) => b.textContent === name);
    if (!button || button.disabled) return false;
    button.click();
    return true;
  };
  const read = { asked: '', guessed: '', told: '' };
  for (const guess of guesses) {
    const box = view.querySelector('textarea');
    if (!box) break;
    read.asked += view.textContent;
    box.value = guess;
    box.dispatchEvent(new Event('input', { bubbles: true }));
    if (!press('Reveal')) press('Skip');
    await new Promise((done) => setTimeout(done));
    for (const side of view.querySelectorAll('.wbw-predict-side'))
      read[side.classList.contains('wbw-predict-told') ? 'told' : 'guessed'] += side.textContent;
    for (const peers of view.querySelectorAll('.wbw-predict-foreseen'))
      read.told += peers.textContent;
    press('Next');
    await new Promise((done) => setTimeout(done));
  }
  return { ...read, end: view.textContent, left: view.querySelectorAll('textarea').length };
}"""
"""Guess, reveal and go on until nothing is left, and return what was to be read on the way."""

Told = Callable[[str], str]


def by_script(text: str) -> str:
    """Return a text as the views write it: what cannot be seen is spelled out."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def by_markup(text: str) -> str:
    """Return a text as the static faces write it."""
    return HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def cut(most: int) -> Told:
    """Return how a name is written where there is room for so many characters."""

    def told(text: str) -> str:
        more = f"… (+{len(text) - most:,})" if len(text) > most else ""
        return by_markup(text[:most]) + more

    return told


def flat(words: str) -> str:
    """Return words without blanks: pages break lines, and a table has none between its cells."""
    return "".join(words.split())


def unseen(words: str, told: Told = by_script, texts: Iterable[str] = HOSTILE) -> list[str]:
    """Return the hostile texts that cannot be read in `words` as text."""
    page = flat(words)
    return [text for text in texts if flat(told(text)) not in page]


def quiet(page: Page) -> None:
    """Assert that no script of a text ran and no request wanted to leave."""
    assert page.evaluate("window.pwned") is None
    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


def harmless(page: Page, root: str = ".wbw") -> None:
    """Assert that the page is quiet and no text in `root` became an element or a handler."""
    quiet(page)
    tags = "script img iframe object embed link form video audio meta base".split()
    tags += ["style"] if root == ".wbw" else []  # a static face brings its own
    parsed = page.evaluate(
        "(tags) => document.querySelectorAll(tags).length",
        ", ".join(f"{root} {tag}" for tag in tags),
    )
    assert parsed == 0
    handlers = page.evaluate(
        "(all) => [...document.querySelectorAll(all)].flatMap((e) => [...e.attributes])"
        ".filter((a) => a.name.startsWith('on') || (!a.value.startsWith('#') "
        "&& /^(xlink:)?href$|^src|^action|^data$/.test(a.name)))"
        ".map((a) => a.name + '=' + a.value)",
        f"{root} *",
    )
    assert handlers == []


def opened(page: Page, html: str, folder: Path, name: str = "page.html") -> str:
    """Open HTML in a page that lets scripts run, and return all the text in it."""
    (folder / name).write_text(f"<!doctype html><meta charset=utf-8><body>{html}", "utf-8")
    page.goto((folder / name).as_uri())
    words: str = page.evaluate("document.body.textContent")
    return words


def test_hand_out(page: Page, tmp_path: Path) -> None:
    """Stepped to its end with each view open, the hand-out shows every text as text."""
    run, audit = AUDITED
    path = ww.handout(run, tmp_path / "run.html", audit=audit)
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw-explorer")
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.keyboard.press("Home")
        harmless(page)
    missing = page.evaluate(_WALK, [len(run), [flat(by_script(text)) for text in HOSTILE]])
    harmless(page)

    assert missing == []


@pytest.mark.parametrize("unit", ["contribution", "turn"])
def test_predict_hand_out(unit: str, page: Page, tmp_path: Path) -> None:
    """Guessed and revealed to its end, so does the one for class, and so are the guesses shown."""
    run, audit = AUDITED
    path = ww.handout(run, tmp_path / "guess.html", audit=audit, view="predict", unit=unit)
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw-predict textarea")
    harmless(page)
    read = page.evaluate(_REVEAL, [HOSTILE])
    harmless(page)

    assert read["left"] == 0
    assert "All that was said is revealed" in read["end"]
    assert unseen(read["told"]) == []
    assert unseen(read["guessed"]) == []
    assert unseen(read["end"]) == []  # the guesses, to copy


_TURNED = HOSTILE[::-1]


def _compared() -> ww.Compare:
    run, audit = AUDITED
    other, of_other = hostile_run(_TURNED)
    return ww.Compare(run, other, audits=[audit, of_other])


_WIDGETS: dict[str, tuple[Callable[[], ww.Board | ww.Compare], Told, list[str]]] = {
    **{
        made.__name__: (lambda made=made: made(AUDITED[0], audit=AUDITED[1]), told, texts)
        for made, told, texts in (
            (ww.Stepper, by_markup, HOSTILE),
            (ww.explorer, by_markup, HOSTILE),
            (ww.Predict, by_markup, HOSTILE),
            (ww.ToMBoard, cut(60), HOSTILE),
            (ww.GraphView, visible, HOSTILE),
            (ww.Board, by_markup, HOSTILE[-8:]),  # the newest; how many more there are is told
        )
    },
    # of the verdicts that changed, the first twenty
    "Compare": (_compared, cut(40), [*HOSTILE[:20], *_TURNED[:20]]),
}
"""Of each widget: how its face writes texts, and those that must be in it, in full or cut."""


@pytest.mark.parametrize("name", _WIDGETS)
def test_static_faces(name: str, page: Page, tmp_path: Path) -> None:
    """The faces without a script show the texts, also where the scripts of a page are allowed."""
    made, told, texts = _WIDGETS[name]
    face = made().face()
    words = opened(page, face, tmp_path)

    assert "<script" not in face
    harmless(page, "body")
    assert unseen(words, told, texts) == []
    if len(texts) < len(HOSTILE):
        assert re.search(r"\d more\b", words)


@pytest.fixture(scope="module")
def intervals(tmp_path_factory: pytest.TempPathFactory) -> tuple[ww.Intervals, list[str]]:
    """Return means of runs with hostile conditions, models and file names, and those names."""
    return hostile_intervals(tmp_path_factory.mktemp("runs"))


def hostile_intervals(folder: Path) -> tuple[ww.Intervals, list[str]]:
    """Write a run for each text, and return the widget on them and the names of their files."""
    conditions, names = {}, []
    for number, text in enumerate(text for text in HOSTILE if text.strip()):
        names.append(f"{number} {text}".replace("/", "\u2215").replace("\x00", "")[:80].strip())
        conditions[text] = folder / f"{names[-1]}.run.jsonl"
        with wb.record.log.Log.create(conditions[text]) as log:
            log.append(
                [
                    RunStarted(protocol=text, params={}, seed=number),
                    Asked(path="/say", clock=0, role=text, parts=(Part(text),)),
                    Answered(path="/say", text=text, model=text, tokens_out=number),
                    RunEnded(clock=2, status="complete"),
                ]
            )
    return ww.Intervals(conditions, "tokens_out"), names


def test_intervals(intervals: tuple[ww.Intervals, list[str]], page: Page, tmp_path: Path) -> None:
    """Conditions, models and file names are read in the chart's picture and in the list of runs."""
    made, names = intervals
    texts = [text for text in HOSTILE if text.strip()]
    svg = made.save(tmp_path / "chart.svg").read_text("utf-8")
    ET.fromstring(svg)  # whole, though a name holds what XML cannot
    data = made._repr_mimebundle_()
    still = (data[0] if isinstance(data, tuple) else data)["image/svg+xml"]

    for picture in (svg, still):
        words = opened(page, picture, tmp_path)
        harmless(page, "body")
        # each condition has one run, so the caption says of each that it has no interval
        assert unseen(words, lambda text: f"{visible(text)}: no interval", texts) == []
        models = words.split("Model")[-1]
        assert unseen(models, visible, texts) == []

    rows = [{**row, "seed": None} for row in made.list.rows]
    script = f"{joined('intervals/widget.js')}\nwindow.runList = runList;"
    opened(
        page,
        f"<style>{css('intervals')}</style><div id=here></div><script>{script}</script>",
        tmp_path,
    )
    page.evaluate(
        "(traits) => window.runList({ el: document.getElementById('here'), model: {"
        " get: (name) => traits[name], on() {}, off() {}, send() {} } })",
        {
            "rows": rows,
            "title": ", ".join(texts),
            "conditions": [[text, 1] for text in texts],
            "chosen": texts,
            "measure": texts[0],
            "problem": "".join(texts),
        },
    )
    for part in ("caption", "td:nth-child(2)", "option", "[role=alert]"):
        words = page.evaluate(
            "(all) => [...document.querySelectorAll(all)].map((e) => e.textContent).join(' ')",
            f".wbw {part}",
        )
        assert unseen(words, by_script, texts) == []
    assert unseen(page.locator(".wbw tbody").inner_text(), by_script, names) == []
    harmless(page)


def test_graph_page(page: Page, tmp_path: Path) -> None:
    """The stand-alone page of a graph has each text in its tooltips, and runs nothing else."""
    run, audit = AUDITED
    ww.GraphView(run, audit=audit).pyvis(tmp_path / "graph.html")
    page.goto((tmp_path / "graph.html").as_uri())
    page.wait_for_selector("canvas")
    titles = page.evaluate("nodes.get().map((node) => node.title.textContent ?? node.title)")
    assert unseen(" ".join(titles), visible) == []

    for number in (0, len(HOSTILE) // 2, len(HOSTILE) - 1):  # what is drawn is on a canvas
        x, y = page.evaluate(
            "(id) => { network.focus(id, { scale: 1 }); const at = network.canvasToDOM("
            "network.getPosition(id)); const box = document.querySelector('canvas')"
            ".getBoundingClientRect(); return [box.x + at.x, box.y + at.y]; }",
            number,
        )
        page.mouse.move(x - 3, y)
        page.mouse.move(x, y)
        page.wait_for_function(
            "(title) => { const tip = document.querySelector('.vis-tooltip'); return tip "
            "&& tip.style.visibility === 'visible' && tip.innerText.trim() === title; }",
            arg=titles[number].strip(),
            timeout=10_000,
        )
        quiet(page)
    assert page.locator(".vis-tooltip :not(br)").count() == 0


def test_jupyter_lab(notebook: Callable[..., Page], tmp_path: Path) -> None:
    """In a real notebook the widgets and the saved faces are as harmless, and as legible."""
    page = notebook(
        "import sys; sys.path.insert(0, " + repr(str(Path(__file__).parents[2])) + ")\n"
        "from pathlib import Path\n"
        "from tests.widgets.hostile import hostile_run\n"
        "from tests.widgets.test_hostile import hostile_intervals\n"
        "import workbench_widgets as ww\n"
        "run, audit = hostile_run()\n"
        "ww.explorer(run, audit=audit)",
        "ww.Compare(run, audit)",
        "run",
        f"hostile_intervals(Path({str(tmp_path)!r}))[0]",
        name="hostile.ipynb",
    )
    texts = [text for text in HOSTILE if text.strip()]
    page.wait_for_selector(".wbw-explorer .wbw-step", timeout=60_000)
    page.wait_for_selector(".wb-run", timeout=60_000)
    page.wait_for_selector(".vega-embed svg", timeout=60_000)
    page.wait_for_selector(".wbw-intervals tbody tr", timeout=60_000)
    harmless(page)
    harmless(page, ".vega-embed svg")

    def read(place: str) -> str:
        words: str = page.evaluate(
            "(all) => [...document.querySelectorAll(all)].map((e) => e.textContent).join(' ')",
            place,
        )
        return words

    assert unseen(read(".wb-run"), by_markup) == []
    assert unseen(read(".wbw-intervals td"), by_script, texts) == []
    assert unseen(read(".vega-embed svg"), visible, texts) == []
    assert unseen(read(".wbw-explorer"), by_script, HOSTILE[:1]) == []  # what stands open at first


@pytest.mark.parametrize("words", ["w" * 1_000_000, "\u202e" * 1000, "half \ud800 of a pair"])
def test_long_and_broken(words: str, page: Page, tmp_path: Path) -> None:
    """A megabyte without a space, many overrides and half a pair are shown, and stepped past."""
    run, _ = hostile_run(["agent", "title", "model", "kind", words[:2000], "last"])
    big = [
        Asked(path="/big", clock=900, role=words[:2000], parts=(Part(words),)),
        Answered(path="/big", text=words),
        Posted(path="/fact", clock=901, kind="Proposed", data={"contribution": words}),
    ]
    run = Run([*run.events[:-1], *big, run.events[-1]])
    path = ww.handout(run, tmp_path / "long.html")
    page.goto(path.as_uri())
    page.wait_for_selector(".wbw-step")
    missing = page.evaluate(_WALK, [len(run), [flat(by_script(words[:800]))]])

    assert missing == []
    quiet(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1290


_LONGEST = """async ([count]) => {
  const step = document.querySelector('.wbw-step');
  const key = (key) =>
    step.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const tabs = [...document.querySelectorAll('[role=tab]')];
  let longest = 0;
  key('Home');
  for (let at = 0; at < count; at += 1) {
    tabs[at % tabs.length].click();
    await new Promise((done) => setTimeout(done));
    const texts = document.createTreeWalker(document.querySelector('.wbw'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) longest = Math.max(longest, texts.currentNode.data.length);
    key('ArrowRight');
  }
  return longest;
}"""
"""Step from the first event to the last, and return the length of the longest text in the page."""


def test_no_view_is_laid_out_around_a_name(page: Page, tmp_path: Path) -> None:
    """An agent, a model, a kind or a verdict of a megabyte is cut, and told by how much."""
    run, audit = hostile_run(["agent", "title", "model", "kind", "w" * 1_000_000, "last"])
    page.goto(ww.handout(run, tmp_path / "long.html", audit=audit).as_uri())
    page.wait_for_selector(".wbw-step")

    assert page.evaluate(_LONGEST, [len(run)]) < 10_000
    assert page.get_by_text("w… (+999,700)").count() > 0
    quiet(page)


def test_runs_of_files_cannot_hold_half_a_pair(tmp_path: Path) -> None:
    """What reaches the widgets from a file is whole text."""
    run, _ = hostile_run(["agent", "title", "model", "kind", "half \ud800", "last"])
    with pytest.raises(wb.RunFileError), wb.record.log.Log.create(tmp_path / "x.run.jsonl") as log:
        log.append(run.events)
