"""Widgets to step, see, compare and teach with runs of the workbench.

Each takes a `Run` or a live `Session`, shows itself in JupyterLab and marimo, and has a static face
for where there is no kernel. Widgets on one run share a cursor.
"""

from typing import TYPE_CHECKING

from workbench_widgets.board.widget import Board
from workbench_widgets.compare.widget import Compare
from workbench_widgets.consult.widget import Consultation
from workbench_widgets.explore.widget import Explorer, explorer
from workbench_widgets.graph.widget import GraphView
from workbench_widgets.handouts.page import handout, handout_html
from workbench_widgets.predict.widget import Predict
from workbench_widgets.shared.cursor import Cursor, link
from workbench_widgets.stepper.widget import Stepper
from workbench_widgets.tom.widget import ToMBoard

if TYPE_CHECKING:
    from workbench_widgets.intervals.widget import Intervals

__all__ = [
    "Board",
    "Compare",
    "Consultation",
    "Cursor",
    "Explorer",
    "GraphView",
    "Intervals",
    "Predict",
    "Stepper",
    "ToMBoard",
    "explorer",
    "handout",
    "handout_html",
    "link",
]


def __dir__() -> list[str]:
    return [*globals(), "Intervals"]


def __getattr__(name: str) -> object:
    if name == "Intervals":  # it alone needs altair, which takes a second to load
        from workbench_widgets.intervals.widget import Intervals

        return Intervals
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
