"""The workspace W_t = <q, R, pi, d(t), A_int, K_t, V_t> (Eq. 1) as a fold of a run's facts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Generic, NamedTuple, TypeVar

from workbench.deliberation.maven.facts import (
    Defended,
    DraftMade,
    Evidence,
    EvidenceReported,
    Intuited,
    Judged,
    Planned,
    Questioned,
)
from workbench.deliberation.maven.query import Query
from workbench.errors import RunError
from workbench.record.events import Posted
from workbench.record.facts import Fact
from workbench.record.run import Run, nearest, open_run

F = TypeVar("F", bound=Fact)


class Placed(NamedTuple, Generic[F]):
    """A fact and its path, which is the source of what is quoted from it."""

    path: str
    fact: F


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The blackboard at one step, with its seven parts.

    Attributes
    ----------
    query : Query
        q, with its options.
    intuitions : tuple of Placed[Intuited]
        R, in the order of the proposers.
    plan : Placed[Planned] or None
        pi; none before there is one, and none after a Replan until there is a new one.
    draft : Placed[DraftMade] or None
        d(t); a Replan discards it as well.
    justifications : Placed[Defended] or None
        A_int of the draft under question.
    cache : mapping of str to Evidence
        K: a claim in normal form to its evidence and confidence. It only grows.
    trace : tuple of Placed[Judged]
        V, every verdict so far.
    """

    query: Query
    intuitions: tuple[Placed[Intuited], ...] = ()
    plan: Placed[Planned] | None = None
    draft: Placed[DraftMade] | None = None
    justifications: Placed[Defended] | None = None
    cache: Mapping[str, Evidence] = field(default_factory=dict)
    trace: tuple[Placed[Judged], ...] = ()

    def after(self, fact: Fact, path: str) -> Workspace:
        """Return the workspace after one more fact.

        Facts that are posted at the same time may come in any order; the result is the same.
        """
        made = self
        match fact:
            case Intuited():
                placed = sorted([*self.intuitions, Placed(path, fact)], key=lambda p: p.fact.number)
                made = replace(self, intuitions=tuple(placed))
            case Planned():
                made = replace(self, plan=Placed(path, fact))
            case DraftMade():
                made = replace(self, draft=Placed(path, fact))
            case Questioned():
                made = replace(self, justifications=None)
            case Defended():
                made = replace(self, justifications=Placed(path, fact))
            case EvidenceReported() if fact.kept:
                new = {f.key: f for f in fact.findings if f.key not in self.cache}
                made = replace(self, cache={**self.cache, **new})
            case Judged():
                made = replace(self, trace=(*self.trace, Placed(path, fact)))
                if fact.verdict == "replan":
                    made = replace(made, plan=None, draft=None, justifications=None)
        return made


KINDS: dict[str, type[Fact]] = {
    kind.__name__: kind
    for kind in (Intuited, Planned, DraftMade, Questioned, Defended, EvidenceReported, Judged)
}
"""The facts that change the workspace."""


def workspace(run: Run | str | os.PathLike[str], at: int | str | None = None) -> Workspace:
    """Return the blackboard of a MAVEN run at a step.

    Parameters
    ----------
    run : Run or path
        Finished or not.
    at : int or str, optional
        After the run's first so many events, as a session's cursor counts them; or just after the
        fact or command at a path, in causal order. Default: at the end.

    Returns
    -------
    Workspace

    Raises
    ------
    RunError
        If it is no MAVEN run.
    KeyError
        If there is nothing at that path.

    Examples
    --------
    >>> workspace(run, "/turn=1/judge/judged").draft.fact.answer  # doctest: +SKIP
    'B'
    """
    run = run if isinstance(run, Run) else open_run(run)
    if run.started.protocol != "maven":
        raise RunError(f"this is a run of {run.started.protocol!r}; only MAVEN has a workspace")
    events = (run.before(at) if isinstance(at, int) else run).by_path()
    if isinstance(at, str):
        place = next((n for n, e in enumerate(events) if getattr(e, "path", "") == at), None)
        if place is None:
            raise KeyError(f"{at} is not in this run{nearest(at, run.derived)}")
        events = events[: place + 1]
    params = run.started.params
    begun = Workspace(query=Query(question=params["question"], options=params["options"]))
    posted = [e for e in events if isinstance(e, Posted) and e.kind in KINDS]
    return reduce(lambda made, e: made.after(KINDS[e.kind].read(e), e.path), posted, begun)
