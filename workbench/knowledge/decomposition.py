"""Sub-queries: a question taken apart, each part aligned with the claims and terms of a corpus.

"When Agreement Means Something", section 2, layer 2. Decision: a question is cut where one question
ends and where ``and`` begins another; a part is aligned with the terms that it names, and with the
claims that share most of its words, rare words counting for more.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import NamedTuple

from workbench.knowledge.claims import Structure
from workbench.knowledge.terms import Mentions, content_words

MOST_SUB_QUERIES = 4
MOST_CLAIMS = 5
LEAST_SHARE = 0.4
"""Of a sub-query's words, weighed by rarity, that an aligned claim has at least."""

_ENDS = re.compile(r"(?<=[?;])\s+")
_ASKS = (
    r"who|whom|whose|what|which|when|where|why|how|is|are|was|were|does|do|did|may|must|can|could"
    r"|should|will|has|have"
)
_BEFORE = "by|for|to|from|in|at|on|of|with|within|until|after|before|under|above|since"
_START = rf"(?:(?:{_BEFORE}) )?(?:{_ASKS})\b"
_AND = re.compile(rf",?\s+(?:and|or)\s+(?={_START})", re.IGNORECASE)


class Aligned(NamedTuple):
    """A sub-query: ``Q1``, its words, and ids of claims (best first) and terms (sorted)."""

    id: str
    text: str
    claims: tuple[str, ...]
    terms: tuple[str, ...]


def parts_of(question: str) -> tuple[str, ...]:
    """Return the parts of a question, or the whole where it has none or too many.

    Examples
    --------
    >>> parts_of("How long is notice, and who approves it?")
    ('How long is notice?', 'who approves it?')
    >>> parts_of("Who may sign for tea and cake?")
    ('Who may sign for tea and cake?',)
    """
    whole = question.strip()
    asked = [text.strip() for text in _ENDS.split(whole) if text.strip()]
    if len(asked) > 1 and any(text.endswith("?") for text in asked):
        told = [text for text in asked if not text.endswith("?")]
        # What is told before it is asked ("I work nights. ...") belongs to every part: leave it.
        if told:
            return (whole,)
    made = [part for text in asked for part in _cut(text)]
    return tuple(made) if 1 < len(made) <= MOST_SUB_QUERIES else (whole,)


def _cut(text: str) -> list[str]:
    pieces = [piece.strip() for piece in _AND.split(text)]
    if len(pieces) < 2 or not all(len(piece.split()) >= 2 for piece in pieces):
        return [text]
    if not re.match(_START, pieces[0], re.IGNORECASE):
        return [text]
    return [piece if piece.endswith("?") else f"{piece.rstrip('.,;')}?" for piece in pieces]


class Aligner:
    """Aligns texts with the claims and terms of a structure; build it once a structure."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._mentions = Mentions(structure.terms)
        self._claims: defaultdict[str, list[int]] = defaultdict(list)
        for n, claim in enumerate(structure.claims):
            for word in content_words(claim.text):
                self._claims[word].append(n)

    def align(self, text: str, number: int = 1) -> Aligned:
        """Return a sub-query with what it is aligned to.

        Parameters
        ----------
        text : str
            The sub-query.
        number : int
            Its place, from 1.
        """
        return Aligned(
            id=f"Q{number}", text=text, claims=self.claims(text), terms=self._mentions(text)
        )

    def claims(self, text: str, most: int = MOST_CLAIMS) -> tuple[str, ...]:
        """Return the ids of the claims that share most with a text, best first."""
        known = content_words(text)
        total = len(self._structure.claims) + 1
        weights = {word: math.log(total / (1 + len(self._claims.get(word, ())))) for word in known}
        scores: defaultdict[int, float] = defaultdict(float)
        for word in sorted(known):
            for n in self._claims.get(word, ()):
                scores[n] += weights[word]
        least = LEAST_SHARE * sum(weights.values())
        best = sorted((-score, n) for n, score in scores.items() if score >= least)[:most]
        return tuple(self._structure.claims[n].id for _, n in best)
