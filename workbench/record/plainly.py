"""Values of facts, which may be anything, as the plain type that a column or a view takes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic_core import PydanticSerializationError, to_json

from workbench.record.events import JSON


def as_text(value: JSON) -> str:
    """Return a JSON value as JSON."""
    try:
        return to_json(value).decode()
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        return json.dumps(value, default=str)


def text(value: JSON) -> str | None:
    """Return a string as it is, None as None, and anything else as JSON."""
    return value if value is None or isinstance(value, str) else as_text(value)


def words(value: JSON) -> str:
    """Return a value for reading: a text as it is, a list of texts by line, the rest as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def leaves(value: JSON, name: str = "", most: int = 200) -> Iterator[tuple[str, JSON]]:
    """Return the fields of a value, each under its dotted name, as ``roles[2].title``.

    A list of plain values is one field. What is beyond `most` fields comes together as the last.
    """
    waiting = [(name, value)]
    for _ in range(most):
        if not waiting:
            return
        at, item = waiting.pop()
        if isinstance(item, dict) and item:
            waiting += [(f"{at}.{k}" if at else str(k), v) for k, v in reversed(item.items())]
        elif isinstance(item, list | tuple) and any(isinstance(x, dict | list) for x in item):
            waiting += [(f"{at}[{n}]", x) for n, x in reversed(list(enumerate(item, 1)))]
        else:
            yield at, item
    if waiting:
        yield f"{name}: all the rest".strip(": "), dict(reversed(waiting))


def texts(value: JSON) -> list[str]:
    """Return a list of strings; empty where `value` is no list."""
    return [text(v) or "" for v in value] if isinstance(value, list | tuple) else []


def integer(value: JSON) -> int | None:
    """Return a 64-bit integer, or None."""
    return value if type(value) is int and -(2**63) <= value < 2**63 else None


def real(value: JSON) -> float | None:
    """Return a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None
