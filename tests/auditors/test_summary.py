"""An audit's figures against cases counted by hand, and what they refuse to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.auditors.test_audit import judged, title
from tests.scripts import judge, play, turn_of
from workbench.agents.case import Case
from workbench.auditors.audit import audit
from workbench.auditors.summary import Share, Summary, summary
from workbench.errors import RunError, RunFailed
from workbench.record.events import Asked
from workbench.record.run import Run

INVALID = {
    "R1": {"reason": "r", "verdict": "INVALID"},
    "R2": {"reason": "r", "verdict": "VALID"},
}
COSINES = {"analyst": 0.9, "buyer": 0.7, "critic": 0.2}


def evaluator(asked: Asked) -> str:
    """Return whose prediction is judged."""
    return asked.path.split("/")[3]


def by_hand(asked: Asked) -> Any:
    """Judge so that the figures can be counted.

    Logic: the buyer is INVALID in both turns, the critic of turn 1 is unreadable. ToM: the critic
    is wrong about all, the buyer's pair with the analyst of turn 2 is unreadable. RAG: only the
    analyst is effective.
    """
    if asked.role == "logic_auditor":
        if "/turn=1/critic/" in asked.path:
            return "?"
        return INVALID if "/buyer/" in asked.path else None
    if asked.role == "tom_auditor":
        if asked.path.startswith("/tom/turn=2/buyer/analyst/"):
            return "?"
        return {"reason": "r", "consistent": evaluator(asked) != "critic"}
    return {"reason": "r", "relevance": 10, "effective": "/analyst/" in asked.path}


def counted(case: Case) -> Run:
    """Return an audit that was judged by `by_hand`, with cosines that depend on the evaluator."""

    def cosine(*, one: str, other: str) -> float:
        who = one.split("-")[2]
        return COSINES[who] - 0.01 * int(one.split("-")[1])

    bound = audit(play(case), embeddings=True)
    return wb.run_sync(bound, lm=judge(by_hand), world={"cosine": cosine})


def test_figures_by_hand(case: Case) -> None:
    """Every figure is what counting on paper gives, with its n and its unknown."""
    found = summary(counted(case))

    assert Share(3, 5, 1) == found.logic_validity
    assert pytest.approx(60.0) == found.logic_validity.percent
    # 12 pairs; 4 of the critic are wrong, 1 of the buyer is unknown, so 7 of 11.
    assert Share(7, 11, 1) == found.tom_consistency
    assert Share(2, 6, 0) == found.rag_effectiveness
    assert 3.0 == found.rag_calls_per_turn
    assert {"new_goal": 1, "no_new_goal": 1, "no_entry": 0} == found.after_invalid
    # analyst 2 x 0.89 and 2 x 0.88, buyer 2 x 0.69 and 1 x 0.68; critic 2 x 0.19 and 2 x 0.18
    same, other = [0.89, 0.89, 0.88, 0.88, 0.69, 0.69, 0.68], [0.19, 0.19, 0.18, 0.18]
    assert (7, 4) == found.cosine_n
    assert "all-MiniLM-L6-v2" == found.encoder
    assert "mean over pairs, by all-MiniLM-L6-v2" in str(found)
    assert pytest.approx(np.mean(same)) == found.cosine_consistent
    assert pytest.approx(np.mean(other)) == found.cosine_inconsistent
    pooled = np.sqrt((6 * np.var(same, ddof=1) + 3 * np.var(other, ddof=1)) / 9)
    assert pytest.approx((np.mean(same) - np.mean(other)) / pooled) == found.cosine_d


def test_every_row_tells_its_n(case: Case) -> None:
    """Text and HTML tell each figure with its n, and the unknown where there are any."""
    found = summary(counted(case))
    text = str(found)

    assert "63.6 %" in text
    assert "[n=11 (evaluator, peer) pairs; 1 unknown]" in text
    assert "[n=5 proposals over the rules in force; 1 unknown]" in text
    assert "[n=6 search calls]" in text
    html = found._repr_mimebundle_()["text/html"]
    assert "1 unknown" in html
    assert "<script" not in html


def test_unknown_is_never_a_pass(case: Case) -> None:
    """With a judge that nobody can read, no figure is 0 or 100: nothing is judged."""
    found = summary(judged(play(case), lambda a: "?"))

    assert Share(0, 0, 6) == found.logic_validity
    assert Share(0, 0, 12) == found.tom_consistency
    assert Share(0, 0, 6) == found.rag_effectiveness
    assert found.logic_validity.percent is None
    assert "not judged (0 of 0, 6 unknown)" == str(found.logic_validity)
    assert 3 == str(found).count("not judged")


def test_no_units(case: Case) -> None:
    """A run without a goal has a summary without figures."""
    found = summary(judged(play(case, lambda a: "?")))

    assert [0, 0, 0] == [
        s.n for s in (found.logic_validity, found.tom_consistency, found.rag_effectiveness)
    ]
    assert found.rag_calls_per_turn is None
    assert "RAG calls a turn" in str(found)


@pytest.mark.parametrize(
    ("cosines", "verdict", "why"),
    [
        ([0.5], None, "the inconsistent group has n = 0; d needs at least 3"),
        ([0.1 + 0.2], "half", "all values are equal within both samples"),
    ],
)
def test_d_is_refused_with_a_reason(
    case: Case, cosines: list[float], verdict: str | None, why: str
) -> None:
    """Cohen's d is refused where one set is too small or nothing varies, and the row says why."""

    def override(asked: Asked) -> Any:
        if asked.role != "tom_auditor" or verdict is None:
            return None
        return {"reason": "r", "consistent": evaluator(asked) == "analyst"}

    bound = audit(play(case), embeddings=True)
    run = wb.run_sync(bound, lm=judge(override), world={"cosine": lambda one, other: cosines[0]})
    found = summary(run)

    assert found.cosine_d is None
    assert why in found.cosine_d_why
    assert "refused" in str(found)
    assert why in str(found)


def test_d_of_two_pairs_is_refused(case: Case) -> None:
    """Two pairs in a group are too few for a standard deviation; three in each will do."""

    def told(consistent: int) -> Summary:
        pairs = iter(range(6))

        def override(asked: Asked) -> Any:
            if asked.role != "tom_auditor":
                return None
            return {"reason": "r", "consistent": next(pairs) < consistent}

        values = iter((0.9, 0.8, 0.7, 0.4, 0.3, 0.2))
        world = {"cosine": lambda one, other: next(values)}
        bound = audit(play(case, turns=1), embeddings=True, auditors="tom")
        return summary(wb.run_sync(bound, lm=judge(override), world=world))

    assert (2, 4) == told(2).cosine_n
    assert told(2).cosine_d is None
    assert "the consistent group has n = 2; d needs at least 3" in str(told(2))
    assert told(3).cosine_d is not None


def test_d_tells_its_groups(case: Case) -> None:
    """Beside d stand the n of each group, and that its pairs are not independent."""
    (row,) = [r for r in summary(counted(case)).rows() if r.name.startswith("Cohen")]

    assert 11 == row.n
    assert "consistent n=7, inconsistent n=4" in row.note
    assert "not independent" in row.note


def test_who_judged(case: Case) -> None:
    """The judge's name and family, its answers and the seed are told."""
    judged_by = wb.ScriptedLM(judge()._answers, name="strict", family="oak")
    run = wb.run_sync(audit(play(case), embeddings=False), lm=judged_by, seed=5)
    found = summary(run)

    assert (("strict (oak)",), 5) == (found.judge, found.seed)
    assert f"strict (oak)  [n={run.usage.calls} model calls; seed 5]" in str(found)


def test_without_embeddings(case: Case) -> None:
    """Without cosines there are no means and no d, and it says that there are no values."""
    found = summary(judged(play(case)))

    assert (0, 0) == found.cosine_n
    assert found.cosine_consistent is None
    assert "the consistent group has n = 0" in found.cosine_d_why


def test_left_out_auditors_are_not_zeros(case: Case) -> None:
    """What was not judged is not judged, and the searches that were made are still counted."""
    found = summary(judged(play(case), auditors="logic"))

    assert 6 == found.logic_validity.n
    assert found.rag_effectiveness.percent is None
    assert 3.0 == found.rag_calls_per_turn


def test_interrupted_audit_tells_what_is_missing(case: Case, tmp_path: Path) -> None:
    """Units that an interrupted audit has not come to are unknown, not absent."""

    def fails(asked: Asked) -> None:
        if asked.role == "rag_auditor":
            raise RuntimeError("no more")

    with pytest.raises(RunFailed):
        judged(play(case, turns=1), fails, to=tmp_path / "one")
    found = summary(tmp_path / "one")

    assert Share(0, 0, 3) == found.rag_effectiveness
    assert 3 == found.logic_validity.n + found.logic_validity.unknown


def after(case: Case, override: Any = None, **options: Any) -> dict[str, int]:
    """Return what followed when everything is INVALID."""
    try:
        subject = play(case, override, **options)
    except RunFailed as stopped:
        subject = stopped.run or pytest.fail("no run was kept")
    strict = judged(subject, lambda a: INVALID if a.role == "logic_auditor" else None)
    return summary(strict).after_invalid


def test_what_followed_an_invalid_proposal(case: Case) -> None:
    """Section 6.4.3: a new goal, no further nomination, or no later entry of the Meta-Agent."""

    def concludes(asked: Asked) -> Any:
        done = title(asked) == "Ratification" and turn_of(asked) == 2
        return {"reason": "r", "decision": "conclude"} if done else None

    def dies(asked: Asked) -> None:
        if asked.path.startswith("/turn=2/ratify"):
            raise RuntimeError("no more")

    def no_goal(asked: Asked) -> Any:
        return "?" if asked.path.startswith("/turn=2/goal") else None

    assert {"new_goal": 3, "no_new_goal": 3, "no_entry": 0} == after(case, turns=2)
    assert {"new_goal": 3, "no_new_goal": 3, "no_entry": 0} == after(case, concludes, turns=5)
    assert {"new_goal": 3, "no_new_goal": 0, "no_entry": 3} == after(case, dies, turns=2)
    assert {"new_goal": 0, "no_new_goal": 3, "no_entry": 0} == after(case, no_goal, turns=2)


def test_only_audits(case: Case) -> None:
    """A summary of a run that is no audit is refused with what it is."""
    with pytest.raises(RunError, match="'bilayer', not an audit"):
        summary(play(case, turns=1))
    with pytest.raises(RunError, match="not an audit as this workbench makes them"):
        summary(Run([wb.RunStarted(protocol="audit", params={"material": {"old": 1}})]))
