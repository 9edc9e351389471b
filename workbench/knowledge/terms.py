"""Terms: the words that a corpus defines, under ids that do not depend on how they are written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_STOP = frozenset(
    (
        "a an and are as at be been but by can do does for from had has have he her his how i if "
        "in into is it its may might must no nor not of on or our shall she should so such than "
        "that the their them then there these they this those to was we were what when where "
        "which who whom whose why will with would you your"
    ).split()
)
MOST_WORDS = 6
"""Words that a term may have; what is longer is a sentence."""


class Term(BaseModel):
    """A term that a corpus defines.

    Attributes
    ----------
    id : str
        `term_id` of its label: ``term:line-manager``.
    label : str
        As it is first written.
    variants : tuple of str
        Other ways in which it is written, such as its abbreviation; sorted.
    definitions : tuple of str
        Ids of the claims that define it, in the order of the corpus. Several may be a conflict.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    label: str
    variants: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """Return a text's words in lower case and the singular.

    Examples
    --------
    >>> words("The Policies of Line Managers")
    ['the', 'policy', 'of', 'line', 'manager']
    """
    return [_singular(word.casefold()) for word in _WORD.findall(text)]


def content_words(text: str) -> frozenset[str]:
    """Return a text's words that carry meaning, in the singular."""
    return frozenset(word for word in words(text) if word not in _STOP)


def term_id(label: str) -> str:
    """Return the canonical id of a term: the same for plural, case, hyphens and articles.

    Examples
    --------
    >>> term_id("the Line-Managers"), term_id("line manager")
    ('term:line-manager', 'term:line-manager')
    """
    known = words(label)
    while known and known[0] in ("a", "an", "the"):
        known = known[1:]
    return "term:" + "-".join(known)


class Mentions:
    """Finds terms in texts, the longest at each place.

    Parameters
    ----------
    terms : sequence of Term
        By their labels and variants.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        by_first: defaultdict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
        for term in terms:
            for label in (term.label, *term.variants):
                known = tuple(term_id(label).removeprefix("term:").split("-"))
                if known[0]:
                    by_first[known[0]].setdefault(known, term.id)
        self._by_first = {
            first: sorted(found.items(), key=lambda item: -len(item[0]))
            for first, found in by_first.items()
        }

    def __call__(self, text: str) -> tuple[str, ...]:
        """Return the ids of the terms in a text, sorted."""
        return self.among(words(text)) if self._by_first else ()

    def among(self, known: Sequence[str]) -> tuple[str, ...]:
        """Return the ids of the terms among `words` of a text, sorted."""
        found: set[str] = set()
        at = 0
        while at < len(known):
            step = 1
            for labelled, id in self._by_first.get(known[at], ()):
                if tuple(known[at : at + len(labelled)]) == labelled:
                    found.add(id)
                    step = len(labelled)
                    break
            at += step
        return tuple(sorted(found))


def abbreviations(text: str) -> Iterable[tuple[str, str]]:
    """Yield (long form, short form) where a text gives both: ``Duty Officer Rota (DOR)``.

    The initials of the words before the brackets must be the letters in them.
    """
    for found in re.finditer(r"\(([A-Z]{2,6})\)", text):
        near = text[max(0, found.start() - 200) : found.start()]
        before = re.findall(r"[^\W_]+", near)[-len(found[1]) :]
        if "".join(word[0].upper() for word in before) == found[1]:
            yield " ".join(before), found[1]


@lru_cache(maxsize=100_000)
def _singular(word: str) -> str:
    word = re.sub(r"['\u2019]s?$", "", word)
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word.removesuffix("s")
