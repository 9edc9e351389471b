"""The retrieval package that interpreters are given, and the facts that a consultation posts.

The package is plain JSON: whatever builds it (a tool of the world) returns `RetrievalPackage` as
JSON, and the run's file holds it at ``/package``. Its digest is `package_digest` of all its other
fields, so that a package is addressed by its content. A run looks like this, by path::

    /package                        Called, Returned the retrieval package
    /interpreter=1/interpretation   Interpreted      what one found, or NotInterpreted
    /closing                        Called, Returned the corpus's passport once all have read
    /synthesis                      Synthesised      the topology, as far as rules decide it

"When Agreement Means Something", section 2, layers 2 and 3.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from workbench.record.facts import Fact

Mode = Literal["consultation", "verification"]
Confidence = Literal["low", "medium", "high"]

ROLE = "interpreter"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubQuery(_Frozen):
    """One structural sub-query.

    Attributes
    ----------
    id : str
        ``Q1``, ``Q2``, ...; findings name it.
    text : str
        A question, or what is to be assessed.
    claims, terms : tuple of str
        Ids of the corpus's claims and terms that it is aligned to; empty where none is known.
    """

    id: str
    text: str
    claims: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


class PackagedPassage(_Frozen):
    """A passage as interpreters are given it.

    Attributes
    ----------
    id : str
        Of the corpus: ``handbook/leave.md#p2``.
    text : str
        Exactly as in the corpus.
    document : str
        The document's id.
    heading : str
        The trail of headings over it; empty if none.
    version : str
        The label of its document's version (``2.0``, ``2024-03-01``); empty where versions are not
        known.
    supersedes : tuple of str
        Ids of the passages of older versions that this passage replaces, in the package or not.
    superseded_by : tuple of str
        The other way round: not empty for a passage that is not in force any more. Where the newer
        document has nothing in its place, that document's id.
    sub_queries : tuple of str
        Ids of the sub-queries that it was found for.
    """

    id: str
    text: str
    document: str
    heading: str = ""
    version: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    sub_queries: tuple[str, ...] = ()


class PackagedPassport(_Frozen):
    """The corpus that a package was drawn from: `Passport.sha256`, its splitter and its size."""

    sha256: str
    splitter: str = ""
    documents: int = 0
    passages: int = 0


class RetrievalPackage(_Frozen):
    """What every interpreter reads (layer 2): sub-queries and passages of one corpus state.

    Attributes
    ----------
    digest : str
        `package_digest` of the other fields; a package with another is refused.
    mode : str
        So that the two modes never share a package (section 9).
    passages : tuple of PackagedPassage
        Each once, in the order in which they are shown.
    paths : dict of str to tuple of str
        With retrieval diversity (section 12.1): for each interpreter, by its number as text, the
        ids of the passages that its own retrieval path found. Empty: all read all passages.
    context : dict
        More that the builder knows (claims and their dependencies in a verification); JSON. Nothing
        of it is shown to interpreters.
    """

    digest: str
    mode: Mode = "consultation"
    question: str
    passport: PackagedPassport
    sub_queries: tuple[SubQuery, ...]
    passages: tuple[PackagedPassage, ...]
    paths: dict[str, tuple[str, ...]] = {}
    context: dict[str, Any] = {}

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        for what, ids in (
            ("passage", [passage.id for passage in self.passages]),
            ("sub-query", [query.id for query in self.sub_queries]),
        ):
            if len(set(ids)) < len(ids):
                raise ValueError(f"a {what} is there twice")
        known = {passage.id for passage in self.passages}
        if lost := sorted({id for ids in self.paths.values() for id in ids} - known):
            raise ValueError(f"a path names {lost[0]}, which is no passage of the package")
        if self.digest != (made := package_digest(self.model_dump(mode="json"))):
            raise ValueError(f"its digest is {made[:12]}, and it says {self.digest[:12]}")
        return self

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """Return a package of these fields, with its digest."""
        filled = cls.model_construct(digest="", **fields)
        plain = json.loads(filled.model_dump_json(warnings=False))
        return cls.model_validate({**plain, "digest": package_digest(plain)})


def package_digest(package: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a package's canonical JSON, its ``digest`` left out, hexadecimal.

    Canonical: every field of `RetrievalPackage` written out, keys sorted, no white space, ASCII.
    """
    body = {name: value for name, value in package.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Finding(_Frozen):
    """One finding of an interpreter (layer 3).

    Attributes
    ----------
    id : str
        ``1.2``: the second finding of interpreter 1.
    interpreter : int
    sub_query : str
        The id that it says it answers; empty where it names none of the package.
    conclusion : str
    cited : tuple of str
        E(f): ids of passages, or of documents, that are in what it was given; each once, sorted.
    invalid : tuple of str
        Citations of nothing that it was given, as written: kept and never counted.
    confidence : str
        The interpreter's own word; it takes no part in the structural confidence.
    """

    id: str
    interpreter: int
    sub_query: str
    conclusion: str
    cited: tuple[str, ...]
    invalid: tuple[str, ...] = ()
    confidence: Confidence = "medium"
    ambiguities: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


class Interpreted(Fact):
    """An Interpretation Report; one without findings is empty, which is a result too."""

    interpreter: int
    findings: tuple[Finding, ...]


class NotInterpreted(Fact):
    """An interpreter that refused, or whose report could not be read; it does not count in n."""

    interpreter: int
    reason: str


class Synthesised(Fact):
    """What follows from the reports by the first rules alone: `Topology.to_json`.

    The rules that decide what a session comes to have been mended since, and may be again; this
    stays as it was, so that recorded sessions follow from their answers. `synthesis` makes the
    output of the reports by the rules of today, and never reads this.

    A comparer that decides more pairs has a run of its own, so that this fact stays as it is.
    `nonconformant` says why the session is not conformant, as far as its protocol knows.
    """

    topology: dict[str, Any]
    nonconformant: tuple[str, ...]
    lost: tuple[int, ...]
    corpus_changed: bool
