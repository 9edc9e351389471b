"""Whose words lie at a path."""

from __future__ import annotations

from workbench.record.events import Asked, Posted
from workbench.record.plainly import text
from workbench.record.run import Run


def authors(run: Run) -> dict[str, str]:
    """Return who wrote what: of an ask its role, of a fact its author or that of its first source.

    Parameters
    ----------
    run : Run

    Returns
    -------
    dict of str to str
        Agent by path, without facts whose author is not known.
    """
    wrote: dict[str, str] = {}
    for event in run.commands_and_facts():
        if isinstance(event, Asked):
            wrote[event.path] = event.role
        elif isinstance(event, Posted):
            author = text(event.data.get("author")) or next(
                (wrote[s] for s in event.sources if s in wrote), None
            )
            if author is not None:
                wrote[event.path] = author
    return wrote
