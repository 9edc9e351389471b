"""Run a protocol, resume a run, or run it again."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
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
from workbench.engine.inheritance import Inheritance, check_whole, edits_of, warn_of_unused
from workbench.engine.loop import wait
from workbench.engine.protocol import Bound, World, find_protocol
from workbench.engine.seeds import Seeds, checked
from workbench.engine.verify import retrace
from workbench.errors import ProtocolError, RunError
from workbench.lm.base import LM, from_description
from workbench.lm.request import OWN
from workbench.record.events import Lineage, RunStarted, Sampling
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
    sampling: Sampling | None = None,
    subject: str | None = None,
    lineage: Lineage | None = None,
) -> RunStarted:
    """Return the first event of a run of `bound`.

    Raises
    ------
    TypeError, ValueError
        If the seed is not an integer that a file can hold, `lm` not a language model, or the
        sampling none for a run.
    BadCommand
        If the sampling is not what `Sampling` says.
    """
    if sampling is not None and lineage is None:  # a fork has its parent's, whatever that was
        sampling = _of_run(sampling)
    return RunStarted(
        protocol=bound.protocol.name,
        params=bound.params,
        seed=whole(seed),
        sampling=sampling,
        models={
            role: as_json(model.describe(), f"the description of the model for {role!r}")
            for role, model in by_role(lm).items()
        },
        package=_version.__version__,
        subject=subject or bound.subject,
        lineage=lineage,
        at=time.time(),
    )


def _of_run(sampling: Sampling) -> Sampling:
    """Return a run's sampling, which no ask's own settings can be lost to."""
    if not isinstance(sampling, Sampling):
        raise TypeError(
            "sampling= takes a Sampling, such as wb.Sampling(temperature=1), not a "
            f"{type(sampling).__name__}"
        )
    made = checked(asdict(sampling), "sampling")
    if made.seed is not None:
        raise ValueError("a run's seed is given as seed=; its sampling has none")
    if own := sorted(OWN.intersection(made.extra)):
        raise ValueError(
            f"{', '.join(own)} in a run's sampling.extra would replace what each ask says of it; "
            "give temperature, top_p, max_tokens and stop by their own names, and a seed as seed="
        )
    return made


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


async def run(
    protocol: Bound[Any],
    *,
    lm: Models | None = None,
    world: World | None = None,
    human: Human | None = None,
    to: Path | None = None,
    seed: int = 0,
    sampling: Sampling | None = None,
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
        From which every ask's own seed is drawn. The protocol is not told it: one that draws with
        `rng` takes a seed as a parameter.
    sampling : Sampling, optional
        What an ask takes for the settings that its protocol leaves open. Its `extra` is for
        settings without a name of their own here.
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
    ProtocolError, TypeError
        If the protocol is not bound, or something else is no model, seed or sampling: before
        anything is asked.
    RunFileError
        If there is a file at `to`.
    """
    if not isinstance(protocol, Bound):
        raise ProtocolError(f"{protocol!r} is not bound to its parameters; call it: {_CALL}")
    first = started(protocol, lm=lm, seed=seed, sampling=sampling)
    execution = Execution(protocol.steps(), seed=Seeds.of(first))
    responder = Responder(lm, protocol.world() if world is None else world, human)
    with Recorder([], Log.create(to) if to is not None else None, on_event) as recorder:
        begin(execution, first, recorder)
        async with responder.session():
            await drive(execution, responder, recorder)
    return conclude(execution, responder, recorder.run())


def run_sync(protocol: Bound[Any], **options: Any) -> Run:
    """Run a protocol and wait for its end.

    Parameters
    ----------
    protocol : Bound
        A registered protocol with its parameters.
    **options
        As for `run`.

    Returns
    -------
    Run
        Complete.

    Raises
    ------
    RunFailed, RunError
        As `run` does. An interrupt, too, is raised again with the partial run as its ``.run``.
    """
    return wait(run(protocol, **options))


async def resume(
    source: Run | Path,
    *,
    parent: Run | Path | None = None,
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
    parent : path or Run, optional
        The run that it is a fork of. A fork by the rule ``unchanged`` needs it, since it may yet
        come to a request that its parent made; so does one that was killed as it began.
    lm, world, human : optional
        In place of what the run recorded.
    on_event : callable, optional
        Is told each event once it is recorded; of what the file held, none.

    Returns
    -------
    Run
        Complete. One that was complete already is returned as it is.

    Raises
    ------
    Diverged
        If the protocol now makes other commands than those in the file; nothing is sent.
    RunFileLocked
        If another process is writing the file.
    RunError
        If the run ended because its protocol raised: it would raise again. Fork it instead. If it
        needs its parent, or `parent` is another run.
    UnknownProtocol, LMError
        If the protocol is not registered in this process, or a model that is wanted cannot be made
        anew from the record: pass `lm`.
    RunFailed
        As for `run`.
    """
    path = source.path if isinstance(source, Run) else source
    if path is None:
        raise RunError("this run has no file to go on with; pass to= when it is run")
    log, events = Log.resume(path)
    with Recorder(events, log, on_event) as recorder:
        old = recorder.run()
        if old.status == "complete":
            return old
        if old.ended is not None:
            raise RunError(
                f"{path}: the protocol raised {old.ended.error}; fork the run instead", old
            )
        inherits = None
        if parent is None:
            check_whole(old)
        else:
            inherits = Inheritance.of(old, parent if isinstance(parent, Run) else open_run(parent))
        bound = find_protocol(old.started.protocol).bind(old.started.params, old.started.subject)
        execution, missing = retrace(old, bound)
        if inherits is not None and old.needs_parent:
            recorder([*missing, *inherits.take(execution)])
        else:
            recorder(missing)
        responder = Responder(None, {}, None)
        if not execution.done:
            lm = recorded_models(old.started) if lm is None else lm
            tools = bound.world(old.folder) if world is None else world
            responder = Responder(lm, tools, human, edits_of(old.started))
            respond = responder if inherits is None else inherits.before(responder)
            async with responder.session():
                await drive(execution, respond, recorder)
    made = conclude(execution, responder, recorder.run())
    warn_of_unused(made)
    return made


async def rerun(
    source: Run | Path,
    *,
    lm: Models | None = None,
    to: Path | None = None,
    seed: int | None = None,
    sampling: Sampling | None = None,
    **options: Any,
) -> Run:
    """Run a recorded run's protocol anew, with its parameters; every answer is live.

    Parameters
    ----------
    source : path or Run
        The run, which stays as it is.
    lm, seed, sampling : optional
        In place of the recorded ones.
    to : path, optional
        A new file; as for `run`.
    **options
        ``world``, ``human`` and ``on_event``, as for `run`.

    Returns
    -------
    Run
        Complete.

    Raises
    ------
    RunFailed, RunError
        As `run` does.
    """
    old = source if isinstance(source, Run) else open_run(source)
    bound = find_protocol(old.started.protocol).bind(old.started.params, old.started.subject)
    if options.get("world") is None:
        options["world"] = bound.world(old.folder)
    return await run(
        bound,
        lm=recorded_models(old.started) if lm is None else lm,
        to=to,
        seed=old.started.seed if seed is None else seed,
        sampling=old.started.sampling if sampling is None else sampling,
        **options,
    )
