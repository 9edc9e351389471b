"""Whose words lie at a path."""

from __future__ import annotations

from collections.abc import Mapping

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
            author = author_of(event, wrote)
            if author is not None:
                wrote[event.path] = author
    return wrote


def author_of(fact: Posted, wrote: Mapping[str, str]) -> str | None:
    """Return a fact's author, or that of its first source whose author is known."""
    sources = (wrote[path] for path in fact.sources if path in wrote)
    return text(fact.data.get("author")) or next(sources, None)
