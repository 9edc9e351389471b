"""What sessions under four conditions came to, and which of the four predictions that bears out.

Decisions:

- A prediction is judged on the questions whose sessions under the conditions that it compares are
  all complete, of the corpus as it is, and over one package.
- A debated session has broken its isolation, as it is meant to: it is told so, and no output is
  bound to it. One family alone is non-conformant, and is told so.
- Agreement (prediction 2) is compared where both sessions are conformant: where a reader was lost,
  there is no structural confidence to compare.
- Readers by rules and scripts have the families that were set for them, and the notes say so.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from workbench.deliberation.consultation.conformance import conformance, scripted_in
from workbench.deliberation.consultation.debated import debated_package, debated_topology
from workbench.deliberation.consultation.facts import RetrievalPackage
from workbench.deliberation.consultation.synthesis import synthesis
from workbench.deliberation.consultation.topology import Topology
from workbench.errors import RunError, RunFileError
from workbench.experiments.consultation_scores import SCRIPTED, came_to, comparisons
from workbench.experiments.prediction_verdicts import (
    Verdict,
    of_ambiguity,
    of_bias,
    of_isolation,
    of_substitution,
)
from workbench.experiments.predictions import (
    Topologies,
    ambiguity_seen,
    isolation_effect,
    shared_bias,
    substitution,
)
from workbench.experiments.results import busy_s
from workbench.experiments.table import Table
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.labels import LabelledQuestion, read_labels
from workbench.record.log import SUFFIX
from workbench.record.run import Run, open_run

CONDITIONS = ("isolated", "debated", "substituted", "alike")
BROKEN = "broken, as debate breaks it"

SESSIONS: dict[str, pl.DataType] = {
    **dict.fromkeys("condition id expected status isolation".split(), pl.String()),
    "nonconformant": pl.String(),
    "found": pl.String(),
    **dict.fromkeys(("flagged", "scripted"), pl.Boolean()),
    **dict.fromkeys("calls tokens_in tokens_out".split(), pl.Int64()),
    **dict.fromkeys("seconds cost_usd".split(), pl.Float64()),
    **dict.fromkeys("package file".split(), pl.String()),
}
"""The schema of `PredictionScores.sessions`."""


@dataclass(frozen=True, repr=False)
class PredictionScores(Table):
    """The sessions of some labelled questions under four conditions.

    Attributes
    ----------
    sessions : DataFrame
        One row a question and condition: ``condition`` (of `CONDITIONS`), ``id``, ``expected`` (of
        the label), ``status`` (``complete``, ``failed``, ``interrupted``, ``missing``,
        ``damaged``, ``superseded``: of another state of the corpus, ``invalid``: not isolated,
        ``other_package``: not the one of the isolated session), ``isolation`` (``kept``, or that it
        is broken), ``nonconformant`` (why; null where it is conformant), ``found`` (the class that
        it comes to), ``flagged`` (correlated bias), ``scripted`` (some readers are no language
        models), ``calls``, ``tokens_in``, ``tokens_out``, ``seconds``, ``cost_usd`` (of the
        session and its comparison), ``package`` (its digest), ``file``. What is unknown is null.
    labels : tuple of LabelledQuestion
    topologies : dict of str to dict of str to Topology
        By condition and id, of the sessions that are ``complete``.
    """

    sessions: pl.DataFrame
    labels: tuple[LabelledQuestion, ...] = field(repr=False)
    topologies: dict[str, Topologies] = field(repr=False)

    @cached_property
    def ambiguity(self) -> pl.DataFrame:
        """Of prediction 1, as `ambiguity_seen` returns it."""
        return ambiguity_seen(self.topologies["isolated"], self.labels)

    @cached_property
    def isolation(self) -> pl.DataFrame:
        """Of prediction 2, as `isolation_effect` returns it."""
        loose = self.sessions.filter(pl.col("nonconformant").is_not_null())
        left = set(loose.filter(pl.col("condition").is_in(["isolated", "debated"]))["id"])
        labels = [label for label in self.labels if label.id not in left]
        return isolation_effect(self.topologies["isolated"], self.topologies["debated"], labels)

    @cached_property
    def substitution(self) -> pl.DataFrame:
        """Of prediction 3, as `substitution` returns it, with the ``found`` and ``substituted``."""
        made = substitution(self.topologies["isolated"], self.topologies["substituted"])
        classes = [
            pl.Series(name, [came_to(self.topologies[of][id]) for id in made["id"]], pl.String())
            for name, of in (("found", "isolated"), ("substituted", "substituted"))
        ]
        return made.with_columns(*classes)

    @cached_property
    def bias(self) -> pl.DataFrame:
        """Of prediction 4, as `shared_bias` returns it."""
        return shared_bias(self.topologies["alike"], self.topologies["isolated"])

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What came of each prediction, in the order of the paper's."""
        return (
            of_ambiguity(self.ambiguity),
            of_isolation(self.isolation),
            of_substitution(self.substitution),
            of_bias(self.bias),
        )

    @property
    def figures(self) -> pl.DataFrame:
        """One row a figure of a prediction; null where there is none.

        ``prediction``, ``outcome``, ``figure``, ``value``, ``lo``, ``hi`` (95 %), ``n``,
        ``method``.
        """
        columns: dict[str, pl.DataType] = {
            "prediction": pl.Int64(),
            **dict.fromkeys(("outcome", "figure"), pl.String()),
            **dict.fromkeys(("value", "lo", "hi"), pl.Float64()),
            "n": pl.Int64(),
            "method": pl.String(),
        }
        rows = [
            (one.number, one.outcome, f.name, f.value, f.lo, f.hi, f.n, f.method)
            for one in self.verdicts
            for f in one.figures
        ]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def rows(self) -> list[list[str]]:
        """Return a line a condition as a table of texts, its head first."""
        head = "condition,interpreters,sessions,complete,conformant,isolation,calls,seconds"
        table = [head.split(",")]
        for name, who in zip(CONDITIONS, ("A, B, A", "A, B, A", "B, A, B", "A, A, A"), strict=True):
            mine = self.sessions.filter(condition=name)
            there = mine.filter(pl.col("status") != "missing")
            done = mine.filter(pl.col("status") == "complete")
            loose = done.get_column("nonconformant").drop_nulls().len()
            marked = "yes" if not loose else f"NON-CONFORMANT ({loose} of {done.height})"
            kept = "BROKEN, as debate breaks it" if name == "debated" else "kept"
            cost = [there.get_column(column).sum() for column in ("calls", "seconds")]
            counts = [str(mine.height), str(done.height)]
            table.append([name, who, *counts, marked, kept, *(f"{value:,.0f}" for value in cost)])
        return table

    @property
    def notes(self) -> list[str]:
        """What is told below the table: each prediction with its figures, and what is left out."""
        odd = Counter(
            f"{row['status']} ({row['condition']})"
            for row in self.sessions.iter_rows(named=True)
            if row["status"] != "complete"
        )
        left = [f"Not judged: {', '.join(f'{n} {what}' for what, n in sorted(odd.items()))}."]
        told = [line for one in self.verdicts for line in ("", *one.lines)]
        scripted = [SCRIPTED] if self.sessions.get_column("scripted").any() else []
        return told + (left if odd else []) + scripted

    def __repr__(self) -> str:
        told = ", ".join(f"{one.number}: {one.outcome}" for one in self.verdicts)
        return f"PredictionScores({told})"


def score_predictions(
    corpus: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    questions: Iterable[str] | None = None,
) -> PredictionScores:
    """Hold the sessions in a folder against the four predictions; nothing is run.

    Parameters
    ----------
    corpus : path
        With its ``questions.jsonl`` and ``labels.jsonl``.
    folder : path
        Of `bench_predictions`.
    questions : iterable of str, optional
        Ids; default: all that have a file under any condition.

    Returns
    -------
    PredictionScores
        Of these questions, in the order of the corpus's.

    Raises
    ------
    CorpusError, DatasetError
        If corpus or labels cannot be read, or a question has no label.
    """
    read = Corpus.read(Path(corpus))
    files = {name: Path(folder) / name for name in CONDITIONS}
    wanted = None if questions is None else set(questions)
    labels = tuple(
        label
        for label in read_labels(Path(corpus), read)
        if (
            any((path / f"{label.id}{SUFFIX}").exists() for path in files.values())
            if wanted is None
            else label.id in wanted
        )
    )
    rows: list[dict[str, Any]] = []
    found: dict[str, dict[str, Topology]] = {name: {} for name in CONDITIONS}
    packages: dict[str, str] = {}
    for condition, path in files.items():
        for label in labels:
            row, topology = _read(condition, label, path / f"{label.id}{SUFFIX}")
            if topology is not None:
                passport = row.pop("passport")
                first = packages.setdefault(label.id, row["package"])
                if row["status"] == "complete" and passport != read.passport.sha256:
                    row["status"] = "superseded"
                elif row["status"] == "complete" and row["package"] != first:
                    row["status"] = "other_package"
                if row["status"] == "complete":
                    found[condition][label.id] = topology
                    row |= {"found": came_to(topology), "flagged": topology.correlated_bias}
            rows.append(row)
    return PredictionScores(pl.DataFrame(rows, schema=SESSIONS, orient="row"), labels, dict(found))


def _read(
    condition: str, label: LabelledQuestion, path: Path
) -> tuple[dict[str, Any], Topology | None]:
    """Return the row of a session, and what it came to where it is whole."""
    row: dict[str, Any] = dict.fromkeys(SESSIONS) | {
        "condition": condition,
        "id": label.id,
        "expected": label.expected,
        "status": "missing",
        "file": str(path),
    }
    if not path.exists():
        return row, None
    try:
        run = open_run(path)
        row["status"] = run.status
        about = comparisons(path)
        row |= _cost([run, *about])
        if run.status != "complete":
            return row, None
        package, topology, kept = _settled(run, about, condition)
    except (RunError, RunFileError):
        return row | {"status": "damaged"}, None
    return row | {
        "status": "complete" if kept or condition == "debated" else "invalid",
        "isolation": BROKEN if condition == "debated" else "kept" if kept else "broken",
        "nonconformant": "; ".join(conformance(run)) or None,
        "scripted": bool(scripted_in(run)),
        "package": package.digest,
        "passport": package.passport.sha256,
    }, topology


def _settled(run: Run, about: list[Run], condition: str) -> tuple[RetrievalPackage, Topology, bool]:
    """Return a whole session's package and topology, and whether it kept its isolation."""
    if condition == "debated":
        return debated_package(run), debated_topology(run, *about), False
    made = synthesis(run, *about)
    return made.package, made.topology, made.valid


def _cost(runs: list[Run]) -> dict[str, Any]:
    names = ("calls", "tokens_in", "tokens_out", "cost_usd")
    told = {name: [getattr(one.usage, name) for one in runs] for name in names}
    told["seconds"] = [busy_s(one) for one in runs if one.usage.calls]
    return {name: None if None in values else sum(values) for name, values in told.items()}
