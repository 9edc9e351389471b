"""An agent graph as a list of shapes, which Python writes as SVG and the widget draws.

A shape is ``[tag, attributes, children]``, where children are a text or a list of shapes. Tags and
attributes are of a short list (`TAGS`, `ATTRIBUTES`), which both makers hold to; colours are
classes. Words of a run stand in texts and in ``aria-label`` alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.record.events import JSON
from workbench.record.visible import visible
from workbench_widgets.graph.flow import KINDS
from workbench_widgets.graph.layout import Grid, layers, positions, rows
from workbench_widgets.graph.routes import Route, between, loop, over

Shape = list[JSON]

TAGS = frozenset(("g", "path", "rect", "text", "title"))
ATTRIBUTES = frozenset(
    "class d x y width height rx text-anchor role aria-label data-node data-edge".split()
)

WORDS = 128.0
"""How wide the words beside an edge may be."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its title, a second line, and its hue (0 to 7)."""

    title: str
    note: str
    hue: int


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, by place; `told` says what passed, `label` is drawn beside it."""

    source: int
    target: int
    kind: str
    told: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn.

    Attributes
    ----------
    box : tuple of float
        What holds it all: x, y, width, height.
    routes : list of Route
        The edges' lines; `lines` are their shapes. There may be thousands, so the widget is given
        the routes and makes the shapes itself.
    cards, words : list of Shape
        The nodes, and the words beside edges.
    """

    box: tuple[float, float, float, float]
    routes: list[Route]
    lines: list[Shape]
    cards: list[Shape]
    words: list[Shape]

    @property
    def shapes(self) -> list[Shape]:
        """All of them, from the bottom to the top."""
        return [*self.lines, *self.cards, *self.words]


def draw(nodes: Sequence[Node], edges: Sequence[Edge], grid: Grid) -> Drawing:
    """Return the drawing of a graph."""
    drawn = rows(layers(len(nodes), [(e.source, e.target, e.kind) for e in edges]), grid.columns)
    at = positions(drawn, grid)
    lines = routes(drawn, at, edges, grid)
    words = _labels(edges, lines, at, grid)
    return Drawing(
        box=_box(at, lines, words, grid),
        routes=lines,
        lines=[_line(number, edge, lines[number], nodes) for number, edge in enumerate(edges)],
        cards=[_card(number, node, at[number], grid) for number, node in enumerate(nodes)],
        words=words,
    )


def routes(
    drawn: Sequence[Sequence[int]],
    at: dict[int, tuple[float, float]],
    edges: Sequence[Edge],
    grid: Grid,
) -> list[Route]:
    """Return the line of each edge.

    Edges that go down keep to the left of a card's middle and edges that go up to its right, each
    kind at a place of its own, so that no two edges between the same nodes lie on one another.
    """
    row = {node: number for number, nodes in enumerate(drawn) for node in nodes}
    stand = [tuple(at[node][0] for node in nodes) for nodes in drawn]
    out = []
    for edge in edges:
        source, target = edge.source, edge.target
        rank = KINDS.index(edge.kind) if edge.kind in KINDS else 1
        shift = 7.0 + 8.0 * rank
        start, end = at[source], at[target]
        if source == target:
            out.append(loop(start, grid))
        elif row[source] == row[target]:
            out.append(over(start, end, shift, grid))
        else:
            first, last = sorted((row[source], row[target]))
            cards = {x for xs in set(stand[first + 1 : last]) for x in xs}  # a few columns at most
            lean = float((source * 3 + target + rank) % 5 - 2) * 2
            out.append(between(start, end, shift, lean, cards, grid))
    return out


def _line(number: int, edge: Edge, route: Route, nodes: Sequence[Node]) -> Shape:
    ends = f"{_plain(nodes[edge.source].title)} to {_plain(nodes[edge.target].title)}"
    return [
        "g",
        {
            "class": f"wbw-graph-edge wbw-graph-{edge.kind} wbw-a{nodes[edge.source].hue}",
            "data-edge": number,
        },
        [
            ["title", {}, f"{ends}: {_plain(edge.told)}"],
            ["path", {"class": "wbw-graph-line", "d": route.line}, ""],
            ["path", {"class": "wbw-graph-head", "d": route.head}, ""],
        ],
    ]


def _card(number: int, node: Node, at: tuple[float, float], grid: Grid) -> Shape:
    x, y = at[0] - grid.card / 2, at[1] - grid.height / 2
    title, note = _plain(node.title) or "(blank)", _plain(node.note)
    room = grid.card - 24
    return [
        "g",
        {
            "class": f"wbw-graph-node wbw-a{node.hue}",
            "data-node": number,
            "role": "img",
            "aria-label": f"{title}: {note}" if note else title,
        },
        [
            ["title", {}, f"{title}\n{note}" if note else title],
            [
                "rect",
                {
                    "class": "wbw-graph-card",
                    "x": x,
                    "y": y,
                    "width": grid.card,
                    "height": grid.height,
                    "rx": 8,
                },
                "",
            ],
            [
                "rect",
                {
                    "class": "wbw-graph-mark",
                    "x": x,
                    "y": y + 8,
                    "width": 4,
                    "height": grid.height - 16,
                    "rx": 2,
                },
                "",
            ],
            [
                "text",
                {"class": "wbw-graph-title", "x": x + 14, "y": at[1] - (4 if note else -4.5)},
                clipped(title, room, 13),
            ],
            [
                "text",
                {"class": "wbw-graph-note", "x": x + 14, "y": at[1] + 14},
                clipped(note, room, 11.5),
            ],
        ],
    ]


def _labels(
    edges: Sequence[Edge],
    lines: Sequence[Route],
    at: dict[int, tuple[float, float]],
    grid: Grid,
) -> list[Shape]:
    """Return the words beside edges, each where it covers no card and no other words.

    Where there is no such place they are left to the edge's title, which has them whole.
    """
    tall = 9.0
    taken = _Taken(WORDS / 2 + 2 + grid.card, tall + grid.height)
    for x, y in at.values():
        taken.put(x, y, grid.card / 2, grid.height / 2)
    out: list[Shape] = []
    for number, (edge, line) in enumerate(zip(edges, lines, strict=True)):
        if not edge.label:
            continue
        head, dot, chance = _plain(edge.label).rpartition(" · ")
        tail = dot + chance
        words = clipped(head, WORDS - measured(tail, 11.5), 11.5) + tail if head else tail
        words = clipped(words, WORDS, 11.5)
        half = measured(words, 11.5) / 2 + 2
        for x, y in line.stands:
            if taken.free(x, y, half, tall):
                taken.put(x, y, half, tall)
                attributes: dict[str, JSON] = {
                    "class": "wbw-graph-told",
                    "x": round(x, 1),
                    "y": round(y + 4, 1),
                }
                attributes |= {"text-anchor": "middle", "data-edge": number}
                out.append(["text", attributes, words])
                break
    return out


class _Taken:
    """Boxes by the cell that their middle is in; what may overlap is in the cells around it."""

    def __init__(self, wide: float, tall: float) -> None:
        self.wide, self.tall = wide, tall
        self.cells: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}

    def put(self, x: float, y: float, half: float, up: float) -> None:
        cell = int(x // self.wide), int(y // self.tall)
        self.cells.setdefault(cell, []).append((x, y, half, up))

    def free(self, x: float, y: float, half: float, up: float) -> bool:
        column, row = int(x // self.wide), int(y // self.tall)
        near = (
            box
            for across in (column - 1, column, column + 1)
            for down in (row - 1, row, row + 1)
            for box in self.cells.get((across, down), ())
        )
        return all(abs(x - a) >= half + b or abs(y - c) >= up + d for a, c, b, d in near)


def _box(
    at: dict[int, tuple[float, float]], lines: Sequence[Route], words: Sequence[Shape], grid: Grid
) -> tuple[float, float, float, float]:
    """Return the box around cards, lines and words."""
    if not at:
        return (0.0, 0.0, float(grid.card), float(grid.height))
    xs = [x for line in lines for x in line.xs]
    ys = [y for line in lines for y in line.ys]
    for x, y in at.values():
        xs += [x - grid.card / 2, x + grid.card / 2]
        ys += [y - grid.height / 2, y + grid.height / 2]
    for _, attributes, told in words:
        half = measured(told, 11.5) / 2
        xs += [attributes["x"] - half, attributes["x"] + half]
    left, top = min(xs) - grid.edge, min(ys) - grid.edge
    return (
        round(left, 1),
        round(top, 1),
        round(max(xs) + grid.edge - left, 1),
        round(max(ys) + grid.edge - top, 1),
    )


def _plain(words: str) -> str:
    """Return words on one line, with what cannot be seen written out."""
    return " ".join(visible(words[:2000]).split())


def clipped(words: str, room: float, size: float) -> str:
    """Return as much of `words` as fits into `room` at a size; cut, it ends in an ellipsis.

    Widths are estimates for a sans-serif font, on the large side.
    """
    used = 0.0
    marks = 0
    for place, character in enumerate(words):
        wide = _width(character) * size
        marks = marks + 1 if wide == 0 else 0
        used += wide
        if used > room or marks > 3:
            kept = place
            while kept and used > room - size:
                kept -= 1
                used -= _width(words[kept]) * size
            return words[:kept].rstrip() + "…"
    return words


def measured(words: str, size: float) -> float:
    """Return about how wide words are at a size."""
    return sum(map(_width, words)) * size


def _width(character: str) -> float:
    """Return the width of a character in em."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "ijltfrI.,:;'|!()[] /-":
        return 0.38
    if character in "mwMW@%—…":
        return 0.98
    if ord(character) > 0x2000:
        return 1.05
    return 0.74 if character.isupper() else 0.61
