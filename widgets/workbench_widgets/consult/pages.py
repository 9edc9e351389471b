"""What the pages of a consultation hold: who read, passages, topology, findings, the proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from workbench.record.events import JSON
from workbench.views.consultation.account import CLASSES, Account, Row
from workbench.views.consultation.drawn import FORMULA, formula, kind_of
from workbench.views.consultation.graph import (
    RADIUS,
    SHAPES,
    SIGNS,
    TALL,
    TOP,
    WIDE,
    Line,
    middle,
    sides,
    steps,
    strokes,
)
from workbench.views.consultation.page import TYPES, kinds
from workbench.views.consultation.proof import UNSEEN, proof, reads
from workbench_widgets.consult.source import Read, read
from workbench_widgets.shared.source import PageMaker, Source

PASSAGES = 40
"""Passages on a page."""

LINES = 24
"""Rows of the topology on a page."""

FINDINGS = 20
"""Findings on a page."""

REPORTS = 10
"""Divergence reports on a page."""

WORDS = 2_000
"""Characters of a text that are shipped; how many more there are is told."""

FEW = 12
"""Names in a list that are shipped; how many more there are is told."""

BREACHES = 40
"""Breaches and marks that are shipped; how many there are is told."""


def about(source: Source, _: str) -> dict[str, JSON]:
    """Return what the session is: its marks, its columns, how many there are of each, the proof."""
    found = read(source)
    told = found.told
    made, topology = told.made, told.topology
    classes = Counter(name for names in told.classes.values() for name in names)
    return {
        "mode": told.mode,
        "question": _words(source, told.question),
        "problem": told.problem,
        "valid": topology is not None,
        "bound": _bound(told),
        "held": told.current is not None,
        "package": made.package.digest[:12] if made else "",
        "marks": [[mark.kind, mark.text[:WORDS]] for mark in told.marks[:BREACHES]],
        "unshown": max(0, len(told.marks) - BREACHES),
        "interpreters": [
            one._replace(model=one.model[:200], family=one.family[:200], why=one.why[:WORDS])
            for one in told.interpreters
        ],
        "queries": []
        if made is None
        else [[q.id, _words(source, q.text)] for q in made.package.sub_queries[:FEW]],
        "classes": [[name, classes[name]] for name in CLASSES],
        "counts": {
            "passages": len(told.rows),
            "lines": len(found.lines),
            "findings": len(told.findings),
            "divergences": len(topology.divergences) if topology else 0,
            "undecided": len(topology.classes.undecided) if topology else 0,
            "reported": len(made.topology.interpreters) if made else 0,
        },
        "pages": {"passages": PASSAGES, "lines": LINES, "findings": FINDINGS, "reports": REPORTS},
        "drawing": {"shapes": SHAPES, "signs": SIGNS, "wide": WIDE, "tall": TALL, "top": TOP}
        | {"radius": RADIUS},
        "formula": FORMULA,
        "proof": _proof(source, told) if told.checked else None,
    }


def _bound(told: Account) -> str:
    if told.current is not None:
        return str(told.current)
    return f"valid for corpus version {told.made.passport[:12]}" if told.made else ""


def _proof(source: Source, told: Account) -> dict[str, JSON]:
    at = source.places
    return {
        "conditions": [
            [one.name, one.forbids, one.checked, len(one.breaches), one.shown]
            for one in proof(told)
        ],
        "reads": [
            [
                r.interpreter,
                r.prompts,
                r.parts,
                r.package,
                r.own,
                r.protocol,
                r.elsewhere,
                r.sources,
            ]
            for r in reads(told)
        ],
        "breaches": [
            {
                "condition": b.condition,
                "rule": b.rule,
                "interpreter": b.interpreter,
                "path": b.path[:WORDS],
                "part": b.part,
                "source": b.source[:WORDS] if b.source else None,
                "what": b.what[:WORDS],
                "at": source.asked_at.get(b.path, at.get(b.path)),
            }
            for b in told.breaches[:BREACHES]
        ],
        "broken": len(told.breaches),
        "unseen": UNSEEN,
    }


def passages(source: Source, key: str) -> list[JSON]:
    """Return the N-th page of passages, in the order of the corpus.

    A cell is None where the interpreter was not given the passage, else how many findings of each
    class of `CLASSES` (or ``cited``) cite it; ``cites`` has how many findings in all.
    """
    told = read(source).told
    first = _first(key, PASSAGES, len(told.rows))
    return [_passage(source, told, row) for row in told.rows[first : first + PASSAGES]]


def _passage(source: Source, told: Account, row: Row) -> dict[str, JSON]:
    passage = row.passage
    return {
        "id": row.id,
        "document": row.document,
        "whole": passage is None,
        "heading": passage.heading[:WORDS] if passage else "",
        "text": _words(source, passage.text) if passage else None,
        "version": passage.version[:80] if passage else "",
        "superseded": _few(passage.superseded_by) if passage else _few(()),
        "cells": [
            dict(kinds(told, cell)) if given else None
            for cell, given in zip(row.cells, row.given, strict=True)
        ],
        "cites": list(map(len, row.cells)),
        "states": row.states,
        "claims": _few(row.claims),
        "divergences": _few(row.divergences),
    }


def topology(source: Source, key: str) -> dict[str, JSON]:
    """Return the N-th page of the topology: rows with their nodes, and the lines between them.

    A node is ``[finding, column, x, y, class]``; a stroke ``[kind, path, x, y]``. ``sides`` is
    where the drawing begins and ends.
    """
    found = read(source)
    first = _first(key, LINES, len(found.lines))
    shown = found.lines[first : first + LINES]
    drawn = strokes(shown)
    return {
        "lines": [_line(source, found, line, row) for row, line in enumerate(shown)],
        "strokes": drawn,
        "sides": sides(drawn, len(found.told.interpreters)),
    }


def _line(source: Source, found: Read, line: Line, row: int) -> dict[str, JSON]:
    told = found.told
    part = line.confidence
    shared: Sequence[str] = ()
    if told.topology is not None:
        shared = next((c.shared for c in told.topology.claims if c.id == line.id), ())
    nodes = list(zip(line.nodes, steps(line), strict=True))
    return {
        "id": line.id,
        "nodes": [
            [
                told.findings[n.finding].id,
                n.column,
                *middle(n.column, row, min(step, 2)),
                kind_of(n),
            ]
            for n, step in nodes[:60]
        ],
        "unshown": max(0, len(nodes) - 60),
        "score": formula(line),
        "parts": None if part is None else list(part),
        "shared": _few(shared),
        "classes": sorted({c for n in line.nodes for c in n.classes}, key=CLASSES.index),
        "texts": [_words(source, text) for text in line.texts[:FEW]],
        "more": max(0, len(line.texts) - FEW),
        "ties": [[kind, found.lines[place].id] for kind, place in line.ties[:FEW]],
    }


def findings(source: Source, key: str) -> dict[str, JSON]:
    """Return ``KIND/WHICH/N``: a page of the findings of a passage, an interpreter or a row.

    WHICH is a place: of the passage in the order of the corpus, of the column, of the row of the
    topology. ``cell/P.C`` are those of the column C on the passage P.
    """
    kind, which, page = key.split("/")
    chosen = _chosen(read(source), kind, which)
    first = _first(page, FINDINGS, len(chosen))
    return {
        "total": len(chosen),
        "findings": [_finding(source, place) for place in chosen[first : first + FINDINGS]],
    }


def _chosen(found: Read, kind: str, which: str) -> list[int]:
    told = found.told
    try:
        if kind == "interpreter":
            number = told.interpreters[int(which)].number
            return [n for n, f in enumerate(told.findings) if f.interpreter == number]
        if kind == "line":
            return [node.finding for node in found.lines[int(which)].nodes]
        if kind == "cell":
            row, column = map(int, which.split("."))
            return list(told.rows[row].cells[column])
        if kind == "passage":
            return [place for cell in told.rows[int(which)].cells for place in cell]
    except (IndexError, ValueError):
        pass
    raise KeyError(f"no findings of {kind} {which}")


def _finding(source: Source, place: int) -> dict[str, JSON]:
    told = read(source).told
    finding = told.findings[place]
    return {
        "id": finding.id,
        "by": finding.interpreter,
        "query": finding.sub_query,
        "conclusion": _words(source, finding.conclusion),
        "cited": _few(finding.cited),
        "invalid": _few(finding.invalid),
        "confidence": finding.confidence,
        "ambiguities": [_words(source, text) for text in finding.ambiguities[:FEW]],
        "alternatives": [_words(source, text) for text in finding.alternatives[:FEW]],
        "classes": told.classes.get(finding.id, ()),
        "at": source.places.get(f"/interpreter={finding.interpreter}/interpretation"),
    }


def divergences(source: Source, key: str) -> list[JSON]:
    """Return the N-th page of divergence reports, each with its readings side by side."""
    told = read(source).told
    known = told.topology.divergences if told.topology is not None else ()
    first = _first(key, REPORTS, len(known))
    return [
        {
            "id": one.id,
            "type": TYPES[one.type],
            "query": one.sub_query,
            "passages": _few(one.passages),
            "action": one.action,
            "rules": sorted({rule for _, _, rule in one.pairs}),
            "readings": [
                [_words(source, side.text), _few(side.findings), _few(side.cited), side.stated]
                for side in one.readings[:FEW]
            ],
            "more": max(0, len(one.readings) - FEW),
        }
        for one in known[first : first + REPORTS]
    ]


def _first(page: str, size: int, total: int) -> int:
    first = int(page) * size
    if not 0 <= first < max(1, total):
        raise KeyError(f"no page {page}")
    return first


def _words(source: Source, text: str) -> list[JSON]:
    """Return a text of the pool, and how many characters of it are not shipped."""
    return [{"t": source.text(text[:WORDS])}, max(0, len(text) - WORDS)]


def _few(names: Sequence[str]) -> list[JSON]:
    """Return the first of some names, cut, and how many more there are."""
    return [[name[:300] for name in names[:FEW]], max(0, len(names) - FEW)]


MAKERS: dict[str, PageMaker] = {
    "consult_about": about,
    "consult_passages": passages,
    "consult_topology": topology,
    "consult_findings": findings,
    "consult_divergences": divergences,
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the session, then its passages, topology and divergences, then the findings of each."""
    yield "consult_about", ""
    found = read(source)
    told = found.told
    reports = len(told.topology.divergences) if told.topology is not None else 0
    yield from _pages("consult_passages", "", len(told.rows), PASSAGES)
    yield from _pages("consult_topology", "", len(found.lines), LINES)
    yield from _pages("consult_divergences", "", reports, REPORTS)
    for column, one in enumerate(told.interpreters):
        yield from _pages("consult_findings", f"interpreter/{column}/", one.findings, FINDINGS)
    for place, row in enumerate(told.rows):
        total = sum(map(len, row.cells))
        yield from _pages("consult_findings", f"passage/{place}/", total, FINDINGS)
        for column, cell in enumerate(row.cells):
            if cell:
                yield from _pages(
                    "consult_findings", f"cell/{place}.{column}/", len(cell), FINDINGS
                )
    for place, line in enumerate(found.lines):
        yield from _pages("consult_findings", f"line/{place}/", len(line.nodes), FINDINGS)


def _pages(kind: str, prefix: str, total: int, size: int) -> Iterable[tuple[str, str]]:
    return ((kind, f"{prefix}{page}") for page in range(-(-total // size)))
