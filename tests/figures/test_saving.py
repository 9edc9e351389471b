"""Charts to files and still pictures, without a browser, a script or the network."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import altair as alt
import pytest
from pypdf import PdfReader

import workbench as wb
from tests.figures.conftest import values_of
from workbench.figures.interval_chart import plot_intervals
from workbench.figures.saving import chart_svg, save_chart
from workbench.figures.style import PALETTES, WIDTHS

FRAME = values_of(full=[881, 700, 1003], no_tom=[500, 620, 580], no_rag=[640])


@pytest.fixture
def chart() -> alt.LayerChart:
    """Return a chart of one column's width."""
    return plot_intervals(FRAME, width="column")


def test_svg(chart: alt.LayerChart, tmp_path: Path) -> None:
    """An SVG is XML of the chart's width, and the same bytes each time."""
    first = save_chart(chart, tmp_path / "a.svg").read_bytes()
    again = save_chart(plot_intervals(FRAME, width="column"), tmp_path / "b.svg").read_bytes()

    assert first == again
    assert str(WIDTHS["column"]) == ET.fromstring(first).get("width")
    assert b"no_rag" in first
    assert b"prefers-color-scheme" not in first  # a figure in print is as it was made


def test_png(chart: alt.LayerChart, tmp_path: Path) -> None:
    """A PNG has 300 pixels an inch of the chart's 96."""
    head = save_chart(chart, str(tmp_path / "a.png")).read_bytes()[:24]

    assert b"\x89PNG" == head[:4]
    assert pytest.approx(WIDTHS["column"] * 300 / 96, abs=1) == int.from_bytes(head[16:20])


def test_pdf(chart: alt.LayerChart, tmp_path: Path) -> None:
    """A PDF is as wide as a column in print, 90 mm, with its text as text."""
    page = PdfReader(save_chart(chart, tmp_path / "a.PDF")).pages[0]

    assert pytest.approx(90, abs=0.5) == float(page.mediabox.width) / 72 * 25.4
    assert "bootstrap" in page.extract_text()


def test_still_picture(chart: alt.LayerChart) -> None:
    """In a notebook the chart is an SVG with no script and no link, which follows the reader."""
    face = chart._repr_mimebundle_()
    svg = face["image/svg+xml"]

    assert {"text/plain", "image/svg+xml", "text/html"} == set(face)
    assert f'<div class="mathjax_ignore">{svg}</div>' == face["text/html"]
    assert chart_svg(chart) == svg
    assert "<script" not in svg
    assert {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"} >= set(
        re.findall(r"https?://[^\"' )]+", svg)
    )
    ET.fromstring(svg)
    for colour in ("paper", "ink", "mark"):
        light, dark = (getattr(PALETTES[paper], colour) for paper in ("light", "dark"))
        assert f'.marks [fill="{light}"]:not([data-jp-theme-light="true"] *){{fill:{dark}}}' in svg
    assert "10,000 resamples, seed 0" in face["text/plain"]
    assert repr(chart) == face["text/plain"]


def test_still_after_changes(chart: alt.LayerChart) -> None:
    """A chart that was restyled still shows itself as a picture."""
    wider = chart.properties(width=500)

    assert 'width="500"' in wider._repr_mimebundle_()["image/svg+xml"]


def test_any_chart_can_be_saved(tmp_path: Path) -> None:
    """Also a chart of altair's own."""
    data = alt.InlineData(values=[{"x": 1}])
    plain = alt.Chart(data).mark_point().encode(x="x:Q")

    for kind in ("svg", "pdf", "png"):
        assert save_chart(plain, tmp_path / f"a.{kind}").stat().st_size > 500


def test_other_formats(chart: alt.LayerChart, tmp_path: Path) -> None:
    """Another ending is refused, and nothing is written."""
    with pytest.raises(ValueError, match=r"'a.html' ends in none of .svg, .pdf, .png"):
        save_chart(chart, tmp_path / "a.html")
    assert [] == list(tmp_path.iterdir())


def test_without_the_extra(chart: alt.LayerChart, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vl-convert the chart still shows its caption, and says what to install."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)

    with pytest.raises(wb.MissingExtra, match=r"mas-workbench\[lab\]"):
        chart_svg(chart)
    face = chart._repr_mimebundle_()
    assert ["text/plain"] == list(face)
    assert "mas-workbench[lab]" in face["text/plain"]


def test_without_altair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without altair the error says what to install."""
    monkeypatch.setitem(sys.modules, "altair", None)

    with pytest.raises(wb.MissingExtra, match=r"charts need altair: .*mas-workbench\[lab\]"):
        plot_intervals(FRAME)
