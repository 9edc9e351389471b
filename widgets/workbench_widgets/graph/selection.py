"""Which agents of a large graph are drawn: those with the most edges, or one and its neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench_widgets.graph.shapes import Edge, Node

AGENTS = 100
"""Agents up to which a graph is drawn whole; beyond, a drawing is an endless page."""

EDGES = 4000
"""Edges up to which a graph is drawn whole."""

FACE_EDGES = 500
"""Edges of a static face, which a notebook keeps in its file."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a graph, in numbers of its own.

    Attributes
    ----------
    nodes, edges : list
        What is drawn; an edge's ends are places in `nodes`.
    agents, lines : list of int
        The number of each in the whole graph.
    of : tuple of int
        How many agents and edges the whole graph has.
    """

    nodes: list[Node]
    edges: list[Edge]
    agents: list[int]
    lines: list[int]
    of: tuple[int, int]

    @property
    def whole(self) -> bool:
        """Whether all is drawn."""
        return (len(self.nodes), len(self.edges)) == self.of

    @property
    def told(self) -> str:
        """How much of the graph is drawn; empty where all is."""
        if self.whole:
            return ""
        return (
            f"Drawn are {len(self.nodes):,} of {self.of[0]:,} agents, those with the most edges, "
            f"and the {len(self.edges):,} of {self.of[1]:,} edges among them."
        )


def selected(
    nodes: Sequence[Node], edges: Sequence[Edge], *, around: int | None = None, most: int = EDGES
) -> Selection:
    """Return what is drawn of a graph: all of it, up to `AGENTS` and `most` edges.

    Beyond, the agents with the most edges come in until one of the two is reached; with `around`,
    that agent and of its neighbours as many as there is room for, in the same order.
    """
    near: list[Counter[int]] = [Counter() for _ in nodes]
    for edge in edges:
        near[edge.source][edge.target] += 1
        if edge.source != edge.target:
            near[edge.target][edge.source] += 1
    ranked = sorted(range(len(nodes)), key=lambda node: (-near[node].total(), node))
    if around is not None:
        ranked = [around, *(n for n in ranked if n != around and n in near[around])]
    kept: set[int] = set()
    lines = 0
    for node in ranked[:AGENTS]:
        lines += sum(n for other, n in near[node].items() if other in kept or other == node)
        if kept and lines > most:
            break
        kept.add(node)
    agents = sorted(kept)
    place = {node: number for number, node in enumerate(agents)}
    drawn = [n for n, e in enumerate(edges) if e.source in kept and e.target in kept]
    return Selection(
        nodes=[nodes[node] for node in agents],
        edges=[
            replace(edges[n], source=place[edges[n].source], target=place[edges[n].target])
            for n in drawn
        ],
        agents=agents,
        lines=drawn,
        of=(len(nodes), len(edges)),
    )
