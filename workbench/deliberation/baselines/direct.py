"""Ask once and take the answer: what every other method is compared with."""

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


@protocol("direct")
def direct(
    question: Words,
    options: Options = (),
    words: Count = 60,
    temperature: Temperature | None = 0.0,
    max_tokens: Count | None = 600,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Answer a question at once.

    The answer is written before its explanation, which so cannot lead to it: this is prompting
    without a chain of thought, and there is still an explanation to judge.

    Parameters
    ----------
    question : str
    options : sequence of str
        Lettered in this order; none for a question without.
    words : int
        Asked for in the explanation.
    temperature, max_tokens, attempts
        Of the ask.

    Returns
    -------
    FinalAnswer
        The run's result: ``answer`` (a letter where there are options, else a short text; None if
        it could not be read), ``explanation``, and ``how`` it came about.

    References
    ----------
    .. [1] T. Brown et al., Language Models are Few-Shot Learners, NeurIPS 2020: the zero-shot
       setting.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    made = yield from within(
        "turn=1/solver", task.solve("solver", "Answer the question.", order="answer first")
    )
    return (yield from conclude(made, "direct"))
