"""Typed Divergence Reports: where a passage is read in two ways, of what kind, and what to do.

There is a report if and only if there is a divergence. Two conclusions of which the rules or a
comparer say that they answer different questions do not contradict, and make none: they are in
`Classes.related`. Section 5.1 names four types. Which one a divergence has is told by rules:

- ``temporal_conflict``: the readings cite different versions of one passage. From the versions of
  the corpus alone.
- ``logical_contradiction``: the corpus itself says both. For conclusions with values: each one's
  value is stated in a cited passage that does not state the other's, or one common passage has two
  statements that contradict (30 days, and in its next sentence 60 of the same): by rule, or as they
  are the same but for the one figure that each has, and name no condition. For others: each reading
  cites a passage that the other does not.
- ``scope_mismatch``: one common passage states both values and tells two cases apart (95 pounds, or
  130 in a capital), of which the sub-query did not say which: in two statements that each have a
  word of their own, or of which one has a condition or a second figure; or in one statement that
  has words to the second value besides "and" and "or".
- ``corpus_ambiguity``: every other contradiction; the same words are read in two ways.

Sessions hold their reports by the first rules as well (`first_rules`). There a scope mismatch was
also what answers different questions, and whatever states both values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from workbench.deliberation.consultation.classes import NOW, Classes, Related
from workbench.deliberation.consultation.facts import Finding
from workbench.deliberation.consultation.figures import Figure, figures, row
from workbench.deliberation.consultation.quantities import stated
from workbench.deliberation.consultation.reading import (
    Reading,
    exact_form,
    normal_form,
    read_conclusion,
)
from workbench.deliberation.consultation.relation import relate
from workbench.knowledge.statements import statements

DivergenceType = Literal[
    "corpus_ambiguity", "logical_contradiction", "scope_mismatch", "temporal_conflict"
]

ACTIONS: dict[DivergenceType, str] = {
    "corpus_ambiguity": "have an expert read the passage",
    "logical_contradiction": "correct the corpus: it says both",
    "scope_mismatch": "refine the sub-query: it was taken for different questions",
    "temporal_conflict": "mark the superseded version, or take it out of the corpus",
}
"""What is recommended (section 5.1)."""


class DivergentReading(NamedTuple):
    """One side of a divergence.

    Attributes
    ----------
    reading, text : str
        Its id and conclusion.
    findings : tuple of str
    cited : tuple of str
        Of the report's passages and the others that its findings cite.
    stated : bool or None
        Whether its value stands in what it cites; None where it has no value to look for.
    """

    reading: str
    text: str
    findings: tuple[str, ...]
    cited: tuple[str, ...]
    stated: bool | None


class DivergenceReport(NamedTuple):
    """A first-class result of a consultation (layer 6).

    Attributes
    ----------
    id : str
        ``D1``, ``D2``, ... in the order of type and passages.
    type : str
        One of the four; what follows from it differs, so it is never left out.
    sub_query : str
        The label that the readings answer; of two, both (``Q1, Q2``).
    passages : tuple of str
        That are read in two ways; in a temporal conflict, the versions.
    readings : tuple of DivergentReading
    pairs : tuple of (str, str, str)
        Which readings diverge, and by which rule.
    action : str
    """

    id: str
    type: DivergenceType
    sub_query: str
    passages: tuple[str, ...]
    readings: tuple[DivergentReading, ...]
    pairs: tuple[tuple[str, str, str], ...]
    action: str


def reports(
    classes: Classes,
    findings: Sequence[Finding],
    texts: Mapping[str, str],
    options: Sequence[str] = (),
) -> tuple[DivergenceReport, ...]:
    """Return the divergence reports of a classification.

    Parameters
    ----------
    texts : mapping of str to str
        The text of each passage of the package, by id.
    """
    by_reading: defaultdict[str, list[Finding]] = defaultdict(list)
    for f in findings:
        by_reading[classes.reading_of[f.id]].append(f)
    evidence = _Evidence(by_reading, texts, classes, options)
    found: defaultdict[tuple[DivergenceType, tuple[str, ...]], list[Related]] = defaultdict(list)
    is_now = classes.rules == NOW
    for pair in classes.contradictions if is_now else classes.related:
        if pair.kind in ("contradictory", "different_question"):
            typed = evidence.type_of(pair) if is_now else evidence.first_type_of(pair)
            found[typed, pair.passages].append(pair)
    grouped = {
        (typed, labels, passages): part
        for (typed, passages), pairs in found.items()
        for labels, part in _by_labels(pairs, classes)
    }
    places = {id: n for n, id in enumerate(classes.readings)}
    made = []
    for n, key in enumerate(sorted(grouped), 1):
        kind, sub_query, passages = key
        pairs = grouped[key]
        there = {id for pair in pairs for id in (pair.one, pair.other)}
        ids = sorted(there, key=places.__getitem__)
        sides = tuple(evidence.side(id, passages) for id in ids)
        told = tuple((pair.one, pair.other, pair.rule) for pair in pairs)
        action = ACTIONS[kind]
        made.append(DivergenceReport(f"D{n}", kind, sub_query, passages, sides, told, action))
    return tuple(made)


def _by_labels(pairs: Sequence[Related], classes: Classes) -> list[tuple[str, list[Related]]]:
    """Return the pairs by the labels of sub-queries that they connect, which are told together."""
    parts: list[tuple[set[str], list[Related]]] = []
    for pair in pairs:
        labels, joined = {classes.readings[id].sub_query for id in pair[:2]}, [pair]
        for part in [part for part in parts if part[0] & labels]:
            parts.remove(part)
            labels |= part[0]
            joined = part[1] + joined
        parts.append((labels, joined))
    return [(", ".join(sorted(labels - {""})), joined) for labels, joined in parts]


class _Evidence:
    """What each reading's findings cite, and whether its values stand there."""

    def __init__(
        self,
        by_reading: Mapping[str, Sequence[Finding]],
        texts: Mapping[str, str],
        classes: Classes,
        options: Sequence[str],
    ) -> None:
        self.by_reading = by_reading
        self.texts = texts
        self.readings = classes.readings
        self.options = options
        self.is_now = classes.rules == NOW
        contradicting = classes.contradictions if self.is_now else ()
        self.in_time = {pair[:2] for pair in contradicting if pair.temporal}
        self.stated: dict[str, frozenset[object]] = {}
        self.wanted = {id: self._values(reading) for id, reading in classes.readings.items()}
        self.cited = {
            id: frozenset(cited for f in found for cited in f.cited)
            for id, found in by_reading.items()
        }

    def type_of(self, pair: Related) -> DivergenceType:
        """Return the type of a pair that contradicts."""
        if pair.temporal:
            return "temporal_conflict"
        if pair[:2] in self.in_time:  # elsewhere too it is their versions that differ
            return "corpus_ambiguity"
        some, others = (self.wanted[id] for id in pair[:2])
        if not some or not others or some == others:
            return self._of_citations(pair)
        places = self._places(pair)
        common = sorted(places[pair.one] & places[pair.other] & set(pair.passages))
        told = {self._in_one(self.texts[id], some, others) for id in common}
        for kind in ("logical_contradiction", "scope_mismatch"):
            if kind in told:
                return kind
        return self._of_values(pair, {id: found.difference(common) for id, found in places.items()})

    def first_type_of(self, pair: Related) -> DivergenceType:
        """Return the type of a pair by the first rules."""
        if pair.temporal:
            return "temporal_conflict"
        if pair.kind == "different_question":
            return "scope_mismatch"
        if pair.rule in ("numbers", "dates", "options"):
            return self._of_values(pair, self._places(pair))
        return self._of_citations(pair)

    def _places(self, pair: Related) -> dict[str, set[str]]:
        """Return which of the passages that are cited state each reading's values."""
        cited = self.cited[pair.one] | self.cited[pair.other]
        return {id: {p for p in cited if self.states(id, p)} for id in pair[:2]}

    def _of_values(self, pair: Related, places: Mapping[str, set[str]]) -> DivergenceType:
        mine, theirs = places[pair.one], places[pair.other]
        if mine & theirs & set(pair.passages):
            return "scope_mismatch"
        return "logical_contradiction" if mine - theirs and theirs - mine else "corpus_ambiguity"

    def _of_citations(self, pair: Related) -> DivergenceType:
        mine, theirs = self.cited[pair.one], self.cited[pair.other]
        return "logical_contradiction" if mine - theirs and theirs - mine else "corpus_ambiguity"

    def _in_one(
        self, text: str, some: frozenset[object], others: frozenset[object]
    ) -> DivergenceType:
        """Return what it is that one passage states the values of two readings."""
        told = [read_conclusion("here", one.text) for one in statements(text)]
        mine = [one for one in told if some <= self._read(one.text)]
        theirs = [one for one in told if others <= self._read(one.text)]
        pairs = [(a, b) for a in mine for b in theirs if a is not b]
        if any(relate(a, b).kind == "contradictory" or _says_both(a, b) for a, b in pairs):
            return "logical_contradiction"
        if any(_are_cases(a, b) for a, b in pairs):
            return "scope_mismatch"
        is_apart = any(_tells_apart(a.text) for a in mine if a in theirs) or not mine or not theirs
        return "scope_mismatch" if is_apart else "corpus_ambiguity"

    def states(self, reading: str, passage: str) -> bool:
        """Return whether a passage states every value of a reading."""
        wanted = self.wanted[reading]
        if not wanted or passage not in self.texts:
            return False
        there = self.stated.get(passage)
        if there is None:
            there = self.stated[passage] = self._read(self.texts[passage])
        return wanted <= there

    def _read(self, text: str) -> frozenset[object]:
        form = exact_form if self.is_now else normal_form
        padded = f" {form(text)} "
        named = {n for n, option in enumerate(self.options) if f" {form(option)} " in padded}
        if self.is_now:
            return figures(text) | named
        quantities, days, _ = stated(text)
        return frozenset({(q.unit, q.value) for q in quantities}) | days | named

    def _values(self, reading: Reading) -> frozenset[object]:
        if self.is_now:
            return reading.wording.figures | ({reading.option} - {None})
        values = frozenset({(q.unit, q.value) for q in reading.quantities})
        return values | reading.days | reading.options

    def side(self, reading: str, passages: Sequence[str]) -> DivergentReading:
        """Return one side of a report."""
        found = self.by_reading[reading]
        here = [f for f in found if set(f.cited) & set(passages)]
        cited = sorted({id for f in here for id in f.cited})
        known = bool(self.wanted[reading])
        return DivergentReading(
            reading,
            self.readings[reading].text,
            tuple(f.id for f in here),
            tuple(cited),
            any(self.states(reading, id) for id in cited) if known else None,
        )


def _says_both(one: Reading, other: Reading) -> bool:
    """Return whether two statements are the same but for the one figure that each has."""
    a, b = one.wording, other.wording
    if a.frame is None or a.frame != b.frame or one.conditional or other.conditional:
        return False
    return len(a.figures) == len(b.figures) == 1


def _are_cases(one: Reading, other: Reading) -> bool:
    """Return whether two statements tell two cases apart."""
    a, b = one.wording, other.wording
    is_of_more = len(a.figures) > 1 or len(b.figures) > 1
    own = bool(a.content - b.content and b.content - a.content)
    return own or is_of_more or one.conditional or other.conditional


def _tells_apart(text: str) -> bool:
    """Return whether a statement has words of its own to a value that is not its first."""
    given = row(text)
    first = next((n for n, one in enumerate(given) if isinstance(one, Figure)), len(given))
    words = [one for one in given[first:] if isinstance(one, str)]
    return any(word not in ("and", "or") for word in words)
