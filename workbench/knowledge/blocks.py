"""Atoms: the smallest pieces of a text that a passage may begin or end with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What an atom is, which says how dear it is to cut before it."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    SENTENCE = "sentence"
    LINE = "line"
    PIECE = "piece"


class Atom(NamedTuple):
    """A span of text that is kept whole.

    Attributes
    ----------
    start, end : int
        ``text[start:end]``, without white space at either end.
    size : int
        Its size in words, see `size`.
    kind : Kind
        PARAGRAPH for the first atom of any block (paragraph, table, code); ITEM for a list item;
        SENTENCE and LINE (table row, line of code) for later atoms of a block; PIECE for the
        later parts of a sentence or row that had to be broken.
    """

    start: int
    end: int
    size: int
    kind: Kind


_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|$)")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'\u201d\u2019»)\]]*\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])(?=\S)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:[^\W\d_]|e\.g|i\.e|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Eq|Sec|vs|cf|etc|al|approx)\.$"
)
_CHARACTERS_PER_WORD = 8
_BLANKS_PER_WORD = 64
_MARKS = 32  # combining marks a letter may have before it is cut from some (UAX #15 allows 30)


def size(text: str) -> int:
    """Return the size of a text in words.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    int
        The number of words between white space, or an eighth of the visible characters if that
        is more, so that scripts without spaces and unbroken strings have a size too. So do blanks,
        of which 64 are a word.
    """
    words = text.split()
    visible = sum(map(len, words))
    blanks = (len(text) - visible) // _BLANKS_PER_WORD
    return max(len(words), visible // _CHARACTERS_PER_WORD, blanks)


def gap(one: Atom, two: Atom) -> int:
    """Return the size of the white space between two neighbours, in words.

    Parameters
    ----------
    one, two : Atom
        In the order of the text.

    Returns
    -------
    int
        0 unless there is very much of it.
    """
    return (two.start - one.end) // _BLANKS_PER_WORD


def heading(line: str) -> tuple[int, str]:
    """Return the level and the title of an ATX heading.

    Parameters
    ----------
    line : str
        E.g. ``"## Travel ##"``.

    Returns
    -------
    level : int
        1 to 6.
    title : str
        Without the marks on either side; ``""`` if there is nothing else.
    """
    line = line.strip()
    title = line.lstrip("#")
    level = len(line) - len(title)
    # Not a regular expression: on a long line of blanks it would take quadratic time.
    open_end = title.rstrip("#")
    if not open_end or open_end[-1] in " \t":
        title = open_end
    return level, title.strip()


def join(one: Atom, two: Atom) -> Atom:
    """Return one atom over two neighbours; it is of the first one's kind.

    Parameters
    ----------
    one, two : Atom
        In the order of the text.

    Returns
    -------
    Atom
    """
    return Atom(one.start, two.end, one.size + gap(one, two) + two.size, one.kind)


def atoms(text: str, *, small: int, large: int) -> Iterator[Atom]:
    """Cut a canonical text into atoms, in order; every visible character is in exactly one.

    Parameters
    ----------
    text : str
        Canonical text. Markdown structure is looked for in any of them: ATX headings, fenced
        code, tables with ``|`` and lists.
    small : int
        Neighbours within a block are joined until they have this many words.
    large : int
        A sentence, row or line of more words than this is broken.

    Yields
    ------
    Atom
    """
    for kind, start, end in _blocks(text):
        if kind is Kind.HEADING:
            yield from _broken(text, start, end, Kind.HEADING, large)
        else:
            yield from _joined(_inside(text, start, end, kind, large), small)


def _blocks(text: str) -> Iterator[tuple[Kind, int, int]]:
    """Headings, list items, tables and fenced code (LINE), and paragraphs."""
    kind: Kind | None = None
    start = end = position = 0
    fence = ""
    for line in text.split("\n"):
        here, position = position, position + len(line) + 1
        opening = _FENCE.match(line)
        found: Kind | None
        if fence:
            found, begins = Kind.LINE, False
            if opening and opening[1].startswith(fence) and line.strip() == opening[1]:
                fence = ""
        elif opening:
            found, begins, fence = Kind.LINE, True, opening[1]
        elif not line.strip():
            found, begins = None, False
        elif _HEADING.match(line):
            found, begins = Kind.HEADING, True
        elif line.lstrip().startswith("|") or " | " in line:
            found, begins = Kind.LINE, kind is not Kind.LINE
        elif _ITEM.match(line):
            found, begins = Kind.ITEM, True
        elif kind is Kind.ITEM:  # prose straight below an item belongs to it
            found, begins = Kind.ITEM, False
        else:
            found, begins = Kind.PARAGRAPH, kind is not Kind.PARAGRAPH
        if kind is not None and (begins or found is None):
            yield kind, start, end
            kind = None
        if found is not None:
            if kind is None:
                kind, start = found, here
            end = here + len(line)
    if kind is not None:
        yield kind, start, end


def _inside(text: str, start: int, end: int, kind: Kind, large: int) -> Iterator[Atom]:
    """Cut prose into sentences, a table or code into lines."""
    later = Kind.LINE if kind is Kind.LINE else Kind.SENTENCE
    spans = _lines(text, start, end) if kind is Kind.LINE else _sentences(text, start, end)
    first = Kind.ITEM if kind is Kind.ITEM else Kind.PARAGRAPH
    for left, right in spans:
        for atom in _broken(text, left, right, first, large):
            yield atom
            first = later


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE_END.finditer(text, start, end):
        if _ABBREVIATION.search(text, max(start, match.start() - 12), match.start()):
            continue
        if match.start() > start:
            yield start, match.end()
            start = match.end()
    yield start, end


def _broken(text: str, start: int, end: int, kind: Kind, large: int) -> Iterator[Atom]:
    """One atom, or pieces of one that is too large: at sentences, then words, then characters."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return
    words = size(text[start:end])
    if words <= large:
        yield Atom(start, end, words, kind)
        return
    room = large * _CHARACTERS_PER_WORD // 2
    while start < end:
        stop = _break(text, start, min(start + room, end), end)
        yield Atom(start, stop, size(text[start:stop]), kind)
        kind = Kind.PIECE
        start = stop
        while start < end and text[start].isspace():
            start += 1


def _break(text: str, start: int, stop: int, end: int) -> int:
    """Where to break at or before `stop`: after a sentence, a word, or between characters."""
    if stop == end:
        return end
    middle = (start + stop) // 2
    sentence = max((m.start() for m in _SENTENCE_END.finditer(text, middle, stop)), default=0)
    if sentence > middle:
        return sentence
    for at in range(stop, middle, -1):
        if text[at].isspace():
            while text[at - 1].isspace():
                at -= 1
            return at if at > start else stop
    for at in range(stop, max(stop - _MARKS, start), -1):
        if not unicodedata.combining(text[at]):
            return at
    return stop


def _joined(found: Iterable[Atom], small: int) -> list[Atom]:
    """Join neighbours until each atom of the block has at least `small` words, if it can."""
    joined: list[Atom] = []
    for atom in found:
        if joined and joined[-1].size < small and gap(joined[-1], atom) < small:
            atom = join(joined.pop(), atom)
        joined.append(atom)
    if len(joined) > 1 and joined[-1].size < small and gap(*joined[-2:]) < small:
        last = joined.pop()
        joined.append(join(joined.pop(), last))
    return joined
