"""Which open answers are one answer, and which claims one claim: by form, never by a guess."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|[^\w\s]")
_VALUED = frozenset("%‰°*/^-#")
"""Signs that change a value, besides those of currency and mathematics."""
_RAISED = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_HYPHEN = re.compile("[\u2010\u2011]")
_MINUS = re.compile(r"(?<![\w.)\]])[\u2012-\u2014\u2212](?=[$€£]?\.?\d)")
"""A dash that is no dash: nothing stands before it, and a number behind."""
_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
_MEASURED = re.compile(r"([^'\"\u2018-\u201d]*\d)\s?(?:(''|[\"\u2033\u201d])|['\u2032\u2019])")
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_AMOUNT = re.compile(
    r"(?P<sign>[-\u2212+] )?(?:(?P<before>[$€£]) )?(?P<inner>[-\u2212+] )?"
    rf"(?P<value>{_PLAIN.pattern})"
    r"(?: (?P<unit>[%‰°$€£]|[^\W\d_]+))?"
)
_UNITS = {
    "dollar": "$", "dollars": "$", "usd": "$", "euro": "€", "euros": "€", "eur": "€",
    "pound": "£", "pounds": "£", "gbp": "£", "percent": "%", "feet": "foot", "halves": "half",
    "lbs": "lb", "hrs": "hr",
}  # fmt: skip
_PLURAL = re.compile(r"(?<=\w\w\w)(?:(?<=ch)es|(?<=sh)es|(?<=x)es|(?<!s)s)\Z")
_NO_UNITS = frozenset(
    "hundred thousand million mil billion bil trillion dozen lakh crore half third quarter squared "
    "cubed".split()
)
"""Words behind a number that make another number of it, besides fractions such as eighths."""
_FRACTION = re.compile(r"(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|teen|tie)th\Z")
_SHORT_UNITS = frozenset("kg mg km cm mm ml dl lb oz ft yd mi hr gb mb kb kw".split())
"""Of one or two letters; all others may be a variable, a constant, an ordinal or a scale."""


def folded(text: str) -> str:
    """Return a text without case and compatibility forms, with numbers in one spelling.

    Raised figures stay powers, and a minus stays one, whatever dash it is printed as.

    Examples
    --------
    >>> folded("\uff32oom \u2460, 10\u00b2 m, \u2013.5")
    'room 1, 10^2 m, -0.5'
    """
    raised = _RAISED.sub(lambda found: f"^{found.group()}", text)
    plain = _HYPHEN.sub("-", unicodedata.normalize("NFKC", raised).casefold())
    return _POINT.sub("0.", _MINUS.sub("-", plain))


def normalised(text: str) -> str:
    """Return a claim or an open answer in the form by which it is found again.

    Compatibility forms, case, punctuation and blanks do not count; words, numbers and the signs
    that change a value do. So one claim in other words is another claim: it is then probed once
    more, which costs a call, where a match that is too easy would answer it with the evidence for
    another.

    Examples
    --------
    >>> normalised("The tank  holds 20.5 %, “at least”!")
    'the tank holds 20.5 % at least'
    >>> normalised("a 3.5 gallon tank") == normalised("a 35 gallon tank")
    False
    >>> normalised("x \u2264 3") == normalised("x \u2265 3")
    False
    """
    plain = folded(text)
    return " ".join(filter(_counts, _TOKEN.findall(plain))) or " ".join(plain.split())


def counted(answers: Sequence[str]) -> list[str]:
    """Return for each answer of one vote the form under which it is counted.

    That is its normal form; but of an answer that is an amount and nothing else, its value and
    unit, so that ``18.00`` is ``18`` and ``18 dollars`` is ``$18``. Where one unit alone is used,
    an amount without any is meant in it; a letter is no unit, so that ``2`` is not ``2x``.
    ``Paris`` and ``Paris, France`` are two answers, and so are ``18 eggs`` and ``$18``, and ``3``
    and ``3 million``, since to merge them would be a guess.

    Examples
    --------
    >>> counted(["$1,018.50", "1018.5", "1018.50 dollars", "unknown"])
    ['2037/2 $', '2037/2 $', '2037/2 $', 'unknown']
    >>> counted(["18", "18 eggs", "$18"])
    ['18', '18 egg', '18 $']
    """
    amounts = [_amount(answer) for answer in answers]
    units = {unit for found in amounts if found is not None and (unit := found[1])}
    common = units.pop() if len(units) == 1 else ""
    return [
        normalised(answer) if found is None else f"{found[0]} {found[1] or common}".rstrip()
        for answer, found in zip(answers, amounts, strict=True)
    ]


def _amount(answer: str) -> tuple[Fraction, str] | None:
    """Return the value and the unit of an answer that is an amount and nothing else."""
    measured = _MEASURED.fullmatch(answer.strip())
    if measured is not None:
        answer = f"{measured[1]} {'inch' if measured[2] else 'foot'}"
    found = _AMOUNT.fullmatch(normalised(answer))
    if found is None:
        return None
    before, unit = found["before"] or "", found["unit"] or ""
    unit = _UNITS.get(unit) or _PLURAL.sub("", unit)
    if unit.isalpha() and len(unit) < 3 and unit not in _SHORT_UNITS:
        return None
    is_other = unit in _NO_UNITS or _FRACTION.search(unit) or (found["sign"] and found["inner"])
    if is_other or (before and unit and before != unit):
        return None
    value = Fraction(found["value"].replace(",", ""))
    sign = (found["sign"] or found["inner"] or "").strip()
    return (-value if sign in ("-", "\u2212") else value), before or unit


def _counts(token: str) -> bool:
    word = token[0].isalnum() or token in _VALUED
    return word or unicodedata.category(token) in ("Sm", "Sc")
