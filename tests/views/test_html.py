"""Tests of `workbench.views.html` and `workbench.views.picture`."""

from __future__ import annotations

import re
import socket
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import workbench as wb
from tests.record.deliberation import (
    HOSTILE,
    SAID,
    broken_off,
    deliberate,
    judge,
    odd_events,
    shuffled,
)
from workbench.engine.commands import Steps
from workbench.record.events import (
    Answered,
    Asked,
    Event,
    Failed,
    Lineage,
    Posted,
    RunEnded,
    RunStarted,
)
from workbench.record.parts import Part
from workbench.record.run import Run
from workbench.views.agents import DARK, LIGHT
from workbench.views.html import cost, run_html
from workbench.views.markup import Room, badge, name, number, place, safe, style
from workbench.views.picture import run_svg
from workbench.views.report import report_html
from workbench.views.turns import story

VOID = {"br", "hr", "img", "link", "meta", "input", "wbr"}


class Page(HTMLParser):
    """Reads a page strictly: tags nest, and what is in it is kept."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep words that a reader sees."""
        if "style" not in self.open:
            self.said.append(data)

    @property
    def text(self) -> str:
        """All words of the page."""
        return "".join(self.said)


def check(html: str) -> Page:
    """Return a page that runs nothing, loads nothing and hides nothing."""
    page = Page(html)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "form", "base"}
    for tag, attrs in page.tags:
        assert not [a for a in attrs if a.startswith("on")], (tag, attrs)
        for attr in ("src", "href", "xlink:href", "srcset", "action", "poster"):
            assert (attrs.get(attr) or "#").startswith("#")
    for sheet in re.findall(r"<style>(.*?)</style>", html, re.DOTALL):
        assert "url(" not in sheet
        assert "@import" not in sheet
        assert "http" not in sheet
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0041]", html)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    return page


class Noted(wb.Fact):
    """A fact that no page knows of."""

    text: str


@wb.protocol("chatter")
def chatter(n: int, words: str = "") -> Steps[dict[str, str]]:
    """Let `n` agents speak at once, and call a tool; no goals and no turns."""

    def speak(agent: int) -> Steps[str]:
        reply = yield from wb.ask("speak", f"agent{agent}", f"Speak. {words}")
        yield from wb.post("note", Noted(text=reply.text), [reply.path])
        return reply.text

    got: dict[str, str] = yield from wb.all_of("round", {f"a{i}": speak(i) for i in range(n)})
    yield from wb.call("look", "peek", words=words)
    return got


def chat(n: int = 3, words: str = "", reply: str = "Good day.") -> Run:
    """Return a run of `chatter`."""
    lm = wb.ScriptedLM(lambda asked: reply)
    run: Run = wb.run_sync(chatter(n, words), lm=lm, world={"peek": lambda words: words})
    return run


def failed() -> Run:
    """Return a run whose protocol raised."""
    events: list[Event] = [
        RunStarted(protocol="toy", params={}),
        Asked(path="/a", clock=0, role="r", parts=(Part("hi"),)),
        Answered(path="/a", text="<think>no</think>", cost_usd=None),
        RunEnded(clock=1, status="failed", error="ValueError: <b>no</b>"),
    ]
    return Run(events)


RUNS: dict[str, Callable[[], Run]] = {
    "empty": lambda: Run([RunStarted(protocol="bilayer", params={})]),
    "failed": failed,
    "broken off": broken_off,
    "odd": lambda: Run(odd_events()),
    "complete": deliberate,
    "hostile": lambda: deliberate(HOSTILE),
    "audit": lambda: judge(deliberate(HOSTILE), HOSTILE),
    "generic": lambda: chat(words=HOSTILE, reply=HOSTILE),
    "hostile names": lambda: Run(
        [
            RunStarted(
                protocol=HOSTILE,
                params={"case": {"title": HOSTILE}},
                models={"*": {"model": HOSTILE}},
                subject=HOSTILE,
            ),
            Asked(path=f"/turn=1/{HOSTILE}", clock=0, role=HOSTILE, parts=(Part("x", HOSTILE),)),
            Failed(path=f"/turn=1/{HOSTILE}", error=HOSTILE, message=HOSTILE),
            Posted(path="/turn=1/p", clock=1, kind="Proposed", data={"author": HOSTILE}),
            Posted(path="/turn=1/q", clock=2, kind=HOSTILE, data={HOSTILE: HOSTILE}),
            Posted(path="/turn=1/v", clock=3, kind=HOSTILE, data={"verdict": HOSTILE}),
            Posted(
                path="/turn=1/z", clock=4, kind="Gated", data={"role": HOSTILE, "errors": [HOSTILE]}
            ),
        ]
    ),
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_face_is_harmless_and_well_formed(kind: str) -> None:
    """No script, no outside resource, nothing hidden, every tag closed, whatever the run holds."""
    html = run_html(RUNS[kind]())
    page = check(html)
    assert page.tags[0] == ("div", {"class": "wb-run mathjax_ignore"})
    assert not [attrs for _, attrs in page.tags if "id" in attrs]
    assert "could not be shown" not in html


@pytest.mark.parametrize("kind", RUNS)
def test_a_picture_is_well_formed_xml(kind: str) -> None:
    """The SVG parses as XML and refers to nothing outside."""
    svg = run_svg(RUNS[kind]())
    root = ET.fromstring(svg)  # the payload is ours
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg.count("http") == svg.count("http://www.w3.org/2000/svg")


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_arrival_changes_no_byte(kind: str, seed: int) -> None:
    """The same run gives the same bytes, whoever answered first."""
    run = RUNS[kind]()
    assert run_html(run) == run_html(shuffled(run, seed))
    assert run_svg(run) == run_svg(shuffled(run, seed))


def test_every_prefix_of_a_run_can_be_shown() -> None:
    """A run that was killed after any event has a face and a picture."""
    run = deliberate()
    for count in range(1, len(run) + 1):
        html = run_html(run.before(count))
        assert "could not be shown" not in html
        run_svg(run.before(count))


def test_showing_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """A face is made from the events alone."""
    run = deliberate()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a display opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    assert set(run._repr_mimebundle_()) >= {"text/plain", "text/html"}


def test_words_of_models_are_escaped_and_never_stripped() -> None:
    """What a model wrote is readable to the last character; hidden ones are spelled out."""
    text = check(run_html(deliberate(HOSTILE))).text
    for words in ("</script><img src=x onerror=1>", "<think>plan</think>", "<!--", "-->", "&amp;"):
        assert words in text
    for code in ("U+2028", "U+202E", "U+0000", "U+001B", "U+200B", "U+E0041"):
        assert f"[{code}]" in text


def test_a_turn_tells_its_whole_story() -> None:
    """Goal, phase, nominated, rule, searches, predictions, contributions and decision are there."""
    page = check(run_html(deliberate()))
    for words in (
        "Turn 1",
        "Discover",
        "Draft 1 of one plan within the budget",
        "Planner",
        "New rule",
        "Name the source of each figure.",
        "cost of a night tram",
        "planner/notes.md#p0",
        "The treasurer will ask for less.",
        SAID["residents"].strip()[:60],
        "advance",
        "The sum fits.",
    ):
        assert words in page.text, words


def test_recoveries_of_the_gate_are_visible() -> None:
    """A reply that was mended or asked for again is told with its tier and attempts."""
    text = check(run_html(deliberate())).text
    assert "replies recovered by the structural gate" in text
    assert "/turn=2/residents/propose/gate" in text
    assert "regex" in text


def test_trouble_is_told_first() -> None:
    """An interrupted run says so, with the path and message of each failure."""
    text = check(run_html(broken_off())).text
    assert "interrupted" in text
    assert "/turn=2/treasurer/propose/try=1" in text
    assert "the server hung up on <treasurer>" in text
    assert "The protocol raised. ValueError: <b>no</b>" in check(run_html(failed())).text


def test_an_unknown_cost_is_said_to_be_unknown() -> None:
    """A price that nobody knows is never shown as 0."""
    assert "cost unknown" in check(run_html(failed())).text
    assert cost(None) == "unknown"
    assert (cost(0.0), cost(0.00123), cost(12.345)) == ("$0.00", "$0.0012", "$12.35")


def test_an_audit_shows_its_verdicts_in_words() -> None:
    """Each auditor has a table with its counts; a verdict is a word, not a colour alone."""
    text = check(run_html(judge(deliberate()))).text
    assert "Logic auditor: INVALID 2, VALID 4 (n = 6)" in text
    assert "Theory of Mind auditor: consistent 6, inconsistent 6 (n = 12)" in text
    assert "RAG auditor: effective 6 (n = 6)" in text
    assert "R2 is broken." in text


def test_verdicts_of_any_protocol_say_of_what_and_why() -> None:
    """MAVEN's Judge names a draft and not a path: its fact's own place and words stand there."""
    page = run_html(wb.open_run("sample_runs/maven/tree.run.jsonl"))
    table = page[page.index("Judged: reject 3 (n = 3)") :].split("</table>")[0]
    assert 3 == table.count('<span class="wb-badge wb-bad">')
    assert 'scope="row"></th>' not in table
    assert 3 == table.count("The draft does not provide any evidence")


def test_any_protocol_has_a_table_of_facts_and_asks() -> None:
    """A run without goals and proposals is told by path."""
    text = check(run_html(chat(words="tea"))).text
    for words in ("Facts (3)", "Noted", "Model calls (3)", "/round/a1/speak", "peek", "Result"):
        assert words in text, words


def test_a_large_run_says_what_is_left_out() -> None:
    """A face stays near 300 kB, and what does not fit is counted."""
    html = run_html(chat(n=400, reply="word " * 2_000))
    assert len(html.encode()) < 320_000
    assert re.search(r"\d+ (facts|model calls) left out here", check(html).text)
    assert re.search(r"[\d,]+ characters left out here", check(html).text)


def test_a_long_deliberation_says_how_many_turns_are_left_out() -> None:
    """The first turns are shown, the others counted."""
    one = [e for e in deliberate().events if isinstance(e, Posted) and "/turn=1/" in e.path]
    events: list[Event] = [RunStarted(protocol="bilayer", params={})]
    for turn in range(1, 101):
        for e in one:
            path = e.path.replace("/turn=1/", f"/turn={turn}/")
            data = e.data | {"turn": turn, "contribution": "x " * 900}
            events.append(Posted(path=path, clock=turn * 20 + e.clock, kind=e.kind, data=data))
    html = run_html(Run(events))
    assert len(html.encode()) < 320_000
    left = re.search(r"(\d+) turns left out here", check(html).text)
    assert left is not None
    assert int(left[1]) + html.count('<section class="wb-turn">') == 100
    assert "Not drawn:" in run_svg(Run(events))


def test_two_faces_in_one_page_do_not_clash() -> None:
    """A face has no id at all, and all of its rules are under one class."""
    sheet = style("style.css")
    inside = re.sub(r"@(media|supports)[^{]*\{", "", sheet.removeprefix("<style>"))
    selectors = [s for block in re.findall(r"([^{}]+)\{", inside) for s in block.split(",")]
    assert [s for s in selectors if "wb-" not in s] == []
    check(run_html(deliberate()) * 2)


def test_a_face_that_cannot_be_made_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Showing a run never raises."""

    def breaks(run: Run) -> None:
        raise RuntimeError("<b>odd</b>")

    monkeypatch.setattr("workbench.views.html.story", breaks)
    assert "RuntimeError: <b>odd</b>" in check(run_html(deliberate(), "mine")).text


def test_the_title_can_be_given() -> None:
    """A session puts its own title over the run."""
    assert "Session <1>" in check(run_html(deliberate(), title="Session <1>")).text


def test_file() -> None:
    """A face names the file that its run came from, and no folder; a run in memory has none."""
    run = deliberate()
    kept = Run(run.events, Path("some/where/a<b.run.jsonl"))

    assert "a<b.run.jsonl · " in check(run_html(kept)).text
    assert "where" not in check(run_html(kept)).text
    assert ".run.jsonl" not in check(run_html(run)).text


def test_a_small_picture() -> None:
    """A picture is drawn at most as large as it is, and no smaller than can be read."""
    wide = wb.open_run("sample_runs/maven/tree.run.jsonl")
    sizes = []
    for run in (chat(), wide):
        svg = dict(check(run_html(run)).tags)["svg"]
        size = float((svg["viewbox"] or "").split()[2])
        assert svg["style"] == f"max-width:{size:g}px;min-width:{min(size, 780):g}px"
        sizes.append(size)
    assert sizes[0] < 780 < sizes[1]


def test_the_picture_draws_lanes_columns_and_readers() -> None:
    """There is a lane an agent, a column a turn, and a thread from each proposal to its readers."""
    run = deliberate()
    svg = run_svg(run, judge(run))
    words = "".join(ET.fromstring(svg).itertext())
    for said in ("Meta agent", "Planner", "Treasurer", "Residents", "Turn 1", "Turn 2", "✗", "+A2"):
        assert said in words, said
    threads = svg.count('fill="none" stroke=')
    assert threads >= 3 + 6 + 3


def test_the_colours_of_the_picture_are_those_of_the_page() -> None:
    """An agent has one colour, in the picture and over its words, on light and on dark paper."""
    sheet = style("style.css")
    for number_, (light, dark) in enumerate(zip(LIGHT, DARK, strict=True)):
        assert f".wb-a{number_} {{ --hue: light-dark({light}, {dark}); }}" in sheet
        assert f".wb-f{number_} {{ fill: light-dark({light}, {dark}); }}" in sheet


def test_a_story_is_read_off_the_events() -> None:
    """Turns hold their seats in the order of nomination, and the searches of each."""
    told = story(deliberate())
    assert [turn.phase for turn in told.turns] == ["Discover", "Define"]
    assert list(told.turns[0].seats) == list(SAID)
    assert told.turns[0].seats["planner"].searches[0].query == "cost of a night tram"
    assert list(told.rules) == ["R1", "R2", "A2"]
    assert told.others == []


def test_markup_says_numbers_and_names() -> None:
    """Figures are grouped, unknown is a word, and long names are cut with a count."""
    assert (number(None), number(1234567), number(0.5), number("66.7 %")) == (
        "unknown",
        "1,234,567",
        "0.5",
        "66.7 %",
    )
    assert name("x" * 100, 10) == "xxxxxxxxxx… (+90)"
    assert place("/a/b") == "<code>/<wbr>a/<wbr>b</code>"
    assert safe("a\r\nb\rc") == "a\nb[U+000D]c"
    assert safe("\ud800") == "[U+D800]"
    assert "unknown" in badge(None)
    room = Room(10, clip=5, lead=100)
    assert "2 nouns left out here" in room.each(["a" * 20, "b", "c"], str, "noun")


@pytest.mark.parametrize("show", [run_html, report_html])
def test_each_edit_of_a_fork_is_counted_and_named(show: Callable[[Run], str]) -> None:
    """Edited answers, paths asked again and parameters all count, each with its name."""
    made = {
        "answers": {"/turn=1/goal/try=1": "x", "/turn=2/goal/try=1": "<b>"},
        "at": ["/turn=2"],
        "params": {"turns": 3, "<i>": 1},
    }
    lineage = Lineage(parent="f" * 64, rule="prefix", edits=made)
    page = check(show(Run([of(lineage)])))

    assert "5 edits: answered otherwise /turn=1/goal/try=1;" in page.text
    assert "asked again /turn=2; parameter turns; parameter <i>" in page.text


def test_many_and_odd_edits() -> None:
    """Edits beyond twenty are counted; what is of another shape is no edit, and no error."""
    many = Lineage(parent="f" * 64, rule="prefix", edits={"at": [f"/t={n}" for n in range(30)]})
    odd = Lineage(parent="f" * 64, rule="prefix", edits={"answers": 3, "at": "x", "params": None})

    assert "10 more not shown here" in run_html(Run([of(many)]))
    assert "0 edits" in run_html(Run([of(odd)]))


def of(lineage: Lineage) -> RunStarted:
    """Return the first event of a fork."""
    return RunStarted(protocol="toy", params={}, lineage=lineage)


def test_a_search_tells_how_it_was_made() -> None:
    """Where a run tells the mode of a search, its face does."""
    assert "hybrid search" in run_html(deliberate())
