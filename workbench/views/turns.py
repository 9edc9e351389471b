"""A run as a story: its turns, each with goal, specialists, gates and decision; no markup."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workbench.record.events import (
    JSON,
    Asked,
    Called,
    Consulted,
    Failed,
    Lineage,
    Posted,
    Returned,
)
from workbench.record.judgement import Judgement
from workbench.record.order import natural, owner_of, turn_of
from workbench.record.plainly import integer, real, text, texts
from workbench.record.rows import failures
from workbench.record.run import Run


@dataclass(slots=True)
class Passage:
    """One hit of a search."""

    id: str
    heading: str
    words: str
    score: float | None


@dataclass(slots=True)
class Search:
    """One search of a corpus; `passages` is None while there is no result.

    `mode` is how they were found; None without any, and in runs that do not tell it.
    """

    path: str
    query: str
    corpus: str
    passages: list[Passage] | None
    mode: str | None = None


@dataclass(slots=True)
class Seat:
    """A specialist in one turn.

    `contribution` is None where there is none yet, or where the reply could not be read, of which
    `unread` then tells. `predictions` are (peer, what the author expects of it).
    """

    author: str
    path: str | None = None
    contribution: str | None = None
    unread: str | None = None
    predictions: list[tuple[str, str]] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)


@dataclass(slots=True)
class Gate:
    """How the structural gate fared with one question; `tier` is None if nothing could be read."""

    path: str
    role: str
    schema_name: str
    tier: str | None
    attempts: int | None
    errors: list[str]

    @property
    def smooth(self) -> bool:
        """Whether the first reply was the JSON that was asked for."""
        return self.tier == "direct" and not self.errors and self.attempts in (1, None)


@dataclass(slots=True)
class Turn:
    """One turn of a bi-layer run; what has not happened yet is None or empty."""

    number: int
    goal: str | None = None
    phase: str | None = None
    nominated: list[str] = field(default_factory=list)
    rules: list[tuple[str, str]] = field(default_factory=list)
    seats: dict[str, Seat] = field(default_factory=dict)
    gates: list[Gate] = field(default_factory=list)
    decision: str | None = None
    reason: str = ""
    next_phase: str | None = None
    by: str | None = None

    def seat(self, author: str) -> Seat:
        """Return a specialist's seat, made at its first mention."""
        return self.seats.setdefault(author, Seat(author))


@dataclass(slots=True)
class Story:
    """What a run's events tell.

    Attributes
    ----------
    turns : list of Turn
        Empty for a protocol without goals and proposals.
    agents : list of str
        Specialists in the order of their first mention.
    titles : dict
        An agent's title, where the run's parameters give one.
    rules : dict
        Rules by id: those of the case, then those that were added.
    verdicts, others : list of Posted
        Facts with a verdict, and all facts that no turn shows.
    asks : list of Asked
        In causal order.
    gates : list of Gate
        All of them, in causal order.
    failures : list of Failed
        Those without an answer since.
    """

    turns: list[Turn]
    agents: list[str]
    titles: dict[str, str]
    rules: dict[str, str]
    verdicts: list[Posted]
    others: list[Posted]
    asks: list[Asked]
    commands: list[Called | Consulted]
    gates: list[Gate]
    failures: list[Failed]


def story(run: Run) -> Story:
    """Read a run's story off its events; fields that are missing or odd never stop it."""
    turns: dict[int, Turn] = {}
    verdicts: list[Posted] = []
    others: list[Posted] = []
    asks: list[Asked] = []
    commands: list[Called | Consulted] = []
    gates: list[Gate] = []
    case = _case(run.started.params)
    rules = dict(_rules(case))
    told = False
    for event in run.commands_and_facts():
        if isinstance(event, Asked):
            asks.append(event)
            continue
        if not isinstance(event, Posted):
            commands.append(event)
            continue
        number = turn_of(event.path, event.data)
        if event.kind == "Gated":
            gates.append(_gate(event))
            if number is not None:
                turns.setdefault(number, Turn(number)).gates.append(gates[-1])
        elif "verdict" in event.data:
            verdicts.append(event)
        elif number is None or event.kind not in _TOLD:
            others.append(event)
        elif _TOLD[event.kind](turns.setdefault(number, Turn(number)), event):
            told = True
            if event.kind == "RuleAdded":
                rules.setdefault(*turns[number].rules[-1])
        else:
            others.append(event)
    if not told:
        turns = {}
    for event in commands:
        number, author = turn_of(event.path), owner_of(event.path)
        if isinstance(event, Called) and event.tool == "search" and number in turns and author:
            turns[number].seat(author).searches.append(_search(event, run))
    ordered = [turns[n] for n in sorted(turns)]
    return Story(
        turns=ordered,
        agents=list(dict.fromkeys(a for t in ordered for a in (*t.nominated, *t.seats))),
        titles={**_AUDITORS.get(run.started.protocol, {}), **dict(_titles(case))},
        rules=rules,
        verdicts=verdicts,
        others=others,
        asks=asks,
        commands=commands,
        gates=gates,
        failures=[e for e in failures(run) if run.failures.get(e.path) is e],
    )


def _goal(turn: Turn, event: Posted) -> bool:
    if turn.goal is not None:
        return False
    turn.goal = text(event.data.get("goal")) or ""
    turn.phase = text(event.data.get("phase"))
    turn.nominated = texts(event.data.get("nominated"))
    seats = {name: turn.seats.get(name) or Seat(name) for name in turn.nominated}
    turn.seats = seats | turn.seats
    return True


def _rule(turn: Turn, event: Posted) -> bool:
    turn.rules.append((text(event.data.get("id")) or "?", text(event.data.get("text")) or ""))
    return True


def _proposal(turn: Turn, event: Posted) -> bool:
    seat = turn.seat(text(event.data.get("author")) or owner_of(event.path) or "?")
    if seat.path is not None:
        return False
    seat.path = event.path
    if event.kind == "NotProposed":
        seat.unread = text(event.data.get("reason")) or "no reason was recorded"
        return True
    seat.contribution = text(event.data.get("contribution")) or ""
    predictions = event.data.get("predictions")
    if isinstance(predictions, dict):
        seat.predictions = [
            (str(p), text(predictions[p]) or "") for p in sorted(predictions, key=_peer)
        ]
    return True


def _peer(value: object) -> str:
    return natural(str(value))


def _ratified(turn: Turn, event: Posted) -> bool:
    if turn.decision is not None:
        return False
    turn.decision = text(event.data.get("decision")) or "?"
    turn.reason = text(event.data.get("reason")) or ""
    turn.next_phase = text(event.data.get("phase"))
    turn.by = text(event.data.get("by"))
    return True


_TOLD = {
    "GoalSet": _goal,
    "RuleAdded": _rule,
    "Proposed": _proposal,
    "NotProposed": _proposal,
    "Ratified": _ratified,
}


def _gate(event: Posted) -> Gate:
    get = event.data.get
    return Gate(
        path=event.path,
        role=text(get("role")) or "?",
        schema_name=text(get("schema_name")) or "?",
        tier=text(get("tier")),
        attempts=integer(get("attempts")),
        errors=texts(get("errors")),
    )


def _search(event: Called, run: Run) -> Search:
    answer = run.answers.get(event.path)
    hits = answer.value if isinstance(answer, Returned) else None
    hits = [hit for hit in hits if isinstance(hit, dict)] if isinstance(hits, list) else None
    return Search(
        path=event.path,
        query=text(event.args.get("query")) or "",
        corpus=text(event.args.get("corpus")) or "",
        passages=[
            Passage(
                id=text(hit.get("passage")) or "?",
                heading=text(hit.get("heading")) or "",
                words=text(hit.get("text")) or "",
                score=real(hit.get("score")),
            )
            for hit in hits
        ]
        if hits is not None
        else None,
        mode=text(hits[0].get("mode")) if hits else None,
    )


def _case(params: dict[str, JSON]) -> dict[str, JSON]:
    """Return what describes the case: ``case``, an audit's ``material``, or all parameters."""
    for place in ("case", "material"):
        if isinstance(params.get(place), dict):
            found: dict[str, JSON] = params[place]
            return found
    return params


def _rules(case: dict[str, JSON]) -> list[tuple[str, str]]:
    return [
        (text(rule.get("id")) or "?", text(rule.get("text")) or "")
        for rule in _dicts(case, "rules")
    ]


def declared(params: dict[str, JSON]) -> list[str]:
    """Return the names of the roles that a run's parameters give, in their order."""
    roles = _dicts(_case(params), "roles")
    return [role["name"] for role in roles if isinstance(role.get("name"), str)]


_AUDITORS = {"audit": {"rag_auditor": "RAG auditor", "tom": "ToM", "tom_auditor": "ToM auditor"}}


def _titles(case: dict[str, JSON]) -> list[tuple[str, str]]:
    return [
        (role["name"], role["title"])
        for role in _dicts(case, "roles")
        if isinstance(role.get("name"), str) and isinstance(role.get("title"), str)
    ]


def _dicts(case: dict[str, JSON], name: str) -> list[dict[str, Any]]:
    found = case.get(name)
    return [d for d in found if isinstance(d, dict)] if isinstance(found, list | tuple) else []


def shown(agent: str, titles: dict[str, str]) -> str:
    """Return an agent's title, or its name as one reads it."""
    plain = agent.replace("_", " ").replace("=", " ")
    return titles.get(agent) or plain[:1].upper() + plain[1:]


def cause(run: Run) -> str:
    """Return why a run stopped: its error, or what failed first of its calls; empty if nothing."""
    if run.ended is not None:
        return run.ended.error or ""
    failed = next(iter(run.failures.values()), None)
    if failed is None:
        return ""
    return f"{failed.error}: {failed.message}" if failed.message else failed.error


def title_of(run: Run) -> str:
    """Return what a run is called: the case's title, the file's name, or the protocol."""
    params = run.started.params
    case = params.get("case")
    given = case.get("title") if isinstance(case, dict) else params.get("title")
    if isinstance(given, str) and given.strip():
        return given
    if isinstance(case, str) and case.strip():
        return case
    return run.path.name.split(".")[0] if run.path else run.started.protocol


def edits(lineage: Lineage) -> list[tuple[str, str]]:
    """Return what a fork changed in its parent, each as (what was done, path or parameter)."""
    answers, at, params = (lineage.edits.get(name) for name in ("answers", "at", "params"))
    return [
        *(("answered otherwise", path) for path in (answers if isinstance(answers, dict) else ())),
        *(("asked again", path) for path in texts(at)),
        *(("parameter", name) for name in (params if isinstance(params, dict) else ())),
    ]


@dataclass(slots=True)
class Judgements:
    """An audit's verdicts by what they are about.

    `logic` is keyed by the path of a proposal, `tom` by that path and the peer, `rag` by the path
    of a search.
    """

    logic: dict[str, Judgement] = field(default_factory=dict)
    tom: dict[tuple[str, str], Judgement] = field(default_factory=dict)
    rag: dict[str, Judgement] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.logic or self.tom or self.rag)


def judgements(audit: Run | None) -> Judgements:
    """Read the verdicts of an audit; none without one."""
    out = Judgements()
    for event in audit.commands_and_facts() if audit else ():
        if not isinstance(event, Posted) or "verdict" not in event.data:
            continue
        found = Judgement.read(event)
        subject = found.subject or ""
        if found.auditor == "logic":
            out.logic[subject] = found
        elif found.auditor == "tom":
            out.tom[subject, found.peer or ""] = found
        elif found.auditor == "rag":
            out.rag[subject] = found
    return out
