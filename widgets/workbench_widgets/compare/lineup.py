"""Several runs, parents first, and their events aligned by path."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from workbench import Run, Session, diff
from workbench.record.diff import Diff
from workbench.record.events import EDITED, Answered, Lineage
from workbench.record.log import SUFFIX
from workbench.record.order import natural
from workbench.record.rows import model_names
from workbench.views.markup import plural
from workbench.views.turns import edits, title_of
from workbench_widgets.shared.arguments import check
from workbench_widgets.shared.source import DIGESTED, JSON, Source, brief, digest_of, given, opened

NOWHERE, SAME, CHANGED, ONLY, MISSING = range(5)
"""A cell against its base: in neither, alike, changed, here alone, or in the base alone."""

REQUEST, ANSWER, FACT, VERDICT, AUDIT = 1, 2, 4, 8, 16
"""Marks: what of a cell changed."""

EDITS = 12
"""How many of a fork's edits stand in its head; the others are counted."""

MODELS = 4
"""How many of a run's models stand in its head; the others are counted."""

START = "/"
"""The path of the first row, which is about the runs themselves: parameters, models, end."""

Key = tuple[str, str | None]
"""(auditor, peer): which verdict on one path."""


class Flip(NamedTuple):
    """A verdict that is another in the second run; None where there is none."""

    path: str
    auditor: str
    peer: str | None
    before: str | None
    after: str | None


class Lineup(Source):
    """Runs side by side; the first in line is the one that the cursor is in.

    Attributes
    ----------
    columns : list of Source
        Parents before their forks; the first is the line-up itself.
    bases : list of int or None
        For each column the one that it is compared with: its nearest ancestor that is here, else
        the first. None for the first.
    parents : list of int or None
        The nearest ancestor, where there is one.
    shared : list of Source
        What other widgets on the same runs show, which tell when a run grows.
    """

    def __init__(
        self,
        runs: Sequence[Run | Session | str | os.PathLike[str]],
        audits: Sequence[Run | str | os.PathLike[str] | None] | None = None,
    ) -> None:
        several = isinstance(audits, Iterable) and not isinstance(audits, str | Run | Mapping)
        check(
            audits is None or several, "audits", audits, "a list with an audit or None for each run"
        )
        taken = [given(run) for run in runs]
        if len(taken) < 2:
            raise ValueError(f"a comparison takes at least two runs, not {len(taken)}")
        judged = [
            None if audit is None else opened(audit, "audits= takes Runs, None")
            for audit in ([None] * len(taken) if audits is None else audits)
        ]
        if len(judged) != len(taken):
            raise ValueError(
                f"there are {len(taken)} runs and {plural(len(judged), 'audit')}: give one a run, "
                "in the order of the runs, with None for a run that was not audited"
            )
        now = [run.run if isinstance(run, Session) else run for run in taken]
        for place, (run, audit) in enumerate(zip(now, judged, strict=True), 1):
            about = audit.started.subject if audit is not None else None
            if about is not None and about != digest_of(run):
                raise ValueError(
                    f"audit {place} is about the run {about[:12]}, but run {place} is "
                    f"{(digest_of(run) or 'another')[:12]}: its verdicts would stand beside the "
                    "wrong words"
                )
        order = arranged(now)
        first = order[0][0]
        super().__init__(taken[first], judged[first])
        self.cursor = Source.of(taken[first]).cursor
        self.columns: list[Source] = [self, *(Source(taken[i], judged[i]) for i, _ in order[1:])]
        self.shared = [Source.of(run) for run in taken]
        self.parents = [parent for _, parent in order]
        self.bases = [None, *(0 if parent is None else parent for parent in self.parents[1:])]
        self._diffs: dict[tuple[int, int], Diff] = {}

    def refresh(self) -> bool:
        """Take in what the sessions' runs have become; returns whether one grew."""
        grown = [Source.refresh(column) for column in self.columns]
        if any(grown):
            for name in "paths rows turned marks differing flipped accounted agents hues".split():
                self.__dict__.pop(name, None)
            self._diffs.clear()
        return any(grown)

    @cached_property
    def agents(self) -> list[str]:
        """Who acts in any of the runs."""
        rest = (name for column in self.columns[1:] for name in column.agents)
        return list(dict.fromkeys((*Source(self.run).agents, *rest)))

    def title(self, agent: str) -> str:
        """Return an agent's title, as the first run that has one gives it."""
        told = (c.titles[agent] for c in self.columns if agent in c.titles)
        return brief(next(told, None) or super().title(agent))

    @cached_property
    def paths(self) -> list[str]:
        """The rows: first the runs themselves, then every path in causal order."""
        clocks: dict[str, int] = {}
        for column in self.columns:
            for event in column.run.events:
                path = getattr(event, "path", None)
                if path is not None:
                    clock = getattr(column.run.derived.get(path), "clock", 0)
                    clocks[path] = min(clock, clocks.get(path, clock))
        key = cache(natural)

        def place(path: str) -> tuple[int, str, str]:
            scope, slash, name = path.rpartition("/")
            return clocks[path], key(scope) + slash + key(name), path

        return [START, *sorted(clocks, key=place)]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each path."""
        return {path: row for row, path in enumerate(self.paths) if row}

    def has(self, column: int, row: int) -> bool:
        """Return whether a run has anything at a row."""
        if row == 0:
            return True
        run, path = self.columns[column].run, self.paths[row]
        return path in run.derived or path in run.answers or path in run.failures

    def diff(self, before: int, after: int) -> Diff:
        """Return how two columns differ."""
        found = self._diffs.get((before, after))
        if found is None:
            pair = self.columns[before].run, self.columns[after].run
            found = self._diffs[before, after] = diff(*pair)
        return found

    def opens(self, before: int, after: int) -> int:
        """Return the row to begin at: the first divergence of what was asked, said and found.

        Where there is none, the first row whose verdict changed; else the runs' own.
        """
        first = self.diff(before, after).first
        row = self.rows.get(first.path, 0) if first is not None else 0
        rest = (self.rows.get(flip.path, 0) for flip in self.flips(before, after))
        return row or min((r for r in rest if r), default=0)

    def flips(self, before: int, after: int) -> list[Flip]:
        """Return the verdicts that changed: the runs' own, then those of their audits."""
        own = [
            Flip(c.path, "own", None, _word(c.before), _word(c.after))
            for c in self.diff(before, after).verdicts
        ]
        a, b = (self.columns[i] for i in (before, after))
        if a.audit is None or b.audit is None:
            return own
        paths = dict.fromkeys((*a.verdicts, *b.verdicts))
        ordered = sorted(paths, key=lambda path: self.rows.get(path, len(self.paths)))
        return own + [
            Flip(path, auditor, peer, was, now)
            for path in ordered
            for (auditor, peer), was, now in both(verdicts(a, path), verdicts(b, path))
            if was != now
        ]

    @cached_property
    def turned(self) -> list[dict[int, list[Flip]]]:
        """For each column, the verdicts that changed from its base's, by row."""
        out: list[dict[int, list[Flip]]] = [{} for _ in self.columns]
        for j, base in enumerate(self.bases):
            for flip in () if base is None else self.flips(base, j):
                out[j].setdefault(self.rows.get(flip.path, 0), []).append(flip)
        return out

    @cached_property
    def marks(self) -> list[dict[int, int]]:
        """For each column, the rows that differ from its base's, with what changed there."""
        return [{} if base is None else self._marks(base, j) for j, base in enumerate(self.bases)]

    def _marks(self, base: int, column: int) -> dict[int, int]:
        found = self.diff(base, column)
        out: dict[int, int] = {}
        for mark, changes in (
            (REQUEST, found.requests),
            (ANSWER, found.answers),
            (FACT, found.facts),
        ):
            for change in changes:
                row = self.rows.get(change.path)
                if row is not None:
                    out[row] = out.get(row, 0) | mark
        for row, flips in self.turned[column].items():
            for flip in flips:
                out[row] = out.get(row, 0) | (VERDICT if flip.auditor == "own" else AUDIT)
        runs = self.columns[base].run, self.columns[column].run
        for path in {*runs[0].failures, *runs[1].failures}:
            if (path in runs[0].failures) != (path in runs[1].failures):
                out[self.rows[path]] = out.get(self.rows[path], 0) | ANSWER
        first = found.first.path if found.first is not None else None
        if found.head or found.params or first == START or _end(runs[0]) != _end(runs[1]):
            out[0] = out.get(0, 0) | FACT
        return out

    @cached_property
    def differing(self) -> list[int]:
        """The rows in which any run differs from its base."""
        return sorted({row for marks in self.marks for row in marks})

    @cached_property
    def accounted(self) -> int:
        """How many answers are those of their base but for their tokens or cost."""
        return sum(
            len(self.diff(base, j).accounting)
            for j, base in enumerate(self.bases)
            if base is not None
        )

    @property
    def told(self) -> str:
        """What differs, in a few words."""
        alike = plural(self.accounted, "answer") + " alike but for tokens or cost"
        if not self.differing:
            return "the runs are equal" + (f", {alike}" if self.accounted else "")
        differ = f"{len(self.differing):,} of {plural(len(self.paths), 'row')} differ"
        return f"{differ}, {len(self.flipped):,} with another verdict"

    @cached_property
    def flipped(self) -> list[int]:
        """The rows in which a verdict changed."""
        return sorted({row for flips in self.turned for row in flips})

    def state(self, column: int, row: int) -> int:
        """Return how a cell stands against its base."""
        base = self.bases[column]
        here = self.has(column, row)
        if base is None:
            return SAME if here else NOWHERE
        there = self.has(base, row)
        if not here or not there:
            return ONLY if here else MISSING if there else NOWHERE
        return CHANGED if row in self.marks[column] else SAME

    def aligned(self) -> list[int]:
        """Return for each column how many paths it has in common with its base."""
        return [
            0
            if base is None
            else sum(self.has(base, r) and self.has(j, r) for r in range(1, len(self.paths)))
            for j, base in enumerate(self.bases)
        ]

    def head(self) -> dict[str, JSON]:
        """Return the first run's head, with the columns of all."""
        aligned = self.aligned()
        return {
            **super().head(),
            "columns": [
                {**_column(self.columns[j]), "parent": parent, "base": base, "aligned": aligned[j]}
                for j, (parent, base) in enumerate(zip(self.parents, self.bases, strict=True))
            ],
            "rows": len(self.paths),
            "differing": len(self.differing),
            "flipped": len(self.flipped),
        }


def arranged(runs: Sequence[Run]) -> list[tuple[int, int | None]]:
    """Return (which run, the column of its nearest ancestor), parents before their forks.

    Forks stand behind their parent in the order given. A fork whose parent is not here stands
    behind the nearest ancestor that is.
    """
    known: dict[str, int] = {}
    related = any(run.started.lineage is not None for run in runs)
    for place, run in enumerate(runs if related else ()):  # a long run's digest takes a while
        known.setdefault(digest_of(run) or "", place)
    above: list[int | None] = []
    for place, run in enumerate(runs):
        found = (known.get(digest) for digest in ancestors(run.started.lineage))
        above.append(next((i for i in found if i is not None and i != place), None))
    out: list[tuple[int, int | None]] = []
    placed: dict[int, int] = {}

    def put(place: int, column: int | None) -> None:
        waiting = [(place, column)]
        while waiting:
            run, parent = waiting.pop()
            if run in placed:
                continue
            placed[run] = len(out)
            out.append((run, parent))
            forks = [i for i, over in enumerate(above) if over == run]
            waiting += [(fork, placed[run]) for fork in reversed(forks)]

    for place in [i for i, over in enumerate(above) if over is None] + list(range(len(runs))):
        put(place, None)
    return out


def ancestors(lineage: Lineage | None) -> Iterator[str]:
    """Return the digests of a fork's ancestors, the nearest first."""
    if lineage is not None:
        yield lineage.parent
        yield from (older.parent for older in reversed(lineage.earlier))


def verdicts(source: Source, path: str) -> dict[Key, Any]:
    """Return an audit's judgements on a path, by auditor and peer."""
    return {(auditor, peer): j for auditor, peer, j in source.verdicts.get(path, ())}


def both(a: dict[Key, Any], b: dict[Key, Any]) -> Iterator[tuple[Key, str | None, str | None]]:
    """Return each verdict of two runs on one path, before and after."""
    for key in dict.fromkeys((*a, *b)):
        yield key, a[key].verdict if key in a else None, b[key].verdict if key in b else None


def paid(run: Run) -> dict[str, JSON]:
    """Return what a run's answers of models came to, by who paid: itself, or a parent.

    An answer that an edit put in place cost nobody anything.
    """
    out: dict[str, JSON] = {}
    answers = [a for a in run.answers.values() if isinstance(a, Answered)]
    for name, group in (
        ("own", [a for a in answers if a.origin is None]),
        ("inherited", [a for a in answers if a.origin not in (None, EDITED)]),
        ("edited", [a for a in answers if a.origin == EDITED]),
    ):
        costs, times = [a.cost_usd for a in group], [a.latency_s for a in group]
        out[name] = {
            "calls": len(group),
            "tokens_in": _sum([a.tokens_in for a in group]),
            "tokens_out": _sum([a.tokens_out for a in group]),
            "cost_usd": _sum(costs),
            "latency_s": _sum(times),
        }
    return out


def _sum(values: Sequence[Any]) -> Any:
    """Return the sum; None as soon as one is unknown."""
    return None if any(value is None for value in values) else sum(values)


def _column(source: Source) -> dict[str, JSON]:
    """Return what stands at the head of a run's column."""
    run, lineage = source.run, source.run.started.lineage
    changed = [] if lineage is None else edits(lineage)
    known = "digest" in vars(run)
    return {
        "title": title_of(run)[:300],
        "name": run.path.name.removesuffix(SUFFIX)[:300] if run.path else None,
        "protocol": run.started.protocol[:300],
        "models": [model[:300] for model in model_names(run)[:MODELS]],
        "more_models": max(0, len(model_names(run)) - MODELS),
        "status": run.status,
        "error": (run.ended.error or "")[:500] if run.ended else None,
        "failed": len(run.failures),
        "events": len(run),
        "digest": (digest_of(run) or "")[:16] if len(run) <= DIGESTED or known else None,
        "seed": str(run.started.seed),  # it has more bits than a number of the front end
        "audited": source.audit is not None,
        "live": bool(source.session and source.session.live),
        "lineage": None
        if lineage is None
        else {
            "parent": lineage.parent[:16],
            "rule": lineage.rule,
            "seed": str(lineage.seed),
            "inherited": lineage.inherited,
            "edits": [[what, name[:300]] for what, name in changed[:EDITS]],
            "edited": len(changed),
        },
        "paid": paid(run),
    }


def _word(value: JSON) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _end(run: Run) -> tuple[object, ...]:
    ended = run.ended
    return (run.status, repr(ended.result), ended.error) if ended else (run.status,)
