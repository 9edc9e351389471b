"""The stepper: a run, event by event, forward and back."""

from __future__ import annotations

from collections.abc import Iterator

from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.widget import RunWidget
from workbench_widgets.stepper import payload


class Stepper(RunWidget):
    """A run's events on a timeline with a lane for each agent, and the selected one in full."""

    _esm = esm("stepper/widget.js", "stepper")
    _css = css("stepper")
    makers = payload.MAKERS

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the turns, the rows, then events in full."""
        return payload.first(self.source)
