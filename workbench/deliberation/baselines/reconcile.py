"""ReConcile: a round table that goes on until it agrees, with a vote weighted by confidence."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workbench.deliberation.answers import counted
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
from workbench.deliberation.baselines.multi_agent_debate import read_of
from workbench.deliberation.facts import FinalAnswer
from workbench.engine.commands import Steps, all_of
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling

_AGAIN = (
    "Review the answers at the table, how sure each agent is, and why. Keep your answer or change "
    "it, give the explanation that would convince the others, and say how sure you are."
)


@protocol("reconcile")
def reconcile(
    question: Words,
    options: Options = (),
    agents: Annotated[int, Field(ge=2)] = 3,
    rounds: Annotated[int, Field(ge=0)] = 3,
    words: Count = 90,
    temperature: Temperature | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Discuss until all agents agree, then vote with weights from their confidence.

    The paper's agents are different models (give one to each role, ``agent_1`` and so on) and read
    human explanations that changed a model's mind; there are none of those here.

    Parameters
    ----------
    agents : int
    rounds : int
        Of discussion at most, after the first answers; the paper has 3.
    question, options, words, temperature, max_tokens, attempts
        As in `direct`.

    Returns
    -------
    FinalAnswer
        As in `direct`; ``how`` tells the weighted votes.

    References
    ----------
    .. [1] J. C.-Y. Chen, S. Saha and M. Bansal, ReConcile: Round-Table Conference Improves
       Reasoning via Consensus among Diverse LLMs, ACL 2024, algorithm 1 and section 3.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    names = [f"agent_{k}" for k in range(1, agents + 1)]
    made: dict[str, Made] = {}
    for turn in range(1, rounds + 2):
        made = yield from all_of(
            f"turn={turn}", {name: _answer(task, name, made, turn) for name in names}
        )
        if agreed(list(made.values())):
            break
    table = list(made.values())
    return (yield from vote(table, [calibrated(one.candidate.confidence) for one in table]))


def _answer(task: Task, name: str, before: dict[str, Made], turn: int) -> Steps[Made]:
    how, read = (_AGAIN, read_of(name, before)) if before else (HOW, [])
    return task.solve(name, how, read, turn=turn, confidence=True)


def agreed(made: list[Made]) -> bool:
    """Return whether all agents gave an answer, and the same one."""
    answers = [one.candidate.answer for one in made if one.candidate.answer is not None]
    return len(answers) == len(made) and len(set(counted(answers))) == 1


def calibrated(percent: int | None) -> float:
    """Return the weight of a vote for a stated confidence (ReConcile, section 3): models overstate.

    Examples
    --------
    >>> [calibrated(percent) for percent in (100, 95, 80, 61, 60, None)]
    [1.0, 0.8, 0.5, 0.3, 0.1, 0.1]
    """
    if percent is None or percent <= 60:
        return 0.1
    if percent < 80:
        return 0.3
    if percent < 90:
        return 0.5
    return 0.8 if percent < 100 else 1.0
