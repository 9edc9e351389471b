"""Older run files, one step at a time: `STEPS[n]` turns a line of format n into one of n + 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Line = dict[str, Any]

STEPS: dict[int, Callable[[Line], Line]] = {}
"""No step yet: a line of format 1 reads as it is, and `codec` still reads what was other in it,
long texts on lines of their own. A step may rename fields; it never drops an event."""


def upcast(line: Line, version: int) -> Line:
    """Return `line`, written in format `version`, in the current format."""
    while version in STEPS:
        line = STEPS[version](line)
        version += 1
    return line
