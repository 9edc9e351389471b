"""Values of facts, which may be anything, as the plain type that a column or a view takes."""

from __future__ import annotations

import json

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
