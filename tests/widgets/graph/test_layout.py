"""Layers, rows and places of agent graphs: the same for the same graph, and nothing overlaps."""

from __future__ import annotations

import random
from itertools import combinations

import networkx as nx
import pytest

from workbench_widgets import GraphView
from workbench_widgets.graph.layout import GRIDS, layers, positions, rows
from workbench_widgets.graph.payload import GraphSource, contents
from workbench_widgets.graph.selection import AGENTS, selected
from workbench_widgets.graph.shapes import clipped, draw, measured

Box = tuple[float, float, float, float]


def sampled(count: int, seed: int) -> nx.DiGraph:
    """Return a random graph without rings, with words on nodes and edges."""
    random.seed(seed)
    graph = nx.DiGraph()
    for node in range(count):
        graph.add_node(f"a{node}", role=f"The role of agent number {node}", probability=0.5)
    for source, target in combinations(range(count), 2):
        if random.random() < 3 / count:
            graph.add_edge(
                f"a{source}", f"a{target}", label="critique and revise", probability=0.25
            )
    return graph


def test_who_nominates_stands_above() -> None:
    """Nominations decide; what agents read of each other does not."""
    edges = [(0, 1, "nominated"), (0, 2, "nominated"), (1, 0, "answered"), (2, 1, "read")]

    assert layers(4, [*edges, (2, 3, "read")]) == [[0], [1, 2], [3]]


def test_a_ring_stands_in_one_layer() -> None:
    """Without nominations, rings are one layer, and what reads them is below."""
    ring = [(0, 1, "read"), (1, 2, "read"), (2, 0, "read"), (1, 3, "read"), (4, 4, "read")]

    assert layers(5, ring) == [[4, 0, 1, 2], [3]] or layers(5, ring) == [[0, 1, 2, 4], [3]]


def test_nothing_to_lay_out() -> None:
    """No nodes, no places."""
    assert layers(0, []) == []
    assert positions([], GRIDS["wide"]) == {}


def test_a_long_layer_takes_rows_about_even() -> None:
    """Eleven in rows of five at most are four, four and three."""
    assert [len(row) for row in rows([list(range(11))], 5)] == [4, 4, 3]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20, 60])
@pytest.mark.parametrize("size", list(GRIDS))
def test_no_two_things_overlap(count: int, size: str) -> None:
    """Cards, and the words beside edges, each have room of their own."""
    nodes, edges = contents(GraphSource(sampled(count, count), "sampled"))
    made = draw(nodes, edges, GRIDS[size])
    boxes: list[Box] = []
    for card in made.cards:
        rect = card[2][1][1]
        x, y = rect["x"], rect["y"]
        boxes.append((x, y, x + rect["width"], y + rect["height"]))
    for _, at, words in made.words:
        half = measured(words, 11.5) / 2
        boxes.append((at["x"] - half, at["y"] - 10, at["x"] + half, at["y"] + 2))
    x, y, width, height = made.box

    assert len(made.cards) == count
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)
    for left, top, right, low in boxes:
        assert x <= left <= right <= x + width
        assert y <= top <= low <= y + height


def test_a_large_graph_is_drawn_in_part() -> None:
    """The agents with the most edges, or one and its neighbours; and how much of all that is."""
    star = nx.DiGraph((f"hub {n % 3}", f"leaf {n}") for n in range(300))
    nodes, edges = contents(GraphSource(star, "Three hubs"))
    part = selected(nodes, edges)
    assert [nodes[n].title for n in part.agents[:3]] == ["hub 0", "leaf 0", "hub 1"]
    assert (len(part.nodes), part.of) == (AGENTS, (303, 300))
    assert [(edges[n].source, edges[n].target) for n in part.lines] == [
        (part.agents[e.source], part.agents[e.target]) for e in part.edges
    ]
    assert f"{AGENTS} of 303 agents" in part.told

    hub = next(n for n, node in enumerate(nodes) if node.title == "hub 2")
    near = selected(nodes, edges, around=hub)
    titles = [node.title for node in near.nodes]
    assert "hub 2" in titles
    assert "hub 1" not in titles
    assert len(near.edges) == AGENTS - 1
    few = selected(nodes, edges, most=10)
    assert len(few.edges) <= 10

    small = selected(*contents(GraphSource(sampled(20, 1), "Small")))
    assert small.whole
    assert small.told == ""


def test_a_face_of_a_large_graph_says_what_it_leaves_out() -> None:
    """A notebook keeps no picture that does not say so; `svg` is the whole."""
    view = GraphView(sampled(300, 2))
    assert "of 300 agents, those with the most edges" in view.face()
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "image/svg+xml" not in data
    assert len(data["text/html"]) < 330_000
    assert view.svg().count("data-node=") == 300


def test_a_long_title_is_clipped_and_kept_whole_beside() -> None:
    """The card has as much as fits; its label and its title have all."""
    graph = nx.DiGraph()
    graph.add_node("x", role="An extraordinarily long role that fits into no card at all")
    nodes, edges = contents(GraphSource(graph, "one"))
    card = draw(nodes, edges, GRIDS["wide"]).cards[0]

    assert card[2][3][2] == "An extraordinarily l…"
    assert card[1]["aria-label"].startswith("An extraordinarily long role that fits into no card")
    assert "no card at all" in card[2][0][2]


def test_marks_that_pile_up_are_clipped() -> None:
    """Forty accents on one letter do not leave the card."""
    assert len(clipped("e" + "\u0301" * 40, 100, 13)) < 8
