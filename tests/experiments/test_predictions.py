"""The measures of the four predictions, on readers of whom it is known what comes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import found as finding
from tests.deliberation.consultation.scripts import package as packaged
from tests.deliberation.consultation.scripts import passage
from workbench.deliberation.consultation.debated import debated_consultation, debated_topology
from workbench.deliberation.consultation.facts import RetrievalPackage
from workbench.deliberation.consultation.figures import Figure, row
from workbench.deliberation.consultation.topology import Topology, topology_of
from workbench.experiments.prediction_verdicts import of_ambiguity
from workbench.experiments.predictions import (
    agreement,
    ambiguity_seen,
    follows,
    isolation_effect,
    shared_bias,
    substitution,
)
from workbench.knowledge.labels import Place
from workbench.knowledge.package import Packager

HANDBOOK = Path(__file__).parents[2] / "corpora" / "handbook"
LABELS = [
    label
    for label in wb.read_labels(HANDBOOK)
    if label.id in ("H01", "H02", "H04", "H08", "H10", "H20", "H21", "H23")
]
"""Plain facts, and superseded versions: what readers who quote can find."""

Packages = dict[str, RetrievalPackage]
MIXED = ("north", "south", "north")


@pytest.fixture(scope="module")
def packages() -> Packages:
    """Give a package for each question."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wb.MiniLM, "installed", staticmethod(lambda: False))
        packager = Packager(wb.Index(wb.Corpus.read(HANDBOOK)))
    made = ((one.id, packager.package(one.question)) for one in LABELS)
    return {id: RetrievalPackage.model_validate(package) for id, package in made}


def topologies(
    packages: Packages, families: tuple[str, ...] = MIXED, *, debate: bool = False, **set_: float
) -> dict[str, Topology]:
    """Return what readers of these families come to on each question."""
    return read(packages, [wb.rule_reader(name, **set_) for name in families], debate=debate)


def read(
    packages: Packages, readers: Sequence[wb.ScriptedLM], *, debate: bool = False
) -> dict[str, Topology]:
    """Return what readers come to on each question."""
    lms = {f"interpreter={n}": lm for n, lm in enumerate(readers, 1)}
    families, found = tuple(lm.family for lm in readers), {}
    for id, package in packages.items():
        plain = package.model_dump(mode="json")
        passport = {"sha256": package.passport.sha256}
        world = {"package": lambda _=plain, **__: _, "passport": lambda _=passport: _}
        options = {"allow_nonconformant": len(set(families)) < 2}
        make = debated_consultation if debate else wb.consultation
        run = wb.run_sync(make(package.question, "x", families, **options), lm=lms, world=world)
        compared = wb.run_sync(wb.comparison(run), lm=wb.ScriptedLM(compare, family="judge"))
        came = debated_topology(run, compared) if debate else wb.synthesis(run, compared).topology
        found[id] = came
    return found


def compare(asked: wb.Asked) -> str:
    """Compare as a sound comparer: what differs in nothing but its figures contradicts."""
    sides = [part.text.partition("\n")[2] for part in asked.parts if ":/" in (part.source or "")]
    one, other = (["#" if isinstance(w, Figure) else w for w in row(text)] for text in sides)
    kind = "contradictory" if one == other else "different_question"
    return json.dumps({"reason": "By their words.", "relation": kind})


def test_ambiguity_is_seen(packages: Packages) -> None:
    """Where the corpus says two things a session says so, though each reader is sure enough."""
    seen = ambiguity_seen(topologies(packages), LABELS)

    divergent = seen.filter(expected="divergence")
    assert {"H20", "H21", "H23"} == set(divergent["id"])
    assert divergent["divergence"].all()
    assert {"medium"} == set(seen["single"])
    assert not seen.filter(expected="overlap")["divergence"].any()


def test_a_reader_who_gives_both_readings_gives_no_single_answer() -> None:
    """Two answers to one sub-query are two; one in two wordings, or to two sub-queries, is one."""
    place = passage("v1.md#p1", "Notice is 30 days, or 60.")
    given = packaged(place)
    label = LABELS[-1].model_copy(
        update={"id": "X", "evidence": (Place(passage=place.id, quote="30"),)}
    )
    for told, answers in (
        (("30 days", "60 days"), 2),
        (("30 days", "Thirty days."), 1),
        (("30 days", "30 days"), 1),
        ((), 0),
    ):
        findings = [
            finding(f"1.{n}", text, place.id, confidence="high") for n, text in enumerate(told)
        ]
        made = topology_of(findings, (1, 2, 3), given)

        assert [answers] == ambiguity_seen({"X": made}, [label])["answers"].to_list()
    apart = [
        finding(f"1.{n}", text, place.id, sub_query=f"Q{n}")
        for n, text in enumerate(("30 days", "60 days"), 1)
    ]
    seen = ambiguity_seen({"X": topology_of(apart, (1, 2, 3), given)}, [label])
    assert [1] == seen["answers"].to_list()


@pytest.mark.parametrize(("answers", "outcome"), [(1, "as predicted"), (2, "in part")])
def test_prediction_1_needs_one_answer(answers: int, outcome: str) -> None:
    """A reader that is sure of both readings has told of the ambiguity."""
    rows = [("A", "divergence", "corpus_ambiguity", True, "high", answers)] * 4
    rows += [("B", "overlap", None, False, "high", 1)] * 4
    columns = ["id", "expected", "type", "divergence", "single", "answers"]
    verdict = of_ambiguity(pl.DataFrame(rows, schema=columns, orient="row"))

    assert outcome == verdict.outcome
    assert f"to {4 * (answers > 1)} it gives more than one answer" in verdict.why


def test_what_several_contest_elsewhere_is_not_contested() -> None:
    """A divergence over other evidence says nothing of what one family is unanimous about."""
    one, other = passage("a.md#p1", "Notice is 30 days."), passage("b.md#p1", "Early is fine.")
    given = packaged(one, other)
    agree = [finding(f"{n}.1", "30 days", one.id) for n in (1, 2, 3)]
    apart = [
        finding(f"{n}.2", told, other.id, sub_query="Q2") for n, told in ((1, "Yes."), (2, "No."))
    ]
    alone = topology_of(agree, (1, 2, 3), given)
    several = topology_of([*agree, *apart], (1, 2, 3), given)

    assert [(True, False, True)] == shared_bias({"X": alone}, {"X": several}).select(
        "unanimous", "contested", "flagged"
    ).rows()


def test_agreement_of_what_is_not_conformant_is_not_compared() -> None:
    """Without a structural confidence there is nothing to compare."""
    place = passage("a.md#p1", "Notice is 30 days.")
    findings = [finding(f"{n}.1", "30 days", place.id) for n in (1, 2)]
    made = topology_of(findings, (1, 2), packaged(place))

    assert 1.0 == agreement(made)
    assert agreement(made.without_confidence()) is None
    both = {LABELS[0].id: made}, {LABELS[0].id: made.without_confidence()}
    assert isolation_effect(*both, LABELS).is_empty()


def test_agreement_follows_the_corpus_under_isolation_alone(packages: Packages) -> None:
    """Readers who are swayed agree on everything, so that agreement tells nothing of the corpus."""
    isolated, debated = (topologies(packages, debate=d, sway=1.0) for d in (False, True))
    effect = isolation_effect(isolated, debated, LABELS)

    assert 1.0 == follows(effect, "isolated")
    assert follows(effect, "debated") is None
    assert {1.0} == set(effect["debated"])


def test_errors_weaken_what_isolation_shows(packages: Packages) -> None:
    """With readers who err apart agreement still follows the corpus, and less closely."""
    some = topologies(packages, error=0.3)
    told = follows(isolation_effect(some, some, LABELS), "isolated")

    assert told is not None
    assert told < 1


def test_models_can_be_substituted(packages: Packages) -> None:
    """Readers of other families come to the same; readers who err do not."""
    mine, others = topologies(packages), topologies(packages, ("east", "west", "east"))
    erring = topologies(packages, error=1.0)

    assert {1.0} == set(substitution(mine, others)["similarity"])
    assert substitution(mine, others)["same"].all()
    assert substitution(mine, erring)["similarity"].mean() < 0.5


def test_a_bias_of_one_family_is_flagged(packages: Packages) -> None:
    """It is unanimous where the corpus is plain, contested by a second family, and flagged."""
    plain = {id: packages[id] for id in ("H01", "H02", "H04")}
    biased = [wb.rule_reader("north", bias=1.0) for _ in range(3)]
    mixed = read(plain, [*biased[:2], wb.rule_reader("south")])
    found = shared_bias(read(plain, biased), mixed)

    assert found.select("unanimous", "contested", "flagged").to_numpy().all()
    sound = shared_bias(topologies(plain, ("north",) * 3), topologies(plain))
    assert not sound["contested"].any()


def test_nothing_in_common(packages: Packages) -> None:
    """No question, no row; no difference, no correlation."""
    assert substitution({}, {}).is_empty()
    assert shared_bias({}, {}).is_empty()
    empty = isolation_effect({}, {}, LABELS)
    assert follows(empty, "isolated") is None
