"""What consultations of a labelled corpus came to, held against the labels.

Decisions, where the paper defines no score:

- A session *comes to* one class: ``divergence`` if it has a Divergence Report, else ``overlap``,
  ``unique`` or ``unclassified``, the first of which it has a finding of that states something, else
  ``absent``. ``there`` is the same of the findings and reports at the labelled passages alone.
- ``apart`` is neither right nor wrong: readers who each cite one of two contradictory passages have
  nothing in common to diverge on (section 3.3), and where one reader may be alone with a finding,
  that all find it is no error of theirs.
- What is not complete, of another state of the corpus, or not isolated is not judged.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import polars as pl

from workbench.deliberation.consultation.synthesis import Synthesis, synthesis
from workbench.deliberation.consultation.topology import Topology
from workbench.errors import RunError, RunFileError
from workbench.experiments.results import busy_s
from workbench.experiments.table import html, text
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.labels import Class, Divergence, LabelledQuestion, read_labels
from workbench.record.log import SUFFIX
from workbench.record.run import Run, open_run
from workbench.stats.proportion import proportion

CLASSES = ("overlap", "unique", "divergence", "unclassified", "absent")
"""What a session can come to."""

SCRIPTED = "SCRIPTED: readers here are no language models; their families are as they were set."
"""What is told of sessions with scripts or readers by rules."""

SCORES: dict[str, pl.DataType] = {
    **dict.fromkeys("id expected type status found there types outcome".split(), pl.String()),
    **dict.fromkeys("type_right given cited flagged conformant scripted".split(), pl.Boolean()),
    **dict.fromkeys("findings invalid undecided".split(), pl.Int64()),
    **dict.fromkeys("calls tokens_in tokens_out tokens_cached".split(), pl.Int64()),
    **dict.fromkeys("seconds cost_usd".split(), pl.Float64()),
    "file": pl.String(),
}
"""The schema of `ConsultationScores.questions`."""

_SUMMARY: dict[str, pl.DataType] = {
    **dict.fromkeys(("expected", "type"), pl.String()),
    **dict.fromkeys("n right wrong apart unfinished".split(), pl.Int64()),
    **dict.fromkeys("accuracy lo hi".split(), pl.Float64()),
    **dict.fromkeys("right_there type_right divergent given cited flagged".split(), pl.Int64()),
}


@dataclass(frozen=True, repr=False)
class ConsultationScores:
    """The sessions of some labelled questions.

    Attributes
    ----------
    questions : DataFrame
        One row a question: ``id``, ``expected`` and ``type`` (of the label), ``status``
        (``complete``, ``failed``, ``interrupted``, ``missing``, ``damaged``, ``superseded``: of
        another state of the corpus, ``invalid``: not isolated), ``found``, ``there``, ``types``
        (of its Divergence Reports at the labelled passages, or of all where none is there, sorted),
        ``outcome`` (``right``, ``wrong``, ``apart``), ``type_right`` (of a divergence that was
        found), ``given`` (all labelled passages were in the package), ``cited`` (one at least by
        somebody), ``flagged`` (correlated bias), ``conformant``, ``scripted`` (some readers are no
        language models), ``findings``, ``invalid``
        (citations of nothing), ``undecided`` (pairs), ``calls``, ``tokens_in``, ``tokens_out``,
        ``tokens_cached``, ``seconds``, ``cost_usd`` (of the session and its comparison), ``file``.
        What is unknown is null.
    """

    questions: pl.DataFrame

    @cached_property
    def summary(self) -> pl.DataFrame:
        """One row a class, a type of divergence, and one for all.

        ``expected``, ``type``, ``n`` (right or wrong), ``right``, ``wrong``, ``apart``,
        ``unfinished`` (not judged); ``accuracy`` with ``lo``, ``hi`` (95 % Clopper-Pearson);
        ``right_there`` (the class at the labelled passages is the expected one); ``type_right`` of
        ``divergent`` (a divergence was expected and found); ``given``, ``cited``, ``flagged``.
        """
        rows = []
        for expected, kind in _LINES:
            mine = self._expected(expected, kind)
            if not mine.is_empty() or expected == "all":
                rows.append({"expected": expected, "type": kind, **_summed(mine)})
        return pl.DataFrame(rows, schema=_SUMMARY, orient="row")

    @cached_property
    def confusion(self) -> pl.DataFrame:
        """One row a class and type of divergence that is expected: how often each was found.

        ``expected``, ``type``, a column each of `CLASSES`, and the four types of divergence: how
        many sessions report it; one may report several.
        """
        rows = []
        for expected, kind in _LINES[:-1]:
            mine = self._expected(expected, kind)
            if mine.is_empty() or (expected == "divergence" and kind is None):
                continue
            found = Counter(mine.get_column("found").to_list())
            types = Counter(t for told in mine["types"].drop_nulls() for t in told.split(", "))
            counts = {name: found[name] for name in CLASSES} | {t: types[t] for t in _TYPES}
            rows.append({"expected": expected, "type": kind, **counts})
        columns = dict.fromkeys((*CLASSES, *_TYPES), pl.Int64())
        schema = {"expected": pl.String(), "type": pl.String(), **columns}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _expected(self, expected: str, kind: str | None) -> pl.DataFrame:
        mine = self.questions
        if expected != "all":
            mine = mine.filter(pl.col("expected") == expected)
        return mine if kind is None else mine.filter(pl.col("type") == kind)

    @property
    def cost(self) -> dict[str, float | None]:
        """What all complete sessions took; None where a part is unknown.

        ``calls``, ``tokens_in``, ``tokens_out``, ``tokens_cached``, ``seconds``, ``cost_usd``.
        """
        done = self.questions.filter(pl.col("status") != "missing")
        names = "calls tokens_in tokens_out tokens_cached seconds cost_usd".split()
        return {name: _sum(done.get_column(name).to_list()) for name in names}

    def rows(self) -> list[list[str]]:
        """Return the summary as a table of texts, its head first."""
        head = "expected,accuracy,95 % interval,right,n,apart,unfinished,right there,type right"
        table = [[*head.split(","), "given", "cited", "flagged"]]
        for row in self.summary.to_dicts():
            told = proportion(row["right"], row["n"])
            interval = "none" if not row["n"] else f"{100 * told.low:.1f} to {100 * told.high:.1f}"
            accuracy = "none" if told.value is None else f"{100 * told.value:.1f} %"
            typed = f"{row['type_right']} of {row['divergent']}" if row["divergent"] else ""
            name = row["expected"] if row["type"] is None else f"  {row['type']}"
            counts = [str(row[name]) for name in ("right", "n", "apart", "unfinished")]
            placed = [str(row[name]) for name in ("right_there", "given", "cited")]
            there, *found = [""] * 3 if name == "absent" else placed
            flagged = str(row["flagged"])
            table.append([name, accuracy, interval, *counts, there, typed, *found, flagged])
        return table

    def confused(self) -> list[list[str]]:
        """Return the confusion as a table of texts, its head first."""
        table = [["expected \\ found", *CLASSES, *(f"({name})" for name in _TYPES)]]
        for row in self.confusion.to_dicts():
            counts = [str(row[name] or "") for name in (*CLASSES, *_TYPES)]
            table.append([row["type"] or row["expected"], *counts])
        return table

    @property
    def notes(self) -> list[str]:
        """What has to be told with the tables."""
        about = (
            "Accuracy: the class that a session comes to is the expected one, of those judged (n); "
            "intervals are 95 % Clopper-Pearson (exact). Apart: neither right nor wrong. Right "
            "there: the class of what cites the labelled passages. Given: these were in the "
            "package; cited: one of them was. Type right: of the divergences that were found. "
            "Flagged: a bias in common is possible. Types in brackets are counted by session, "
            "which may have several. The labels say what careful readers should come to; no answer "
            "is scored."
        )
        spent = self.cost

        def told(name: str, digits: int = 0) -> str:
            value = spent[name]
            return "unknown" if value is None else f"{value:,.{digits}f}"

        cost = (
            f"Cost of {self.questions.filter(pl.col('status') != 'missing').height} sessions: "
            f"{told('calls')} calls, {told('tokens_in')} tokens read "
            f"({told('tokens_cached')} cached), {told('tokens_out')} written, "
            f"{told('seconds')} s, {told('cost_usd', 4)} USD."
        )
        odd = Counter(self.questions.get_column("status").to_list())
        odd.pop("complete", None)
        left = [f"Not judged: {', '.join(f'{n} {what}' for what, n in sorted(odd.items()))}."]
        loose = self.questions.filter(~pl.col("conformant")).height
        mark = [f"NON-CONFORMANT: {loose} of the sessions."] if loose else []
        scripted = [SCRIPTED] if self.questions.get_column("scripted").any() else []
        return [*mark, *scripted, about, cost, *(left if odd else [])]

    def __str__(self) -> str:
        return "\n".join([text(self.rows()), "", text(self.confused()), "", *self.notes])

    def __repr__(self) -> str:
        done = self.questions.filter(pl.col("outcome").is_not_null()).height
        return f"ConsultationScores({done} of {self.questions.height} questions are judged)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        page = html(self.rows()) + html(self.confused(), self.notes)
        return {"text/plain": str(self), "text/html": page}


_TYPES = get_args(Divergence)
_LINES: tuple[tuple[str, str | None], ...] = (
    *((name, None) for name in ("overlap", "unique", "divergence")),
    *(("divergence", name) for name in _TYPES),
    ("absent", None),
    ("all", None),
)


def score_consultations(
    corpus: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    questions: Iterable[str] | None = None,
) -> ConsultationScores:
    """Hold the sessions in a folder against the labels of their corpus; nothing is run.

    Parameters
    ----------
    corpus : path
        With its ``questions.jsonl`` and ``labels.jsonl``.
    folder : path
        Of `bench_consultation`.
    questions : iterable of str, optional
        Ids; default: all that have a file in the folder.

    Returns
    -------
    ConsultationScores
        Of these questions, in the order of the corpus's.

    Raises
    ------
    CorpusError, DatasetError
        If corpus or labels cannot be read, or a question has no label.
    """
    read = Corpus.read(Path(corpus))
    labels = read_labels(Path(corpus), read)
    places = {label.id: Path(folder) / f"{label.id}{SUFFIX}" for label in labels}
    wanted = {id for id, path in places.items() if path.exists()}
    if questions is not None:
        wanted = set(questions)
    rows = [
        _row(label, places[label.id], read.passport.sha256)
        for label in labels
        if label.id in wanted
    ]
    return ConsultationScores(pl.DataFrame(rows, schema=SCORES, orient="row"))


def came_to(topology: Topology, at: Collection[str] | None = None) -> str:
    """Return the class that a session comes to, or its part `at` some passages.

    Returns
    -------
    str
        One of `CLASSES`; see the module for the order.
    """

    def is_there(passages: Iterable[str]) -> bool:
        return at is None or any(passage in at for passage in passages)

    if any(is_there(one.passages) for one in topology.divergences):
        return "divergence"
    classes = topology.classes
    states = {
        f.id
        for f in topology.findings
        if is_there(f.cited) and not classes.readings[classes.reading_of[f.id]].wording.is_absent
    }
    for name in ("overlap", "unique", "unclassified"):
        if states.intersection(getattr(classes, name)):
            return name
    return "absent"


def _row(label: LabelledQuestion, path: Path, passport: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(SCORES) | {
        "id": label.id,
        "expected": label.expected,
        "type": label.type,
        "file": str(path),
    }
    try:
        run = open_run(path) if path.exists() else None
        row["status"] = "missing" if run is None else run.status
    except RunFileError:
        run, row["status"] = None, "damaged"
    if run is None:
        return row
    runs = [run, *comparisons(path)]
    for name in ("calls", "tokens_in", "tokens_out", "tokens_cached", "cost_usd"):
        row[name] = _sum(getattr(one.usage, name) for one in runs)
    row["seconds"] = _sum(map(busy_s, (one for one in runs if one.usage.calls)))
    if run.status != "complete":
        return row
    try:
        made = synthesis(run, *runs[1:])
    except RunError:
        return row | {"status": "damaged"}
    row |= {"conformant": not made.nonconformant, "scripted": bool(made.scripted)}
    if not made.valid:
        return row | {"status": "invalid"}
    if made.passport != passport:
        return row | {"status": "superseded"}
    return row | _judged(label, made)


def compared(session: Path) -> Path:
    """Return the file of the comparer's run about a session."""
    return session.with_name(f"{session.name.removesuffix(SUFFIX)}.comparison{SUFFIX}")


def comparisons(path: Path) -> list[Run]:
    """Return the comparer's run about a session, where there is a whole one."""
    file = compared(path)
    try:
        run = open_run(file) if file.exists() else None
    except RunFileError:
        return []
    return [run] if run is not None and run.status == "complete" else []


def _judged(label: LabelledQuestion, made: Synthesis) -> dict[str, Any]:
    """Return what a session came to, held against its label."""
    topology = made.topology
    places = {one.passage for one in label.evidence}
    found = came_to(topology)
    there = came_to(topology, places) if places else None
    reports = topology.divergences
    types = {r.type for r in reports if places & set(r.passages)} or {r.type for r in reports}
    cited = places & {passage for f in topology.findings for passage in f.cited}
    is_divergent = label.expected == found == "divergence"
    return {
        "found": found,
        "there": there,
        "types": ", ".join(sorted(types)) or None,
        "outcome": _outcome(label.expected, found, there, cited == places and len(places) > 1),
        "type_right": label.type in types if is_divergent else None,
        "given": places <= {p.id for p in made.package.passages} if places else None,
        "cited": bool(cited) if places else None,
        "flagged": topology.correlated_bias,
        "findings": len(topology.findings),
        "invalid": sum(len(f.invalid) for f in topology.findings),
        "undecided": sum(pair.kind == "undecided" for pair in topology.classes.related),
    }


def _outcome(expected: Class, found: str, there: str | None, all_cited: bool) -> str:
    if found == expected:
        return "right"
    if expected == "divergence" and all_cited and there in ("overlap", "unique"):
        return "apart"
    if expected == "unique" and found == there == "overlap":
        return "apart"
    return "wrong"


def _summed(rows: pl.DataFrame) -> dict[str, Any]:
    outcomes = Counter(rows.get_column("outcome").to_list())
    right, wrong = outcomes["right"], outcomes["wrong"]
    told = proportion(right, right + wrong)
    judged = rows.filter(pl.col("outcome").is_not_null())
    return {
        "n": right + wrong,
        "right": right,
        "wrong": wrong,
        "apart": outcomes["apart"],
        "unfinished": outcomes[None],
        "accuracy": told.value,
        "lo": told.low if told.n else None,
        "hi": told.high if told.n else None,
        "right_there": judged.filter(pl.col("there") == pl.col("expected")).height,
        "type_right": judged.filter(pl.col("type_right")).height,
        "divergent": judged.filter(pl.col("type_right").is_not_null()).height,
        **{name: judged.filter(pl.col(name)).height for name in ("given", "cited", "flagged")},
    }


def _sum(values: Iterable[float | None]) -> float | None:
    known: Sequence[float | None] = list(values)
    return None if None in known else sum(value for value in known if value is not None)
