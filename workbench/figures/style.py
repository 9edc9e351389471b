"""How charts look: widths, and colours on light and on dark paper."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

Width = Literal["column", "page", "slide"]
Paper = Literal["light", "dark"]

WIDTHS: dict[str, int] = {"column": 340, "page": 680, "slide": 960}
"""In pixels, of which 96 are an inch: a column of a two-column page (90 mm), a page's text block
(180 mm), and a slide."""

SIZES: dict[str, int] = {"column": 10, "page": 11, "slide": 16}
"""Of letters, in pixels."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for. `mark` and `chosen` are told apart by colour-blind readers."""

    paper: str
    ink: str
    soft: str
    line: str
    mark: str
    chosen: str


PALETTES: dict[str, Palette] = {
    "light": Palette("#ffffff", "#1d1c1a", "#5f5c57", "#e4e1da", "#0a5fa5", "#a8480a"),
    "dark": Palette("#17181b", "#e8e6e1", "#a9a6a0", "#34363b", "#7db8f0", "#f39a6b"),
}
"""Text is at 4.5 to 1 or better on its paper."""


def width_px(width: Width | int) -> tuple[int, int]:
    """Return a width and the size of its letters, both in pixels.

    Raises
    ------
    ValueError
        If it is neither a name in `WIDTHS` nor a number from 200 on.
    """
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width], SIZES[width]
    if isinstance(width, Integral) and width >= 200:
        return int(width), 10 if width < 500 else 11 if width < 800 else 14
    raise ValueError(
        f"the width is {width!r}; it is {', '.join(WIDTHS)} or a number of pixels from 200 on"
    )


def config(palette: Palette, size: int) -> dict[str, Any]:
    """Return the part of a Vega-Lite specification that is the same for every chart."""
    text = {"labelColor": palette.soft, "titleColor": palette.ink}
    return {
        "font": FONT,
        "background": palette.paper,
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelFontSize": size,
            "titleFontSize": size,
            "titleFontWeight": "normal",
            "domainColor": palette.line,
            "gridColor": palette.line,
            "tickColor": palette.line,
        },
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": palette.ink,
            "subtitleColor": palette.soft,
            "fontSize": size + 3,
            "subtitleFontSize": size,
            "subtitleLineHeight": size * 1.4,
            "subtitlePadding": 5,
            "offset": size,
        },
    }
