"""Scripted models and small cases that the tests of the bi-layer block share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.agents.bilayer import bilayer
from workbench.agents.case import Case
from workbench.record.events import Asked
from workbench.record.run import Run

ROLES = ("analyst", "buyer", "critic")

CASE: dict[str, Any] = {
    "name": "picnic",
    "title": "A picnic within a budget",
    "brief": "Plan a picnic for at most 100 dollars.",
    "framework": "two steps",
    "phases": ["Plan", "Check", "Close"],
    "rules": [
        {"id": "R1", "text": "The total is 100 dollars or less."},
        {"id": "R2", "text": "A risk is named."},
    ],
    "roles": [
        {"name": name, "title": name.title(), "charge": f"Speaks as {name}.", "corpus": name}
        for name in ROLES
    ],
}
"""What a ``case.json`` holds; change a copy of it."""

Reply = str | dict[str, Any] | None
Override = Callable[[Asked], Reply]


def write_case(folder: Path, given: Mapping[str, Any] = CASE, *, documents: bool = True) -> Path:
    """Write a case and a short document for each of its roles."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.json").write_text(json.dumps(given), encoding="utf-8")
    if documents:
        for name in ROLES:
            (folder / name).mkdir(exist_ok=True)
            text = f"# Notes of the {name}\n\nThe {name} counts 40 dollars for bread and cheese."
            (folder / name / "notes.md").write_text(text, encoding="utf-8")
    return folder


def turn_of(asked: Asked) -> int:
    """Return the turn that an ask is made in."""
    return int(asked.path.split("/")[1].removeprefix("turn="))


def goal(
    turn: int, nominated: Iterable[str] = ROLES, phase: str = "Plan", constraint: object = None
) -> dict[str, Any]:
    """Return a goal as the Meta-Agent answers it."""
    return {
        "goal": f"goal-of-turn-{turn}",
        "phase": phase,
        "nominated": list(nominated),
        "set_constraint": constraint,
    }


def agents(override: Override | None = None) -> wb.ScriptedLM:
    """Return a model that plays all agents; `override` may give another reply to an ask.

    Each text that it writes names its kind, turn and author, so that a test can look for it.
    """

    def reply(asked: Asked) -> str:
        given = override(asked) if override is not None else None
        if given is None:
            given = usual(asked)
        return given if isinstance(given, str) else json.dumps(given)

    return wb.ScriptedLM(reply)


def usual(asked: Asked) -> dict[str, Any]:
    """Return what an agent answers when nothing is the matter."""
    turn, schema = turn_of(asked), asked.schema or {}
    if schema["title"] == "Goal":
        given = schema["properties"]
        return goal(turn, given["nominated"]["items"]["enum"], given["phase"]["enum"][0])
    if schema["title"] == "Queries":
        return {"queries": ["bread and cheese, or the price of the hub"]}
    if schema["title"] == "Ratification":
        return {"reason": f"reason-of-turn-{turn}", "decision": "refine"}
    said: dict[str, Any] = {}
    if "predictions" in schema["properties"]:
        peers = schema["properties"]["predictions"]["properties"]
        said["predictions"] = {p: f"prediction-{turn}-{asked.role}-of-{p}" for p in peers}
    said["contribution"] = f"contribution-{turn}-{asked.role}"
    return said


def judge(override: Override | None = None) -> wb.ScriptedLM:
    """Return a model that plays all auditors and finds no fault; `override` may find some."""

    def reply(asked: Asked) -> str:
        given = override(asked) if override is not None else None
        if given is None:
            given = lenient(asked)
        return given if isinstance(given, str) else json.dumps(given)

    return wb.ScriptedLM(reply, name="judge")


def lenient(asked: Asked) -> dict[str, Any]:
    """Return the verdict of an auditor that finds no fault."""
    properties = (asked.schema or {})["properties"]
    if asked.role == "logic_auditor":
        return {rule: {"reason": "kept", "verdict": "VALID"} for rule in properties}
    if asked.role == "tom_auditor":
        return {"reason": "foreseen", "consistent": True}
    return {"reason": "used", "relevance": 80, "effective": True}


async def found(*, query: str, corpus: str, k: int = 3) -> list[dict[str, Any]]:
    """Search nothing and find one passage."""
    return [{"passage": f"{corpus}/notes.md#p1", "text": f"passage of {corpus}", "score": 1.0}]


WORLD: dict[str, Any] = {"search": found}


def play(case: Case, override: Override | None = None, **options: Any) -> Run:
    """Run the bi-layer protocol over `case` with scripted agents and a search without documents."""
    to, seed = options.pop("to", None), options.pop("seed", 0)
    options.setdefault("turns", 2)
    bound = bilayer(case, **options)
    return wb.run_sync(bound, lm=agents(override), world=WORLD, to=to, seed=seed)


def script(name: str) -> wb.ScriptedLM:
    """Return the model that the command line's ``--lm NAME`` stands for in tests.

    ``agents`` and ``judge`` play their parts, ``dies`` fails in turn 2, ``slow`` takes its time.
    """

    def dies(asked: Asked) -> None:
        if turn_of(asked) == 2:
            raise RuntimeError("the script ends here")

    if name == "judge":
        return judge()
    lm = agents(dies if name == "dies" else None)
    return wb.ScriptedLM(lm._answers, latency_s=0.2) if name == "slow" else lm


def command_line() -> None:
    """Be the ``workbench`` command, with scripted models and search by words alone."""
    from workbench import cli
    from workbench.cli import live
    from workbench.knowledge.embedding import MiniLM

    MiniLM.installed = staticmethod(lambda: False)  # type: ignore[method-assign]
    live.language_model = lambda args: script(args.lm)
    raise SystemExit(cli.main())
