"""The facts that a bi-layer run posts.

A run at turn t looks like this, by path::

    /turn=1/goal                          GoalSet          the Meta-Agent's goal
    /turn=1/rule                          RuleAdded        only if it set a constraint
    /turn=1/finance_analyst/search=1      Called, Returned one search
    /turn=1/finance_analyst/proposal      Proposed         the tuple (a, g, p, c)
    /turn=1/ratification                  Ratified         refine, advance or conclude
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from workbench.record.facts import Fact

Decision = Literal["refine", "advance", "conclude"]
By = Literal["meta_agent", "unparsed"]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Statement = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
"""A text that an agent wrote, kept as it was written."""


class GoalSet(Fact):
    """The Meta-Agent's goal for a turn (Phi(H_t) -> g_t+1, section 5.2 of the paper).

    `phase` is one of the case's phases and `nominated` are names of roles, each once.
    """

    turn: int
    goal: str
    phase: str
    nominated: tuple[str, ...]


class RuleAdded(Fact):
    """A constraint that the Meta-Agent appended; it holds for all proposals from this turn on."""

    turn: int
    id: str
    text: str


class Proposed(Fact):
    """A specialist's proposal, the tuple pi = (a, g, p, c) (section 5.2).

    `predictions` holds, for each nominated peer, what the author expects the peer to contribute; it
    was written before `contribution`. It is empty without Theory of Mind and with no peer.
    `searches` are the paths of the author's search calls of this turn.
    """

    turn: int
    author: str
    goal: str
    predictions: dict[str, str]
    contribution: str
    searches: tuple[str, ...] = ()


class NotProposed(Fact):
    """A nominated specialist whose reply could not be read; there is nothing to audit but this."""

    turn: int
    author: str
    goal: str
    reason: str
    searches: tuple[str, ...] = ()


class Ratified(Fact):
    """The Meta-Agent's decision on a turn's proposals, and the phase that the next turn is in.

    `by` is ``unparsed`` where no decision could be read, so that the phase is refined. A bound that
    ends the run after this turn is told by the run's result, not here.
    """

    turn: int
    decision: Decision
    reason: str
    phase: str
    by: By = "meta_agent"
