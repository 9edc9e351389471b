"""The questions written for this project: as their README says, with a library that helps."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

import workbench as wb
from workbench.datasets.scoring import score
from workbench.knowledge.retrieval import Index

FOLDER = Path(__file__).parents[1] / "corpora" / "questions"
ITEMS = wb.read_items(FOLDER / "questions.jsonl")


def test_the_readme_has_their_digests() -> None:
    """Whoever changes a word changes the digests in the README too."""
    told = (FOLDER / "README.md").read_text("utf-8")

    assert sha256((FOLDER / "questions.jsonl").read_bytes()).hexdigest() in told
    assert wb.Corpus.read(FOLDER / "library").passport.sha256 in told


def test_no_answer_can_be_guessed_from_its_place() -> None:
    """Kinds are as the README says, and each letter is as often right as any other."""
    assert {"choice": 8, "boolean": 8, "number": 4, "text": 4} == Counter(i.kind for i in ITEMS)
    assert dict.fromkeys("ABCD", 2) == Counter(i.answer for i in ITEMS if i.kind == "choice")
    assert {"yes": 4, "no": 4} == Counter(i.answer for i in ITEMS if i.kind == "boolean")


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.source)
def test_an_item(item: wb.Item) -> None:
    """Each has a gold answer that scores as right, and evidence."""
    assert "right" == score(item, item.answer)
    assert {"right"} >= {score(item, text) for text in item.accepted}
    assert item.evidence


def test_the_library_is_found_by_the_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search by words for a question finds a passage that shares its evidence, mostly."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    index = Index(wb.Corpus.read(FOLDER / "library"), cache=tmp_path)
    asked = [item for item in ITEMS if item.kind != "number"]

    def words(text: str) -> set[str]:
        return {word.strip(".,?").lower() for word in text.split() if len(word) > 3}

    hits = [" ".join(hit.passage.text for hit in index.search(item.question, 3)) for item in asked]
    found = [
        len(words(hit) & words(item.evidence[0])) >= 2
        for hit, item in zip(hits, asked, strict=True)
    ]
    assert sum(found) >= 0.8 * len(asked)
