"""The board: what holds at the cursor, and what the last step changed."""

from __future__ import annotations

from collections.abc import Iterator

from workbench_widgets.board import payload
from workbench_widgets.board.face import face
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.widget import RunWidget


class Board(RunWidget):
    """The state of a deliberation at the cursor.

    Goal, phase, plan, rules in force, drafts, knowledge cache, open questions, verdicts (of the
    audit, of what has happened), decision; each cell with its author, its turn and what it rests
    on, and those that the event at the cursor set are marked *new* or *changed*.

    Parameters
    ----------
    run : Run, Session or Source
    audit : Run, optional
    cursor : Cursor, optional
    **options
        ``rail=False`` leaves out the buttons to step.

    See Also
    --------
    workbench_widgets.board.cells.CELLS : what each kind of fact puts on the board.
    """

    _esm = esm("board/widget.js", "board")
    _css = css("board")
    makers = payload.MAKERS

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the states, page by page."""
        return payload.first(self.source)

    def face(self) -> str:
        """Return the last state as a table, with no script."""
        return face(self.source)
