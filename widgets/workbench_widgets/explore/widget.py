"""The explorer: stepper, board, Theory of Mind and graph of one run, on one cursor."""

from __future__ import annotations

from collections.abc import Iterator

from workbench_widgets.explore import payload
from workbench_widgets.shared.join import css, esm
from workbench_widgets.stepper.widget import Stepper


class Explorer(Stepper):
    """All views of a run in one widget; takes what `Stepper` takes.

    They share one store in the front end, so that a step moves all of them without a detour
    through the kernel.
    """

    _esm = esm("explore/widget.js", payload.MOUNT)
    _css = css(*payload.STYLES)
    makers = payload.MAKERS

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the pages of all views."""
        return payload.first(self.source)


explorer = Explorer
"""The name to call it by, as `handout` and `link` are called."""
