"""A consultation's own work: a corpus of 10,000 documents, and the synthesis of many findings."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import row
from fresh import fresh
from row import Row

DOCUMENTS, WORDS = 10_000, 400
INTERPRETERS, FINDINGS, PASSAGES = 10, 200, 500
CROWD = (1_000, 2_000, 4_000, 8_000, 16_000)
"""Findings that share one passage."""
CITED = (1, 3, 6)
"""Passages that a finding cites; six are the most that a report may."""

_TOPICS = (
    "leave staff manager notice policy travel expense carry approve office remote contract period "
    "annual unused sick parent pay bonus"
).split()


def measure(*, quick: bool) -> list[Row]:
    """Return seconds for corpora and syntheses, and how these grow."""
    return [*_corpora(quick=quick), *_syntheses(quick=quick)]


def _corpora(*, quick: bool) -> list[Row]:
    count, n = (DOCUMENTS // 50, 2) if quick else (DOCUMENTS, 5)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, count)
        taken = [fresh("consultation.read", folder=folder) for _ in range(n)]
        again = fresh("consultation.added", folder=folder)
    told = f"{count:,} documents ({taken[0]['mb']:.0f} MB, {taken[0]['passages']:,} passages)"

    def is_held(target: float) -> float | None:
        return None if quick else target

    def once(what: str, value: float, unit: str, target: float | None = None) -> Row:
        return Row(what=what, value=value, unit=unit, n=1, target=target)

    seconds, peaks = [one["seconds"] for one in taken], [one["peak_mb"] for one in taken]
    return [
        row.of(f"passport and passages of {told}", seconds, "s", target=is_held(30.0)),
        row.of("peak memory of that", peaks, "MB"),
        once("one document more: documents read and hashed", again["added"], "", target=1),
        once("one of them changed: documents read and hashed", again["changed"], "", target=1),
        once("one document more: until there is a passport", again["seconds"], "s"),
    ]


def write(folder: str, count: int) -> None:
    """Write Markdown documents of `WORDS` words, in folders of a hundred."""
    draw = random.Random(0)
    vocabulary = [f"word{n}" for n in range(5_000)]
    for n in range(count):
        path = Path(folder) / f"{n // 100:03d}" / f"{n % 100:02d}.md"
        path.parent.mkdir(exist_ok=True)
        words = draw.choices(vocabulary, k=WORDS)
        parts = [" ".join(words[k : k + 100]).capitalize() + "." for k in range(0, WORDS, 100)]
        path.write_text(f"# Document {n}\n\n" + "\n\n".join(parts) + "\n", "utf-8")


def read(folder: str) -> dict[str, Any]:
    """Read a corpus: documents, passages and passport."""
    from workbench.knowledge.corpus import Corpus

    begun = time.perf_counter()
    corpus = Corpus.read(folder)
    seconds = time.perf_counter() - begun
    size = sum(len(document.text.encode()) for document in corpus.documents)
    return {"seconds": seconds, "mb": size / 1e6, "passages": len(corpus.passages)}


def added(folder: str) -> dict[str, Any]:
    """Add a document to a corpus that is known, then change it; count what is read each time."""
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.ledger import GRAIN_S, Ledger

    time.sleep(GRAIN_S + 0.1)  # files as young as their reading would have to be read again
    ledger = Ledger(folder)
    ledger.read()
    new = Path(folder) / "new.md"
    new.write_text("# New\n\nA document more.\n", "utf-8")
    begun = time.perf_counter()
    told = ledger.read()
    seconds, more = time.perf_counter() - begun, len(ledger.reread)
    assert told.passport == Corpus.read(folder).passport
    new.write_text("# New\n\nA document changed.\n", "utf-8")
    ledger.read()
    return {"seconds": seconds, "added": more, "changed": len(ledger.reread)}


def _syntheses(*, quick: bool) -> list[Row]:
    from workbench.deliberation.consultation.facts import (
        Finding,
        PackagedPassage,
        PackagedPassport,
        RetrievalPackage,
        SubQuery,
    )
    from workbench.deliberation.consultation.topology import topology_of

    def packaged(count: int) -> RetrievalPackage:
        return RetrievalPackage.of(
            question="How long is the notice?",
            passport=PackagedPassport(sha256="ab" * 32),
            sub_queries=(SubQuery(id="Q1", text="How long is the notice?"),),
            passages=tuple(
                PackagedPassage(id=f"d#p{k}", document="d", text=f"Notice {k} is {k} days.")
                for k in range(count)
            ),
        )

    draw = random.Random(0)

    def found(i: int, k: int, places: int, cited: int) -> Finding:
        """Return a finding in words of its own: no two are alike."""
        words = " ".join(draw.choices(_TOPICS, k=8))
        return Finding(
            id=f"{i}.{k}",
            interpreter=i,
            sub_query="Q1",
            conclusion=f"{words} {draw.randrange(90)} days, {i} of {k}",
            cited=tuple(sorted(f"d#p{place}" for place in draw.sample(range(places), cited))),
        )

    def took(findings: list[Finding], package: RetrievalPackage) -> list[float]:
        taken = []
        for _ in range(2 if quick else 9):
            begun = time.process_time()  # one thread, which others on the machine hold up
            topology_of(findings, range(1, INTERPRETERS + 1), package)
            taken.append(time.process_time() - begun)
        return taken

    each = range(1, INTERPRETERS + 1)
    rows = []
    for cited in CITED:
        spread = [found(i, k, PASSAGES, cited) for i in each for k in range(1, FINDINGS + 1)]
        said = (
            f"synthesis of {INTERPRETERS} x {FINDINGS} findings in words of their own over "
            f"{PASSAGES} passages, {cited} cited by each"
        )
        taken = took(spread, packaged(PASSAGES))
        rows.append(row.of(said, taken, "s CPU", target=None if quick else 0.5))
    whole = topology_of(spread, range(1, INTERPRETERS + 1), packaged(PASSAGES))
    begun = time.process_time()
    count = len(whole.classes.related)
    related = time.process_time() - begun
    said = f"every pair of readings that meet there ({count:,}), when it is asked for"
    rows.append(Row(what=said, value=related, unit="s CPU", n=1, target=None))
    sizes, medians = CROWD[:3] if quick else CROWD, []
    for size in sizes:
        crowd = [found(i, k, 1, 1) for i in each for k in range(1, size // INTERPRETERS + 1)]
        taken = took(crowd, packaged(1))
        medians.append(median(taken))
        said = f"synthesis of {size:,} findings in words of their own that share a passage"
        rows.append(row.of(said, taken, "s CPU"))
    what = "log-log slope of that (1: linear)"
    slope = row.slope(sizes, medians)
    return [*rows, Row(what=what, value=slope, unit="", n=len(sizes), target=1.1)]
