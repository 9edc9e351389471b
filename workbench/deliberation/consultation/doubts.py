"""What in a conclusion leaves rules unsure of it, so that they leave it to a comparer.

Decisions:

- Where a figure may be read in two ways (``1.500``, ``007``, ``3.4.2025``, ``1:2``, ``5:00``),
  names something (``4.10``), or cites (``[1]``), and where a capital ``A`` is a name, the text says
  what its own words say, and no others.
- What is said of some (some rooms), or of what may be, may be said of others with another figure,
  or denied of them.
- A sub-query may have several answers ("Which days are holidays?"); two of them are no
  contradiction. It asks for one where it says how many, how much, how long, how old, how often,
  "what is the", "above what", or "by when" without a plural; and for several by a plural ("what
  are", "which days", "how long are the breaks"), by "and", "or", "each" ("for each" is a rate), a
  comma, but for one behind "for ..." at its beginning, or by what it depends on ("by category").
- 5 weeks of leave are 35 days, or 25 of work.
- Where information, an answer or a detail is what is asked about, "no information is given" may be
  the answer. To a question that denies, yes and no may be the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.deliberation.consultation.figures import Figure, row
from workbench.deliberation.consultation.quantities import undated

_UNIT = r"\s*(?:[%€$£]|(?:percent|euros?|dollars?|pounds?|mm|cm|m|km|kg|g|hours?|days?)\b)"
_CITED = "passages?|documents?|sources?|texts?|sections?|pages?|findings?|policies"
_AMBIGUOUS = re.compile(
    r"(?=[\d\[(\u2212\u2013-]|work|business)(?:"  # where any of these can begin
    r"\d\.\d{3}(?!\d)|\d,(?!\d{3}(?!\d))\d"  # a thousand, or a fraction
    r"|(?<![\d.,:])0\d(?!\d?:\d\d)"  # a code, or a number
    r"|\d\.\d+\.\d|\d ?/ ?\d|\d:\d(?!\d)"  # a date, an address, a share, a ratio
    rf"|(?<![$€£\d.,])\d+\.\d*0(?!\d)(?!{_UNIT})"  # a name, or a number
    r"|(?<![\d:.])(?:0?[1-9]|1[0-2]|2[4-9]|[3-9]\d):\d\d(?![\d:]| ?[ap]\.?m)"  # half of the day
    r"|\d:\d\d ?(?:[-\u2212\u2013]|to|until) ?\d"
    r"|(?<![\w.)])[-\u2212\u2013] +[$€£]?\d"  # a dash, or a sign
    r"|\b(?:working|business|work) weeks?\b"  # of five days, or of six
    r"|\[ ?p?\d[\d ,;p-]*\]|\( ?p?\d+ ?\))",  # a citation, or a value
    re.IGNORECASE,
)
_WEEKS = re.compile(r"\b(?:weeks?|fortnights?)\b", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:information|details?|answer\w*|statement\w*|mention\w*|determin\w*|given?|provid\w*"
    r"|stat(?:e|es|ed)|specif\w+|indicat\w+|sa(?:y|ys|id)|told|tell)\b"
)
_DENIED = re.compile(r"\b(?:not|no|never|without|un(?:able|less))\b|n['\u2019]t\b")
_CITING = re.compile(
    rf"(?:\d|\b(?:one|two|three|four|five|six|seven)) (?:{_CITED})\b", re.IGNORECASE
)
_NAMED_A = re.compile(r"(?<=[a-z0-9,] )A\b|^A(?= (?:is|are|was|has|have|must|may|can|costs?)\b)")
_ONE_OF_MANY = frozenset(
    "some many most few several any another other often usually normally typically generally "
    "possible alternative example may might could".split()
)
_ONE = re.compile(
    r"\bhow (?:many|much|long|old|often)\b|^\W*what(?: is|'s) the\b"
    r"|\b(?:above|below|over|under|from|up to|within|until|after|at|for) what\b"
)
_PLURAL = r"(?:the )?(?:[\w-]+ )?[\w-]+[^\Wsui]s"
_LEADING = re.compile(
    r"^\W*(?:for|in|at|on|during|if|when|under|after|before|according to|as) [^,]*, "
)
"""``For full-time staff, how long ...``: a comma that lists nothing."""
_SEVERAL = re.compile(
    r"\b(?:and|or|(?<!for )each|(?<!for )every|respectively"
    r"|as well as|depend\w*|according to|vs|versus|var(?:y|ies)|differ\w*"
    r"|by (?:category|grade|role|type|age|class|level|band|group|season|site)"
    r"|(?:what|which) (?:are|were|(?!was\b|does\b|has\b)\w{2,}s)"
    rf"|(?:how (?:long|much|old|often)|what times?) (?:are|were) {_PLURAL}"
    rf"|do {_PLURAL} (?:cost|last|take))\b|[/;]|, "
)


def is_ambiguous(text: str) -> bool:
    """Return whether a text can be read in two ways, so that no other says the same for sure.

    Examples
    --------
    >>> is_ambiguous("The fee is 1.500 euros."), is_ambiguous("The fee is 1,500 euros.")
    (True, False)
    """
    plain = undated(text)
    return any(one.search(plain) for one in (_AMBIGUOUS, _CITING, _NAMED_A))


def is_one_of_many(given: list[str | Figure]) -> bool:
    """Return whether a row of words and figures is about some of many, or about what may be.

    Examples
    --------
    >>> from workbench.deliberation.consultation.figures import row
    >>> is_one_of_many(row("Some rooms cost $5.")), is_one_of_many(row("It costs $5 a day."))
    (True, False)
    """
    return not _ONE_OF_MANY.isdisjoint(one for one in given if isinstance(one, str))


def has_plural(given: list[str | Figure]) -> bool:
    """Return whether a row of words has a plural: each of many has a date or time of its own.

    Examples
    --------
    >>> from workbench.deliberation.consultation.figures import row
    >>> has_plural(row("Opening hours: 9 am")), has_plural(row("The deadline is 1 May."))
    (True, False)
    """
    words = (one for one in given if isinstance(one, str) and len(one) > 3)
    return any(one.endswith("s") and not one.endswith(("ss", "us", "is")) for one in words)


@lru_cache(maxsize=1024)
def asks_for_one(asked: str) -> bool:
    """Return whether a sub-query has one answer, so that two bare figures cannot both be right.

    Examples
    --------
    >>> asks_for_one("How long is the notice?"), asks_for_one("When is the office closed?")
    (True, False)
    """
    lower = asked.lower()
    is_one = _ONE.search(lower) or ("by when" in lower and not has_plural(row(asked)))
    return bool(is_one) and not asks_for_several(asked)


@lru_cache(maxsize=1024)
def asks_for_several(asked: str) -> bool:
    """Return whether a sub-query says itself that it has more than one answer.

    Examples
    --------
    >>> asks_for_several("What are the opening hours?"), asks_for_several("What is the fee?")
    (True, False)
    """
    return _SEVERAL.search(_LEADING.sub("", asked.lower(), count=1)) is not None


@lru_cache(maxsize=1024)
def asks_what_is_said(asked: str) -> bool:
    """Return whether a sub-query is about what is said or given: "nothing" may be its answer.

    Examples
    --------
    >>> asks_what_is_said("Which details are given to callers?"), asks_what_is_said("Is it paid?")
    (True, False)
    """
    return _SAID.search(asked.lower()) is not None


@lru_cache(maxsize=1024)
def is_negated(asked: str) -> bool:
    """Return whether a sub-query denies, so that yes may be no.

    Examples
    --------
    >>> is_negated("Do staff not need approval?"), is_negated("Do staff need approval?")
    (True, False)
    """
    return _DENIED.search(asked.lower()) is not None


def is_in_weeks(text: str) -> bool:
    """Return whether a text counts in weeks, which may be of five days.

    Examples
    --------
    >>> is_in_weeks("5 weeks"), is_in_weeks("25 days")
    (True, False)
    """
    return _WEEKS.search(text) is not None
