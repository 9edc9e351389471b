"""A layered chart that shows itself as a picture."""

from __future__ import annotations

from typing import Any

import altair as alt

from workbench.errors import MissingExtra
from workbench.figures.saving import chart_svg


class StillChart(alt.LayerChart):
    """A layered chart whose face in a notebook is an SVG instead of a script from the network.

    It is altair's chart in all else: restyle it, layer it, or hand it to `altair.JupyterChart` for
    one that can be clicked.
    """

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, str]:
        face = {"text/plain": repr(self)}
        try:
            drawn = face["image/svg+xml"] = chart_svg(self)
            # nbconvert shows the other as an image, which does not know the page's theme
            face["text/html"] = f'<div class="mathjax_ignore">{drawn}</div>'
        except MissingExtra as error:
            face["text/plain"] += f"\n({error})"
        return face

    def __repr__(self) -> str:
        said = self.to_dict(validate=False).get("description")
        return f"{type(self).__name__}: {said}" if isinstance(said, str) else type(self).__name__
