"""Widgets to step, see, compare and teach with runs of the workbench."""

from workbench_widgets.compare.widget import Compare
from workbench_widgets.graph.widget import GraphView
from workbench_widgets.shared.cursor import Cursor, link
from workbench_widgets.stepper.widget import Stepper

__all__ = ["Compare", "Cursor", "GraphView", "Stepper", "link"]
