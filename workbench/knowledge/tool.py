"""The search tool: corpora as a named tool of a run's world."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from workbench.errors import CorpusError
from workbench.knowledge.retrieval import Index


def search_tool(
    indexes: Mapping[str, Index],
) -> Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]:
    """Make a tool that searches corpora by name.

    Parameters
    ----------
    indexes : mapping of str to Index
        Index of each corpus, under the name that protocols use.

    Returns
    -------
    async callable
        ``search(*, query, corpus, k=5)``, whose result is a list of `Hit.to_json`. The search
        runs in a worker thread, so agents that search at once do not wait for the event loop.
        It raises `CorpusError` for an unknown corpus, naming the known ones.
    """

    async def search(*, query: str, corpus: str, k: int = 5) -> list[dict[str, Any]]:
        """Search one corpus and return its best passages."""
        index = indexes.get(corpus)
        if index is None:
            known = ", ".join(sorted(indexes)) or "none"
            raise CorpusError(f"no corpus {corpus!r} to search. Known corpora: {known}")
        hits = await asyncio.to_thread(index.search, query, k)
        return [hit.to_json() for hit in hits]

    return search
