"""The widget of a consultation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from workbench import Run, Session
from workbench.views.markup import name
from workbench.views.turns import title_of
from workbench_widgets.consult import payload
from workbench_widgets.consult.source import ConsultSource, read
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.source import Source
from workbench_widgets.shared.widget import RunWidget


class Consultation(RunWidget):
    """What isolated readers found in a corpus, and the proof that they were isolated.

    Passages with the readings on them, one column an interpreter; the findings of what is chosen;
    the topology of agreement with the structural confidence of each claim; divergence reports; and
    the five conditions of the isolation contract. Where isolation was broken no topology is shown.

    Parameters
    ----------
    run : Run, Session, path or Source
        A consultation or a verification, finished or not.
    comparison : Run or path, optional
        A comparer's run about it, which decides pairs that rules leave undecided.
    corpus : path, optional
        A folder of documents: whether the output is still valid for it is told.
    cursor : Cursor, optional
        By default the one that all widgets on this run share: reports and breaches lead to their
        events.

    Raises
    ------
    RunError
        If the comparison is about another run.
    """

    _esm = esm("consult/widget.js", payload.MOUNT)
    _css = css(*payload.STYLES)
    makers = payload.MAKERS

    def __init__(
        self,
        run: Run | Session | str | os.PathLike[str] | Source,
        *,
        comparison: Run | str | os.PathLike[str] | None = None,
        corpus: str | os.PathLike[str] | None = None,
        cursor: Cursor | None = None,
        **options: Any,
    ) -> None:
        super().__init__(ConsultSource(run, comparison, corpus), cursor=cursor, **options)

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the session, its passages and topology, then the findings."""
        return payload.first(self.source)

    def face(self) -> str:
        """Return the whole as tables, with no script."""
        from workbench.views.consultation.page import face

        told = read(self.source).told
        if told.mode not in payload.PROTOCOLS:
            title, why = name(title_of(self.run), 200), name(told.problem, 400)
            return f'<p class="mathjax_ignore"><strong>{title}</strong>: {why}.</p>'
        return face(told)
