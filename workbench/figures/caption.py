"""What is told with a chart of intervals: how they were made, of how many runs, of which models."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import polars as pl

NOT_A_TEST = "Intervals that overlap are not a test: compare pairs of runs."

_JOINED = "\u00a0=\u00a0"
"""What is not broken: the n and its number."""


def interval_caption(values: pl.DataFrame, means: pl.DataFrame) -> str:
    """Return the caption of a chart of intervals, a sentence or two a line.

    Parameters
    ----------
    values : DataFrame
        The runs' values, as `measure_runs` gives them; of one measure.
    means : DataFrame
        Their `mean_intervals`.
    """
    rows = means.to_dicts()
    lines = [f"{_marks(rows)} {_n(rows)}"]
    lines += [
        f"{row['condition']}: no interval, as {row['refused']}." for row in rows if row["refused"]
    ]
    cautions = dict.fromkeys(row["caution"] for row in rows if row["caution"])
    if cautions:
        lines.append(" ".join(map(_sentence, cautions)))
    lines += [
        f"{row['condition']}: not known of {row['unknown']} of {row['unknown'] + row['n']} runs."
        for row in rows
        if row["unknown"]
    ]
    if "status" in values.columns:
        for status, of in values.group_by("status", maintain_order=True):
            if status[0] not in {"complete", None}:
                lines.append(f"{_sentence(str(status[0]))[:-1]}: {', '.join(of['run'])}.")
    lines.append(" ".join([*_models(values), NOT_A_TEST]))
    return "\n".join(lines)


def wrapped(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break lines of text at a width in pixels, for letters of a size in pixels.

    It reckons with the widest of the fonts that a browser may fall back to: a line that is too
    long is cut off at the picture's edge.
    """
    wide = width / (size * (1.12 if bold else 1))
    lines: list[str] = []
    for line in text.splitlines():
        broken = ""
        for word in re.sub(r"\s+", " ", line.strip()).replace(" = ", _JOINED).split(" "):
            longer = f"{broken} {word}" if broken else word
            if _ems(longer) <= wide:
                broken = longer
                continue
            lines += [broken] if broken else []
            *whole, broken = _pieces(word, wide)
            lines += whole
        lines.append(broken)
    return [line.replace(_JOINED, " = ") for line in lines]


def _pieces(word: str, wide: float) -> list[str]:
    """Cut a word that is longer than a line."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and _ems(pieces[-1] + letter) > wide:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _ems(text: str) -> float:
    """Return no less than the width of a text in DejaVu Sans, in units of its size."""
    return sum(
        1.0
        if letter in "mwMW%@" or unicodedata.east_asian_width(letter) in "WF"
        else 0.35
        if letter in " \u00a0ijlI.,:;'!|"
        else 0.42
        if letter in "ftr()[]-"
        else 0.8
        if letter.isupper()
        else 0.64
        for letter in text
    )


def _marks(rows: list[dict[str, Any]]) -> str:
    made = next((row for row in rows if not row["refused"]), None)
    if made is None:
        return "Ticks: runs; rings: their means."
    how = f"{100 * made['level']:g} % {made['method'].replace('bootstrap', 'bootstrap intervals')}"
    rings = "; rings: means without one" if any(row["refused"] for row in rows) else ""
    return (
        f"Dots: means; bars: {how}, {made['resamples']:,} resamples, seed {made['seed']}{rings}; "
        "ticks: runs."
    )


def _n(rows: list[dict[str, Any]]) -> str:
    counts = [row["n"] for row in rows]
    if len(set(counts)) == 1:
        return f"n = {counts[0]} run{'s' * (counts[0] != 1)}{' each' * (len(counts) > 1)}."
    return f"n = {', '.join(map(str, counts))} runs."


def _models(values: pl.DataFrame) -> Iterable[str]:
    for column, title in (("model", "Model"), ("judge", "Judge")):
        if column in values.columns:
            names = sorted(values[column].drop_nulls().unique())
            if names := [name for name in names if name]:
                yield f"{title}: {', '.join(names)}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
