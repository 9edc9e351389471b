"""Answer an execution's commands with a language model, a world and a human, many at once."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Self

from workbench.engine.execution import Execution
from workbench.engine.protocol import World
from workbench.errors import ForkError, LMError, RunError, RunFailed, RunFileError
from workbench.lm.base import LM
from workbench.lm.pauses import Pauses
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
from workbench.record.visible import visible

Human = Callable[[Consulted], str | Awaitable[str]]
Models = LM | Mapping[str, LM]
OnEvent = Callable[[Event], None]

_ATTACHED = "_workbench_run"
"""On an error the run that was put there: one that is raised again has the run it ended last."""


def by_role(lm: Models | None) -> dict[str, LM]:
    """Return the models by role; ``"*"`` is for the roles that are not named."""
    if lm is None:
        return {}
    models = dict(lm) if isinstance(lm, Mapping) else {"*": lm}
    for role, model in models.items():
        if not isinstance(model, LM):
            raise TypeError(
                f"lm= takes language models, such as wb.OpenAILM('NAME'), not {model!r} "
                f"(for the role {role!r})"
            )
    return models


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self.close()
        except RunFileError as lost:
            self._attach(lost)
            raise
        finally:
            if error is not None:
                self._attach(error)

    def _attach(self, error: BaseException) -> None:
        """Put the run on an error that has none, or that of another run which it ended before."""
        if not self.events:
            return
        with suppress(Exception):  # an author's class may take none, or raise when it is looked at
            own = getattr(error, "run", None)
            if own is None or own is getattr(error, _ATTACHED, None):  # not one that it tells of
                run = self.run()  # what was answered is paid for
                error.run = run  # type: ignore[attr-defined]
                setattr(error, _ATTACHED, run)


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
        attempts: object = 1
        with suppress(Exception):  # an author's class may raise when it is looked at
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
    for name in ("tokens_in", "tokens_out", "tokens_cached", "cost_usd", "latency_s"):
        if (fields.get(name) or 0) < 0:
            raise ValueError(f"the answer's {name} is {fields[name]}: less than nothing")
    fields["event"] = "answered" if wanted is Answered else "said"
    checked: Answer = adapter.validator.validate_python(as_json(fields, "the answer"))
    return checked


Respond = Callable[[Command], Awaitable[Answer | Failed]]
Record = Callable[[Sequence[Event]], None]


async def drive(
    execution: Execution,
    respond: Respond,
    record: Record,
    *,
    stop: Callable[[Sequence[Event]], bool] | None = None,
    only: str | None = None,
) -> None:
    """Answer what is pending until the protocol is done, something fails, or `stop` says so.

    After a failure or a stop nothing new is sent: calls that wait between two tries, or for their
    turn, end there and stay pending. What is under way is waited for and recorded, since it is paid
    for. `only` answers the command at that path alone.
    """
    pending = execution.pending
    first = list(pending.values()) if only is None else [pending[only]]
    halts = stop if only is None else (lambda _: True)
    await _Drive(execution, respond, record, halts).through(first)


class _Drive:
    """The calls under way, and what ends them."""

    def __init__(
        self,
        execution: Execution,
        respond: Respond,
        record: Record,
        halts: Callable[[Sequence[Event]], bool] | None,
    ) -> None:
        self.execution = execution
        self.respond = respond
        self.record = record
        self.halts = halts
        self.loop = asyncio.get_running_loop()
        self.under_way: set[asyncio.Task[None]] = set()
        self.idle = self.loop.create_future()
        self.pauses = Pauses()
        self.fault: BaseException | None = None

    async def through(self, first: Sequence[Command]) -> None:
        """Answer `first` and all that comes of it."""
        for command in first:
            self.launch(command)
        if not self.under_way:
            return
        try:
            await self.idle
        finally:
            self.pauses.halt()
            for task in self.under_way:
                task.cancel()
            await asyncio.gather(*self.under_way, return_exceptions=True)

    def launch(self, command: Command) -> None:
        task = self.loop.create_task(self.guarded(command))
        self.under_way.add(task)
        task.add_done_callback(self.settle)

    async def guarded(self, command: Command) -> None:
        """Answer; what would end the loop itself, and every other run on it, becomes an error."""
        self.pauses.enter()
        try:
            await self.answer(command)
        except (KeyboardInterrupt, SystemExit) as stopped:
            raise RunError(f"{command.path}: {type(stopped).__name__} was raised here") from stopped

    async def answer(self, command: Command) -> None:
        reply = await self.respond(command)
        if isinstance(reply, Failed):
            self.pauses.halt()
            self.record([reply])
            return
        wanted = reply.path in self.execution.pending
        try:
            events = self.execution.feed(reply)
        except BaseException:
            if wanted:  # it is paid for; a second one at a path would spoil the file
                self.record([reply])
            raise
        self.record(events)
        if self.halts is not None and self.halts(events):
            self.pauses.halt()
        if not self.pauses.halted:
            for event in events:
                if isinstance(event, COMMANDS):
                    self.launch(event)

    def settle(self, task: asyncio.Task[None]) -> None:
        """Take note of a call that is over, and wake up after the last."""
        self.under_way.discard(task)
        if not task.cancelled():
            fault = task.exception()  # a full disk, a listener that raised
        else:
            fault = None if self.pauses.halted else RunError("a call was cancelled from within")
        if fault is not None:
            self.pauses.halt()
            self.fault = self.fault or fault
        if not self.under_way and not self.idle.done():
            if self.fault is None:
                self.idle.set_result(None)
            else:
                self.idle.set_exception(self.fault)


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
            visible(f"the protocol {run.started.protocol!r} raised {what}{_kept(run)}"), run
        ) from execution.error
    if not execution.done:
        for path, cause in responder.causes.items():
            failed = run.failures[path]
            what = f"{path}: {failed.error}: {failed.message}{_kept(run)}"
            raise RunFailed(visible(what), run) from cause
    return run


def _kept(run: Run) -> str:
    if run.path is None:
        return "; the partial run is in this error's .run"
    return f"; what was answered is kept in {run.path}"


def begin(execution: Execution, started: RunStarted, recorder: Recorder) -> None:
    """Record the run's start and the first commands."""
    recorder([started, *execution.start()])
