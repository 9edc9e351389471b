"""Read a file of questions as its authors publish it."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from workbench.datasets.item import Item
from workbench.datasets.published import FORMS, Form, Record
from workbench.errors import DatasetError


class _Placed(NamedTuple):
    """A record and the line (or the number in an array) where it stands, from 1."""

    place: int
    record: Record


def read_items(path: str | os.PathLike[str], form: str | None = None) -> tuple[Item, ...]:
    """Read items from a CSV, JSON or JSON Lines file.

    Parameters
    ----------
    path : path
        CSV for TruthfulQA, GPQA and MMLU; else a JSON array, or one JSON object a line.
    form : str, optional
        The format, by its name in `workbench.datasets.published.FORMS`; default: the one whose
        fields the first record has. ``truthfulqa_binary`` and ``halueval_detection`` are another
        reading of a file, and have to be named.

    Returns
    -------
    tuple of Item
        In the order of the file; `Item.source` is the file's name and the line (of an array, the
        number) of the record.

    Raises
    ------
    DatasetError
        If the file cannot be read, is of no known format, holds a record that does not fit it, or
        one question with two gold answers, which could not be scored.

    Warns
    -----
    UserWarning
        If an item stands twice, as a few do in published files: a comparison of pairs would count
        it twice, so the second is left out. No record is left out in silence.
    """
    path = Path(path)
    if form is not None and form not in FORMS:
        raise DatasetError(f"no format {form!r}; there are {', '.join(FORMS)}")
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from None
    records = list(_rows(path, text) if path.suffix.lower() == ".csv" else _objects(path, text))
    if not records:
        raise DatasetError(f"{path}: holds no record")
    chosen = FORMS[form] if form is not None else _recognised(path, records[0].record)
    items = [_item(path, placed, chosen) for placed in records]
    first: dict[str, tuple[int, Item]] = {}
    for item, placed in zip(items, records, strict=True):
        place, same = first.setdefault(item.id, (placed.place, item))
        if place != placed.place:
            if (same.answer, same.accepted) != (item.answer, item.accepted):
                raise DatasetError(
                    f"{path}:{placed.place}: the question of {place} with another gold answer "
                    f"({item.answer!r}, there {same.answer!r}); leave one of them out"
                )
            what = f"{path}:{placed.place}: the same item as in {place}; it is left out"
            warnings.warn(what, stacklevel=2)
    return tuple(item for _, item in first.values())


def _rows(path: Path, text: str) -> Iterator[_Placed]:
    """Go through a CSV file: by the names of its header, or by number where it has none (MMLU)."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)  # a line ends in \n alone
    names: list[str] | None = None
    try:
        for cells in reader:
            if not cells:
                continue
            if names is None:
                if headed := "Question" in cells:
                    names = cells
                    continue
                names = [str(n) for n in range(len(cells))]
            else:
                headed = names[0] != "0"
            if len(cells) != len(names):
                raise DatasetError(
                    f"{path}:{reader.line_num}: {len(cells)} cells, and the "
                    f"{'header' if headed else 'first row'} has {len(names)}"
                )
            yield _Placed(reader.line_num, dict(zip(names, cells, strict=True)))
    except csv.Error as error:
        raise DatasetError(f"{path}:{reader.line_num}: not CSV: {error}") from None


def _objects(path: Path, text: str) -> Iterator[_Placed]:
    """Go through a JSON array, or through lines of one JSON object each."""
    if text.lstrip().startswith("["):
        for number, record in enumerate(_parsed(path, text, None), 1):
            yield _Placed(number, _object(path, record, number))
        return
    for number, line in enumerate(text.split("\n"), 1):  # a line may hold other line separators
        if line.strip():
            yield _Placed(number, _object(path, _parsed(path, line, number), number))


def _parsed(path: Path, text: str, line: int | None) -> Any:
    where = path if line is None else f"{path}:{line}"
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{where}: not JSON: {error}") from None


def _object(path: Path, record: Any, place: int) -> Record:
    if not isinstance(record, dict):
        raise DatasetError(f"{path}:{place}: a JSON object is wanted, not {str(record)[:60]}")
    return record


def _recognised(path: Path, record: Record) -> Form:
    for form in FORMS.values():
        if form.fields <= record.keys() and form.test(record):
            return form
    raise DatasetError(
        f"{path}: no known format has the fields {', '.join(record)[:200]}; "
        f"name one with form= (--format): {', '.join(FORMS)}"
    )


def _item(path: Path, placed: _Placed, form: Form) -> Item:
    where = f"{path}:{placed.place}"
    try:
        return form.make(placed.record, f"{path.name}:{placed.place}")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise DatasetError(f"{where}: {at + ': ' if at else ''}{first['msg']}") from None
    except KeyError as error:
        raise DatasetError(f"{where}: has no {error.args[0]}") from None
    except (TypeError, ValueError) as error:
        raise DatasetError(f"{where}: {error}") from None
