"""Reading a corpus again at the price of what changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from workbench.errors import CorpusError
from workbench.knowledge import ledger as module
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.ledger import Ledger

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files for settled at once, so that no test has to wait."""
    monkeypatch.setattr(module, "GRAIN_S", -1000.0)


def same(one: Corpus, other: Corpus) -> bool:
    """Return whether two readings are equal."""
    return (one.documents, one.passages, one.passport, one.skipped) == (
        other.documents,
        other.passages,
        other.passport,
        other.skipped,
    )


def test_only_what_changed_is_read_again(folder: Write) -> None:
    """An added, a changed and a removed document cost one reading each, or none."""
    root = folder({"a.md": "One.", "b.md": "Two.", "c.md": "Three."})
    ledger = Ledger(root)

    assert same(ledger.read(), Corpus.read(root))
    assert ("a.md", "b.md", "c.md") == ledger.reread
    folder({"d.md": "Four."})
    assert same(ledger.read(), Corpus.read(root))
    assert ("d.md",) == ledger.reread
    folder({"b.md": "2wo."})
    (root / "a.md").unlink()
    assert same(ledger.read(), Corpus.read(root))
    assert ("b.md",) == ledger.reread


def test_a_change_that_hides_its_time_is_seen(folder: Write) -> None:
    """Size and time of modification put back: the time of change tells."""
    root = folder({"a.md": "One."})
    ledger = Ledger(root)
    before = ledger.read()
    told = (root / "a.md").stat()
    time.sleep(0.02)
    (root / "a.md").write_text("Two.", "utf-8")
    os.utime(root / "a.md", ns=(told.st_atime_ns, told.st_mtime_ns))

    assert before.passport != ledger.read().passport


def test_a_file_as_young_as_its_reading_is_read_again(
    folder: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second write within the clock's grain would look the same."""
    monkeypatch.setattr(module, "GRAIN_S", 1000.0)
    root = folder({"a.md": "One."})
    ledger = Ledger(root)
    ledger.read()

    assert same(ledger.read(), Corpus.read(root))
    assert ("a.md",) == ledger.reread


def test_an_error_keeps_what_was_known(folder: Write) -> None:
    """After a bad file is mended, only it is read."""
    root = folder({"a.md": "One.", "b.md": "Two."})
    ledger = Ledger(root)
    ledger.read()
    folder({"c.md": b"\xff\xfe\x00"})
    with pytest.raises(CorpusError, match="UTF-16"):
        ledger.read()
    folder({"c.md": "Three."})

    assert same(ledger.read(), Corpus.read(root))
    assert ("c.md",) == ledger.reread


def test_one_more_among_a_thousand(folder: Write) -> None:
    """Adding one document reads and hashes one, and makes the passport of all."""
    text = "# Note {n}\n\n" + "The team met and agreed on the next steps for travel. " * 12
    root = folder({f"{n % 20}/{n}.md": text.replace("{n}", str(n)) for n in range(1000)})
    ledger = Ledger(root)
    ledger.read()
    assert 1000 == len(ledger.reread)
    folder({"new.md": "New."})
    told = ledger.read()

    assert ("new.md",) == ledger.reread
    assert 1001 == len(told.documents)
    assert told.passport == Corpus.read(root).passport
