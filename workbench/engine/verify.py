"""Replay: execute a protocol on recorded answers alone, and insist on the recorded events."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from typing import Any

from workbench.engine.execution import Execution
from workbench.engine.protocol import Bound, find_protocol
from workbench.engine.seeds import Seeds
from workbench.errors import Diverged, ProtocolError, WorkbenchError
from workbench.record.events import (
    ANSWERS,
    DERIVED,
    Answer,
    Asked,
    Derived,
    Event,
    Failed,
    RunStarted,
    plain,
)
from workbench.record.run import Run, nearest, open_run


def retrace(run: Run, bound: Bound[Any]) -> tuple[Execution, list[Derived]]:
    """Execute `bound` on the run's answers, as far as they go.

    Returns
    -------
    execution : Execution
        With what has no answer yet pending.
    missing : list of Derived
        Events that the last answer caused and the run does not hold: it was killed in between.

    Raises
    ------
    Diverged
        At the first event that differs from the recorded one.
    """
    execution = Execution(bound.steps(), seed=Seeds.of(run.started))
    recorded = run.derived
    made: set[str] = set()
    missing: list[Derived] = []

    def compare(events: list[Event] | list[Derived], *, may_lack: bool) -> None:
        for event in events:
            if isinstance(event, DERIVED):
                path = getattr(event, "path", "")
                made.add(path)
                if path not in recorded:
                    if not may_lack:
                        raise diverged(path, None, event, nearest(path, recorded))
                    missing.append(event)
                elif recorded[path] != event:
                    raise diverged(path, recorded[path], event)

    answers = list(run.answers.values())
    _refuse_repeats(run)
    compare(execution.start(), may_lack=not answers)
    for number, answer in enumerate(answers, start=1):
        if answer.path not in execution.pending:
            raise diverged(answer.path, answer, None)
        last = number == len(answers) and run.ended is None
        compare(_feed(execution, answer), may_lack=last)
    for path, event in recorded.items():
        if path not in made:
            raise diverged(path, event, None)
    return execution, missing


def _feed(execution: Execution, answer: Answer) -> list[Event]:
    waiting = execution.pending[answer.path]
    try:
        return execution.feed(answer)
    except ProtocolError as error:  # a text where a tool's value should be
        raise Diverged(str(error), answer.path, answer, waiting) from None


def _refuse_repeats(run: Run) -> None:
    """Refuse two events at one path, an answer before its command, and an event after the end."""
    seen: set[tuple[bool, str]] = set()
    for event in run.events:
        path = getattr(event, "path", "")
        early = isinstance(event, (*ANSWERS, Failed)) and (True, path) not in seen
        if early or (True, "") in seen:
            raise diverged(path, event, None, "; it stands before its command, or after the end")
        if isinstance(event, (*ANSWERS, *DERIVED)):
            place = isinstance(event, DERIVED), getattr(event, "path", "")
            if place in seen:
                raise diverged(place[1], event, None, "; there are two at this path")
            seen.add(place)


def replay(source: Run | str | os.PathLike[str], protocol: Bound[Any] | None = None) -> Run:
    """Execute a run's protocol on its recorded answers. Opens no socket and loads no model.

    Parameters
    ----------
    source : Run or path
    protocol : Bound, optional
        Needed where the run's protocol is not registered in this process.

    Returns
    -------
    Run
        With the recorded answers and the events that the protocol made of them just now; of an
        interrupted run, as far as the answers go.

    Raises
    ------
    Diverged
        If an event differs from the recorded one, is missing, or is new.
    UnknownProtocol
        If the protocol is not registered here.
    ProtocolError
        If the protocol does not take the run's parameters (any more).
    """
    run = source if isinstance(source, Run) else open_run(source)
    start = run.started
    bound = protocol or find_protocol(start.protocol).bind(start.params, start.subject)
    _, missing = retrace(run, bound)
    return Run([*run.events, *missing], run.path)


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found. True where the run follows from its answers.

    Attributes
    ----------
    events, answers : int
        Derived events that were made again, and answers that they were made from.
    status : str
        The run's; an interrupted one is verified as far as it goes.
    problem : WorkbenchError or None
        Where and how the replay parted from the record (`Diverged`), or why there could be none
        (`ProtocolError`: the protocol does not take the run's parameters any more).
    """

    name: str
    events: int
    answers: int
    status: str
    problem: WorkbenchError | None = None

    def __bool__(self) -> bool:
        return self.problem is None

    def __str__(self) -> str:
        if self.problem is not None:
            how = "DIVERGED" if isinstance(self.problem, Diverged) else "NOT REPLAYABLE"
            return f"{self.name}: {how}: {self.problem}"
        unfinished = " (the run is unfinished)" if self.status == "interrupted" else ""
        return (
            f"{self.name}: verified: {self.events} derived events follow from "
            f"{self.answers} answers{unfinished}"
        )


def verify(
    source: Run | str | os.PathLike[str], protocol: Bound[Any] | None = None
) -> Verification:
    """Say whether every derived event of a run follows from its answers.

    Parameters
    ----------
    source : Run or path
        Finished or not.
    protocol : Bound, optional
        In place of the registered one that the run names.

    Returns
    -------
    Verification
        True where it does; else its `problem` says where it does not.

    Raises
    ------
    RunFileError, UnknownProtocol
        If the run cannot be read or its protocol is not registered here.
    """
    run = source if isinstance(source, Run) else open_run(source)
    name = str(run.path or run.started.protocol) if isinstance(source, Run) else os.fspath(source)
    problem: WorkbenchError | None = None
    try:
        replay(run, protocol)
    except (Diverged, ProtocolError) as error:
        problem = error
    return Verification(name, len(run.derived), len(run.answers), run.status, problem)


def diverged(path: str, recorded: Event | None, asked: Event | None, hint: str = "") -> Diverged:
    """Return the error for two events that should be one, with a text diff."""
    if recorded is None:
        head = f"{path or 'the end'}: the protocol makes an event that the run does not hold{hint}"
    elif asked is None:
        head = (
            f"{path or 'the end'}: the run holds an event that the protocol no longer makes{hint}"
        )
    else:
        head = f"{path or 'the end'}: the protocol makes another event than the recorded one"
    lines = difflib.unified_diff(
        _lines(recorded), _lines(asked), "recorded", "asked", n=1, lineterm=""
    )
    return Diverged("\n".join([head, *lines]), path, recorded, asked)


def _lines(event: Event | None) -> list[str]:
    if event is None or isinstance(event, RunStarted):
        return []
    fields = plain(event, metadata=False)
    if isinstance(event, Asked):
        fields["parts"] = ""
        body = [line for part in event.parts for line in part.text.splitlines()]
    else:
        body = []
    return [f"{name}: {value}" for name, value in fields.items() if value not in ("", None)] + body
