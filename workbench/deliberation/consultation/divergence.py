"""Typed Divergence Reports: where a passage is read in two ways, of what kind, and what to do.

Section 5.1 names four types. Which one a divergence has is told by rules:

- ``temporal_conflict``: the readings cite different versions of one passage. From the versions of
  the corpus alone.
- ``scope_mismatch``: one passage, one sub-query, and conclusions that answer different questions;
  or conclusions whose different values one common passage states, side by side: it tells two cases
  apart (95 pounds, or 130 in a capital), and the sub-query did not say which.
- ``logical_contradiction``: the corpus itself says both. For numbers, dates and options: each
  reading's value is stated in a cited passage that does not state the other's. For a bare yes
  against no: each reading cites a passage that the other does not.
- ``corpus_ambiguity``: every other contradiction; the same words are read in two ways.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from workbench.deliberation.consultation.classification import Classes, Related
from workbench.deliberation.consultation.facts import Finding
from workbench.deliberation.consultation.quantities import stated
from workbench.deliberation.consultation.reading import Reading, normal_form

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
    evidence = _Evidence(by_reading, texts, classes.readings, options)
    grouped: defaultdict[tuple[DivergenceType, str, tuple[str, ...]], list[Related]] = defaultdict(
        list
    )
    for pair in classes.related:
        if pair.kind in ("contradictory", "different_question"):
            sub_query = classes.readings[pair.one].sub_query
            grouped[evidence.type_of(pair), sub_query, pair.passages].append(pair)
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


class _Evidence:
    """What each reading's findings cite, and whether its values stand there."""

    def __init__(
        self,
        by_reading: Mapping[str, Sequence[Finding]],
        texts: Mapping[str, str],
        readings: Mapping[str, Reading],
        options: Sequence[str],
    ) -> None:
        self.by_reading = by_reading
        self.texts = texts
        self.readings = readings
        self.options = options
        self.stated: dict[str, frozenset[object]] = {}
        self.wanted = {id: _values(reading) for id, reading in readings.items()}
        self.cited = {
            id: frozenset(cited for f in found for cited in f.cited)
            for id, found in by_reading.items()
        }

    def type_of(self, pair: Related) -> DivergenceType:
        """Return the type of a pair that diverges."""
        if pair.temporal:
            return "temporal_conflict"
        if pair.kind == "different_question":
            return "scope_mismatch"
        mine, theirs = self.cited[pair.one], self.cited[pair.other]
        if pair.rule in ("numbers", "dates", "options"):
            places = {
                reading: {p for p in mine | theirs if self.states(reading, p)}
                for reading in (pair.one, pair.other)
            }
            if places[pair.one] & places[pair.other] & set(pair.passages):
                return "scope_mismatch"
            both = bool(places[pair.one] - places[pair.other])
            both &= bool(places[pair.other] - places[pair.one])
        else:
            both = bool(mine - theirs) and bool(theirs - mine)
        return "logical_contradiction" if both else "corpus_ambiguity"

    def states(self, reading: str, passage: str) -> bool:
        """Return whether a passage states every value of a reading."""
        wanted = self.wanted[reading]
        if not wanted or passage not in self.texts:
            return False
        there = self.stated.get(passage)
        if there is None:
            there = self.stated[passage] = self._read(passage)
        return wanted <= there

    def _read(self, passage: str) -> frozenset[object]:
        quantities, days, _ = stated(self.texts[passage])
        padded = f" {normal_form(self.texts[passage])} "
        named = {n for n, option in enumerate(self.options) if f" {normal_form(option)} " in padded}
        return frozenset({(q.unit, q.value) for q in quantities}) | days | named

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


def _values(reading: Reading) -> frozenset[object]:
    return (
        frozenset({(q.unit, q.value) for q in reading.quantities}) | reading.days | reading.options
    )
