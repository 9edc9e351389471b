"""Structural confidence, the correlated-bias flag, and the four types of divergence."""

from __future__ import annotations

import json

import pytest

from tests.deliberation.consultation.scripts import found, package, passage
from workbench.deliberation.consultation.divergence import ACTIONS
from workbench.deliberation.consultation.facts import Finding
from workbench.deliberation.consultation.topology import Topology, topology_of
from workbench.experiments.consultation_scores import came_to

RULES = passage("rules.md#p1", "Notice is 30 days. It is given in writing.")
OTHER = passage("other.md#p1", "Notice is 60 days.")
PLAIN = passage("plain.md#p1", "Staff may leave early where this is reasonable.")
OLD = passage("v1.md#p1", "Notice is 30 days.", version="1", superseded_by=("v2.md#p1",))
NEW = passage("v2.md#p1", "Notice is 60 days.", version="2", supersedes=("v1.md#p1",))
NIGHT = passage("night.md#p1", "A night costs up to 95 pounds, or 130 pounds in a capital.")
CASES = passage("cases.md#p1", "Staff notice is 30 days. The notice of managers is 60 days.")
BOTH = passage("both.md#p1", "The notice of staff is 30 days. Staff notice is 60 days.")
GIVEN = passage(
    "give.md#p1", "Staff must give 30 days of notice. Staff must give 60 days of notice."
)
CLAIMS = passage("c.md#p1", "Claims are sent within 30 days. Claims are sent within 60 days.")
PERIOD = passage("p.md#p1", "Notice is 30 days. The notice period is 60 days.")
MORE = passage("more.md#p1", "Notice is 30 days. Notice is 60 days if you lead a team.")
EITHER = passage("either.md#p1", "The notice is 30 days or 60 days.")
PACKAGE = package(
    RULES, OTHER, PLAIN, NIGHT, OLD, NEW, CASES, BOTH, EITHER, GIVEN, CLAIMS, PERIOD, MORE
)


def made(*findings: Finding, n: int = 3, **options: object) -> Topology:
    """Return the topology of findings of the first n interpreters."""
    return topology_of(findings, range(1, n + 1), PACKAGE, **options)  # type: ignore[arg-type]


def test_confidence_is_the_product_of_its_parts() -> None:
    """Two of three agree on a passage, and one contradicts them: 2/3 x 1 x (1 - 1/3)."""
    topology = made(
        found("1.1", "30 days", RULES.id),
        found("2.1", "Thirty days.", RULES.id),
        found("3.1", "60 days", RULES.id),
    )
    (claim,) = topology.claims

    assert ((1, 2), (RULES.id,)) == (claim.interpreters, claim.shared)
    assert (2 / 3 * 1 * (1 - 1 / 3), 2, 3, 2 / 3, 1.0, 1 / 3) == claim.confidence


def test_a_document_is_less_specific_than_a_passage() -> None:
    """Who shares whole documents alone has half the specificity."""
    document, passages = (
        made(found("1.1", "30 days", where), found("2.1", "30 days", where)).claims[0].confidence
        for where in ("rules.md", RULES.id)
    )

    assert (0.5, 1.0) == (document.evidence_specificity, passages.evidence_specificity)
    assert document.score == passages.score / 2


def test_confidence_has_no_word_of_the_interpreters_in_it() -> None:
    """How sure they say they are changes nothing."""
    scores = {
        made(
            found("1.1", "30 days", RULES.id, confidence=sure),
            found("2.1", "30 days", RULES.id, confidence="low"),
        )
        .claims[0]
        .confidence
        for sure in ("low", "high")
    }

    assert 1 == len(scores)


def test_a_score_is_told_with_the_topology() -> None:
    """The text and the JSON of a score hold the three classes as well."""
    topology = made(
        found("1.1", "30 days", RULES.id),
        found("2.1", "30 days", RULES.id),
        found("3.1", "Early is fine.", PLAIN.id),
    )
    told = str(topology)

    assert "2 overlap, 1 unique, 0 divergence" in told
    assert "[0.67 = 2/3 x 1 x (1 - 0.00)] 30 days" in told
    assert "unique 3.1: Early is fine." in told
    assert {"claims", "overlap", "unique", "divergence"} < topology.to_json().keys()
    assert json.loads(json.dumps(topology.to_json())) == topology.to_json()


def test_unanimity_without_a_unique_finding_is_flagged() -> None:
    """It may be a shared prior; a unique finding, a contradiction or a silent one takes it away."""
    agree = [found(f"{i}.1", "30 days", RULES.id) for i in (1, 2, 3)]

    assert made(*agree).correlated_bias
    assert "correlated bias" in str(made(*agree))
    assert not made(*agree, found("1.2", "Early is fine.", PLAIN.id)).correlated_bias
    assert not made(*agree, found("1.2", "60 days", RULES.id)).correlated_bias
    assert not made(*agree, n=4).correlated_bias
    assert not made().correlated_bias


def test_a_divergence_elsewhere_does_not_take_the_flag_away() -> None:
    """Only what contradicts the claim that all agree on tells against it."""
    agree = [found(f"{i}.1", "30 days", RULES.id) for i in (1, 2, 3)]
    yes, no = (
        found(f"{i}.2", told, PLAIN.id, sub_query="Q2") for i, told in ((1, "Yes."), (2, "No."))
    )
    topology = made(*agree, yes, no)

    assert (1, True) == (len(topology.divergences), topology.correlated_bias)
    assert ("C1",) == topology.unanimous
    assert "all agree on C1 and nobody saw anything alone" in str(topology)


def test_what_is_undecided_is_told() -> None:
    """Two claims that nobody held against each other, and a finding that is in no class."""
    told = ("Notice is 30 days.", "Notice is 30 days.", "The notice period is sixty days.")
    text = str(made(*(found(f"{n}.1", one, RULES.id) for n, one in enumerate(told, 1))))

    assert "unclassified 3.1: The notice period is sixty days. (rules.md#p1)" in text
    assert "1 pair of readings is undecided: they may agree, or contradict each other" in text
    assert "undecided" not in str(made(found("1.1", "30 days", RULES.id)))


def test_families_are_told_with_a_claim() -> None:
    """Overlap across families is the stronger evidence, so that a reader is told of it."""
    topology = made(
        found("1.1", "30 days", RULES.id),
        found("2.1", "30 days", RULES.id),
        families={1: "qwen", 2: "smol", 3: "qwen"},
    )

    assert ("qwen", "smol") == topology.claims[0].families


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        # from versions, whatever a model would say
        (("30 days", OLD), ("60 days", NEW), "temporal_conflict"),
        (("30 days", OLD, NEW), ("60 days", NEW), "temporal_conflict"),
        # each value stands in a passage that the other's does not stand in
        (("30 days", RULES, OTHER), ("60 days", OTHER), "logical_contradiction"),
        (("Yes.", RULES, OTHER), ("No.", RULES, PLAIN), "logical_contradiction"),
        # one passage, two readings
        (("30 days", RULES), ("60 days", RULES), "corpus_ambiguity"),
        (("Yes.", PLAIN), ("No.", PLAIN), "corpus_ambiguity"),
        # one passage that tells two cases apart, in one sentence or in two
        (("95 pounds", NIGHT), ("130 pounds", NIGHT), "scope_mismatch"),
        (("30 days", CASES), ("60 days", CASES), "scope_mismatch"),
        (("30 days", MORE), ("60 days", MORE), "scope_mismatch"),
        # one passage that says both of the same, or leaves open which, or whether of the same
        (("Notice is 30 days.", GIVEN), ("Notice is 60 days.", GIVEN), "logical_contradiction"),
        (("30 days", CLAIMS), ("60 days", CLAIMS), "logical_contradiction"),
        (("30 days", PERIOD), ("60 days", PERIOD), "corpus_ambiguity"),
        (("30 days", BOTH), ("60 days", BOTH), "logical_contradiction"),
        (("30 days", EITHER), ("60 days", EITHER), "corpus_ambiguity"),
    ],
)
def test_a_divergence_has_a_type(one: tuple, other: tuple, kind: str) -> None:  # type: ignore[type-arg]
    """Each of section 5.1's types comes from a rule, and brings its recommended action."""
    topology = made(
        found("1.1", one[0], *(p.id for p in one[1:])),
        found("2.1", other[0], *(p.id for p in other[1:])),
    )
    (report,) = topology.divergences

    assert (kind, ACTIONS[report.type]) == (report.type, report.action)
    assert {one[0], other[0]} == {side.text for side in report.readings}
    assert set(report.passages) <= {p.id for p in (*one[1:], *other[1:])}


def test_a_report_says_whether_a_value_stands_in_the_passage() -> None:
    """A figure that is nowhere in what is cited was not read there."""
    topology = made(found("1.1", "30 days", RULES.id), found("2.1", "60 days", RULES.id))
    told = {side.text: side.stated for side in topology.divergences[0].readings}

    assert {"30 days": True, "60 days": False} == told


def test_other_questions_are_no_divergence() -> None:
    """They are told as what they are; a report is there if and only if a divergence is."""
    agree = [found(f"{i}.1", "Staff notice is 30 days.", RULES.id) for i in (1, 2, 3)]
    other = found("1.2", "The allowance costs ten pounds.", RULES.id, sub_query="Q2")
    topology = made(*agree, other)

    assert ((), ()) == (topology.divergences, topology.classes.divergence)
    assert ["different_question"] == [pair.kind for pair in topology.classes.related]


def test_other_sub_queries_are_no_scope_mismatch() -> None:
    """One passage may answer two sub-queries; who answers one does not diverge from the other."""
    topology = made(
        found("1.1", "30 days", RULES.id), found("2.1", "In writing.", RULES.id, sub_query="Q2")
    )

    assert () == topology.divergences
    assert ("1.1", "2.1") == topology.classes.unclassified


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The maximum amount is 50 euros.", "The maximum amount is 120 euros."),
        ("Approval is required.", "Approval is not required."),
        ("No.", "Yes."),
        ("The passages do not say.", "50 euros"),
    ],
)
@pytest.mark.parametrize("labels", [("Q1", "Q2"), ("", ""), ("", "Q1")])
def test_nobody_disagrees_across_sub_queries(one: str, other: str, labels: tuple[str, str]) -> None:
    """What a conclusion is about may stand in its sub-query alone, known or not."""
    topology = made(
        found("1.1", one, RULES.id, sub_query=labels[0]),
        found("2.1", other, RULES.id, sub_query=labels[1]),
        found("3.1", one, RULES.id, sub_query=labels[0]),
    )
    classes = topology.classes

    assert ((), ()) == (topology.divergences, classes.divergence)
    assert {"undecided"} == {pair.kind for pair in classes.related}
    assert (("1.1", "3.1") if labels[0] else ()) == classes.overlap


def test_all_who_find_nothing_agree() -> None:
    """Each in its own words; none of them reads another thing than the others."""
    said = ("The passages do not answer this question.", "The passages do not say.", "Not stated.")
    topology = made(*(found(f"{n}.1", text, RULES.id) for n, text in enumerate(said, 1)))

    assert (("1.1", "2.1", "3.1"), ()) == (topology.classes.overlap, topology.divergences)
    assert "absent" == came_to(topology)


def test_nobody_found_anything() -> None:
    """Empty reports are a result: no claim, no divergence, no flag."""
    topology = made()

    assert ((), (), ()) == (topology.claims, topology.divergences, topology.findings)
    assert "0 findings" in str(topology)


def test_ten_interpreters_with_two_hundred_findings_each() -> None:
    """Over 500 passages: every finding is somewhere (the benchmarks have the time)."""
    whole = package(*(passage(f"d#p{n}", f"Notice {n} is {n} days.") for n in range(500)))
    findings = [
        found(
            f"{i}.{k}",
            f"The notice of team {(i * k) % 97} is {i * k % 61} days.",
            f"d#p{(17 * i + 31 * k) % 500}",
            f"d#p{(5 * i + 13 * k) % 500}",
        )
        for i in range(1, 11)
        for k in range(1, 201)
    ]

    classes = topology_of(findings, range(1, 11), whole).classes

    placed = (classes.overlap, classes.unique, classes.divergence, classes.unclassified)
    assert {f.id for f in findings} == {id for ids in placed for id in ids}
    assert () == classes.unsupported
