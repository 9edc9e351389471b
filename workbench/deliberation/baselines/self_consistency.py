"""Self-consistency: several chains of thought, drawn apart, and a majority vote."""

from __future__ import annotations

from workbench.deliberation.baselines.answering import (
    Count,
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


@protocol("self_consistency")
def self_consistency(
    question: Words,
    options: Options = (),
    n: Count = 5,
    words: Count = 90,
    temperature: Temperature | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Draw chains of thought for one prompt and take the answer that most of them end in.

    Parameters
    ----------
    n : int
        Chains, drawn at the same time from one prompt. The paper draws 40; 5 is what MAVEN spends
        on its first intuitions.
    temperature : float
        As in the paper; at 0 all chains would be one.
    question, options, words, max_tokens, attempts
        As in `direct`.

    Returns
    -------
    FinalAnswer
        As in `direct`; ``how`` tells the votes.

    References
    ----------
    .. [1] X. Wang et al., Self-Consistency Improves Chain of Thought Reasoning in Language Models,
       ICLR 2023, section 2.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    samples = [f"sample_{k}" for k in range(1, n + 1)]
    made = yield from all_of("turn=1", {name: task.solve(name, HOW) for name in samples})
    return (yield from vote(list(made.values())))
