"""The rows of the tables, collected from a run's events in causal order."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from workbench.record.authors import authors
from workbench.record.events import JSON, Answered, Asked, Called, Failed, Posted, Returned
from workbench.record.judgement import Judgement
from workbench.record.order import natural, owner_of, turn_of
from workbench.record.passings import Goals, read_by
from workbench.record.plainly import as_text, integer, real, text, texts
from workbench.record.run import Run

Edge = tuple[int | None, str, str, str]
"""Turn, source, target, kind."""

_ELSEWHERE = re.compile(r"[0-9a-f]{8,64}:/")
"""A path in another run, as audits quote their subject: the beginning of its digest comes first."""

NAMES = (
    "runs asks answers facts calls retrievals gates goals proposals predictions ratifications "
    "verdicts failures edges"
).split()


class Rows:
    """What was collected: a list of tuples a table, without the run's label.

    ``reads`` has far more rows than the others, so it is kept as columns: `ask` holds the number
    of the row in ``asks``, from which path, turn and role follow.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.tables: dict[str, list[tuple[Any, ...]]] = {name: [] for name in NAMES}
        self.ask: list[int] = []
        self.source: list[str | None] = []
        self.kind: list[str] = []
        self.part: list[int] = []
        self.chars: list[int] = []
        self._ends: dict[str, list[int]] = {name: [] for name in (*NAMES, "reads")}

    def lengths(self, name: str) -> list[int]:
        """Return how many rows each run has in a table."""
        ends = self._ends[name]
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def add(self, run: Run, name: str | None) -> None:
        """Collect a run's rows."""
        label = run.digest[:12] if name is None else name
        self.labels.append(label)
        self.tables["runs"].append(_run_row(run, digest=name is None))
        _Reader(self, run).read()
        for table, ends in self._ends.items():
            ends.append(len(self.ask) if table == "reads" else len(self.tables[table]))


class _Reader:
    """Go through one run."""

    def __init__(self, rows: Rows, run: Run) -> None:
        self.rows = rows
        self.tables = rows.tables
        self.run = run
        self.answers = run.answers
        self.derived = run.derived
        self.writers = authors(run)
        self.kinds: dict[str | None, str] = {None: "own"}
        self.edges: dict[Edge, int] = {}
        self.proposed: dict[tuple[int | None, str], Posted] = {}
        self.goals = Goals()

    def read(self) -> None:
        for event in self.run.commands_and_facts():
            if isinstance(event, Asked):
                self._asked(event)
            elif isinstance(event, Posted):
                self._posted(event)
            elif isinstance(event, Called):
                self._called(event)
        self._predictions()
        self._failures()
        self.tables["edges"] += [(*edge, n) for edge, n in self.edges.items()]

    def _asked(self, event: Asked) -> None:
        path, role, parts = event.path, event.role, event.parts
        turn = turn_of(path)
        rows, kinds = self.rows, self.kinds
        sizes = [len(part.text) for part in parts]
        sources = [part.source for part in parts]
        rows.ask += [len(self.tables["asks"])] * len(parts)
        rows.source += sources
        rows.part += range(len(parts))
        rows.chars += sizes
        rows.kind += [kinds.get(source) or self._kind(source) for source in sources]
        for writer, n in Counter(read_by(event, self.writers)).items():
            if writer is not None:
                self._count(turn, writer, role, "read", n)
        answer = self.answers.get(path)
        drawn = event.sampling
        self.tables["asks"].append(
            (
                path,
                turn,
                role,
                event.clock,
                len(parts),
                sum(sizes),
                text(event.schema.get("title")) if isinstance(event.schema, dict) else None,
                drawn.temperature,
                drawn.max_tokens,
                drawn.seed,
                answer is not None,
            )
        )
        if isinstance(answer, Answered):
            self.tables["answers"].append(
                (
                    path,
                    turn,
                    role,
                    answer.model,
                    answer.finish_reason,
                    len(answer.text),
                    answer.tokens_in,
                    answer.tokens_out,
                    answer.tokens_cached,
                    answer.cost_usd,
                    answer.latency_s,
                    answer.attempts,
                    answer.origin,
                    list(answer.unsent or ()),
                )
            )

    def _kind(self, source: str | None) -> str:
        if source is None:
            kind = "own"
        elif _ELSEWHERE.match(source):
            kind = "other"
        elif not source.startswith("/"):
            kind = "passage"
        else:
            at = self.derived.get(source)
            kind = "other" if at is None else "fact" if isinstance(at, Posted) else "answer"
        self.kinds[source] = kind
        return kind

    def _posted(self, event: Posted) -> None:
        """Add a fact, and the rows of one that the tables know of."""
        data, path, get = event.data, event.path, event.data.get
        turn = turn_of(path, data)
        author = self.writers.get(path)
        tables = self.tables
        tables["facts"].append((path, turn, event.kind, event.clock, as_text(data)))
        match event.kind:
            case "GoalSet":
                nominated = texts(get("nominated"))
                tables["goals"].append(
                    (path, turn, text(get("goal")), text(get("phase")), nominated)
                )
            case "Proposed":
                said = text(get("contribution"))
                words = None if said is None else len(said.split())
                sizes = (_size(get("predictions")), _size(get("searches")))
                tables["proposals"].append(
                    (path, turn, author, text(get("goal")), said, words, *sizes)
                )
                if author is not None:
                    self.proposed[turn, author] = event
            case "Ratified":
                told = [text(get(name)) for name in ("decision", "reason", "phase", "by")]
                tables["ratifications"].append((path, turn, *told))
            case "Gated":
                told = [text(get(name)) for name in ("role", "schema_name", "tier")]
                errors = texts(get("errors"))
                tables["gates"].append((path, turn, *told, integer(get("attempts")), errors))
        for source, target, kind, _ in self.goals.passed(event, author, turn):
            self._count(turn, source, target, kind)
        if "verdict" in data:
            tables["verdicts"] += Judgement.read(event).rows()

    def _called(self, event: Called) -> None:
        path, args = event.path, event.args
        turn, author = turn_of(path), owner_of(path)
        answer = self.answers.get(path)
        returned = answer if isinstance(answer, Returned) else None
        latency_s = returned.latency_s if returned else None
        called = (path, turn, author, event.tool, as_text(args), returned is not None, latency_s)
        self.tables["calls"].append(called)
        if event.tool == "search":
            hits = returned.value if returned and isinstance(returned.value, list) else None
            found = [h for h in hits or () if isinstance(h, dict)]
            scores = [s for h in found if (s := real(h.get("score"))) is not None]
            self.tables["retrievals"].append(
                (
                    path,
                    turn,
                    author,
                    text(args.get("corpus")),
                    text(args.get("query")),
                    None if hits is None else len(hits),
                    [text(h.get("passage")) or "" for h in found],
                    max(scores, default=None),
                    text(found[0].get("mode")) if found else None,
                    latency_s,
                )
            )

    def _predictions(self) -> None:
        for (turn, author), event in self.proposed.items():
            predictions = event.data.get("predictions")
            for peer, prediction in predictions.items() if isinstance(predictions, dict) else ():
                said = self.proposed.get((turn, peer))
                told = text(said.data.get("contribution")) if said else None
                where = said.path if said else None
                row = (event.path, turn, author, peer, text(prediction), told, where)
                self.tables["predictions"].append(row)

    def _failures(self) -> None:
        for e in failures(self.run):
            told = (e.error, e.message, e.attempts, _time(e.at), e.path in self.answers)
            self.tables["failures"].append((e.path, turn_of(e.path), *told))

    def _count(self, turn: int | None, source: str, target: str, kind: str, times: int = 1) -> None:
        edge = (turn, source, target, kind)
        self.edges[edge] = self.edges.get(edge, 0) + times


def failures(run: Run) -> list[Failed]:
    """Return every failure in causal order, those at one path in the order of time."""
    failed = [e for e in run.events if isinstance(e, Failed)]
    derived = run.derived

    def place(e: Failed) -> tuple[Any, ...]:
        clock = getattr(derived.get(e.path), "clock", 0)
        return (clock, natural(e.path), e.at or 0.0, e.error, e.message)

    return sorted(failed, key=place)


def _run_row(run: Run, *, digest: bool) -> tuple[Any, ...]:
    first, use, lineage = run.started, run.usage, run.started.lineage
    return (
        first.protocol,
        run.status,
        first.seed,
        ", ".join(model_names(run)) or None,
        len(run),
        use.calls,
        use.tokens_in,
        use.tokens_out,
        use.tokens_cached,
        use.cost_usd,
        _time(first.at),
        first.subject,
        lineage.parent if lineage else None,
        lineage.rule if lineage else None,
        str(run.path) if run.path else None,
        run.digest if digest else None,
        run.ended.error if run.ended else None,
    )


def model_names(run: Run, *, family: bool = False) -> list[str]:
    """Return the names of a run's models, each once, the one for all roles first.

    With `family` each is followed by its family, where that is known: ``NAME (FAMILY)``.
    """
    told: dict[str, None] = {}
    for _, model in sorted(run.started.models.items()):
        name = str(model.get("model") or model.get("kind") or "?")
        of = model.get("family") if family else None
        told[f"{name} ({of})" if of else name] = None
    return list(told)


def _size(value: JSON) -> int | None:
    return len(value) if isinstance(value, list | tuple | dict) else None


def _time(at: float | None) -> datetime | None:
    try:
        return None if at is None else datetime.fromtimestamp(at, UTC)
    except (OverflowError, ValueError, OSError):
        return None
