"""Widgets to step, see, compare and teach with runs of the workbench."""

from workbench_widgets.board.widget import Board
from workbench_widgets.compare.widget import Compare
from workbench_widgets.graph.widget import GraphView
from workbench_widgets.predict.widget import Predict
from workbench_widgets.shared.cursor import Cursor, link
from workbench_widgets.stepper.widget import Stepper
from workbench_widgets.tom.widget import ToMBoard

__all__ = ["Board", "Compare", "Cursor", "GraphView", "Predict", "Stepper", "ToMBoard", "link"]
