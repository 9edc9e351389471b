"""The Meta-Agent: sets the goal of a turn (Phi, section 5.3.1) and ratifies its proposals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, Field, create_model, field_validator

from workbench.agents import prompts
from workbench.agents.case import Case
from workbench.agents.facts import Decision, Statement
from workbench.engine.commands import Steps
from workbench.engine.gate import Parsed, Unparsed, ask_json
from workbench.record.events import Sampling
from workbench.record.parts import Part

ROLE = "meta_agent"

# The bounds on strings are about three times what the prompt asks for: a guard, not the stop.


class Goal(BaseModel):
    """What the Meta-Agent answers at the beginning of a turn."""

    goal: Annotated[Statement, Field(max_length=700)]
    phase: str
    nominated: list[str] = Field(min_length=1)
    set_constraint: str | None = Field(default=None, max_length=300)

    @field_validator("nominated")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        return list(dict.fromkeys(names))

    @field_validator("set_constraint")
    @classmethod
    def _blank_is_none(cls, text: str | None) -> str | None:
        text = (text or "").strip()
        return None if text.lower().strip(".") in ("", "none", "null", "n/a") else text


class Ratification(BaseModel):
    """What the Meta-Agent answers at the end of a turn."""

    reason: str = Field(max_length=400)
    decision: Decision


@lru_cache(maxsize=64)
def goal_type(phases: tuple[str, ...], roles: tuple[str, ...]) -> type[Goal]:
    """Return `Goal` with the phases and roles of a case as its only choices."""
    phase = Literal[phases]  # type: ignore[valid-type]
    role = Literal[roles]  # type: ignore[valid-type]
    return create_model(
        "Goal",
        __base__=Goal,
        phase=(phase, ...),
        nominated=(list[role], Field(min_length=1, max_length=len(roles))),
    )


def set_goal(
    case: Case,
    before: Sequence[Part],
    *,
    phase: str,
    turn: int,
    turns: int,
    sampling: Sampling,
    attempts: int,
) -> Steps[Parsed[Goal] | Unparsed]:
    """Ask for the goal of a turn."""
    schema = goal_type(case.phases, tuple(role.name for role in case.roles))
    prompt = [*before, *prompts.set_goal(phase, turn, turns, case)]
    return ask_json("goal", ROLE, prompt, schema, sampling=sampling, attempts=attempts)


def ratify(
    before: Sequence[Part],
    proposals: Sequence[Part],
    *,
    phase: str,
    sampling: Sampling,
    attempts: int,
) -> Steps[Parsed[Ratification] | Unparsed]:
    """Ask for the decision on a turn's proposals."""
    prompt = [*before, *prompts.ratify(phase, proposals)]
    return ask_json("ratify", ROLE, prompt, Ratification, sampling=sampling, attempts=attempts)
