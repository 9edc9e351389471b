"""What may go into a run: JSON and text that a file can hold and a reader gets back equal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from workbench.errors import BadCommand
from workbench.record.facts import Fact

DEEPEST = 64
"""Levels of nesting; pydantic's parser reads 200, and a line of a run file adds some of its own."""

_LARGEST_BITS = 4096


def as_json(value: object, where: str) -> Any:
    """Return `value` as plain JSON, as a reader of the file will see it.

    Raises
    ------
    BadCommand
        If it holds something that is not JSON (NaN, infinities and lone surrogates included), that
        is not the same each time it is looked at (sets, generators), or a key that is no text.
        Fields of a pydantic type may have other keys: read by that type, they are what they were.
    """
    try:
        plain = _check(value, where, 0)
        made = to_jsonable_python(value.data() if isinstance(value, Fact) else value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadCommand(f"{where}: not JSON: {error}") from None
    if not plain:
        _check(made, where, 0)  # an author's own type may become anything
    return made


def check_json(value: object, where: str) -> None:
    """Refuse what `as_json` refuses, of a value that came from a JSON parser.

    Raises
    ------
    BadCommand
    """
    _check(value, where, 0)


def as_text(value: object, where: str) -> str:
    """Return `value` if it is a text that a file can hold.

    Raises
    ------
    BadCommand
        If it is no text, or holds a lone surrogate.
    """
    if not isinstance(value, str):
        raise BadCommand(f"{where}: {value!r} is no text but a {type(value).__name__}")
    if not value.isascii():
        _check_encodable(value, where)
    return value


def told(error: BaseException) -> str:
    """Return an error's message as text that a file can hold."""
    try:
        return str(error).encode(errors="replace").decode()
    except Exception:  # an author's own __str__
        return "(its message could not be made)"


def _check_encodable(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadCommand(
            f"{where}: half of a surrogate pair (U+{ord(text[error.start]):04X}) at character "
            f"{error.start}; it has no form in a file. Use text.encode(errors='replace').decode()"
        ) from None


def _check_scalar(value: str | float | None, where: str) -> None:
    if isinstance(value, str):
        if not value.isascii():
            _check_encodable(value, where)
    elif isinstance(value, float):
        if not isfinite(value):
            raise BadCommand(f"{where}: not JSON: NaN and infinities have no JSON form")
    elif value is not None and value.bit_length() > _LARGEST_BITS:
        raise BadCommand(f"{where}: an integer of more than {_LARGEST_BITS} bits")


def _check_keys(value: Mapping[Any, object], where: str, *, typed: bool) -> None:
    for name in value:
        if not isinstance(name, str) and not typed:
            raise BadCommand(
                f"{where}: not JSON: the key {name!r} is a {type(name).__name__}; "
                "keys are texts, so give str(key)"
            )
    if typed and len({str(name) for name in value}) < len(value):
        raise BadCommand(f"{where}: not JSON: two keys of an object are one as text")


def _check(value: object, where: str, depth: int, *, typed: bool = False) -> bool:
    """Refuse what `to_jsonable_python` would turn into something else than it was.

    Returns whether all of it is of Python's own types, which become what they are.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or kind is float or value is None:
        _check_scalar(value, where)  # type: ignore[arg-type]  # mypy does not narrow by `is`
        return True
    if kind is dict or kind is list or kind is tuple:
        if depth == DEEPEST:
            raise BadCommand(f"{where}: nested more than {DEEPEST} deep (does it hold itself?)")
        items: Iterable[object] = value  # type: ignore[assignment]
        plain = True
        if kind is dict:
            _check_keys(value, where, typed=typed)  # type: ignore[arg-type]
            for name in items:
                if type(name) is not str or not name.isascii():  # most are: a call would cost more
                    plain &= _check(name, where, depth + 1)
            items = value.values()  # type: ignore[attr-defined]
        for item in items:
            if type(item) is not str or not item.isascii():
                plain &= _check(item, where, depth + 1, typed=typed)
        return plain
    _check_other(value, where, depth, typed=typed)
    return False


def _check_other(value: object, where: str, depth: int, *, typed: bool) -> None:
    """Refuse the same of what is of an author's or another library's type."""
    if isinstance(value, str | int | float):
        _check_scalar(value, where)
    elif isinstance(value, AbstractSet | Iterator):
        raise BadCommand(
            f"{where}: not JSON: a {type(value).__name__} is not the same each time; give a list"
        )
    elif isinstance(value, Mapping):
        _check({**value}, where, depth, typed=typed)
    elif isinstance(value, list | tuple | deque):
        _check([*value], where, depth, typed=typed)
    elif isinstance(value, BaseModel):
        _check({**value.__dict__, **(value.model_extra or {})}, where, depth, typed=True)
    elif is_dataclass(value):
        _check({f.name: getattr(value, f.name) for f in fields(value)}, where, depth, typed=typed)
