"""What flags take: names of files, numbers, parameters, each refused with what it should be."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.record.events import JSON


def path(text: str) -> Path:
    """Return the name of a file or folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty text names no file")
    return Path(text)


def number(text: str) -> int:
    """Return a whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def seed(text: str) -> int:
    """Return a whole number of at most 63 bits."""
    try:
        made = int(text)
    except ValueError:
        made = 2**63
    if abs(made) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a whole number of at most 63 bits")
    return made


def count(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def amount(text: str) -> float:
    """Return a number of at least 0."""
    try:
        made = float(text)
    except ValueError:
        made = math.nan
    if not 0 <= made < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return made


def param(text: str) -> tuple[str, JSON]:
    """Return a name and its value, which is JSON or else a text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
    except RecursionError:
        raise argparse.ArgumentTypeError(f"{name}: nested too deep") from None
