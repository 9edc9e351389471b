"""The generators that an execution has under way, and the joins that wait for their children."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from workbench.engine.commands import Node


class Task:
    """One generator under way: its place, its Lamport clock, and where its result goes."""

    __slots__ = (
        "answered",
        "clock",
        "join",
        "level",
        "name",
        "nested",
        "prefix",
        "since_answer",
        "steps",
    )

    def __init__(
        self,
        steps: Generator[Any, Any, Any],
        prefix: str,
        clock: int,
        join: Join | None,
        name: str,
        *,
        level: int = 0,
    ) -> None:
        self.level = level
        self.steps = steps
        self.prefix = prefix
        self.clock = clock
        self.join = join
        self.name = name
        self.answered = False
        self.since_answer: int = 0 if join is None else join.parent.since_answer
        self.nested: int = 0 if join is None else join.parent.nested + 1

    def note_answer(self) -> None:
        """Begin to count anew what comes without an answer."""
        self.answered, self.since_answer, self.nested = True, 0, 0


class Join:
    """An `All` or `Graph` that waits for its children."""

    __slots__ = (
        "answered",
        "clocks",
        "errors",
        "levels",
        "names",
        "nodes",
        "parent",
        "path",
        "results",
        "waiting",
    )

    def __init__(self, parent: Task, path: str, names: list[str]) -> None:
        self.parent = parent
        self.path = path
        self.names = names
        self.nodes: Mapping[str, Node] = {}
        self.waiting: dict[str, int] = {}
        self.results: dict[str, Any] = {}
        self.errors: dict[str, BaseException] = {}
        self.clocks: dict[str, int] = {}
        self.levels: dict[str, int] = {}
        self.answered = False

    @property
    def done(self) -> bool:
        """Whether every child has ended."""
        return len(self.clocks) == len(self.names)
