"""Ledgers: a corpus read again and again, where only what changed on disk is read and hashed.

A file counts as unchanged while the file system tells the same size, inode, time of change and
time of modification, and the last of these lies well before it was read: a file that is written
twice within the clock's grain looks the same. That is how git's index decides. Whoever wants a
proof rather than a shortcut reads the corpus anew with `Corpus.read`.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from workbench.errors import CorpusError
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.documents import (
    MAX_BYTES,
    Document,
    corpus_root,
    read_document,
    read_documents,
)
from workbench.knowledge.passages import WORDS, Passage, split, splitter
from workbench.knowledge.passport import Passport

GRAIN_S = 2.0
"""The coarsest clock of a file system in use (FAT)."""


class _Entry(NamedTuple):
    signature: tuple[int, ...]
    is_settled: bool
    document: Document | None
    passages: tuple[Passage, ...]


class Ledger:
    """Remembers the documents of a folder, so that reading it again costs what changed.

    Parameters
    ----------
    folder, within, words, max_bytes
        As in `Corpus.read`.

    Attributes
    ----------
    reread : tuple of str
        Ids of the documents that the last reading read and hashed, sorted.

    Examples
    --------
    >>> ledger = Ledger("corpora/handbook")  # doctest: +SKIP
    >>> before = ledger.read()  # doctest: +SKIP
    >>> after = ledger.read()  # after a document was added  # doctest: +SKIP
    >>> ledger.reread  # doctest: +SKIP
    ('people/parking.md',)
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        within: str | None = None,
        words: int = WORDS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._folder = folder
        self._within = within
        self._words = words
        self._max_bytes = max_bytes
        self._entries: dict[str, _Entry] = {}
        self.reread: tuple[str, ...] = ()

    def read(self) -> Corpus:
        """Return the corpus as it is now.

        Raises
        ------
        CorpusError
            As `Corpus.read`; what was known is kept.
        """
        root = corpus_root(self._folder)
        seen: dict[str, _Entry] = {}
        reread: list[str] = []

        def document_of(path: Path, *, id: str, max_bytes: int) -> Document | None:
            now_ns = time.time_ns()
            signature = _signature(path)
            entry = self._entries.get(id)
            if entry is None or not entry.is_settled or entry.signature != signature:
                document = read_document(path, id=id, max_bytes=max_bytes)
                reread.append(id)
                is_settled = max(signature[2:4]) < now_ns - GRAIN_S * 1e9
                same = entry is not None and entry.document == document
                if entry is None or not same:
                    passages = () if document is None else split(document, words=self._words)
                    entry = _Entry(signature, is_settled, document, passages)
                else:
                    entry = entry._replace(signature=signature, is_settled=is_settled)
            seen[id] = entry
            return entry.document

        documents, skipped = read_documents(
            root, within=self._within, max_bytes=self._max_bytes, read=document_of
        )
        self._entries = seen
        self.reread = tuple(sorted(reread))
        passages = tuple(p for document in documents for p in seen[document.id].passages)
        return Corpus(
            root=root,
            documents=documents,
            passages=passages,
            skipped=skipped,
            passport=Passport.of(documents, passages=len(passages), splitter=splitter(self._words)),
        )


def _signature(path: Path) -> tuple[int, ...]:
    try:
        told = path.stat()
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror or error}). Check its permissions"
        ) from error
    return told.st_size, told.st_ino, told.st_mtime_ns, told.st_ctime_ns
