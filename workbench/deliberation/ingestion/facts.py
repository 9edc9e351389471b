"""What an ingestion posts: for each passage the claims that a model found, or why there are none.

By path::

    /passages                     Called, Returned the corpus's passages and passport
    /passage=1/claims/try=1       Asked, Answered
    /passage=1/claims/gate        Gated
    /passage=1/extracted          Extracted, or NotExtracted
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from workbench.knowledge.claims import ClaimType
from workbench.record.facts import Fact


class ExtractedClaim(BaseModel):
    """A claim of one passage.

    Attributes
    ----------
    number : int
        As the model counts, from 1.
    type : str
        One of the six.
    start, end : int
        Where its quotation stands in the passage.
    quote : str
        The passage's own words there.
    defines : str
        The term that it defines, or empty.
    leans_on : tuple of int
        Numbers of other claims of the passage that were not rejected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    type: ClaimType
    start: int
    end: int
    quote: str
    defines: str = ""
    leans_on: tuple[int, ...] = ()


class Extracted(Fact):
    """The claims of a passage, and what was reported as its words and is not in it."""

    passage: str
    claims: tuple[ExtractedClaim, ...]
    rejected: tuple[str, ...] = ()


class NotExtracted(Fact):
    """A passage whose claims could not be read; it is not taken to have none."""

    passage: str
    reason: str
