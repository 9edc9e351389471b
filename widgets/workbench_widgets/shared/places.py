"""Where events stand in the order by path: what a view without the stepper needs to step."""

from __future__ import annotations

from collections.abc import Sequence

from workbench import Run
from workbench_widgets.shared.source import JSON, Source, turn

PLACES = 5000
"""Events on a page."""


def in_order(source: Source, order: str) -> Sequence[int]:
    """Return the events' indices in an order; as it happened, without sorting a long run by path.

    Raises
    ------
    KeyError
        If there is no such order.
    """
    return range(len(source.run)) if order == "happened" else source.order[order]


def standing(source: Source, order: str) -> Sequence[int]:
    """Return where each event stands in an order: the inverse of `in_order`."""
    return range(len(source.run)) if order == "happened" else source.positions[order]


def places(source: Source, key: str) -> dict[str, JSON]:
    """Return the N-th page of places in the order by path.

    ``places`` holds where each event of the page stands, by its index; ``events`` the event at
    each place of the page.
    """
    first = int(key) * PLACES
    if not 0 <= first < max(1, len(source.run)):
        raise KeyError(f"no places {key}")
    return {
        "places": source.positions["path"][first : first + PLACES],
        "events": source.order["path"][first : first + PLACES],
    }


def pages(source: Source) -> range:
    """Return the numbers of all pages."""
    return range((len(source.run) + PLACES - 1) // PLACES)


def goals(run: Run) -> dict[int | None, str]:
    """Return the path of each turn's goal, by the turn's number."""
    found: dict[int | None, str] = {}
    for event in run.facts_of("GoalSet"):
        found.setdefault(turn(event), event.path)
    return found
