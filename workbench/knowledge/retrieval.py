"""Hybrid retrieval: BM25 and embeddings, fused by reciprocal rank."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.cache import cache_folder
from workbench.errors import MissingExtra
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.dense import embeddings
from workbench.knowledge.embedding import Encoder, MiniLM
from workbench.knowledge.lexical import Lexical
from workbench.knowledge.passages import Passage

Mode = Literal["hybrid", "lexical", "dense"]

RRF_K = 60
"""The constant of reciprocal rank fusion that Cormack et al. settled on."""

DEPTH = 100
"""How much of each list is fused, or k if that is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that a search found.

    Attributes
    ----------
    passage : Passage
        What was found.
    score : float
        Fused score (hybrid), BM25 (lexical) or cosine clipped to [0, 1] (dense). Comparable
        within one search only.
    rank : int
        From 1.
    lexical_rank, dense_rank : int or None
        Its place in each list, from 1; None where that list does not have it.
    mode : {"hybrid", "lexical", "dense"}
        How it was found: "lexical" for a hybrid search without an encoder.
    encoder : str or None
        The name of the encoder that took part.
    """

    passage: Passage
    score: float
    rank: int
    lexical_rank: int | None
    dense_rank: int | None
    mode: Mode
    encoder: str | None = None

    def to_json(self) -> dict[str, str | float | None]:
        """Return what a language model is shown and a run records.

        Returns
        -------
        dict
            ``passage`` and ``document`` (ids), ``heading``, ``text``, ``score`` (6 digits),
            ``mode``, ``encoder``.
        """
        return {
            "passage": self.passage.id,
            "document": self.passage.document,
            "heading": self.passage.heading,
            "text": self.passage.text,
            "score": round(self.score, 6),
            "mode": self.mode,
            "encoder": self.encoder,
        }


class Index:
    """A corpus made searchable.

    A passage is indexed with the trail of its headings. The lexical index is built here, the
    embeddings at the first search that needs them, from the cache if they are there. Threads may
    search at the same time.

    Parameters
    ----------
    corpus : Corpus
        What to search.
    encoder : Encoder, optional
        Without one, `MiniLM` if it is installed; if not, the index works lexically.
    cache : str or Path, optional
        Folder for embeddings; `cache_folder()` if not given.

    Attributes
    ----------
    corpus : Corpus
        What is searched.
    encoder : Encoder or None
        What encodes.
    mode : {"hybrid", "lexical"}
        What a search does unless told otherwise; "lexical" says that there is no encoder.
    """

    def __init__(
        self, corpus: Corpus, encoder: Encoder | None = None, *, cache: str | Path | None = None
    ) -> None:
        if encoder is None and MiniLM.installed():
            encoder = MiniLM()
        self.corpus = corpus
        self.encoder = encoder
        self.mode: Literal["hybrid", "lexical"] = "lexical" if encoder is None else "hybrid"
        self._folder = cache_folder() if cache is None else Path(cache)
        self._texts = [f"{p.heading}\n{p.text}" for p in corpus.passages]
        self._lexical = Lexical(self._texts)
        self._matrix: NDArray[np.float32] | None = None
        self._lock = threading.Lock()

    def search(self, query: str, k: int = 5, *, mode: Mode = "hybrid") -> list[Hit]:
        """Find passages.

        Parameters
        ----------
        query : str
            Of any length. Nothing is found for one without a visible character.
        k : int
            How many at most.
        mode : {"hybrid", "lexical", "dense"}
            Lexical search finds passages that share a word with the query; dense search ranks all
            passages by cosine; hybrid fuses the two lists, a passage's score being the sum of
            1 / (60 + rank) over the lists that have it [1]_. Without an encoder hybrid search is
            lexical search.

        Returns
        -------
        list of Hit
            Best first; equal scores in the order of the corpus (document id, then place in the
            document).

        Raises
        ------
        MissingExtra
            Dense search without an encoder.
        ValueError
            `k` is under 1, or `mode` is none of the three.

        References
        ----------
        .. [1] Cormack, Clarke and Buettcher, Reciprocal rank fusion outperforms Condorcet and
           individual rank learning methods, SIGIR 2009, doi:10.1145/1571941.1572114
        """
        if k < 1:
            raise ValueError(f"k={k}: ask for at least one passage")
        if mode not in ("hybrid", "lexical", "dense"):
            raise ValueError(f"mode={mode!r}: use 'hybrid', 'lexical' or 'dense'")
        if mode == "hybrid":
            mode = self.mode
        if not query.strip():
            return []
        depth = max(k, DEPTH)
        lexical = self._lexical_list(query, depth) if mode != "dense" else []
        dense = self._dense_list(query, depth) if mode != "lexical" else []
        lexical_ranks = {row: rank for rank, (row, _) in enumerate(lexical, 1)}
        dense_ranks = {row: rank for rank, (row, _) in enumerate(dense, 1)}
        best = (_fused(lexical_ranks, dense_ranks) if mode == "hybrid" else lexical or dense)[:k]
        encoder = None if self.encoder is None or mode == "lexical" else self.encoder.name
        return [
            Hit(
                passage=self.corpus.passages[row],
                score=score,
                rank=rank,
                lexical_rank=lexical_ranks.get(row),
                dense_rank=dense_ranks.get(row),
                mode=mode,
                encoder=encoder,
            )
            for rank, (row, score) in enumerate(best, 1)
        ]

    def _lexical_list(self, query: str, depth: int) -> list[tuple[int, float]]:
        scores = self._lexical.scores(query)
        return _top(scores, depth, floor=0.0)

    def _dense_list(self, query: str, depth: int) -> list[tuple[int, float]]:
        if self.encoder is None:
            raise MissingExtra(
                "dense search needs an encoder: pip install 'mas-workbench[embed]', or pass one "
                "to Index"
            )
        vector = np.asarray(self.encoder.encode([query]), np.float32)[0]
        found = _top(self._embeddings(self.encoder) @ vector, depth, floor=-np.inf)
        return [(row, min(1.0, max(0.0, score))) for row, score in found]

    def _embeddings(self, encoder: Encoder) -> NDArray[np.float32]:
        if self._matrix is None:
            with self._lock:
                if self._matrix is None:
                    self._matrix = embeddings(
                        self._texts,
                        encoder,
                        passport=self.corpus.passport.sha256,
                        folder=self._folder,
                    )
        return self._matrix

    def __repr__(self) -> str:
        encoder = f", {self.encoder.name}" if self.encoder else ""
        return f"Index({self.corpus!r}, {self.mode}{encoder})"


def _top(scores: NDArray[np.float32], depth: int, *, floor: float) -> list[tuple[int, float]]:
    """Rows of the best scores over `floor`, best first, equal scores in the order of rows."""
    depth = min(depth, len(scores))
    # The cut is a score, not a set of rows: which of several equal rows argpartition keeps is
    # not defined. Ties at the cut are settled by the stable sort.
    cut = scores[np.argpartition(scores, len(scores) - depth)[len(scores) - depth]]
    rows = np.flatnonzero(scores >= cut if cut > floor else scores > floor)
    best = rows[np.argsort(-scores[rows], kind="stable")][:depth]
    return list(zip(best.tolist(), scores[best].tolist(), strict=True))


def _fused(*lists: dict[int, int]) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranks in lists:
        for row, rank in ranks.items():
            scores[row] = scores.get(row, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
