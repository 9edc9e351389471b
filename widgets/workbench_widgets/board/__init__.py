"""The state of a deliberation at a place of its run: goal, rules, drafts, knowledge, verdicts."""

from workbench_widgets.board.cells import CELLS
from workbench_widgets.board.maven import MAVEN

CELLS.update(MAVEN)
