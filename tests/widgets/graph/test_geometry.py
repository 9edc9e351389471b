"""The counts that the widget makes of a page, in node, against what passed by Python."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import workbench as wb
from tests.toys import debate, words
from workbench_widgets.graph import payload
from workbench_widgets.graph.flow import flow
from workbench_widgets.graph.payload import spending
from workbench_widgets.shared.source import Source

SCRIPT = Path(__file__).with_name("fold.mjs")
SAMPLE = Path(__file__).parents[3] / "sample_runs/aura_hub/aura_hub.run.jsonl"

pytestmark = pytest.mark.usefixtures("node")


def in_node(given: object) -> list[dict[str, object]]:
    """Return what the script makes of pages and places."""
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    made: list[dict[str, object]] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize("order", ["happened", "path"])
@pytest.mark.parametrize("name", ["aura_hub", "debate"])
def test_counts_at_every_place(name: str, order: str) -> None:
    """In the turn and in the run so far, edges and calls are those up to the cursor."""
    if name == "aura_hub":
        run = wb.open_run(SAMPLE)
    else:
        run = wb.run_sync(debate(n=12, turns=4), lm=wb.ScriptedLM(words))
    source = Source(run)
    found = flow(source)
    stands = source.positions[order]
    turns, starts = found.turns(order)
    many = (len(run) + payload.STEPS - 1) // payload.STEPS
    pages = [payload.steps(source, f"{order}/{number}") for number in range(many)]
    made = in_node([[pages[place // payload.STEPS], place] for place in range(len(run))])
    last_calls: dict[int, int] = {}
    for place, one in enumerate(made):
        for scope, first in (("run", 0), ("turn", starts[place])):
            want = Counter(
                int(edge)
                for at, edge in zip(found.at, found.edge, strict=True)
                if first <= stands[at] <= place
            )
            assert sorted(map(list, want.items())) == one[scope]
        last_calls = {node: calls for node, calls, _, _ in one["nodes"]}  # type: ignore[attr-defined]
        assert one["turn_number"] == turns[place]

    assert sum(last_calls.values()) == run.usage.calls


def test_words_of_a_node_are_those_of_the_picture() -> None:
    """Calls and tokens read the same, drawn by Python and told by the widget."""
    cases = [(0, 0, 0), (1, 5, 0), (2, 0, 2), (1200, 34567, 1)]
    made = in_node([["spending", list(case)] for case in cases])

    assert made == [spending(*case) for case in cases]
