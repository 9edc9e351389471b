"""The list of runs behind a mean, with a button to open each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from workbench.views.markup import left_out, name, number, plural, safe, style, table
from workbench_widgets.shared.faces import faced
from workbench_widgets.shared.join import css, joined
from workbench_widgets.shared.threads import in_marimo

FACED = 200
"""Runs in the static face."""

_HINT = (
    "To see it: runs = mo.ui.anywidget(x.list), where x is this; and in another cell, once a row "
    'is chosen, mo.ui.anywidget(x.show_run(runs.value["opened"]["digest"])).'
)


class RunList(anywidget.AnyWidget):
    """The runs behind a mean: a table with a button to open each.

    Attributes
    ----------
    title : str
    rows : list of dict
        With the keys ``run``, ``value``, ``of``, ``seed``, ``status`` and ``digest``.
    conditions : list of [str, int]
        All conditions with their numbers of runs; the front end chooses among them.
    chosen : list of str
        The conditions whose runs are listed; empty for all.
    opened : dict or None
        The row of the run that is shown below.
    marks : bool
        Whether a click marks the row alone, for a cell that shows the run: so it is in marimo,
        where only what the front end sets starts a cell, and a callback can make no widget.
    problem : str
        The last error in a callback.
    hint : str
        In marimo, how a run that was marked is shown, where no cell is there to do it.
    """

    _esm = joined("intervals/widget.js") + "\nexport default { render: runList };\n"
    _css = css("intervals")

    title = traitlets.Unicode("").tag(sync=True)
    measure = traitlets.Unicode("").tag(sync=True)
    opened: Any = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    marks = traitlets.Bool(default_value=False).tag(sync=True)
    rows: traitlets.List[Any] = traitlets.List().tag(sync=True)
    conditions: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen: traitlets.List[Any] = traitlets.List().tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    hint = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self, show: Callable[[str], object], choose: Callable[..., object], **traits: Any
    ) -> None:
        super().__init__(**{"marks": in_marimo(), **traits})
        self._show, self._choose = show, choose
        self.on_msg(self._message)
        self.observe(self._marked, names=["opened"])

    def _marked(self, change: object) -> None:
        alone = getattr(self.comm, "ui_element_id", None) is None  # no mo.ui.anywidget has it
        self.hint = _HINT if self.marks and alone else ""

    def _message(self, widget: object, content: Any, buffers: object) -> None:
        try:
            if "choose" in content:
                self._choose(*map(str, content["choose"]))
            else:
                self._show(str(content["open"]))
            self.problem = ""
        except Exception as error:  # shown in the widget: a callback's error is seen nowhere else
            self.problem = f"{type(error).__name__}: {error}"[:2000]

    def __repr__(self) -> str:
        return f"<RunList {self.title!r}: {plural(len(self.rows), 'run')}>"

    def face(self) -> str:
        """Return the static face: the list as a table, with no script."""
        told = any(row["of"] is not None for row in self.rows)
        keys = ["run", "condition", "value", *(["of"] if told else []), "seed", "status"]
        heads = ["Run", "Condition", self.measure, *(["over"] if told else []), "Seed", "Status"]
        rows = "".join(
            f"<tr>{''.join(f'<td>{_cell(key, row[key])}</td>' for key in keys)}</tr>"
            for row in self.rows[:FACED]
        )
        caption = f"{name(self.title, 200)} ({len(self.rows):,})"
        body = table(caption, map(safe, heads), rows)
        cut = left_out(f"{len(self.rows) - FACED:,} runs", "run") if self.rows[FACED:] else ""
        return f'<div class="wb-run mathjax_ignore">{style("style.css")}{body}{cut}</div>'

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        mine = {"text/plain": repr(self), "text/html": self.face()}
        return faced(super()._repr_mimebundle_(**kwargs), mine)


def _cell(key: str, value: Any) -> str:
    if key == "value":
        return number(value)
    return "" if value is None else name(value, 200)
