"""Two or more runs side by side, aligned by path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from workbench import Run, Session
from workbench_widgets.compare import payload
from workbench_widgets.compare.face import face
from workbench_widgets.compare.lineup import Lineup
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.widget import RunWidget


class Compare(RunWidget):
    """Runs side by side: where they part first, and what changed: words, verdicts and cost.

    A fork stands behind its parent, and is compared with it, in whichever order they are given;
    runs that are no relations are compared with the first. The cursor is that of the run that
    stands first; the other runs follow it by path.

    Parameters
    ----------
    *runs : Run, Session or path
        At least two: a run and another, or a run and its forks.
    audits : sequence of Run, path or None, optional
        One for each run, in the order of `runs`; verdicts that changed are told.
    cursor : Cursor, optional
        By default the one that all widgets on the first run share.

    Raises
    ------
    TypeError, RunFileError
        If there is no run in what was given.
    ValueError
        If there are less than two runs, or an audit is not of the run in its place.

    Examples
    --------
    >>> import workbench as wb
    >>> from workbench_widgets import Compare
    >>> started = wb.RunStarted(protocol="p", params={"turns": 2})
    >>> Compare(wb.Run([started]), wb.Run([started]))
    <Compare of 2 runs: the runs are equal>
    """

    _esm = esm("compare/widget.js", "compare")
    _css = css("compare")
    makers = payload.MAKERS

    def __init__(
        self,
        *runs: Run | Session | str | os.PathLike[str],
        audits: Sequence[Run | str | os.PathLike[str] | None] | None = None,
        cursor: Cursor | None = None,
        **options: Any,
    ) -> None:
        self.lineup = Lineup(runs, audits)
        super().__init__(self.lineup, cursor=cursor, **options)
        for source in self.lineup.shared:
            source.common.watch(self)

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the summaries, the rows that differ, then rows in full."""
        return payload.first(self.lineup)

    def taken(self, *, grew: bool) -> None:
        """Compare anew when a session among the runs has grown, whichever widget drives it."""
        if not (self.lineup.refresh() or grew):
            super().taken(grew=False)
            return
        self._shown += 1  # the front end forgets the pages that it has
        if any(column.session and column.session.live for column in self.lineup.columns):
            with self.hold_sync():
                self.pages, self.texts = {}, {}
                self.head = self._head(complete=False)
        else:
            self._fill()

    @property
    def runs(self) -> list[Run]:
        """The runs as they stand, parents before their forks."""
        return [column.run for column in self.lineup.columns]

    def face(self) -> str:
        """Return the static face: what differs, in tables, with no script."""
        return face(self.lineup)

    def __repr__(self) -> str:
        return f"<Compare of {len(self.runs)} runs: {self.lineup.told}>"
