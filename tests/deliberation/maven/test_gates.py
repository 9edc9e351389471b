"""Counts of the structural gate by role and tier."""

from __future__ import annotations

import json

import workbench as wb
from tests.deliberation.maven.scripts import Reply, play, title, usual
from workbench.deliberation.maven.gates import gate_counts
from workbench.record.events import Asked


def test_gate_counts() -> None:
    """Each question stands under the tier that gave its value, and its attempts are summed."""

    def reply(asked: Asked) -> Reply:
        text = json.dumps(usual(asked))
        if asked.role == "skeptic":
            return "Gladly: " + text
        if asked.role == "judge":
            return text[:-1]
        if asked.path.startswith("/turn=0/fast_proposer=2"):
            return "?"
        if title(asked) == "Plan" and asked.path.endswith("try=1"):
            return "?"
        return text

    counted = gate_counts(wb.tables(play(reply)).gates)
    names = ["role", "questions", "direct", "regex", "fence", "repair", "unread", "attempts"]

    assert names == counted.columns
    rows = {row[0]: row[1:] for row in counted.iter_rows()}
    assert (5, 4, 0, 0, 0, 1, 7) == rows["fast_proposer"]
    assert (1, 1, 0, 0, 0, 0, 2) == rows["planner"]
    assert (1, 0, 1, 0, 0, 0, 1) == rows["skeptic"]
    assert (1, 0, 0, 0, 1, 0, 1) == rows["judge"]
    assert (4, 4, 0, 0, 0, 0, 4) == rows["researcher"]
    assert gate_counts(wb.tables([]).gates).is_empty()
