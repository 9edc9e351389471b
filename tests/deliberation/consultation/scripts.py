"""A small handbook, and scripted interpreters that report what a test has them report."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.deliberation.consultation.facts import (
    Finding,
    PackagedPassage,
    PackagedPassport,
    RetrievalPackage,
    SubQuery,
)
from workbench.record.events import Asked, Event
from workbench.record.run import Run

QUESTION = "How long is the notice?"
DOCUMENTS = {
    "notice.md": "# Notice\n\nThe notice of staff is 30 days.",
    "managers.md": "# Managers\n\nThe notice of managers is 60 days.",
    "leave.md": "# Leave\n\nThe notice of leave is two weeks.",
}
NOTICE, MANAGERS, LEAVE = "notice.md#p1", "managers.md#p1", "leave.md#p1"
LABELS = {LEAVE: "P1", MANAGERS: "P2", NOTICE: "P3"}
"""In the order of the corpus."""

FAMILIES = ("qwen", "smol", "qwen")

Reply = str | dict[str, Any]


def write_corpus(folder: Path, documents: dict[str, str] = DOCUMENTS) -> Path:
    """Write the handbook's documents."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def told(conclusion: str, *passages: str, sub_query: str = "Q1", **more: Any) -> dict[str, Any]:
    """Return a finding as an interpreter writes it; passages by id or as they are given."""
    return {
        "sub_query": sub_query,
        "passages": [LABELS.get(passage, passage) for passage in passages],
        "conclusion": conclusion,
        "confidence": "high",
        "ambiguities": [],
        "alternatives": [],
        **more,
    }


def reader(*findings: dict[str, Any], family: str = "qwen", name: str = "") -> wb.ScriptedLM:
    """Return a model that reports these findings, whatever it is asked."""
    text = json.dumps({"findings": list(findings)})
    return wb.ScriptedLM(lambda _: text, name=name or f"{family}-1b", family=family)


THIRTY = told("The notice is 30 days.", NOTICE)
SIXTY = told("The notice is 60 days.", NOTICE, MANAGERS)


def models(
    *readers: Sequence[dict[str, Any]], families: Sequence[str] = FAMILIES
) -> dict[str, wb.ScriptedLM]:
    """Return a model for each interpreter that reports the given findings."""
    return {
        f"interpreter={n}": reader(*found, family=family)
        for n, (found, family) in enumerate(zip(readers, families, strict=True), 1)
    }


USUAL = ([THIRTY], [SIXTY], [THIRTY, told("Leave is asked for two weeks before.", LEAVE)])
"""Interpreters 1 and 3 agree, 2 contradicts them, and 3 sees something alone."""


def play(corpus: Path, lm: Any = None, **options: Any) -> Run:
    """Run a consultation with scripted interpreters."""
    to, seed = options.pop("to", None), options.pop("seed", 0)
    question = options.pop("question", QUESTION)
    families = options.pop("families", FAMILIES)
    bound = wb.consultation(question, str(corpus), families, **options)
    return wb.run_sync(bound, lm=models(*USUAL) if lm is None else lm, to=to, seed=seed)


def edited(run: Run, path: str, kind: type[Any] | None = None, **fields: Any) -> Run:
    """Return a run with other fields in the events at a path, as a careless protocol leaves it."""
    events: list[Event] = [
        replace(event, **{n: v(event) if callable(v) else v for n, v in fields.items()})
        if getattr(event, "path", None) == path and (kind is None or isinstance(event, kind))
        else event
        for event in run.events
    ]
    return Run(events)


def with_part(run: Run, path: str, part: wb.Part, at: int | None = None) -> Run:
    """Return a run with one more part in a prompt."""

    def parts(asked: Asked) -> tuple[wb.Part, ...]:
        place = len(asked.parts) if at is None else at
        return (*asked.parts[:place], part, *asked.parts[place:])

    return edited(run, path, Asked, parts=parts)


def found(id: str, conclusion: str, *cited: str, sub_query: str = "Q1", **more: Any) -> Finding:
    """Return a finding of the interpreter that its id names."""
    return Finding(
        id=id,
        interpreter=int(id.split(".", maxsplit=1)[0]),
        sub_query=sub_query,
        conclusion=conclusion,
        cited=tuple(sorted(cited)),
        **more,
    )


def package(*passages: PackagedPassage, **fields: Any) -> RetrievalPackage:
    """Return a package of these passages."""
    return RetrievalPackage.of(
        **{
            "question": QUESTION,
            "passport": PackagedPassport(sha256="ab" * 32),
            "sub_queries": (SubQuery(id="Q1", text=QUESTION),),
            "passages": passages,
            **fields,
        }
    )


def passage(id: str, text: str = "Some words.", **fields: Any) -> PackagedPassage:
    """Return a passage of a package."""
    return PackagedPassage(id=id, text=text, document=id.partition("#")[0], **fields)


Change = Callable[[Run], Run]
