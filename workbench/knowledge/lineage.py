"""Lineage: which passage of a newer document replaces which of an older one, and what changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.knowledge.heads import is_head_line
from workbench.knowledge.passages import Passage

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.passport import PassportDiff

ALIKE = 0.4
"""Jaccard similarity of words from which two passages are versions of one."""
UNDER_ONE_HEADING = 0.1
"""The same where both stand under the same section's heading."""

_WORD = re.compile(r"\w+")


class Replacement(NamedTuple):
    """A passage that takes the place of another.

    Attributes
    ----------
    new : str
        A passage id; the newer document's id where it has nothing in the old passage's place.
    old : str
        A passage id.
    change : {"same", "changed", "dropped"}
        "same": word for word, but for the fields of the document's head.
    """

    new: str
    old: str
    change: Literal["same", "changed", "dropped"]


def replacements(
    newer: Sequence[Passage], older: Sequence[Passage], document: str
) -> list[Replacement]:
    """Align the passages of two versions of a document.

    Each passage is aligned with the one of the other version that is most like it, if it is like
    enough; so a passage that was divided has two successors.

    Parameters
    ----------
    newer, older : sequence of Passage
        Of one document each.
    document : str
        The newer document's id, which replaces what has no other successor.

    Returns
    -------
    list of Replacement
        Each old passage is there at least once; sorted by the old passage's place.
    """
    made: set[tuple[int, int]] = set()
    same = {_body(passage): n for n, passage in enumerate(newer)}
    bodies = [_body(passage) for passage in older]
    left_old = [n for n, body in enumerate(bodies) if body not in same]
    kept = {same[body] for body in bodies if body in same}
    left_new = [n for n in range(len(newer)) if n not in kept]
    alike = {
        (n, m): _likeness(newer[n], older[m], words, other)
        for n, words in ((n, _words(newer[n])) for n in left_new)
        for m, other in ((m, _words(older[m])) for m in left_old)
    }
    for n in left_new:
        best = max(left_old, key=lambda m: alike[n, m], default=None)
        if best is not None and alike[n, best] > 0:
            made.add((best, n))
    for m in left_old:
        best = max(left_new, key=lambda n: alike[n, m], default=None)
        if best is not None and alike[best, m] > 0:
            made.add((m, best))
    found: list[Replacement] = []
    for m, passage in enumerate(older):
        if bodies[m] in same:
            found.append(Replacement(newer[same[bodies[m]]].id, passage.id, "same"))
            continue
        after = sorted(n for old, n in made if old == m)
        found += [Replacement(newer[n].id, passage.id, "changed") for n in after]
        if not after:
            found.append(Replacement(document, passage.id, "dropped"))
    return found


class CorpusChange(NamedTuple):
    """What lies between two states of a corpus.

    Attributes
    ----------
    documents : PassportDiff
        Added, removed and changed documents.
    passages : tuple of str
        Ids of the earlier state whose text is now another, or gone: what cites them no longer
        cites what it read.
    kept : int
        Passages of the earlier state that are word for word as they were, under the same id.
    """

    documents: PassportDiff
    passages: tuple[str, ...]
    kept: int

    def __str__(self) -> str:
        if not self.documents and not self.passages:
            return f"nothing changed: {self.kept} passages as they were"
        lines = [
            f"{what}: {id}"
            for what in ("added", "removed", "changed")
            for id in getattr(self.documents, what)
        ]
        lines += [f"no longer reads as it did: {id}" for id in self.passages]
        return "\n".join([*lines, f"{self.kept} passages are as they were"])


def changes(before: Corpus, after: Corpus) -> CorpusChange:
    """Say what changed between two states of one corpus.

    Examples
    --------
    >>> from workbench.knowledge.corpus import Corpus
    >>> hub = Corpus.read("corpora/aura_hub")  # doctest: +SKIP
    >>> print(changes(hub, hub))  # doctest: +SKIP
    nothing changed: 70 passages as they were
    """
    now = {passage.id: passage.text for passage in after.passages}
    lost = tuple(p.id for p in before.passages if now.get(p.id) != p.text)
    return CorpusChange(
        documents=before.passport.diff(after.passport),
        passages=lost,
        kept=len(before.passages) - len(lost),
    )


def _body(passage: Passage) -> str:
    return "\n".join(line for line in passage.text.split("\n") if not is_head_line(line))


def _words(passage: Passage) -> frozenset[str]:
    return frozenset(_WORD.findall(passage.text.casefold()))


def _likeness(one: Passage, other: Passage, words: frozenset[str], others: frozenset[str]) -> float:
    """Jaccard similarity, or 0 where it is too small to mean anything."""
    share = len(words & others) / (len(words | others) or 1)
    section, same = (p.heading.partition(" > ")[2] for p in (one, other))
    least = UNDER_ONE_HEADING if section and section == same else ALIKE
    return share if share >= least else 0.0
