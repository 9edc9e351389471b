"""The Theory-of-Mind board: each specialist's predictions of its peers, and what they then said."""

from __future__ import annotations

from collections.abc import Iterator

from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.widget import RunWidget
from workbench_widgets.tom import payload
from workbench_widgets.tom.face import face


class ToMBoard(RunWidget):
    """Who foresaw what: the turn at the cursor as a matrix of predictors and peers.

    A cell holds the judge's verdict and the cosine of prediction and contribution, both from the
    audit; it opens to the two texts side by side. Below, each pair has a strip over the turns.
    What the cursor has not reached is not shown.

    Parameters
    ----------
    run : Run, Session or Source
    audit : Run, optional
        Without one there are predictions and contributions, but no verdicts and no cosines.
    cursor : Cursor, optional
        By default the one that all widgets on this run share.

    Examples
    --------
    >>> import workbench as wb
    >>> from workbench.record.events import RunStarted
    >>> ToMBoard(wb.Run([RunStarted(protocol="toy", params={})]))
    <ToMBoard of <Run toy: interrupted, 1 events, 0 calls, 0 tokens in, 0 out>>
    """

    _esm = esm("tom/widget.js", payload.MOUNT)
    _css = css(*payload.STYLES)
    makers = payload.MAKERS

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the matrices and strips, then the texts of each pair."""
        return payload.first(self.source)

    def face(self) -> str:
        """Return each turn's matrix as a table, for a notebook without a kernel."""
        return face(self.source)
