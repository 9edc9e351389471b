"""Hybrid retrieval."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import MissingExtra
from workbench.knowledge import retrieval
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.embedding import MiniLM
from workbench.knowledge.retrieval import Index

Write = Callable[[Mapping[str, str | bytes]], Path]

FILES = {
    "a.md": "# Travel\n\nTravel costs grew by four percent.",
    "b.md": "# Staff\n\nTwo engineers were hired in spring.",
    "c.md": "# Legal\n\nThe contract ends in spring. Costs are open.",
    "d.md": "</script><img src=x onerror=alert(1)> e\u0301 a\u2028b",
}


@pytest.fixture
def corpus(folder: Write) -> Corpus:
    """Give four documents of one passage each."""
    return Corpus.read(folder(FILES))


def ids(hits: list[retrieval.Hit]) -> list[str]:
    """Ids of what was found, in order."""
    return [hit.passage.document for hit in hits]


def test_hybrid_fuses_both_lists(corpus: Corpus, encoder: Any) -> None:
    """A score is the sum of reciprocal ranks, and the ranks in both lists are given."""
    hits = Index(corpus, encoder).search("travel costs", k=3)

    assert "a.md" == ids(hits)[0]
    assert [1, 2, 3] == [hit.rank for hit in hits]
    for hit in hits:
        ranks = [rank for rank in (hit.lexical_rank, hit.dense_rank) if rank]
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]


def test_lexical_finds_only_what_shares_a_word(corpus: Corpus, encoder: Any) -> None:
    """Lexical search leaves out the rest, and encodes nothing."""
    hits = Index(corpus, encoder).search("spring costs", mode="lexical")

    assert ["c.md", "a.md", "b.md"] == [ids(hits)[0], *sorted(ids(hits)[1:])]
    assert all(hit.dense_rank is None and hit.lexical_rank == hit.rank for hit in hits)
    assert [] == encoder.encoded


def test_dense_ranks_everything(corpus: Corpus, encoder: Any) -> None:
    """Dense search finds passages without a common word; scores are clipped cosines."""
    hits = Index(corpus, encoder).search("travel costs grew", k=9, mode="dense")

    assert 4 == len(hits)
    assert "a.md" == ids(hits)[0]
    assert all(0.0 <= hit.score <= 1.0 and hit.lexical_rank is None for hit in hits)


def test_headings_are_searched(folder: Write, encoder: Any) -> None:
    """A passage is found by a heading that stands far above it."""
    text = "# Zanzibar\n\n" + "Nothing but prose in this plain sentence. " * 60
    index = Index(Corpus.read(folder({"a.md": text, "b.md": "other"})), encoder)
    hits = index.search("zanzibar", k=10, mode="lexical")

    assert len(hits) > 2
    assert all("Zanzibar" == hit.passage.heading for hit in hits)


@pytest.mark.parametrize("query", ["", " \n\t", "\u2028"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_empty_query(corpus: Corpus, encoder: Any, query: str, mode: Any) -> None:
    """Nothing asked, nothing found."""
    assert [] == Index(corpus, encoder).search(query, mode=mode)


@pytest.mark.parametrize("query", ["the of and", "?!", "x", "zebra quagga"])
def test_query_without_a_lexical_match(corpus: Corpus, encoder: Any, query: str) -> None:
    """Stop words, punctuation and unknown words: no lexical hit, and hybrid is dense."""
    index = Index(corpus, encoder)

    assert [] == index.search(query, mode="lexical")
    hits = index.search(query, k=2)
    assert ids(index.search(query, k=2, mode="dense")) == ids(hits)
    assert [1 / 61, 1 / 62] == [hit.score for hit in hits]


def test_long_query(corpus: Corpus, encoder: Any) -> None:
    """A query of any length is searched."""
    assert "a.md" == ids(Index(corpus, encoder).search("travel costs " * 50_000, k=1))[0]


def test_hostile_query(corpus: Corpus, encoder: Any) -> None:
    """Markup in a query and in a passage is text."""
    hit = Index(corpus, encoder).search("<img src=x onerror=alert(1)>", k=1)[0]

    assert "</script><img src=x onerror=alert(1)> é a\u2028b" == hit.to_json()["text"]


def test_k_over_the_corpus(corpus: Corpus, encoder: Any) -> None:
    """All there is, each once."""
    hits = Index(corpus, encoder).search("travel", k=1000)

    assert ["a.md", "b.md", "c.md", "d.md"] == sorted(ids(hits))


def test_one_passage(folder: Write, encoder: Any) -> None:
    """A corpus of one passage is searched like any other."""
    index = Index(Corpus.read(folder({"a.md": "travel costs"})), encoder)

    assert ["a.md"] == ids(index.search("travel"))


@pytest.mark.parametrize(("k", "mode"), [(0, "hybrid"), (-1, "lexical"), (1, "fuzzy")])
def test_senseless_parameters(corpus: Corpus, encoder: Any, k: int, mode: Any) -> None:
    """No passages asked for, or an unknown mode."""
    with pytest.raises(ValueError, match=r"k=|mode="):
        Index(corpus, encoder).search("travel", k, mode=mode)


def test_ties_are_in_the_order_of_the_corpus(folder: Write, encoder: Any) -> None:
    """Three hundred equal passages: the cut falls after the first ones, in every mode."""
    root = folder({f"{n:03}.md": "travel costs" for n in range(300)})
    index = Index(Corpus.read(root), encoder)
    for mode in ("hybrid", "lexical", "dense"):
        hits = index.search("travel costs", k=7, mode=mode)

        assert [f"{n:03}.md" for n in range(7)] == ids(hits)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1), st.integers(1, 20))
def test_top_is_a_stable_sort(scores: list[float], depth: int) -> None:
    """The fast selection equals sorting everything."""
    expected = sorted(
        ((row, score) for row, score in enumerate(scores) if score > 0),
        key=lambda item: (-item[1], item[0]),
    )

    assert expected[:depth] == retrieval._top(np.array(scores, np.float32), depth, floor=0.0)


def test_without_an_encoder(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index says that it is lexical; dense search names the extra."""
    monkeypatch.setattr(MiniLM, "installed", staticmethod(lambda: False))
    index = Index(corpus)

    assert "lexical" == index.mode
    assert "lexical" in repr(index)
    assert index.search("travel") == index.search("travel", mode="lexical") != []
    with pytest.raises(MissingExtra, match=r"mas-workbench\[embed\]"):
        index.search("travel", mode="dense")


def test_embeddings_are_cached_by_passport(corpus: Corpus, encoder: Any, cache: Path) -> None:
    """A second index of the corpus encodes its query only."""
    Index(corpus, encoder).search("travel")
    encoder.encoded.clear()
    Index(corpus, encoder).search("travel")

    assert ["travel"] == encoder.encoded
    assert (cache / f"{corpus.passport.sha256}-hashing.npy").exists()


def test_json_form(corpus: Corpus, encoder: Any) -> None:
    """What is recorded has ids, heading, text and a rounded score, and survives JSON."""
    (hit,) = Index(corpus, encoder).search("travel", k=1)
    form = hit.to_json()

    assert {
        "passage": "a.md#p1",
        "document": "a.md",
        "heading": "Travel",
        "text": "# Travel\n\nTravel costs grew by four percent.",
        "score": round(2 / 61, 6),
        "mode": "hybrid",
        "encoder": encoder.name,
    } == form
    assert form == json.loads(json.dumps(form))


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_a_hit_tells_how_it_was_found(corpus: Corpus, encoder: Any, mode: Any) -> None:
    """A hit names the encoder that took part; without one a hybrid search is the lexical it is."""
    by = None if mode == "lexical" else encoder.name
    found = Index(corpus, encoder).search("travel", mode=mode)
    assert {(mode, by)} == {(h.mode, h.encoder) for h in found}
    alone = Index(corpus)
    alone.encoder, alone.mode = None, "lexical"
    assert {"lexical"} == {h.to_json()["mode"] for h in alone.search("travel")}


def test_threads_encode_the_corpus_once(corpus: Corpus, encoder: Any) -> None:
    """Searches at the same time share one matrix and find the same."""
    index = Index(corpus, encoder)
    found: list[list[retrieval.Hit]] = []
    threads = [
        threading.Thread(target=lambda: found.append(index.search("travel"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 8 == len(found)
    assert all(hits == found[0] for hits in found)
    assert 4 + 8 == len(encoder.encoded)


@pytest.mark.embed
def test_minilm_finds_by_meaning(corpus: Corpus) -> None:
    """With the real encoder a query without a common word finds its passage."""
    index = Index(corpus)

    assert "hybrid" == index.mode
    assert "b.md" == ids(index.search("new employees", k=1))[0]


class _Fixed:
    """Encodes every query as the same vector: the product is what is timed."""

    name = "fixed"
    dimensions = 8

    def encode(self, texts: Sequence[str]) -> Any:
        """Encode texts."""
        return np.tile(np.eye(8, dtype=np.float32)[0], (len(texts), 1))


def test_dense_scores_never_exceed_one(corpus: Corpus) -> None:
    """Rounding does not push a cosine over 1."""
    assert {1.0} == {h.score for h in Index(corpus, _Fixed()).search("x", mode="dense")}
