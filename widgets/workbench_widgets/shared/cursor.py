"""A place in a run that several widgets share."""

from __future__ import annotations

from typing import Any

import traitlets

from workbench.record.visible import visible

ORDERS = ("happened", "path")
"""As it happened (the order of the file), and by path (Lamport time, then path)."""


class Cursor(traitlets.HasTraits):
    """Where one looks in a run.

    Attributes
    ----------
    at : int
        The event looked at: its index in the run's events as they happened, from 0.
    order : {"happened", "path"}
        In which order steps go.
    """

    at = traitlets.Int(0, min=0)
    order = traitlets.Enum(ORDERS, default_value="happened")

    def __repr__(self) -> str:
        return f"Cursor(at={self.at}, order={self.order!r})"


def link(*widgets: Any) -> Cursor:
    """Let widgets move together; returns their cursor, which is the first widget's.

    Widgets that were given the same `Run` or `Session` object are linked from the start.

    Parameters
    ----------
    *widgets
        Of this package; one at least.

    Returns
    -------
    Cursor

    Raises
    ------
    ValueError
        If no widget is given.
    TypeError
        If something else is given.
    """
    if not widgets:
        raise ValueError("link takes at least one widget")
    for widget in widgets:
        if not isinstance(getattr(widget, "cursor", None), Cursor):
            raise TypeError(f"link takes widgets, not {visible(repr(widget))[:80]}")
    cursor: Cursor = widgets[0].cursor
    for widget in widgets[1:]:
        widget.cursor = cursor
    return cursor
