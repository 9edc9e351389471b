"""Text to HTML that says all of it and does none of it, within a given room.

What a model wrote is escaped, never stripped. Characters that cannot be seen or that turn the line
around (`HIDDEN`) are spelled out, so that a page shows what a model read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TypeVar

from workbench.record.events import JSON
from workbench.record.judgement import BAD, GOOD, UNSURE
from workbench.record.visible import HIDDEN

T = TypeVar("T")


def safe(value: object) -> str:
    """Return `value` as text that is harmless in an element, an attribute and an SVG."""
    return escape(HIDDEN.sub(_spelled, str(value).replace("\r\n", "\n")))


def _spelled(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def name(value: object, most: int = 80) -> str:
    """Return a short text (a name, a path, a number) as HTML; a longer one is cut and says so."""
    text = str(value)
    return safe(text) if len(text) <= most else f"{safe(text[:most])}… (+{len(text) - most:,})"


def place(path: object, most: int = 120) -> str:
    """Return a path as code that may be broken after a slash."""
    return f"<code>{name(path, most).replace('/', '/<wbr>')}</code>"


def number(value: object) -> str:
    """Return a figure for reading; None is ``unknown``, never 0."""
    if value is None:
        return "unknown"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return name(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else name(value)
    return f"{value:,.2f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:g}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return ``1 turn`` or ``1,200 turns``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def pretty(value: JSON) -> str:
    """Return a JSON value over several lines, and a string as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, indent=1, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


@lru_cache
def style(*sheets: str) -> str:
    """Return the named style sheets of this package as one ``<style>`` element."""
    here = files("workbench.views")
    texts = (here.joinpath(sheet).read_text(encoding="utf-8") for sheet in sheets)
    lines = (line.strip() for text in texts for line in text.splitlines())
    return f"<style>{' '.join(line for line in lines if line)}</style>"


class Room:
    """How much a page may still hold, in bytes. What does not fit is counted and told.

    Parameters
    ----------
    size : int
        About how large the page may become.
    clip : int
        How many characters of one text are shown at most.
    lead : int
        How many of them stand open; the others are folded away.
    """

    def __init__(self, size: int, *, clip: int, lead: int) -> None:
        self.left = size
        self.clip = clip
        self.lead = lead

    def each(
        self, items: Sequence[T], render: Callable[[T], str], noun: str, *, rows: int = 0
    ) -> str:
        """Render `items` until the room is used up; then say how many are left out.

        `rows` is the number of columns where the items are rows of a table.
        """
        made: list[str] = []
        for count, item in enumerate(items):
            if self.left <= 0:
                said = left_out(plural(len(items) - count, noun), noun)
                made.append(f'<tr><td colspan="{rows}">{said}</td></tr>' if rows else said)
                break
            before = self.left
            made.append(render(item))
            self.left = min(self.left, before - len(made[-1].encode()))
        return "".join(made)

    def prose(self, value: object, css: str = "wb-say", *, lead: int = 0) -> str:
        """Return a text in full if it is short, else its beginning and the rest folded away."""
        text, lead = str(value), lead or self.lead
        if len(text) <= lead * 5 // 4:
            return f'<div class="{css}" dir="auto">{safe(text)}</div>'
        cut = text.rfind(" ", lead * 2 // 3, lead) + 1 or lead
        head, rest = text[:cut], text[cut : self.clip]
        return (
            f'<div class="{css} wb-cont" dir="auto">{safe(head)}</div>'
            f'<details class="wb-more"><summary>{len(text) - cut:,} more characters</summary>'
            f'<div class="{css}" dir="auto">{safe(rest)}</div>{self._cut(text)}</details>'
        )

    def folded(self, label: str, value: object, *, html: bool = False) -> str:
        """Return a text behind a label (which is HTML)."""
        text = str(value)
        body = text if html else f'<pre dir="auto">{safe(text[: self.clip])}</pre>{self._cut(text)}'
        return f'<details class="wb-fold"><summary>{label}</summary>{body}</details>'

    def _cut(self, text: str) -> str:
        more = len(text) - self.clip
        return left_out(plural(more, "character"), "character") if more > 0 else ""


def left_out(count: str, noun: str) -> str:
    """Return the line that says how much is not shown."""
    where = "the run itself holds all" if noun == "character" else "the run and its tables hold all"
    return f'<p class="wb-cut"><strong>{count} left out here</strong>; {where}.</p>'


def table(
    caption: str, head: Iterable[str], rows: str, *, css: str = "", numbers: Iterable[int] = ()
) -> str:
    """Return a table; `caption`, `head` and `rows` are HTML."""
    right = set(numbers)
    cells = "".join(
        f'<th scope="col" class="{"wb-n" if i in right else "wb-w"}">{h}</th>'
        for i, h in enumerate(head)
    )
    return (
        f'<div class="wb-scroll"><table class="wb-t {css}"><caption>{caption}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def badge(verdict: object) -> str:
    """Return a verdict as a word with a sign; its colour says nothing that the word does not."""
    word = "unknown" if verdict is None else str(verdict)
    kind, sign = (
        ("good", "✓")
        if word in GOOD
        else ("bad", "✗")
        if word in BAD
        else ("unsure", "?")
        if word in UNSURE
        else ("plain", "•")
    )
    said = f'<span aria-hidden="true">{sign}</span> {name(word, 40)}'
    return f'<span class="wb-badge wb-{kind}">{said}</span>'
