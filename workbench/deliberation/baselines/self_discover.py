"""Self-Discover: select reasoning modules, adapt them, make a plan of them, then follow it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, Field, create_model

from workbench.deliberation.baselines.answering import (
    Count,
    Options,
    Task,
    Temperature,
    Words,
    conclude,
    room,
)
from workbench.deliberation.baselines.chain_of_thought import HOW
from workbench.deliberation.facts import FinalAnswer, Structured
from workbench.engine.commands import Steps, post, within
from workbench.engine.gate import Parsed, Unparsed, ask_json
from workbench.engine.protocol import protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

T = TypeVar("T", bound=BaseModel)

MODULES = (
    "Break the problem into smaller parts.",
    "Recall the facts and definitions that bear on it.",
    "Check the assumptions that the question makes.",
    "Look at it from another point of view.",
    "Test each option and rule out those that fail.",
    "Work out quantities, with units, step by step.",
    "Compare things along one measure.",
    "Ask what causes what.",
    "Order events in time.",
    "Beware of common misconceptions.",
    "Find a simpler problem of the same kind.",
    "Check the result against what is known.",
)
"""A dozen of the paper's 39 in our words: those for questions with one answer, short enough that a
small model can choose among them."""

_FOLLOW = "Follow this plan step by step; the explanation goes through its steps to the answer."


class Chosen(BaseModel):
    """Which modules are of use, by number."""

    modules: list[Annotated[int, Field(ge=1, le=len(MODULES))]] = Field(min_length=1, max_length=4)


class Plan(BaseModel):
    """Steps, in words that fit the question; `plan_type` bounds them."""

    if TYPE_CHECKING:
        steps: list[str]


@lru_cache(maxsize=16)
def plan_type(most: int) -> type[Plan]:
    """Return `Plan` with at most so many steps of 15 words."""
    step: Any = Annotated[Words, Field(max_length=room(15))]
    steps: Any = (list[step], Field(min_length=1, max_length=most))
    return create_model("Plan", __base__=Plan, steps=steps)


@protocol("self_discover")
def self_discover(
    question: Words,
    options: Options = (),
    words: Count = 90,
    temperature: Temperature | None = 0.0,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Compose a reasoning structure for the question, then answer by it.

    The paper composes one structure for a whole task from some of its questions; here it is
    composed for the one question, so that a run needs nothing else. Of a stage that cannot be read
    nothing is kept, and the next goes on without it; with no plan at all this is a chain of
    thought, and `FinalAnswer.how` says so.

    Parameters
    ----------
    question, options, words, temperature, max_tokens, attempts
        As in `direct`.

    Returns
    -------
    FinalAnswer
        As in `direct`.

    References
    ----------
    .. [1] P. Zhou et al., Self-Discover: Large Language Models Self-Compose Reasoning Structures,
       NeurIPS 2024, section 2: SELECT, ADAPT, IMPLEMENT.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    found, path = yield from within("turn=1/planner", _discover(task))
    if not found.steps:
        made = yield from within("turn=2/solver", task.solve("solver", HOW, turn=2))
        return (yield from conclude(made, "chain of thought: no plan could be read"))
    plan = Part(f"Plan:\n{_listed(found.steps)}", path)
    made = yield from within("turn=2/solver", task.solve("solver", _FOLLOW, [plan], turn=2))
    return (yield from conclude(made, f"a plan of {len(found.steps)} steps"))


def _discover(task: Task) -> Steps[tuple[Structured, str]]:
    """Select, adapt and implement; post the structure that comes of it."""
    at_hand = [*task.opening(), Part(f"Reasoning modules:\n{_listed(MODULES)}")]
    select = Part(
        "Do not answer yet. Select the one to four modules that are most useful for this question."
        "\n\nAnswer with one JSON object with the key modules (a list of their numbers)."
    )
    got = yield from _planned(task, "select", [*at_hand, select], Chosen)
    chosen: tuple[str, ...] = ()
    read: list[Part] = []
    if not isinstance(got, Unparsed):
        chosen = tuple(MODULES[number - 1] for number in dict.fromkeys(got.value.modules))
        read = [Part(f"Selected modules:\n{_listed(chosen)}", got.path)]
    adapt = Part(
        "Do not answer yet. Rephrase each module so that it is specific to this question, in at "
        "most 15 words each.\n\nAnswer with one JSON object with the key steps (a list of texts)."
    )
    fit = yield from _planned(task, "adapt", [*task.opening(), *read, adapt], plan_type(4))
    adapted = () if isinstance(fit, Unparsed) else tuple(fit.value.steps)
    if adapted:
        read = [Part(f"Adapted modules:\n{_listed(adapted)}", fit.path)]
    implement = Part(
        "Do not answer yet. Turn this into a plan of two to six steps that lead to the answer, "
        "in at most 15 words each.\n\nAnswer with one JSON object with the key steps (a list of "
        "texts)."
    )
    made = yield from _planned(task, "implement", [*task.opening(), *read, implement], plan_type(6))
    steps = () if isinstance(made, Unparsed) else tuple(made.value.steps)
    found = Structured(modules=chosen, adapted=adapted, steps=steps)
    path = yield from post("structure", found, [got.path, fit.path, made.path])
    return found, path


def _planned(
    task: Task, key: str, prompt: list[Part], schema: type[T]
) -> Steps[Parsed[T] | Unparsed]:
    return ask_json(key, "planner", prompt, schema, sampling=task.sampling, attempts=task.attempts)


def _listed(texts: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
