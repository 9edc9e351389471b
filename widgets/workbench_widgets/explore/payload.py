"""The pages of the explorer: those of the views that it lays out."""

from __future__ import annotations

from collections.abc import Iterator

import workbench_widgets.board.payload as board
import workbench_widgets.consult.payload as consult
import workbench_widgets.graph.payload as graph
import workbench_widgets.stepper.payload as stepper
import workbench_widgets.tom.payload as tom
from workbench_widgets.shared.source import PageMaker, Source

MOUNT = "explorer"
STYLES = ("stepper", "tom", "graph", "board", "consult", "explore")
_PARTS = (stepper, consult, board, tom, graph)

MAKERS: dict[str, PageMaker] = {
    kind: maker for part in _PARTS for kind, maker in part.MAKERS.items()
}


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
