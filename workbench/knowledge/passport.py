"""Passports: the identity of a corpus, from the digests of its documents.

Two passports say what changed from one reading to another::

    before = wb.Corpus.read("corpora/aura_hub").passport
    ...
    before.diff(wb.Corpus.read("corpora/aura_hub").passport).changed
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from workbench.errors import CorpusError
from workbench.knowledge.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class PassportDiff:
    """What lies between two passports.

    Attributes
    ----------
    added, removed, changed : tuple of str
        Document ids, sorted. A renamed document is one removed and one added.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether any document differs."""
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passport:
    """The identity of a corpus: equal passports mean equal passages, titles and ids.

    So they mean equal versions as well, which are told from these alone.

    Attributes
    ----------
    sha256 : str
        Over canonical JSON of the sorted (id, digest) pairs and the splitter, hexadecimal.
    documents : mapping of str to str
        Document id to `Document.sha256`, of its content and its own title; cannot be changed.
    passages : int
        Number of passages.
    splitter : str
        Version and parameters of the splitter.
    """

    sha256: str
    documents: Mapping[str, str]
    passages: int
    splitter: str

    @classmethod
    def of(cls, documents: Iterable[Document], *, passages: int, splitter: str) -> Passport:
        """Issue the passport of some documents.

        Parameters
        ----------
        documents : iterable of Document
            In any order.
        passages : int
            How many passages they were split into.
        splitter : str
            Version and parameters of the splitter.

        Returns
        -------
        Passport
            The same for the same documents in another order.
        """
        digests = {document.id: document.sha256 for document in documents}
        return cls._of(digests, passages, splitter)

    @classmethod
    def _of(cls, digests: Mapping[str, str], passages: int, splitter: str) -> Passport:
        body = json.dumps(
            {"documents": sorted(digests.items()), "splitter": splitter},
            sort_keys=True,
            separators=(",", ":"),
        )
        return cls(
            sha256=hashlib.sha256(body.encode("ascii")).hexdigest(),
            documents=MappingProxyType(dict(sorted(digests.items()))),
            passages=passages,
            splitter=splitter,
        )

    def diff(self, other: Passport) -> PassportDiff:
        """Say what changed from this passport to another.

        Parameters
        ----------
        other : Passport
            The later one.

        Returns
        -------
        PassportDiff
            False in a condition when no document differs (the splitters may).
        """
        mine, theirs = self.documents, other.documents
        return PassportDiff(
            added=tuple(sorted(theirs.keys() - mine.keys())),
            removed=tuple(sorted(mine.keys() - theirs.keys())),
            changed=tuple(
                sorted(id for id in mine.keys() & theirs.keys() if mine[id] != theirs[id])
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the passport as JSON, which `from_json` reads."""
        return {
            "sha256": self.sha256,
            "splitter": self.splitter,
            "passages": self.passages,
            "documents": dict(self.documents),
        }

    @classmethod
    def from_json(cls, told: Any) -> Passport:
        """Return the passport that `to_json` wrote.

        Raises
        ------
        CorpusError
            It is none, or its digest is not that of what it lists: a byte was changed.
        """
        try:
            documents = {str(id): str(digest) for id, digest in told["documents"].items()}
            made = cls._of(documents, int(told["passages"]), str(told["splitter"]))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise CorpusError("not a passport: write one with `workbench passport`") from None
        if made.sha256 != told.get("sha256"):
            raise CorpusError(
                f"a damaged passport: its list has the digest {made.sha256[:12]}, and it says "
                f"{str(told.get('sha256'))[:12]}"
            )
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Passport._of, (dict(self.documents), self.passages, self.splitter)

    def __hash__(self) -> int:
        return hash(self.sha256)
