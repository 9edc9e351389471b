"""What a model answers when it extracts claims: a bound on every string and list.

A bound is about three times what the prompt asks for in words: a guard against a string that runs
away, not the stop. The words come before the type, since a server that holds a model to a grammar
has the fields written in this order.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from workbench.knowledge.claims import ClaimType

MOST_CLAIMS = 8


class ReportedClaim(BaseModel):
    """One claim, as a model writes it."""

    quote: Annotated[str, Field(min_length=1, max_length=700)]
    type: ClaimType
    defines: Annotated[str, Field(max_length=80)]
    leans_on: list[Annotated[int, Field(ge=1, le=MOST_CLAIMS)]] = Field(max_length=3)


class ReportedClaims(BaseModel):
    """The claims of a passage; empty where it claims nothing."""

    claims: list[ReportedClaim] = Field(max_length=MOST_CLAIMS)
