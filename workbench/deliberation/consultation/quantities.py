"""Numbers with their units, and dates, as a text states them: values that can be compared."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "m": 10**6}
_MONTHS = {
    name: n
    for n, month in enumerate(
        (
            "january february march april may june july august september october november december"
        ).split(),
        1,
    )
    for name in (month, month[:3], "sept" if n == 9 else month)
}

UNITS = {
    "minute": ("minute", 1),
    "min": ("minute", 1),
    "hour": ("minute", 60),
    "hr": ("minute", 60),
    "day": ("day", 1),
    "week": ("day", 7),
    "fortnight": ("day", 14),
    "month": ("month", 1),
    "quarter": ("month", 3),
    "year": ("month", 12),
    "percent": ("%", 1),
    "%": ("%", 1),
    "dollar": ("$", 1),
    "usd": ("$", 1),
    "$": ("$", 1),
    "euro": ("€", 1),
    "eur": ("€", 1),
    "€": ("€", 1),
    "pound": ("£", 1),
    "gbp": ("£", 1),
    "£": ("£", 1),
    "km": ("km", 1),
    "kilometre": ("km", 1),
    "kilometer": ("km", 1),
    "gb": ("gb", 1),
}
"""Units that convert without a doubt. A day is no part of a month, a working day no day."""
CURRENCIES = {"$", "€", "£", "eur", "usd", "gbp"}
WORKING = {"working", "business", "work"}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
DATE = re.compile(
    rf"\b(?P<y1>(?:1[6-9]|2[01])\d\d)-(?P<m1>\d{{1,2}})(?:-(?P<d1>\d{{1,2}}))?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\b\.?"
    rf"(?:,? (?P<y2>(?:1[6-9]|2[01])\d\d)\b)?"
    rf"|\b(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"(?!\s*(?:%|percent|days?|weeks?|hours?))(?:,? (?P<y3>(?:1[6-9]|2[01])\d\d)\b)?"
    rf"|\b(?P<m4>{_MONTH})\b\.? (?P<y4>(?:1[6-9]|2[01])\d\d)\b"
    rf"|\b(?:in|since|until|from|by|of|before|after) (?P<y5>(?:1[6-9]|2[01])\d\d)\b(?!\s*(?:\w+ )?"
    rf"(?:%|percent|days?|weeks?|hours?|dollars?|euros?))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}")
_MONTH_STARTS = tuple(name for name in _MONTHS if len(name) == 3)
_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_TOKEN = re.compile(r"[$€£%]|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+")

_BOUNDS = (
    ("<=", re.compile(r"\b(?:at most|up to|no more than|not more than|within|maximum of|max)$")),
    (">=", re.compile(r"\b(?:at least|no less than|not less than|minimum of|min)$")),
    (">", re.compile(r"\b(?:more than|over|above|longer than)$")),
    ("<", re.compile(r"\b(?:less than|under|below|fewer than)$")),
)


class Quantity(NamedTuple):
    """A number as it is stated: a bound (empty, ``<=``, ``>=``, ``<``, ``>``), unit and value."""

    bound: str
    unit: str
    value: float


class Day(NamedTuple):
    """A date as far as it is stated; None: that part is not."""

    year: int | None
    month: int | None
    day: int | None

    def conflicts(self, other: Day) -> bool:
        """Return whether a part that both state differs."""
        return any(
            a is not None and b is not None and a != b for a, b in zip(self, other, strict=True)
        )


def stated(text: str) -> tuple[frozenset[Quantity], frozenset[Day], str]:
    """Return the quantities and dates in a text, and the text without them.

    Examples
    --------
    >>> stated("Notice is thirty days from 1 March.")[0]
    frozenset({Quantity(bound='', unit='day', value=30.0)})
    """
    days: set[Day] = set()

    def taken(found: re.Match[str]) -> str:
        day = date_of(found)
        if day is None:
            return found[0]
        days.add(day)
        return " . "

    lower = text.lower()
    if may_hold_dates(lower):
        lower = DATE.sub(taken, lower)
    quantities, words = _quantities(lower)
    return frozenset(quantities), frozenset(days), " ".join(words)


def may_hold_dates(lower: str) -> bool:
    """Return whether a text in lower case is worth the search for dates, which is costly."""
    return _YEAR.search(lower) is not None or any(month in lower for month in _MONTH_STARTS)


def undated(text: str) -> str:
    """Return a text without its dates.

    Examples
    --------
    >>> undated("It ends on 1 March 2024, at noon.")
    'It ends on  , at noon.'
    """
    return DATE.sub(" ", text) if may_hold_dates(text.lower()) else text


def date_of(found: re.Match[str]) -> Day | None:
    """Return the date that `DATE` found; None where there is no such day."""
    part = {name[0]: value for name, value in found.groupdict().items() if value}
    month = part.get("m")
    day = Day(
        int(part["y"]) if "y" in part else None,
        None if month is None else _MONTHS.get(month.lower()) or int(month),
        int(part["d"]) if "d" in part else None,
    )
    try:
        date(day.year or 2000, day.month or 1, day.day or 1)
    except ValueError:
        return None
    return day


def _quantities(text: str) -> tuple[list[Quantity], list[str]]:
    """Return the quantities of a lower-case text, and the words that belong to none."""
    tokens = _TOKEN.findall(text.replace("-", " "))
    found: list[Quantity] = []
    words: list[str] = []
    at = 0
    while at < len(tokens):
        value, end = _number(tokens, at)
        if value is None:
            words.append(tokens[at])
            at += 1
            continue
        unit, factor, after = _unit(tokens, end)
        if after == end and words and words[-1] in CURRENCIES:
            unit = UNITS[words.pop()][0]
        bound = _bound(words)
        found.append(Quantity(bound, unit, value * factor))
        at = after
    return found, words


def _number(tokens: list[str], at: int) -> tuple[float | None, int]:
    token = tokens[at]
    value: float
    if _NUMBER.fullmatch(token):
        value, end = float(token.replace(",", "")), at + 1
    elif token in NUMBERS and token != "one":  # "one" is a pronoun more often
        value, end = NUMBERS[token], at + 1
        if value >= 20 and end < len(tokens) and 0 < NUMBERS.get(tokens[end], 0) < 10:
            value, end = value + NUMBERS[tokens[end]], end + 1
    elif token == "one" and at + 1 < len(tokens) and _singular(tokens[at + 1]) in UNITS:
        value, end = 1, at + 1
    else:
        return None, at
    while end < len(tokens) and tokens[end] in SCALES:
        value, end = value * SCALES[tokens[end]], end + 1
    return float(value), end


def _unit(tokens: list[str], end: int) -> tuple[str, int, int]:
    """Return the unit of the number that ends at `end`, its factor, and where the words go on."""
    after = end
    working = ""
    if after < len(tokens) and tokens[after] in WORKING | {"calendar"}:
        working = "working " if tokens[after] in WORKING else ""
        after += 1
    if after < len(tokens) and (known := UNITS.get(_singular(tokens[after]))):
        unit, factor = known
        return working + unit, factor, after + 1
    return "", 1, end


def _singular(word: str) -> str:
    return word if word in UNITS else word.removesuffix("s")


def _bound(words: list[str]) -> str:
    """Return the bound that the last words set, and take them off."""
    before = " ".join(words[-3:])
    for sign, pattern in _BOUNDS:
        if found := pattern.search(before):
            del words[len(words) - len(found[0].split()) :]
            return sign
    return ""
