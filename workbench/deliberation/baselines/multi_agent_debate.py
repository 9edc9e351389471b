"""Multi-agent debate: agents answer, read each other, and answer again."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workbench.deliberation.baselines.answering import (
    Count,
    Made,
    Options,
    Task,
    Temperature,
    Words,
    vote,
)
from workbench.deliberation.baselines.chain_of_thought import HOW
from workbench.deliberation.facts import FinalAnswer
from workbench.engine.commands import Steps, all_of
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

_AGAIN = (
    "Use the answers of the other agents as additional information. Check them against your own, "
    "and give your updated answer."
)


@protocol("multi_agent_debate")
def multi_agent_debate(
    question: Words,
    options: Options = (),
    agents: Annotated[int, Field(ge=2)] = 3,
    rounds: Count = 2,
    words: Count = 90,
    temperature: Temperature | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Debate: every agent answers, then revises its answer having read those of all the others.

    The answer of the run is the majority's in the last round.

    Parameters
    ----------
    agents : int
    rounds : int
        The first, in which nobody reads anybody, included. The paper uses 3 agents and 2 rounds.
    question, options, words, temperature, max_tokens, attempts
        As in `direct`.

    Returns
    -------
    FinalAnswer
        As in `direct`; ``how`` tells the votes.

    References
    ----------
    .. [1] Y. Du et al., Improving Factuality and Reasoning in Language Models through Multiagent
       Debate, ICML 2024 (arXiv 2023), section 2.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    names = [f"debater_{k}" for k in range(1, agents + 1)]
    made: dict[str, Made] = {}
    for turn in range(1, rounds + 1):
        made = yield from all_of(
            f"turn={turn}", {name: _answer(task, name, made, turn) for name in names}
        )
    return (yield from vote(list(made.values())))


def _answer(task: Task, name: str, before: dict[str, Made], turn: int) -> Steps[Made]:
    if not before:
        return task.solve(name, HOW, turn=turn)
    return task.solve(name, _AGAIN, read_of(name, before), turn=turn)


def read_of(name: str, before: dict[str, Made]) -> list[Part]:
    """Return what an agent reads of the round before: its own answer, then those of the others."""
    others = [one.part(f"Agent {other}") for other, one in before.items() if other != name]
    return [before[name].part("You"), *others]
