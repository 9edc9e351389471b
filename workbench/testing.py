"""Checks that anyone can run over a protocol of their own."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any

from workbench.engine.commands import rng
from workbench.engine.drive import Human, Models, Recorder, drive
from workbench.engine.execution import Execution
from workbench.engine.fork import fork
from workbench.engine.loop import wait
from workbench.engine.protocol import Bound, World, find_protocol
from workbench.engine.run import run
from workbench.engine.seeds import Seeds
from workbench.engine.verify import replay, retrace
from workbench.errors import LMError, WorkbenchError
from workbench.lm.scripted import ScriptedLM
from workbench.record.diff import diff
from workbench.record.events import (
    JSON,
    Answer,
    Answered,
    Asked,
    Command,
    Consulted,
    Failed,
)
from workbench.record.log import Log
from workbench.record.run import Run, open_run

MOST_PREFIXES = 40
"""Of a longer file, so many prefixes are resumed, spread over it."""


def check_protocol(
    bound: Bound[Any],
    lm: Models | None = None,
    world: World | None = None,
    human: Human | None = None,
    seeds: Iterable[int] = (0, 1),
) -> Run:
    """Assert that a protocol keeps the contract that resuming, replaying and forking rest on.

    Parameters
    ----------
    bound : Bound
        The protocol with its parameters; it must be registered.
    lm : LM or mapping of str to LM, optional
        Who answers; default: `imagined`, made-up words, and values that fit the schema.
    world : mapping of str to callable, optional
        Default: the protocol's own tools.
    human : callable, optional
        Default: the first option, or made-up words.
    seeds : iterable of int
        The run's seeds; everything is checked for each.

    Returns
    -------
    Run
        Of the last seed.

    Raises
    ------
    AssertionError
        Unless the run completes; its file reads back equal; a replay makes every derived event
        again; prefixes of the file (all of a short one, else some `MOST_PREFIXES`, spread over it)
        resume to the same digest and ask nothing that they hold the answer to; shuffled arrivals
        give the same digest and the same events in causal order; a fork with no edit is the
        identity; and no path is used twice.
    """
    name = bound.protocol.name
    registered = find_protocol(name)
    assert registered is bound.protocol, f"{name}: another protocol is registered under this name"
    made = None
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "whole.run.jsonl"
            models = ScriptedLM(imagined) if lm is None else lm
            try:
                made = wait(
                    run(bound, lm=models, world=world, human=human or _agrees, to=path, seed=seed)
                )
            except WorkbenchError as error:
                raise AssertionError(f"{name}, seed {seed}: does not complete: {error}") from error
            where = f"{name}, seed {seed}"
            _check_paths(where, made)
            _check_file(where, made, path)
            _check_replay(where, made, bound)
            _check_arrivals(where, made, bound)
            _check_prefixes(where, made, path, bound)
            _check_fork(where, made)
    assert made is not None, f"{name}: no seeds were given"
    return made


def imagined(asked: Asked) -> str:
    """Answer an ask with made-up words, or with JSON that fits its schema; a function of the ask.

    Examples
    --------
    >>> imagined(Asked(path="/goal", clock=0, role="host", parts=()))
    'Words for /goal from host.'
    """
    if asked.schema is None:
        return f"Words for {asked.path} from {asked.role}."
    draw = rng(asked.sampling.seed or 0, asked.path)
    return json.dumps(_value(asked.schema, draw), ensure_ascii=False)


def _value(schema: dict[str, JSON], draw: random.Random) -> JSON:
    """Return a value that fits `schema`, as far as pydantic's own schemas go."""
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if "enum" in schema:
        return draw.choice(schema["enum"])
    for name in ("anyOf", "oneOf", "allOf"):
        if name in schema:
            return _value(draw.choice(schema[name]), draw)
    makers: dict[str, Callable[[], JSON]] = {
        "object": lambda: {n: _value(s, draw) for n, s in schema.get("properties", {}).items()},
        "array": lambda: _items(schema, draw),
        "string": lambda: _words(schema, draw),
        "integer": lambda: draw.randint(*_bounds(schema, 1)),
        "number": lambda: float(draw.randint(*_bounds(schema, 0))),
        "boolean": lambda: draw.random() < 0.5,
    }
    return makers.get(schema.get("type", "null"), lambda: None)()


def _items(schema: dict[str, JSON], draw: random.Random) -> list[JSON]:
    if "prefixItems" in schema:
        return [_value(item, draw) for item in schema["prefixItems"]]
    count = max(schema.get("minItems", 0), min(1, schema.get("maxItems", 1)))
    return [_value(schema.get("items", {}), draw) for _ in range(count)]


def _words(schema: dict[str, JSON], draw: random.Random) -> str:
    text = f"words {draw.randrange(1000)}"
    text = text[: schema.get("maxLength", len(text))]
    return text.ljust(schema.get("minLength", 0), "x")


def _bounds(schema: dict[str, JSON], step: int) -> tuple[int, int]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0 - step) + step)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 10 + step) - step)
    return int(low), max(int(low), int(high))


def _agrees(consulted: Consulted) -> str:
    return consulted.options[0] if consulted.options else f"Words for {consulted.path}."


class _Playback:
    """Answers by path from a run, and remembers what it was asked."""

    name = family = "playback"

    def __init__(self, source: Run) -> None:
        self._source = source
        self.asked: list[str] = []

    async def __call__(self, command: Command) -> Answer | Failed:
        self.asked.append(command.path)
        return self._source.answer(command.path)

    async def answer(self, asked: Asked) -> Answered:
        self.asked.append(asked.path)
        raise LMError(f"{asked.path} was answered and is asked again")

    def describe(self) -> dict[str, JSON]:
        return {"kind": "scripted", "model": self.name, "family": self.family}

    def session(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()


def _check_paths(where: str, made: Run) -> None:
    for events in (made.derived, made.answers):
        kinds = {type(event) for event in events.values()}
        count = sum(type(event) in kinds for event in made.events)
        assert len(events) == count, f"{where}: a path is used twice"


def _check_file(where: str, made: Run, path: Path) -> None:
    read = open_run(path)
    for written, back in zip(made.events, read.events, strict=True):
        assert written == back, f"{where}: written as {written}, read back as {back}"
    assert read.digest == made.digest, f"{where}: the file has another digest than the run"


def _check_replay(where: str, made: Run, bound: Bound[Any]) -> None:
    try:
        again = replay(made, bound)
    except WorkbenchError as error:
        raise AssertionError(f"{where}: a replay does not make the same events: {error}") from error
    assert again.events == made.events, f"{where}: a replay makes more events than the run holds"


def _check_arrivals(where: str, made: Run, bound: Bound[Any]) -> None:
    order = made.by_path()
    for number in range(5):
        shuffled = Run([made.started, *_shuffled(made, bound, rng(number, where))])
        assert shuffled.digest == made.digest, f"{where}: the digest depends on who answers first"
        assert shuffled.facts == made.facts, f"{where}: the facts depend on who answers first"
        assert shuffled.by_path() == order, f"{where}: causal order depends on who answers first"
        assert not diff(made, shuffled), f"{where}: a diff depends on who answers first"


def _shuffled(made: Run, bound: Bound[Any], draw: random.Random) -> Sequence[Any]:
    execution = Execution(bound.steps(), seed=Seeds.of(made.started))
    events: list[Any] = list(execution.start())
    while execution.pending:
        path = draw.choice(list(execution.pending))
        assert path in made.answers, f"{path} is asked only when others answer first"
        events += execution.feed(made.answers[path])
    return events


def _check_prefixes(where: str, made: Run, path: Path, bound: Bound[Any]) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines, 1) if b'"event":"run_started"' in line)
    step = max(1, (len(lines) - first) // MOST_PREFIXES)
    for count in [*range(first, len(lines), step), len(lines)]:
        part = path.with_name(f"{count}.run.jsonl")
        part.write_bytes(b"".join(lines[:count]))
        old, asked, resumed = wait(_go_on(part, made, bound))
        twice = set(asked) & set(old.answers)
        at = f"{where}: resumed from its first {count} lines"
        assert not twice, f"{at}, it asks again for {sorted(twice)}"
        assert resumed.digest == made.digest, f"{at}, it ends otherwise: {diff(made, resumed)}"
        assert resumed.usage == made.usage, f"{at}, usage is {resumed.usage}, not {made.usage}"


async def _go_on(path: Path, made: Run, bound: Bound[Any]) -> tuple[Run, list[str], Run]:
    """Resume a file as `resume` does, with the answers of `made`; tools too are found by path."""
    log, events = Log.resume(path)
    recorder = Recorder(events, log)
    old = recorder.run()
    playback = _Playback(made)
    try:
        execution, missing = retrace(old, bound)
        recorder(missing)
        await drive(execution, playback, recorder)
    finally:
        recorder.close()
    return old, playback.asked, open_run(path)


def _check_fork(where: str, made: Run) -> None:
    playback = _Playback(made)
    try:
        twin = wait(fork(made, lm=playback, world={}))
    except WorkbenchError as error:
        raise AssertionError(f"{where}: a fork with no edit asks anew: {error}") from error
    assert not playback.asked, f"{where}: a fork with no edit asks {playback.asked}"
    assert twin.derived == made.derived, f"{where}: a fork with no edit makes other events"
    assert twin.answers == made.answers, f"{where}: a fork with no edit has other answers"
    assert not diff(made, twin), f"{where}: a fork with no edit differs: {diff(made, twin)}"
