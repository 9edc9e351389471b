"""Mixture-of-Agents: layers of proposers, each reading the layer before, and an aggregator."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workbench.deliberation.baselines.answering import (
    Count,
    Options,
    Task,
    Temperature,
    Words,
    conclude,
)
from workbench.deliberation.baselines.chain_of_thought import HOW
from workbench.deliberation.facts import FinalAnswer
from workbench.engine.commands import Steps, all_of, within
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

_AGGREGATE = (
    "These responses may be partial, biased or wrong. Weigh them critically, and give one refined, "
    "accurate answer of your own with a complete explanation; do not simply repeat one of them."
)


@protocol("mixture_of_agents")
def mixture_of_agents(
    question: Words,
    options: Options = (),
    proposers: Annotated[int, Field(ge=2)] = 3,
    layers: Count = 2,
    words: Count = 90,
    temperature: Temperature | None = 0.7,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Have each layer of proposers read the answers of the one before, and aggregate the last.

    The readers do not see who wrote what. With one model for all roles this is the paper's
    single-proposer setting, which lives from sampling; give a model to each role for the other.

    Parameters
    ----------
    proposers : int
        In each layer; the paper has 6.
    layers : int
        Of proposers, before the aggregator; in the paper 2, with the aggregator as the third.
    question, options, words, temperature, max_tokens, attempts
        As in `direct`; the paper's temperature is 0.7.

    Returns
    -------
    FinalAnswer
        As in `direct`: the aggregator's.

    References
    ----------
    .. [1] J. Wang et al., Mixture-of-Agents Enhances Large Language Model Capabilities, ICLR 2025
       (arXiv 2024), section 2 and table 1.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    read: list[Part] = []
    for turn in range(1, layers + 1):
        how = _AGGREGATE if read else HOW
        steps = {
            name: task.solve(name, how, read, turn=turn)
            for name in (f"proposer_{k}" for k in range(1, proposers + 1))
        }
        made = yield from all_of(f"turn={turn}", steps)
        read = [one.part(f"Response {k}") for k, one in enumerate(made.values(), 1)]
    turn = layers + 1
    last = yield from within(
        f"turn={turn}/aggregator", task.solve("aggregator", _AGGREGATE, read, turn=turn)
    )
    return (yield from conclude(last, f"aggregated from {proposers} responses"))
