"""What an interpreter and a comparer answer: pydantic types, a bound on every string and list.

A bound is about three times what the prompt asks for in words: a guard against a string that runs
away, not the stop. The passages come before the conclusion, since a server that holds a model to a
grammar has the fields written in this order.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from workbench.deliberation.consultation.facts import Confidence

MOST_FINDINGS = 6


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Sentence = Annotated[str, AfterValidator(_not_blank), Field(min_length=1, max_length=600)]
Note = Annotated[str, Field(max_length=400)]
Citation = Annotated[str, Field(max_length=160, json_schema_extra={"pattern": r"^P[0-9]{1,3}$"})]
"""As written; what it names is looked up afterwards, so that a wrong one is kept and marked. A
server that holds a model to a grammar has it write a label; nobody else is refused for another."""


class ReportedFinding(BaseModel):
    """One finding, as an interpreter writes it."""

    sub_query: Annotated[str, Field(max_length=12, json_schema_extra={"pattern": r"^Q[0-9]{1,2}$"})]
    passages: list[Citation] = Field(max_length=6)
    conclusion: Sentence
    confidence: Confidence
    ambiguities: list[Note] = Field(max_length=2)
    alternatives: list[Note] = Field(max_length=2)


class Report(BaseModel):
    """An Interpretation Report; empty where the passages answer nothing."""

    findings: list[ReportedFinding] = Field(max_length=MOST_FINDINGS)


class Comparison(BaseModel):
    """How a comparer finds two conclusions to be related."""

    reason: Sentence
    relation: Literal["compatible", "contradictory", "different_question"]
