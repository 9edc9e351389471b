"""The lines of an agent graph: from card to card, around what lies between them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from workbench_widgets.graph.layout import Grid

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """A line and its head as SVG path data, where words may stand, and how far the line reaches.

    `stands` are points on the line, the best first.
    """

    line: str
    head: str
    stands: tuple[Point, ...]
    xs: tuple[float, ...]
    ys: tuple[float, ...]


def between(
    start: Point,
    end: Point,
    shift: float,
    lean: float,
    cards: Collection[float],
    grid: Grid,
) -> Route:
    """Return a line between two rows.

    Parameters
    ----------
    start, end : Point
        The middles of the cards.
    shift : float
        How far from the middle of a card it leaves and arrives.
    lean : float
        How far from its neighbours it keeps where it passes between cards.
    cards : collection of float
        The middles of the cards in the rows between the two, each once.
    """
    down = end[1] > start[1]
    sign = 1 if down else -1
    x1, y1 = start[0] - sign * shift, start[1] + sign * grid.height / 2
    x2, y2 = end[0] - sign * shift, end[1] - sign * (grid.height / 2 + 1)
    if not cards:
        bend = (y2 - y1) * 0.5
        line = (
            f"M{_n(x1)} {_n(y1)}C{_n(x1)} {_n(y1 + bend)} "
            f"{_n(x2)} {_n(y2 - bend)} {_n(x2)} {_n(y2)}"
        )
        stands = _along((x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2))
        return Route(line, _head(x2, y2, sign), stands, (x1, x2), (y1, y2))
    lane = _lane(x1, x2, cards, grid) + lean
    turn1, turn2 = y1 + sign * grid.between, y2 - sign * grid.between
    bend = sign * grid.between * 0.5
    line = (
        f"M{_n(x1)} {_n(y1)}C{_n(x1)} {_n(y1 + bend)} {_n(lane)} {_n(turn1 - bend)} "
        f"{_n(lane)} {_n(turn1)}L{_n(lane)} {_n(turn2)}"
        f"C{_n(lane)} {_n(turn2 + bend)} {_n(x2)} {_n(y2 - bend)} {_n(x2)} {_n(y2)}"
    )
    stands = (
        *_along((lane, turn2), (lane, turn2 + bend), (x2, y2 - bend), (x2, y2)),
        *_along((x1, y1), (x1, y1 + bend), (lane, turn1 - bend), (lane, turn1)),
    )
    return Route(line, _head(x2, y2, sign), stands, (x1, lane, x2), (y1, y2))


STANDS = (0.5, 0.6, 0.4, 0.7, 0.3, 0.78, 0.22)


def _along(p0: Point, p1: Point, p2: Point, p3: Point) -> tuple[Point, ...]:
    """Return points on a curve of Bezier."""
    return tuple(
        (_mixed(t, p0[0], p1[0], p2[0], p3[0]), _mixed(t, p0[1], p1[1], p2[1], p3[1]))
        for t in STANDS
    )


def _mixed(t: float, a: float, b: float, c: float, d: float) -> float:
    s = 1 - t
    return s**3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t**3 * d


def _lane(x1: float, x2: float, middles: Collection[float], grid: Grid) -> float:
    """Return the x nearest to both ends at which no card of the rows between stands."""
    room = grid.card / 2 + grid.gap / 2
    tried = [x1, x2, *(x - room for x in middles), *(x + room for x in middles)]
    free = [t for t in tried if all(abs(t - x) >= room - 0.5 for x in middles)]
    return min(free, key=lambda t: (abs(t - x1) + abs(t - x2), t))


def over(start: Point, end: Point, shift: float, grid: Grid) -> Route:
    """Return a line within a row: below the cards from left to right, above them back."""
    right = end[0] > start[0]
    sign = 1 if right else -1
    far = round(abs(end[0] - start[0]) / (grid.card + grid.gap))
    x1, x2 = start[0] + sign * shift * 2, end[0] - sign * shift * 2
    y1 = start[1] + sign * grid.height / 2
    y2 = y1 + sign
    deep = y1 + sign * min(26 + 16 * far, grid.between * 1.2)
    line = f"M{_n(x1)} {_n(y1)}C{_n(x1)} {_n(deep)} {_n(x2)} {_n(deep)} {_n(x2)} {_n(y2)}"
    low = y1 + 0.75 * (deep - y1)
    stands = _along((x1, y1), (x1, deep), (x2, deep), (x2, y2))
    return Route(line, _head(x2, y2, -sign), stands, (x1, x2), (y1, low))


def loop(at: Point, grid: Grid) -> Route:
    """Return a line from a card to itself, at its upper right corner."""
    x, y = at[0] + grid.card / 2, at[1] - grid.height / 2
    out = 15.0
    line = (
        f"M{_n(x - 22)} {_n(y)}C{_n(x - 22)} {_n(y - out)} {_n(x + 9)} {_n(y - out)} "
        f"{_n(x + 9)} {_n(y)}C{_n(x + 9)} {_n(y + 12)} {_n(x + 6)} {_n(y + 16)} "
        f"{_n(x + 1)} {_n(y + 16)}"
    )
    head = f"M{_n(x + 6)} {_n(y + 11.5)}L{_n(x + 1)} {_n(y + 16)}L{_n(x + 7)} {_n(y + 19)}"
    return Route(line, head, ((x - 8, y - out),), (x - 22, x + 9), (y - out * 0.75, y))


def _head(x: float, y: float, sign: int) -> str:
    """Return an arrow's head at its point; `sign` is 1 where the line comes from above."""
    back = y - sign * 6
    return f"M{_n(x - 3.5)} {_n(back)}L{_n(x)} {_n(y)}L{_n(x + 3.5)} {_n(back)}"


def _n(value: float) -> str:
    """Return a coordinate to a tenth."""
    return f"{value:.1f}".rstrip("0").rstrip(".")
