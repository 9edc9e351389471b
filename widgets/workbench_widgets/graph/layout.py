"""Where the nodes of an agent graph stand: layers of causes above layers of effects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx  # type: ignore[import-untyped]

SWEEPS = 4
"""How often the nodes of each layer are put in the order of their neighbours above, then below."""

Edge = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Grid:
    """Sizes in the drawing's units; one is a pixel at 14 px text.

    `columns` is how many nodes stand side by side at most: a longer layer takes several rows.
    """

    columns: int
    card: int
    gap: int
    height: int = 50
    between: int = 74
    edge: int = 12


WIDE = Grid(columns=5, card=176, gap=26)
NARROW = Grid(columns=2, card=154, gap=14, edge=8)
GRIDS = {"wide": WIDE, "narrow": NARROW}


def layers(count: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Return the nodes 0 to `count` in layers; the same graph has the same layers.

    The layer of a node is its topological generation. Agents of a run mostly read each other in
    rings, so what decides is, first to last:

    1. nominations, where there are any: who nominates stands above who is nominated;
    2. else all edges but those from a node to itself;
    3. rings of these stand in one layer (the graph's condensation has none);
    4. a node outside of them stands below the lowest that it reads, and at the top if it reads
       nobody.

    Within a layer nodes keep their order (the order in which they first acted), then are moved to
    the middle of their neighbours, in a fixed number of sweeps.
    """
    graph = nx.DiGraph()
    named = [(s, t) for s, t, kind in edges if kind == "nominated" and s != t]
    ties = sorted({(s, t) for s, t, _ in edges if s != t})
    chosen = sorted(set(named)) if named else ties
    graph.add_nodes_from(range(count) if not named else sorted({n for e in chosen for n in e}))
    graph.add_edges_from(chosen)
    level: dict[int, int] = {}
    ring = nx.condensation(graph)
    for depth, components in enumerate(nx.topological_generations(ring)):
        for component in components:
            for node in ring.nodes[component]["members"]:
                level[node] = depth
    read: dict[int, list[int]] = {}
    for source, target in ties:
        read.setdefault(target, []).append(source)
    for node in range(count):
        if node not in level:
            above = [level[source] for source in read.get(node, ()) if source in level]
            level[node] = max(above) + 1 if above else 0
    found: dict[int, list[int]] = {}
    for node in range(count):
        found.setdefault(level[node], []).append(node)
    return _untangled([found[depth] for depth in sorted(found)], chosen)


def _untangled(ranks: list[list[int]], edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Order each layer by the mean place of its neighbours in other layers."""
    home = {node: depth for depth, rank in enumerate(ranks) for node in rank}
    near: dict[int, list[int]] = {node: [] for node in home}
    for source, target in edges:
        if home[source] != home[target]:
            near[source].append(target)
            near[target].append(source)
    place = {n: i - (len(rank) - 1) / 2 for rank in ranks for i, n in enumerate(rank)}
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for depth in range(len(ranks)) if down else range(len(ranks) - 1, -1, -1):
            rank = ranks[depth]
            sides = {
                n: [place[m] for m in near[n] if (home[m] < depth) == down and m in place]
                for n in rank
            }
            want = {n: sum(s) / len(s) if (s := sides[n]) else place[n] for n in rank}
            rank.sort(key=want.__getitem__)
            place |= {n: i - (len(rank) - 1) / 2 for i, n in enumerate(rank)}
    return ranks


def rows(ranks: Sequence[Sequence[int]], columns: int) -> list[list[int]]:
    """Return the rows to draw: a layer that is longer than `columns` takes several, about even."""
    out: list[list[int]] = []
    for rank in ranks:
        many = -(-len(rank) // columns)
        size = -(-len(rank) // many)
        out += [list(rank[i : i + size]) for i in range(0, len(rank), size)]
    return out


def positions(drawn: Sequence[Sequence[int]], grid: Grid) -> dict[int, tuple[float, float]]:
    """Return the middle of each node.

    networkx places the rows (`multipartite_layout`), in units of its own; here they are scaled, so
    that cards in a row are `grid.gap` apart and rows `grid.between`.
    """
    graph = nx.DiGraph()
    for nodes in drawn:
        graph.add_nodes_from(nodes)
    if not graph:
        return {}
    layered = {row: list(nodes) for row, nodes in enumerate(drawn)}
    placed = nx.multipartite_layout(graph, subset_key=layered, align="horizontal")
    xs, ys = zip(*((float(x), float(y)) for x, y in placed.values()), strict=True)
    widest = max(len(nodes) for nodes in drawn)
    steps, extent = max(
        (len(drawn) - 1, max(ys) - min(ys)), (widest - 1, max(xs) - min(xs)), key=lambda one: one[0]
    )
    unit = steps / extent if extent else 1.0
    middle = grid.edge + (widest * (grid.card + grid.gap) - grid.gap) / 2
    top = grid.edge + grid.height / 2
    across, down = unit * (grid.card + grid.gap), unit * (grid.height + grid.between)
    return {
        node: (
            round(middle + (float(x) - (max(xs) + min(xs)) / 2) * across, 1),
            round(top + (float(y) - min(ys)) * down, 1),
        )
        for node, (x, y) in sorted(placed.items())
    }
