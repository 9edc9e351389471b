"""The picture and the page of a coherence map: what is drawn and counted, and hostile texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tests.widgets.hostile import HOSTILE
from workbench.deliberation.coherence import CoherenceMap, Conflict, coherence_map
from workbench.knowledge.claims import Claim, Dangling, Evidence
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.extraction import extract
from workbench.knowledge.terms import Term
from workbench.knowledge.versions import versions_of
from workbench.views.coherence import ROWS, coherence_face, coherence_html
from workbench.views.coherence_picture import KINDS, MOST, Row, drawing, findings

BRACKET = re.compile(r"M\S+ (\S+?)H(\S+?)q-5 0-5 5V(\S+?)q0 5 5 5H\S+")
"""A line between two rows: its upper end, its lane, and where it turns to its lower end."""
SAID = ["Loans end after a year."]


def made(
    count: int, *, texts: Sequence[str] = SAID, kinds: Sequence[str] = ("contradiction",)
) -> CoherenceMap:
    """Return a map of `count` findings, each of two claims of its own in two documents."""
    said = [texts[n % len(texts)] for n in range(2 * count + 2)]
    places = [f"{texts[n % len(texts)] if texts is HOSTILE else n}.md#p1" for n in range(len(said))]
    claims = tuple(
        Claim(
            id=f"{place}/c{n}",
            type="mechanistic",
            text=text,
            evidence=(Evidence(passage=place, start=0, end=1, quote="x"),),
        )
        for n, (text, place) in enumerate(zip(said, places, strict=True))
    )
    pairs = [(claims[2 * n].id, claims[2 * n + 1].id) for n in range(count)]
    of = {kind: [p for n, p in enumerate(pairs) if kinds[n % len(kinds)] == kind] for kind in KINDS}
    terms = [
        Term(id=f"term:{n}", label=said[n], definitions=pair) for n, pair in enumerate(of["term"])
    ]
    around = [(a, b, "refers_to") for pair in of["circle"] for a, b in (pair, pair[::-1])]
    return CoherenceMap(
        passport="a" * 64,
        structure="b" * 64,
        claims=claims,
        terms=tuple(terms),
        dependencies=(*around, *((one, claims[-1].id, "uses_term") for one, _ in of["leans"])),
        contradictions=tuple(Conflict(*p, "numbers", (said[0],), ()) for p in of["contradiction"]),
        temporal=tuple(Conflict(*pair, "yes_or_no", (), (said[1],)) for pair in of["older"]),
        term_conflicts=tuple((term.id, term.definitions) for term in terms),
        circularities=tuple(of["circle"]),
        dangling=tuple(Dangling(claim=one, reference=said[0]) for one, _ in of["lost"]),
        compared=count,
    )


@pytest.fixture(scope="module")
def handbook() -> CoherenceMap:
    """Give the handbook's map."""
    corpus = Corpus.read("corpora/handbook")
    versions = versions_of(corpus.documents, corpus.passages)
    return coherence_map(extract(corpus, versions), versions)


def pictures(html: str) -> list[ET.Element]:
    """Return a page's pictures, which are well-formed."""
    return [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


class Tags(HTMLParser):
    """The elements and attributes of a page, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag down."""
        self.names.add(tag)
        self.attributes.update(key for key, _ in attrs)

    def handle_data(self, data: str) -> None:
        """Take words down."""
        self.words += data


def test_the_handbook(handbook: CoherenceMap) -> None:
    """Every finding is drawn once, with its sign, between documents that stand together."""
    html = coherence_face(handbook)
    drawn = [svg for svg in pictures(html) if svg.get("role") == "img"]
    signs = sorted(text.text or "" for svg in drawn for text in svg.iter("text"))
    blocks = [{row.document for row in block} for block in drawing(handbook).blocks]

    assert sorted(one.id for one in findings(handbook)) == signs
    assert {"people/annual_leave_2023.md", "people/annual_leave_2025.md"} in blocks
    assert {"safety/lone_working.md", "safety/risk_assessment.md"} in blocks
    assert "Not drawn: 218 claims without any finding." in html
    assert "\u201cMachine register\u201d is not in the corpus" in html
    assert html.count('class="wb-k-ring"') == 2
    assert handbook.passport in html


def test_shown_by_the_last_line_of_a_cell(handbook: CoherenceMap) -> None:
    """As text it stays what `print` says; the page is the same each time and brings no script."""
    shown = handbook._repr_mimebundle_()
    tags = Tags(coherence_html(handbook))

    assert str(handbook) == shown["text/plain"]
    assert coherence_face(handbook) == shown["text/html"] == coherence_face(handbook)
    assert not tags.names & {"script", "img", "iframe", "link"}
    assert {"id", "href", "src"}.isdisjoint(tags.attributes)


def test_nothing_found() -> None:
    """One sentence, and no picture."""
    html = coherence_face(made(0))

    assert "Nothing was found that does not hold together in 2 claims, 0 terms" in html
    assert "<svg" not in html
    assert "<table" not in html


def test_words_tell_each_kind() -> None:
    """Contradictions with rule and scope, versions, terms, circles, lost references: in words."""
    told = made(6, kinds=tuple(KINDS)[:5])
    words = Tags(coherence_html(told, title="A corpus", notes=["b.md supersedes a.md"])).words

    for caption in (
        "Contradictions (2)",
        "Terms that are defined in two ways (1)",
        "Circles (1)",
        "References that lead nowhere (1)",
        "What a newer version changed (1)",
    ):
        assert caption in words
    for said in (
        "C1by numbers0.md#p1/c0",
        f"stems only here: {SAID[0]}",
        "N1by yes or no8.md#p1/c8",
        "O12 claims4.md#p1/c4",
        "b.md supersedes a.md",
    ):
        assert said in words
    for letter, meaning in list(KINDS.values())[:5]:
        assert f"{letter} {meaning}" in words


def test_what_is_leant_on() -> None:
    """It is drawn hollow, once, and one line leads there from all that lean on it."""
    told = made(3)
    last = told.claims[-2].id
    leaning = tuple((one.one, last, "uses_term") for one in told.contradictions)
    told = replace(told, dependencies=leaning)
    drawn = drawing(told)
    (line,) = (line for line in drawn.lines if line.kind == "leans")

    assert 4 == len(line.rows)
    assert (Row("6.md", last),) == line.heads
    assert 1 == len(drawn.blocks)
    assert 1 == coherence_face(told).count('class="wb-k-leant-node"')
    assert "a hollow one is only leant on. Not drawn: 1 claim without any finding." in (
        coherence_face(told)
    )


def test_what_is_leant_on_and_has_a_finding_that_is_not_drawn() -> None:
    """It is a claim with a finding, and no claim is counted twice."""
    told = made(MOST)
    ids = [claim.id for claim in told.claims]
    on = [*ids[-4:], *ids[-2:]]
    told = replace(told, dependencies=tuple((ids[0], id, "refers_to") for id in on))
    html = coherence_face(told)

    assert MOST // 2 == drawing(told).findings
    assert frozenset(ids[-4:]) == drawing(told).leant
    assert "Not drawn: 40 more findings; 4 more claims that these lean on." in html
    few = replace(told, contradictions=told.contradictions[:3], circularities=(tuple(ids[:-2]),))
    html = coherence_face(replace(few, dependencies=((ids[0], ids[90], "refers_to"),)))
    assert 'class="wb-k-leant-node"' not in html
    assert 7 == html.count('class="wb-k-found-node"')
    assert "Not drawn: 1 more finding; 2 claims without any finding." in html


@pytest.mark.parametrize("count", [1, 20, 300])
def test_any_number_of_findings(count: int) -> None:
    """What there is no room for is counted; of each kind something is drawn."""
    told = made(count, kinds=tuple(KINDS)[:5])
    drawn = drawing(told)
    there = {line.id for line in drawn.lines if line.id}
    html = coherence_face(told)

    assert count == len(there) + drawn.findings
    assert MOST >= sum(bool(row.claim) for block in drawn.blocks for row in block)
    assert {line.kind for line in drawn.lines} == set(tuple(KINDS)[: min(count, 5)])
    assert (f"Not drawn: {drawn.findings} more findings;" in html) == (count == 300)
    assert len(html) < 290_000


def test_long_tables_say_how_many_more() -> None:
    """No row is left out silently, also of a finding with very many claims."""
    told = made(ROWS + 7)
    circle = tuple(claim.id for claim in told.claims)
    told = replace(told, circularities=(circle,))
    words = Tags(coherence_html(told)).words

    assert "And 7 more: the map itself holds all." in words
    assert f"and {len(circle) - 20} more claims" in words
    assert "more findings" in words


def test_hostile_texts() -> None:
    """As documents, claims, terms, references, titles and notes they are words and nothing else."""
    told = made(len(HOSTILE), texts=HOSTILE, kinds=tuple(KINDS)[:5])
    plain = Tags(coherence_html(made(10, kinds=tuple(KINDS)[:5]), notes=["x"]))
    for text in HOSTILE:
        html = coherence_html(told, title=text, notes=HOSTILE)
        tags = Tags(html)
        assert tags.names == plain.names
        assert tags.attributes == plain.attributes
    assert "<script>window.pwned=1</script>" in tags.words
    assert "[U+202E]" in tags.words
    assert all(svg.tag == "svg" for svg in pictures(html))
    assert "\u202e" not in html


def test_lines_do_not_run_over_each_other() -> None:
    """Two lines in one lane share no row, and two in one row meet it each at its own height."""
    told = made(12)
    ids = [claim.id for claim in told.claims]
    crossed = [Conflict(ids[n], ids[-1 - n], "dates", (), ()) for n in range(12)]
    nested = [Conflict(ids[0], ids[n], "dates", (), ()) for n in range(2, 8)]
    told = replace(told, contradictions=(*told.contradictions, *crossed, *nested))
    drawn = [svg for svg in pictures(coherence_face(told)) if svg.get("role") == "img"]
    count = 0
    for svg in drawn:
        ends: list[float] = []
        lanes: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for path in svg.iter("path"):
            found = BRACKET.fullmatch(path.get("d") or "")
            assert found
            span = float(found[1]), float(found[3]) + 5
            ends += span
            lanes[found[2]].append(span)
        assert len(ends) == len(set(ends))
        for spans in lanes.values():
            assert all(one[1] < other[0] for one, other in pairwise(sorted(spans)))
        count += len(ends) // 2

    assert 30 == count
    assert len(drawn) < 6
