"""Lexical scores: BM25 over a corpus's passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TOKEN = re.compile(r"\b\w\w+\b")


class Lexical:
    """BM25 [1]_ in Lucene's variant (k1 = 1.5, b = 0.75), indexed by bm25s [2]_.

    Tokens are runs of two or more word characters in lower case, without English stop words and
    without stemming, the same for passages and queries.

    Parameters
    ----------
    texts : sequence of str
        One for each passage.

    References
    ----------
    .. [1] Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009,
       doi:10.1561/1500000019
    .. [2] Lù, BM25S: Orders of magnitude faster lexical search via eager sparse scoring, 2024,
       arXiv:2407.03618
    """

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s  # type: ignore[import-untyped]  # ships no types
        from bm25s.stopwords import STOPWORDS_EN  # type: ignore[import-untyped]

        self._stop_words = frozenset(STOPWORDS_EN)
        self._vocabulary: dict[str, int] = {}
        ids = [
            [self._vocabulary.setdefault(token, len(self._vocabulary)) for token in found]
            for found in map(self.tokens, texts)
        ]
        self._count = len(texts)
        self._columns: dict[str, Any] | None = None
        if self._vocabulary:  # bm25s divides by the mean length
            bm25 = bm25s.BM25(backend="numpy")
            bm25.index((ids, dict(self._vocabulary)), show_progress=False)
            self._columns = bm25.scores

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, in order.

        Parameters
        ----------
        text : str
            A passage or a query.

        Returns
        -------
        list of str
        """
        return [t for t in _TOKEN.findall(text.lower()) if t not in self._stop_words]

    def scores(self, query: str) -> NDArray[np.float32]:
        """Score every passage for a query.

        Parameters
        ----------
        query : str
            Any text.

        Returns
        -------
        ndarray of float32, shape (passages,)
            0 where no token of the query occurs.
        """
        scores = np.zeros(self._count, np.float32)
        if self._columns is None:
            return scores
        data, rows, starts = (self._columns[key] for key in ("data", "indices", "indptr"))
        # Straight from bm25s's columns: its own retrieve() costs more than the sums. A passage
        # occurs once in a token's column, so a fancy-indexed += adds each posting.
        counts: dict[int, int] = {}
        for token in self.tokens(query):
            id = self._vocabulary.get(token)
            if id is not None:
                counts[id] = counts.get(id, 0) + 1
        for id, count in counts.items():
            column = slice(starts[id], starts[id + 1])
            scores[rows[column]] += data[column] if count == 1 else count * data[column]
        return scores
