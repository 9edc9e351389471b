"""Who acts in a run, and in which colour: one rule for pages, pictures and widgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.record.events import (
    COMMANDS,
    Answered,
    Asked,
    Called,
    Command,
    Consulted,
    Event,
    Failed,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
    Said,
)
from workbench.record.order import natural, owner_of
from workbench.record.run import Run
from workbench.views.turns import declared

LIGHT = ("#0a5fa5", "#a8480a", "#84408f", "#0f7173", "#7d6200", "#a83264", "#4d5a75", "#566b1a")
DARK = ("#7db8f0", "#f39a6b", "#d69be0", "#5ccfcf", "#dcbb55", "#f092b4", "#aab7d4", "#b4cc6a")
"""The agents' colours on light and on dark paper, each at 4.5 to 1 or better, as in style.css."""

_ACTS = (*COMMANDS, Posted)


def hues(run: Run, acting: Iterable[str]) -> dict[str, int]:
    """Return each agent's colour, as its place in `LIGHT` and `DARK`.

    First come the roles that the run's parameters declare, then who acts (`agents`): so an agent
    keeps its colour in every run of a case, whoever acts first there.
    """
    names = dict.fromkeys((*declared(run.started.params), *acting))
    return {name: place % len(LIGHT) for place, name in enumerate(names)}


def agents(run: Run) -> list[str]:
    """Return who acts in a run, in causal order of the first act."""
    first: dict[str, tuple[int, str]] = {}
    for event in run.events:  # not `by_path`, which takes a second where runs are long
        if isinstance(event, _ACTS) and (name := agent_of(event, run.commands)) is not None:
            known = first.get(name)
            if known is None or event.clock <= known[0]:
                place = (event.clock, natural(event.path))
                first[name] = place if known is None else min(known, place)
    return sorted(first, key=first.__getitem__)


def agent_of(event: Event, commands: Mapping[str, Command]) -> str | None:
    """Return whose event it is; None for the run's own."""
    if isinstance(event, Asked):
        return event.role
    if isinstance(event, RunStarted | RunEnded):
        return None
    if isinstance(event, Posted):
        named = event.data.get("role" if event.kind == "Gated" else "author")
        return named if isinstance(named, str) else _author(event, commands)
    if isinstance(event, Answered | Failed | Returned | Said):
        command = commands.get(event.path)
        return agent_of(command, commands) if command is not None else owner_of(event.path)
    assert isinstance(event, Called | Consulted)
    return owner_of(event.path)


def _author(fact: Posted, commands: Mapping[str, Command]) -> str | None:
    """Return the agent whose answer a fact was drawn from, or in whose scope it lies."""
    for source in fact.sources:
        asked = commands.get(source)
        if isinstance(asked, Asked):
            return asked.role
    return owner_of(fact.path)
