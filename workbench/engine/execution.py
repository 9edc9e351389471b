"""A protocol under execution, without IO: commands come out, answers go in, events result.

`run`, `Session`, `resume`, `replay` and `fork` all drive this one class; they differ only in who
answers what is `pending`. Three rules hold here and nowhere else:

1. Every path is used once.
2. Events depend on the answers alone, never on the order in which they came.
3. Children of an `All` all run to their end; the first error in the given order is then raised.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from workbench.engine.commands import All, Ask, Call, Consult, Graph, Post
from workbench.engine.legality import (
    acyclic,
    check_child,
    check_names,
    checked_parts,
    checked_texts,
    joined,
)
from workbench.engine.seeds import Seeds
from workbench.engine.task import Join, Task
from workbench.errors import BadCommand, DuplicateKey, ProtocolError
from workbench.record.events import (
    Answer,
    Answered,
    Asked,
    Called,
    Command,
    Consulted,
    Derived,
    Event,
    Posted,
    Returned,
    RunEnded,
    Said,
)
from workbench.record.facts import Fact
from workbench.record.jsonable import as_json, as_text, told

_ANSWER_FOR: dict[type, type] = {Asked: Answered, Called: Returned, Consulted: Said}

MOST_WITHOUT_ANSWER = 100_000
"""Facts and scopes that one generator, with those that it is nested in, may make before the next
answer; more is a loop without end, which nothing could stop."""
MOST_NESTED = 1_000
"""Scopes one inside another without an answer; their paths take memory by the square of this."""
MOST_STARTED = 500_000
"""Generators started between two answers, at 1 to 2 kB each."""


class Execution:
    """Run a protocol's generator without IO.

    Parameters
    ----------
    steps : generator
        A protocol under way.
    seed : int or Seeds
        From which each ask's own seed is drawn.

    Attributes
    ----------
    pending : dict of str to Asked, Called or Consulted
        What waits for an answer, by path, in the order in which it was asked.
    done : bool
        Whether the protocol has returned or raised.
    result : object
        What it returned.
    error : BaseException or None
        What it raised.
    """

    def __init__(self, steps: Generator[Any, Any, Any], *, seed: int | Seeds = 0) -> None:
        self.seeds = seed if isinstance(seed, Seeds) else Seeds(seed)
        self.pending: dict[str, Command] = {}
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._used: set[str] = set()
        self._waiting: dict[str, Task] = {}
        self._ready: deque[tuple[Task, Any, BaseException | None]] = deque()
        self._root = Task(steps, "", 0, None, "")
        self._started = False
        self._spawned = 0

    def start(self) -> list[Derived]:
        """Run to the first commands and return the events so far."""
        if self._started:
            raise ProtocolError("this execution has started already")
        self._started = True
        self._ready.append((self._root, None, None))
        return self._settle()

    def feed(self, answer: Answer) -> list[Event]:
        """Answer one pending command and return the answer and the events it caused.

        Raises
        ------
        ProtocolError
            If nothing waits at the answer's path, or it is the wrong kind of answer.
        """
        command = self.pending.get(answer.path)
        if command is None:
            raise ProtocolError(f"nothing waits for an answer at {answer.path}")
        wanted = _ANSWER_FOR[type(command)]
        if not isinstance(answer, wanted):
            raise ProtocolError(
                f"{answer.path} waits for {wanted.__name__}, not {type(answer).__name__}"
            )
        del self.pending[answer.path]
        task = self._waiting.pop(answer.path)
        task.level = max(task.level, self.seeds.level(answer))
        task.note_answer()
        self._spawned = 0
        sent = answer
        if isinstance(answer, Returned):  # the protocol may change its value; the record stays
            sent = replace(answer, value=as_json(answer.value, answer.path))
        self._ready.append((task, sent, None))
        return [answer, *self._settle()]

    def _settle(self) -> list[Derived]:
        """Advance every task that can go on, and return the events that this makes."""
        events: list[Derived] = []
        while self._ready:
            task, value, error = self._ready.popleft()
            try:
                command = task.steps.send(value) if error is None else task.steps.throw(error)
            except StopIteration as stop:
                self._finish(task, stop.value, None, events)
                continue
            except BaseException as raised:  # the protocol's own; it may be caught above
                if isinstance(raised, KeyboardInterrupt):
                    raise
                self._finish(task, None, raised, events)
                continue
            task.since_answer += 1
            if what := self._endless(task):  # not thrown: it might catch that too
                where = getattr(command, "key", type(command).__name__)
                place = task.prefix[:200] or "/"
                error = ProtocolError(f"{place}: {what} without an answer, the last is {where!r}")
                self._finish(task, None, error, events)
                continue
            try:
                self._take(task, command, events)
            except ProtocolError as broken:
                self._ready.appendleft((task, None, broken))
            except (TypeError, ValueError, AttributeError) as error:
                what = f"{task.prefix or '/'}: a malformed {type(command).__name__}: {error}"
                self._ready.appendleft((task, None, BadCommand(what)))
        return events

    def _endless(self, task: Task) -> str | None:
        """Return what a task does without end, as far as can be told."""
        if task.since_answer > MOST_WITHOUT_ANSWER:
            return f"yields for ever: {MOST_WITHOUT_ANSWER:,} commands"
        if task.nested > MOST_NESTED:
            return f"nests for ever: {MOST_NESTED:,} scopes one inside another"
        if self._spawned > MOST_STARTED:
            return f"starts for ever: more than {MOST_STARTED:,} generators"
        return None

    def _take(self, task: Task, command: object, events: list[Derived]) -> None:
        """Turn one yielded command into an event, a pending command, or children."""
        if isinstance(command, Ask):
            path = self._claim(task, command.key)
            self._wait(
                task,
                Asked(
                    path=path,
                    clock=task.clock,
                    role=as_text(command.role, path),
                    parts=checked_parts(command.parts, path),
                    sampling=self.seeds.sample(command.sampling, path, task.level),
                    schema=None if command.schema is None else as_json(command.schema, path),
                ),
                events,
            )
        elif isinstance(command, Post):
            path = self._claim(task, command.key)
            if not isinstance(command.fact, Fact):
                raise BadCommand(f"{path}: a post takes a Fact, not {type(command.fact).__name__}")
            posted = Posted(
                path=path,
                clock=task.clock,
                kind=type(command.fact).__name__,
                data=as_json(command.fact, path),
                sources=checked_texts(command.sources, path),
            )
            events.append(posted)
            task.clock += 1
            self._ready.appendleft((task, path, None))
        elif isinstance(command, Call):
            path = self._claim(task, command.key)
            tool = as_text(command.tool, path)
            args = as_json(dict(command.args), path)
            self._wait(task, Called(path=path, clock=task.clock, tool=tool, args=args), events)
        elif isinstance(command, Consult):
            path = self._claim(task, command.key)
            self._wait(
                task,
                Consulted(
                    path=path,
                    clock=task.clock,
                    prompt=as_text(command.prompt, path),
                    options=checked_texts(command.options, path),
                ),
                events,
            )
        elif isinstance(command, All):
            self._fan_out(task, command)
        elif isinstance(command, Graph):
            self._grow(task, command)
        else:
            raise BadCommand(
                f"{task.prefix or '/'}: a protocol yields Ask, Call, Consult, Post, All or Graph, "
                f"not {type(command).__name__}; did you forget 'yield from'?"
            )

    def _claim(self, task: Task, key: str) -> str:
        """Return the path for `key`, which nothing may have used before."""
        path = joined(task.prefix, key)
        if path in self._used:
            raise DuplicateKey(f"{path} is used twice; give each command a key of its own")
        self._used.add(path)
        return path

    def _wait(self, task: Task, event: Command, events: list[Derived]) -> None:
        events.append(event)
        task.clock += 1
        self.pending[event.path] = event
        self._waiting[event.path] = task

    def _fan_out(self, task: Task, command: All) -> None:
        names = list(command.children)
        if len({id(steps) for steps in command.children.values()}) < len(names):
            raise BadCommand(f"{task.prefix}/{command.key}: one generator stands for two children")
        join = Join(task, self._scope(task, command.key), names)
        check_names(join.path, names)
        for name, steps in command.children.items():
            check_child(join.path, name, steps)
        if not names:
            self._ready.appendleft((task, {}, None))
        for name, steps in command.children.items():
            self._spawn(join, name, steps, task.clock, task.level)

    def _grow(self, task: Task, command: Graph) -> None:
        nodes = dict(command.nodes)  # the author's own may grow as nodes start
        join = Join(task, self._scope(task, command.key), list(nodes))
        check_names(join.path, join.names)
        join.nodes = nodes
        for name, node in nodes.items():
            missing = [n for n in node.after if n not in nodes]
            if missing:
                raise BadCommand(f"{join.path}/{name} waits for {missing}, which are not nodes")
            join.waiting[name] = len(set(node.after))
        if not acyclic(nodes):
            raise BadCommand(f"{join.path}: the graph has a cycle")
        if not nodes:
            self._ready.appendleft((task, {}, None))
        for name in join.names:
            if not nodes[name].after and (error := self._start_node(join, name)):
                self._settle_child(join, name, task.clock, None, error)

    def _start_node(self, join: Join, name: str) -> BaseException | None:
        """Start a node whose predecessors are done, or return why it fails: one of them did too."""
        after = join.nodes[name].after
        clock = max((join.clocks[n] for n in after), default=join.parent.clock)
        error: BaseException | None = next(
            (join.errors[n] for n in after if n in join.errors), None
        )
        if error is None:
            try:
                steps = join.nodes[name].start({n: join.results[n] for n in after})
                check_child(join.path, name, steps)
            except Exception as raised:  # the author's own: it fails this node alone
                error = raised
            else:
                level = max((join.levels.get(n, 0) for n in after), default=0)
                self._spawn(join, name, steps, clock, max(level, join.parent.level))
        return error

    def _scope(self, task: Task, key: str) -> str:
        return joined(task.prefix, key) if key else task.prefix

    def _spawn(
        self, join: Join, name: str, steps: Generator[Any, Any, Any], clock: int, level: int
    ) -> None:
        prefix = f"{join.path}/{name}" if name else join.path
        self._spawned += 1
        self._ready.append((Task(steps, prefix, clock, join, name, level=level), None, None))

    def _finish(
        self, task: Task, result: Any, error: BaseException | None, events: list[Derived]
    ) -> None:
        join = task.join
        if join is None:
            self._end(task, result, error, events)
            return
        join.levels[task.name] = task.level
        join.answered |= task.answered
        self._settle_child(join, task.name, task.clock, result, error)

    def _settle_child(
        self, join: Join, name: str, clock: int, result: Any, error: BaseException | None
    ) -> None:
        """Note a child's end, start what waited for it, and wake the parent after the last."""
        ended = deque([(name, clock, result, error)])
        while ended:  # a node that fails ends those after it, which end those after them
            name, clock, result, error = ended.popleft()
            join.clocks[name] = clock
            if error is None:
                join.results[name] = result
            else:
                join.errors[name] = error
            for other, node in join.nodes.items():
                if name in node.after:
                    join.waiting[other] -= 1
                    if join.waiting[other] == 0 and (failed := self._start_node(join, other)):
                        latest = max(join.clocks[n] for n in node.after)
                        ended.append((other, latest, None, failed))
        if join.done:
            join.parent.clock = max(join.clocks.values())
            join.parent.level = max(join.parent.level, *join.levels.values(), 0)
            if join.answered:
                join.parent.note_answer()
            first = next((join.errors[n] for n in join.names if n in join.errors), None)
            ordered = {n: join.results[n] for n in join.names if n in join.results}
            self._ready.append((join.parent, ordered, first))

    def _end(
        self, task: Task, result: Any, error: BaseException | None, events: list[Derived]
    ) -> None:
        if error is None:
            try:
                recorded = as_json(result, "the protocol's result")
            except BadCommand as broken:
                error = broken
        self.done = True
        self.error = error
        self.pending.clear()
        self._waiting.clear()
        if error is None:
            self.result = result
            ended = RunEnded(clock=task.clock, status="complete", result=recorded)
        else:
            what = f"{type(error).__name__}: {told(error)}"
            ended = RunEnded(clock=task.clock, status="failed", error=what)
        events.append(ended)
