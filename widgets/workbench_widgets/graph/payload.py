"""The pages of the graph view: its drawing, what passed step by step, and what an edge carried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from workbench import Run
from workbench.record.events import JSON, RunStarted
from workbench.record.visible import visible
from workbench.views.agents import LIGHT, hues
from workbench_widgets.graph.flow import KINDS, Flow, Ints, flow
from workbench_widgets.graph.layout import GRIDS
from workbench_widgets.graph.selection import selected
from workbench_widgets.graph.shapes import Edge, Node, draw
from workbench_widgets.shared.places import in_order, places
from workbench_widgets.shared.places import pages as place_pages
from workbench_widgets.shared.source import PageMaker, Source, exact

STEPS = 200
"""Events on a page of the flow."""

PASSINGS = 25
"""Passings on a page of an edge."""

WORDS = 1500
"""Characters of a passing that are shown; how many there are is told, the event has them all."""


class GraphSource(Source):
    """A graph of agents without a run.

    Parameters
    ----------
    graph : networkx.DiGraph
        Nodes may have ``role`` and ``probability``, edges ``probability`` and ``label``.
    title : str
    """

    def __init__(self, graph: nx.DiGraph, title: str) -> None:
        if not isinstance(graph, nx.DiGraph):
            raise TypeError(f"a Run, a Session or a networkx DiGraph, not {type(graph).__name__}")
        super().__init__(Run([RunStarted(protocol="graph of agents", params={"title": title})]))
        self.graph = graph

    def head(self) -> dict[str, JSON]:
        """Return the head; its agents are the graph's nodes."""
        named = enumerate(self.graph.nodes(data=True))
        agents = [[str(n), _role(n, data), _hue(number)] for number, (n, data) in named]
        return {**super().head(), "agents": agents, "status": "drawn", "graph": True}

    def nodes(self) -> list[Node]:
        """Return the nodes: role, and below it the name and the probability."""
        out = []
        for number, (name, data) in enumerate(self.graph.nodes(data=True)):
            told = [str(name)] if _role(name, data) != str(name) else []
            out.append(Node(_role(name, data), " · ".join(told + _chance(data)), _hue(number)))
        return out

    def edges(self) -> list[Edge]:
        """Return the edges, with their label and probability."""
        place = {name: number for number, name in enumerate(self.graph)}
        out = []
        for source, target, data in self.graph.edges(data=True):
            label = data.get("label")
            words = " · ".join(([] if label is None else [str(label)]) + _chance(data))
            out.append(Edge(place[source], place[target], "edge", words or "an edge", words))
        return out


def _hue(number: int) -> int:
    return number % len(LIGHT)


def _role(name: object, data: dict[str, JSON]) -> str:
    role = data.get("role")
    return str(name) if role is None or str(role).strip() == "" else str(role)


def _chance(data: dict[str, JSON]) -> list[str]:
    value = data.get("probability")
    if value is None:
        return []
    try:
        return [f"p = {value:.2f}" if isinstance(value, int | float) else f"p = {value}"]
    except OverflowError:
        raise ValueError(
            f"a probability is a number from 0 to 1, not {visible(repr(value))[:40]}..."
        ) from None


def contents(source: Source) -> tuple[list[Node], list[Edge]]:
    """Return what is drawn: for a run, all that ever passed."""
    if isinstance(source, GraphSource):
        return source.nodes(), source.edges()
    found = flow(source)
    colours = hues(source.run, (*source.agents, *found.agents))
    all_ = np.iinfo(np.int64).max
    calls = _spent(found, "happened", 0, all_)
    nodes = [
        Node(source.title(name), spending(*calls[place]), colours[name])
        for place, name in enumerate(found.agents)
    ]
    many = _counts(found, "happened", 0, all_)
    edges = [
        Edge(source_, target, kind, f"{kind} {many[number]:,}")
        for number, (source_, target, kind) in enumerate(found.edges)
    ]
    return nodes, edges


def spending(calls: int, tokens: int, untold: int) -> str:
    """Return a node's second line."""
    if not calls:
        return "no calls"
    words = f"{calls:,} call{'' if calls == 1 else 's'}"
    if untold == calls:
        return f"{words} · tokens unknown"
    return f"{words} · {'over ' if untold else ''}{tokens:,} tokens"


def shapes(source: Source, key: str) -> dict[str, JSON]:
    """Return the drawing ``wide`` or ``narrow``, and what its nodes and edges are.

    Of a graph that is too large to be drawn whole it is a part (`selected`); ``wide/N`` is the part
    around the agent N. ``nodes`` holds the names of those drawn, whose titles are in the head, and
    ``agents`` their numbers among all; ``lines`` the edges' numbers. An edge is ``[source, target,
    kind, line, head]``, the last two as SVG path data.
    """
    size, _, agent = key.partition("/")
    whole = contents(source)
    around = int(agent) if agent.isdecimal() else None
    if size not in GRIDS or (agent and (around is None or around >= len(whole[0]))):
        raise KeyError(f"no drawing {key}")
    part = selected(*whole, around=around)
    nodes, edges = part.nodes, part.edges
    made = draw(nodes, edges, GRIDS[size])
    graph = source.graph if isinstance(source, GraphSource) else None
    names = flow(source).agents if graph is None else [str(name) for name in graph]
    return {
        "agents": part.agents,
        "lines": part.lines,
        "of": list(part.of),
        "box": list(made.box),
        "cards": made.cards,
        "words": made.words,
        "hues": [node.hue for node in nodes],
        "nodes": [names[agent] for agent in part.agents],
        "names": [] if part.whole else names,
        "notes": [node.note for node in nodes],
        "edges": [
            [e.source, e.target, e.kind, r.line, r.head]
            for e, r in zip(edges, made.routes, strict=True)
        ],
        "told": [] if graph is None else [e.told for e in edges],
    }


def steps(source: Source, key: str) -> dict[str, JSON]:
    """Return the flow ``ORDER/N``: the N-th page of an order.

    ``steps`` holds, for each event, ``[at, node, turn, start, spent, passed, fed]``: its index, its
    node (-1: the run's own, -2: no node's), its turn, the position at which that turn began,
    ``[tokens, untold]`` of a model's answer (or 0), the passings that it is as ``[edge, n]``, and
    the edges over which came what it was made from. ``run`` and ``turn`` are the counts before the
    page, since the run and since the turn began: ``[edge, n]`` and ``[node, calls, tokens,
    untold]``.
    """
    order, _, number = key.partition("/")
    events, first = in_order(source, order), int(number) * STEPS
    if not 0 <= first < max(1, len(events)):
        raise KeyError(f"no flow {key}")
    found = flow(source)
    turns, starts = found.turns(order)
    tokens = {}
    answered, _, amounts, untold = found.spent(order)
    for row in range(*_slice(answered, first, first + STEPS)):
        tokens[int(answered[row])] = [int(amounts[row]), int(untold[row])]
    out: list[JSON] = []
    for place, at in enumerate(events[first : first + STEPS], first):
        passed: dict[int, int] = {}
        for one in found.passed(at):
            edge = int(found.edge[one])
            passed[edge] = passed.get(edge, 0) + 1
        out.append(
            [
                at,
                found.actors[at],
                exact(turns[place]),
                starts[place],
                tokens.get(place, 0),
                [list(pair) for pair in passed.items()],
                found.fed(source.run.events[at], at),
            ]
        )
    begun = starts[first] if events else 0
    return {
        "start": first,
        "steps": out,
        "run": _before(found, order, 0, first),
        "turn": _before(found, order, begun, first),
    }


def _before(found: Flow, order: str, first: int, last: int) -> dict[str, JSON]:
    counts = _counts(found, order, first, last)
    calls = _spent(found, order, first, last)
    return {
        "edges": [[edge, n] for edge, n in enumerate(counts) if n],
        "nodes": [[node, *told] for node, told in enumerate(calls) if told[0]],
    }


def _slice(places: Ints, first: int, last: int) -> tuple[int, int]:
    low, high = np.searchsorted(places, [first, last])
    return int(low), int(high)


def _counts(found: Flow, order: str, first: int, last: int) -> list[int]:
    """Return how often each edge was used from one position up to another."""
    arrived, which = found.ordered(order)
    low, high = _slice(arrived, first, last)
    used = found.edge[which[low:high]]
    return [int(n) for n in np.bincount(used, minlength=len(found.edges))]


def _spent(found: Flow, order: str, first: int, last: int) -> list[tuple[int, int, int]]:
    """Return each node's calls, tokens and calls with none told, between two positions."""
    answered, nodes, tokens, untold = found.spent(order)
    low, high = _slice(answered, first, last)
    size = len(found.agents)
    used = nodes[low:high]
    columns = [
        np.bincount(used, minlength=size),
        np.bincount(used, weights=tokens[low:high], minlength=size),
        np.bincount(used, weights=untold[low:high], minlength=size),
    ]
    return [(int(a), int(b), int(c)) for a, b, c in zip(*columns, strict=True)]


def passings(source: Source, key: str) -> dict[str, JSON]:
    """Return ``ORDER/EDGE/N``: the N-th page of what passed over an edge, in an order.

    Each is ``[at, source, turn, words, characters]``: the events where it arrived and where it came
    from (or -1), and as much of the words as is shown.
    """
    order, edge, number = key.split("/")
    found = flow(source)
    if not 0 <= int(edge) < len(found.edges):
        raise KeyError(f"no passings {key}")
    _, which = found.ordered(order)
    mine = which[found.edge[which] == int(edge)]
    first = int(number) * PASSINGS
    turns, _ = found.turns("happened")
    out: list[JSON] = []
    for one in mine[first : first + PASSINGS]:
        words = found.words(int(one))
        text = {"t": source.text(words[:WORDS])}
        at = int(found.at[one])
        out.append([at, int(found.source[one]), exact(turns[at]), text, len(words)])
    return {"start": first, "passings": out}


MAKERS: dict[str, PageMaker] = {
    "graph_shapes": shapes,
    "graph_steps": steps,
    "graph_passings": passings,
    "places": places,
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages to ship at first: the drawing, the flow, the narrow one, the words."""
    yield "graph_shapes", "wide"
    if isinstance(source, GraphSource):
        yield "graph_shapes", "narrow"
        return
    pages = range((len(source.run) + STEPS - 1) // STEPS)
    for page in pages:
        yield "graph_steps", f"happened/{page}"
    yield "graph_shapes", "narrow"
    found = flow(source)
    many = np.bincount(found.edge, minlength=len(found.edges))
    for order in ("happened", "path"):
        if order == "path":
            for page in pages:
                yield "graph_steps", f"path/{page}"
        for edge, n in enumerate(many):
            for page in range((int(n) + PASSINGS - 1) // PASSINGS):
                yield "graph_passings", f"{order}/{edge}/{page}"
        if order == "happened":
            for page in place_pages(source):
                yield "places", str(page)


def legend(edges: Sequence[Edge]) -> list[str]:
    """Return the kinds of edges to explain."""
    there = {edge.kind for edge in edges}
    return [kind for kind in KINDS if kind in there]
