"""The workspace: at every step the fold of the events is the state that the protocol holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.deliberation.maven.scripts import OPTIONS, QUESTION, agents, facts, judging, play
from workbench.deliberation.maven.maven import maven
from workbench.deliberation.maven.workspace import Workspace, workspace
from workbench.engine.execution import Execution
from workbench.errors import RunError
from workbench.record.run import Run

RUN = play(judging("reject", "replan", "accept"))
PARTS = ["query", "intuitions", "plan", "draft", "justifications", "cache", "trace"]


def live(steps: Any) -> Workspace | None:
    """Return the workspace that a protocol under way holds."""
    board = steps.gi_frame.f_locals.get("board") if steps.gi_frame else None
    return None if board is None else board.now


@given(st.randoms(use_true_random=False))
def test_the_fold_is_the_live_state(draw: Any) -> None:
    """After each answer, in whatever order they come, both are equal."""
    bound = maven(QUESTION, OPTIONS)
    steps = bound.steps()
    execution = Execution(steps)
    events: list[Any] = [RUN.started, *execution.start()]
    seen = 0
    while execution.pending:
        path = draw.choice(list(execution.pending))
        events += execution.feed(RUN.answers[path])
        if (held := live(steps)) is not None:
            assert held == workspace(Run(events))
            seen += 1

    assert len(RUN.answers) - 1 == seen


def test_seven_parts() -> None:
    """W_t has the seven parts of Eq. 1, all filled in the middle of a run."""
    assert PARTS == list(Workspace.__dataclass_fields__)
    at = workspace(RUN, "/turn=2/judge/judgement/try=1")

    assert QUESTION == at.query.question
    assert [1, 2, 3, 4, 5] == [one.fact.number for one in at.intuitions]
    assert ("/turn=0/planner/planned", "/turn=1/reviser/draft", "/turn=2/responder/defended") == (
        at.plan and at.plan.path,
        at.draft and at.draft.path,
        at.justifications and at.justifications.path,
    )
    assert 6 == len(at.cache)
    assert ["reject"] == [one.fact.verdict for one in at.trace]


def test_a_replan_keeps_what_was_verified() -> None:
    """A Replan discards the plan, the draft and the defence; R, K and V stay."""
    before = workspace(RUN, "/turn=2/researcher/reported")
    after = workspace(RUN, "/turn=2/judge/judged")

    assert (None, None, None) == (after.plan, after.draft, after.justifications)
    assert (before.intuitions, before.cache) == (after.intuitions, after.cache)
    assert ["reject", "replan"] == [one.fact.verdict for one in after.trace]
    anew = workspace(RUN, "/turn=2/synthesizer/draft")
    assert "/turn=2/planner/planned" == (anew.plan and anew.plan.path)


def test_the_cache_only_grows() -> None:
    """At every step K holds all that it held before, unchanged."""
    held: dict[str, Any] = {}
    for count in range(1, len(RUN) + 1):
        now = dict(workspace(RUN, count).cache)
        assert held.items() <= now.items()
        held = now

    assert 9 == len(held)
    assert held == workspace(RUN).cache


def test_no_cache() -> None:
    """Without the cache K stays empty, and the evidence is in the reports alone."""
    run = play(judging("reject", "accept"), cache=False)

    assert {} == workspace(run).cache
    assert [3, 3] == [len(report["findings"]) for report in facts(run, "EvidenceReported")]


def test_at_a_number_of_events() -> None:
    """A number counts events as a session's cursor does: 1 is the beginning."""
    assert workspace(RUN, 1) == Workspace(query=workspace(RUN).query)
    assert workspace(RUN) == workspace(RUN, len(RUN))


def test_where_there_is_none() -> None:
    """An unknown path and another protocol are told of."""
    with pytest.raises(KeyError, match="/turn=9 is not in this run"):
        workspace(RUN, "/turn=9")
    with pytest.raises(RunError, match="'bilayer'"):
        workspace(Run([wb.RunStarted(protocol="bilayer", params={})]))


def test_forks_have_their_own(tmp_path: Any) -> None:
    """A fork at the Judge shares the workspace up to it and goes on otherwise."""
    import json

    verdict = json.loads(RUN.answers["/turn=1/judge/judgement/try=1"].text)
    accepted = (
        verdict
        | dict.fromkeys(("factual", "coherence", "completeness", "neutrality"), 5)
        | {"verdict": "accept"}
    )
    edit = {"/turn=1/judge/judgement/try=1": json.dumps(accepted)}
    twin = wb.wait(wb.fork(RUN, edit, lm=agents()))

    at = "/turn=1/researcher/reported"
    assert workspace(RUN, at) == workspace(twin, at)
    assert ("accepted", 1) == (twin.result["ended"], twin.result["iterations"])
