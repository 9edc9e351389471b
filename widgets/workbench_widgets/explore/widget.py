"""The explorer: stepper, board, Theory of Mind and graph of one run, on one cursor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from workbench import Run, Session
from workbench_widgets.explore import payload
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.source import Source
from workbench_widgets.stepper.widget import Stepper


class Explorer(Stepper):
    """All views of a run in one widget.

    They share one store in the front end, so that a step moves all of them without a detour
    through the kernel.

    Parameters
    ----------
    run : Run, Session, path or Source
    comparison, corpus
        Of a consultation; as `Consultation` takes them.
    **options
        As `Stepper` takes them: audit, cursor, lm, presenter and so on.

    Raises
    ------
    TypeError, ValueError, RunFileError
        As `Stepper` does; also if a comparison or a corpus goes with another kind of run.
    RunError
        If the comparison is about another run.
    """

    _esm = esm("explore/widget.js", payload.MOUNT)
    _css = css(*payload.STYLES)
    makers = payload.MAKERS

    def __init__(
        self,
        run: Run | Session | str | os.PathLike[str] | Source,
        *,
        comparison: Run | str | os.PathLike[str] | None = None,
        corpus: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        if comparison is not None or corpus is not None:
            if options.get("audit") is not None:
                raise ValueError("an audit is of a deliberation, a comparison of a consultation")
            run = payload.consulted(run, comparison, corpus)
        super().__init__(run, **options)

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the pages of all views."""
        return payload.first(self.source)


explorer = Explorer
"""The name to call it by, as `handout` and `link` are called."""
