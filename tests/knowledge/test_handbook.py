"""The handbook: what its README and labels say of it is so."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from workbench.deliberation.coherence import CoherenceMap, coherence_map
from workbench.deliberation.consultation.facts import RetrievalPackage
from workbench.errors import DatasetError
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.extraction import extract
from workbench.knowledge.labels import LabelledQuestion, read_labels
from workbench.knowledge.package import Packager
from workbench.knowledge.retrieval import Index
from workbench.knowledge.versions import Versions, versions_of

FOLDER = Path(__file__).parents[2] / "corpora" / "handbook"
CORPUS = Corpus.read(FOLDER)
LABELS = read_labels(FOLDER, CORPUS)


@pytest.fixture(scope="module")
def versions() -> Versions:
    """Give the handbook's versions."""
    return versions_of(CORPUS.documents, CORPUS.passages)


@pytest.fixture(scope="module")
def held(versions: Versions) -> CoherenceMap:
    """Give the handbook's coherence map."""
    return coherence_map(extract(CORPUS, versions), versions)


def of(kind: str) -> list[LabelledQuestion]:
    """Return the questions of a type of divergence."""
    return [question for question in LABELS if question.type == kind]


def test_the_readme_has_its_digests() -> None:
    """Whoever changes a word changes the digests in the README too."""
    told = (FOLDER / "README.md").read_text("utf-8")

    assert CORPUS.passport.sha256 in told
    for name in ("questions.jsonl", "labels.jsonl"):
        assert sha256((FOLDER / name).read_bytes()).hexdigest() in told
    assert f"{len(CORPUS.documents)} documents, {len(CORPUS.passages)} passages" in told
    assert f"{len(LABELS)} questions" in told


def test_every_class_has_its_questions() -> None:
    """The counts are those of the README."""
    assert {
        ("overlap", None): 15,
        ("unique", None): 4,
        ("divergence", "temporal_conflict"): 6,
        ("divergence", "logical_contradiction"): 3,
        ("divergence", "corpus_ambiguity"): 5,
        ("divergence", "scope_mismatch"): 5,
        ("absent", None): 5,
    } == Counter((question.expected, question.type) for question in LABELS)


def test_questions_do_not_tell() -> None:
    """Labels are in a file of their own."""
    for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines():
        assert {"id", "question"} == set(json.loads(line))


@pytest.mark.parametrize("question", of("temporal_conflict"), ids=lambda question: question.id)
def test_superseded_versions_are_known(question: LabelledQuestion, versions: Versions) -> None:
    """Of the two passages the first replaces the second."""
    new, old = (place.passage for place in question.evidence)

    assert new in versions.newer(old)
    assert versions.in_force(new)


@pytest.mark.parametrize(
    "question",
    [q for q in LABELS if q.type != "temporal_conflict"],
    ids=lambda question: question.id,
)
def test_all_else_is_in_force(question: LabelledQuestion, versions: Versions) -> None:
    """No other answer stands in a superseded document."""
    assert all(versions.in_force(place.passage) for place in question.evidence)


def test_contradictions_are_on_the_map(held: CoherenceMap) -> None:
    """Each planted contradiction is found by rules; what else is found is a matter of scope."""
    pairs = {
        (one.one.rpartition("/")[0], one.other.rpartition("/")[0]) for one in held.contradictions
    }

    for question in of("logical_contradiction"):
        one, other = sorted(place.passage for place in question.evidence)
        assert (one, other) in pairs
    assert len(pairs) <= 6


def test_the_map_has_the_circle_and_the_lost_reference(held: CoherenceMap) -> None:
    """And the term that is defined twice."""
    assert (("safety/lone_working.md#p1/c1", "safety/risk_assessment.md#p1/c1"),) == (
        held.circularities
    )
    assert ["Machine register"] == [one.reference for one in held.dangling]
    assert ["term:long-loan"] == [id for id, _ in held.term_conflicts]
    assert len(held.temporal) >= 6


def test_the_evidence_is_packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package by words alone holds what the labels name, but for what is said in passing."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    packager = Packager(Index(CORPUS, cache=tmp_path))
    missed = []
    for question in LABELS:
        package = RetrievalPackage.model_validate(packager.package(question.question))
        given = {passage.id for passage in package.passages}
        if {place.passage for place in question.evidence} - given:
            missed.append(question)

    assert {"unique"} >= {question.expected for question in missed}
    assert len(missed) <= 2


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("labels.jsonl", "six months from", "seven months from", "does not say"),
        ("labels.jsonl", '"class": "absent"', '"class": "overlap"', "evidence"),
        ("labels.jsonl", '"class": "overlap"', '"class": "consensus"', "class"),
        ("labels.jsonl", '"id": "H02"', '"id": "H01"', "H01 is there twice"),
        ("questions.jsonl", '"id": "H02"', '"id": "H99"', "without a label"),
        ("questions.jsonl", '"question"', '"answer"', "question"),
        ("people/probation.md", "six months", "nine months", "another state of the corpus"),
    ],
)
def test_labels_of_another_state_are_refused(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    """Whatever no longer fits is named."""
    root = shutil.copytree(FOLDER, tmp_path / "handbook")
    text = (root / name).read_text("utf-8")
    (root / name).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=message):
        read_labels(root)
