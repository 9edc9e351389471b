"""The agreement topology: classes, claims with their structural confidence, divergence reports.

Section 4 gives Confidence(claim) = f(N_overlap, N_total, E_specificity, D_divergence) and leaves f
open. Decision, with every factor in [0, 1] and shown beside the score::

    confidence = N_overlap / N_total  x  E_specificity  x  (1 - D_divergence)

- a claim is a set of findings that evidence-overlaps connect;
- N_overlap: interpreters with a finding in the claim; N_total: interpreters that reported;
- E_specificity: 1 where a passage is among the evidence that the claim's interpreters share, 0.5
  where whole documents are all that they share;
- D_divergence: the share of N_total with a finding that contradicts one of the claim's.

The score is a property of the corpus under this question; it ranks no interpreter and no answer. It
is not to be had without the topology: `StructuralConfidence` is a part of `Topology` alone, and its
text names the three classes. A session that is not conformant has a topology and no score: of two
readers, or of one family, none is meaningful (sections 3.3 and 12.1).

Correlated bias (sections 4 and 12.1) is looked for claim by claim: one that every interpreter is
in and nobody contradicts is unanimous, whatever is read in two ways elsewhere. The unique findings
that tell against it are those of the session: one of them shows readers who saw for themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from workbench.deliberation.consultation.classes import NOW, Classes, Pair, Rules
from workbench.deliberation.consultation.classification import classify
from workbench.deliberation.consultation.divergence import DivergenceReport, reports
from workbench.deliberation.consultation.facts import Finding, RetrievalPackage
from workbench.deliberation.consultation.relation import Relation
from workbench.record.events import JSON
from workbench.record.jsonable import as_json

PASSAGE, DOCUMENT = 1.0, 0.5
"""E_specificity: a passage says where to look, a document only where to begin."""

APART = "readings that share no passage are not held against each other"


class StructuralConfidence(NamedTuple):
    """The score of a claim with its parts (section 4); see the module for the formula."""

    score: float
    n_overlap: int
    n_total: int
    overlap_share: float
    evidence_specificity: float
    divergence_penalty: float


class Claim(NamedTuple):
    """What several interpreters found on shared evidence.

    Attributes
    ----------
    id : str
        ``C1``, ``C2``, ... in the order of sub-query and words.
    sub_query : str
        The label that the findings answer; of several, all (``Q1, Q2``).
    readings : tuple of str
        Ids; all are said, and none is chosen to stand for the claim.
    findings : tuple of str
    interpreters : tuple of int
    families : tuple of str
        Of their models, where they are known: overlap across families is the stronger evidence.
    shared : tuple of str
        References that at least two of the interpreters cite for it.
    confidence : StructuralConfidence or None
        None: the session is not conformant.
    """

    id: str
    sub_query: str
    readings: tuple[str, ...]
    findings: tuple[str, ...]
    interpreters: tuple[int, ...]
    families: tuple[str, ...]
    shared: tuple[str, ...]
    confidence: StructuralConfidence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """What a corpus supports, leaves unconfirmed and leaves ambiguous under a question.

    Attributes
    ----------
    interpreters : tuple of int
        Those that reported, also those that found nothing.
    findings : tuple of Finding
        All of them, with their invalid citations.
    classes : Classes
    claims : tuple of Claim
    divergences : tuple of DivergenceReport
    correlated_bias : bool
        Some claim is `unanimous`, and no finding is unique: a shared prior is then as good an
        explanation as the corpus (sections 4 and 12.1).
    """

    interpreters: tuple[int, ...]
    findings: tuple[Finding, ...]
    classes: Classes
    claims: tuple[Claim, ...]
    divergences: tuple[DivergenceReport, ...]
    correlated_bias: bool

    @property
    def unanimous(self) -> tuple[str, ...]:
        """Ids of the claims that every interpreter is in and nobody contradicts."""
        return tuple(
            claim.id
            for claim in self.claims
            if _is_unanimous(claim, self.interpreters, self.classes)
        )

    def without_confidence(self) -> Topology:
        """Return the same without any score, as it is told of a session that is not conformant."""
        return replace(self, claims=tuple(one._replace(confidence=None) for one in self.claims))

    def __str__(self) -> str:
        known = self.classes
        counts = ", ".join(
            f"{len(ids)} {name}"
            for name, ids in (
                ("overlap", known.overlap),
                ("unique", known.unique),
                ("divergence", known.divergence),
                ("unclassified", known.unclassified),
                ("unsupported", known.unsupported),
            )
        )
        lines = [f"{len(self.interpreters)} interpreters, {len(self.findings)} findings: {counts}"]
        for claim in self.claims:
            told = " / ".join(known.readings[id].text for id in claim.readings)
            lines.append(
                f"{claim.id} [{_formula(claim.confidence)}] {told} ({', '.join(claim.shared)})"
            )
        for id in known.unique:
            finding = next(f for f in self.findings if f.id == id)
            lines.append(f"unique {id}: {finding.conclusion} ({', '.join(finding.cited)})")
        alone = frozenset(known.unclassified)
        for finding in self.findings:
            if finding.id in alone:
                cited = ", ".join(finding.cited)
                lines.append(f"unclassified {finding.id}: {finding.conclusion} ({cited})")
        for report in self.divergences:
            told = " | ".join(side.text for side in report.readings)
            lines.append(f"{report.id} {report.type} at {', '.join(report.passages)}: {told}")
        if many := len(known.undecided):
            told = "pair of readings is" if many == 1 else "pairs of readings are"
            lines.append(f"{many} {told} undecided: they may agree, or contradict each other")
        if len({one for f in self.findings for one in f.cited}) > 1:
            lines.append(APART)
        if self.correlated_bias:
            agreed = ", ".join(self.unanimous)
            lines.append(
                f"correlated bias is possible: all agree on {agreed} and nobody saw anything alone"
            )
        return "\n".join(lines)

    def to_json(self) -> dict[str, JSON]:
        """Return the whole as JSON: score and topology are one unit."""
        classes = self.classes
        readings = {
            id: {"sub_query": reading.sub_query, "text": reading.text}
            for id, reading in classes.readings.items()
        }
        made: dict[str, JSON] = as_json(
            {
                "interpreters": self.interpreters,
                "findings": [f.model_dump(mode="json") for f in self.findings],
                "overlap": classes.overlap,
                "unique": classes.unique,
                "divergence": classes.divergence,
                "unclassified": classes.unclassified,
                "unsupported": classes.unsupported,
                "readings": readings,
                "reading_of": dict(classes.reading_of),
                "related": [pair._asdict() for pair in classes.related],
                "claims": [
                    {**claim._asdict(), "confidence": part._asdict() if part else None}
                    for claim, part in ((claim, claim.confidence) for claim in self.claims)
                ],
                "divergences": [
                    {**one._asdict(), "readings": [side._asdict() for side in one.readings]}
                    for one in self.divergences
                ],
                "correlated_bias": self.correlated_bias,
            },
            "the topology",
        )
        return made if classes.rules == 1 else {"rules": classes.rules, **made}


def topology_of(
    findings: Sequence[Finding],
    interpreters: Sequence[int],
    package: RetrievalPackage,
    *,
    options: Sequence[str] = (),
    families: Mapping[int, str] | None = None,
    decided: Mapping[Pair, Relation] | None = None,
    rules: Rules = NOW,
) -> Topology:
    """Return the topology of findings over a package; a pure function of them.

    Parameters
    ----------
    interpreters : sequence of int
        That reported.
    options : sequence of str
        Of the question.
    families : mapping of int to str, optional
        The model family of each interpreter.
    decided : mapping, optional
        What a comparer told of pairs that the rules leave undecided.
    rules : int
        1: as a session's recorded synthesis is (`first_rules`).
    """
    asked = {query.id: query.text for query in package.sub_queries}
    classes = classify(
        findings, package.passages, options=options, asked=asked, decided=decided, rules=rules
    )
    total = tuple(sorted(interpreters))
    claims = _claims(findings, classes, total, package, families or {})
    unanimous = any(_is_unanimous(claim, total, classes) for claim in claims)
    held = rules == 1 and bool(classes.divergence)  # any divergence spoke against it then
    return Topology(
        interpreters=total,
        findings=tuple(findings),
        classes=classes,
        claims=claims,
        divergences=reports(classes, findings, {p.id: p.text for p in package.passages}, options),
        correlated_bias=unanimous and not classes.unique and not held,
    )


def _claims(
    findings: Sequence[Finding],
    classes: Classes,
    total: tuple[int, ...],
    package: RetrievalPackage,
    families: Mapping[int, str],
) -> tuple[Claim, ...]:
    by_id = {f.id: f for f in findings}
    places = {id: n for n, id in enumerate(classes.readings)}
    passages = {passage.id for passage in package.passages}
    made: list[Claim] = []
    for group in classes.groups:
        members = [by_id[id] for id in group]
        readings = sorted({classes.reading_of[id] for id in group}, key=places.__getitem__)
        agents = sorted({f.interpreter for f in members})
        citing: defaultdict[str, set[int]] = defaultdict(set)
        for f in members:
            for reference in f.cited:
                citing[reference].add(f.interpreter)
        shared = sorted(reference for reference, who in citing.items() if len(who) > 1)
        against = {i for id in group for i in classes.contradicted.get(id, ())}
        claim = Claim(
            id="",
            sub_query=", ".join(sorted({f.sub_query for f in members} - {""})),
            readings=tuple(readings),
            findings=group,
            interpreters=tuple(agents),
            families=tuple(sorted({families[i] for i in agents if i in families})),
            shared=tuple(shared),
            confidence=_confidence(
                len(agents), len(total), len(against), bool(passages.intersection(shared))
            ),
        )
        made.append(claim)
    made.sort(key=lambda claim: (places[claim.readings[0]], claim.shared))
    return tuple(claim._replace(id=f"C{n}") for n, claim in enumerate(made, 1))


def _is_unanimous(claim: Claim, interpreters: Sequence[int], classes: Classes) -> bool:
    everyone = set(claim.interpreters) == set(interpreters)
    return everyone and not any(classes.contradicted.get(id) for id in claim.findings)


def _formula(part: StructuralConfidence | None) -> str:
    if part is None:
        return "no confidence: not conformant"
    return (
        f"{part.score:.2f} = {part.n_overlap}/{part.n_total} x {part.evidence_specificity:g} "
        f"x (1 - {part.divergence_penalty:.2f})"
    )


def _confidence(overlap: int, total: int, against: int, by_passage: bool) -> StructuralConfidence:
    share, penalty = overlap / total, against / total
    specificity = PASSAGE if by_passage else DOCUMENT
    score = share * specificity * (1 - penalty)
    return StructuralConfidence(score, overlap, total, share, specificity, penalty)
