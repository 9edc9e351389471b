"""What passes between agents: who read, nominated and answered whom."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.record.events import Asked, Posted
from workbench.record.plainly import texts

LEADER = "meta_agent"
"""Who sets a goal that names no author."""


def read_by(ask: Asked, writers: Mapping[str, str]) -> list[str | None]:
    """Return whose words an ask reads, for each part of its prompt; None for those of no agent.

    Parameters
    ----------
    ask : Asked
    writers : mapping of str to str
        Agent by path, as of `authors`.
    """
    return [writers.get(part.source or "") for part in ask.parts]


class Goals:
    """The goals of a run's turns so far: who set one nominates, and is answered by proposals.

    Attributes
    ----------
    set_by : dict
        Who set a turn's goal, and the path of it, by the turn.
    """

    def __init__(self) -> None:
        self.set_by: dict[int | None, tuple[str, str]] = {}

    def passed(
        self, fact: Posted, author: str | None, turn: int | None
    ) -> list[tuple[str, str, str, str]]:
        """Take in a fact; returns what passes by it: from, to, kind, and the path of the words."""
        if fact.kind == "GoalSet":
            setter = author or LEADER
            self.set_by[turn] = setter, fact.path
            nominated = texts(fact.data.get("nominated"))
            return [(setter, peer, "nominated", fact.path) for peer in nominated]
        if fact.kind == "Proposed" and author is not None and turn in self.set_by:
            setter, path = self.set_by[turn]
            return [(author, setter, "answered", path)]
        return []
