#!/usr/bin/env python3
"""Execute the recorded notebooks again and keep their outputs, without what only a kernel can show.

python scripts/keep_notebooks.py [NAME ...]    # all but the live ones
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from ipykernel.kernelspec import get_kernel_dict
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
LIVE = {"02_run_it_live"}
VIEW = "application/vnd.jupyter.widget-view+json"


def keep(path: Path) -> None:
    """Execute a notebook, and keep each widget's static face in place of its view."""
    made = nbformat.read(path, as_version=4)
    options = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(
        made, timeout=1200, store_widget_state=False, coalesce_streams=True, resources=options
    ).execute()
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number:02d}"
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(VIEW, None)
    made.metadata.pop("widgets", None)
    # By another name JupyterLab would change it, and the notebook be unsaved as soon as it is open.
    made.metadata.kernelspec.display_name = get_kernel_dict()["display_name"]
    nbformat.write(made, path)
    print(path.name)


if __name__ == "__main__":
    named = sys.argv[1:] or sorted(p.stem for p in FOLDER.glob("*.ipynb") if p.stem not in LIVE)
    for name in named:
        keep(FOLDER / f"{name}.ipynb")
