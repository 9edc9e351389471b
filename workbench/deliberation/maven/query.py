"""The question q with its options, as agents read it and as answers are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|[^\w\s]")
_VALUED = frozenset("%°*/^-")
"""Signs that change a value, besides those of currency and mathematics."""
_RAISED = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _can_be_chosen_from(options: tuple[str, ...]) -> tuple[str, ...]:
    if len(options) == 1:
        raise ValueError("one option is no choice: give two or more, or none")
    return options  # published files have items of which two options are the same


Text = Annotated[str, AfterValidator(_says_something)]
Options = Annotated[
    tuple[Text, ...],
    Field(max_length=len(ascii_uppercase)),
    AfterValidator(_can_be_chosen_from),
]


class Query(BaseModel):
    """A question, and its options if it has any: A is the first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Text
    options: Options = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The options' letters."""
        return tuple(ascii_uppercase[: len(self.options)])

    def answer_type(self) -> Any:
        """Return the type of an answer: one of the letters, or a short text."""
        return answer_type(len(self.options))

    def told(self, answer: str) -> str:
        """Return an answer with the words of its option."""
        return f"{answer}. {self.options[self.letters.index(answer)]}" if self.options else answer

    def __str__(self) -> str:
        lines = [f"{a}. {option}" for a, option in zip(self.letters, self.options, strict=True)]
        return "\n".join([f"The question: {self.question}", *lines])


@lru_cache(maxsize=32)
def answer_type(options: int) -> Any:
    """Return the type of an answer to a question with so many options."""
    if options:
        return Literal[tuple(ascii_uppercase[:options])]
    return Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_says_something)]


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
    raised = _RAISED.sub(lambda found: f"^{found.group()}", text)
    folded = unicodedata.normalize("NFKC", raised).casefold()
    return " ".join(filter(_counts, _TOKEN.findall(folded))) or " ".join(folded.split())


def _counts(token: str) -> bool:
    word = token[0].isalnum() or token in _VALUED
    return word or unicodedata.category(token) in ("Sm", "Sc")
