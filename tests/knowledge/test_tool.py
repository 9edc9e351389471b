"""The search tool."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import CorpusError
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.embedding import MiniLM
from workbench.knowledge.retrieval import Index
from workbench.knowledge.tool import cosine_tool, search_tool

Write = Callable[[Mapping[str, str | bytes]], Path]


Opener = Callable[[str], Index]


@pytest.fixture
def index_of(folder: Write, encoder: Any) -> Opener:
    """Give what makes the indexes of two corpora."""
    root = folder({"finance/a.md": "travel costs", "legal/b.md": "travel terms"})
    return lambda name: Index(Corpus.read(root, within=name), encoder)


def test_searches_the_named_corpus(index_of: Opener) -> None:
    """Hits come from that corpus alone, in their JSON form, with how they were found."""
    search = search_tool(index_of)
    hits = asyncio.run(search(query="travel", corpus="finance", k=3))

    assert [("finance/a.md#p1", "hybrid")] == [(hit["passage"], hit["mode"]) for hit in hits]


def test_unknown_corpus(index_of: Opener) -> None:
    """What the maker of indexes refuses is refused, each time anew."""
    search = search_tool(index_of)

    for _ in range(2):
        with pytest.raises(CorpusError, match="tax: no such folder"):
            asyncio.run(search(query="travel", corpus="tax"))


def test_an_index_is_made_once_beside_the_event_loop(index_of: Opener) -> None:
    """Searches at the same time share one index, which another thread makes and searches."""
    threads: list[str] = []

    def slowly(name: str) -> Index:
        threads.append(threading.current_thread().name)
        time.sleep(0.05)
        return index_of(name)

    search = search_tool(slowly)

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(search(query="travel", corpus="legal") for _ in range(5)))

    assert 5 == len(asyncio.run(all_at_once()))
    assert 1 == len(threads)
    assert threading.main_thread().name not in threads


def test_a_cosine_is_computed_beside_the_event_loop(
    encoder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread encodes; the value is rounded to 6 places."""
    threads: list[str] = []

    def encode(self: MiniLM, texts: list[str]) -> Any:
        threads.append(threading.current_thread().name)
        return encoder.encode(texts)

    monkeypatch.setattr(MiniLM, "encode", encode)
    found = asyncio.run(cosine_tool()(one="travel costs", other="travel terms"))

    assert threading.main_thread().name not in threads
    assert 0 < found < 1
    assert round(found, 6) == found
