"""A table of texts, for a terminal and for a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any

import polars as pl


class Table(ABC):
    """What shows itself as a table of texts with notes below it."""

    @abstractmethod
    def rows(self) -> list[list[str]]:
        """Return the table, its head first."""

    @property
    @abstractmethod
    def notes(self) -> list[str]:
        """What has to be told with the table."""

    def __str__(self) -> str:
        return "\n".join([text(self.rows()), *self.notes])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": html(self.rows(), self.notes)}


def over_all(values: pl.Series) -> Any:
    """Return the mean, or None where a value is unknown: the mean of the rest is another's."""
    return None if values.null_count() else values.mean()


def share(value: float | None) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> share(0.625), share(None)
    ('62.5 %', 'none')
    """
    return "none" if value is None else f"{100 * value:.1f} %"


def points(value: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign.

    Examples
    --------
    >>> points(-0.125), points(0.0), points(None)
    ('-12.5', '+0.0', 'none')
    """
    return "none" if value is None else f"{100 * value:+.1f}"


def amount(value: float | None) -> str:
    """Return a number of tokens or seconds.

    Examples
    --------
    >>> amount(12345.6), amount(9.87), amount(None)
    ('12,346', '9.9', 'unknown')
    """
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"


def text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns: the first to the left, the others to the right."""
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    )


def html(rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Return rows, the head first, as an HTML table without style sheet or script."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        f"<tr><th scope='row' style='text-align:left'>{escape(row[0])}</th>"
        + "".join(f"<td style='text-align:right'>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows[1:]
    )
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{said}"
