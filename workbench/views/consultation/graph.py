"""The agreement topology as a graph: one column an interpreter, a row for what is found alike.

A node is a finding. Findings that evidence-overlaps connect (a claim) stand in one row, joined;
rows that diverge, answer different questions or are undecided are joined from row to row. Rows
stand in the order of the passages that they cite, and what is joined stands together: the order
ranks nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.deliberation.consultation.topology import StructuralConfidence, Topology
from workbench.views.consultation.account import Account

WIDE, TALL, RADIUS, TOP = 44, 48, 9, 18
"""Sizes of a column, a row, a node and the line of numbers on top, in the drawing's units."""

BENDS = (0.0, WIDE / 2, -WIDE / 2, WIDE / 4, -WIDE / 4, WIDE, -WIDE)
"""How far a line between rows may be bent, to pass by what stands between them."""

MOST_TIES = 12
"""Lines between two rows at most: each row says in words what it diverges from."""

TIES = {"contradictory": "divergence", "different_question": "other", "undecided": "undecided"}
SIGNS = {"divergence": "≠", "other": "~", "undecided": "?"}


SHAPES = {
    "overlap": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    "divergence": "M0-1.2L1.2 0L0 1.2L-1.2 0z",
    "unique": "M-.85 0a.85.85 0 1 0 1.7 0a.85.85 0 1 0-1.7 0z",
    "unclassified": "M-.8-.8H.8V.8H-.8z",
    "unsupported": "M-.8-.8L.8.8M-.8.8L.8-.8",
    "cited": "M-.5 0a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0z",
}
"""The form of each class, of a size of about one: it tells the class without its colour. ``cited``
is a finding where no class can be told."""


class Node(NamedTuple):
    """A finding: its place among all, its column, and its classes."""

    finding: int
    column: int
    classes: tuple[str, ...]


class Line(NamedTuple):
    """A row of the graph.

    Attributes
    ----------
    place, block : int
        Of all rows; rows that are joined, directly or through others, are of one block.
    id : str
        The claim's, or the finding's.
    nodes : tuple of Node
    confidence : StructuralConfidence or None
        None for what is no claim, and in a session that is not conformant.
    texts : tuple of str
        Its readings; none stands for the others.
    ties : tuple of (str, int)
        Kind (`SIGNS`) and place of the rows that it is joined to.
    """

    place: int
    block: int
    id: str
    nodes: tuple[Node, ...]
    confidence: StructuralConfidence | None
    texts: tuple[str, ...]
    ties: tuple[tuple[str, int], ...]


class Stroke(NamedTuple):
    """A line to draw: its kind, its path, and where its sign stands."""

    kind: str
    path: str
    x: float
    y: float


def lines(told: Account) -> list[Line]:
    """Return the rows of a session's topology; none where there is none to tell."""
    topology = told.topology
    if topology is None:
        return []
    groups, claims = _groups(topology)
    home = {id: n for n, group in enumerate(groups) for id in group}
    ties = _ties(topology, home)
    order = [(block, old) for block, part in enumerate(_order(told, groups, ties)) for old in part]
    now = {old: new for new, (_, old) in enumerate(order)}
    columns = {one.number: column for column, one in enumerate(told.interpreters)}
    out = []
    for block, old in order:
        findings = [told.findings[told.places[id]] for id in groups[old]]
        readings = dict.fromkeys(topology.classes.reading_of[f.id] for f in findings)
        out.append(
            Line(
                now[old],
                block,
                claims[old][0] if old in claims else findings[0].id,
                tuple(
                    Node(told.places[f.id], columns[f.interpreter], told.classes.get(f.id, ()))
                    for f in findings
                ),
                claims[old][1] if old in claims else None,
                tuple(topology.classes.readings[id].text for id in readings),
                tuple(sorted((kind, now[other]) for other, kind in ties.get(old, {}).items())),
            )
        )
    return out


def _groups(
    topology: Topology,
) -> tuple[list[tuple[str, ...]], dict[int, tuple[str, StructuralConfidence | None]]]:
    """Return the findings of each row, and which rows are claims."""
    groups = [claim.findings for claim in topology.claims]
    claims = {n: (claim.id, claim.confidence) for n, claim in enumerate(topology.claims)}
    there = {id for group in groups for id in group}
    groups += [(finding.id,) for finding in topology.findings if finding.id not in there]
    return groups, claims


def _ties(topology: Topology, home: dict[str, int]) -> dict[int, dict[int, str]]:
    """Return for each row the rows that it is joined to, and how; a divergence goes first."""
    by_reading: defaultdict[str, list[int]] = defaultdict(list)
    for place, finding in enumerate(topology.findings):
        by_reading[topology.classes.reading_of[finding.id]].append(place)
    ties: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for pair in topology.classes.related:
        kind = TIES.get(pair.kind)
        if kind is None:
            continue
        sides = []
        for reading in (pair.one, pair.other):
            found: defaultdict[int, set[int]] = defaultdict(set)
            for finding in (topology.findings[place] for place in by_reading[reading]):
                if not set(pair.passages).isdisjoint(finding.cited):
                    found[home[finding.id]].add(finding.interpreter)
            sides.append(found)
        for one, some in sides[0].items():
            for other, others in sides[1].items():
                known = ties[one].get(other)
                if one != other and len(some | others) > 1 and known != "divergence":
                    ties[one][other] = ties[other][one] = kind
    return ties


def _order(
    told: Account, groups: Sequence[Sequence[str]], ties: dict[int, dict[int, str]]
) -> list[list[int]]:
    """Return the rows in the order of the corpus, in blocks of those that are joined.

    In a block, what diverges stands as near as it can.
    """
    places = {row.id: place for place, row in enumerate(told.rows)}
    last = len(places)

    def first(number: int) -> tuple[int, int]:
        findings = [told.findings[told.places[id]] for id in groups[number]]
        cited = [places.get(id, last) for finding in findings for id in finding.cited]
        return min(cited, default=last + 1), told.places[groups[number][0]]

    keys = [first(number) for number in range(len(groups))]
    seen: set[int] = set()
    blocks: list[list[int]] = []
    for start in sorted(range(len(groups)), key=keys.__getitem__):
        if start in seen:
            continue
        block, left = [], [start]
        while left:
            one = left.pop()
            if one in seen:
                continue
            seen.add(one)
            block.append(one)
            near = ties.get(one, {})
            left += sorted(near, key=lambda n: (near[n] != "divergence", keys[n]), reverse=True)
        blocks.append(block)
    return blocks


def strokes(shown: Sequence[Line]) -> list[Stroke]:
    """Return the lines between the nodes of rows that are drawn one below the other.

    What leads to a row that is not among them is not drawn; `Line.ties` names it.
    """
    return [*_joined(shown), *_between(shown)]


def middle(column: int, row: int, step: int = 0) -> tuple[float, float]:
    """Return where a node stands; `step` counts those of one column in one row."""
    return WIDE * (column + 0.5) + 7 * step, TALL * (row + 0.5) + 7 * step


def steps(line: Line) -> list[int]:
    """Return for each node how many of its column stand before it in the row."""
    seen: defaultdict[int, int] = defaultdict(int)
    out = []
    for node in line.nodes:
        out.append(seen[node.column])
        seen[node.column] += 1
    return out


def sides(drawn: Sequence[Stroke], columns: int) -> tuple[float, float]:
    """Return where a drawing begins and ends: lines may be bent beyond its columns."""
    xs = [one.x for one in drawn if one.kind in SIGNS and one.x <= WIDE * (columns + 0.5)]
    return min([0, *(x - 10 for x in xs)]), max([WIDE * columns, *(x + 10 for x in xs)])


def _joined(shown: Sequence[Line]) -> Iterator[Stroke]:
    for row, line in enumerate(shown):
        columns = sorted({node.column for node in line.nodes})
        if len(columns) > 1:
            (x, y), (end, _) = middle(columns[0], row), middle(columns[-1], row)
            yield Stroke("overlap", f"M{x:g} {y:g}H{end:g}", (x + end) / 2, y)


def _between(shown: Sequence[Line]) -> Iterator[Stroke]:
    rows = {line.place: row for row, line in enumerate(shown)}
    for row, line in enumerate(shown):
        for kind, place in line.ties:
            other = rows.get(place, -1)
            if row < other:
                for one, two in _nearest(line, shown[other]):
                    ends = middle(one, row), middle(two, other)
                    yield _stroke(kind, *ends, shown[row + 1 : other])


def _nearest(line: Line, other: Line) -> list[tuple[int, int]]:
    """Return columns to join: each node's with the nearest of another interpreter."""
    mine, theirs = ({node.column for node in one.nodes} for one in (line, other))
    found: set[tuple[int, int]] = set()
    for a, b, turned in ((mine, theirs, False), (theirs, mine, True)):
        for column in sorted(a):
            far = sorted((abs(column - c), c) for c in b if c != column)
            if far:
                found.add((far[0][1], column) if turned else (column, far[0][1]))
    return sorted(found)[:MOST_TIES]


def _stroke(
    kind: str, one: tuple[float, float], two: tuple[float, float], between: Sequence[Line]
) -> Stroke:
    """Return a line between two nodes, bent so that it keeps off the nodes of rows between them."""
    (x1, y1), (x2, y2) = one, two
    bend = next(
        (
            b
            for b in BENDS
            if not any(_hits(x1, x2, b, between, row) for row in range(len(between)))
        ),
        BENDS[-1],
    )
    cx, cy = (x1 + x2) / 2 + 2 * bend, (y1 + y2) / 2
    path = f"M{x1:g} {y1:g}Q{cx:g} {cy:g} {x2:g} {y2:g}"
    return Stroke(kind, path, (x1 + 2 * cx + x2) / 4, cy)


def _hits(x1: float, x2: float, bend: float, between: Sequence[Line], row: int) -> bool:
    """Return whether a line with a bend meets a node of one of the rows that it passes."""
    t = (row + 1) / (len(between) + 1)  # its control point is half way down, so that y is linear
    x = (1 - t) ** 2 * x1 + 2 * t * (1 - t) * ((x1 + x2) / 2 + 2 * bend) + t**2 * x2
    return any(abs(middle(node.column, 0)[0] - x) < 1.8 * RADIUS for node in between[row].nodes)
