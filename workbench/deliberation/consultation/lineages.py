"""Which passages are versions of one passage, as a package tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.deliberation.consultation.facts import PackagedPassage


@dataclass(frozen=True, slots=True)
class Lineages:
    """Which passages are versions of one passage.

    Attributes
    ----------
    versions : dict of str to frozenset of str
        For each passage that has any, those that it supersedes and that supersede it, directly or
        through others that need not be in the package. Two parts of what was one passage before are
        no versions of each other.
    place : dict of str to str
        A name that all passages share which are connected by versions.
    """

    versions: Mapping[str, frozenset[str]]
    place: Mapping[str, str]

    @classmethod
    def of(cls, passages: Iterable[PackagedPassage]) -> Lineages:
        """Read the lineages off the passages of a package."""
        older: defaultdict[str, set[str]] = defaultdict(set)
        for passage in passages:
            # A document in this place says that it left the passage out: there is nothing to read.
            older[passage.id].update(id for id in passage.supersedes if "#p" in id)
            for id in passage.superseded_by:
                if "#p" in id:
                    older[id].add(passage.id)
        versions: defaultdict[str, set[str]] = defaultdict(set)
        for id in older:
            left, seen = list(older[id]), {id}
            while left:
                one = left.pop()
                if one not in seen:
                    seen.add(one)
                    versions[id].add(one)
                    versions[one].add(id)
                    left += older.get(one, ())
        place: dict[str, str] = {}
        for id in sorted(versions):
            left = [] if id in place else [id]
            while left:
                one = left.pop()
                if one not in place:
                    place[one] = id
                    left += versions[one]
        return cls({id: frozenset(others) for id, others in versions.items()}, place)

    def between(self, some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
        """Return those of two sets of passages that are versions of one in the other set."""
        found = set[str]()
        for id in some:
            if there := self.versions.get(id, frozenset()) & others:
                found |= {id, *there}
        return frozenset(found)
