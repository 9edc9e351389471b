"""The chart of intervals in a cell, with Vega out of a Python package instead of the network."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import altair as alt

from workbench.figures.interval_chart import MARK
from workbench.figures.style import PALETTES
from workbench_widgets.shared.faces import faced

_LIGHT, _DARK = (asdict(PALETTES[paper]) for paper in ("light", "dark"))
_NAMES = {colour: name for name, colour in _LIGHT.items()}
_COLOURS = "".join(
    f"--wbw-chart-{name}: light-dark({_LIGHT[name]}, {_DARK[name]});"
    for name in _LIGHT
    if name != "paper"
)
_CSS = f"""
.vega-embed {{ color-scheme: light dark; --wbw-chart-paper: transparent; {_COLOURS} }}
[data-jp-theme-light="true"] .vega-embed, .vscode-light .vega-embed, .light .vega-embed \
{{ color-scheme: light; }}
[data-jp-theme-light="false"] .vega-embed, .vscode-dark .vega-embed, .dark .vega-embed \
{{ color-scheme: dark; }}
"""


class OfflineChart(alt.JupyterChart):
    """An altair chart that is drawn with no request to the network.

    Parameters
    ----------
    chart : altair.LayerChart
    themed : bool
        Whether the colours of light paper follow the theme of the notebook.
    """

    _css = _CSS

    def __init__(self, chart: alt.LayerChart, *, themed: bool = False, **kwargs: Any) -> None:
        type(self).enable_offline()
        self._still, self._choices = chart, 0
        super().__init__(chart, embed_options={"actions": False, "renderer": "svg"}, **kwargs)
        if themed:
            self.spec = _themed(self.spec)

    def chosen(self) -> list[str]:
        """Return the conditions whose marks are chosen."""
        found = getattr(self.selections, MARK, None)
        rows = getattr(found, "value", None) or []
        return [str(row["condition"]) for row in rows if "condition" in row]

    def choose(self, conditions: list[str]) -> None:
        """Draw the chart anew with the marks of some conditions chosen."""
        self._choices += 1  # else it would not be drawn anew after a click
        (param,) = self.spec["params"]
        chosen = {**param, "value": [{"condition": name} for name in conditions]}
        self.spec = {**self.spec, "params": [chosen], "usermeta": {"choice": self._choices}}

    def face(self) -> dict[str, str]:
        """Return the still picture by its type, for a notebook without a kernel."""
        data: Any = self._still._repr_mimebundle_()
        return {k: v for k, v in data.items() if k in ("image/svg+xml", "text/html", "image/png")}

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return faced(super()._repr_mimebundle_(**kwargs), self.face())


def _themed(spec: Any, name: str = "") -> Any:
    """Return a specification with the palette's colours as variables, but for its data."""
    if isinstance(spec, dict):
        return {k: v if k == "datasets" else _themed(v, k) for k, v in spec.items()}
    if isinstance(spec, list):
        return [_themed(value) for value in spec]
    coloured = name in {"color", "background", "value"} or name.endswith("Color")
    if coloured and isinstance(spec, str) and spec in _NAMES:
        return f"var(--wbw-chart-{_NAMES[spec]}, {spec})"
    return spec
