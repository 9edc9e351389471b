"""The chart of intervals in a cell, with Vega out of a Python package instead of the network."""

from __future__ import annotations

from typing import Any

import altair as alt

from workbench.figures.interval_chart import MARK


class OfflineChart(alt.JupyterChart):
    """An altair chart that is drawn with no request to the network."""

    def __init__(self, chart: alt.LayerChart, **kwargs: Any) -> None:
        type(self).enable_offline()
        super().__init__(chart, embed_options={"actions": False, "renderer": "svg"}, **kwargs)

    def chosen(self) -> list[str]:
        """Return the conditions whose marks are chosen."""
        found = getattr(self.selections, MARK, None)
        rows = getattr(found, "value", None) or []
        return [str(row["condition"]) for row in rows if "condition" in row]
