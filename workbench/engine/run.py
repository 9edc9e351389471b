"""Run a protocol, resume a run, or run it again."""

from __future__ import annotations

import asyncio
import os
import pathlib
import time
from operator import index
from typing import Any

from pydantic_core import to_json

from workbench import _version
from workbench.engine.drive import (
    Human,
    Models,
    OnEvent,
    Recorder,
    Responder,
    begin,
    by_role,
    conclude,
    drive,
)
from workbench.engine.execution import Execution
from workbench.engine.loop import wait
from workbench.engine.protocol import Bound, World, find_protocol
from workbench.engine.seeds import Seeds
from workbench.engine.verify import retrace
from workbench.errors import ProtocolError, RunError
from workbench.lm.base import LM, from_description
from workbench.record.events import JSON, Event, Lineage, RunStarted
from workbench.record.jsonable import as_json
from workbench.record.log import Log
from workbench.record.run import Run, open_run

Path = str | os.PathLike[str]
_CALL = "run(debate(turns=2), lm=...)"


def started(
    bound: Bound[Any],
    *,
    lm: Models | None,
    seed: int,
    subject: str | None = None,
    lineage: Lineage | None = None,
) -> RunStarted:
    """Return the first event of a run of `bound`.

    Raises
    ------
    TypeError, ValueError
        If the seed is not an integer that a file can hold, or `lm` not a language model.
    """
    return RunStarted(
        protocol=bound.protocol.name,
        params=bound.params,
        seed=whole(seed),
        models={
            role: as_json(model.describe(), f"the description of the model for {role!r}")
            for role, model in by_role(lm).items()
        },
        package=_version.__version__,
        subject=subject or bound.subject,
        lineage=lineage,
        at=time.time(),
    )


def whole(seed: int) -> int:
    """Return a seed as a plain integer of at most 63 bits.

    Raises
    ------
    TypeError, ValueError
    """
    if isinstance(seed, bool):
        raise TypeError("a seed is an integer, not a bool")
    number = index(seed)
    if abs(number) >= 2**63:
        raise ValueError("a seed has at most 63 bits")
    return number


def edits_of(run: RunStarted) -> dict[str, JSON]:
    """Return the answers that a fork put in place of its parent's, by path."""
    answers: dict[str, JSON] = run.lineage.edits.get("answers", {}) if run.lineage else {}
    return answers


def recorded_models(run: RunStarted) -> Models | None:
    """Make the models that a run recorded; keys come from the environment.

    Roles with one description share one model, and so its budget.
    """
    made: dict[bytes, LM] = {}
    models: dict[str, LM] = {}
    for role, description in run.models.items():
        key = to_json(description)
        models[role] = made[key] if key in made else from_description(description)
        made[key] = models[role]
    return models or None


def check_whole(run: Run) -> None:
    """Refuse to go on with a fork that lacks answers which only its parent has.

    Raises
    ------
    RunError
    """
    lineage = run.started.lineage
    if lineage is None or run.ended is not None:
        return
    edits = edits_of(run.started)
    inherited = sum(a.origin is not None and a.path not in edits for a in run.answers.values())
    if lineage.rule == "unchanged" or inherited < lineage.inherited:
        raise RunError(
            f"{run.path or 'this run'} is a fork that stopped before it had all that it takes "
            f"from its parent (the rule is {lineage.rule!r}): fork the parent again",
            run,
        )


async def run(
    protocol: Bound[Any],
    *,
    lm: Models | None = None,
    world: World | None = None,
    human: Human | None = None,
    to: Path | None = None,
    seed: int = 0,
    on_event: OnEvent | None = None,
) -> Run:
    """Run a protocol with a language model and a world.

    Parameters
    ----------
    protocol : Bound
        A registered protocol with its parameters: ``wb.bilayer(case, turns=2)``.
    lm : LM or mapping of str to LM
        Who answers; a mapping gives a model for each role, and ``"*"`` for the others.
    world : mapping of str to callable, optional
        Tools by name; default: those that the protocol makes from its parameters.
    human : callable, optional
        Answers consultations.
    to : path, optional
        A new file for the run. Without one the run is kept in memory alone; when it is stopped, the
        error has what there is as its ``.run``.
    seed : int
        From which every ask's seed and every `rng` is drawn.
    on_event : callable, optional
        Is told each event once it is recorded.

    Returns
    -------
    Run
        Complete. `Run.result` is what the protocol returned.

    Raises
    ------
    RunFailed
        If the world did not answer; ``.run`` is the partial run, and `resume` goes on from its
        file.
    RunError
        If the protocol raised; ``.run`` is the partial run.
    """
    if not isinstance(protocol, Bound):
        raise ProtocolError(f"{protocol!r} is not bound to its parameters; call it: {_CALL}")
    first = started(protocol, lm=lm, seed=seed)
    execution = Execution(protocol.steps(), seed=Seeds.of(first))
    responder = Responder(lm, protocol.world() if world is None else world, human)
    recorder = Recorder([], Log.create(to) if to is not None else None, on_event)
    try:
        begin(execution, first, recorder)
        async with responder.session():
            await drive(execution, responder, recorder)
    except asyncio.CancelledError as stopped:
        stopped.run = recorder.run()  # type: ignore[attr-defined]  # for whoever stopped it
        raise
    finally:
        recorder.close()
    return conclude(execution, responder, recorder.run())


def run_sync(protocol: Bound[Any], **options: Any) -> Run:
    """Run a protocol and wait for its end; takes what `run` takes.

    An interrupt is raised again with the partial run as its ``.run``.
    """
    events: list[Event] = []
    listen: OnEvent | None = options.pop("on_event", None)

    def keep(event: Event) -> None:
        events.append(event)
        if listen is not None:
            listen(event)

    try:
        return wait(run(protocol, on_event=keep, **options))
    except KeyboardInterrupt as stopped:
        if events:
            to = options.get("to")
            partial = Run(events, None if to is None else pathlib.Path(to))
            stopped.run = partial  # type: ignore[attr-defined]  # for whoever stopped it
        raise


async def resume(
    source: Run | Path,
    *,
    lm: Models | None = None,
    world: World | None = None,
    human: Human | None = None,
    on_event: OnEvent | None = None,
) -> Run:
    """Go on with an interrupted run in its own file; nothing that was answered is asked again.

    Parameters
    ----------
    source : path or Run
        The run's file, or a run that was read from one. Model, parameters and seed are in it.
    lm, world, human : optional
        In place of what the run recorded.

    Raises
    ------
    Diverged
        If the protocol now makes other commands than those in the file; nothing is sent.
    RunFileLocked
        If another process is writing the file.
    RunError
        If the run ended because its protocol raised: it would raise again. Fork it instead. If it
        is a fork by the rule ``unchanged``: it needs its parent's answers. Fork the parent again.
    """
    path = source.path if isinstance(source, Run) else source
    if path is None:
        raise RunError("this run has no file to go on with; pass to= when it is run")
    log, events = Log.resume(path)
    recorder = Recorder(events, log, on_event)
    try:
        old = recorder.run()
        if old.status == "complete":
            return old
        if old.ended is not None:
            raise RunError(
                f"{path}: the protocol raised {old.ended.error}; fork the run instead", old
            )
        check_whole(old)
        bound = find_protocol(old.started.protocol).bind(old.started.params, old.started.subject)
        execution, missing = retrace(old, bound)
        recorder(missing)
        if not execution.done:
            lm = recorded_models(old.started) if lm is None else lm
            tools = bound.world() if world is None else world
            responder = Responder(lm, tools, human, edits_of(old.started))
            async with responder.session():
                await drive(execution, responder, recorder)
        else:
            responder = Responder(None, {}, None)
    finally:
        recorder.close()
    return conclude(execution, responder, recorder.run())


async def rerun(
    source: Run | Path,
    *,
    lm: Models | None = None,
    to: Path | None = None,
    seed: int | None = None,
    **options: Any,
) -> Run:
    """Run a recorded run's protocol anew, with its parameters; every answer is live.

    Takes what `run` takes. The model and the seed are the recorded ones unless given.
    """
    old = source if isinstance(source, Run) else open_run(source)
    bound = find_protocol(old.started.protocol).bind(old.started.params, old.started.subject)
    return await run(
        bound,
        lm=recorded_models(old.started) if lm is None else lm,
        to=to,
        seed=old.started.seed if seed is None else seed,
        **options,
    )
