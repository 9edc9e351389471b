"""Statements: the sentences of a passage that say something, each with its place in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.knowledge.blocks import Atom, Kind, atoms, join
from workbench.knowledge.heads import is_head_line

_LONGEST = 150  # words; a longer sentence is cut, as in passages
_LEAST = 3
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,9}[.)])\s+")
_NUMBER = re.compile(r"\d{1,9}[.)]")
_RULE = re.compile(r"^[\s|:+-]*$")
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()\n]{0,300}\)")  # bounds keep it linear


class Statement(NamedTuple):
    """A sentence, list item or table row of a passage.

    Attributes
    ----------
    text : str
        Without markup; an item's with the words that lead to its list.
    spans : tuple of (int, int)
        Where it stands in the passage; for an item first the words that lead to its list.
    raw : str
        The last span as it is written.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    raw: str


def statements(text: str) -> Iterator[Statement]:
    r"""Yield the statements of a passage in order.

    Left out: headings, the fields of a document's head, questions, rules and heads of tables, and
    what has fewer than three words.

    Examples
    --------
    >>> [s.text for s in statements("# Meals\n\nWe pay for:\n- lunch\n- supper after 8 pm")]
    ['We pay for: lunch', 'We pay for: supper after 8 pm']
    """
    lead: tuple[str, tuple[int, int]] | None = None
    found = _atoms(text)
    for n, atom in enumerate(found):
        raw = text[atom.start : atom.end]
        span = (atom.start, atom.end)
        is_item = atom.kind is Kind.ITEM
        if atom.kind is Kind.PARAGRAPH:
            lead = None
        following = text[found[n + 1].start : found[n + 1].end] if n + 1 < len(found) else ""
        if _skipped(raw, following):
            continue
        told = plain(_ITEM.sub("", raw) if is_item else raw)
        if told.endswith(":") and not is_item:
            lead = (told, span)
            continue
        if is_item and lead is not None:
            yield Statement(f"{lead[0]} {told}", (lead[1], span), raw)
        elif len(told.split()) >= _LEAST:
            yield Statement(told, (span,), raw)


def plain(text: str) -> str:
    """Return a text without markdown's marks, on one line."""
    text = _LINK.sub(r"\1", text)
    if text.lstrip().startswith("|"):
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        text = "; ".join(cell for cell in cells if cell)
    text = re.sub(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=[\w.,;:!?])\*(?!\w)", "", text)
    return " ".join(text.split())


def _atoms(text: str) -> list[Atom]:
    """Return sentences, items and rows; a bare ``1.`` goes with what it numbers."""
    found: list[Atom] = []
    for atom in atoms(text, small=1, large=_LONGEST):
        if atom.kind is Kind.HEADING:
            continue
        if found and _NUMBER.fullmatch(text[found[-1].start : found[-1].end]):
            atom = join(found.pop(), atom)
        found.append(atom)
    return found


def _skipped(raw: str, following: str) -> bool:
    is_row = raw.lstrip().startswith("|")
    return (
        raw.rstrip().endswith("?")
        or _RULE.match(raw) is not None
        or (is_row and _RULE.match(following) is not None and "-" in following)
        or all(is_head_line(line) for line in raw.splitlines())
    )
