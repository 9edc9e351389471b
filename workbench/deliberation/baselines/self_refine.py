"""Self-refine: a model answers, criticises its answer and improves it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from workbench.deliberation.baselines.answering import (
    Count,
    Made,
    Options,
    Task,
    Temperature,
    Words,
    conclude,
    room,
)
from workbench.deliberation.baselines.chain_of_thought import HOW
from workbench.deliberation.facts import Critique, FinalAnswer
from workbench.engine.commands import Steps, post, within
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

_FEEDBACK = (
    "Check this answer and its explanation: is each statement true, does each step follow, is "
    "anything missing? Say in at most 40 words what is wrong and how to mend it. If nothing is "
    "wrong, say so.\n\nAnswer with one JSON object with the keys feedback and needs_change (true "
    "or false), in this order."
)
_REFINE = "Improve the answer by the feedback. Change what the feedback shows to be wrong, no more."


class Feedback(BaseModel):
    """What the critic answers."""

    feedback: Annotated[Words, Field(max_length=room(40))]
    needs_change: bool


@protocol("self_refine")
def self_refine(
    question: Words,
    options: Options = (),
    rounds: Count = 2,
    words: Count = 90,
    temperature: Temperature | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Answer, then take turns of feedback and refinement until the feedback asks for no change.

    One model plays both parts; here they are two roles, ``solver`` and ``critic``, so that who read
    what can be seen, and so that each can be given a model of its own. Feedback that cannot be read
    ends the rounds, and so does a refinement: the last answer that could be read then stands.

    Parameters
    ----------
    rounds : int
        Of feedback and refinement at most; the paper allows 4.
    question, options, words, temperature, max_tokens, attempts
        As in `direct`; the paper's temperature is 0.7.

    Returns
    -------
    FinalAnswer
        As in `direct`; ``how`` tells why the rounds ended.

    References
    ----------
    .. [1] A. Madaan et al., Self-Refine: Iterative Refinement with Self-Feedback, NeurIPS 2023,
       algorithm 1.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    made = yield from within("turn=1/solver", task.solve("solver", HOW))
    for turn in range(2, rounds + 2):
        if made.candidate.answer is None:
            break
        better, why = yield from within(f"turn={turn}", _round(task, made, turn))
        if better is None:
            return (yield from conclude(made, f"{why} in round {turn - 1}"))
        made = better
    return (yield from conclude(made, "self-refine: last round"))


def _round(task: Task, made: Made, turn: int) -> Steps[tuple[Made | None, str]]:
    """Run one round; None and why, if the answer stays as it is."""
    got = yield from ask_json(
        "critic/feedback",
        "critic",
        [*task.opening(), made.part("The solver"), Part(_FEEDBACK)],
        Feedback,
        sampling=task.sampling,
        attempts=task.attempts,
    )
    if isinstance(got, Unparsed):
        return None, "self-refine: unreadable feedback"
    said = got.value
    critique = Critique(
        turn=turn, author="critic", text=said.feedback, passed=not said.needs_change
    )
    path = yield from post("critic/critique", critique, [got.path])
    if critique.passed:
        return None, "self-refine: nothing to change"
    read = [made.part("You"), Part(f"Feedback: {critique.text}", path)]
    refined = task.solve("solver", _REFINE, read, turn=turn, sources=[made.path, path])
    better = yield from within("solver", refined)
    if better.candidate.answer is None:
        return None, "self-refine: unreadable refinement"
    return better, ""
