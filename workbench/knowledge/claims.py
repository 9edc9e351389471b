"""Claims: what a corpus states, the terms that it defines, what leans on what, and where it stands.

"When Agreement Means Something", section 2, layer 1. A `Structure` is bound to one passport and
addressed by its digest. Who extracted it is in it: rules (`extraction`), or a model behind the
structural gate (the protocol ``ingestion``).
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from functools import cached_property
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict

from workbench.knowledge.terms import Term

ClaimType = Literal[
    "definitional",
    "differentiating",
    "mechanistic",
    "independence_confirmation",
    "load_bearing_assumption",
    "structural_consequence",
]
"""The six types of section 2, which the paper names and does not define. Decision:

- definitional: says what a word means;
- differentiating: sets one thing apart from another, or makes an exception;
- mechanistic: says how it goes: who does what, when, how much; also what is of no other type;
- independence_confirmation: says that something makes no difference;
- load_bearing_assumption: names what must hold for something else to hold;
- structural_consequence: draws a conclusion from what was said.
"""
CLAIM_TYPES: tuple[ClaimType, ...] = get_args(ClaimType)

DependencyKind = Literal["uses_term", "refers_to", "follows_from"]
"""A claim uses a term that another defines; refers to the section or document of another; or draws
its conclusion from another."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(_Frozen):
    """Where a claim stands: ``corpus.passage(passage).text[start:end] == quote``."""

    passage: str
    start: int
    end: int
    quote: str


class Claim(_Frozen):
    """One statement of a corpus.

    Attributes
    ----------
    id : str
        ``{passage}/c{n}``, n counting from 1 within the passage.
    type : str
        One of the six.
    text : str
        The statement without markup; for a list's item with the words that lead to the list.
    terms : tuple of str
        Ids of the defined terms in it, sorted.
    evidence : tuple of Evidence
        One at least.
    told_by : str
        The words by which a rule told the type, ``"model"``, or ``""``: of no other type.
    """

    id: str
    type: ClaimType
    text: str
    terms: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...]
    told_by: str = ""

    @property
    def passage(self) -> str:
        """The passage that it stands in."""
        return self.evidence[-1].passage


class Dependency(_Frozen):
    """A claim leans on another; `cue` is what says so."""

    claim: str
    on: str
    kind: DependencyKind
    cue: str


class Dangling(_Frozen):
    """A claim refers to something that the corpus does not have."""

    claim: str
    reference: str


class Structure(_Frozen):
    """What layer 1 makes of a corpus.

    Attributes
    ----------
    passport : str
        The SHA-256 of the corpus's passport.
    extractor : str
        ``rules/1``, or ``model``.
    claims : tuple of Claim
        In the order of the corpus.
    terms : tuple of Term
        Sorted by id.
    dependencies : tuple of Dependency
    dangling : tuple of Dangling
    """

    passport: str
    extractor: str
    claims: tuple[Claim, ...]
    terms: tuple[Term, ...]
    dependencies: tuple[Dependency, ...]
    dangling: tuple[Dangling, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of its canonical JSON, hexadecimal."""
        return digest_of(self.model_dump(mode="json"))

    def claim(self, id: str) -> Claim:
        """Return the claim of an id; `KeyError` if there is none."""
        return self._by_id[id]

    def of_passage(self, id: str) -> tuple[Claim, ...]:
        """Return the claims that stand in a passage."""
        return tuple(self._by_passage.get(id, ()))

    def counts(self) -> dict[str, int]:
        """Return the number of claims of each type."""
        made = dict.fromkeys(CLAIM_TYPES, 0)
        for claim in self.claims:
            made[claim.type] += 1
        return {str(kind): n for kind, n in made.items()}

    @cached_property
    def _by_id(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.claims}

    @cached_property
    def _by_passage(self) -> dict[str, list[Claim]]:
        made: defaultdict[str, list[Claim]] = defaultdict(list)
        for claim in self.claims:
            made[claim.passage].append(claim)
        return made

    def __str__(self) -> str:
        types = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in self.counts().items() if n)
        return (
            f"{len(self.claims)} claims ({types}), {len(self.terms)} terms, "
            f"{len(self.dependencies)} dependencies, {len(self.dangling)} that lead nowhere; "
            f"by {self.extractor}, digest {self.digest[:12]}"
        )


def digest_of(body: Any) -> str:
    """Return the SHA-256 of canonical JSON: keys sorted, no white space, ASCII; hexadecimal."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
