"""What a fork takes from its parent: the answers to requests that its edits leave as they were."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

from workbench.engine.drive import Respond
from workbench.engine.execution import Execution
from workbench.engine.seeds import below
from workbench.errors import RunError
from workbench.record.events import (
    JSON,
    Answer,
    Asked,
    Called,
    Command,
    Event,
    Failed,
    Lineage,
    RunStarted,
)
from workbench.record.run import Run


@dataclass(frozen=True, slots=True)
class Inheritance:
    """A parent's answers, as far as a fork of this lineage keeps them."""

    parent: Run
    lineage: Lineage

    @classmethod
    def of(cls, fork: Run, parent: Run) -> Self:
        """Return what `fork` takes from `parent`.

        Raises
        ------
        RunError
            If `fork` is no fork, or one of another run.
        """
        lineage, name = fork.started.lineage, fork.path or "this run"
        if lineage is None:
            raise RunError(f"{name} is no fork, so it goes on without a parent", fork)
        if lineage.parent != parent.digest:
            raise RunError(
                f"{name} is a fork of run {lineage.parent[:12]}, and {parent.path or 'the parent'} "
                f"is {parent.digest[:12]}: it is another run, or it has gone on since",
                fork,
            )
        return cls(parent, lineage)

    def answer(self, command: Command) -> Answer | None:
        """Return the parent's answer to the same request, unless it is to change."""
        answer = self.parent.answers.get(command.path)
        edits = self.lineage.edits
        if answer is None or command.path in edits.get("answers", {}):
            return None
        if below(command.path, edits.get("at", ())) or not self._same(command):
            return None
        return answer if answer.origin is not None else replace(answer, origin=self.parent.digest)

    def take(self, execution: Execution) -> list[Event]:
        """Answer all that can be answered before anything is live; return the events of it."""
        events: list[Event] = []
        while ready := [a for c in execution.pending.values() if (a := self.answer(c)) is not None]:
            for answer in ready:
                events += execution.feed(answer)
        return events

    def before(self, respond: Respond) -> Respond:
        """Return who answers once something is live: under ``unchanged`` first the parent."""
        if self.lineage.rule == "prefix":
            return respond

        async def answer(command: Command) -> Answer | Failed:
            kept = self.answer(command)
            return kept if kept is not None else await respond(command)

        return answer

    def _same(self, command: Command) -> bool:
        """Whether the parent made the same request; where its words came from does not matter."""
        old = self.parent.commands.get(command.path)
        if isinstance(old, Asked) and isinstance(command, Asked):
            return _request(old) == _request(command)
        if isinstance(old, Called) and isinstance(command, Called):
            return (old.tool, old.args) == (command.tool, command.args)
        return old is not None and replace(old, clock=0) == replace(command, clock=0)


def _request(asked: Asked) -> tuple[Any, ...]:
    words = tuple((part.text, part.speaker) for part in asked.parts)
    return asked.role, words, asked.sampling, asked.schema


def edits_of(run: RunStarted) -> dict[str, JSON]:
    """Return the answers that a fork put in place of its parent's, by path."""
    answers: dict[str, JSON] = run.lineage.edits.get("answers", {}) if run.lineage else {}
    return answers


class UnusedEdit(UserWarning):
    """A fork never came to a place that it was to change: another of its edits led elsewhere."""


def warn_of_unused(run: Run) -> None:
    """Tell of the edits of a complete fork that changed nothing, since it did not come to them."""
    if run.started.lineage is None or run.status != "complete":
        return
    edits = run.started.lineage.edits
    unused = [path for path in edits.get("answers", {}) if path not in run.commands]
    unused += [p for p in edits.get("at", ()) if not any(below(c, (p,)) for c in run.commands)]
    if unused:
        warnings.warn(
            f"the fork never came to {', '.join(unused)}, so that edit changed nothing; it is "
            "recorded among the edits all the same",
            UnusedEdit,
            stacklevel=2,
        )


def check_whole(run: Run) -> None:
    """Refuse to go on with a fork that lacks answers which only its parent has.

    Raises
    ------
    RunError
    """
    lineage = run.started.lineage
    if lineage is not None and run.needs_parent:
        raise RunError(
            f"{run.path or 'this run'} is a fork that stopped before it had all that it takes "
            f"from run {lineage.parent[:12]} (the rule is {lineage.rule!r}); give that run too: "
            "resume(FILE, parent=PARENT), or workbench resume FILE --parent PARENT",
            run,
        )
