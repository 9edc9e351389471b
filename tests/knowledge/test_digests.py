"""The cache of digests."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from workbench.knowledge import digests
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.digests import DigestCache

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record every text that is hashed."""
    texts: list[str] = []
    real = digests.sha256_of

    def record(text: str) -> str:
        texts.append(text)
        return real(text)

    monkeypatch.setattr(digests, "sha256_of", record)
    return texts


def age(root: Path, seconds: float = 60) -> None:
    """Make every file as old as that."""
    then = time.time() - seconds
    for path in root.rglob("*.md"):
        os.utime(path, (then, then))


def test_only_what_changed_is_hashed(folder: Write, cache: Path, hashed: list[str]) -> None:
    """After one document is added and one changed, two are hashed; the passport is right."""
    root = folder({"a.md": "one", "b.md": "two"})
    age(root)
    Corpus.read(root, cache=cache)
    assert ["one\n", "two\n"] == hashed

    hashed.clear()
    folder({"b.md": "changed", "c.md": "three"})
    corpus = Corpus.read(root, cache=cache)

    assert ["changed\n", "three\n"] == hashed
    assert Corpus.read(root).passport == corpus.passport


def test_fresh_files_are_not_trusted(folder: Write, cache: Path, hashed: list[str]) -> None:
    """A file touched within 2 s is hashed each time and not remembered."""
    root = folder({"a.md": "one"})
    Corpus.read(root, cache=cache)
    Corpus.read(root, cache=cache)

    assert ["one\n", "one\n"] == hashed
    assert [] == list(cache.iterdir())


@pytest.mark.parametrize(
    "damage", ["", "[]", "{", '{"rules": "old", "entries": {}}', "[" * 100_000]
)
def test_damaged_cache_is_none(folder: Write, cache: Path, hashed: list[str], damage: str) -> None:
    """A torn, foreign or old file is made again."""
    root = folder({"a.md": "one"})
    age(root)
    Corpus.read(root, cache=cache)
    (file,) = cache.iterdir()
    file.write_text(damage)
    hashed.clear()
    Corpus.read(root, cache=cache)

    assert ["one\n"] == hashed
    assert ["a.md"] == list(json.loads(file.read_text())["entries"])


def test_malformed_entries_are_dropped(folder: Write, cache: Path, hashed: list[str]) -> None:
    """An entry of another shape is not used."""
    root = folder({"a.md": "one"})
    age(root)
    Corpus.read(root, cache=cache)
    (file,) = cache.iterdir()
    body = json.loads(file.read_text())
    body["entries"]["a.md"][2] = None
    file.write_text(json.dumps(body))
    hashed.clear()
    Corpus.read(root, cache=cache)

    assert ["one\n"] == hashed


def test_roots_do_not_share_a_file(cache: Path, tmp_path: Path) -> None:
    """Two corpora with equal ids do not meet."""
    assert DigestCache(cache, tmp_path / "a").path != DigestCache(cache, tmp_path / "b").path


def test_cache_that_cannot_be_written(
    folder: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Reading goes on, and the log says why nothing is kept."""
    root = folder({"a.md": "one"})
    age(root)
    (tmp_path / "file").write_text("")
    Corpus.read(root, cache=tmp_path / "file")

    assert "digests are not cached" in caplog.text
