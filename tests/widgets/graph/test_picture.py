"""The stand-alone picture and the page of pyvis: the same bytes, no foreign script, no request."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from playwright.sync_api import Page

import workbench as wb
import workbench_widgets as ww
from tests.widgets.hostile import HOSTILE, hostile_run
from workbench_widgets import GraphView
from workbench_widgets.graph.picture import svg
from workbench_widgets.graph.shapes import ATTRIBUTES, TAGS, Drawing

SAMPLE = Path(__file__).parents[3] / "sample_runs/vance_v_innovate/vance_v_innovate.run.jsonl"
GEOMETRY = Path(__file__).parents[3] / "widgets/workbench_widgets/graph/geometry.mjs"


def hostile_graph() -> nx.DiGraph:
    """Return a graph with each hostile text as name, role and label."""
    graph = nx.DiGraph()
    for number, text in enumerate([*HOSTILE, "\ud800 half", "href=x <b>"]):
        graph.add_node(text, role=text, probability=number / 100)
        if number:
            graph.add_edge(HOSTILE[0], text, label=text, probability=0.5)
    return graph


def test_the_same_graph_is_the_same_bytes(tmp_path: Path) -> None:
    """The picture of a run and its page do not change from one making to the next."""
    for name in ("one", "two"):
        view = GraphView(wb.open_run(SAMPLE))
        view.save(tmp_path / f"{name}.svg")
        view.pyvis(tmp_path / f"{name}.html")

    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_the_picture_is_xml_and_has_the_agents() -> None:
    """It stands alone, is dark on a dark page, and says what it is."""
    made = GraphView(wb.open_run(SAMPLE)).svg()
    root = ET.fromstring(made)

    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in made
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Paralegal Researcher" in texts
    assert {"nominated", "read", "answered"} <= set(texts)
    assert "href" not in made
    assert "script" not in made


def test_hostile_words_are_words() -> None:
    """Whatever agents are called, the picture parses, and has no other tags than ours."""
    for view in (GraphView(hostile_graph()), GraphView(hostile_run()[0])):
        root = ET.fromstring(view.svg().encode(errors="replace").decode())
        tags = {node.tag.rpartition("}")[2] for node in root.iter()}
        assert tags <= {*TAGS, "svg", "style"}
        names = {name for node in root.iter() for name in node.attrib}
        assert not {name for name in names if name.startswith("on") or "href" in name}


def test_a_shape_that_is_not_on_the_list_is_an_error() -> None:
    """Neither a tag nor an attribute slips through."""
    for shape in (["script", {}, "x"], ["g", {"onload": "x"}, ""]):
        with pytest.raises(ValueError, match="not a shape"):
            svg(Drawing((0, 0, 1, 1), [], [shape], [], []), "x")


def test_the_widget_holds_to_the_same_list() -> None:
    """The list in the script is the list in Python."""
    source = GEOMETRY.read_text()
    tags = re.search(r"GRAPH_TAGS = (\[.*?\])", source)
    names = re.search(r'GRAPH_ATTRIBUTES =\s*"([^"]*)"', source)
    assert tags is not None
    assert names is not None

    assert set(re.findall(r'"(\w+)"', tags[1])) == TAGS
    assert set(names[1].split()) == ATTRIBUTES


def test_the_page_has_no_resource_elsewhere(tmp_path: Path) -> None:
    """No link, script, image or import of pyvis's page points outside, whatever the titles say."""
    html = GraphView(hostile_graph(), title=HOSTILE[1]).pyvis(tmp_path / "x.html").read_text()
    ours = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", html, flags=re.DOTALL)

    assert "default-src 'none'" in ours
    assert not re.search(r"(src|href)\s*=", ours.replace("&quot;", ""))
    assert "popup.innerHTML" not in html


def test_other_names_of_files_are_refused(tmp_path: Path) -> None:
    """A picture ends in .svg; a graph without directions is no graph of agents."""
    with pytest.raises(ValueError, match=r"\.svg"):
        GraphView(wb.open_run(SAMPLE)).save(tmp_path / "x.png")
    with pytest.raises(TypeError, match="DiGraph"):
        GraphView(nx.Graph())
    huge = nx.DiGraph()
    huge.add_edge("a", "b", probability=10**400)
    with pytest.raises(ValueError, match="a probability is a number from 0 to 1, not 1000"):
        GraphView(huge)


@pytest.mark.browser
def test_dark_where_the_page_is(page: Page) -> None:
    """A page that is light for everybody has no dark pictures on a dark system."""
    page.emulate_media(color_scheme="dark")
    chart = ww.Intervals({"one": [SAMPLE]}, "words").figure._repr_mimebundle_()["image/svg+xml"]
    for light, colours in (("true", ["#fbfaf7", "#ffffff"]), ("false", ["#17181b", "#17181b"])):
        page.set_content(
            f'<body data-jp-theme-light="{light}">{GraphView(wb.open_run(SAMPLE)).svg()}{chart}'
        )
        found = page.evaluate(
            """() => ['.wbw-graph-paper', '[fill="#ffffff"]'].map((one) => {
                const [r, g, b] = getComputedStyle(document.querySelector(one)).fill
                  .match(/[0-9]+/g).map(Number);
                return '#' + ((r << 16) + (g << 8) + b).toString(16).padStart(6, '0');
            })"""
        )
        assert found == colours


def test_the_bundle_has_a_static_face() -> None:
    """Text, HTML without script and the picture are there for a notebook without a kernel."""
    bundle = GraphView(wb.open_run(SAMPLE))._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle

    assert data["text/plain"].startswith("<GraphView of <Run bilayer")
    assert data["text/html"].count("<svg") == 1
    assert "<script" not in data["text/html"]
    assert data["image/svg+xml"].startswith("<svg")
