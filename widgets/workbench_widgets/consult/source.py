"""The source of a consultation's view: the run, its comparison, and a corpus to hold it against."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import Run, Session
from workbench_widgets.shared.arguments import check
from workbench_widgets.shared.source import Source, opened

if TYPE_CHECKING:
    from workbench.views.consultation.account import Account
    from workbench.views.consultation.graph import Line


_WANTS = "comparison= takes a Run"


class ConsultSource(Source):
    """A session with what else it is read by; shares its cursor with all views of the run.

    Raises
    ------
    TypeError
        If one of them is nothing of the kind.
    RunError
        If the comparison is about another run.
    """

    def __init__(
        self,
        run: Run | Session | str | os.PathLike[str] | Source,
        comparison: Run | str | os.PathLike[str] | None,
        corpus: str | os.PathLike[str] | None,
    ) -> None:
        takes = "the path of a folder of documents"
        check(isinstance(corpus, str | os.PathLike | None), "corpus", corpus, takes)
        self.beside = Source.of(run)  # which keeps the cursor that is shared
        session = self.beside.session
        super().__init__(self.beside.run if session is None else session, None, self.beside.common)
        self.comparison = None if comparison is None else opened(comparison, _WANTS)
        self.corpus = None if corpus is None else Path(corpus)
        read(self)  # refuses a comparison of another run


class Read:
    """What a run came to, worked out once for each state of it."""

    def __init__(self, source: Source) -> None:
        from workbench.views.consultation.account import account
        from workbench.views.consultation.graph import lines

        comparison, corpus = None, None
        if isinstance(source, ConsultSource):
            comparison, corpus = source.comparison, source.corpus
        self.run = source.run
        self.told: Account = account(source.run, comparison, corpus)
        self.lines: list[Line] = lines(self.told)


_READ: weakref.WeakKeyDictionary[Source, Read] = weakref.WeakKeyDictionary()


def read(source: Source) -> Read:
    """Return what a source's run came to, as it is now."""
    known = _READ.get(source)
    if known is None or known.run is not source.run:
        known = _READ[source] = Read(source)
    return known
