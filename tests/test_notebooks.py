"""Every notebook runs from top to bottom, and those without a live model give what they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from ipykernel.kernelspec import get_kernel_dict
from nbclient import NotebookClient

import workbench as wb

FOLDER = Path(__file__).parents[1] / "notebooks"
LIVE = ["02_run_it_live"]
VIEW = "application/vnd.jupyter.widget-view+json"
RECORDED = sorted(p.stem for p in FOLDER.glob("*.ipynb") if p.stem not in LIVE)


def executed(name: str, folder: Path = FOLDER) -> tuple[Any, Any]:
    """Return a notebook as it is kept, and as it comes out now in a kernel that starts there."""
    kept = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    now = nbformat.from_dict(kept)  # a copy: the client writes into it
    options = {"metadata": {"path": str(folder)}}
    NotebookClient(
        now, timeout=1200, kernel_name="python3", coalesce_streams=True, resources=options
    ).execute()
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4), now


def outputs(notebook: Any) -> list[Any]:
    """Return what a notebook's cells put out, without counters and what only a kernel can show."""

    def plain(output: Any) -> dict[str, Any]:
        kept = {k: v for k, v in output.items() if k not in ("execution_count", "metadata")}
        if "data" in kept:
            data = {k: v for k, v in kept["data"].items() if k != VIEW}
            if "text/html" not in data:
                data.pop("image/svg+xml", None)  # a chart: its letters are as wide as the fonts are
            kept["data"] = data
        return kept

    return [
        [plain(output) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    """A notebook over recorded runs shows again what it shows in the repository."""
    kept, now = executed(name)

    assert outputs(kept) == outputs(now)


@pytest.mark.local
@pytest.mark.slow
@pytest.mark.parametrize("name", LIVE)
def test_live(name: str, tmp_path: Path) -> None:
    """A notebook that runs the embedded model runs through, whatever the model says."""
    (tmp_path / "notebooks").mkdir()
    _, now = executed(name, tmp_path / "notebooks")

    assert all(o["output_type"] != "error" for cell in outputs(now) for o in cell)


SCRIPTED = """
import sys
sys.path.insert(0, {root!r})
import workbench as wb
from tests import scripts
from workbench.engine import run
from workbench.knowledge.embedding import MiniLM

def reply(asked):
    return "I would rather not." if asked.path in {refused!r} else None

MiniLM.installed = staticmethod(lambda: False)
wb.LocalLM = lambda: scripts.agents(reply)
run.from_description = lambda description: scripts.agents(reply)  # for the resume
"""
"""A first cell: scripted agents in place of the embedded model, whose first replies are no goal."""
TRIES = tuple(f"/turn=1/goal/try={number}" for number in (1, 2, 3))
GOAL = "goal-of-turn-1 ['product_manager', "


@pytest.mark.parametrize(
    ("refused", "first", "then"),
    [
        ((), GOAL, "complete with 6 new answers; 0 asked again"),
        (TRIES[:1], GOAL, "complete with 6 new answers; 0 asked again"),
        (TRIES, "[]\n", "complete with 0 new answers"),
    ],
)
def test_live_goals(refused: tuple[str, ...], first: str, then: str, tmp_path: Path) -> None:
    """The live notebook goes through where a first goal is asked again, or never comes.

    Its run is left in ``out/``, beside the folder that its kernel starts in.
    """
    (tmp_path / "notebooks").mkdir()
    notebook = nbformat.read(FOLDER / "02_run_it_live.ipynb", as_version=4)
    cell = nbformat.v4.new_code_cell(SCRIPTED.format(root=str(FOLDER.parent), refused=refused))
    notebook.cells.insert(0, cell)
    options = {"metadata": {"path": str(tmp_path / "notebooks")}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=options).execute()
    said = ["".join(o.get("text", "") for o in outs) for outs in outputs(notebook)]

    assert said[2].startswith(first)
    assert said[4].startswith(then)
    (made,) = (tmp_path / "out").iterdir()
    assert wb.verify(made)


@pytest.mark.parametrize("name", sorted(p.stem for p in FOLDER.glob("*.ipynb")))
def test_kept(name: str) -> None:
    """A notebook is kept with its outputs, stable cell ids and no path of anybody's machine.

    Its kernel has the name that JupyterLab gives it, which would otherwise change it on opening.
    """
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    kept = nbformat.reads(text, as_version=4)

    assert [f"cell-{i:02d}" for i in range(len(kept.cells))] == [c.id for c in kept.cells]
    assert any(cell.outputs for cell in kept.cells if cell.cell_type == "code")
    assert not re.search(r"/(home|root|Users)/\w", text)
    assert kept.metadata.kernelspec.display_name == get_kernel_dict()["display_name"]
