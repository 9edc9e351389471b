"""What a widget shows where no front end draws it."""

from __future__ import annotations

from typing import Any

from workbench.views.markup import name, plural, safe
from workbench.views.turns import cause
from workbench_widgets.shared.source import Source


def faced(bundle: Any, faces: dict[str, str]) -> Any:
    """Return what a widget's ``_repr_mimebundle_`` gives, with static faces by their type."""
    if isinstance(bundle, tuple):
        return {**bundle[0], **faces}, bundle[1]
    return {**(bundle or {}), **faces}


def halted(source: Source) -> str:
    """Return why a run that is not complete ends where it does, as HTML, in the widgets' words."""
    run, session = source.run, source.session
    why, live = cause(run), session is not None and session.live
    if run.status == "complete" or (live and not why):
        return ""
    state = "waits" if live else f"is {run.status}"
    told = f": {name(why, 500)}" if why else "."
    return f"\n<p>The run {safe(state)} after {plural(len(run), 'event')}{told}</p>"
