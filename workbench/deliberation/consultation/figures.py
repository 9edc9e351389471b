"""A text as a row of words and figures, in its order: what `wording` compares.

`quantities.stated` tells which values a text has, whatever their order and sign; here a sign, the
half of a day and the place of a figure count, and ``m`` after a number is metres.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.deliberation.consultation.quantities import (
    CURRENCIES,
    DATE,
    NUMBERS,
    SCALES,
    UNITS,
    WORKING,
    Day,
    Quantity,
    date_of,
    may_hold_dates,
)

_UNITS: dict[str, tuple[str, float]] = {
    **{name: unit for name, unit in UNITS.items() if name != "quarter"}, "pence": ("£", 0.01),
    "mm": ("m", 0.001), "cm": ("m", 0.01), "m": ("m", 1.0), "metre": ("m", 1.0),
    "meter": ("m", 1.0), "km": ("m", 1e3), "kilometre": ("m", 1e3), "kilometer": ("m", 1e3),
}  # fmt: skip
"""Three quarters may be nine months, or a share."""
KINDS = {
    "minute": "time", "day": "time", "month": "time", "working day": "time", "clock": "time",
    "%": "share", "$": "money", "€": "money", "£": "money", "m": "length", "gb": "data",
}  # fmt: skip
"""What a unit measures: two of one kind may answer one question."""

_PART = re.compile(
    r"(?P<word>[^\W\d_]+|'s\b|[$€£%<>\u2264\u2265=\u00b1+~]|(?<=\d)[-\u2013/:](?=\d)|:(?= ))"
    r"|(?P<clock>(?<![\d.])\d{1,2}(?:[:.]\d\d)? ?[ap](?:\.m\.|m\b)|(?<![\d:])\d{1,2}:\d\d(?![\d:]))"
    r"|(?P<ordinal>\d+(?:st|nd|rd|th)\b)"
    r"|(?P<number>(?:(?<![\w.)])[-\u2212\u2013](?=\d))?\d+(?:,\d{3})+(?:\.\d+)?"
    r"|(?:(?<![\w.)])[-\u2212\u2013](?=\d))?\d+(?:\.\d+)?)"
)
SHORT = (("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"))
_CLOCK = re.compile(r"(\d+)(?:[:.](\d\d))? ?([ap])?")
_BOUNDS = {
    "at most": "<=", "up to": "<=", "no more than": "<=", "not more than": "<=",
    "maximum of": "<=", "max": "<=", "\u2264": "<=", "at least": ">=", "no less than": ">=",
    "not less than": ">=", "minimum of": ">=", "min": ">=", "\u2265": ">=", "more than": ">",
    "over": ">", "above": ">", "longer than": ">", ">": ">", "less than": "<", "under": "<",
    "below": "<", "fewer than": "<", "<": "<",
}  # fmt: skip

_BOUND_ENDS = frozenset(bound.split()[-1] for bound in _BOUNDS)


class Figure(NamedTuple):
    """A quantity or a date at its place; `name`: it names the word before it (room 12)."""

    value: Quantity | Day
    name: bool = False


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def row(text: str) -> list[str | Figure]:
    """Return the words of a text in lower case, and its figures, in order.

    Examples
    --------
    >>> row("Room 12 is kept at -5 degrees")  # doctest: +NORMALIZE_WHITESPACE
    ['room', Figure(value=Quantity(bound='', unit='', value=12.0), name=True), 'is', 'kept', 'at',
     Figure(value=Quantity(bound='', unit='', value=-5.0), name=True), 'degrees']
    """
    lower = text.lower().replace("\u2019", "'")
    for short, whole in SHORT:
        lower = lower.replace(short, whole)
    made: list[str | Figure] = []
    for tokens in _stretches(lower):
        if isinstance(tokens, Day):
            made.append(Figure(tokens))
        else:
            _read(tokens, lower, made)
    return made


def figures(text: str) -> frozenset[object]:
    """Return the values in a text, without their bounds: units with values, and dates."""
    return frozenset(
        one.value if isinstance(one.value, Day) else one.value[1:]
        for one in row(text)
        if isinstance(one, Figure)
    )


def _stretches(text: str) -> Iterator[list[_Token] | Day]:
    """Yield the tokens between dates, and the dates."""
    at = 0
    if may_hold_dates(text):
        for found in DATE.finditer(text):
            day = date_of(found)
            if day is not None:
                # The word that made a year of a number stays a word: in 2019 is not since 2019.
                lead = re.match(r"(?:in|since|until|from|by|of|before|after) ", found[0])
                yield _tokens(text, at, found.start() + (lead.end() if lead else 0))
                yield day
                at = found.end()
    yield _tokens(text, at, len(text))


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    return [
        _Token(found.lastgroup or "", found[0], found.start(), found.end())
        for found in _PART.finditer(text, start, end)
    ]


def _read(tokens: list[_Token], text: str, made: list[str | Figure]) -> None:
    at, first = 0, len(made)
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "clock":
            made.append(Figure(Quantity("", "clock", _minutes(token.text))))
            at += 1
            continue
        is_word = token.kind == "word" and token.text not in NUMBERS
        value, end = (None, at) if is_word else _number(tokens, at)
        if value is None:
            made.append(token.text)
            at += 1
            continue
        last = tokens[at - 1] if at else None
        joint = text[last.end : token.start] if last is not None else "."
        unit, factor, after = _unit(tokens, end)
        before = made[-1] if len(made) > first else None
        if not unit and before in CURRENCIES:
            unit = UNITS[str(made.pop())][0]
        elif unit == "m" and tokens[after - 1].text == "m":
            unit, factor, after = _metres_or_millions(tokens, after, before, factor)
            if unit != "m" and before in CURRENCIES:
                made.pop()
        bound = _bound(made, first)
        is_name = (
            not unit
            and not bound
            and last is not None
            and last.kind == "word"
            and last.text.isalpha()
            and joint in ("", " ", "-")
        )
        made.append(Figure(Quantity(bound, unit, round(value * factor, 9)), is_name))
        at = after


def _number(tokens: list[_Token], at: int) -> tuple[float | None, int]:
    token = tokens[at]
    value: float
    if token.kind == "number":
        plain = token.text.replace(",", "").replace("\u2212", "-").replace("\u2013", "-")
        value, end = float(plain), at + 1
    elif token.kind != "word":
        return None, at
    elif token.text in NUMBERS and token.text != "one":  # "one" is a pronoun more often
        value, end = NUMBERS[token.text], at + 1
        if value >= 20 and end < len(tokens) and 0 < NUMBERS.get(tokens[end].text, 0) < 10:
            value, end = value + NUMBERS[tokens[end].text], end + 1
    elif token.text == "one" and at + 1 < len(tokens) and _unit(tokens, at + 1)[0]:
        value, end = 1, at + 1
    else:
        return None, at
    while end < len(tokens) and tokens[end].text != "m" and tokens[end].text in SCALES:
        value, end = value * SCALES[tokens[end].text], end + 1
    return float(value), end


def _unit(tokens: list[_Token], end: int) -> tuple[str, float, int]:
    """Return the unit of the number that ends at `end`, its factor, and where the words go on."""
    after, working = end, ""
    if after < len(tokens) and tokens[after].text in WORKING | {"calendar"}:
        working = "working " if tokens[after].text in WORKING else ""
        after += 1
    if after < len(tokens):
        name = _singular(tokens[after].text)
        if known := _UNITS.get(name):
            return working + known[0], known[1], after + 1
    return "", 1, end


def _metres_or_millions(
    tokens: list[_Token], after: int, before: str | Figure | None, factor: float
) -> tuple[str, float, int]:
    """Return the unit of a number before ``m``: millions of a currency, where one is next to it."""
    if isinstance(before, str) and before in CURRENCIES:
        return UNITS[before][0], 1e6, after
    if after < len(tokens):
        unit, _ = _UNITS.get(_singular(tokens[after].text), ("", 1))
        if KINDS.get(unit) == "money":
            return unit, 1e6, after + 1
    return "m", factor, after


def _singular(word: str) -> str:
    return word if word in _UNITS else word.removesuffix("s")


def _bound(made: list[str | Figure], first: int) -> str:
    """Return the bound that the last words set, and take them off."""
    if len(made) == first or made[-1] not in _BOUND_ENDS:
        return ""
    for length in (3, 2, 1):
        last = made[max(first, len(made) - length) :]
        words = [one for one in last if isinstance(one, str)]
        if len(words) == length and (sign := _BOUNDS.get(" ".join(words))):
            del made[len(made) - length :]
            return sign
    return ""


def _minutes(text: str) -> float:
    found = _CLOCK.match(text)
    assert found is not None
    hours = int(found[1])
    if found[3]:
        hours = hours % 12 + (12 if found[3] == "p" else 0)
    return float(60 * hours + int(found[2] or 0))
