"""The search tool."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import CorpusError
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.retrieval import Index
from workbench.knowledge.tool import search_tool

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def indexes(folder: Write, encoder: Any) -> dict[str, Index]:
    """Give the indexes of two corpora."""
    corpus = Corpus.read(folder({"finance/a.md": "travel costs", "legal/b.md": "travel terms"}))
    return {name: Index(corpus.within(name), encoder) for name in ("finance", "legal")}


def test_searches_the_named_corpus(indexes: dict[str, Index]) -> None:
    """Hits come from that corpus alone, in their JSON form."""
    search = search_tool(indexes)

    assert ["finance/a.md#p1"] == [
        hit["passage"] for hit in asyncio.run(search(query="travel", corpus="finance", k=3))
    ]


def test_unknown_corpus(indexes: dict[str, Index]) -> None:
    """The known names are given."""
    with pytest.raises(CorpusError, match=r"'tax' to search\. Known corpora: finance, legal"):
        asyncio.run(search_tool(indexes)(query="travel", corpus="tax"))


def test_runs_beside_the_event_loop(indexes: dict[str, Index]) -> None:
    """The search is done by another thread."""
    threads: list[str] = []
    index = indexes["legal"]
    real = index.search

    def record(query: str, k: int) -> Any:
        threads.append(threading.current_thread().name)
        return real(query, k)

    index.search = record  # type: ignore[method-assign,assignment]
    asyncio.run(search_tool(indexes)(query="travel", corpus="legal"))

    assert threading.main_thread().name not in threads
    assert 1 == len(threads)
