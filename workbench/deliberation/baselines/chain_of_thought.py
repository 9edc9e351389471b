"""Chain of thought: the reasoning is written before the answer."""

from __future__ import annotations

from workbench.deliberation.baselines.answering import (
    Count,
    Options,
    Task,
    Temperature,
    Words,
    conclude,
)
from workbench.deliberation.facts import FinalAnswer
from workbench.engine.commands import Steps, within
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling

HOW = "Think step by step: in the explanation, go from what is known to the answer."


@protocol("chain_of_thought")
def chain_of_thought(
    question: Words,
    options: Options = (),
    words: Count = 90,
    temperature: Temperature | None = 0.0,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Reason step by step, then answer.

    Zero-shot, where the paper shows worked examples: the same prompt then serves every dataset.

    Parameters
    ----------
    question, options, words, temperature, max_tokens, attempts
        As in `direct`; the explanation is the chain of thought.

    Returns
    -------
    FinalAnswer
        As in `direct`.

    References
    ----------
    .. [1] J. Wei et al., Chain-of-Thought Prompting Elicits Reasoning in Large Language Models,
       NeurIPS 2022.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    made = yield from within("turn=1/solver", task.solve("solver", HOW))
    return (yield from conclude(made, "chain of thought"))
