"""Which open answers are one answer, and which claims one claim: by form, never by a guess."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

L = r"[^\W\d_]"
"""A letter, in expressions."""
_ATOM = rf"(?:(?<=[\d)\]}}])|(?<=(?<!{L}){L}))"
"""Behind a figure, a closing bracket, or a letter that stands alone."""
_NEXT = rf"[-+]?(?:[(\[{{]|\d|{L}(?!{L}))"
_TOKEN = re.compile(
    rf"\d+(?:[.,:]\d+)*|{L}+"
    rf"|(?P<meant>{_ATOM}(?:!|['\"](?!{L})|:(?={_NEXT})|[,;](?=\s*{_NEXT})(?!(?<=\d.)\s*\d)))"
    r"|[^\w\s]"
)
"""Words, figures and signs; some marks of a sentence are meant: ``5!``, ``f'``, ``(2, x)``."""
_MARKS = frozenset(".,;:!?'\"`\u00b4\u00a1\u00bf\u2026")
_RAISED_WORD = "\u00b2\u00b3\u00b9\u02b0-\u02b8\u02e1-\u02e3\u1d43-\u1d5b\u2070-\u2079\u207d-\u207f"
_RAISED = re.compile(
    rf"[\u207a\u207b]?[{_RAISED_WORD}](?:[{_RAISED_WORD}\u207a-\u207c]*[{_RAISED_WORD}])?"
)
_HYPHEN = re.compile("[\u2010\u2011]")
CURRENCY = "[$\u00a2-\u00a5\u20a0-\u20c0]"
_MINUS = re.compile(rf"(?<![\w.)\]])[\u2012-\u2015\u2212](?={CURRENCY}?\.?\d)")
"""A dash that is no dash: nothing stands before it, and a number behind."""
_TYPED = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2012\u2013\u2014\u2015\u2212",
    4 * "'" + 6 * '"' + 5 * "-",
)
"""Marks as they are printed, to those that are typed."""
_DASH = "[-\u2012-\u2015]"
_PAUSE = re.compile(
    rf"\A\s*(?:[*\u2022]|{_DASH})\s+(?=[A-Z]{L}{{2}})|(?<={L}{{3}})\s+{_DASH}\s+(?=[A-Z]{L}{{2}})"
)
"""A mark of a list, and a dash between words: a capital and small letters are no variable."""
_QUOTED = re.compile(r"(?<!\w)(['\"])(?=\S)((?:[^'\"]|(?<=\w)'(?=\w))+)(?<=\S)\1(?!\w)")
_ESCAPE = re.compile(r"\\(?=[$%#&_])")
"""What TeX wants before a sign that is meant as it stands."""
_BOLD = re.compile(r"(?<![\w*)\]}])(\*\*)(?=[^\s*])([^*]+)(?<=[^\s*])\*\*(?![\w*(\[{])")
_ENCLOSED = re.compile(
    r"\((?P<round>(?:[^(),;]|\([^(),;]*\))*)\)|\$\$?(?P<tex>[^$]+)\$\$?|\*(?P<star>[^*]+)\*"
    r"|\\\((?P<inline>.+)\\\)|\\\[(?P<shown>.+)\\\]",
    re.DOTALL,
)
"""What is around the whole. A point (1, 2) keeps its brackets; [x] and {x} are other values."""
_LETTERED = re.compile(rf"\(?({L})\)(?=\s|\Z)")
"""The letter of an option, in brackets."""
_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
_MEASURED = re.compile(r"([^'\"\u2018-\u201d]*\d)\s?(?:(''|[\"\u2033\u201d])|['\u2032\u2019])")
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_AMOUNT = re.compile(
    rf"(?P<sign>[-+] )?(?:(?P<before>{CURRENCY}) )?(?P<inner>[-+] )?"
    rf"(?P<value>{_PLAIN.pattern})(?: / (?P<under>\d*[1-9]\d*))?"
    rf"(?: (?P<unit>[%‰°]|{CURRENCY}|{L}+))?"
)
_UNITS = {
    "dollar": "$", "dollars": "$", "usd": "$", "euro": "€", "euros": "€", "eur": "€",
    "pound": "£", "pounds": "£", "gbp": "£", "percent": "%", "feet": "foot", "lbs": "lb",
    "hrs": "hr", "people": "person", "men": "man", "women": "woman", "children": "child",
}  # fmt: skip
_KNOWN_UNITS = frozenset(
    "hour minute second day week month year inch foot mile meter metre gram liter litre gallon "
    "ounce degree cent min sec mph kph kilometer kilometre kilogram milligram centimeter "
    "centimetre millimeter millimetre milliliter millilitre calorie kcal watt volt joule hertz "
    "newton".split()
)
_SHORT_UNITS = frozenset("kg mg km cm mm ml dl lb oz ft yd mi hr gb mb kb kw".split())
"""Of one or two letters; all others may be a variable, a constant, an ordinal or a scale."""
_PLURAL = re.compile(r"(?<=\w\w\w)(?:(?<=ch)es|(?<=sh)es|(?<=x)es|(?<!s)s)\Z")
MANIFOLDS = (
    r"(?:(?:ten|hundred|thousand|myriad|dozen|lakh|crore|grand|mil|bil|\w*illion)s?|half"
    r"|halves|thirds?\b(?!-)|squared|cubed|factorial)"
)
PARTS = (
    r"(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|\w*teen|\w*tie|hundred|thousand|\w*illion)th"
)
"""Words behind a number that make another number of it, in expressions."""
_NO_UNIT = re.compile(
    rf"{MANIFOLDS}|{PARTS}s?|(?:quarter|score|pair|couple)s?|times|plus|minus|cos|always|perhaps"
)


class _Amount(NamedTuple):
    """An answer that is an amount: ``named`` if its unit is surely one, ``ratio`` if it is 1/2."""

    value: Fraction
    unit: str
    named: bool
    ratio: bool


def folded(text: str) -> str:
    """Return a text without case and compatibility forms, with numbers in one spelling.

    Raised figures stay powers, and a minus stays one, whatever dash it is printed as.

    Examples
    --------
    >>> folded("\uff32oom \u2460, 10\u00b2 m, \u2013.5")
    'room 1, 10^2 m, -0.5'
    """
    raised = _RAISED.sub(lambda found: _power(found.group()), text)
    plain = _HYPHEN.sub("-", unicodedata.normalize("NFKC", raised).casefold())
    return _POINT.sub("0.", _MINUS.sub("-", plain))


def bare(text: str) -> str:
    """Return a text without what cannot change its value: case, quotes, what encloses the whole.

    Quotes and dashes are those that are typed; bold letters, the mark of a list and the brackets
    around an option's letter are left out.

    Examples
    --------
    >>> bare("**(B)** \u2013x")
    'b -x'
    """
    plain = _ESCAPE.sub("", folded(_PAUSE.sub(" ", text)).translate(_TYPED))
    for pairs in (_BOLD, _QUOTED):
        plain = pairs.sub(r"\2", plain)
    while found := _ENCLOSED.fullmatch(plain.strip(" \n.,;:?")):
        plain = next(inner for inner in found.groups() if inner is not None)
    return _LETTERED.sub(r"\1", plain.strip(), count=1) if _LETTERED.match(plain.strip()) else plain


def signs(plain: str) -> str:
    """Return the words, figures and signs of a `bare` text, without the marks of its sentences."""
    found = (_sign(one) for one in _TOKEN.finditer(plain))
    return " ".join(filter(None, found)) or " ".join(plain.split())


def normalised(text: str) -> str:
    """Return a claim or an open answer in the form by which it is found again.

    What `bare` leaves out does not count, nor do blanks and the marks of a sentence; words, figures
    and all other signs do, brackets and minus signs as well. So one claim in other words is
    another claim: it is then probed once more, which costs a call, where a match that is too easy
    would answer it with the evidence for another.

    Examples
    --------
    >>> normalised("The tank  holds 20.5 %, “at least”!")
    'the tank holds 20.5 % at least'
    >>> normalised("a 3.5 gallon tank") == normalised("a 35 gallon tank")
    False
    >>> normalised("2(x + 3)") == normalised("2x + 3")
    False
    """
    return signs(bare(text)) or " ".join(folded(text).split())


def counted(answers: Sequence[str]) -> list[str]:
    """Return for each answer of one vote the form under which it is counted.

    That is its normal form; but of an answer that is an amount and nothing else, its value and
    unit, so that ``18.00`` is ``18`` and ``18 dollars`` is ``$18``. Where one unit alone is used,
    an amount without any is meant in it, if it is surely a unit: a sign, a known one, or a noun in
    the plural that is no number. So ``2`` is neither ``2x`` nor ``2 hundredths``. ``1/2`` is
    ``0.5`` if someone says so; ``6/8`` and ``3/4`` alone may be dates. ``Paris`` and
    ``Paris, France`` are two answers, and so are ``18 eggs`` and ``$18``, and ``3`` and
    ``3 million``, since to merge them would be a guess.

    Examples
    --------
    >>> counted(["$1,018.50", "1018.5", "1018.50 dollars", "unknown"])
    ['2037/2 $', '2037/2 $', '2037/2 $', 'unknown']
    >>> counted(["18", "18 eggs", "$18"])
    ['18', '18 egg', '18 $']
    """
    amounts = [_amount(answer) for answer in answers]
    values = {found.value for found in amounts if found and not found.ratio}
    units = {found.unit for found in amounts if found and found.unit}
    named = any(found and found.named for found in amounts)
    common = units.pop() if len(units) == 1 and named else ""
    return [
        normalised(answer)
        if found is None or (found.ratio and found.value not in values)
        else f"{found.value} {found.unit or common}".rstrip()
        for answer, found in zip(answers, amounts, strict=True)
    ]


def _amount(answer: str) -> _Amount | None:
    """Return the amount that an answer is, if it is one and nothing else."""
    measured = _MEASURED.fullmatch(answer.strip())
    if measured is not None:
        answer = f"{measured[1]} {'inch' if measured[2] else 'foot'}"
    found = _AMOUNT.fullmatch(normalised(answer))
    if found is None:
        return None
    before, word = found["before"] or "", found["unit"] or ""
    unit = _UNITS.get(word) or _PLURAL.sub("", word)
    if unit.isalpha() and len(unit) < 3 and unit not in _SHORT_UNITS:
        return None
    if _NO_UNIT.fullmatch(word) or (found["sign"] and found["inner"]):
        return None
    if before and unit and before != unit:
        return None
    value = Fraction(found["value"].replace(",", "")) / int(found["under"] or 1)
    negative = (found["sign"] or found["inner"] or "").startswith("-")
    known = unit in _KNOWN_UNITS | _SHORT_UNITS or not unit.isalpha()
    named = bool(before or unit) and (known or unit != word)
    return _Amount(-value if negative else value, before or unit, named, bool(found["under"]))


def _power(raised: str) -> str:
    """Return raised figures or letters as a power: in brackets where it is a sum."""
    plain = unicodedata.normalize("NFKC", raised).replace("\u2212", "-")
    return f"^{plain}" if re.fullmatch(rf"[-+]?(?:\d+|{L})", plain) else f"^({plain})"


def _sign(found: re.Match[str]) -> str | None:
    """Return a word, figure or sign that counts; None for the mark of a sentence."""
    token = found.group()
    if found["meant"]:
        return "," if token == ";" else token
    hidden = unicodedata.category(token[0])[0] == "C" or "\ufe00" <= token <= "\ufe0f"
    return None if token in _MARKS or hidden else token
