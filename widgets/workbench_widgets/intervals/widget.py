"""Intervals across runs by condition: a chart, the runs behind a mark, and one of them in full."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import ipywidgets
import polars as pl
import traitlets

from workbench import Run
from workbench.figures.interval_chart import MARK, plot_intervals
from workbench.figures.measures import MEASURES
from workbench.figures.runs import Source, measure_runs
from workbench.figures.saving import save_chart
from workbench_widgets.intervals.chart import OfflineChart
from workbench_widgets.intervals.run_list import RunList
from workbench_widgets.shared.arguments import check
from workbench_widgets.shared.faces import faced
from workbench_widgets.shared.join import read
from workbench_widgets.shared.source import opened
from workbench_widgets.shared.threads import in_marimo
from workbench_widgets.stepper.widget import Stepper

_OPTIONS: dict[str, tuple[Any, str]] = {
    "level": (Real, "a share between 0 and 1, such as 0.95"),
    "resamples": (Integral, "a whole number, such as 10000"),
    "seed": (Integral, "a whole number from 0 on"),
    "width": (str | Integral, "column, page, slide or a number of pixels"),
    "paper": (str, "light or dark"),
    "title": (str | None, "words"),
}
"""What `workbench.plot_intervals` takes: of which type, and in words."""


class Intervals(ipywidgets.VBox):
    """Means over runs by condition with bootstrap intervals; a click on a mark lists its runs.

    Parameters
    ----------
    conditions : mapping from name to runs
        As for `workbench.measure_runs`: runs and paths, audits among them.
    measure : str
        What is measured: ``tokens_out``, ``tokens_in``, ``calls``, ``cost_usd``, ``latency_s``,
        ``words`` or ``gate_retries``; of audited runs also ``logic_validity_percent``,
        ``tom_consistency_percent``, ``rag_effectiveness_percent`` or ``tom_cosine``.
    **options
        As for `workbench.plot_intervals`: level, resamples, seed, width, paper, title. Without
        ``paper`` the chart has the colours of the notebook's theme, and what is saved those of
        light paper.

    Attributes
    ----------
    frame : polars.DataFrame
        The values, one row a run.
    figure : altair.LayerChart
        The chart as it is saved and printed.
    chart, list : widgets
        The parts. In marimo, where ``x`` shows both, a click on Open marks the row, and a next cell
        shows its run: with ``runs = mo.ui.anywidget(x.list)`` beside ``x``, there
        ``mo.stop(runs.value["opened"] is None)``, and then
        ``mo.ui.anywidget(x.show_run(runs.value["opened"]["digest"]))``.
    opened : Stepper or None
        On the run that was opened last.

    Raises
    ------
    TypeError, RunFileError
        If there is no run in what was given, or an option is none.
    ValueError
        As `workbench.measure_runs` and `workbench.plot_intervals`.
    """

    _esm = traitlets.Unicode("").tag(sync=True)  # of no use but in marimo

    def __init__(
        self,
        conditions: Mapping[str, Source | Iterable[Source]],
        measure: str,
        **options: Any,
    ) -> None:
        _check(conditions, measure, options)
        given = {name: _opened(runs) for name, runs in conditions.items()}
        self._runs = [run for runs in given.values() for run in runs]
        self.frame: pl.DataFrame = measure_runs(given, measure)
        self.figure = plot_intervals(self.frame, **options)
        self.chart = OfflineChart(self.figure, themed="paper" not in options)
        sizes = self.frame.group_by("condition", maintain_order=True).len().rows()
        self.list = RunList(
            self.show_run,
            self.choose,
            measure=MEASURES[measure].title,
            conditions=[list(size) for size in sizes],
        )
        self.opened: Stepper | None = None
        code = read("intervals/whole.js") if in_marimo() else ""
        super().__init__([self.chart, self.list], _esm=code)
        self.chart.selections.observe(self._chosen, names=[MARK])
        self._list()

    def choose(self, *conditions: str) -> None:
        """List the runs of some conditions, and mark these in the chart; all, if none is named."""
        names = [str(condition) for condition in conditions]
        self._list(*names)
        self.chart.choose(names)

    def _list(self, *names: str) -> None:
        rows = self.frame.filter(pl.col("condition").is_in(names)) if names else self.frame
        with self.list.hold_sync():
            self.list.title = ", ".join(names) or "All runs"
            self.list.chosen, self.list.rows = list(names), _listed(rows)

    def show_run(self, digest: str) -> Stepper:
        """Show a run in the stepper, below the list.

        Raises
        ------
        KeyError
            If no run here has the digest.
        """
        run = next((r for r in self._runs if r.digest == digest), None)
        if run is None:
            raise KeyError(f"no run here has the digest {digest[:12]}")
        audit = next((r for r in self._runs if r.started.subject == digest), None)
        shown, self.opened = self.opened, Stepper(run, audit=audit)
        self.children = (self.chart, self.list, self.opened)
        rows = _listed(self.frame.filter(pl.col("digest") == digest))
        self.list.opened = rows[0] if rows else None  # an audit is in no row
        if shown is not None:
            shown.close()
        return self.opened

    def close(self) -> None:
        """Close the chart, the list and the run that was opened last as well."""
        for child in self.children:
            child.close()
        super().close()

    def save(self, path: str | Path) -> Path:
        """Write the chart as SVG, PDF or PNG, by the name's ending; no browser is needed."""
        return save_chart(self.figure, path)

    def _display_(self) -> Any:
        """Return what marimo shows of it: the chart and the list."""
        return sys.modules["marimo"].ui.anywidget(self)

    def _chosen(self, change: object) -> None:
        self._list(*self.chart.chosen())

    def __repr__(self) -> str:
        told = ", ".join(f"{name} n = {n}" for name, n in self.list.conditions)
        return f"<Intervals of {self.list.measure}: {told}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        mine = {**self.chart.face(), "text/plain": repr(self)}
        return faced(super()._repr_mimebundle_(**kwargs), mine)


def _listed(frame: pl.DataFrame) -> list[dict[str, Any]]:
    shown = ("condition", "run", "value", "of", "seed", "status", "digest")
    texts = pl.col("seed").cast(pl.String())  # a seed may be larger than JavaScript's numbers
    return frame.select(shown).with_columns(texts).to_dicts()


def _check(conditions: object, measure: object, options: Mapping[str, Any]) -> None:
    """Refuse what is no condition, measure or option before a file is read."""
    takes = "the runs by the name of their condition, as {'full': runs}"
    check(isinstance(conditions, Mapping) and len(conditions) > 0, "conditions", conditions, takes)
    check(isinstance(measure, str), "measure", measure, f"one of {', '.join(MEASURES)}")
    for name, given in options.items():
        if name not in _OPTIONS:
            raise TypeError(f"Intervals has no option {name!r}; it has {', '.join(_OPTIONS)}")
        kind, takes = _OPTIONS[name]
        right = isinstance(given, kind) and not isinstance(given, bool)
        check(right and not (name == "seed" and given < 0), name, given, takes)


def _opened(given: Source | Iterable[Source]) -> list[Run]:
    """Open what stands for a condition, each once: an iterator is not read twice."""
    one = isinstance(given, Run | str | os.PathLike) or not isinstance(given, Iterable)
    sources: Iterable[Source] = [given] if one else given  # type: ignore[list-item, assignment]
    return [opened(source, "a condition takes Runs") for source in sources]
