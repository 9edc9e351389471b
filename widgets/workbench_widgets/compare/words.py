"""What changed from one text to another, word by word, in bounded time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Literal, NamedTuple

STEPS = 2_000_000
"""How much work one comparison may be, in steps of its inner loop: well under a second."""

LONG = 120
"""Characters of a word from which it is taken apart itself."""

_WORD = re.compile(
    # Scripts that put no blanks between words are compared character by character.
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]\s*"
    r"|[^\W\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+\s*"
    r"|[^\w\s]+\s*|\s+"
)

Op = Literal["=", "-", "+"]
"""In both, in the first alone, in the second alone."""
How = Literal["words", "lines", "ends"]
"""By words; by lines first; or only what the two begin and end with alike."""


class Words(NamedTuple):
    """What `words_apart` found.

    Joined, the segments without ``+`` are the first text, and those without ``-`` the second.
    """

    segments: list[tuple[Op, str]]
    how: How


class _TooLong(Exception):
    """The work that was allowed is done."""


class _Matcher(SequenceMatcher[str]):
    """A matcher that counts its steps: the worst case of difflib is cubic."""

    def __init__(self, a: Sequence[str], b: Sequence[str], steps: int) -> None:
        super().__init__(None, a, b, autojunk=False)
        times = Counter(b)
        self._left = steps
        self._size = len(a)
        self._steps = [0, *accumulate(times[word] + 1 for word in a)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Find it, if there is work left."""
        self._left -= self._steps[self._size if ahi is None else ahi] - self._steps[alo]
        if self._left < 0:
            raise _TooLong
        return super().find_longest_match(alo, ahi, blo, bhi)


def words_apart(before: str, after: str, steps: int = STEPS) -> Words:
    """Compare two texts by words; where that is too much, by lines, else by their ends.

    The result depends on the texts alone, not on the time that it took.
    """
    if before == after:
        return Words([("=", before)] if before else [], "words")
    a, b = _WORD.findall(before), _WORD.findall(after)
    lead = _alike(a, b)
    tail = _alike(a[lead:][::-1], b[lead:][::-1])
    old, new = a[lead : len(a) - tail], b[lead : len(b) - tail]
    middle, how = _middle(old, new, steps)
    ends = a[:lead], a[len(a) - tail :]
    segments: list[tuple[Op, str]] = [("=", "".join(ends[0])), *middle, ("=", "".join(ends[1]))]
    return Words(list(_merged(segments)), how)


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many items the two begin with alike."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _middle(old: list[str], new: list[str], steps: int) -> tuple[list[tuple[Op, str]], How]:
    try:
        made = list(_matched(old, new, steps))
    except _TooLong:
        return _by_lines("".join(old), "".join(new), steps)
    if any(len(word) > LONG for word in (*old, *new)):
        return [s for pair in _blocks(made) for s in _ends(*pair)], "ends"
    return made, "words"


def _by_lines(old: str, new: str, steps: int) -> tuple[list[tuple[Op, str]], How]:
    """Compare by lines, and by words within the lines that changed, as far as the work allows."""
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    try:
        found = list(_matched(*lines, steps))
    except _TooLong:
        return list(_ends(old, new)), "ends"
    if not any(words for op, words in found if op == "="):
        return list(_ends(old, new)), "ends"
    out: list[tuple[Op, str]] = []
    for was, now, same in _blocks(found):
        try:
            out += _matched(_WORD.findall(was), _WORD.findall(now), steps // 20)
        except _TooLong:
            out += [("-", was), ("+", now)]
        out.append(("=", same))
    return out, "lines"


def _matched(a: list[str], b: list[str], steps: int) -> Iterator[tuple[Op, str]]:
    matcher = _Matcher(a, b, steps)
    blocks = list(_calm(matcher.get_opcodes()))
    for was, now, upto in blocks:
        yield "-", "".join(a[was[0] : was[1]])
        yield "+", "".join(b[now[0] : now[1]])
        yield "=", "".join(a[was[1] : upto])


Span = tuple[int, int]


def _calm(codes: Sequence[tuple[str, int, int, int, int]]) -> Iterator[tuple[Span, Span, int]]:
    """Return (changed in a, changed in b, where the equal words after it end).

    One or two words that happen to be in both of two rewritten sentences help nobody: they are
    taken as part of the change around them.
    """
    was: list[int] | None = None
    now = [0, 0]
    end = 0
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            if was is None:
                was, now = [i1, i1], [j1, j1]
            end = i2
        elif was is None:
            was, now, end = [i1, i2], [j1, j2], i2
        else:
            size = max(was[1] - was[0], now[1] - now[0]), max(i2 - i1, j2 - j1)
            island = end - was[1]
            if size[0] and (island <= 0 or (island <= 2 and min(size) > 2 * island)):
                was[1], now[1], end = i2, j2, i2
            else:
                yield (was[0], was[1]), (now[0], now[1]), end
                was, now, end = [i1, i2], [j1, j2], i2
    if was is not None:
        yield (was[0], was[1]), (now[0], now[1]), end


def _blocks(found: Sequence[tuple[Op, str]]) -> Iterator[tuple[str, str, str]]:
    """Return (only in the first, only in the second, in both) of a list of such triples."""
    for at in range(0, len(found), 3):
        yield found[at][1], found[at + 1][1], found[at + 2][1]


def _ends(old: str, new: str, same: str = "") -> Iterator[tuple[Op, str]]:
    """Return what two texts begin and end with alike, and between them the two middles."""
    lead = _common(old, new)
    tail = _common(old[lead:][::-1], new[lead:][::-1])
    yield "=", old[:lead]
    yield "-", old[lead : len(old) - tail]
    yield "+", new[lead : len(new) - tail]
    yield "=", old[len(old) - tail :]
    yield "=", same


def _common(a: str, b: str) -> int:
    """Return how many characters the two begin with alike, found by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _merged(segments: Sequence[tuple[Op, str]]) -> Iterator[tuple[Op, str]]:
    """Leave out empty segments, and join those of one kind that follow each other."""
    was, now, same = "", "", ""
    for op, words in segments:
        if not words:
            continue
        if op == "=":
            if was:
                yield "-", was
            if now:
                yield "+", now
            was = now = ""
            same += words
        else:
            if same:
                yield "=", same
            same = ""
            was, now = (was + words, now) if op == "-" else (was, now + words)
    left: list[tuple[Op, str]] = [("-", was), ("+", now), ("=", same)]
    yield from ((op, words) for op, words in left if words)
