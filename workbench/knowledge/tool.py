"""Corpora and the encoder as tools of a protocol's world; what is slow is done in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.knowledge.folder import corpus_folder, read_unchanged

if TYPE_CHECKING:
    from workbench.knowledge.retrieval import Index


def search_tool(
    index_of: Callable[[str], Index],
) -> Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]:
    """Make a tool that searches corpora by name.

    Parameters
    ----------
    index_of : callable
        Makes the index of a corpus, given the name that protocols use. It is called once a corpus,
        at its first search, and raises `CorpusError` where there is none; it is then called again
        at the next.

    Returns
    -------
    async callable
        ``search(*, query, corpus, k=3)``, whose result is a list of `Hit.to_json`. It reads and
        searches in a worker thread, so agents that search at once do not wait for the event loop.
    """
    indexes: dict[str, Index] = {}
    lock = threading.Lock()

    def found(query: str, corpus: str, k: int) -> list[dict[str, Any]]:
        with lock:
            if corpus not in indexes:
                indexes[corpus] = index_of(corpus)
        return [hit.to_json() for hit in indexes[corpus].search(query, k)]

    async def search(*, query: str, corpus: str, k: int = 3) -> list[dict[str, Any]]:
        """Search one corpus and return its best passages."""
        return await asyncio.to_thread(found, query, corpus, k)

    return search


def search_documents(
    corpus: str, passport: str | None = None, near: Path | None = None
) -> dict[str, Callable[..., Any]]:
    """Return the tool ``search`` over a folder of documents, which is read at the first search.

    Parameters
    ----------
    corpus, near
        As for `corpus_folder`.
    passport : str, optional
        The SHA-256 of its passport; documents that are no longer those are refused.

    Raises
    ------
    CorpusError
        If the folder is not there: before anything is sent.
    """
    folder = corpus_folder(corpus, near)

    def index(_: str) -> Index:
        from workbench.knowledge.retrieval import Index

        return Index(read_unchanged(folder, passport))

    return {"search": search_tool(index)}


def cosine_tool() -> Callable[..., Coroutine[Any, Any, float]]:
    """Make a tool that compares two texts.

    Returns
    -------
    async callable
        ``cosine(*, one, other)``, whose result is the cosine of the texts' MiniLM embeddings, in
        [0, 1], to 6 places. It encodes in a worker thread.
    """

    def compared(one: str, other: str) -> float:
        from workbench.knowledge.embedding import MiniLM, cosine

        a, b = MiniLM().encode([one, other])
        return round(cosine(a, b), 6)

    async def cosine(*, one: str, other: str) -> float:
        """Return how near two texts are."""
        return await asyncio.to_thread(compared, one, other)

    return cosine
