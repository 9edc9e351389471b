"""The chart of intervals as a specification: every condition, its numbers, how they were made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest

from tests.figures.conftest import values_of
from workbench.figures.interval_chart import MARK, plot_intervals
from workbench.figures.intervals import mean_intervals
from workbench.figures.measures import MEASURES
from workbench.figures.runs import measure_runs
from workbench.figures.style import PALETTES, WIDTHS

SAMPLES = Path(__file__).parents[2] / "sample_runs" / "conditions"
FRAME = values_of(full=[881, 700, 1003], no_tom=[500, 620, 580], no_rag=[640])


def layers(chart: alt.LayerChart) -> dict[str, tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return each layer's specification and rows, by the layer's name."""
    spec = chart.to_dict()
    return {
        layer["name"]: (layer, spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]
    }


def caption(chart: alt.LayerChart) -> str:
    """Return the subtitle as one text."""
    return " ".join(chart.to_dict()["title"]["subtitle"])


def test_layers_hold_the_numbers() -> None:
    """A tick is a run, a bar an interval, a mark a mean; the chart computes nothing itself."""
    found = layers(plot_intervals(FRAME, seed=3))
    means = mean_intervals(FRAME, seed=3)

    assert ["runs", "intervals", "means"] == list(found)
    assert FRAME["value"].to_list() == [row["value"] for row in found["runs"][1]]
    intervals = means.filter(pl.col("lo").is_not_null())
    assert intervals["lo"].to_list() == [row["lo"] for row in found["intervals"][1]]
    assert intervals["hi"].to_list() == [row["hi"] for row in found["intervals"][1]]
    assert means["mean"].to_list() == [row["mean"] for row in found["means"][1]]
    assert "aggregate" not in json.dumps(plot_intervals(FRAME).to_dict())


def test_types_are_explicit() -> None:
    """Every channel and tooltip says its type, and all layers share their axes."""
    for layer, _ in layers(plot_intervals(FRAME)).values():
        encoding = layer["encoding"]
        assert ("quantitative", "nominal") == (encoding["x"]["type"], encoding["y"]["type"])
        assert "Tokens written" == encoding["x"]["title"]
        assert all("type" in tip for tip in encoding.get("tooltip", []))


def test_a_mark_can_be_chosen() -> None:
    """The selection is on the means, by condition, and each mean's row holds its runs."""
    chart = plot_intervals(FRAME)
    (param,) = chart.to_dict()["params"]
    _, rows = layers(chart)["means"]

    assert (MARK, ["means"]) == (param["name"], param["views"])
    assert {"type": "point", "fields": ["condition"]} == param["select"]
    assert ["full-1", "full-2", "full-3"] == rows[0]["runs"]
    assert ["full-1-digest", "full-2-digest", "full-3-digest"] == rows[0]["digests"]
    assert MARK in alt.JupyterChart(chart).selections.trait_values()


def test_caption() -> None:
    """The subtitle says n, level, method, resamples, seed, model, caution, and what it is not."""
    told = caption(plot_intervals(FRAME, seed=5, resamples=2000, level=0.9))

    assert "90 % percentile bootstrap intervals of the mean, 2,000 resamples, seed 5" in told
    assert "n = 3, 3, 1 runs" in told
    assert "no_rag: no interval, as the sample has 1 value; an interval needs at least 2." in told
    assert "With n = 3 such an interval is too narrow." in told
    assert "Model: qwen2.5-coder-1.5b." in told
    assert told.endswith("Intervals that overlap are not a test: compare pairs of runs.")
    assert "about 75 times in 100" in caption(plot_intervals(FRAME))
    assert caption(plot_intervals(FRAME)).split() == repr(plot_intervals(FRAME)).split()[1:]


def test_caption_of_many_runs() -> None:
    """Equal n are told once, and there is no caution where none is due."""
    told = caption(plot_intervals(values_of(a=list(range(12)), b=list(range(5, 17)))))

    assert "n = 12 runs each." in told
    assert "With n" not in told
    assert "ring" not in told


def test_refused_conditions_stay() -> None:
    """A condition without an interval has its row, ticks and a ring, and the caption its reason."""
    frame = values_of(equal=[5, 5, 5], one=[6], none=[None, None])
    chart = plot_intervals(frame)
    found = layers(chart)

    domain = found["runs"][0]["encoding"]["y"]["scale"]["domain"]
    assert ["equal\nn = 3", "one\nn = 1", "none\nn = 0"] == domain
    assert [] == found["intervals"][1]
    assert [5, 5, 5, 6] == [row["value"] for row in found["runs"][1]]
    assert ["equal", "one"] == [row["condition"] for row in found["means"][1]]
    told = caption(chart)
    assert "equal: no interval, as all 3 values are equal (5)" in told
    assert "one: no interval, as the sample has 1 value" in told
    assert "none: no interval, as the sample has 0 values" in told
    assert "none: not known of 2 of 2 runs." in told


def test_unfinished_runs_are_told() -> None:
    """A run that is not complete is named in the caption."""
    assert "Interrupted: a-1." in caption(plot_intervals(values_of(a=[1, 2], status="interrupted")))


def test_judges_are_told() -> None:
    """The models that judged stand in the caption, and percentages on their whole axis."""
    frame = values_of("logic_validity_percent", a=[25.0, 50.0]).with_columns(
        judge=pl.lit("smollm2")
    )
    chart = plot_intervals(frame, width="column")

    assert "Judge: smollm2." in caption(chart)
    scale = layers(chart)["means"][0]["encoding"]["x"]["scale"]
    assert [0, 100] == scale["domain"]


def test_no_path_in_the_chart() -> None:
    """A chart holds runs' names and digests, and no place on someone's disk."""
    assert "/a/place" not in plot_intervals(FRAME).to_json()


@pytest.mark.parametrize("width", [*WIDTHS, 360])
def test_widths(width: Any) -> None:
    """The whole picture is as wide as is asked, and the caption is broken to fit."""
    chart = plot_intervals(FRAME, width=width).to_dict()
    pixels = WIDTHS.get(width, width)

    assert pixels == chart["width"]
    assert {"type": "fit-x", "contains": "padding"} == chart["autosize"]
    longest = max(map(len, chart["title"]["subtitle"]))
    assert longest * chart["config"]["title"]["subtitleFontSize"] * 0.46 < pixels


def test_names_of_conditions_are_text() -> None:
    """A condition's name is data: never an expression, and of one line."""
    name = "a'); alert(1) \n<img src=x onerror=alert(1)>"
    chart = plot_intervals(values_of(**{name: [1.0, 2.0]}))
    svg = chart._repr_mimebundle_()["image/svg+xml"]

    assert "<img" not in svg
    assert "a'); alert(1) <img" in layers(chart)["means"][1][0]["label"]


@pytest.mark.parametrize("other", ["a ", "a\n", " a"])
def test_names_that_look_alike_are_refused(other: str) -> None:
    """Names that differ in white space alone would be one row, and are told of."""
    with pytest.raises(ValueError, match=r"would be shown alike: give them names"):
        plot_intervals(values_of(a=[1, 2], **{other: [3, 4]}))

    rows = plot_intervals(values_of(a=[1, 2], **{"a b": [3, 4]})).to_dict()["layer"][0]
    assert 2 == len(rows["encoding"]["y"]["scale"]["domain"])


def test_paper() -> None:
    """On dark paper all colours are the dark ones."""
    light, dark = (plot_intervals(FRAME, paper=paper).to_json() for paper in ("light", "dark"))

    assert not set(re.findall(r"#[0-9a-f]{6}", light)) & set(re.findall(r"#[0-9a-f]{6}", dark))


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("paper", PALETTES)
def test_contrast(paper: str) -> None:
    """Text and marks stand out from their paper by 4.5 to 1."""
    palette = PALETTES[paper]
    for colour in (palette.ink, palette.soft, palette.mark, palette.chosen):
        low, high = sorted((luminance(colour), luminance(palette.paper)))
        assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"width": "poster"}, "the width is 'poster'; it is column, page, slide"),
        ({"width": 20}, "pixels from 200 on"),
        ({"paper": "blue"}, "light or dark"),
        ({"level": 95}, "between 0 and 1"),
    ],
)
def test_refused_options(options: Any, why: str) -> None:
    """An unknown width, paper or level is refused with those that there are."""
    with pytest.raises(ValueError, match=why):
        plot_intervals(FRAME, **options)


def test_one_measure_a_chart() -> None:
    """Two measures do not share an axis."""
    both = pl.concat([FRAME, values_of("words", full=[1, 2])])
    with pytest.raises(ValueError, match="the frame holds tokens_out, words: filter it"):
        plot_intervals(both)
    with pytest.raises(ValueError, match="the frame holds none"):
        plot_intervals(FRAME.clear())


@pytest.mark.parametrize("measure", MEASURES)
def test_recorded_conditions(measure: str) -> None:
    """Six real runs are drawn by every measure, each with an interval or the reason for none."""
    runs = {name: sorted(SAMPLES.glob(f"{name}-*.run.jsonl")) for name in ("full", "no_tom")}
    frame = measure_runs(runs, measure)
    chart = plot_intervals(frame)

    assert ["full-1", "full-2", "full-3", "no_tom-1", "no_tom-2", "no_tom-3"] == frame[
        "run"
    ].to_list()
    assert frame["value"].count() == len(layers(chart)["runs"][1])
    intervals = {row["condition"] for row in layers(chart)["intervals"][1]}
    refused = set(re.findall(r"(full|no_tom): no interval, as", caption(chart)))
    assert {"full", "no_tom"} == intervals | refused
    assert not intervals & refused
