"""What a classification of findings comes to: the classes, and the pairs that they rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from workbench.deliberation.consultation.reading import Reading
from workbench.deliberation.consultation.relation import Kind

Rules = Literal[1, 2]
"""Those that a session's recorded synthesis is by, and today's."""
NOW: Rules = 2
Pair = tuple[str, str]
"""The ids of two readings, in order."""


class Related(NamedTuple):
    """Two readings by different interpreters that share a reference, and what they are.

    `passages` are the references in common. `temporal`: they are the versions of one passage that
    were cited, and the pair is a temporal conflict, or would be one if it is decided to contradict.
    """

    one: str
    other: str
    kind: Kind
    rule: str
    passages: tuple[str, ...]
    temporal: bool


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The three classes of findings, what is in none, and how it came about.

    Attributes
    ----------
    overlap, unique, divergence, unclassified, unsupported : tuple of str
        Ids of findings, in the order that they were given. All findings are in one at least.
    readings : dict of str to Reading
        By id, sorted by sub-query and words.
    reading_of : dict of str to str
        The id of each finding's reading.
    groups : tuple of tuple of str
        Findings that are connected by evidence-overlaps: what `claims` are made of.
    contradicted : dict of str to frozenset of int
        For each finding of a divergence, the interpreters that contradict it.
    contradictions : tuple of Related
        Those of `related` that contradict: there is one if and only if `divergence` is not empty.
    rules : int
        By which all this is.
    """

    overlap: tuple[str, ...]
    unique: tuple[str, ...]
    divergence: tuple[str, ...]
    unclassified: tuple[str, ...]
    unsupported: tuple[str, ...]
    readings: Mapping[str, Reading]
    reading_of: Mapping[str, str]
    groups: tuple[tuple[str, ...], ...]
    contradicted: Mapping[str, frozenset[int]]
    contradictions: tuple[Related, ...]
    rules: Rules
    _pairs: Callable[[], tuple[Related, ...]] = field(repr=False, compare=False)

    @cached_property
    def related(self) -> tuple[Related, ...]:
        """Pairs of readings by different interpreters that share a reference, each once.

        Made when it is first read: there are as many as the square of the readings on a passage.
        """
        return self._pairs()

    @cached_property
    def undecided(self) -> frozenset[Pair]:
        """Pairs of `related` that neither rules nor a comparer decided."""
        return frozenset(
            (pair.one, pair.other) for pair in self.related if pair.kind == "undecided"
        )
