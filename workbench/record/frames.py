"""Rows to polars frames of a written schema, with each column made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from workbench.record.plainly import integer, real
from workbench.record.rows import Rows
from workbench.record.schema import SCHEMAS, Schema


def frame(name: str, rows: Rows) -> pl.DataFrame:
    """Return the table called `name`."""
    schema = SCHEMAS[name]
    if name == "reads":
        columns = _read_columns(rows)
    else:
        found = rows.tables[name]
        given = list(zip(*found, strict=True)) if found else [()] * (len(schema) - 1)
        columns = dict(zip([c for c in schema if c != "run"], given, strict=True))
    labels = _spread(rows.labels, rows.lengths(name))
    made = [labels, *(series(c, columns[c], d) for c, d in schema.items() if c != "run")]
    return pl.DataFrame(made)


def _read_columns(rows: Rows) -> dict[str, Sequence[Any] | pl.Series]:
    """Return the columns of ``reads``; what is the ask's is copied from ``asks`` in one go."""
    asks = rows.tables["asks"]
    taken: dict[str, Sequence[Any] | pl.Series] = {}
    schema: Schema = SCHEMAS["asks"]
    for place, name in enumerate(("path", "turn", "role")):
        taken[name] = series(name, [ask[place] for ask in asks], schema[name]).gather(rows.ask)
    kinds = list(dict.fromkeys(rows.kind))
    code = {kind: number for number, kind in enumerate(kinds)}
    taken["kind"] = pl.Series("kind", kinds, pl.String()).gather([code[k] for k in rows.kind])
    return taken | {"source": rows.source, "part": rows.part, "chars": rows.chars}


def _spread(labels: Sequence[str], lengths: Sequence[int]) -> pl.Series:
    """Return each run's label as often as it has rows."""
    parts = [
        series("run", [label], pl.String()).new_from_index(0, length)
        for label, length in zip(labels, lengths, strict=True)
    ]
    return pl.concat(parts) if parts else pl.Series("run", [], pl.String())


def series(title: str, values: Sequence[Any] | pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return a column; a value that does not fit its dtype becomes null.

    A field of another type, a number beyond 64 bits and half a surrogate pair are rare, so only a
    column that has one pays for the look at each value.
    """
    if isinstance(values, pl.Series):
        return values
    try:
        return _series(title, values, dtype)
    except (TypeError, OverflowError, UnicodeEncodeError, pl.exceptions.PolarsError):
        return _series(title, [_fitting(v, dtype) for v in values], dtype)


def _series(title: str, values: Sequence[Any], dtype: pl.DataType) -> pl.Series:
    if isinstance(dtype, pl.List):
        return _lists(title, values)
    return pl.Series(title, values, dtype=dtype)


def _lists(title: str, values: Sequence[Sequence[str]]) -> pl.Series:
    """Return a column of lists of strings, made flat: polars takes 10 times as long row by row."""
    index = [row for row, items in enumerate(values) for _ in items]
    flat = [item for items in values for item in items]
    full = (
        pl.DataFrame([pl.Series("row", index, pl.Int64()), pl.Series(title, flat, pl.String())])
        .group_by("row", maintain_order=True)
        .agg(title)
    )
    every = pl.DataFrame([pl.Series("row", range(len(values)), pl.Int64())])
    joined = every.join(full, on="row", how="left", maintain_order="left")
    none = pl.lit([], dtype=pl.List(pl.String()))
    return joined.select(pl.coalesce(pl.col(title), none).alias(title)).to_series()


def _fitting(value: Any, dtype: pl.DataType) -> Any:
    if isinstance(dtype, pl.String):
        return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else None
    if isinstance(dtype, pl.List):
        return [_fitting(v, pl.String()) for v in value]
    if isinstance(dtype, pl.Int64):
        return integer(value)
    return real(value) if isinstance(dtype, pl.Float64) else value
