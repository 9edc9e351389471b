"""Charts to files and to still pictures: no browser, no script, no network."""

from __future__ import annotations

import os
import re
from dataclasses import astuple
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import MissingExtra
from workbench.figures.style import PALETTES
from workbench.record.visible import visible

PNG_PPI = 300
"""Pixels of a PNG for each of its inches."""

_POINTS = 72 / 96
"""Of a chart's pixels, 96 are an inch; vl-convert counts 72."""


class Chart(Protocol):
    """What can be drawn: any chart of altair."""

    def save(self, fp: Any, format: Any = ..., **options: Any) -> None:  # noqa: A002
        """Write the chart to a file or a buffer."""


def save_chart(chart: Chart, path: str | os.PathLike[str]) -> Path:
    """Write a chart to an SVG, PDF or PNG file, without a browser and without the network.

    A chart's pixels are those of the web, 96 an inch, in every format. The bytes of an SVG are the
    same each time, on one machine with its fonts.

    Parameters
    ----------
    chart : altair chart
    path : path
        Ending in ``.svg``, ``.pdf`` or ``.png`` (300 pixels an inch).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the path ends otherwise.
    MissingExtra
        If vl-convert is not installed.
    """
    file = Path(path)
    kind = file.suffix.lower()
    if kind == ".svg":
        file.write_text(_svg(chart), "utf-8", newline="\n")
    elif kind == ".pdf":
        file.write_bytes(_pdf(_svg(chart)))
    elif kind == ".png":
        drawn = BytesIO()
        _save(chart, drawn, format="png", scale_factor=_POINTS, ppi=PNG_PPI)
        file.write_bytes(drawn.getvalue())
    else:
        raise ValueError(f"{file.name!r} ends in none of .svg, .pdf, .png")
    return file


def chart_svg(chart: Chart) -> str:
    """Return a chart as a stand-alone SVG for a notebook, with neither script nor link.

    One drawn for light paper turns dark for readers whose system asks for dark pages, but not on a
    page of nbconvert's that is light for everybody.

    Parameters
    ----------
    chart : altair chart

    Returns
    -------
    str

    Raises
    ------
    MissingExtra
        If vl-convert is not installed.
    """
    return re.sub(r"(<svg\b[^>]*>)", rf"\1{_DARK}", _svg(chart), count=1)


def _svg(chart: Chart) -> str:
    drawn = StringIO()
    _save(chart, drawn, format="svg")
    return visible(drawn.getvalue())  # labels of marks hold names, and XML no control characters


def _pdf(svg: str) -> bytes:
    """Return a PDF of a picture's size in points; vl-convert takes a pixel for a point."""
    import vl_convert

    def in_points(size: re.Match[str]) -> str:
        return f'{size[1]}="{float(size[2]) * _POINTS:g}"'

    head, rest = svg[: (end := svg.index(">"))], svg[end:]
    made: bytes = vl_convert.svg_to_pdf(
        re.sub(r'\b(width|height)="([\d.]+)"', in_points, head) + rest
    )
    return made


def _save(chart: Chart, to: StringIO | BytesIO, **options: Any) -> None:
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "drawing a chart needs vl-convert-python: pip install 'mas-workbench[lab]'"
        ) from None
    chart.save(to, **options)


def _dark() -> str:
    rules = "".join(
        f'.marks [{where}="{light}"]:not([data-jp-theme-light="true"] *){{{where}:{dark}}}'
        for light, dark in zip(astuple(PALETTES["light"]), astuple(PALETTES["dark"]), strict=True)
        for where in ("fill", "stroke")
    )
    return f"<style>@media(prefers-color-scheme:dark){{{rules}}}</style>"


_DARK = _dark()
