"""Passages: stretches of a document of about a hundred words, with ids that last."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from workbench.knowledge.blocks import Atom, Kind, atoms, gap, heading, join
from workbench.knowledge.documents import Document

WORDS = 120
"""Words that a passage has by default. MiniLM reads 256 word pieces, about 190 English words."""

_VERSION = "passages/1"  # raise it with any change to what is cut, named or indexed
_TITLE_CHARACTERS = 120

_CUT = {  # price of cutting before an atom, in squared passage sizes
    Kind.HEADING: 0.0,
    Kind.PARAGRAPH: 0.0,
    Kind.ITEM: 1 / 64,
    Kind.SENTENCE: 1 / 16,
    Kind.LINE: 1 / 8,
    Kind.PIECE: 1 / 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of one document, the unit of retrieval and of citation.

    Attributes
    ----------
    id : str
        ``"{document}#p{n}"``, n counting from 1 within the document; no other document matters.
    document : str
        The document's id.
    start, end : int
        ``document.text[start:end] == text``.
    text : str
        The passage, without white space at either end.
    heading : str
        The trail of headings that it stands under, ``"Title > Section"``; ``""`` if none.
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    heading: str


def splitter(words: int = WORDS) -> str:
    """Return the name of a way to split, as it goes into a passport.

    Parameters
    ----------
    words : int
        Words a passage should have.

    Returns
    -------
    str
        Version and parameter.
    """
    return f"{_VERSION} words={words}"


def split(document: Document, *, words: int = WORDS) -> tuple[Passage, ...]:
    """Split a document into passages.

    A heading begins a passage, except straight after another heading, or in a section that has
    hardly begun and contains the new one. Within a section the cuts are the cheapest ones:
    passages of 3/4 to 7/6 of `words` (90 to 140 for 120) cost nothing, others by the square of
    what they lack or, fourfold, exceed; a cut between paragraphs is free, between list items,
    sentences and rows dearer in that order. Sentences and rows are kept whole up to twice
    `words`; a longer one is broken, at words if it has any.

    Parameters
    ----------
    document : Document
        Its text must be canonical.
    words : int
        Words a passage should have. Every eight visible characters count as a word at least, and
        every 64 blanks, so text without spaces is cut as well, and text with nothing but.

    Returns
    -------
    tuple of Passage
        In the order of the text. Every visible character is in exactly one.

    Raises
    ------
    ValueError
        `words` is under 8.
    """
    if words < 8:
        raise ValueError(f"words={words}: a passage needs room for at least 8 words")
    passages: list[Passage] = []
    for section in _sections(document.text, words):
        for first, last in _cheapest([placed.atom for placed in section], words):
            start, end = section[first].atom.start, section[last - 1].atom.end
            passages.append(
                Passage(
                    id=f"{document.id}#p{len(passages) + 1}",
                    document=document.id,
                    start=start,
                    end=end,
                    text=document.text[start:end],
                    heading=section[first].heading,
                )
            )
    return tuple(passages)


class _Placed(NamedTuple):
    """An atom and the trail of headings over it, or up to it if it is one."""

    atom: Atom
    heading: str
    bare: bool
    """Nothing but headings so far."""


def _sections(text: str, words: int) -> Iterator[list[_Placed]]:
    """Yield runs of atoms that a passage may span."""
    section: list[_Placed] = []
    above: list[tuple[int, str]] = []
    depth = body = 0
    trail = ""
    for atom in atoms(text, small=words // 8, large=2 * words):
        bare = atom.kind is Kind.HEADING
        if bare:
            level, title = heading(text[atom.start : atom.end])
            if len(title) > _TITLE_CHARACTERS:  # every passage carries the trail
                title = title[: _TITLE_CHARACTERS - 1] + "…"
            above = [*(over for over in above if over[0] < level), (level, title)]
            trail = " > ".join(title for _, title in above if title)
            if body and not (body < words / 4 and level > depth):
                yield _glued(section, words)
                section, body = [], 0
            if not body:
                depth = level
        else:
            body += atom.size
        section.append(_Placed(atom, trail, bare))
    if section:
        yield _glued(section, words)


def _glued(section: list[_Placed], words: int) -> list[_Placed]:
    """Tie headings, and blocks of a few words, to what comes after them."""
    glued: list[_Placed] = []
    for placed in section:
        if glued:
            held = glued[-1]
            small = words // 8
            fits = gap(held.atom, placed.atom) < small
            if held.atom.size < (words if held.bare else small) and fits:
                glued.pop()
                placed = _Placed(
                    join(held.atom, placed.atom),
                    placed.heading if held.bare else held.heading,
                    held.bare and placed.bare,
                )
        glued.append(placed)
    return glued


def _cheapest(section: list[Atom], words: int) -> list[tuple[int, int]]:
    """Cut a section into [first, last) runs at the lowest price (dynamic programming)."""
    low, high = words * 3 / 4, words * 7 / 6
    prices = [0.0]
    begins = [0]
    for last in range(1, len(section) + 1):
        total, best, begin = 0, math.inf, last - 1
        for first in range(last - 1, -1, -1):
            total += section[first].size
            if first < last - 1:
                total += gap(section[first], section[first + 1])
            if total > 2 * high and first < last - 1:
                break
            off = low - total if total < low else 2 * max(0.0, total - high)
            cut = _CUT[section[first].kind] * words**2 if first else 0.0
            price = prices[first] + off**2 + cut
            if price < best:
                best, begin = price, first
        prices.append(best)
        begins.append(begin)
    runs: list[tuple[int, int]] = []
    last = len(section)
    while last:
        runs.append((begins[last], last))
        last = begins[last]
    return runs[::-1]
