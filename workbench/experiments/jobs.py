"""Runs that are each done once: a complete file is kept, one that was stopped goes on.

Only the run's file decides what is left to do. One whose protocol raised, or which is damaged, is
set aside under another name and run anew; one of other models, parameters or seed is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeVar

from workbench.engine.drive import Models, OnEvent
from workbench.engine.protocol import Bound
from workbench.engine.run import resume, run, started
from workbench.errors import Diverged, RunError, RunFailed, RunFileError, RunFileLocked
from workbench.record.log import SUFFIX
from workbench.record.run import Run, open_run

MOST_FAILURES = 3
"""So many runs in a row without an answer from the model, and the work stops: it is down."""

Did = Literal["ran", "resumed", "kept", "failed", "interrupted"]
Failure = RunError | Diverged | None
J = TypeVar("J")


async def once(
    bound: Bound[Any], path: Path, lm: Models, seed: int, on_event: OnEvent | None
) -> tuple[Did, Failure]:
    """Run, resume or keep one run; return what was done, and why it is not complete."""
    old = _set_aside(path)
    did: Did = "ran" if old is None else "resumed"
    try:
        if old is None:
            await run(bound, lm=lm, to=path, seed=seed, on_event=on_event)
        elif old.status == "complete":
            return "kept", None
        else:
            await resume(path, lm=lm, on_event=on_event)
    except RunFailed as error:
        return "interrupted", error
    except (RunError, Diverged) as error:  # the latter: its code has changed since it began
        return "failed", error
    return did, None


async def work_off(
    jobs: Iterable[J], one: Callable[[J], Awaitable[Failure]], at_once: int = 1
) -> None:
    """Do jobs, so many at once; a failure of one does not stop the others.

    Raises
    ------
    RunFailed
        If the model did not answer `MOST_FAILURES` runs in a row.
    """
    failures, left = 0, iter(jobs)

    async def work() -> None:
        nonlocal failures
        for job in left:  # shared by all that work: each job is taken once
            error = await one(job)
            failures = failures + 1 if isinstance(error, RunFailed) else 0
            if error is not None and failures >= MOST_FAILURES:
                raise error

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())
    except BaseExceptionGroup as raised:  # the others are stopped, and their files go on later
        raise raised.exceptions[0] from None


def check_same(path: Path, bound: Bound[Any], lm: Models, seed: int) -> None:
    """Refuse a run of other models, parameters or seed: a table would not show the mixture.

    Raises
    ------
    RunFileError
    """
    if not path.exists():
        return
    try:
        old = open_run(path).started
    except RunFileLocked:
        raise
    except RunFileError:
        return  # it will be set aside
    new = started(bound, lm=lm, seed=seed)
    for what in ("protocol", "params", "seed", "models"):
        was, now = getattr(old, what), getattr(new, what)
        if was != now:
            told = _difference(was, now)
            raise RunFileError(
                f"{path}: was made with other {what} ({told}); choose another folder, so that "
                "results are not mixed up"
            )


def _set_aside(path: Path) -> Run | None:
    """Return the run to keep or go on with; a failed or damaged one is given another name."""
    if not path.exists():
        return None
    try:
        old = open_run(path)
    except RunFileLocked:
        raise
    except RunFileError:
        old = None
    if old is not None and old.status != "failed":
        return old
    stem = path.name.removesuffix(SUFFIX)
    names = (path.with_name(f"{stem}.failed-{n}{SUFFIX}") for n in count(1))
    path.rename(next(name for name in names if not name.exists()))
    return None


def _difference(was: Any, now: Any) -> str:
    """Return the first place where two values of a run's beginning differ."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            if was.get(key) != now.get(key):
                return f"{key}: {_difference(was.get(key), now.get(key))}"
    return f"{str(was)[:60]}, now {str(now)[:60]}"
