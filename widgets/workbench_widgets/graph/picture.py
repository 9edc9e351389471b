"""An agent graph as a stand-alone SVG: the static face, and what is saved."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from workbench.record.events import JSON
from workbench.views.agents import DARK, LIGHT
from workbench_widgets.graph.shapes import ATTRIBUTES, TAGS, Drawing, Shape

PAINT = {
    "wbw-graph-paper": "fill:#fbfaf7",
    "wbw-graph-card": "fill:#fff;stroke:#d8d6d0",
    "wbw-graph-mark": "fill:HUE",
    "wbw-graph-title": "fill:#1d1c1a;font-size:13px;font-weight:650",
    "wbw-graph-note": "fill:#5f5d58;font-size:11.5px",
    "wbw-graph-told": "fill:#1d1c1a;font-size:11.5px;stroke:#fbfaf7;stroke-width:6px;"
    "paint-order:stroke;stroke-linejoin:round",
    "wbw-graph-line": "fill:none;stroke:HUE;stroke-width:1.4px;stroke-opacity:.75",
    "wbw-graph-head": "fill:none;stroke:HUE;stroke-width:1.4px",
}
"""The style of a class on light paper; HUE is the colour of the agent."""

DASHES = {"nominated": "6 4", "answered": "1.5 4"}
"""How a kind of edge differs from another without colour; what was read is a full line."""

_NIGHT = {
    "wbw-graph-paper": "fill:#17181b",
    "wbw-graph-card": "fill:#1f2024;stroke:#43444a",
    "wbw-graph-title": "fill:#e8e6e1",
    "wbw-graph-note": "fill:#a9a6a0",
    "wbw-graph-told": "fill:#e8e6e1;stroke:#17181b",
}


def svg(drawing: Drawing, label: str, *, legend: Sequence[str] = ()) -> str:
    """Return a drawing as SVG text: the same drawing, the same bytes; dark on a dark page.

    Parameters
    ----------
    drawing : Drawing
    label : str
        What it shows, for those who do not see it.
    legend : sequence of str
        The kinds of edges to explain.
    """
    x, y, width, height = drawing.box
    wide = max(width, 104.0 * len(legend) + 24)
    x -= (wide - width) / 2
    low = y + height
    tall = height + (26 if legend else 0)
    body = "".join(_written(shape, "") for shape in drawing.shapes)
    for place, kind in enumerate(legend):
        at = x + 16 + 104 * place
        body += _written(
            [
                "g",
                {"class": f"wbw-graph-key wbw-graph-{kind}"},
                [
                    ["path", {"class": "wbw-graph-line", "d": f"M{at:g} {low + 6:g}h22"}, ""],
                    ["text", {"class": "wbw-graph-note", "x": at + 27, "y": low + 10}, kind],
                ],
            ],
            "",
        )
    paper = {"class": "wbw-graph-paper", "x": x, "y": y, "width": wide, "height": tall, "rx": 6}
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wbw-graph-alone" '
        f'viewBox="{x:g} {y:g} {wide:g} {tall:g}" width="{wide:g}" height="{tall:g}" '
        f'role="img" aria-label="{escape(label)}" '
        f'font-family="Segoe UI, Roboto, Noto Sans, Liberation Sans, Arial, sans-serif" '
        f'style="max-width:100%;height:auto"><style>{_DARK_STYLE}</style>'
        f"{_written(['rect', paper, ''], '')}{body}</svg>\n"
    )


def _written(shape: Shape, around: str) -> str:
    """Return a shape as text. What is not on the list of tags and attributes is an error."""
    tag, attributes, children = shape
    if tag not in TAGS or not ATTRIBUTES.issuperset(attributes):
        raise ValueError(f"not a shape: {tag} {sorted(attributes)}")
    classes = f"{around} {attributes.get('class', '')}".split()
    told = "".join(f' {name}="{_value(value)}"' for name, value in attributes.items())
    style = "".join(f"{PAINT[css]};" for css in classes[-1:] if css in PAINT)
    hue = next((int(css[5:]) for css in classes if css.startswith("wbw-a")), None)
    style = style.replace("HUE", "#5f5d58" if hue is None else LIGHT[hue])
    if "wbw-graph-line" in classes:
        dash = next((d for kind, d in DASHES.items() if f"wbw-graph-{kind}" in classes), None)
        style += f"stroke-dasharray:{dash};" if dash else ""
    # as attributes: pages that drop style sheets keep these, and a style sheet overrules them
    told += "".join(
        f' {name}="{value}"'
        for name, _, value in (one.partition(":") for one in style.split(";") if one)
    )
    if isinstance(children, str):
        return (
            f"<{tag}{told}>{escape(children, quote=False)}</{tag}>"
            if children
            else f"<{tag}{told}/>"
        )
    inside = "".join(_written(child, " ".join(classes)) for child in children)
    return f"<{tag}{told}>{inside}</{tag}>"


def _value(value: JSON) -> str:
    return f"{value:g}" if isinstance(value, float) else escape(str(value))


_ALONE = '.wbw-graph-alone:not([data-jp-theme-light="true"] *)'
"""The picture, but not on a page of nbconvert's that is light for everybody."""

_DARK_STYLE = (
    "@media(prefers-color-scheme:dark){"
    + "".join(f"{_ALONE} .{css}{{{rule}}}" for css, rule in _NIGHT.items())
    + "".join(
        f"{_ALONE} .wbw-a{n} :is(.wbw-graph-line,.wbw-graph-head){{stroke:{colour}}}"
        f"{_ALONE} .wbw-a{n} .wbw-graph-mark{{fill:{colour}}}"
        for n, colour in enumerate(DARK)
    )
    + "}"
)
