"""Overlap, unique and divergence over passage references, exactly as section 3.3 defines them.

For findings f and g of different interpreters, with E the passages (or documents) that they cite:

- evidence-overlap: E(f) and E(g) have a passage in common, and the conclusions are compatible;
- evidence-divergence: E(f) and E(g) have a passage in common, and the conclusions contradict;
- unique: E(f) has no passage in common with any finding of any other interpreter.

Decisions where the paper is silent or says two things:

- Section 5.1 takes the versions of one passage for "the same passage" in a temporal conflict, which
  the formula of 3.3 does not. So contradictory readings of two versions of one passage are a
  divergence, and their findings are then not unique; compatible readings of two versions are no
  overlap, since no passage is common.
- A finding without a valid citation is ``unsupported``: the formula would make it unique, but a
  unique finding is one "with evidence references".
- A finding that shares a passage, but whose relation to the others on it is undecided or another
  question, is in none of the three classes: ``unclassified``.
- Overlap and divergence do not exclude each other; each excludes unique.

Nothing is counted up to choose by, averaged or dropped: every finding is in the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.deliberation.consultation.facts import Finding, PackagedPassage
from workbench.deliberation.consultation.reading import (
    Reading,
    normal_form,
    read_conclusion,
    reading_id,
)
from workbench.deliberation.consultation.relation import Kind, Relation, relate

Relate = Callable[[Reading, Reading], Relation]
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    related : tuple of Related
        Pairs that share a reference, each once; not those on different sub-queries.
    groups : tuple of tuple of str
        Findings that are connected by evidence-overlaps: what `claims` are made of.
    contradicted : dict of str to frozenset of int
        For each finding of a divergence, the interpreters that contradict it.
    """

    overlap: tuple[str, ...]
    unique: tuple[str, ...]
    divergence: tuple[str, ...]
    unclassified: tuple[str, ...]
    unsupported: tuple[str, ...]
    readings: Mapping[str, Reading]
    reading_of: Mapping[str, str]
    related: tuple[Related, ...]
    groups: tuple[tuple[str, ...], ...]
    contradicted: Mapping[str, frozenset[int]]


def classify(
    findings: Sequence[Finding],
    passages: Iterable[PackagedPassage] = (),
    *,
    options: Sequence[str] = (),
    decided: Mapping[Pair, Relation] | None = None,
) -> Classes:
    """Classify findings; near-linear in those that share a passage and state the same.

    Parameters
    ----------
    findings : sequence of Finding
        With `Finding.cited` as E(f).
    passages : iterable of PackagedPassage
        Of the package, for their versions.
    options : sequence of str
        Of the question, if it names any.
    decided : mapping, optional
        What a comparer told of pairs of readings that the rules leave undecided.
    """
    readings, reading_of = _readings(findings, options)
    bits = {i: 1 << n for n, i in enumerate(sorted({f.interpreter for f in findings}))}
    lineages = Lineages.of(passages)
    sites = _sites(findings, lineages.place, reading_of, bits)
    work = _Work(findings, bits, readings, lineages, decided or {})
    for site in sites:
        for nodes in site.by_sub_query(readings):
            work.compare(nodes)
    return work.classes(reading_of)


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


def _readings(
    findings: Sequence[Finding], options: Sequence[str]
) -> tuple[dict[str, Reading], dict[str, str]]:
    """Return the readings, sorted, and which one each finding has."""
    reading_of = {f.id: reading_id(f.sub_query, normal_form(f.conclusion)) for f in findings}
    first: dict[str, Finding] = {}
    for f in findings:
        id = reading_of[f.id]
        if id not in first or f.conclusion < first[id].conclusion:
            first[id] = f
    made = {id: read_conclusion(f.sub_query, f.conclusion, options) for id, f in first.items()}
    order = sorted(made, key=lambda id: (made[id].sub_query, made[id].normal))
    return {id: made[id] for id in order}, reading_of


@dataclass(slots=True)
class _Node:
    """Findings of one reading that cite the same versions of one passage."""

    reading: str
    versions: frozenset[str]
    mask: int = 0
    findings: list[int] = field(default_factory=list)
    compatible: int = 0
    contradictory: int = 0


class _Site:
    """What is read on one passage, in all its versions."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, frozenset[str]], _Node] = {}

    def add(self, finding: int, reading: str, versions: frozenset[str], bit: int) -> None:
        key = (reading, versions)
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = _Node(reading, versions)
        node.mask |= bit
        node.findings.append(finding)

    def by_sub_query(self, readings: Mapping[str, Reading]) -> Iterable[list[_Node]]:
        found: defaultdict[str, list[_Node]] = defaultdict(list)
        for node in self.nodes.values():
            found[readings[node.reading].sub_query].append(node)
        return found.values()


def _sites(
    findings: Sequence[Finding],
    place_of: Mapping[str, str],
    reading_of: Mapping[str, str],
    bits: Mapping[int, int],
) -> list[_Site]:
    sites: defaultdict[str, _Site] = defaultdict(_Site)
    for number, f in enumerate(findings):
        at: defaultdict[str, list[str]] = defaultdict(list)
        for reference in f.cited:
            at[place_of.get(reference, reference)].append(reference)
        for place, references in at.items():
            versions = frozenset(references)
            sites[place].add(number, reading_of[f.id], versions, bits[f.interpreter])
    return list(sites.values())


class _Work:
    """Comparisons under way: each pair of readings is related once, wherever it meets."""

    def __init__(
        self,
        findings: Sequence[Finding],
        bits: Mapping[int, int],
        readings: Mapping[str, Reading],
        lineages: Lineages,
        decided: Mapping[Pair, Relation],
    ) -> None:
        self.findings = findings
        self.bits = bits
        self.readings = readings
        self.lineages = lineages
        self.decided = decided
        self.nodes: list[_Node] = []
        self.numbers = {id: n for n, id in enumerate(readings)}
        self.known: dict[int, Relation] = {}
        self.met: dict[int, frozenset[str]] = {}
        self.over = list(range(len(findings)))

    def compare(self, nodes: list[_Node]) -> None:
        """Hold the readings on one passage and sub-query against each other."""
        self.nodes += nodes
        for place, one in enumerate(nodes):
            if one.mask & (one.mask - 1):
                one.compatible |= one.mask
                self._join(one.findings)
            for other in nodes[:place]:
                both = one.mask | other.mask
                if both & (both - 1):
                    self._meet(one, other)

    def _meet(self, one: _Node, other: _Node) -> None:
        shared = one.versions
        if other.versions != shared:
            shared &= other.versions
        if one.reading == other.reading:
            if shared:
                self._agree(one, other)
            return
        a, b = self.numbers[one.reading], self.numbers[other.reading]
        pair = a * len(self.numbers) + b if a < b else b * len(self.numbers) + a
        relation = self.known.get(pair)
        if relation is None:
            relation = self.known[pair] = self._relate(one.reading, other.reading)
        at, temporal = shared, False
        if relation.kind in ("contradictory", "undecided") and self.lineages.versions:
            versions = self.lineages.between(one.versions, other.versions)
            at, temporal = versions or shared, bool(versions)
        if not at:
            return
        key = 2 * pair + temporal
        before = self.met.setdefault(key, at)
        if before is not at:
            self.met[key] = before | at
        if relation.kind == "compatible":
            self._agree(one, other)
        elif relation.kind == "contradictory":
            one.contradictory |= other.mask
            other.contradictory |= one.mask

    def _relate(self, one: str, other: str) -> Relation:
        relation = relate(self.readings[one], self.readings[other])
        if relation.kind != "undecided":
            return relation
        return self.decided.get((min(one, other), max(one, other)), relation)

    def _agree(self, one: _Node, other: _Node) -> None:
        one.compatible |= other.mask
        other.compatible |= one.mask
        self._join(one.findings)
        self._join(other.findings)
        self._join([one.findings[0], other.findings[0]])

    def _join(self, findings: Sequence[int]) -> None:
        first = self._root(findings[0])
        for number in findings[1:]:
            self.over[self._root(number)] = first

    def _root(self, number: int) -> int:
        over = self.over
        while over[number] != number:
            over[number] = number = over[over[number]]
        return number

    def classes(self, reading_of: Mapping[str, str]) -> Classes:
        """Return the classes that the comparisons lead to."""
        findings = self.findings
        overlap, divergence = set[int](), dict[int, int]()
        for node in self.nodes:
            for number in node.findings:
                others = ~self.bits[findings[number].interpreter]
                if node.compatible & others:
                    overlap.add(number)
                if against := node.contradictory & others:
                    divergence[number] = divergence.get(number, 0) | against
        citing: defaultdict[str, int] = defaultdict(int)
        for f in findings:
            for reference in f.cited:
                citing[reference] |= self.bits[f.interpreter]
        unsupported = {n for n, f in enumerate(findings) if not f.cited}
        unique = {
            n
            for n, f in enumerate(findings)
            if n not in unsupported
            and n not in divergence
            and all(citing[r] == self.bits[f.interpreter] for r in f.cited)
        }
        placed = overlap | divergence.keys() | unique | unsupported
        groups: defaultdict[int, list[str]] = defaultdict(list)
        for n, f in enumerate(findings):
            if n in overlap:
                groups[self._root(n)].append(f.id)

        def ids(chosen: Iterable[int]) -> tuple[str, ...]:
            return tuple(findings[n].id for n in sorted(chosen))

        return Classes(
            overlap=ids(overlap),
            unique=ids(unique),
            divergence=ids(divergence),
            unclassified=ids(n for n in range(len(findings)) if n not in placed),
            unsupported=ids(unsupported),
            readings=self.readings,
            reading_of=reading_of,
            related=self._related(),
            groups=tuple(tuple(group) for group in groups.values()),
            contradicted={
                findings[n].id: frozenset(i for i, bit in self.bits.items() if bit & mask)
                for n, mask in divergence.items()
            },
        )

    def _related(self) -> tuple[Related, ...]:
        ids = list(self.readings)
        return tuple(
            Related(
                ids[key // 2 // len(ids)],
                ids[key // 2 % len(ids)],
                *self.known[key // 2],
                tuple(sorted(self.met[key])),
                bool(key % 2),
            )
            for key in sorted(self.met)
        )
