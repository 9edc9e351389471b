"""What a run waits for: which calls are pending, whose they are, and who is to answer them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from workbench.lm.base import LM
from workbench.record.events import Asked, Called, Command
from workbench_widgets.shared.common import TICK_S
from workbench_widgets.shared.source import JSON, Source
from workbench_widgets.shared.threads import beside

SHOWN = 6
"""Calls that are told one by one; of the others there is the number."""


def waits(source: Source, pending: Sequence[Command], models: Mapping[str, LM]) -> dict[str, JSON]:
    """Return what is waited for.

    Returns
    -------
    dict
        ``many``, how many calls are pending; ``calls``, the first as ``[path, agent, by]``: the
        agent's title, if it has one, and who is to answer (a model's name, a tool, a person); and
        ``loading``, the names of the models that are to answer and are not loaded yet.
    """
    asked = [_model(command, models) for command in pending]
    wanted = {id(model): model for model in asked if model is not None}.values()
    return {
        "many": len(pending),
        "calls": [_call(source, *call) for call in zip(pending[:SHOWN], asked, strict=False)],
        "loading": sorted({model.name for model in wanted if not _loaded(model)}),
    }


def _model(command: Command, models: Mapping[str, LM]) -> LM | None:
    return models.get(command.role, models.get("*")) if isinstance(command, Asked) else None


def _call(source: Source, command: Command, model: LM | None) -> list[JSON]:
    agent = source.agent(command)
    if isinstance(command, Asked):
        by = None if model is None else model.name
    else:
        by = f"the tool {command.tool}" if isinstance(command, Called) else "a person"
    return [command.path, None if agent is None else source.title(agent), by]


def _loaded(model: LM) -> bool:
    """Return whether a model can answer at once; one that tells nothing of it runs elsewhere."""
    info = getattr(model, "info", None)
    return info is None or info().get("loaded") is not False


class UnderWay:
    """Something that was begun by a button: what it is, since when, and whether it is to stop."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = time.time()
        self.stopping = False

    def told(self) -> dict[str, JSON]:
        """Return ``what`` it is, when it ``began`` (seconds of the epoch), and ``stopping``."""
        return {"what": self.what, "began": self.began, "stopping": self.stopping}


@contextmanager
def ticking(show: Callable[[], object]) -> Iterator[None]:
    """Show how things stand again and again: of a model that is loading no event tells."""
    done = threading.Event()

    def tick() -> None:
        while not done.wait(TICK_S):
            show()

    beside(tick)
    try:
        yield
    finally:
        done.set()
