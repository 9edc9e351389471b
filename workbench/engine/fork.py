"""Fork a run: execute its protocol again with some answers or parameters changed.

Which of the parent's answers a fork keeps is its *rule*, which is recorded and shown:

``prefix``
    What does not depend on the change is kept; everything after it is live, and drawn from the
    fork's own seed, so that the two branches are two samples from the change on.
``unchanged``
    Only asks whose request changed are live. Cheaper, and it pairs the branches answer by answer;
    but the branches share samples, so they are not independent.

"After" is meant causally. An answer that came later in time but does not depend on the change is
kept under both rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from pydantic_core import to_json

from workbench.engine.commands import derived_seed
from workbench.engine.drive import (
    Human,
    Models,
    OnEvent,
    Recorder,
    Responder,
    conclude,
    drive,
    edited,
)
from workbench.engine.execution import Execution
from workbench.engine.inheritance import Inheritance, warn_of_unused
from workbench.engine.protocol import World, find_protocol
from workbench.engine.run import recorded_models, started, whole
from workbench.engine.seeds import Seeds, below
from workbench.errors import ForkError
from workbench.record.events import (
    ANSWERS,
    JSON,
    Event,
    Lineage,
)
from workbench.record.jsonable import as_json
from workbench.record.log import Log
from workbench.record.run import Run, nearest, open_run


async def fork(
    source: Run | str | os.PathLike[str],
    edits: Mapping[str, JSON] | None = None,
    *,
    at: str | Iterable[str] = (),
    params: Mapping[str, JSON] | None = None,
    rule: Literal["prefix", "unchanged"] = "prefix",
    lm: Models | None = None,
    world: World | None = None,
    human: Human | None = None,
    to: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    on_event: OnEvent | None = None,
) -> Run:
    """Branch off a run; the parent stays as it is.

    Parameters
    ----------
    source : Run or path
        The parent, finished or not.
    edits : mapping of str to JSON, optional
        Answers to put in place of the recorded ones, by path: a text for an ask or a consultation,
        any JSON for a tool.
    at : str or iterable of str
        Paths to ask again. A path stands for all below it: ``"/turn=2"`` asks the whole turn again,
        and ``"/"`` the whole run.
    params : mapping, optional
        Protocol parameters to change.
    rule : {"prefix", "unchanged"}
        See the module's docstring.
    lm, world, human : optional
        Who answers what is live; default: as the parent recorded.
    to : path, optional
        A new file for the fork; as for `run`.
    seed : int, optional
        From which the asks of the live part draw their seeds. Without one it follows from the
        parent and the changes: the same fork twice makes the same draws, and another sample of it
        needs another seed.
    on_event : callable, optional
        Is told each event once it is recorded, also those taken from the parent.

    Returns
    -------
    Run
        With `Lineage` in its first event, and ``origin`` on every answer taken from the parent, so
        that `Run.usage` is the cost of what was live. With no change at all its events and answers
        equal the parent's; its first event, and so its digest, has the lineage.

    Raises
    ------
    ForkError
        If a path or a parameter is not the parent's.
    ProtocolError, UnknownProtocol
        If a parameter is not of its type, or the protocol is not registered in this process.
    LMError
        If `lm` is wanted, since the parent's models cannot be made anew from its record.
    RunError, RunFailed, RunFileError
        As for `run`.

    Warns
    -----
    UnusedEdit
        If the fork did not come to a path that it was to change: another edit led elsewhere.
    """
    parent = source if isinstance(source, Run) else open_run(source)
    again = _paths(at)
    changed: dict[str, JSON] = as_json(dict(params or {}), "params")
    answers: dict[str, JSON] = as_json(dict(edits or {}), "edits")
    protocol = find_protocol(parent.started.protocol)
    known = protocol.bind(parent.started.params).params
    _check(parent, answers, again, changed, known)
    bound = protocol.bind({**known, **changed}, parent.started.subject)
    tells: dict[str, JSON] = {
        name: value
        for name, value in (
            ("answers", answers),
            ("at", list(again)),
            ("params", changed),
        )
        if value
    }
    if rule not in ("prefix", "unchanged"):
        raise ForkError(f"the rule is 'prefix' or 'unchanged', not {rule!r}")
    old = parent.started
    drawn = derived_seed(old.seed, parent.digest + to_json(tells).decode())
    own = drawn if seed is None else whole(seed)
    earlier = (*old.lineage.earlier, replace(old.lineage, earlier=())) if old.lineage else ()
    lineage = Lineage(parent=parent.digest, rule=rule, edits=tells, seed=own, earlier=earlier)
    first = started(bound, lm=lm, seed=old.seed, sampling=old.sampling, lineage=lineage)
    inherits = Inheritance(parent, lineage)
    execution = Execution(bound.steps(), seed=Seeds.of(first))
    prefix: list[Event] = [*execution.start(), *inherits.take(execution)]
    inherited = sum(isinstance(event, ANSWERS) for event in prefix)
    first = replace(first, lineage=replace(lineage, inherited=inherited))
    if lm is None or execution.done:  # nothing is live, so no other model has a part in it
        first = replace(first, models=old.models)
    responder = Responder(None, {}, None)
    if not execution.done:
        models = recorded_models(old) if lm is None else lm
        tools = bound.world(parent.folder) if world is None else world
        responder = Responder(models, tools, human, answers)
    with Recorder([], Log.create(to) if to is not None else None, on_event) as recorder:
        # In one write: a killed fork has all that it inherits, or nothing.
        recorder([first, *prefix])
        if not execution.done:
            async with responder.session():
                await drive(execution, inherits.before(responder), recorder)
    made = conclude(execution, responder, recorder.run())
    warn_of_unused(made)
    return made


def _paths(at: object) -> tuple[str, ...]:
    one = isinstance(at, str | bytes | Mapping) or not isinstance(at, Iterable)
    paths: list[str] = []
    for path in [at] if one else at:  # type: ignore[attr-defined]  # mypy does not narrow by `one`
        if not isinstance(path, str):
            raise ForkError(f"at is a path such as '/turn=2', or several, not {path!r}")
        paths.append(path)
    return tuple(paths)


def _check(
    parent: Run,
    edits: Mapping[str, JSON],
    again: tuple[str, ...],
    params: Mapping[str, JSON],
    has: Mapping[str, JSON],
) -> None:
    for path, value in edits.items():
        if path not in parent.commands:
            near = nearest(path, parent.commands)
            raise ForkError(f"{path} is not an ask, call or consultation{near}")
        edited(parent.commands[path], value)
    for path in again:
        if path != "/" and not path.strip("/"):
            raise ForkError(f"{path!r} names nothing in the run; '/' asks the whole run again")
        if not any(below(known, (path,)) for known in parent.commands):
            raise ForkError(f"{path} names nothing in the run{nearest(path, parent.commands)}")
    for name in params:
        if name not in has:
            raise ForkError(f"the protocol has no parameter {name!r}; it has {', '.join(has)}")
