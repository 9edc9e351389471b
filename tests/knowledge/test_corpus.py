"""Reading a corpus as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from workbench.errors import CorpusError
from workbench.knowledge.corpus import Corpus

Write = Callable[[Mapping[str, str | bytes]], Path]

FILES = {
    "README.md": "source",
    "finance_analyst/budget.md": "# Budget\n\nTravel costs grew.\n\n## Staff\n\nTwo hires.\n",
    "finance_analyst/case.json": "{}",
    "legal/deep/terms.txt": "Terms apply.",
}


def test_read(folder: Write) -> None:
    """Documents, passages, what was skipped and the passport belong together."""
    root = folder(FILES)
    corpus = Corpus.read(root)

    assert root == corpus.root
    assert ["finance_analyst/budget.md", "legal/deep/terms.txt"] == [d.id for d in corpus.documents]
    assert ["finance_analyst/budget.md#p1", "legal/deep/terms.txt#p1"] == [
        p.id for p in corpus.passages
    ]
    assert {"README.md", "finance_analyst/case.json"} == set(corpus.skipped)
    assert {d.id: d.sha256 for d in corpus.documents} == corpus.passport.documents
    assert 2 == corpus.passport.passages
    assert repr(corpus).startswith(f"Corpus('{root}': 2 documents, 2 passages, passport ")


def test_one_passage_by_id(folder: Write) -> None:
    """An id gives its passage."""
    corpus = Corpus.read(folder(FILES))

    assert corpus.passages[1] is corpus.passage("legal/deep/terms.txt#p1")


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("legal/deep/terms.txt#p9", r"has legal/deep/terms\.txt#p1 to legal/deep/terms\.txt#p1"),
        ("nothing", r"the documents are finance_analyst/budget\.md, legal"),
    ],
)
def test_unknown_passage(folder: Write, id: str, message: str) -> None:
    """The message helps to find the right id."""
    with pytest.raises(CorpusError, match=message):
        Corpus.read(folder(FILES)).passage(id)


@pytest.mark.parametrize("name", ["finance_analyst", "finance_analyst/", "legal", "legal/deep"])
def test_a_part_is_read_as_in_the_whole(folder: Write, name: str) -> None:
    """One folder of a corpus has the ids and passages that it has there, and its own passport."""
    root = folder(FILES)
    whole, part = Corpus.read(root), Corpus.read(root, within=name)

    assert part.passages == tuple(p for p in whole.passages if p.id.startswith(name))
    assert part.documents == tuple(d for d in whole.documents if d.id.startswith(name))
    assert part.passport != whole.passport
    assert part.root == whole.root


def test_how_a_file_was_saved_does_not_matter(folder: Write) -> None:
    """Line ends, byte-order mark, normal form and trailing blanks leave the passport as it is."""
    one = Corpus.read(folder({"a.md": "Caf\u00e9\nx\n"})).passport
    two = Corpus.read(folder({"a.md": "\ufeffCafe\u0301  \r\nx\r\n\r\n"})).passport

    assert one == two


def test_words_are_in_the_passport(folder: Write) -> None:
    """Other passages, another passport."""
    root = folder({"a.md": "One two three. " * 40})

    assert Corpus.read(root).passport.sha256 != Corpus.read(root, words=30).passport.sha256


def test_a_missing_folder(tmp_path: Path) -> None:
    """A folder that is not there is named."""
    with pytest.raises(CorpusError, match="no such folder"):
        Corpus.read(tmp_path / "nowhere")


def test_a_thousand_documents_are_read(folder: Write) -> None:
    """Each with its passages, in the order of their names (the benchmarks have the time)."""
    text = "# Note {n}\n\n" + "The team met and agreed on the next steps for travel. " * 12
    root = folder({f"{n % 20}/{n}.md": text.replace("{n}", str(n)) for n in range(1000)})
    corpus = Corpus.read(root)

    assert 1000 == len(corpus.documents) == len(corpus.passport.documents)
    assert sorted(d.id for d in corpus.documents) == [d.id for d in corpus.documents]
    assert {d.id for d in corpus.documents} == {p.document for p in corpus.passages}
