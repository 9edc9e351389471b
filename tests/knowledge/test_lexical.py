"""BM25 over passages."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workbench.knowledge.lexical import Lexical

TEXTS = ["travel costs grew", "costs of the legal team", "the weather was fine", "travel travel"]


def bm25(query: list[str], texts: list[list[str]], k1: float = 1.5, b: float = 0.75) -> list[float]:
    """Score by the formula, slowly (Lucene's variant, without the constant factor k1 + 1)."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        score = 0.0
        for token in query:
            n = sum(token in other for other in texts)
            idf = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) if n else 0.0
            tf = text.count(token)
            score += idf * tf / (tf + k1 * (1 - b + b * len(text) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["travel costs", "Costs!", "travel travel team", "nothing here"])
def test_scores_are_bm25(query: str) -> None:
    """Scores equal a slow twin's, also for a word said twice."""
    lexical = Lexical(TEXTS)
    expected = bm25(lexical.tokens(query), [lexical.tokens(text) for text in TEXTS])

    np.testing.assert_allclose(lexical.scores(query), expected, rtol=1e-5)


def test_tokens_are_those_of_bm25s() -> None:
    """The tokeniser is bm25s's own, written out for one text."""
    import bm25s  # type: ignore[import-untyped]

    text = "The Café's 3rd budget: e\u0301 漢字 snake_case I/O a-b </script> 2024\u20282025"
    (expected,) = bm25s.tokenize([text], return_ids=False, show_progress=False)

    assert expected == Lexical(TEXTS).tokens(text)


@pytest.mark.parametrize("texts", [[], ["...", "the"], ["a"]])
def test_texts_without_a_token(texts: list[str]) -> None:
    """Nothing to index is not an error: every score is 0."""
    assert [0.0] * len(texts) == Lexical(texts).scores("travel").tolist()
