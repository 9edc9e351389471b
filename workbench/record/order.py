"""Where an event belongs: its turn, its agent and its place among others, read off its path."""

from __future__ import annotations

import re

from workbench.record.events import JSON

_DIGITS = re.compile(r"\d+")
_TURN = re.compile(r"/turn=(\d{1,18})(?:/|$)")


def natural(path: str) -> str:
    """Return a sort key under which ``turn=2`` comes before ``turn=10``.

    A number is preceded by a character whose code is its count of digits, so that longer numbers
    come later and numbers come before letters.
    """
    return _DIGITS.sub(_measured, path)


def _measured(number: re.Match[str]) -> str:
    digits = number[0].lstrip("0") or "0"
    return chr(min(len(digits), 31)) + digits


def turn_of(path: str, data: dict[str, JSON] | None = None) -> int | None:
    """Return the turn that a path lies in, or that a fact's data tells; None for neither."""
    if found := _TURN.search(path):
        return int(found[1])
    turn = data.get("turn") if data else None
    return turn if type(turn) is int and abs(turn) < 2**62 else None


def owner_of(path: str) -> str | None:
    """Return the agent under whose name a path lies.

    It is the first segment without an ``=`` that is not the last one: ``finance_analyst`` for
    ``/turn=1/finance_analyst/search=1``. None where there is no such segment.
    """
    segments = path.strip("/").split("/")[:-1]
    return next((s for s in segments if "=" not in s), None)
