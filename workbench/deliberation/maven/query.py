"""The question q with its options, as agents read it."""

from __future__ import annotations

from functools import lru_cache
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


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
