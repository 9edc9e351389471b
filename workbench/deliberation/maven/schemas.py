"""What each agent answers: pydantic types, with a bound on every string and list.

A bound is about three times what the prompt asks for in words: a guard against a string that runs
away, not the stop. Reasons come before what they are reasons for, since a server that holds a model
to a grammar has the fields written in this order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, create_model

from workbench.deliberation.maven.facts import (
    Agreement,
    Dimension,
    Finding,
    Priority,
    Verdict,
)
from workbench.deliberation.maven.query import answer_type
from workbench.engine.percent import Percent

_ROOM = 20
"""Characters for each word that is asked for."""
_GRAMMAR = 1900
"""Characters that llama.cpp's grammars count out. Its threshold is 2,000 repetitions: exactly so
many are refused, more are refused or not bounded at all, as versions go."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


_Said = Annotated[str, AfterValidator(_not_blank)]
Sentence = Annotated[_Said, Field(min_length=1, max_length=30 * _ROOM)]
Paragraph = Annotated[_Said, Field(min_length=1, max_length=50 * _ROOM)]
Score = Annotated[int, Field(ge=1, le=5)]

MOST_STEPS = 20
"""The largest complexity that a Router may answer."""


class Complexity(BaseModel):
    """The Router's answer."""

    reason: Sentence
    complexity: int = Field(ge=0, le=MOST_STEPS)


class Intuition(BaseModel):
    """A FastProposer's answer."""

    rationale: Paragraph
    answer: str
    confidence: Percent


class Plan(BaseModel):
    """The Planner's answer: a plan without a step does not pass the gate."""

    contradictions: list[Sentence] = Field(max_length=4)
    verifications: list[Sentence] = Field(max_length=4)
    steps: list[Sentence] = Field(min_length=1, max_length=6)


class Draft(BaseModel):
    """A draft: the text first, then the answer that it comes to."""

    text: str
    answer: str


class Doubt(BaseModel):
    """One question of the Skeptic."""

    dimension: Dimension
    claim: Sentence
    question: Sentence
    priority: Priority


class Doubts(BaseModel):
    """The Skeptic's answer: at least one question, or the gate asks again."""

    questions: list[Doubt] = Field(min_length=1)


class Justification(BaseModel):
    """The Responder's defence of one claim."""

    justification: Paragraph
    confidence: Percent


class Probe(BaseModel):
    """What the Researcher finds about one claim."""

    evidence: Paragraph
    verdict: Finding
    confidence: Percent


class CitedProbe(BaseModel):
    """The same over a corpus: the passages are named first, and the evidence written from them."""

    passages: list[int]
    evidence: Paragraph
    verdict: Finding
    confidence: Percent


class Comparison(BaseModel):
    """One finding held against the Responder's justification, and calibrated."""

    note: Sentence
    agreement: Agreement
    confidence: Percent


class Judgement(BaseModel):
    """The Judge's answer."""

    feedback: Paragraph
    factual: Score
    coherence: Score
    completeness: Score
    neutrality: Score
    verdict: Verdict


class Style(BaseModel):
    """The Stylist's answer."""

    text: str


@lru_cache(maxsize=64)
def intuition_type(options: int) -> type[Intuition]:
    """Return `Intuition` with the letters of so many options as the only answers."""
    return create_model("Intuition", __base__=Intuition, answer=(answer_type(options), ...))


def _text(words: int) -> Any:
    """Return the type of a text of about so many words."""
    most = min(_ROOM * words, max(_GRAMMAR, 8 * words))
    return Annotated[_Said, Field(min_length=1, max_length=most)]


@lru_cache(maxsize=64)
def draft_type(options: int, words: int) -> type[Draft]:
    """Return `Draft` of about so many words."""
    return create_model(
        "Draft", __base__=Draft, text=(_text(words), ...), answer=(answer_type(options), ...)
    )


@lru_cache(maxsize=16)
def doubts_type(most: int) -> type[Doubts]:
    """Return `Doubts` with at most so many questions."""
    questions: Any = (list[Doubt], Field(min_length=1, max_length=most))
    return create_model("Doubts", __base__=Doubts, questions=questions)


@lru_cache(maxsize=16)
def style_type(words: int) -> type[Style]:
    """Return `Style` of about so many words."""
    return create_model("Style", __base__=Style, text=(_text(words), ...))


@lru_cache(maxsize=64)
def defence_type(questions: int) -> type[BaseModel]:
    """Return a type with a `Justification` for each of so many questions, ``q1`` and on."""
    fields: dict[str, Any] = {f"q{n}": (Justification, ...) for n in range(1, questions + 1)}
    return create_model("Defence", **fields)


@lru_cache(maxsize=64)
def comparison_type(claims: int) -> type[BaseModel]:
    """Return a type with a `Comparison` for each of so many findings, ``f1`` and on."""
    fields: dict[str, Any] = {f"f{n}": (Comparison, ...) for n in range(1, claims + 1)}
    return create_model("Comparisons", **fields)


@lru_cache(maxsize=16)
def probe_type(passages: int) -> type[Probe | CitedProbe]:
    """Return `Probe`, or with passages to rest on `CitedProbe` with their numbers."""
    if not passages:
        return Probe
    number = Annotated[int, Field(ge=1, le=passages)]
    cited: Any = (list[number], Field(max_length=passages))
    return create_model("Probe", __base__=CitedProbe, passages=cited)
