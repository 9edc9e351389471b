"""A coherence map as a picture: claims in rows under their documents, a line for each finding.

Only claims that something was found in are drawn, with what they lean on. Documents that are joined
by a line stand together in a block, otherwise in the order of the corpus. A line has a lane of its
own, so that none runs over another; what leans on one claim shares one line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.views.markup import name, plural

if TYPE_CHECKING:
    from workbench.deliberation.coherence import CoherenceMap

MOST = 80
"""Rows of claims and lost references at most; further findings are counted."""

KINDS = {
    "contradiction": ("C", "contradict each other"),
    "term": ("T", "define one term in two ways"),
    "circle": ("O", "lean on each other in a circle"),
    "lost": ("L", "leads nowhere"),
    "older": ("N", "newer and older: the arrow leads to the older"),
    "leans": ("", "leans on: the arrow leads to what is leant on"),
}
"""The letter and the words of each kind of line. The letter tells the kind without its colour."""

TALL, EDGE, RING = 24, 9, 4
"""Sizes of a row, of what is left free of lines around a node, and of half a circle's width."""

LANE, LEAST, WIDE = 22, 9, 440
"""Sizes of a lane, of one where there are many, and what all lanes take until they are as small."""


class Finding(NamedTuple):
    """Something that does not hold together: its kind, its number in it, and its claims."""

    kind: str
    number: int
    claims: tuple[str, ...]

    @property
    def id(self) -> str:
        """The letter of its kind, and its number: ``C1``."""
        return f"{KINDS[self.kind][0]}{self.number}"


class Row(NamedTuple):
    """A claim, a reference of it that is lost, or where there is no claim the document itself."""

    document: str
    claim: str = ""
    lost: str = ""


class Line(NamedTuple):
    """A line between rows; in `heads` it ends in an arrow."""

    kind: str
    id: str
    rows: tuple[Row, ...]
    heads: tuple[Row, ...] = ()


class Drawing(NamedTuple):
    """What is drawn of a map.

    Attributes
    ----------
    blocks : tuple of tuple of Row
        Each begins with a document's row.
    lines : tuple of Line
        Every one within a block.
    found : frozenset of str
        Claims of findings, drawn or not; others are drawn because these lean on them.
    findings : int
        For which there was no room.
    leant : frozenset of str
        Claims that are leant on, for which there was no room.
    """

    blocks: tuple[tuple[Row, ...], ...]
    lines: tuple[Line, ...]
    found: frozenset[str]
    findings: int
    leant: frozenset[str]


def findings(told: CoherenceMap) -> list[Finding]:
    """Return what was found, by kind."""
    groups: dict[str, Iterable[Sequence[str]]] = {
        "contradiction": [one[:2] for one in told.contradictions],
        "term": [ids for _, ids in told.term_conflicts],
        "circle": told.circularities,
        "lost": [(one.claim,) for one in told.dangling],
        "older": [one[:2] for one in told.temporal],
    }
    return [
        Finding(kind, n, tuple(ids))
        for kind, group in groups.items()
        for n, ids in enumerate(group, 1)
    ]


def drawing(told: CoherenceMap) -> Drawing:
    """Return what is drawn: of each kind the first findings first, as many as there is room for."""
    homes = {claim.id: claim.passage.rpartition("#p")[0] for claim in told.claims}
    every = findings(told)
    rows: dict[Row, None] = {}
    kept: list[Finding] = []
    for one in sorted(every, key=lambda one: one.number):
        new = dict.fromkeys(_rows(one, homes))
        if len(rows | new) <= MOST:
            rows |= new
            kept.append(one)
    there = {row.claim for row in rows}
    leant = dict.fromkeys(
        Row(homes[on], on) for claim, on, _ in told.dependencies if claim in there - {on}
    )
    wanted = [row for row in leant if row not in rows]
    shown = wanted[: MOST - len(rows)]
    rows |= dict.fromkeys(shown)
    lines = (*_lines(kept, homes), *_leaning(told, kept, rows, homes))
    places = {claim.id: n for n, claim in enumerate(told.claims)}
    ordered = sorted(rows, key=lambda row: (places[row.claim], len(row.lost), row.lost))
    return Drawing(
        tuple(_blocks(ordered, lines)),
        lines,
        frozenset(id for one in every for id in one.claims),
        len(every) - len(kept),
        frozenset(row.claim for row in wanted[len(shown) :]),
    )


def _rows(one: Finding, homes: Mapping[str, str]) -> list[Row]:
    rows = [Row(homes[id], id) for id in one.claims]
    return [*rows, rows[0]._replace(lost=one.id)] if one.kind == "lost" else rows


def _lines(kept: Sequence[Finding], homes: Mapping[str, str]) -> Iterator[Line]:
    for one in kept:
        rows = tuple(_rows(one, homes))
        heads = {"circle": rows, "older": rows[1:], "lost": rows[1:]}.get(one.kind, ())
        yield Line(one.kind, one.id, rows, heads)


def _leaning(
    told: CoherenceMap, kept: Sequence[Finding], rows: Mapping[Row, None], homes: Mapping[str, str]
) -> Iterator[Line]:
    """Yield one line for each claim that is leant on; a circle is a line of its own."""
    circles = {id: one.id for one in kept if one.kind == "circle" for id in one.claims}
    leaning: defaultdict[Row, dict[Row, None]] = defaultdict(dict)
    for claim, on, _ in told.dependencies:
        one, other = Row(homes[claim], claim), Row(homes[on], on)
        inside = claim in circles and circles[claim] == circles.get(on)
        if one != other and one in rows and other in rows and not inside:
            leaning[other][one] = None
    for on_, ones in leaning.items():
        yield Line("leans", "", (*ones, on_), (on_,))


def _blocks(rows: Sequence[Row], lines: Iterable[Line]) -> Iterator[tuple[Row, ...]]:
    """Yield the rows of documents that lines join, each document's below its own row."""
    block_of = {row.document: row.document for row in rows}
    for line in lines:
        joined = {block_of[row.document] for row in line.rows}
        into = min(joined)
        block_of = {one: into if block in joined else block for one, block in block_of.items()}
    blocks: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        block = blocks.setdefault(block_of[row.document], {})
        block.setdefault(row.document, [Row(row.document)]).append(row)
    for block in blocks.values():
        yield tuple(row for below in block.values() for row in below)


def picture(told: CoherenceMap, made: Drawing) -> str:
    """Return the picture as HTML: for each block its lines as SVG, and its claims in words."""
    texts = {claim.id: claim.text for claim in told.claims}
    lost = {f"L{n}": one.reference for n, one in enumerate(told.dangling, 1)}
    laid = [_lanes(block, made.lines) for block in made.blocks]
    lanes = max((lane for block in laid for lane in block.values()), default=0) + 1
    body = "".join(
        f'<div class="wb-k-block" style="--rows:{len(block)}">'
        f"{_svg(block, lane, lanes, made.found)}"
        f"<ol>{''.join(_label(row, texts, lost) for row in block)}</ol></div>"
        for block, lane in zip(made.blocks, laid, strict=True)
    )
    return f'<div class="wb-scroll wb-k-map">{body}</div>'


def legend(lines: Sequence[Line]) -> str:
    """Return what each kind of line that is drawn means."""
    there = {line.kind for line in lines}
    keys = "".join(
        f'<span><svg class="wb-k-key" viewBox="0 0 34 14" aria-hidden="true">{_key(kind)}</svg> '
        f"<b>{letter}</b> {words}</span>"
        for kind, (letter, words) in KINDS.items()
        if kind in there
    )
    return f'<p class="wb-k-legend">{keys}</p>'


def _key(kind: str) -> str:
    if kind == "circle":
        return _path(kind, "M2 7a5 5 0 0 1 5-5h20a5 5 0 0 1 0 10H7a5 5 0 0 1-5-5z")
    tip = "" if kind in ("contradiction", "term") else _path(kind, "M28 4l5 3l-5 3", "wb-k-tip")
    return _path(kind, "M1 7H33") + tip


def _lanes(block: Sequence[Row], lines: Iterable[Line]) -> dict[Line, int]:
    """Return a lane for each line of a block, from the nodes outwards; short lines come first."""
    places = {row: n for n, row in enumerate(block)}
    spans = {
        line: (min(at), max(at))
        for line in lines
        if (at := [places[row] for row in line.rows if row in places])
    }
    taken: list[list[tuple[int, int]]] = []
    lanes: dict[Line, int] = {}
    for line, (top, end) in sorted(spans.items(), key=lambda one: (one[1][1] - one[1][0], one[1])):
        free = (n for n, lane in enumerate(taken) if all(end < a or b < top for a, b in lane))
        lanes[line] = next(free, len(taken))
        if lanes[line] == len(taken):
            taken.append([])
        taken[lanes[line]].append((top, end))
    return lanes


def _svg(block: Sequence[Row], lane: Mapping[Line, int], lanes: int, found: frozenset[str]) -> str:
    places = {row: n for n, row in enumerate(block)}
    wide = max(LEAST, min(LANE, WIDE // lanes))
    width, height = wide * lanes + 2 * EDGE + 8, TALL * len(block)
    node = width - EDGE - 2
    ports = _ports(places, lane)
    ringed = {row for line in lane for row in line.rows if line.kind == "circle"}
    strokes, signs = [], []
    for line, n in sorted(lane.items(), key=lambda one: -one[1]):
        x = node - EDGE - wide * (n + 0.5)
        heights = sorted(ports[line, row] for row in line.rows)
        heads = [ports[line, row] for row in line.heads]
        strokes.append(_stroke(line, x, node - EDGE, heights, heads))
        signs.append(_sign(line, x, heights) if line.id else "")
    nodes = "".join(
        _node(row, node, _middle(n), row in ringed, row.claim in found)
        for row, n in places.items()
        if row.claim
    )
    documents = [name(row.document) for row in block if not row.claim]
    more = f" and {len(documents) - 3} more" if len(documents) > 3 else ""
    return (
        f'<svg viewBox="0 0 {width} {height}" style="--wide:{width}" role="img" '
        f'aria-label="{plural(len(lane), "line")} between claims of '
        f'{", ".join(documents[:3])}{more}">{"".join(strokes)}{nodes}{"".join(signs)}</svg>'
    )


def _middle(place: int) -> float:
    return TALL * (place + 0.5)


def _ports(places: Mapping[Row, int], lane: Mapping[Line, int]) -> dict[tuple[Line, Row], float]:
    """Return how high each line meets each of its rows, so that they cross as little as can be."""
    meeting: defaultdict[Row, list[tuple[int, int, Line]]] = defaultdict(list)
    for line, n in lane.items():
        at = [places[row] for row in line.rows]
        for row in line.rows:
            up, down = places[row] > min(at), places[row] < max(at)
            meeting[row].append((down - up, n if up else -n, line))
    ports = {}
    for row, lines in meeting.items():
        step = min(5.0, 16 / len(lines))
        for n, (_, _, line) in enumerate(sorted(lines, key=lambda one: one[:2])):
            ports[line, row] = _middle(places[row]) + step * (n - (len(lines) - 1) / 2)
    return ports


def _stroke(
    line: Line, x: float, end: float, heights: Sequence[float], heads: Sequence[float]
) -> str:
    """Return a line in its lane at `x`, with its branches to the nodes."""
    top, low = heights[0], heights[-1]
    if line.kind == "circle":  # a ring, from which arrows lead to its claims
        path = f"M{x - RING:g} {top:g}a{RING} {RING} 0 0 1 {2 * RING} 0V{low:g}"
        path += f"a{RING} {RING} 0 0 1-{2 * RING} 0z"
        path += "".join(f"M{x + RING:g} {y:g}H{end:g}" for y in heights)
    else:
        path = f"M{end:g} {top:g}H{x + 5:g}q-5 0-5 5V{low - 5:g}q0 5 5 5H{end:g}"
        path += "".join(f"M{x:g} {y:g}H{end:g}" for y in heights[1:-1])
    tips = "".join(f"M{end - 5:g} {y - 3:g}l5 3l-5 3" for y in heads)
    return _path(line.kind, path) + (_path(line.kind, tips, "wb-k-tip") if tips else "")


def _sign(line: Line, x: float, heights: Sequence[float]) -> str:
    y = (heights[0] + heights[-1]) / 2 + 4
    return f'<text class="wb-k-sign wb-k-{line.kind}" x="{x:g}" y="{y:g}">{line.id}</text>'


def _path(kind: str, d: str, css: str = "") -> str:
    return f'<path class="{f"wb-k-{kind} {css}".strip()}" d="{d}"/>'


def _node(row: Row, x: float, y: float, ringed: bool, found: bool) -> str:
    if row.lost:
        return _path("lost", f"M{x - 4:g} {y - 4:g}l8 8m0-8l-8 8", "wb-k-tip")
    ring = f'<circle class="wb-k-ring" cx="{x:g}" cy="{y:g}" r="7.5"/>' if ringed else ""
    kind = "found" if found else "leant"
    return f'{ring}<circle class="wb-k-{kind}-node" cx="{x:g}" cy="{y:g}" r="4.5"/>'


def _label(row: Row, texts: Mapping[str, str], lost: Mapping[str, str]) -> str:
    if not row.claim:
        return f'<li class="wb-k-document"><code>{name(row.document, 120)}</code></li>'
    if row.lost:
        words, mark = f"\u201c{name(lost[row.lost], 300)}\u201d is not in the corpus", row.lost
        css = ' class="wb-k-none"'
    else:
        words, css = name(" ".join(texts[row.claim].split()), 300), ""
        mark = row.claim.removeprefix(f"{row.document}#")
    return f'<li{css}><code>{name(mark, 16)}</code> <span dir="auto">{words}</span></li>'
