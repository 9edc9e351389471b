"""What a conclusion states, as values that rules can compare: numbers, dates, polarity, options.

Nothing here decides anything. `relation` does from a reading's `wording`; the first rules do from
the other values (`first_rules`), which are looser, and stay as sessions were recorded by them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from workbench.deliberation.consultation.answers import option_of
from workbench.deliberation.consultation.quantities import Day, Quantity, stated
from workbench.deliberation.consultation.wording import Wording, wording

_STOP = frozenset(
    (
        "a an and any are as at be been being by do does for from had has have he her his if in "
        "into is it its of on or our she so such that the their them then there these they this "
        "those to under up was we were which who will with would you your may can could should "
        "must shall per each every also only according passage passages policy handbook document "
        "states state stated says say about than more most least over within after before "
        "yes no not"
    ).split()
)
_NEGATORS = frozenset("not no never cannot without neither nor none nobody nothing hardly".split())
_NEGATED = re.compile(r"n['\u2019]t\b")
_OPPOSITES = {
    "forbidden": "allow", "prohibited": "allow", "banned": "allow", "disallowed": "allow",
    "unable": "able", "excluded": "include", "excludes": "include", "optional": "require",
    "voluntary": "require", "unpaid": "pay", "invalid": "valid", "impossible": "possible",
    "denied": "approve", "refused": "approve", "rejected": "approve", "ineligible": "eligible",
    "unlawful": "lawful", "illegal": "legal", "unnecessary": "require", "false": "true",
    "incorrect": "correct", "lacks": "have", "unlimited": "limit",
}  # fmt: skip
"""Words that say no, and the word that they say it of."""
_SAME = {
    "permit": "allow", "permitted": "allow", "permits": "allow", "allowed": "allow",
    "allows": "allow", "mandatory": "require", "obligatory": "require", "required": "require",
    "requires": "require", "necessary": "require", "needed": "require", "needs": "require",
    "paid": "pay", "included": "include", "includes": "include", "employees": "staff",
    "employee": "staff", "workers": "staff", "limited": "limit", "approved": "approve",
}  # fmt: skip
_ABSENT = re.compile(
    r"\b(?:(?:do|does|did|is|are|was) ?n[o'\u2019]t (?:\w+ly )?"
    r"(?:say|state|specif|mention|defin|tell|describ|indicat)\w*"
    r"|(?:do|does|did) ?n[o'\u2019]t (?:\w+ly )?(?:includ|contain|provid|giv)\w* "
    r"(?:any |an |the )?(?:information|answer|detail|figure|date)"
    r"|no (?:\w+ )?(?:information|mention|answer|statement)\b"
    r"|not (?:\w+ly )?(?:stated|specified|mentioned|defined|addressed)"
    r"|cannot be (?:determined|answered|known)|(?:says?|said) nothing"
    r"|(?:passages?|documents?|texts?|corpus|policy|policies|handbook|rules?|it|they) "
    r"(?:is|are|remains?) silent)",
    re.IGNORECASE,
)
_ABSENT_WORDS = ("not", "n t", "no ", "nothing", "silent")
_LEAD = re.compile(
    r"\W*(yes|no|true|false)\b(?=\s*(?:[,.;:!\u2013\u2014-]|$)|\s+(?:it|they|he|she|you|we|there)\b)",
    re.IGNORECASE,
)
"""An answer that begins with yes or no; "no leave" begins with a negation, and answers nothing."""
_ANSWERED = re.compile(
    r"\W*(yes|no|true|false)(?:\s*[,.;:!]|\s*[\u2013\u2014]|\s+-(?=\s))\s*(?=.*\w)", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:unless|except|if|provided that|subject to|depending on|as long as"
    r"|only (?:if|with|when|after|for|to|in|by))\b",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[^\w%$€£]+")
_MARKED = re.compile(r"[-\u2212\u2013.:/,]\d|[<>\u2264\u2265=+~\u00b1]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DASHES = str.maketrans("\u2212\u2013", "--")
_EXACT = re.compile(r"(?:(?<![\w.)])-(?=\d))?\w+(?:[-.:/]\d+)*|[%$€£<>\u2264\u2265=+~\u00b1]")


class _Values(NamedTuple):
    sign: int
    quantities: frozenset[Quantity]
    days: frozenset[Day]
    topic: frozenset[str]


@dataclass(frozen=True)
class Reading:
    """A conclusion on a sub-query; findings that differ in case or spacing alone share it.

    Attributes
    ----------
    id : str
        ``r`` and ten digits of a digest of sub-query and words: the same in every run.
    text : str
        The conclusion as the first of its findings (by text) has it.
    absent : bool
        It has words that say that the corpus does not say; `Wording.is_absent` is stricter.
    lead : int
        1 where it begins with yes, -1 with no, else 0.
    options : frozenset of int
        Which of the question's options it names, counting from 0.
    option : int or None
        The option that it is, and nothing more.
    asked : str
        The text of the sub-query, where it is known.
    """

    id: str
    sub_query: str
    text: str
    normal: str
    absent: bool
    lead: int
    options: frozenset[int]
    option: int | None
    asked: str = ""

    @property
    def sign(self) -> int:
        """-1 where it negates an odd number of times, else 1."""
        return self._values.sign

    @cached_property
    def conditional(self) -> bool:
        """Whether it holds under a condition that it names: unless, if, only with."""
        return _CONDITION.search(self.text) is not None

    @property
    def quantities(self) -> frozenset[Quantity]:
        """Its numbers, without their signs."""
        return self._values.quantities

    @cached_property
    def by_unit(self) -> Mapping[str, frozenset[tuple[str, float]]]:
        """The bounds and values that are stated in each unit."""
        return _by_unit(self.quantities)

    @property
    def days(self) -> frozenset[Day]:
        """Its dates."""
        return self._values.days

    @property
    def topic(self) -> frozenset[str]:
        """Stems of its content words, without numbers, units, dates and negations."""
        return self._values.topic

    @cached_property
    def _values(self) -> _Values:
        quantities, days, rest = stated(_NEGATED.sub(" not", self.text))
        words = rest.split()
        if self.lead and words and words[0] in ("yes", "no", "true", "false"):
            words = words[1:]
        negations = sum(word in _NEGATORS or word in _OPPOSITES for word in words)
        topic = frozenset(
            _stem(_OPPOSITES.get(word) or _SAME.get(word) or word)
            for word in words
            if word not in _STOP and word not in _NEGATORS and len(word) > 1
        )
        return _Values(-1 if negations % 2 else 1, quantities, days, topic)

    @cached_property
    def wording(self) -> Wording:
        """What it says, as `relation` compares it."""
        return wording(
            self.sub_query,
            self.text,
            lead=self.lead,
            option=self.option,
            asked=self.asked,
        )


def normal_form(text: str) -> str:
    """Return a text's words in lower case with single spaces: the least that two may differ in."""
    return _SPACE.sub(" ", text.casefold()).strip()


def exact_form(text: str) -> str:
    """Return the normal form with what is read in a figure: its sign, bound, point and range.

    An answer word before a sentence keeps a comma: "no, leave" is not "no leave".

    Examples
    --------
    >>> exact_form("At -5.5 degrees."), exact_form("No - leave is paid."), exact_form("No leave.")
    ('at -5.5 degrees', 'no, leave is paid', 'no leave')
    """
    if (answer := _ANSWERED.match(text)) is not None:
        return f"{answer[1].casefold()}, {exact_form(text[answer.end() :])}"
    if _MARKED.search(text) is None:
        return normal_form(text)
    plain = _THOUSANDS.sub("", text.casefold().translate(_DASHES))
    return " ".join(_EXACT.findall(plain))


def reading_id(sub_query: str, normal: str) -> str:
    """Return the id of the reading that a conclusion in its normal form belongs to."""
    return "r" + hashlib.sha256(f"{sub_query}\n{normal}".encode()).hexdigest()[:10]


def read_conclusion(
    sub_query: str,
    text: str,
    options: Sequence[str] = (),
    form: Callable[[str], str] = exact_form,
    asked: str = "",
) -> Reading:
    """Return what a conclusion states; `form` tells which texts share a reading.

    `asked` is the text of the sub-query, where it is known.

    Examples
    --------
    >>> reading = read_conclusion("Q1", "Staff may not carry over more than 5 days.")
    >>> reading.sign, sorted(reading.topic)
    (-1, ['carry', 'staff'])
    """
    plain = normal_form(text)
    normal = plain if form is normal_form else form(text)
    lead = _LEAD.match(text)
    option = option_of(text, options)
    return Reading(
        id=reading_id(sub_query, normal),
        sub_query=sub_query,
        text=text,
        normal=normal,
        absent=any(word in plain for word in _ABSENT_WORDS) and bool(_ABSENT.search(text)),
        lead=0 if lead is None else 1 if lead[1].lower() in ("yes", "true") else -1,
        options=_named(text, options),
        option=option,
        asked=asked,
    )


def _by_unit(quantities: frozenset[Quantity]) -> dict[str, frozenset[tuple[str, float]]]:
    found: dict[str, frozenset[tuple[str, float]]] = {}
    for q in quantities:
        found[q.unit] = found.get(q.unit, frozenset()) | {(q.bound, q.value)}
    return found


def _named(text: str, options: Sequence[str]) -> frozenset[int]:
    """Return which options a text names: by their words, or by their letter standing alone."""
    if not options:
        return frozenset()
    padded = f" {normal_form(text)} "
    found = {
        n
        for n, option in enumerate(options)
        if (words := normal_form(option)) and f" {words} " in padded
    }
    # An option whose words are part of another's that is named as well was not meant itself.
    inner = {
        n
        for n in found
        for m in found
        if n != m and f" {normal_form(options[n])} " in f" {normal_form(options[m])} "
    }
    letters = re.findall(r"(?:\boption |[(\[]|^\s*)([A-Z])(?=[)\].:]|\s*$)", text)
    found |= {ord(letter) - 65 for letter in letters if ord(letter) - 65 < len(options)}
    return frozenset(found - inner)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    for ending in ("ments", "ment", "ions", "ing", "ied", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + ("y" if ending in ("ied", "ies") else "")
            break
    return word.removesuffix("e") if len(word) > 3 else word
