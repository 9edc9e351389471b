"""An agent graph as a page of pyvis: to drag and zoom, from a file, without a network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from workbench.record.visible import visible
from workbench.views.agents import LIGHT
from workbench_widgets.graph.layout import WIDE, layers, positions, rows
from workbench_widgets.graph.shapes import Edge, Node, clipped

_ELSEWHERE = re.compile(
    r'<link\b[^>]*?\bhref="https?:[^>]*>|<script\b[^>]*?\bsrc="[^>]*>\s*</script>'
)
"""What pyvis would fetch though its resources are to be inlined: Bootstrap's style and script."""

_OWN = re.compile(r"(<!--.*?-->|<script\b[^>]*>.*?</script>|<style\b[^>]*>.*?</style>)", re.DOTALL)
_EMPTY = re.compile(r"<center>\s*<h1></h1>\s*</center>")
_MAP = re.compile(r"(?://|/\*)# sourceMappingURL=[^\n*<]*(?:\*/)?")

_GUARD = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:\">"
)
"""Whatever the inlined scripts try, the page fetches nothing."""


def page(nodes: Sequence[Node], edges: Sequence[Edge], *, title: str) -> str:
    """Return the page; the same graph gives the same text.

    Words are drawn on a canvas, and in tooltips set as text. pyvis would show a tooltip as HTML
    once it holds the word ``href``, so its template is filled in here, with that way closed.
    """
    from pyvis.network import Network  # type: ignore[import-untyped]

    made = Network(height="720px", width="100%", directed=True, cdn_resources="in_line")
    at = positions(
        rows(layers(len(nodes), [(e.source, e.target, e.kind) for e in edges]), WIDE.columns), WIDE
    )
    for number, node in enumerate(nodes):
        named, note = _plain(node.title), _plain(node.note)
        made.add_node(
            number,
            label=f"{clipped(named, 220, 14)}\n{clipped(note, 220, 14)}".strip() or " ",
            title=f"{named}\n{note}".strip(),
            shape="box",
            x=at[number][0],
            y=at[number][1] * 1.4,
            physics=False,
            color={"background": "#ffffff", "border": LIGHT[node.hue]},
            font={"color": "#1d1c1a", "face": "sans-serif"},
            margin=10,
        )
    for number, edge in enumerate(edges):
        made.add_edge(
            edge.source,
            edge.target,
            title=_plain(edge.told),
            label=clipped(_plain(edge.label), 140, 14),
            color=LIGHT[nodes[edge.source].hue],
            dashes=edge.kind not in {"read", "edge"},
            smooth={"type": "curvedCW", "roundness": 0.06 + 0.06 * (number % 3)},
        )
    made.toggle_physics(status=False)
    given, ties, _, height, width, options = made.get_network_data()
    template = made.templateEnv.get_template(made.path)
    html = template.render(
        nodes=given,
        edges=ties,
        heading="",
        height=height,
        width=width,
        options=options,
        physics_enabled=False,
        use_DOT=False,
        dot_lang="",
        widget=False,
        bgcolor="#fbfaf7",
        conf=False,
        tooltip_link=False,
        neighborhood_highlight=False,
        select_menu=False,
        filter_menu=False,
        notebook=False,
        cdn_resources="in_line",
    )
    return _closed(html, title)


def _closed(html: str, title: str) -> str:
    """Return the page without what it would fetch, under a guard, and with its title.

    What pyvis would fetch lies around its inlined scripts and styles, which stay as they are, but
    for the addresses of their source maps.
    """
    words = escape(_plain(title))
    head = f'<meta charset="utf-8">{_GUARD}<title>{words}</title>'
    out = ["<!doctype html>\n"]
    for number, piece in enumerate(_OWN.split(html)):
        if number % 2 == 0:
            kept = _EMPTY.sub("", _ELSEWHERE.sub("", piece))
            kept = kept.replace('<meta charset="utf-8">', head)
            out.append(kept.replace("<body>", f"<body><h1 {_H1}>{words}</h1>"))
        elif not piece.startswith("<!--") and not _ELSEWHERE.match(piece):
            out.append(_MAP.sub("", piece))
    return "".join(out)


_H1 = 'style="font: 650 20px/1.3 sans-serif; margin: 12px 4px; color: #1d1c1a"'


def _plain(words: str) -> str:
    return " ".join(visible(words[:2000]).split())
