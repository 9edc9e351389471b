"""The pages of the explorer: those of the views that it lays out."""

from __future__ import annotations

import os
from collections.abc import Iterator

import workbench_widgets.board.payload as board
import workbench_widgets.consult.payload as consult
import workbench_widgets.graph.payload as graph
import workbench_widgets.stepper.payload as stepper
import workbench_widgets.tom.payload as tom
from workbench import Run, Session
from workbench_widgets.consult.source import ConsultSource
from workbench_widgets.shared.source import PageMaker, Source

MOUNT = "explorer"
STYLES = ("stepper", "tom", "graph", "board", "consult", "explore")
_PARTS = (stepper, consult, board, tom, graph)

MAKERS: dict[str, PageMaker] = {
    kind: maker for part in _PARTS for kind, maker in part.MAKERS.items()
}


def consulted(
    run: Run | Session | str | os.PathLike[str] | Source,
    comparison: Run | str | os.PathLike[str] | None,
    corpus: str | os.PathLike[str] | None,
) -> Source:
    """Return the source of a consultation with what else it is read by.

    Raises
    ------
    ValueError
        If there is an audit too, or the run is of another kind.
    RunError
        If the comparison is about another run.
    """
    source = Source.of(run)
    if source.audit is not None:
        raise ValueError("an audit is of a deliberation, a comparison of a consultation")
    made = ConsultSource(source, comparison, corpus)
    if made.run.started.protocol not in consult.PROTOCOLS:
        raise ValueError("comparison= and corpus= go with a consultation or a verification")
    return made


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Return the pages of all views, those of the stepper first; a shared one but once."""
    seen: set[tuple[str, str]] = set()
    consulted = source.run.started.protocol in consult.PROTOCOLS
    for part in _PARTS:
        if part is consult and not consulted:
            continue
        for page in part.first(source):
            if page not in seen:
                seen.add(page)
                yield page
            if len(seen) == 1:  # whether there is a Theory of Mind is told before a long list
                seen.add(("tom_about", ""))
                yield "tom_about", ""
