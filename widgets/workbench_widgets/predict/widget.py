"""Predict and reveal: for class, a guess before each contribution, or each turn, is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import traitlets

from workbench import Run, Session
from workbench.views.markup import name, plural, style
from workbench.views.turns import title_of
from workbench_widgets.predict import payload
from workbench_widgets.predict.items import UNITS, guessing
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.source import Path, Source
from workbench_widgets.shared.widget import RunWidget


class Predict(RunWidget):
    """A run that shows what comes next only to those who wrote down what they expect.

    Guess and run then stand side by side, with what the specialist's own peers had predicted, and
    the audit's verdict on that. It draws the cursor that is shared with other widgets back before
    what is still to be guessed, and never moves it further, so that they do not tell it either.

    Parameters
    ----------
    run : Run, Session or Source
    audit : Run, optional
    unit : {"contribution", "turn"}
        What is guessed. A run without turns is guessed reply by reply.
    cursor : Cursor, optional
        By default the one that all widgets on this run share.

    Attributes
    ----------
    guesses : list of dict
        In the order in which they were made: ``path`` of what was guessed, ``guess`` (None where it
        was skipped), ``at_event``, its index in the run's events, and ``about``, whose words were
        guessed (None for a whole turn). Set it to ``[]`` to begin anew, or to an earlier list to go
        on.

    Raises
    ------
    ValueError
        If there is no such unit.

    Examples
    --------
    >>> import workbench as wb
    >>> from workbench.record.events import RunStarted
    >>> Predict(wb.Run([RunStarted(protocol="toy", params={})])).guesses
    []
    """

    _esm = esm("predict/widget.js", payload.MOUNT)
    _css = css(*payload.STYLES)
    makers = payload.MAKERS

    guesses = traitlets.List(traitlets.Dict()).tag(sync=True)

    takes = frozenset({"presenter", "synced", "unit"})

    def __init__(
        self,
        run: Run | Session | Path | Source,
        *,
        audit: Run | Path | None = None,
        unit: Literal["contribution", "turn"] = "contribution",
        cursor: Cursor | None = None,
        presenter: bool = False,
    ) -> None:
        if unit not in UNITS:
            raise ValueError(f"unit is one of {', '.join(UNITS)}, not {unit!r}")
        self._unit = unit
        super().__init__(
            run, audit=audit, cursor=cursor, unit=unit, presenter=presenter, synced=["guesses"]
        )

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return what there is to guess, group by group."""
        return payload.first(self.source, self._unit)

    def face(self) -> str:
        """Return the run as a table of turns, folded, for a notebook without a kernel."""
        found = guessing(self.source, self._unit)
        many = sum(len(group.items) for group in found.groups)
        noun = "reply" if not found.by_turn else self._unit
        count = plural(many, noun, "replies" if noun == "reply" else None)
        return (
            f'<div class="wb-run mathjax_ignore">{style("style.css")}'
            f"<h3>{name(title_of(self.run), 200)}</h3>"
            f"<p>Predict and reveal: {count} to guess, each before it is shown. This needs a "
            "running notebook, or a hand-out.</p></div>"
            '<details class="wb-predict-whole"><summary>Show the whole run, with all that was to '
            f"be guessed</summary>{super().face()}</details>"
        )
