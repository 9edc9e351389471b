"""One question with its gold answer, whatever file it came from."""

from __future__ import annotations

import re
from fractions import Fraction
from hashlib import blake2b
from string import ascii_uppercase
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic_core import to_json

from workbench.deliberation.answers import CURRENCY, MANIFOLDS, PARTS, folded

Kind = Literal["choice", "boolean", "number", "text"]
YES_NO = ("yes", "no")
MOST_OPTIONS = len(ascii_uppercase)

# The sign of a number stands alone: that of "GPT-4" and of "10-15" is a hyphen.
_NUMBER = re.compile(
    r"(?<![\w.,/])[-+]?\d(?:[\d]*|\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?"
    r"(?:/\d+)?(?![\w/]|,\d|\.\d)"
)
_MANIFOLD = re.compile(
    rf"\d\s*(?:{MANIFOLDS}\b|{PARTS}(?:s\b|(?=\W*\Z|\s+of\b))|(?:[kmb]|mn|bn|tn)\b)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_RAISED_UNIT = re.compile(r"(?<=[a-z])\^-?[1-3](?!\w)")
_NEGATIVE = re.compile(
    r"(?:(\A\s*|[:=]\s*|\b(?:is|of|was)\s+)(?:minus\s|negative\s|-)\s*\$?"
    r"|(?<![\w.)\]])-\$)\s*(?=\.?\d)"
)
"""A minus that stands apart from its number: in words, or before a sign of currency."""


class Item(BaseModel):
    """A question, its options and what its authors hold to be the answer.

    Attributes
    ----------
    question : str
    options : tuple of str
        In the order in which they are lettered; empty for a question without. A yes-or-no question
        has ``("yes", "no")``.
    answer : str or None
        The gold answer: the letter of an option, ``yes`` or ``no``, a number, or a text. None where
        the authors give none: such an item can be asked and cannot be scored.
    evidence : tuple of str
        Facts that the authors give for the answer. No method is shown them.
    source : str
        File and place in it, such as ``TruthfulQA.csv:17``.
    kind : {"choice", "boolean", "number", "text"}
        By which scorer an answer is read; default: ``choice`` with options, else ``text``.
    accepted : tuple of str
        Further wordings of a text that count as the answer.

    Examples
    --------
    >>> item = Item(question="Which is heavier?", options=("iron", "gold"), answer="B")
    >>> item.kind, item.gold
    ('choice', 'gold')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    options: tuple[str, ...] = ()
    answer: str | None = None
    evidence: tuple[str, ...] = ()
    source: str = ""
    kind: Kind = "text"
    accepted: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _kind_by_options(cls, given: Any) -> Any:
        if isinstance(given, dict) and "kind" not in given and given.get("options"):
            return {**given, "kind": "choice"}
        return given

    @field_validator("answer", mode="before")
    @classmethod
    def _number_as_text(cls, answer: Any) -> Any:
        return str(answer) if type(answer) in (int, float) else answer  # as JSON may have it

    @field_validator("question", "answer")
    @classmethod
    def _says_something(cls, text: str | None) -> str | None:
        if text is not None and not text.strip():
            raise ValueError("must not be blank; an item without a gold answer has none at all")
        return text

    @model_validator(mode="after")
    def _answer_is_of_its_kind(self) -> Self:
        if self.kind == "choice" and not 2 <= len(self.options) <= MOST_OPTIONS:
            raise ValueError(f"has {len(self.options)} options; a choice has 2 to {MOST_OPTIONS}")
        if self.kind == "boolean" and self.options != YES_NO:
            raise ValueError("a yes-or-no question has the options yes and no")
        if self.kind in ("number", "text") and self.options:
            raise ValueError(f"has options, and its kind is {self.kind}")
        if any(not option.strip() for option in self.options):
            raise ValueError("an option is blank")
        if self.accepted and self.kind != "text":
            raise ValueError("other wordings are for texts alone")
        if self.answer is not None:
            self._check(self.answer)
        return self

    def _check(self, answer: str) -> None:
        if self.kind == "choice" and answer not in self.letters:
            raise ValueError(f"the answer {answer!r} is not one of {', '.join(self.letters)}")
        if self.kind == "boolean" and answer not in YES_NO:
            raise ValueError(f"the answer {answer!r} is not yes or no")
        if self.kind == "number" and number_of(answer) is None:
            raise ValueError(f"the answer {answer!r} is not one number")

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return tuple(ascii_uppercase[: len(self.options)])

    @property
    def gold(self) -> str | None:
        """The gold answer in words: of a choice, the text of the option."""
        if self.kind == "choice" and self.answer is not None:
            return self.options[self.letters.index(self.answer)]
        return self.answer

    @property
    def id(self) -> str:
        """A name for files: the source's file, and digits that change with what is asked.

        Neither the line counts nor the gold answer, so that an item that was moved, or whose label
        was mended, has the runs that it had.
        """
        digest = blake2b(to_json([self.question, self.options, self.kind]), digest_size=8)
        file = re.sub(r":\d+$", "", self.source.lower())
        place = re.sub(r"[^a-z0-9]+", "-", file).strip("-")[-50:].lstrip("-")
        return f"{place}-{digest.hexdigest()}" if place else digest.hexdigest()


def number_of(text: str) -> Fraction | None:
    """Return the one number in a text; None if it holds none, or several that differ.

    A currency sign, a unit or a percent sign beside it is left out; commas between thousands are
    read. What would have to be guessed gives None: ``3 million``, ``2 1/2``, ``1,5``, ``10-15``.
    After ``####``, as in GSM8K, only what follows counts.

    Examples
    --------
    >>> number_of("She makes 9 * 2 dollars. #### 1,018")
    Fraction(1018, 1)
    >>> number_of("$18.50 a day") == Fraction("18.5")
    True
    >>> number_of("between 3 and 4") is None
    True
    """
    plain = folded(text.rpartition("####")[2]).replace("\u2212", "-")
    plain = re.sub(CURRENCY, "$", _RAISED_UNIT.sub("_", plain))
    text = _NEGATIVE.sub(lambda found: f"{found[1] or ''}-", plain).replace("$", " ")
    if _MANIFOLD.search(text):
        return None
    values = set()
    spent = 0
    for found in _NUMBER.finditer(text):
        spent += len(_DIGIT.findall(found.group()))
        try:
            values.add(_value(found.group().replace(",", "")))
        except (ValueError, ZeroDivisionError):
            return None
    whole = spent == len(_DIGIT.findall(text))  # else a digit stands in what is no number
    return values.pop() if len(values) == 1 and whole else None


def _value(text: str) -> Fraction:
    over, slash, under = text.partition("/")
    return Fraction(over) / Fraction(under) if slash else Fraction(over)
