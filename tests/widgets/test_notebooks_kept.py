"""Notebooks that are kept: reopened without a kernel, or made into a page, they show what ran."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Page

RUN = Path(__file__).parents[2] / "sample_runs/aura_hub/aura_hub.run.jsonl"
CELL = f"""\
import workbench as wb
import workbench_widgets as ww
run = wb.open_run({str(RUN)!r})
audit = wb.open_run({str(RUN).replace(".run.", ".audit.run.")!r})
{{}}(run, audit=audit)"""
WORDS = {
    "ww.explorer": "Define the target audience for the Aura Hub.",
    "ww.ToMBoard": "inconsistent",
    "ww.GraphView": "Meta agent",
    "ww.Board": "Goal",
}
pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_reopened_and_converted(
    notebook: Callable[..., Page], lab: tuple[str, Path], tmp_path: Path
) -> None:
    """Each widget's static face is what a reader without its kernel gets."""
    page = notebook(*(CELL.format(name) for name in WORDS), name="kept.ipynb")
    shown = "document.querySelectorAll('.jp-OutputArea-child').length"
    page.wait_for_function(f"{shown} >= {len(WORDS)}", timeout=60_000)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(2000)
    kept = json.loads((lab[1] / "kept.ipynb").read_text())
    faces = [output["data"] for cell in kept["cells"] for output in cell["outputs"]]
    for data, words in zip(faces, WORDS.values(), strict=True):
        assert words in "".join(data["text/html"])
        assert "0x" not in "".join(data["text/plain"])

    kept["metadata"] = {"kernelspec": {"name": "gone", "display_name": "Gone"}}
    (lab[1] / "reopened.ipynb").write_text(json.dumps(kept))
    page.goto(f"{lab[0]}/lab/tree/reopened.ipynb?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    none = page.locator(".jp-Dialog button:has-text('No Kernel')")
    none.or_(page.locator(".jp-OutputArea")).first.wait_for()
    page.wait_for_timeout(1000)
    if none.is_visible():
        none.click()
    for words in WORDS.values():
        page.locator(".jp-OutputArea").get_by_text(words).first.wait_for(state="attached")

    html, _ = HTMLExporter(embed_images=True).from_notebook_node(
        nbformat.reads(json.dumps(kept), as_version=4)
    )
    for words in WORDS.values():
        assert words in html


def test_executed_and_converted(page: Page, tmp_path: Path) -> None:
    """Executed on the way to a page without the widgets' state, it shows the same faces."""
    cells = [nbformat.v4.new_code_cell(CELL.format(name)) for name in WORDS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "lesson.ipynb")
    flags = ["--to=html", "--execute", "--ExecutePreprocessor.store_widget_state=False"]
    command = [sys.executable, "-m", "nbconvert", *flags, str(tmp_path / "lesson.ipynb")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    page.goto((tmp_path / "lesson.html").as_uri())
    faces = page.locator(".jp-OutputArea-output[data-mime-type='text/html']")
    assert faces.count() == len(WORDS)
    for place, words in enumerate(WORDS.values()):
        assert faces.nth(place).bounding_box()["height"] > 100  # type: ignore[index]
        assert words in faces.nth(place).inner_text()
    assert page.errors == []  # type: ignore[attr-defined]
