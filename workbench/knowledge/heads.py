"""Heads: what the first lines of a document say about it: version, date, what it supersedes."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_LINES = 20
_FIELDS = {
    "version": r"version|revision|rev\.?|edition",
    "date": r"in force (?:from|since)|effective(?: from| date)?|valid from|date|issued(?: on)?",
    "supersedes": r"supersedes|replaces",
    "superseded_by": r"superseded by|replaced by",
    "applies_to": r"applies to|audience|scope",
    "status": r"status",
    "": r"owner|author|type|approved by",
}
_FIELD = re.compile(
    r"\W*(?:" + "|".join(f"(?P<{name or 'other'}>{words})" for name, words in _FIELDS.items()) +
    r")\W*:\W*(?P<value>\S.*)",
    re.IGNORECASE,
)  # fmt: skip
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH = r"[a-z]{3,9}"
_DATE = re.compile(
    r"(?<![\d-])(?P<y1>\d{4})-(?P<m1>\d\d?)-(?P<d1>\d\d?)(?![\d-])"
    rf"|(?<![\d./-])(?P<d2>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\.?,? "
    r"(?P<y2>\d{4})(?!\d)"
    rf"|\b(?P<m3>{_MONTH})\.? (?P<d3>\d\d?)(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})(?!\d)",
    re.IGNORECASE,
)
"""A day that can be meant in one way: not 01/03/2024, and not March 2024."""


class Head(NamedTuple):
    """What a document says of itself.

    Attributes
    ----------
    version : str
        As written: ``2``, ``2.1``; empty if it says none.
    date : str
        Since when it holds, ISO 8601; empty if it says none that can be read.
    supersedes, superseded_by : tuple of str
        Names of other documents, as written.
    applies_to : str
        To whom or where, as written; empty if it says none.
    status : str
        As written: ``in force``, ``draft``; empty if it says none.
    unread : str
        As written: a date that cannot be read as one day; empty if there is none.
    """

    version: str = ""
    date: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    applies_to: str = ""
    status: str = ""
    unread: str = ""


def head_of(text: str) -> Head:
    r"""Read the head of a document: its first lines, up to the second heading.

    Fields stand one on a line, or several with ``|`` between them; several names in a field with
    ``;`` between them.

    Examples
    --------
    >>> head_of("# Leave\n\nVersion: 2 | In force from: 1 March 2025 | Replaces: leave_v1.md\n")[:3]
    ('2', '2025-03-01', ('leave_v1.md',))
    """
    told: dict[str, str] = {}
    headings = 0
    for line in text.split("\n", _LINES)[:_LINES]:
        headings += line.startswith("#")
        if headings > 1:
            break
        for found in _fields(line):
            if found.lastgroup == "value":
                name = next(n for n in found.groupdict() if n != "value" and found[n])
                told.setdefault(name, found["value"].strip(" \t*_`"))
    since = _iso(told.get("date", ""))
    return Head(
        version=re.sub(r"^v(?=\d)", "", told.get("version", "")),
        date=since,
        supersedes=_names(told.get("supersedes", "")),
        superseded_by=_names(told.get("superseded_by", "")),
        applies_to=told.get("applies_to", ""),
        status=told.get("status", ""),
        unread="" if since else told.get("date", ""),
    )


def is_head_line(line: str) -> bool:
    """Return whether a line is made of such fields alone, and so makes no claim."""
    pieces = [piece for piece in line.split("|") if piece.strip()]
    return bool(pieces) and len(_fields(line)) == len(pieces)


def _fields(line: str) -> list[re.Match[str]]:
    return [found for piece in line.split("|") if (found := _FIELD.fullmatch(piece.strip()))]


def _names(value: str) -> tuple[str, ...]:
    names = (name.strip(" \t*_`\"'") for name in value.split(";"))
    return tuple(name for name in names if name.casefold() not in ("", "-", "none", "nothing"))


def _iso(value: str) -> str:
    found = _DATE.search(value)
    if found is None:
        return ""
    part = {name[0]: text for name, text in found.groupdict().items() if text}
    month = part["m"].lower()
    named = [n for n, one in enumerate(_MONTHS, 1) if month in (one, one[:3], one[:4])]
    number = int(month) if month.isdigit() else named[0] if named else 0
    try:
        return date(int(part["y"]), number, int(part["d"])).isoformat()
    except ValueError:
        return ""
