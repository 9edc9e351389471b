"""The order of documents of one title or name: which are versions of one text, and which is newer.

Decisions:

- Two documents whose heads say that they apply to different things (one site each, say) are two
  documents, whatever their versions are.
- Two of one title are versions only where words are common to both: of versions `FEW_WORDS`, since
  a numbered text may be rewritten; of dates alone `MOST_WORDS`, since the minutes of two meetings
  have one title and two dates too.
- What is superseded is so by the next version and by the newest one; those between follow. Both are
  looked for among the `NEAR` next and the `NEAR` last documents of the title.
- A draft, or what is withdrawn, archived or superseded, supersedes nothing: it is not in force
  itself. A status says so by how it begins (``archived``, not ``in force until archived``), a
  version anywhere.
- A label that is a date with its day or month first (``31.12.2023``, ``2 January 2024``) has no
  order, nor has ``01.02.24``: it is not sure which of its numbers comes first.
- ``2`` and ``2.0`` are one version. A year and a count (``2019`` and ``3``), and what is no number,
  have no order: neither supersedes the other, and that is told (`Undecided`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from workbench.knowledge.documents import Document
from workbench.knowledge.heads import Head

FEW_WORDS, MOST_WORDS = 0.3, 0.5
"""Jaccard similarity of words from which two numbered, or two dated, documents are versions."""

NEAR = 20
"""So that hundreds of minutes with one title are not each held against all others."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[._-]\d+)*")
_YEARS = range(1900, 2200)
_DAY_FIRST = re.compile(
    r"\d{1,2}(?:(?:st|nd|rd|th)?(?: of)?[ -][a-z]+\.?,?[ -]|\s*[./_ -]\s*(?:\d{1,2}\s*[./_ -]\s*)?)"
    r"(?:19|2[01])\d\d(?!\d)"
    r"|(?=\d+[./_-]\d+[./_-]\d+(?![./_-]?\d))(?:\d+[./_-])?0\d|\d{1,2}/\d",
    re.IGNORECASE,
)
_NOT_IN_FORCE = re.compile(
    r"draft|withdrawn|(?<![a-z])(?:propos(?:ed|al)|not (?:yet )?in force|cancel+ed|rescinded|"
    r"repealed|revoked|rejected|abandoned|preview|alpha|beta|rc\d*)(?![a-z])",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"(?<![a-z])(?:archived?|superseded|replaced|obsolete|expired|retired|outdated|out of date|"
    r"inactive|no longer in force)(?![a-z])",
    re.IGNORECASE,
)

Order = tuple[int, ...]
Later = tuple[str, str]
"""The newer and the older of two documents."""


class Undecided(NamedTuple):
    """Two documents of one title of which none is taken to supersede the other, and why."""

    one: str
    other: str
    why: str


def order_of(label: str) -> tuple[str, Order] | None:
    """Return what kind of version a label gives, ``year`` or ``count``, and its place among these.

    Parameters
    ----------
    label : str
        As a head gives it.

    Returns
    -------
    tuple of (str, tuple of int) or None
        None where it does not begin with a number, or is a date that does not begin with its year.

    Examples
    --------
    >>> order_of("2.0") == order_of("2"), order_of("1.10") > order_of("1.9")
    (True, True)
    >>> order_of("2019")[0], order_of("3")[0], order_of("draft")
    ('year', 'count', None)
    """
    found = _NUMBER.match(label)
    if found is None or _DAY_FIRST.match(label):
        return None
    parts = [int(part) for part in re.split(r"[._-]", found[0])]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return "year" if parts[0] in _YEARS else "count", tuple(parts)


def is_draft(head: Head) -> bool:
    """Return whether a head says that its document is not in force: a draft, or withdrawn."""
    return _says(head, _NOT_IN_FORCE) or is_past(head)


def is_past(head: Head) -> bool:
    """Return whether a head says that its document was in force and is not now: archived."""
    return _says(head, _NO_LONGER)


def _says(head: Head, what: re.Pattern[str]) -> bool:
    said = head.status.lstrip(" \t*_`\"'([")
    return what.match(said) is not None or what.search(head.version) is not None


def head_order(one: Head, other: Head) -> int:
    """Return 1 where the first head is the later one, -1 where the other is, else 0: nobody says.

    Versions count before dates.
    """
    a, b = order_of(one.version), order_of(other.version)
    if a is not None and b is not None:
        return 0 if a[0] != b[0] else (a > b) - (a < b)
    if one.version and other.version:
        return 0
    return (one.date > other.date) - (one.date < other.date) if one.date and other.date else 0


def are_apart(one: Head, other: Head) -> bool:
    """Return whether two heads say that their documents apply to different things."""
    scopes = {" ".join(_WORD.findall(head.applies_to.casefold())) for head in (one, other)}
    return len(scopes) > 1 and "" not in scopes


class Titled:
    """Documents of one title: which of them supersede which.

    Parameters
    ----------
    documents : sequence of Document
    heads : mapping of str to Head
        Of these documents at least.
    """

    def __init__(self, documents: Sequence[Document], heads: Mapping[str, Head]) -> None:
        self._heads = {document.id: heads[document.id] for document in documents}
        self._words = {
            document.id: frozenset(_WORD.findall(document.text.casefold()))
            for document in documents
        }

    def later(self) -> Iterable[Later]:
        """Yield what supersedes what: by versions, or where fewer than two have one by dates."""
        if sum(bool(head.version) for head in self._heads.values()) < 2:
            dates = {id: _date(head.date) for id, head in self._heads.items() if head.date}
            return later(dates, lambda a, b: not is_draft(self._heads[a]) and self._dated(a, b))
        return (
            pair for orders in self._orders().values() for pair in later(orders, self._numbered)
        )

    def undecided(self) -> Iterable[Undecided]:
        """Yield pairs whose heads give versions from which no order follows."""
        heads, orders = self._heads, self._orders()
        kinds = {id: kind for kind, mine in orders.items() for id in mine}
        numbered = [id for id, head in heads.items() if head.version]
        for one, other in combinations(numbered, 2):
            is_same = heads[one].version.casefold() == heads[other].version.casefold()
            is_ordered = one in kinds and kinds[one] == kinds.get(other)
            if not is_same and not is_ordered and not are_apart(heads[one], heads[other]):
                yield Undecided(one, other, "their versions have no order")
        if len(numbered) > 1:
            superseded = {old for _, old in self.later()}
            for mine in orders.values():
                for new, old in later(
                    mine, lambda a, b: not (are_apart(heads[a], heads[b]) or is_draft(heads[a]))
                ):
                    if old not in superseded:
                        superseded.add(old)
                        yield Undecided(old, new, "few words are common to both")
        dated = [id for id, head in heads.items() if head.date and not head.version]
        for one in numbered:
            for other in dated[:NEAR]:
                if not heads[one].date and self._dated(one, other):
                    yield Undecided(one, other, "one has a version and the other a date")

    def drafts(self) -> Iterable[str]:
        """Yield those that supersede nothing since they are not in force."""
        return (id for id, head in self._heads.items() if is_draft(head))

    def _orders(self) -> dict[str, dict[str, Order]]:
        """Return the places of those with a version, by kind."""
        made: dict[str, dict[str, Order]] = {"count": {}, "year": {}}
        for id, head in self._heads.items():
            if order := order_of(head.version):
                made[order[0]][id] = order[1]
        return made

    def _numbered(self, one: str, other: str) -> bool:
        return not is_draft(self._heads[one]) and self._versions(one, other, FEW_WORDS)

    def _dated(self, one: str, other: str) -> bool:
        return self._versions(one, other, MOST_WORDS)

    def _versions(self, one: str, other: str, least: float) -> bool:
        apart = are_apart(self._heads[one], self._heads[other])
        return not apart and self._alike(one, other) >= least

    def _alike(self, one: str, other: str) -> float:
        words, others = self._words[one], self._words[other]
        common = len(words & others)
        return common / (len(words) + len(others) - common or 1)


def later(orders: Mapping[str, Order], are_versions: Callable[[str, str], bool]) -> Iterable[Later]:
    """Yield for each document the next version of it and the newest one; all that are these.

    Parameters
    ----------
    orders : mapping of str to tuple of int
        Of documents that can be put in order. Two of one order are two copies, or two documents:
        nobody says.
    are_versions : callable
        Whether two documents are versions of one text, of which the first may supersede the other.
    """
    have = sorted((order, id) for id, order in orders.items())
    places = [order for order, _ in have]
    for low, old in have:
        after = have[bisect_right(places, low) :]
        near = dict.fromkeys((*after[:NEAR], *after[-NEAR:]))
        newer = [(order, id) for order, id in near if are_versions(id, old)]
        chosen = {newer[0][0], newer[-1][0]} if newer else set()
        yield from ((id, old) for order, id in newer if order in chosen)


def _date(iso: str) -> Order:
    return tuple(map(int, iso.split("-")))
