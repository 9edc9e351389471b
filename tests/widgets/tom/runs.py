"""Runs and audits that the tests of the Theory-of-Mind board are made of."""

from __future__ import annotations

import random
from typing import Any

import workbench as wb
from workbench.record.events import Event, Posted, RunEnded, RunStarted

CASE = {"case": {"title": "Many agents"}, "mode": "full"}


def posted(path: str, kind: str, clock: int, **data: Any) -> Posted:
    """Return a fact."""
    return Posted(path=path, kind=kind, data=data, sources=(), clock=clock)


def large(turns: int, agents: int, *, words: str = "as foreseen") -> tuple[wb.Run, wb.Run]:
    """Return a run in which all agents predict each other in every turn, and an audit of it."""
    draw = random.Random(7)
    names = [f"agent_{i:02}" for i in range(agents)]
    run: list[Event] = [RunStarted(protocol="bilayer", params=CASE)]
    audit: list[Event] = [RunStarted(protocol="audit", params={})]
    for turn in range(1, turns + 1):
        at, clock = f"/turn={turn}", 3 * turn
        goal = {"turn": turn, "goal": "go", "phase": "P", "nominated": names}
        run.append(posted(f"{at}/goal", "GoalSet", clock, **goal))
        for name in names:
            path = f"{at}/{name}/proposal"
            peers = [peer for peer in names if peer != name]
            said = {
                "predictions": {peer: f"{words}, {peer}" for peer in peers},
                "contribution": f"{name} in turn {turn}",
            }
            run.append(posted(path, "Proposed", clock + 1, turn=turn, author=name, **said))
            audit.extend(
                posted(
                    f"{at}/tom/{name}/{peer}",
                    "ToMVerdict",
                    turn,
                    subject=path,
                    peer=peer,
                    verdict=draw.choice(("consistent", "inconsistent")),
                    reason="so",
                    cosine=min(1.0, 0.2 + 0.6 * turn / turns + draw.random() / 5),
                )
                for peer in peers
            )
    run.append(RunEnded(status="complete", result=None, clock=3 * turns + 3))
    audit.append(RunEnded(status="complete", result=None, clock=turns + 1))
    return with_audit(run, audit)


def with_audit(run: list[Event], audit: list[Event]) -> tuple[wb.Run, wb.Run]:
    """Return a run and an audit that names it as its subject."""
    whole = wb.Run(run)
    subject = RunStarted(protocol="audit", params={}, subject=whole.digest)
    return whole, wb.Run([subject, *audit[1:]])


def odd() -> tuple[wb.Run, wb.Run]:
    """Return a run of three turns, with its audit, in which much is missing.

    Turn 1 is for `a` alone. In turn 2 `b` could not be read, `a` did not predict `c`, and `a` and
    `c` predict `d`, who was not nominated. In turn 3 `a` spoke before the run broke off.
    """
    who = {"turn": 2, "nominated": ["a", "b", "c"]}
    run: list[Event] = [
        RunStarted(protocol="bilayer", params=CASE),
        posted("/turn=1/goal", "GoalSet", 1, turn=1, goal="first", phase="P", nominated=["a"]),
        proposed(1, "a", 2, {}),
        posted("/turn=2/goal", "GoalSet", 3, goal="second", phase="Q", **who),
        proposed(2, "a", 4, {"b": "b will", "d": "d will"}),
        posted("/turn=2/b/proposal", "NotProposed", 5, turn=2, author="b", reason="no JSON"),
        proposed(2, "c", 6, {"a": "a will", "b": "b will not", "d": "d may"}),
        posted("/turn=3/goal", "GoalSet", 7, turn=3, goal="third", phase="Q", nominated=["a", "c"]),
        proposed(3, "a", 8, {"c": "c will"}),
    ]
    verdicts = [("c", "a", "consistent", 0.5), ("a", "b", "unknown", None)]
    audit: list[Event] = [
        RunStarted(protocol="audit", params={}),
        *(
            posted(
                f"/{one}/{peer}",
                "ToMVerdict",
                i,
                subject=f"/turn=2/{one}/proposal",
                peer=peer,
                verdict=verdict,
                reason=f"because of {peer}",
                cosine=cosine,
            )
            for i, (one, peer, verdict, cosine) in enumerate(verdicts, 1)
        ),
    ]
    return with_audit(run, audit)


def proposed(turn: int, author: str, clock: int, predictions: dict[str, str]) -> Posted:
    """Return a proposal."""
    return posted(
        f"/turn={turn}/{author}/proposal",
        "Proposed",
        clock,
        turn=turn,
        author=author,
        predictions=predictions,
        contribution=f"{author} says in turn {turn}",
    )


def stopped(run: wb.Run) -> wb.Run:
    """Return a run that fails where another one was cut off."""
    end = RunEnded(status="failed", result=None, error="no wire", clock=len(run))
    return wb.Run([*run.events, end])


def empty() -> wb.Run:
    """Return a run in which nothing has happened."""
    return wb.Run([RunStarted(protocol="toy", params={})])
