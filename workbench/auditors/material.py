"""What an audit judges, read off a run: proposals, pairs, searches and turns, with their paths.

Units and firing conditions are those of Table 1 of the bi-layer paper: the Logic auditor judges
each proposal; the Theory-of-Mind auditor each (evaluator, peer) pair of a turn with at least two
specialists; the RAG auditor each logged search call. The Meta-Agent's messages and the rules it
sets are outside.

Decisions where the paper is silent: a rule added in a turn is held against that turn and later
ones. A proposal that could not be read is a unit whose verdict is unknown; one that an interrupted
run never came to is no unit, and a search made for it is judged unknown.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from workbench.agents.case import Rule
from workbench.agents.facts import GoalSet, NotProposed, Proposed, Ratified, RuleAdded
from workbench.errors import RunError
from workbench.record.events import Called, Posted, Returned
from workbench.record.run import Run


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProposalUnit(_Frozen):
    """A nominated specialist's proposal and the rules in force; None: it could not be read."""

    path: str
    turn: int
    author: str
    phase: str
    goal: str
    contribution: str | None
    rules: tuple[str, ...]


class PairUnit(_Frozen):
    """A prediction of an evaluator and what its peer then contributed; None: it is missing."""

    path: str
    peer_path: str
    turn: int
    evaluator: str
    peer: str
    prediction: str | None
    contribution: str | None


class SearchUnit(_Frozen):
    """A search call, what it returned, and the contribution of the proposal that it was for."""

    path: str
    proposal: str | None
    turn: int
    author: str
    goal: str
    query: str
    found: tuple[str, ...]
    contribution: str | None


class TurnUnit(_Frozen):
    """A turn that had a goal: who was nominated, answered searches, and the decision at its end."""

    turn: int
    nominated: tuple[str, ...]
    searches: int
    decision: str | None


class Material(_Frozen):
    """All that an audit needs of its subject: the audit's own file is enough to replay it.

    `rules` are the case's, then those that were set in the run; `added` maps the ids of the latter
    to their paths.
    """

    subject: Annotated[str, Field(min_length=64, max_length=64)]
    mode: str
    rules: tuple[Rule, ...]
    added: dict[str, str]
    titles: dict[str, str]
    proposals: tuple[ProposalUnit, ...]
    pairs: tuple[PairUnit, ...]
    searches: tuple[SearchUnit, ...]
    turns: tuple[TurnUnit, ...]

    def source(self, path: str) -> str:
        """Return the source of a part that quotes the subject at `path`."""
        return f"{self.subject[:12]}:{path}"


def material(run: Run) -> Material:
    """Read the material of an audit off a bi-layer run, finished or not.

    Raises
    ------
    RunError
        If the run is not one of the bi-layer protocol.
    """
    if run.started.protocol != "bilayer":
        raise RunError(
            f"the auditors read bi-layer runs; this is a run of {run.started.protocol!r}", run
        )
    try:
        return _read(run)
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"not a bi-layer run as this workbench makes them: {error}", run) from error


def _read(run: Run) -> Material:
    case = run.started.params["case"]
    mode = str(run.started.params["mode"])
    rules = [Rule(**rule) for rule in case["rules"]]
    goals = {g.turn: g for g in (GoalSet.read(p) for p in run.facts_of("GoalSet"))}
    decisions = {r.turn: r.decision for r in (Ratified.read(p) for p in run.facts_of("Ratified"))}
    added = {p.path: RuleAdded.read(p) for p in run.facts_of("RuleAdded")}
    rules += [Rule(id=rule.id, text=rule.text) for rule in added.values()]
    since = {rule.id: rule.turn for rule in added.values()}
    made: dict[tuple[int, str], tuple[str, Proposed | NotProposed]] = {}
    for path, posted in run.facts.items():
        fact = _proposal(posted)
        if fact is not None:
            made[fact.turn, fact.author] = (path, fact)
    proposals, pairs = [], []
    for turn, goal in sorted(goals.items()):
        active = tuple(rule.id for rule in rules if since.get(rule.id, turn) <= turn)
        there = [name for name in goal.nominated if (turn, name) in made]
        for author in there:
            path, fact = made[turn, author]
            proposals.append(
                ProposalUnit(
                    path=path,
                    turn=turn,
                    author=author,
                    phase=goal.phase,
                    goal=goal.goal,
                    contribution=_contribution(fact),
                    rules=active,
                )
            )
            if mode == "no_tom" or len(goal.nominated) < 2:
                continue
            pairs += [_pair(turn, author, peer, made) for peer in there if peer != author]
    searches = _searches(run, made, goals)
    return Material(
        subject=run.digest,
        mode=mode,
        rules=tuple(rules),
        added={rule.id: path for path, rule in added.items()},
        titles={role["name"]: role["title"] for role in case["roles"]},
        proposals=tuple(proposals),
        pairs=tuple(pairs),
        searches=tuple(searches),
        turns=tuple(
            TurnUnit(
                turn=t,
                nominated=g.nominated,
                searches=sum(search.turn == t for search in searches),
                decision=decisions.get(t),
            )
            for t, g in sorted(goals.items())
        ),
    )


def _proposal(posted: Posted) -> Proposed | NotProposed | None:
    if posted.kind == "Proposed":
        return Proposed.read(posted)
    return NotProposed.read(posted) if posted.kind == "NotProposed" else None


def _contribution(fact: Proposed | NotProposed) -> str | None:
    return fact.contribution if isinstance(fact, Proposed) else None


def _pair(
    turn: int,
    author: str,
    peer: str,
    made: dict[tuple[int, str], tuple[str, Proposed | NotProposed]],
) -> PairUnit:
    path, fact = made[turn, author]
    peer_path, peer_fact = made[turn, peer]
    return PairUnit(
        path=path,
        peer_path=peer_path,
        turn=turn,
        evaluator=author,
        peer=peer,
        prediction=fact.predictions.get(peer) if isinstance(fact, Proposed) else None,
        contribution=_contribution(peer_fact),
    )


def _searches(
    run: Run,
    made: dict[tuple[int, str], tuple[str, Proposed | NotProposed]],
    goals: dict[int, GoalSet],
) -> list[SearchUnit]:
    """Every answered search call, in causal order."""
    units = []
    for event in run.by_path():
        if not isinstance(event, Called) or event.tool != "search":
            continue
        returned = run.answers.get(event.path)
        if not isinstance(returned, Returned):
            continue
        _, at, author, _ = event.path.split("/", 3)
        turn = int(at.removeprefix("turn="))
        path, fact = made.get((turn, author), (None, None))
        units.append(
            SearchUnit(
                path=event.path,
                proposal=path,
                turn=turn,
                author=author,
                goal=goals[turn].goal,
                query=str(event.args["query"]),
                found=tuple(f"[{hit['passage']}] {hit['text']}" for hit in returned.value),
                contribution=None if fact is None else _contribution(fact),
            )
        )
    return units
