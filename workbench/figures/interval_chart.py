"""Means with their intervals as a chart: a row a condition, a tick a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from workbench.errors import MissingExtra
from workbench.figures.caption import interval_caption, wrapped
from workbench.figures.intervals import mean_intervals, one_measure
from workbench.figures.measures import MEASURES
from workbench.figures.style import PALETTES, Palette, Paper, Width, config, width_px
from workbench.record.visible import visible
from workbench.stats.bootstrap import told

if TYPE_CHECKING:
    import altair as alt

_TOLD = 12
"""Runs that a tooltip names."""

MARK = "mark"
"""The name of the chart's selection: a click on a mean chooses its condition."""


def plot_intervals(
    frame: pl.DataFrame,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    width: Width | int = "page",
    paper: Paper = "light",
    title: str | None = None,
) -> alt.LayerChart:
    """Plot each condition's mean over runs with its bootstrap interval, and the runs themselves.

    A condition whose interval is refused (one run, equal values, nothing judged) keeps its row,
    with its runs and a ring at their mean; the caption says why. The subtitle is the caption: n,
    method, resamples, seed and models.

    Parameters
    ----------
    frame : DataFrame
        From `measure_runs`, with one measure.
    level, resamples, seed
        As in `workbench.stats.bootstrap.bootstrap_mean`.
    width : {"column", "page", "slide"} or int
        Of the whole picture: a column of a two-column page (90 mm in print), a page's text block
        (180 mm), a slide, or a number of pixels.
    paper : {"light", "dark"}
    title : str, optional
        By default the measure's title.

    Returns
    -------
    altair.LayerChart
        With the point selection `MARK` on the field ``condition``; the rows of its means hold the
        labels and digests of their runs as ``runs`` and ``digests``. In a notebook without a kernel
        it shows itself as an SVG.

    Raises
    ------
    ValueError
        If the frame does not hold one measure, two conditions have names that look alike, the width
        or paper is unknown, or the level or the number of resamples makes no interval.
    MissingExtra
        If altair is not installed.
    """
    try:
        import altair as alt

        from workbench.figures.still import StillChart
    except ImportError:
        raise MissingExtra("charts need altair: pip install 'mas-workbench[lab]'") from None
    if paper not in PALETTES:
        raise ValueError(f"the paper is {paper!r}; it is {' or '.join(PALETTES)}")
    palette, (wide, size) = PALETTES[paper], width_px(width)
    measure = one_measure(frame)
    means = mean_intervals(frame, level=level, resamples=resamples, seed=seed)
    _names_apart(means["condition"])
    caption = visible(interval_caption(frame, means))
    what = MEASURES[measure].title if measure in MEASURES else measure
    rows = [_row(row) for row in means.to_dicts()]
    labels = {row["condition"]: row["label"] for row in rows}
    runs = [{**row, "label": labels[row["condition"]]} for row in _run_rows(frame)]
    across = alt.Axis(tickCount=max(3, wide // 90), labelFlush=False)
    scale = alt.Scale(zero=False, padding=size)
    if measure.endswith("_percent"):
        across.values = [0, 50, 100] if wide < 500 else [0, 25, 50, 75, 100]
        scale.domain, scale.nice = [0, 100], False
    axis = alt.Axis(
        labelExpr=r"split(datum.label, '\n')",
        labelLimit=wide // 3,
        labelColor=palette.ink,
        domain=False,
        ticks=False,
        labelPadding=size,
    )
    every = alt.Scale(domain=list(labels.values()))  # also a condition with nothing to draw
    y = alt.Y("label:N", sort=None, title=None, axis=axis, scale=every)
    layers = [
        _ticks(runs, palette, size),
        _bars([row for row in rows if row["lo"] is not None], palette, size),
        _dots([row for row in rows if row["mean"] is not None], palette, size),
    ]
    return StillChart(
        layer=[
            layer.encode(y=y, x=alt.X(f"{at}:Q", title=what, scale=scale, axis=across))
            for layer, at in zip(layers, ("value", "lo", "mean"), strict=True)
        ],
        width=wide,
        height=alt.Step(size * 4.6),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding=size,
        title=alt.TitleParams(
            wrapped(
                visible(title or f"{what}, by condition"), wide - 2 * size, size + 3, bold=True
            ),
            subtitle=wrapped(caption, wide - 2 * size, size),
        ),
        config=config(palette, size),
        description=caption,
    )


def _ticks(runs: list[dict[str, Any]], palette: Palette, size: int) -> alt.Chart:
    """Return the runs' values, below the line of their mean."""
    import altair as alt

    tips = [_tip(name, kind) for name, kind in _RUN_TIPS.items() if runs and name in runs[0]]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=runs), name="runs")
        .mark_tick(color=palette.soft, height=size, thickness=size / 7, yOffset=size)
        .encode(tooltip=tips)
    )
    return chart


def _bars(rows: list[dict[str, Any]], palette: Palette, size: int) -> alt.Chart:
    """Return the intervals, from numbers made before."""
    import altair as alt

    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), name="intervals")
        .mark_rule(color=palette.mark, strokeWidth=size / 4, yOffset=-size / 4, y2Offset=-size / 4)
        .encode(x2="hi:Q")
    )
    return chart


def _dots(rows: list[dict[str, Any]], palette: Palette, size: int) -> alt.Chart:
    """Return the means: a dot with an interval, a ring without, in another colour when chosen."""
    import altair as alt

    chosen = alt.selection_point(name=MARK, fields=["condition"], empty=False)
    paint, accent, paper = (
        alt.value(colour) for colour in (palette.mark, palette.chosen, palette.paper)
    )
    ring = alt.when("!isValid(datum.lo)").then(paper)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), name="means")
        .mark_point(
            size=size**2, strokeWidth=size / 6, opacity=1, cursor="pointer", yOffset=-size / 4
        )
        .encode(
            stroke=alt.when(chosen).then(accent).otherwise(paint),
            fill=ring.when(chosen).then(accent).otherwise(paint),
            tooltip=[_tip(name, kind) for name, kind in _MEAN_TIPS.items()],
        )
        .add_params(chosen)
    )
    return chart


_MEAN_TIPS = {"condition": "", "mean": "Q", "interval": "", "n": "Q", "labels": ""}
_RUN_TIPS = {"run": "", "condition": "", "value": "Q", "of": "Q", "seed": "Q", "status": ""}


def _tip(name: str, kind: str) -> alt.Tooltip:
    import altair as alt

    if kind == "Q":
        return alt.Tooltip(name, type="quantitative", format=",.6~r")
    return alt.Tooltip(name, type="nominal", title="runs" if name == "labels" else name)


def _run_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return what the ticks tell of the runs that have a value."""
    there = [name for name in (*_RUN_TIPS, "digest") if name in frame.columns]
    return frame.select(there).filter(pl.col("value").is_not_null()).to_dicts()


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a mean's mark holds: its name on the axis is of two lines, the second for n."""
    runs = row["runs"]
    more = f", and {len(runs) - _TOLD} more" if len(runs) > _TOLD else ""
    interval = f"none, as {row['refused']}"
    if row["lo"] is not None:
        lo, hi = told(row["mean"], row["lo"], row["hi"])[1:]
        interval = f"{lo} to {hi}, {100 * row['level']:g} %"
    return {
        **row,
        "label": f"{_shown(row['condition'])}\nn = {row['n']}",
        "interval": interval,
        "labels": ", ".join(runs[:_TOLD]) + more,
    }


def _shown(condition: object) -> str:
    """Return a condition's name as the chart shows it, on one line."""
    return visible(" ".join(str(condition).split()))


def _names_apart(conditions: Iterable[object]) -> None:
    """Refuse two conditions that are shown alike: they would be drawn as one row."""
    shown: dict[str, object] = {}
    for condition in conditions:
        other = shown.setdefault(_shown(condition), condition)
        if other is not condition:
            raise ValueError(
                f"the conditions {other!r} and {condition!r} would be shown alike: give them names "
                "that differ in more than white space"
            )
