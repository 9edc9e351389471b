"""Answer an execution's commands with a language model, a world and a human, many at once."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from workbench.engine.execution import Execution
from workbench.engine.protocol import World
from workbench.errors import ForkError, LMError, RunError, RunFailed
from workbench.lm.base import LM
from workbench.record.events import (
    COMMANDS,
    EDITED,
    JSON,
    Answer,
    Answered,
    Asked,
    Called,
    Command,
    Consulted,
    Event,
    Failed,
    Returned,
    RunStarted,
    Said,
    adapter,
)
from workbench.record.jsonable import as_json, told
from workbench.record.log import Log
from workbench.record.run import Run

"""The `origin` of an answer that an edit put in place."""

Human = Callable[[Consulted], str | Awaitable[str]]
Models = LM | Mapping[str, LM]
OnEvent = Callable[[Event], None]


def by_role(lm: Models | None) -> dict[str, LM]:
    """Return the models by role; ``"*"`` is for the roles that are not named."""
    if lm is None:
        return {}
    return dict(lm) if isinstance(lm, Mapping) else {"*": lm}


class Recorder:
    """The events of a run under way, and the file that they go to."""

    def __init__(
        self, events: Sequence[Event], log: Log | None = None, on_event: OnEvent | None = None
    ) -> None:
        self.events = list(events)
        self.log = log
        self.on_event = on_event

    def __call__(self, events: Sequence[Event]) -> None:
        """Write `events`, then keep them, then tell whoever listens."""
        if self.log is not None:
            self.log.append(events)
        self.events.extend(events)
        if self.on_event is not None:
            for event in events:
                self.on_event(event)

    def run(self) -> Run:
        """Return the run as it is now."""
        return Run(self.events, self.log.path if self.log else None)

    def close(self) -> None:
        """Close the file."""
        if self.log is not None:
            self.log.close()


class Responder:
    """Who answers: a fork's edits by path, then models by role, tools by name, and a human.

    Attributes
    ----------
    causes : dict of str to BaseException
        What the world threw since it was last asked to answer, by path.
    """

    def __init__(
        self,
        lm: Models | None,
        world: World,
        human: Human | None,
        edits: Mapping[str, JSON] | None = None,
    ) -> None:
        self.models = by_role(lm)
        self.world = world
        self.human = human
        self.edits = edits or {}
        self.causes: dict[str, BaseException] = {}

    async def __call__(self, command: Command) -> Answer | Failed:
        """Return the world's answer to `command`; a fault becomes `Failed`."""
        try:
            if command.path in self.edits:
                return edited(command, self.edits[command.path])
            if isinstance(command, Asked):
                return _checked(await self._model(command).answer(command), command)
            if isinstance(command, Called):
                return await self._tool(command)
            return _checked(await self._human(command), command)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._failed(command, error)  # the world's own, not ours: it must not go unseen
        except (
            Exception,
            SystemExit,
        ) as error:  # whatever the world throws is raised by the driver
            return self._failed(command, error)

    def _failed(self, command: Command, error: BaseException) -> Failed:
        self.causes[command.path] = error
        attempts = getattr(error, "attempts", 1)
        return Failed(
            path=command.path,
            error=type(error).__name__,
            message=told(error),
            attempts=attempts if isinstance(attempts, int) else 1,
            at=time.time(),
        )

    def _model(self, asked: Asked) -> LM:
        model = self.models.get(asked.role) or self.models.get("*")
        if model is None:
            raise LMError(f"no language model for the role {asked.role!r}; pass lm=")
        return model

    async def _tool(self, called: Called) -> Returned:
        tool = self.world.get(called.tool)
        if tool is None:
            known = ", ".join(sorted(self.world)) or "none"
            raise LookupError(f"no tool {called.tool!r} in this world (it has: {known})")
        begun = time.perf_counter()
        value: Any = tool(**as_json(called.args, called.path))  # a copy: the record stays as it is
        if inspect.isawaitable(value):
            value = await value
        return Returned(
            path=called.path,
            value=as_json(value, f"the tool {called.tool!r}"),
            latency_s=time.perf_counter() - begun,
            at=time.time(),
        )

    async def _human(self, consulted: Consulted) -> Said:
        if self.human is None:
            raise LookupError("the protocol asks a human; pass human=, a function that answers")
        text = self.human(consulted)
        if inspect.isawaitable(text):
            text = await text
        if consulted.options and text not in consulted.options:
            raise ValueError(f"{text!r} is none of the options {list(consulted.options)}")
        return Said(path=consulted.path, text=text, at=time.time())

    @asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        """Keep the models' clients open."""
        async with AsyncExitStack() as stack:
            for model in {id(m): m for m in self.models.values()}.values():
                await stack.enter_async_context(model.session())
            yield


def edited(command: Command, value: JSON) -> Answer:
    """Return the answer that an edit puts at `command`.

    Raises
    ------
    ForkError
        If a text is wanted and `value` is none.
    """
    if isinstance(command, Called):
        return Returned(path=command.path, value=value, origin=EDITED)
    if not isinstance(value, str):
        raise ForkError(f"{command.path}: the answer is a text, not {type(value).__name__}")
    if isinstance(command, Asked):
        return Answered(path=command.path, text=value, origin=EDITED)
    return Said(path=command.path, text=value, origin=EDITED)


def _checked(answer: object, command: Command) -> Answer:
    """Return an answer from outside with its fields as a reader of the file will see them."""
    wanted = Answered if isinstance(command, Asked) else Said
    if not isinstance(answer, Answered | Said) or not isinstance(answer, wanted):
        raise TypeError(f"the answer is a {type(answer).__name__}, not {wanted.__name__}")
    if answer.path != command.path:
        raise ValueError(f"the answer is for {answer.path}")
    fields = {name: getattr(answer, name) for name in answer.__dataclass_fields__}
    checked: Answer = adapter.validator.validate_python(as_json(fields, "the answer"))
    return checked


Respond = Callable[[Command], Awaitable[Answer | Failed]]


async def drive(
    execution: Execution,
    respond: Respond,
    record: Callable[[Sequence[Event]], None],
    *,
    stop: Callable[[Sequence[Event]], bool] | None = None,
    only: str | None = None,
) -> None:
    """Answer what is pending until the protocol is done, something fails, or `stop` says so.

    After a failure or a stop nothing new is sent; what is under way is waited for and recorded,
    since it is paid for. `only` answers the command at that path alone.
    """
    loop = asyncio.get_running_loop()
    under_way: set[asyncio.Task[None]] = set()
    idle = loop.create_future()
    halted = False
    fault: BaseException | None = None

    async def answer(command: Command) -> None:
        nonlocal halted
        reply = await respond(command)
        if isinstance(reply, Failed):
            halted = True
            record([reply])
            return
        events = execution.feed(reply)
        record(events)
        if only is not None or (stop is not None and stop(events)):
            halted = True
        if not halted:
            for event in events:
                if isinstance(event, COMMANDS):
                    launch(event)

    def launch(command: Command) -> None:
        task = loop.create_task(answer(command))
        under_way.add(task)
        task.add_done_callback(settle)

    def settle(task: asyncio.Task[None]) -> None:
        nonlocal halted, fault
        under_way.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:  # a full disk, a listener that raised
            halted = True
            fault = fault or error
        if not under_way and not idle.done():
            if fault is None:
                idle.set_result(None)
            else:
                idle.set_exception(fault)

    first = execution.pending.values() if only is None else [execution.pending[only]]
    for command in list(first):
        launch(command)
    if not under_way:
        return
    try:
        await idle
    finally:
        halted = True
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def conclude(execution: Execution, responder: Responder, run: Run) -> Run:
    """Return the run, or raise what stopped it with the run attached.

    Raises
    ------
    RunFailed
        If the world did not answer a command.
    RunError
        If the protocol raised.
    """
    if execution.error is not None:
        what = run.ended and run.ended.error
        raise RunError(
            f"the protocol {run.started.protocol!r} raised {what}{_kept(run)}", run
        ) from execution.error
    if not execution.done:
        for path, cause in responder.causes.items():
            failed = run.failures[path]
            what = f"{path}: {failed.error}: {failed.message}{_kept(run)}"
            raise RunFailed(what, run) from cause
    return run


def _kept(run: Run) -> str:
    if run.path is None:
        return "; the partial run is in this error's .run"
    return f"; what was answered is kept in {run.path}"


def begin(execution: Execution, started: RunStarted, recorder: Recorder) -> None:
    """Record the run's start and the first commands."""
    recorder([started, *execution.start()])
