"""Overlap, unique and divergence over passage references, as section 3.3 defines them.

For findings f and g of different interpreters, with E the passages (or documents) that they cite:

- evidence-overlap: E(f) and E(g) have a passage in common, and the conclusions are compatible;
- evidence-divergence: E(f) and E(g) have a passage in common, and the conclusions contradict;
- unique: E(f) has no passage in common with any finding of any other interpreter.

Decisions where the paper is silent or says two things:

- Sub-queries are in none of these conditions: findings that share a passage are held against each
  other whatever sub-query each says that it answers. What that label may tell is `relation`'s; of
  findings that name two, or none that is known, a comparer may tell, and no rule does.
- Section 5.1 takes the versions of one passage for "the same passage" in a temporal conflict, which
  the formula of 3.3 does not. So contradictory readings of two versions of one passage are a
  divergence, and their findings are then not unique; compatible readings of two versions are no
  overlap, since no passage is common.
- A finding without a valid citation is ``unsupported``: the formula would make it unique, but a
  unique finding is one "with evidence references".
- A finding that shares a passage, but whose relation to the others on it is undecided or another
  question, is in none of the three classes: ``unclassified``.
- Overlap and divergence do not exclude each other; each excludes unique.
- Sessions hold their classes by the first rules as well, in which sub-queries were kept apart
  (`first_rules`, ``rules=1``).

Nothing is counted up to choose by, averaged or dropped: every finding is in the result.

The classes take time in proportion to the citations, and to the pairs of readings that contradict:
what says the same has one key (`wording`), and is looked up. All pairs on a passage, of which most
are undecided, are as many as the square of the readings there; so they are made when
`Classes.related` is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from workbench.deliberation.consultation import first_rules
from workbench.deliberation.consultation.classes import NOW, Classes, Pair, Related, Rules
from workbench.deliberation.consultation.facts import Finding, PackagedPassage
from workbench.deliberation.consultation.lineages import Lineages
from workbench.deliberation.consultation.reading import (
    Reading,
    exact_form,
    normal_form,
    read_conclusion,
    reading_id,
)
from workbench.deliberation.consultation.relation import Relation, relate


def classify(
    findings: Sequence[Finding],
    passages: Iterable[PackagedPassage] = (),
    *,
    options: Sequence[str] = (),
    asked: Mapping[str, str] | None = None,
    decided: Mapping[Pair, Relation] | None = None,
    rules: Rules = NOW,
) -> Classes:
    """Classify findings; near-linear in those that share a passage (see the module).

    Parameters
    ----------
    findings : sequence of Finding
        With `Finding.cited` as E(f).
    passages : iterable of PackagedPassage
        Of the package, for their versions.
    options : sequence of str
        Of the question, if it names any.
    asked : mapping of str to str, optional
        The text of each sub-query, by its label.
    decided : mapping, optional
        What a comparer told of pairs of readings that the rules leave undecided.
    rules : int
        1: as a session's recorded synthesis is.
    """
    readings, reading_of = _readings(findings, options, asked or {}, rules)
    bits = {i: 1 << n for n, i in enumerate(sorted({f.interpreter for f in findings}))}
    lineages = Lineages.of(passages)
    sites = _sites(findings, lineages.place, reading_of, bits)
    work = _Work(findings, bits, readings, lineages, decided or {}, sites, rules)
    return work.classes(reading_of)


def _readings(
    findings: Sequence[Finding], options: Sequence[str], asked: Mapping[str, str], rules: Rules
) -> tuple[dict[str, Reading], dict[str, str]]:
    """Return the readings, sorted, and which one each finding has."""
    form = normal_form if rules == 1 else exact_form
    reading_of = {f.id: reading_id(f.sub_query, form(f.conclusion)) for f in findings}
    first: dict[str, Finding] = {}
    for f in findings:
        id = reading_of[f.id]
        if id not in first or f.conclusion < first[id].conclusion:
            first[id] = f
    made = {
        id: read_conclusion(
            f.sub_query, f.conclusion, options, form, asked=asked.get(f.sub_query, "")
        )
        for id, f in first.items()
    }
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


Site = list[_Node]
"""What is read on one passage, in all its versions."""


def _sites(
    findings: Sequence[Finding],
    place_of: Mapping[str, str],
    reading_of: Mapping[str, str],
    bits: Mapping[int, int],
) -> list[Site]:
    sites: defaultdict[str, dict[tuple[str, frozenset[str]], _Node]] = defaultdict(dict)
    for number, f in enumerate(findings):
        at: defaultdict[str, list[str]] = defaultdict(list)
        for reference in f.cited:
            at[place_of.get(reference, reference)].append(reference)
        reading = reading_of[f.id]
        for place, references in at.items():
            versions = frozenset(references)
            node = sites[place].get((reading, versions))
            if node is None:
                node = sites[place][reading, versions] = _Node(reading, versions)
            node.mask |= bits[f.interpreter]
            node.findings.append(number)
    return [list(nodes.values()) for nodes in sites.values()]


class _Work:
    """Comparisons under way: what decides first, the other pairs when they are asked for."""

    def __init__(
        self,
        findings: Sequence[Finding],
        bits: Mapping[int, int],
        readings: Mapping[str, Reading],
        lineages: Lineages,
        decided: Mapping[Pair, Relation],
        sites: Sequence[Site],
        rules: Rules,
    ) -> None:
        self.findings = findings
        self.bits = bits
        self.readings = readings
        self.lineages = lineages
        self.decided = decided
        self.sites = sites
        self.rules = rules
        self.relate = relate if rules == NOW else first_rules.relate
        self.numbers = {id: n for n, id in enumerate(readings)}
        self.known: dict[int, Relation] = {}
        self.over = list(range(len(findings)))

    def classes(self, reading_of: Mapping[str, str]) -> Classes:
        """Return the classes that the comparisons lead to."""
        contradictions = self._compare()
        findings = self.findings
        overlap, divergence = set[int](), dict[int, int]()
        for node in (node for site in self.sites for node in site):
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
            groups=tuple(tuple(group) for group in groups.values()),
            contradicted={
                findings[n].id: frozenset(i for i, bit in self.bits.items() if bit & mask)
                for n, mask in divergence.items()
            },
            contradictions=contradictions,
            rules=self.rules,
            _pairs=self._all,
        )

    def _compare(self) -> tuple[Related, ...]:
        """Mark what agrees and what contradicts; return the pairs that contradict."""
        told = _Told()
        deciding = self._by_passage()
        for nodes, met in zip(self.sites, deciding, strict=True):
            self._agree_alike(nodes)
            for one, other in met:
                relation = self._relation(one.reading, other.reading)
                at, temporal = self._at(one, other, relation)
                if at and relation.kind == "compatible":
                    self._agree([one, other])
                elif at and relation.kind == "contradictory":
                    one.contradictory |= other.mask
                    other.contradictory |= one.mask
                    told.add(self._key(one.reading, other.reading), at, temporal=temporal)
        return self._made(told)

    def _by_passage(self) -> Iterator[Iterable[tuple[_Node, _Node]]]:
        """Yield for each passage the pairs of nodes that may agree or contradict."""
        compared: defaultdict[str, set[str]] = defaultdict(set)
        for one, other in self.decided:
            compared[one].add(other)
            compared[other].add(one)
        for nodes in self.sites:
            yield self._every(nodes) if self.rules == 1 else self._near(nodes, compared)

    def _every(self, nodes: Site) -> Iterator[tuple[_Node, _Node]]:
        """Yield the pairs of nodes by different interpreters."""
        for one, other in combinations(nodes, 2):
            both = one.mask | other.mask
            if one.reading == other.reading or not both & (both - 1):
                continue
            if self.rules != 1 or self._label(one) == self._label(other):
                yield one, other

    def _near(self, nodes: Site, compared: Mapping[str, set[str]]) -> Iterator[tuple[_Node, _Node]]:
        """Yield the pairs that contradict by a rule, and those that a comparer was asked about."""
        axes: defaultdict[Hashable, defaultdict[Hashable, Site]] = defaultdict(
            lambda: defaultdict(list)
        )
        for node in nodes:
            for name, axis, pole in self.readings[node.reading].wording.axes:
                axes[name, axis][pole].append(node)
        for poles in (poles for poles in axes.values() if len(poles) > 1):
            for some, others in combinations(poles.values(), 2):
                for one in some:
                    for other in others:
                        both = one.mask | other.mask
                        if both & (both - 1):
                            yield one, other
        if compared:
            there: defaultdict[str, Site] = defaultdict(list)
            for node in nodes:
                there[node.reading].append(node)
            for reading in there.keys() & compared.keys():
                for asked in compared[reading] & there.keys():
                    for one in there[reading] if reading < asked else ():
                        for other in there[asked]:
                            both = one.mask | other.mask
                            if both & (both - 1):
                                yield one, other

    def _agree_alike(self, nodes: Site) -> None:
        """Let the nodes agree that say the same."""
        alike: defaultdict[Hashable, defaultdict[frozenset[str], Site]] = defaultdict(
            lambda: defaultdict(list)
        )
        for node in nodes:
            reading = self.readings[node.reading]
            same = reading.id if self.rules == 1 else reading.wording.key
            if same is not None:
                alike[same][node.versions].append(node)
        for by_versions in alike.values():
            for same_versions in by_versions.values():
                self._agree(same_versions)
            for some, others in combinations(by_versions.values(), 2):
                if some[0].versions & others[0].versions:
                    self._agree([*some, *others])

    def _agree(self, nodes: Sequence[_Node]) -> None:
        mask = 0
        for node in nodes:
            mask |= node.mask
        if not mask & (mask - 1):
            return
        first = self._root(nodes[0].findings[0])
        for node in nodes:
            node.compatible |= mask
            for number in node.findings:
                self.over[self._root(number)] = first

    def _root(self, number: int) -> int:
        over = self.over
        while over[number] != number:
            over[number] = number = over[over[number]]
        return number

    def _relation(self, one: str, other: str) -> Relation:
        key = self._key(one, other)
        relation = self.known.get(key)
        if relation is None:
            relation = self.relate(self.readings[one], self.readings[other])
            if relation.kind == "undecided":
                relation = self.decided.get((min(one, other), max(one, other)), relation)
            self.known[key] = relation
        return relation

    def _key(self, one: str, other: str) -> int:
        a, b = self.numbers[one], self.numbers[other]
        return a * len(self.numbers) + b if a < b else b * len(self.numbers) + a

    def _at(self, one: _Node, other: _Node, relation: Relation) -> tuple[frozenset[str], bool]:
        """Return where two nodes meet, and whether that is in two versions of one passage."""
        shared = one.versions
        if other.versions != shared:
            shared &= other.versions
        if relation.kind in ("contradictory", "undecided") and self.lineages.versions:
            versions = self.lineages.between(one.versions, other.versions)
            return versions or shared, bool(versions)
        return shared, False

    def _label(self, node: _Node) -> str:
        return self.readings[node.reading].sub_query

    def _all(self) -> tuple[Related, ...]:
        told = _Told()
        for nodes in self.sites:
            for one, other in self._every(nodes):
                at, temporal = self._at(one, other, self._relation(one.reading, other.reading))
                if at:
                    told.add(self._key(one.reading, other.reading), at, temporal=temporal)
        return self._made(told)

    def _made(self, told: _Told) -> tuple[Related, ...]:
        ids = list(self.readings)
        return tuple(
            Related(
                ids[key // 2 // len(ids)],
                ids[key // 2 % len(ids)],
                *self.known[key // 2],
                tuple(sorted(told.met[key])),
                bool(key % 2),
            )
            for key in sorted(told.met)
        )


class _Told:
    """Where pairs of readings met, by twice their number, and one more in a temporal conflict."""

    def __init__(self) -> None:
        self.met: dict[int, frozenset[str]] = {}

    def add(self, key: int, at: frozenset[str], *, temporal: bool) -> None:
        """Add a place."""
        before = self.met.setdefault(2 * key + temporal, at)
        if before is not at:
            self.met[2 * key + temporal] = before | at
