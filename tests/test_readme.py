"""The README's code runs as it stands there, with a scripted model in the place of a live one."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.scripts import lenient, usual
from workbench.agents.case import case_folder
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.embedding import MiniLM
from workbench.lm.local import LocalLM
from workbench.record.events import Asked

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ROLES = ["product_manager", "marketing_lead", "finance_analyst"]


def plays(asked: Asked) -> str:
    """Answer as an agent of any protocol, or as a judge who finds no fault."""
    if asked.schema is None:
        return f"It is, says {asked.role} at {asked.path}."
    given = lenient(asked) if asked.role.endswith("_auditor") else usual(asked)
    if asked.schema["title"] == "Goal":
        given |= {"phase": "Discover", "nominated": ROLES}
    return json.dumps(given)


class Vectors:
    """Stands for the embedding model."""

    def encode(self, texts: list[str], **_: Any) -> Any:
        """Return a unit vector that depends on the text."""
        return np.array([np.eye(384)[len(text) % 384] for text in texts])


def shown(code: str, names: dict[str, Any]) -> list[Any]:
    """Run a block as a notebook does, and return the values of its bare expressions."""
    values: list[Any] = []
    tree = ast.parse(code)
    for node in tree.body:
        if isinstance(node, ast.Expr):
            node.value = ast.Call(ast.Name("_show", ast.Load()), [node.value], [])
    compiled = compile(
        ast.fix_missing_locations(tree), "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )

    names["_show"] = values.append

    async def go() -> None:
        made = eval(compiled, names)  # the page is our own
        if made is not None:  # a block with an await in it
            await made

    asyncio.run(go())
    return values


def test_the_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line does what is said beside it."""
    (tmp_path / "sample_runs").symlink_to(ROOT / "sample_runs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(MiniLM, "_model", Vectors())
    script = wb.ScriptedLM(plays)
    monkeypatch.setattr(LocalLM, "answer", lambda self, asked: script.answer(asked))
    names: dict[str, Any] = {"__name__": "readme"}
    one, seen, other = BLOCKS
    summary, verified, diff, predictions = shown(one, names)

    case, run, audit, fork = (names[name] for name in ("case", "run", "audit", "fork"))
    assert 3 == len(case.roles)
    folder = case_folder("aura_hub")
    assert 13 == sum(len(Corpus.read(folder, within=r.corpus).documents) for r in case.roles)
    assert ["complete"] * 3 == [made.status for made in (run, audit, fork)]
    assert 100 == summary.logic_validity.percent
    assert "n=6" in str(summary)
    assert verified
    assert run.digest == fork.started.lineage.parent
    assert diff
    assert 12 == predictions.filter(predictions["run"] == run.digest[:12]).height
    assert 0 == names["session"].cursor

    widgets = shown(seen, names)
    made = [type(widget).__name__ for widget in widgets[:-1]]
    assert ["Explorer", "Stepper", "Compare", "Intervals", "Consultation", "Predict"] == made
    assert (tmp_path / "run.html").stat().st_size > 100_000

    assert [] == shown(other, names)
    assert ["ann: It is, says ann at /round=1/ann/speak."] == names["run"].result[:1]
    assert 4 == len(names["run"].facts_of("Position"))
