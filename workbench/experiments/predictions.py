"""The four testable predictions of section 11 as measures over topologies of labelled questions.

Every function takes topologies by the id of their question, and the labels; each returns a frame
with a row a question, from which its claim can be checked. None of them says who is right.

1. `ambiguity_seen`: divergence reports, where a single reader is sure of one answer.
2. `isolation_effect`: agreement follows the corpus more under isolation than under debate.
3. `substitution`: other models, one corpus and question, similar topologies.
4. `shared_bias`: unanimity of one family that another family does not share is flagged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from workbench.deliberation.consultation.facts import Finding
from workbench.deliberation.consultation.relation import relate
from workbench.deliberation.consultation.topology import Topology
from workbench.experiments.consultation_scores import came_to
from workbench.knowledge.labels import LabelledQuestion

Topologies = Mapping[str, Topology]
_SURE = {"low": 0, "medium": 1, "high": 2}


def ambiguity_seen(sessions: Topologies, labels: Iterable[LabelledQuestion]) -> pl.DataFrame:
    """Hold divergence reports against what one reader alone would have said (prediction 1).

    Returns
    -------
    DataFrame
        ``id``, ``expected``, ``type``, ``divergence`` (a report is at a labelled passage),
        ``single`` (how sure the first reader says it is of a finding there: the surest one; null
        where it has none), ``answers`` (how many different answers it gives there to one
        sub-query; conclusions that rules or a comparer call compatible are one).
    """
    rows = []
    for label in _asked(sessions, labels):
        topology, places = sessions[label.id], {one.passage for one in label.evidence}
        first = min(topology.interpreters, default=0)
        said = [f for f in topology.findings if f.interpreter == first and places & set(f.cited)]
        seen = came_to(topology, places) == "divergence"
        single = max((f.confidence for f in said), key=_SURE.__getitem__, default=None)
        answers = _answers(topology, said)
        rows.append((label.id, label.expected, label.type, seen, single, answers))
    columns = {
        **dict.fromkeys(("id", "expected", "type"), pl.String()),
        "divergence": pl.Boolean(),
        "single": pl.String(),
        "answers": pl.Int64(),
    }
    return pl.DataFrame(rows, schema=columns, orient="row")


def _answers(topology: Topology, said: Iterable[Finding]) -> int:
    """Return the most answers to one sub-query in findings, compatible ones counting once."""
    classes = topology.classes
    known = {frozenset((pair.one, pair.other)): pair.kind for pair in classes.related}
    apart: defaultdict[str, list[str]] = defaultdict(list)
    for id in dict.fromkeys(classes.reading_of[f.id] for f in said):
        reading = classes.readings[id]
        others = apart[reading.sub_query]
        if not any(
            known.get(frozenset((id, other)), relate(reading, classes.readings[other]).kind)
            == "compatible"
            for other in others
        ):
            others.append(id)
    return max(map(len, apart.values()), default=0)


def agreement(topology: Topology) -> float | None:
    """Return the highest structural confidence of a session's claims; 0 where there is no claim.

    None where claims have none: the session is not conformant.
    """
    scores = [claim.confidence for claim in topology.claims]
    if None in scores:
        return None
    return max((one.score for one in scores if one), default=0.0)


def isolation_effect(
    isolated: Topologies, debated: Topologies, labels: Iterable[LabelledQuestion]
) -> pl.DataFrame:
    """Hold agreement under isolation against agreement under debate (prediction 2).

    Returns
    -------
    DataFrame
        Of the questions that both have with an `agreement`, and on which the corpus says something:
        ``id``, ``plain`` (it says one thing), ``isolated``, ``debated`` (`agreement` under each).
    """
    rows = []
    for one in _asked(isolated, labels):
        if one.id in debated and one.expected != "absent":
            both = agreement(isolated[one.id]), agreement(debated[one.id])
            if None not in both:
                rows.append((one.id, one.expected != "divergence", *both))
    columns = {"id": pl.String(), "plain": pl.Boolean(), "isolated": pl.Float64()}
    return pl.DataFrame(rows, schema={**columns, "debated": pl.Float64()}, orient="row")


def follows(effect: pl.DataFrame, condition: str) -> float | None:
    """Return how closely agreement follows the corpus: the point-biserial correlation with `plain`.

    Parameters
    ----------
    effect : DataFrame
        Of `isolation_effect`.
    condition : {"isolated", "debated"}

    Returns
    -------
    float or None
        None where agreement, or the corpus, is the same for all questions.
    """
    plain = effect.get_column("plain").cast(pl.Float64()).to_numpy()
    agreed = effect.get_column(condition).to_numpy()
    if len(plain) < 2 or not plain.std() or not agreed.std():
        return None
    return float(np.corrcoef(plain, agreed)[0, 1])


def substitution(one: Topologies, other: Topologies) -> pl.DataFrame:
    """Return how alike the topologies of two sets of models are (prediction 3).

    Returns
    -------
    DataFrame
        Of the questions that both have: ``id``, ``similarity`` (Jaccard index of the pairs of a
        passage and a class of the findings that cite it; 1 where neither found anything), ``same``
        (both come to one class).
    """
    rows = []
    for id in sorted(one.keys() & other.keys()):
        mine, theirs = _placed(one[id]), _placed(other[id])
        similarity = len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
        rows.append((id, similarity, came_to(one[id]) == came_to(other[id])))
    columns = {"id": pl.String(), "similarity": pl.Float64(), "same": pl.Boolean()}
    return pl.DataFrame(rows, schema=columns, orient="row")


def shared_bias(homogeneous: Topologies, heterogeneous: Topologies) -> pl.DataFrame:
    """Hold one family's unanimity against what several families come to (prediction 4).

    Returns
    -------
    DataFrame
        Of the questions that both have: ``id``, ``unanimous`` (a claim has all interpreters of the
        one family, and none of them contradicts it), ``contested`` (the several diverge over
        evidence of such a claim), ``flagged`` (the one family's session has the flag). What is
        predicted: `flagged` wherever `unanimous` and `contested`.
    """
    rows = []
    for id in sorted(homogeneous.keys() & heterogeneous.keys()):
        alone, several = homogeneous[id], heterogeneous[id]
        cited = {r for one in alone.claims if one.id in alone.unanimous for r in one.shared}
        contested = any(cited & set(report.passages) for report in several.divergences)
        rows.append((id, bool(alone.unanimous), contested, alone.correlated_bias))
    columns = dict.fromkeys(("unanimous", "contested", "flagged"), pl.Boolean())
    return pl.DataFrame(rows, schema={"id": pl.String(), **columns}, orient="row")


def _asked(sessions: Topologies, labels: Iterable[LabelledQuestion]) -> list[LabelledQuestion]:
    return [label for label in labels if label.id in sessions]


def _placed(topology: Topology) -> set[tuple[str, str]]:
    classes = topology.classes
    return {
        (passage, name)
        for name in ("overlap", "unique", "divergence", "unclassified")
        for f in topology.findings
        if f.id in getattr(classes, name)
        for passage in f.cited
    }
