"""Corpora: the documents of a folder, their passages and their passport."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbench.errors import CorpusError
from workbench.knowledge.documents import MAX_BYTES, Document, corpus_root, read_documents
from workbench.knowledge.passages import WORDS, Passage, split, splitter
from workbench.knowledge.passport import Passport


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Corpus:
    """The documents of a folder tree, split into passages.

    Attributes
    ----------
    root : Path
        The corpus root; ids are relative to it.
    documents : tuple of Document
        Sorted by id.
    passages : tuple of Passage
        In the order of the documents and of their texts.
    skipped : mapping of str to str
        Files and folders left out, relative to the root, and why.
    passport : Passport
        The identity of these documents and this way to split them.

    Examples
    --------
    >>> corpus = Corpus.read("corpora/aura_hub")  # doctest: +SKIP
    >>> corpus.passage("finance_analyst/launch_budget_rules.md#p4").heading  # doctest: +SKIP
    'What counts against the Aura Hub launch budget > Going over'
    """

    root: Path
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    skipped: Mapping[str, str]
    passport: Passport

    @classmethod
    def read(
        cls,
        folder: str | Path,
        *,
        within: str | None = None,
        words: int = WORDS,
        max_bytes: int = MAX_BYTES,
    ) -> Corpus:
        """Read a corpus from a folder.

        Parameters
        ----------
        folder : str or Path
            The corpus root, with documents in it or in folders under it.
        within : str, optional
            Read this folder under the root only; ids stay relative to the root.
        words : int
            Words a passage should have, see `split`.
        max_bytes : int
            Size limit for one file.

        Returns
        -------
        Corpus

        Raises
        ------
        CorpusError
            The folder or a file in it is not usable, see `read_documents`.
        """
        root = corpus_root(folder)
        documents, skipped = read_documents(root, within=within, max_bytes=max_bytes)
        passages = tuple(
            passage for document in documents for passage in split(document, words=words)
        )
        return cls(
            root=root,
            documents=documents,
            passages=passages,
            skipped=skipped,
            passport=Passport.of(documents, passages=len(passages), splitter=splitter(words)),
        )

    def passage(self, id: str) -> Passage:
        """Return the passage of an id.

        Parameters
        ----------
        id : str
            E.g. ``"finance_analyst/launch_budget_rules.md#p4"``.

        Returns
        -------
        Passage

        Raises
        ------
        CorpusError
            There is none; the message says how many passages its document has, or which
            documents there are.
        """
        found = self._by_id.get(id)
        if found is not None:
            return found
        document = id.rpartition("#p")[0]
        known = [p.id for p in self.passages if p.document == document]
        if known:
            raise CorpusError(f"no passage {id!r}: {document} has {known[0]} to {known[-1]}")
        some = ", ".join(document.id for document in self.documents[:5])
        more = f" and {len(self.documents) - 5} more" if len(self.documents) > 5 else ""
        raise CorpusError(f"no passage {id!r}: the documents are {some}{more}")

    @cached_property
    def _by_id(self) -> dict[str, Passage]:
        return {passage.id: passage for passage in self.passages}

    def __repr__(self) -> str:
        return (
            f"Corpus({str(self.root)!r}: {len(self.documents)} documents, "
            f"{len(self.passages)} passages, passport {self.passport.sha256[:12]})"
        )
