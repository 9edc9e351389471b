"""Hybrid search over 20,000 passages with random unit vectors, beside encoding the query."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import row
from row import Row

PASSAGES = 20_000
WORDS = 100
VOCABULARY = 30_000
DIMENSIONS = 384


class Drawn:
    """An encoder that draws unit vectors, and keeps count of the time that this takes."""

    name = "drawn"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        import numpy as np

        self._draw = np.random.default_rng(0)
        self.taken_s = 0.0

    def encode(self, texts: Sequence[str]) -> Any:
        """Return random rows of length 1."""
        import numpy as np

        begun = time.perf_counter()
        made = self._draw.standard_normal((len(texts), DIMENSIONS), np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        self.taken_s += time.perf_counter() - begun
        return made


def measure(*, quick: bool) -> list[Row]:
    """Return milliseconds a query."""
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.passages import Passage
    from workbench.knowledge.passport import Passport
    from workbench.knowledge.retrieval import Index

    count = PASSAGES // 10 if quick else PASSAGES
    draw = random.Random(0)
    vocabulary = [f"word{rank}" for rank in range(VOCABULARY)]
    # Zipf and Mandelbrot: what is left of English when the stop words are gone.
    total, sums = 0.0, []
    for rank in range(VOCABULARY):
        total += 1 / (rank + 50)
        sums.append(total)

    def text(words: int) -> str:
        return " ".join(draw.choices(vocabulary, cum_weights=sums, k=words))

    passages = tuple(
        Passage(id=f"d#p{n}", document="d", start=0, end=0, text=text(WORDS), heading="")
        for n in range(1, count + 1)
    )
    passport = Passport(sha256="0" * 64, documents={}, passages=count, splitter="")
    corpus = Corpus(root=Path(), documents=(), passages=passages, skipped={}, passport=passport)
    taken: dict[str, list[float]] = {"hybrid": [], "lexical": [], "dense": []}
    with tempfile.TemporaryDirectory() as folder:
        encoder = Drawn()
        index = Index(corpus, encoder, cache=folder)
        for number in range(-20, 50 if quick else 300):
            query = text(8)
            for mode, some in taken.items():
                before, begun = encoder.taken_s, time.perf_counter()
                index.search(query, mode=mode)  # type: ignore[arg-type]
                spent = time.perf_counter() - begun - (encoder.taken_s - before)
                if number >= 0:
                    some.append(1000 * spent)
    said = f"search of {count:,} passages"
    return [
        row.of(f"hybrid {said}", taken["hybrid"], "ms", target=None if quick else 2.0),
        row.of(f"lexical {said}", taken["lexical"], "ms"),
        row.of(f"dense {said}", taken["dense"], "ms"),
    ]
