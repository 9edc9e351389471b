"""Markup that a parser can read in linear time."""

from __future__ import annotations

import re

_MARK = re.compile(r"<!--|<(script|style)\b[^<>]*+>|<[a-zA-Z/!?][^<>]*+>?", re.IGNORECASE)
_COMMENT_END = re.compile(r"--\s*+>")
_VALUE = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+'|(?P<open>["']))""")
_SUBSET = re.compile(
    r"(?P<before>\ufeff?\s*+(?:<\?xml[^>]*+>\s*+)?<!doctype[^<>\[]*+)\[[^\]]*+\]", re.IGNORECASE
)
_MOST_WORK = 20_000_000
"""Characters that odd tags may make the parser read anew: about a second."""


def tamed(markup: str) -> str:
    """Return a page in which the parser meets no more odd tags than it has time for.

    Python's parser looks for the end of a tag or comment that has none, or whose quotes do not
    close, through all that follows, for each of them. A page with a few is left as it is; in one
    with so many that this would take longer than a second, each is read as the text that it is.
    How a page is read depends on the page alone, never on the machine.

    A document type loses its own declarations, which are no text.
    """
    if found := _SUBSET.match(markup):
        markup = found["before"] + markup[found.end() :]
    odd = _odd(markup)
    if len(odd) * len(markup) <= _MOST_WORK:
        return markup
    pieces = [markup[start + 1 : end] for start, end in zip(odd, [*odd[1:], None], strict=True)]
    return "&lt;".join([markup[: odd[0]], *pieces])


def _odd(markup: str) -> list[int]:
    """Return where tags and comments begin that have no end, or a quote that does not close."""
    odd: list[int] = []
    commented = max((end.start() for end in _COMMENT_END.finditer(markup)), default=0)
    position = 0
    while mark := _MARK.search(markup, position):
        position = mark.end()
        if mark[0] == "<!--":
            end = _COMMENT_END.search(markup, position) if position <= commented else None
            if end is None:
                odd.append(mark.start())
            else:
                position = end.end()
        elif mark[1]:  # what looks like a tag in a script is none
            end = re.compile(f"</{mark[1]}", re.IGNORECASE).search(markup, position)
            if end is None:
                break
            position = end.start()
        elif mark[0][-1] != ">" or any(value["open"] for value in _VALUE.finditer(mark[0])):
            odd.append(mark.start())
    return odd
