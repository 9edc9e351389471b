"""What in a conclusion leaves rules unsure of it, so that they leave it to a comparer.

Decisions:

- Where a figure may be read in two ways (``1.500``, ``007``, ``3.4.2025``, ``1:2``, ``5:00``),
  names something (``4.10``), or cites (``[1]``), and where a capital ``A`` is a name, the text says
  what its own words say, and no others.
- What is said of some (some rooms), or of what may be, may be said of others with another figure,
  or denied of them.
"""

from __future__ import annotations

import re

from workbench.deliberation.consultation.figures import Figure
from workbench.deliberation.consultation.quantities import DATE

_UNIT = r"\s*(?:[%€$£]|(?:percent|euros?|dollars?|pounds?|mm|cm|m|km|kg|g|hours?|days?)\b)"
_CITED = "passages?|documents?|sources?|texts?|sections?|pages?|findings?|policies"
_AMBIGUOUS = re.compile(
    r"\d\.\d{3}(?!\d)|\d,(?!\d{3}(?!\d))\d"  # a thousand, or a fraction
    r"|(?<![\d.,:])0\d(?!\d?:\d\d)"  # a code, or a number
    r"|\d\.\d+\.\d|\d ?/ ?\d|\d:\d(?!\d)"  # a date, an address, a share, a ratio
    rf"|(?<![$€£\d.,])\d+\.\d*0(?!\d)(?!{_UNIT})"  # a name, or a number
    r"|(?<![\d:.])(?:0?[1-9]|1[0-2]|2[4-9]|[3-9]\d):\d\d(?![\d:]| ?[ap]\.?m)"  # half of the day
    r"|\d:\d\d ?(?:[-\u2212\u2013]|to|until) ?\d"
    r"|(?<![\w.)])[-\u2212\u2013] +[$€£]?\d"  # a dash, or a sign
    r"|\b(?:working|business|work) weeks?\b"  # of five days, or of six
    r"|\[ ?p?\d[\d ,;p-]*\]|\( ?p?\d+ ?\)",  # a citation, or a value
    re.IGNORECASE,
)
_CITING = re.compile(
    rf"(?:\d|\b(?:one|two|three|four|five|six|seven)) (?:{_CITED})\b", re.IGNORECASE
)
_NAMED_A = re.compile(r"(?<=[a-z0-9,] )A\b|^A(?= (?:is|are|was|has|have|must|may|can|costs?)\b)")
_ONE_OF_MANY = frozenset(
    "some many most few several any another other often usually normally typically generally "
    "possible alternative example may might could".split()
)


def is_ambiguous(text: str) -> bool:
    """Return whether a text can be read in two ways, so that no other says the same for sure.

    Examples
    --------
    >>> is_ambiguous("The fee is 1.500 euros."), is_ambiguous("The fee is 1,500 euros.")
    (True, False)
    """
    plain = DATE.sub(" ", text)
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
