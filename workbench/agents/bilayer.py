"""The bi-layer platform's Knowledge Generation Layer as one protocol.

A cycle of goal-setting, generation and ratification (sections 5.1 to 5.3). The Knowledge Analysis
Layer is `workbench.auditors`: it reads a run from outside, so nothing of it can flow back into it.

Decisions where the paper is silent:

- A specialist chooses its searches in one ask and proposes in a second; it sees the passages found
  by its own searches alone.
- The Meta-Agent may set a goal in any phase, also an earlier one; to advance from the last phase is
  to conclude.
- A turn whose goal cannot be read ends the run (``no_goal``). A specialist whose queries cannot be
  read searches nothing; one whose proposal cannot be read is left out of its turn (`NotProposed`).
  A ratification that cannot be read refines the phase.
- A bound ends the run after its turn: the turn is ratified, and then concluded by the bound.

Departures from the paper:

- The history H_t that agents read holds goals and contributions alone. In section 5.2 it collects
  whole proposals, which include the predictions p. They are left out so that nobody is told what
  is expected of them: an agent that fits itself to a prediction would make it come true, and the
  ToM auditor would count that as foresight.
- The Logic auditor sees one proposal at a time. A rule about agreement between roles is therefore
  judged only by what that proposal shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.agents import meta_agent, prompts, specialist
from workbench.agents.case import Case, Rule
from workbench.agents.facts import By, Decision, GoalSet, Ratified, RuleAdded
from workbench.engine.commands import Steps, all_of, post, within
from workbench.engine.gate import Unparsed
from workbench.engine.protocol import World, protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

Mode = Literal["full", "no_tom", "no_rag"]
Ended = Literal["concluded", "last_turn", "budget", "no_goal"]
Count = Annotated[int, Field(ge=1)]


class Outcome(BaseModel):
    """How a bi-layer run ended.

    Attributes
    ----------
    turns : int
        Turns that were begun.
    ended : str
        ``concluded`` by the Meta-Agent, or stopped by a bound (``last_turn``, ``budget``) or by a
        goal that could not be read (``no_goal``).
    phase : str
        The phase at the end.
    tokens : int
        Read and written, as far as the server told.
    final : dict of str to str
        The path of each specialist's last proposal.
    """

    model_config = ConfigDict(frozen=True)

    turns: int
    ended: Ended
    phase: str
    tokens: int
    final: dict[str, str]


def _world(case: Case, mode: Mode = "full", near: Path | None = None, **_: object) -> World:
    return {} if mode == "no_rag" else case.world(near)


@protocol("bilayer", world=_world)
def bilayer(
    case: Case,
    turns: Count = 6,
    mode: Mode = "full",
    searches: Annotated[int, Field(ge=0)] = 2,
    passages: Count = 3,
    words: Count = 90,
    history: Count | None = None,
    tokens: Count | None = None,
    temperature: float | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[Outcome]:
    """Run the cycle of goal, proposals and ratification over a case.

    Parameters
    ----------
    case : Case
        ``Case.read("aura_hub")``.
    turns : int
        At most; the last one ends the run whatever is decided.
    mode : {"full", "no_tom", "no_rag"}
        The ablations of section 6.3: without predictions, without search.
    searches, passages : int
        Search calls of a specialist in a turn, and passages for each.
    words : int
        Asked for in a contribution.
    history : int, optional
        Turns that the agents can look back on; None: all.
    tokens : int, optional
        When so many have been read and written, the turn is finished and the run ends.
    temperature, max_tokens
        Of every ask.
    attempts : int
        Asks for each structured answer.

    Returns
    -------
    Outcome
        How the run ended, and where each specialist's last proposal is.
    """
    state = _State(case, history)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    ended: Ended = "last_turn"
    turn = 0
    for turn in range(1, turns + 1):
        step = _turn(
            state,
            turn,
            turns,
            searches=0 if mode == "no_rag" else searches,
            passages=passages,
            predict=mode != "no_tom",
            words=words,
            sampling=sampling,
            attempts=attempts,
        )
        ratified = yield from within(f"turn={turn}", step)
        if ratified is None:
            ended = "no_goal"
            break
        if ratified.decision == "conclude":
            ended = "concluded"
            break
        if tokens is not None and state.tokens >= tokens:
            ended = "budget"
            break
    return Outcome(
        turns=turn, ended=ended, phase=state.phase, tokens=state.tokens, final=state.final
    )


class _State:
    """What the protocol knows from its answers so far: the AgentState of section 5.2."""

    def __init__(self, case: Case, window: int | None) -> None:
        self.case = case
        self.window = window
        self.phase = case.phases[0]
        self.history = prompts.History(rules=list(case.rules))
        self.tokens = 0
        self.final: dict[str, str] = {}

    def before(self) -> list[Part]:
        return prompts.shared(self.case, self.history, self.window)

    def free_rule_id(self, turn: int) -> str:
        """Return ``A1`` for a rule added in turn 1, unless the case has a rule of that name."""
        taken = {rule.id for rule in self.history.rules}
        free = f"A{turn}"
        while free in taken:
            free += "X"
        return free

    def next_phase(self) -> str | None:
        place = self.case.phases.index(self.phase) + 1
        return self.case.phases[place] if place < len(self.case.phases) else None


def _turn(
    state: _State,
    turn: int,
    turns: int,
    *,
    searches: int,
    passages: int,
    predict: bool,
    words: int,
    sampling: Sampling,
    attempts: int,
) -> Steps[Ratified | None]:
    """Run one turn; None if no goal could be read."""
    case = state.case
    asked = yield from meta_agent.set_goal(
        case,
        state.before(),
        phase=state.phase,
        turn=turn,
        turns=turns,
        sampling=sampling,
        attempts=attempts,
    )
    state.tokens += asked.tokens
    if isinstance(asked, Unparsed):
        return None
    set_ = asked.value
    state.phase = set_.phase
    fact = GoalSet(turn=turn, goal=set_.goal, phase=set_.phase, nominated=tuple(set_.nominated))
    goal_path = yield from post("goal", fact, [asked.path])
    if set_.set_constraint:
        rule = Rule(id=state.free_rule_id(turn), text=set_.set_constraint)
        added = RuleAdded(turn=turn, id=rule.id, text=rule.text)
        state.history.rule_paths[rule.id] = yield from post("rule", added, [asked.path])
        state.history.rules.append(rule)
    before = state.before()
    nominated = [case.role(name) for name in fact.nominated]
    team = {
        role.name: specialist.take_turn(
            role,
            [peer for peer in nominated if peer is not role],
            before,
            Part(f"The goal of turn {turn} ({fact.phase}): {fact.goal}", goal_path),
            turn=turn,
            goal=fact.goal,
            searches=searches,
            passages=passages,
            predict=predict,
            words=words,
            sampling=sampling,
            attempts=attempts,
        )
        for role in nominated
    }
    made = yield from all_of("", team)
    state.tokens += sum(one.tokens for one in made.values())
    proposals = [one.part for one in made.values() if one.part is not None]
    for name, one in made.items():
        if one.part is not None and one.part.source is not None:
            state.final[name] = one.part.source
    head = Part(f"Goal of turn {turn} ({fact.phase}): {fact.goal}", goal_path)
    ratified = yield from _ratify(
        state, turn, [head, *proposals], sampling=sampling, attempts=attempts
    )
    state.history.turns.append([head, *proposals])
    return ratified


def _ratify(
    state: _State,
    turn: int,
    proposals: list[Part],
    *,
    sampling: Sampling,
    attempts: int,
) -> Steps[Ratified]:
    """Decide on a turn's proposals and post the decision."""
    asked = yield from meta_agent.ratify(
        state.before(), proposals, phase=state.phase, sampling=sampling, attempts=attempts
    )
    state.tokens += asked.tokens
    following = state.next_phase()
    by: By = "meta_agent"
    if isinstance(asked, Unparsed):
        decision: Decision = "refine"
        reason, by = asked.errors[-1], "unparsed"
    else:
        decision, reason = asked.value.decision, asked.value.reason
        if decision == "advance" and following is None:
            decision = "conclude"
    if decision == "advance" and following is not None:
        state.phase = following
    fact = Ratified(turn=turn, decision=decision, reason=reason, phase=state.phase, by=by)
    yield from post("ratification", fact, [asked.path])
    return fact
