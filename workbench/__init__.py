"""A research workbench for multi-agent LLM reasoning: ``import workbench as wb``.

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "agents.bilayer": "bilayer",
    "agents.case": "Case",
    "auditors.audit": "audit",
    "auditors.summary": "summary",
    "engine.commands": "Node all_of ask call consult graph_of post rng within",
    "engine.execution": "Execution",
    "engine.fork": "fork",
    "engine.gate": "Parsed Unparsed ask_json",
    "engine.loop": "wait",
    "engine.protocol": "find_protocol protocol",
    "engine.run": "rerun resume run run_sync",
    "engine.session": "Session",
    "engine.verify": "replay verify",
    "record.diff": "diff",
    "record.events": "Answered Asked Called Consulted Failed Posted Returned RunEnded RunStarted "
    "Said Sampling",
    "record.facts": "Fact",
    "record.parts": "Part",
    "record.run": "Run open_run",
    "record.tables": "tables",
    "views.report": "export",
    "knowledge.corpus": "Corpus",
    "knowledge.embedding": "MiniLM",
    "knowledge.retrieval": "Index",
    "lm.base": "allow_model_requests",
    "lm.limits": "limited",
    "lm.local": "LocalLM",
    "lm.openai": "OpenAILM",
    "lm.scripted": "ScriptedLM",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}") from None
    value = getattr(import_module(f"workbench.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
