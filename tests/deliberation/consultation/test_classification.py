"""Overlap, unique, divergence: cases made by hand, a literal twin of section 3.3, invariants."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deliberation.consultation.scripts import found, passage
from workbench.deliberation.consultation import classification, first_rules
from workbench.deliberation.consultation.classes import NOW, Classes, Rules
from workbench.deliberation.consultation.classification import classify as classified
from workbench.deliberation.consultation.facts import Finding, PackagedPassage
from workbench.deliberation.consultation.lineages import Lineages
from workbench.deliberation.consultation.reading import Reading, read_conclusion
from workbench.deliberation.consultation.relation import Relation, relate

OLD, NEW = (
    passage("v1.md#p1", superseded_by=("v2.md#p1",)),
    passage("v2.md#p1", supersedes=("v1.md#p1",)),
)
VERSIONS = (OLD, NEW)
ASKED = dict.fromkeys(("Q1", "Q2", "Q3"), "How long is the notice?")
classify = partial(classified, asked=ASKED)


def test_a_common_passage_and_compatible_conclusions_are_an_overlap() -> None:
    """Evidence-overlap needs both; the words of the answers are not compared first."""
    made = classify([found("1.1", "30 days", "a#p1"), found("2.1", "Thirty days.", "a#p1", "b#p1")])

    assert ("1.1", "2.1") == made.overlap
    assert () == made.unique + made.divergence
    assert (("1.1", "2.1"),) == made.groups


def test_equal_answers_from_other_passages_are_unique() -> None:
    """Textual agreement is no structural agreement (section 3.1)."""
    made = classify([found("1.1", "30 days", "a#p1"), found("2.1", "30 days", "b#p1")])

    assert ("1.1", "2.1") == made.unique
    assert () == made.overlap


def test_a_contradiction_on_a_common_passage_is_a_divergence() -> None:
    """A finding may overlap with one and diverge from another."""
    made = classify(
        [
            found("1.1", "30 days", "a#p1"),
            found("2.1", "60 days", "a#p1"),
            found("3.1", "thirty days", "a#p1"),
        ]
    )

    assert ("1.1", "2.1", "3.1") == made.divergence
    assert ("1.1", "3.1") == made.overlap
    assert {"1.1": {2}, "3.1": {2}, "2.1": {1, 3}} == made.contradicted


def test_one_interpreter_does_not_agree_with_itself() -> None:
    """Two findings of one interpreter on a passage are unique, not an overlap."""
    made = classify([found("1.1", "30 days", "a#p1"), found("1.2", "30 days", "a#p1")])

    assert (("1.1", "1.2"), ()) == (made.unique, made.overlap)


def test_what_cites_nothing_is_in_no_class() -> None:
    """A finding without a valid citation is kept and never counted."""
    made = classify([found("1.1", "30 days"), found("2.1", "30 days", invalid=("P9",))])

    assert ("1.1", "2.1") == made.unsupported
    assert () == made.overlap + made.unique + made.divergence + made.unclassified


def test_what_is_undecided_is_unclassified_until_a_comparer_decides() -> None:
    """An undecided pair shares a passage, so that neither finding is unique."""
    findings = [
        found("1.1", "The CFO approves.", "a#p1"),
        found("2.1", "The CEO approves.", "a#p1"),
    ]
    made = classify(findings)
    (pair,) = made.related

    assert (("1.1", "2.1"), "undecided") == (made.unclassified, pair.kind)
    decided = {(min(pair[:2]), max(pair[:2])): Relation("contradictory", "comparer")}
    assert ("1.1", "2.1") == classify(findings, decided=decided).divergence


def test_a_comparer_overrules_no_rule() -> None:
    """What the rules decide stays decided."""
    findings = [found("1.1", "30 days", "a#p1"), found("2.1", "60 days", "a#p1")]
    (pair,) = classify(findings).related
    decided = {(min(pair[:2]), max(pair[:2])): Relation("compatible", "comparer")}

    assert ("1.1", "2.1") == classify(findings, decided=decided).divergence


def test_contradictory_versions_are_a_divergence() -> None:
    """Versions of one passage are the same passage in a temporal conflict, and only there."""
    cases = [found("1.1", "30 days", OLD.id), found("2.1", "60 days", NEW.id)]
    made = classify(cases, VERSIONS)
    (pair,) = made.related

    assert (("1.1", "2.1"), ()) == (made.divergence, made.unique)
    assert (True, (OLD.id, NEW.id)) == (pair.temporal, pair.passages)
    assert ("1.1", "2.1") == classify(cases).unique  # without versions they are two passages


def test_a_comparer_may_decide_about_versions() -> None:
    """What no rule decides about two versions is told; until it is decided both are unique."""
    one, other = "Gather in the coach park.", "Gather on the slipway."
    findings = [found("1.1", one, OLD.id), found("2.1", other, NEW.id)]
    made = classify(findings, VERSIONS)
    (pair,) = made.related
    decided = {(min(pair[:2]), max(pair[:2])): Relation("contradictory", "comparer")}

    assert (("1.1", "2.1"), "undecided", True) == (made.unique, pair.kind, pair.temporal)
    assert ("1.1", "2.1") == classify(findings, VERSIONS, decided=decided).divergence


def test_compatible_versions_are_no_overlap() -> None:
    """No passage is common to them."""
    made = classify([found("1.1", "30 days", OLD.id), found("2.1", "30 days", NEW.id)], VERSIONS)

    assert (("1.1", "2.1"), ()) == (made.unique, made.overlap)


def test_versions_are_connected_through_one_that_is_not_there() -> None:
    """Version 3 supersedes 2, which supersedes 1, and 2 was not found."""
    first = passage("v1#p1", superseded_by=("v2#p1",))
    third = passage("v3#p1", supersedes=("v2#p1",))
    versions = Lineages.of([first, third, passage("x#p1")]).versions

    assert {"v1#p1", "v2#p1"} == versions["v3#p1"]
    assert "x#p1" not in versions


def test_two_parts_of_one_are_no_versions_of_each_other() -> None:
    """A passage was divided: what is read on the two new ones are readings of two passages."""
    parts = [passage(f"v2#p{n}", supersedes=("v1#p1",)) for n in (1, 2)]
    made = classify([found("1.1", "30 days", "v2#p1"), found("2.1", "60 days", "v2#p2")], parts)
    old = found("3.1", "90 days", "v1#p1")
    with_old = classify([found("1.1", "30 days", "v2#p1"), old], parts)

    assert (("1.1", "2.1"), ()) == (made.unique, made.divergence)
    assert ("1.1", "3.1") == with_old.divergence


def test_passages_that_a_new_version_leaves_out_are_not_one() -> None:
    """Both have the newer document's id as their successor, and nothing else in common."""
    gone = [passage(f"v1#p{n}", superseded_by=("v2.md",)) for n in (1, 2)]
    made = classify([found("1.1", "30 days", "v1#p1"), found("2.1", "60 days", "v1#p2")], gone)

    assert (("1.1", "2.1"), ()) == (made.unique, made.divergence)


CONCLUSIONS = (
    "30 days",
    "60 days",
    "The notice of staff is thirty days.",
    "Staff notice is 30 days.",
    "Staff notice is 60 days.",
    "Yes, it is.",
    "No, it is not.",
    "The CFO approves.",
    "The CEO approves.",
    "It costs 50 euros.",
    "The passages do not say.",
)
PLACES = ("a#p1", "a#p2", "b#p1", OLD.id, NEW.id, "document.md")


@st.composite
def sessions(draw: st.DrawFn, least: int = 0) -> list[Finding]:
    """Draw the findings of up to four interpreters."""
    made = []
    for i in range(1, draw(st.integers(1, 4)) + 1):
        for k in range(1, draw(st.integers(least, 4)) + 1):
            cited = draw(st.sets(st.sampled_from(PLACES), max_size=3))
            text = draw(st.sampled_from(CONCLUSIONS))
            query = draw(st.sampled_from(("Q1", "Q1", "Q2")))
            made.append(found(f"{i}.{k}", text, *cited, sub_query=query))
    return made


def twin(
    findings: Sequence[Finding], passages: Sequence[PackagedPassage], rules: Rules
) -> dict[str, set[str]]:
    """Classify pair by pair, as the definitions are written."""
    by_rule = relate if rules == NOW else first_rules.relate
    versions = Lineages.of(passages).versions
    sets: dict[str, set[str]] = {"overlap": set(), "divergence": set(), "unique": set()}
    for f in findings:
        shares = False
        for g in findings:
            if f.interpreter == g.interpreter:
                continue
            kind = by_rule(
                *(
                    read_conclusion(x.sub_query, x.conclusion, asked=ASKED[x.sub_query])
                    for x in (f, g)
                )
            ).kind
            common = set(f.cited) & set(g.cited)
            shares |= bool(common)
            of_one = common or any(versions.get(r, set()) & set(g.cited) for r in f.cited)
            if common and kind == "compatible":
                sets["overlap"].add(f.id)
            if of_one and kind == "contradictory":
                sets["divergence"].add(f.id)
        if f.cited and not shares and f.id not in sets["divergence"]:
            sets["unique"].add(f.id)
    return sets


@given(sessions(), st.sampled_from((1, NOW)))
def test_it_is_what_the_definitions_say(findings: list[Finding], rules: Rules) -> None:
    """The quick classification and the literal one agree on every finding."""
    made = classify(findings, VERSIONS, rules=rules)

    told = {name: set(getattr(made, name)) for name in ("overlap", "divergence", "unique")}
    assert twin(findings, VERSIONS, rules) == told


@given(sessions())
def test_what_contradicts_is_of_what_is_related(findings: list[Finding]) -> None:
    """What decides is found among all pairs too, and there is such a pair with each divergence."""
    made = classify(findings, VERSIONS)

    assert tuple(p for p in made.related if p.kind == "contradictory") == made.contradictions
    assert bool(made.divergence) == bool(made.contradictions)


@given(sessions())
def test_classes_exclude_each_other_where_the_definitions_do(findings: list[Finding]) -> None:
    """Every finding is somewhere; unique, unclassified and unsupported stand alone."""
    made = classify(findings, VERSIONS)
    names = ("overlap", "unique", "divergence", "unclassified", "unsupported")
    places = Counter(id for name in names for id in getattr(made, name))

    assert {f.id for f in findings} == set(places)
    for name in ("unique", "unclassified", "unsupported"):
        assert all(places[id] == 1 for id in getattr(made, name))
    assert all(places[id] <= 2 for id in places)


def renamed(findings: Sequence[Finding], to: dict[int, int]) -> list[Finding]:
    """Return the findings with other numbers for their interpreters, in the order of those."""
    made = [
        f.model_copy(
            update={
                "interpreter": to[f.interpreter],
                "id": f"{to[f.interpreter]}.{f.id.split('.')[1]}",
            }
        )
        for f in findings
    ]
    return sorted(made, key=lambda f: [int(part) for part in f.id.split(".")])


def plainly(made: Classes, to: dict[int, int]) -> object:
    """Return a classification with its findings renamed and in no order."""

    def name(id: str) -> str:
        number, _, place = id.partition(".")
        return f"{to[int(number)]}.{place}"

    return (
        [
            {name(id) for id in ids}
            for ids in (
                made.overlap,
                made.unique,
                made.divergence,
                made.unclassified,
                made.unsupported,
            )
        ],
        list(made.readings.values()),
        made.related,
        {frozenset(map(name, group)) for group in made.groups},
        {name(id): frozenset(to[i] for i in who) for id, who in made.contradicted.items()},
    )


@given(sessions(), st.sampled_from(list(permutations((1, 2, 3, 4)))))
def test_permuting_interpreters_changes_nothing(
    findings: list[Finding], order: tuple[int, ...]
) -> None:
    """Who is first, and what it is called, has no part in the result."""
    to = dict(enumerate(order, 1))
    same = {i: i for i in to}

    assert plainly(classify(findings, VERSIONS), to) == plainly(
        classify(renamed(findings, to), VERSIONS), same
    )


@given(sessions(), st.lists(st.sampled_from(CONCLUSIONS), max_size=3))
def test_who_cites_nothing_changes_nothing_else(findings: list[Finding], more: list[str]) -> None:
    """An interpreter without citations adds unsupported findings, and no overlap."""
    silent = [found(f"9.{n}", text) for n, text in enumerate(more, 1)]
    before, after = classify(findings, VERSIONS), classify([*findings, *silent], VERSIONS)

    for name in ("overlap", "unique", "divergence", "unclassified", "groups", "related"):
        assert getattr(before, name) == getattr(after, name)
    assert (*before.unsupported, *(f.id for f in silent)) == after.unsupported


WORDS = (
    "apple bread chair dance eagle flute grape house igloo jelly knife lemon mango night ocean "
    "piano queen river stone tiger uncle violin water yacht zebra"
).split()


def many(per: int, places: int, cited: int) -> list[Finding]:
    """Return findings of ten interpreters, no two in the same words."""
    draw = random.Random(1)
    return [
        found(
            f"{i}.{k}",
            f"{' '.join(draw.sample(WORDS, 6))} {draw.randrange(90)} days",
            *{f"d#p{place}" for place in draw.sample(range(places), cited)},
        )
        for i in range(1, 11)
        for k in range(1, per + 1)
    ]


@pytest.mark.parametrize(("places", "cited"), [(500, 6), (1, 1)])
def test_work_is_near_linear_in_findings_that_share_a_passage(
    places: int, cited: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen times the findings, no two in the same words, take no comparison of two readings."""
    count = Counter[str]()

    def counted(one: Reading, other: Reading) -> Relation:
        count["pairs"] += 1
        return relate(one, other)

    monkeypatch.setattr(classification, "relate", counted)
    classes = [classify(many(per, places, cited)) for per in (5, 80)]

    assert 0 == count["pairs"]
    assert all(made.unclassified for made in classes)
    assert 50 * 49 / 2 > len(classes[0].related) > 0  # they are compared when they are asked for
