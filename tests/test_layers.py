"""Imports only go down, and ``import workbench`` loads next to nothing.

The rules are data: to add a block, add its row to `MAY_IMPORT`.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import workbench

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "workbench"
WIDGETS = ROOT / "widgets" / "workbench_widgets"

BASE = ("_version", "cache", "errors")
RECORD = (*BASE, "record")
PURE_ENGINE = tuple(
    f"engine.{name}"
    for name in (
        "commands",
        "legality",
        "seeds",
        "execution",
        "task",
        "protocol",
        "gate",
        "fields",
        "taken",
        "tiers",
        "repair",
        "verify",
    )
)
BLOCKS = ("agents", "auditors", "topology", "deliberation", "diagnosis")
PROTOCOL = (*RECORD, "engine", "knowledge")
VIEW = (*RECORD, "views", "workbench_widgets.shared")
LIVE = ("engine.drive", "engine.protocol", "engine.session", "engine.fork")

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "_root": (),
    "_version": (),
    "cache": (),
    "errors": (),
    "record": RECORD,
    "record.run": (*RECORD, "views.html"),  # its static face, at display
    "views": RECORD,
    "views.consultation": (*RECORD, "views", "deliberation.consultation"),
    "views.report": (*RECORD, "views", "auditors.summary"),
    "stats": ("errors",),
    # how it happens
    **dict.fromkeys(PURE_ENGINE, (*RECORD, *PURE_ENGINE)),
    "engine": (*RECORD, *PURE_ENGINE, "lm"),
    "engine.session": (*RECORD, "engine", "lm", "views.html"),  # its static face, at display
    "lm": RECORD,
    "knowledge": RECORD,
    "datasets": (*RECORD, "engine.commands", "deliberation.answers"),
    # protocols: no model, no world
    **dict.fromkeys(BLOCKS, PROTOCOL),
    # its static face, at display
    "deliberation.coherence": (*PROTOCOL, "deliberation", "views.coherence"),
    # what they judge
    "auditors": (*PROTOCOL, "agents.case", "agents.facts", "deliberation.facts"),
    # what is made of runs
    "auditors.accuracy": (*RECORD, "auditors", "stats"),
    "auditors.summary": (*RECORD, "auditors", "stats"),
    "figures": (*RECORD, "stats"),
    "experiments": (*PROTOCOL, *BLOCKS, "datasets", "lm", "stats", "figures"),
    # the outer ring
    "testing": (*PROTOCOL, *BLOCKS, "lm"),
    "cli": (*PROTOCOL, *BLOCKS, "datasets", "lm", "stats", "views", "figures", "experiments"),
    # the widgets, which read runs and know no agent, auditor or protocol
    "workbench_widgets._root": ("workbench_widgets",),
    "workbench_widgets.shared": (*VIEW, "engine.session"),
    "workbench_widgets.board": VIEW,
    "workbench_widgets.compare": (*VIEW, "engine.session"),
    "workbench_widgets.consult": (*VIEW, "engine.session"),
    "workbench_widgets.graph": (*VIEW, "engine.session"),
    "workbench_widgets.predict": (*VIEW, "engine.session"),
    "workbench_widgets.stepper": (*VIEW, *LIVE, "engine.run", "lm.base", "_root"),  # and `wb.fork`
    "workbench_widgets.tom": VIEW,
    # which are put together of views
    "workbench_widgets.explore": (
        *VIEW,
        *(
            f"workbench_widgets.{view}.payload"
            for view in ("board", "consult", "graph", "stepper", "tom")
        ),
        "engine.session",
        "workbench_widgets.consult.source",
        "workbench_widgets.stepper.widget",
    ),
    "workbench_widgets.handouts": (
        *VIEW,
        "workbench_widgets.explore.payload",
        "workbench_widgets.predict",
    ),
    "workbench_widgets.intervals": (*VIEW, "figures", "workbench_widgets.stepper.widget"),
}
"""What a block may import besides itself. The longest name that fits a module is its row; a block
that is named here stands for all that is in it. ``_root`` is a package's own ``__init__.py``; what
is imported from `workbench` itself counts as imported from its home."""

ONLY_IN: dict[str, tuple[str, ...]] = {
    "aiohttp": ("lm",),
    "altair": ("figures", "workbench_widgets.intervals.chart"),
    "anywidget": ("workbench_widgets.shared.widget", "workbench_widgets.intervals.run_list"),
    "asyncio": (
        "cli.person",
        *(f"engine.{name}" for name in ("drive", "fork", "loop", "run", "session")),
        "experiments.jobs",
        "knowledge.tool",
        "lm",
    ),
    "bm25s": ("knowledge",),
    "bs4": ("knowledge",),
    "distributed": ("experiments",),
    "httpx2": ("lm",),
    "ipywidgets": ("workbench_widgets.intervals.widget",),
    "networkx": ("deliberation.coherence", "workbench_widgets.graph"),
    "openai": ("lm",),
    "pypdf": ("knowledge",),
    "pyvis": ("workbench_widgets.graph.page",),
    "scipy": ("stats",),
    "sentence_transformers": ("knowledge",),
    "torch": ("knowledge", "topology"),
    "traitlets": tuple(f"workbench_widgets.{name}" for name in ("shared", "predict", "intervals")),
    "workbench_widgets": ("workbench_widgets",),
    "xllamacpp": ("lm",),
}
"""Modules with few homes. A block that is not yet written may stand here."""

NOWHERE = ("jupyterlab", "marimo", "nest_asyncio", "nest_asyncio2", "pickle", "widgets")

LATE = (
    "aiohttp", "altair", "bm25s", "bs4", "dask", "fsspec", "httpx2", "json_repair", "networkx",
    "openai", "polars", "pydantic", "pypdf", "scipy", "sentence_transformers", "torch", "tqdm",
    "xllamacpp", "IPython", "asyncio", "numpy",
)  # fmt: skip
"""What ``import workbench`` must not load."""

LATE_WIDGETS = ("altair", "openai", "pyvis", "scipy", "torch", "vl_convert")
"""What ``import workbench_widgets`` must not load."""


class Import(NamedTuple):
    """One imported module, where, and when: for types only, or at first use (in a function)."""

    module: str
    line: int
    typing_only: bool
    late: bool


def name_of(path: Path) -> str:
    """Return a file's name: dotted, below ``workbench``, or whole for one of the widgets."""
    ours = path.is_relative_to(PACKAGE)
    parts = path.relative_to(PACKAGE if ours else WIDGETS.parent).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1] if len(parts) > (1 if ours else 2) else (*parts[:-1], "_root")
    return ".".join(parts)


MODULES = {
    name_of(path): path for package in (PACKAGE, WIDGETS) for path in sorted(package.rglob("*.py"))
}


@cache
def imports_of(name: str) -> tuple[Import, ...]:
    """Return every import of a module, also those inside functions."""
    path = MODULES[name]
    tree = ast.parse(path.read_text("utf-8"), str(path))
    guarded, late = set[ast.AST](), set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            guarded.update(inner for statement in node.body for inner in ast.walk(statement))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late.update(ast.walk(node))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = list(_imported_from(node, path))
        else:
            continue
        found += [Import(module, node.lineno, node in guarded, node in late) for module in modules]
    return tuple(found)


def _imported_from(node: ast.ImportFrom, path: Path) -> set[str]:
    """Return the modules behind ``from x import y``: x, or x.y where that is a module."""
    source = node.module or ""
    if node.level:
        base = PACKAGE.parent if path.is_relative_to(PACKAGE) else WIDGETS.parent
        package = list(path.relative_to(base).parent.parts)
        keep = len(package) - node.level + 1
        source = ".".join([*package[:keep], *([source] if source else [])])
    if source == "workbench":
        homes = {alias.name: workbench._HOME.get(alias.name) for alias in node.names}
        return {f"workbench.{home or name}" for name, home in homes.items()}
    below = {f"{source}.{alias.name}" for alias in node.names}
    ours = {module for module in below if module.removeprefix("workbench.") in MODULES}
    return ours if len(ours) == len(below) else {*ours, source}


def is_in(module: str, blocks: tuple[str, ...]) -> bool:
    """Return whether a module is one of the blocks or inside one."""
    return any(module == block or module.startswith(f"{block}.") for block in blocks)


def row_of(module: str) -> str:
    """Return the longest row of `MAY_IMPORT` that holds a module, or ``""``."""
    return max((row for row in MAY_IMPORT if is_in(module, (row,))), key=len, default="")


def internal(imported: str) -> str | None:
    """Return an imported module's name in `MODULES`, or None if it is not ours."""
    if imported == "workbench":
        return "_root"
    if imported == "workbench_widgets":
        return "workbench_widgets._root"
    if imported.startswith("workbench_widgets."):
        return imported
    return imported.removeprefix("workbench.") if imported.startswith("workbench.") else None


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_down(name: str) -> None:
    """A module imports its own block and the blocks of its row, nothing else of ours."""
    row = row_of(name)

    assert row, f"{name} belongs to no row of MAY_IMPORT in tests/test_layers.py"
    allowed = (*MAY_IMPORT[row], row)
    wrong = [
        f"{MODULES[name]}:{found.line}: {row} may not import {target}"
        for found in imports_of(name)
        if (target := internal(found.module)) is not None
        and not found.typing_only
        and not is_in(target, allowed)
    ]

    assert [] == wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("name", MODULES)
def test_outside_modules_have_homes(name: str) -> None:
    """The openai client is in `lm` alone, asyncio in what runs, pyvis in a page, pickle nowhere."""
    wrong = []
    for found in imports_of(name):
        outside = found.module.split(".")[0]
        homes = ONLY_IN.get(outside)
        lost = homes is not None and not found.typing_only and not is_in(name, homes)
        if lost or outside in NOWHERE:
            wrong.append(
                f"{MODULES[name]}:{found.line}: {outside} belongs in {homes or 'no block'}"
            )

    assert [] == wrong, "\n".join(["", *wrong])


def test_stats_is_arrays_only() -> None:
    """`stats` imports numpy, scipy and the standard library."""
    allowed = {*sys.stdlib_module_names, "numpy", "scipy", "workbench"}
    wrong = [
        f"{MODULES[name]}:{found.line}: {found.module}"
        for name in MODULES
        if is_in(name, ("stats",))
        for found in imports_of(name)
        if found.module.split(".")[0] not in allowed
    ]

    assert [] == wrong, "\n".join(["", *wrong])


def test_no_cycles() -> None:
    """No modules import each other while they load."""
    needs = {
        name: {
            target
            for found in imports_of(name)
            if not found.typing_only
            and not found.late
            and (target := internal(found.module)) in MODULES
        }
        for name in MODULES
    }
    done: set[str] = set()

    while ready := {name for name in needs if name not in done and needs[name] <= done}:
        done |= ready

    assert set() == set(needs) - done, "each of these imports another of these"


IMPORT = """
import json, sys, time
before = set(sys.modules)
start = time.perf_counter()
import {}
print(json.dumps([time.perf_counter() - start, sorted(set(sys.modules) - before)]))
"""


def import_afresh(package: str = "workbench") -> tuple[float, set[str]]:
    """Return the seconds that an import takes in a new process, and what it loads."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(package)],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    took_s, loaded = json.loads(done.stdout)
    return took_s, set(loaded)


def test_import_loads_nothing_heavy() -> None:
    """``import workbench`` loads no dependency at all."""
    _, loaded = import_afresh()

    assert set() == loaded & set(LATE)


def test_import_of_the_widgets_loads_no_chart_and_no_model() -> None:
    """``import workbench_widgets`` loads what a cell needs; charts come when they are asked for."""
    _, loaded = import_afresh("workbench_widgets")

    assert set() == loaded & set(LATE_WIDGETS)


@pytest.mark.parametrize(
    ("name", "line", "wrong"),
    [
        ("record.run", "from workbench_widgets import Stepper", True),
        ("workbench_widgets.tom.face", "from workbench import LocalLM", True),
        ("workbench_widgets.tom.face", "from workbench import Run", False),
        ("workbench_widgets.tom.face", "from workbench_widgets.stepper import payload", True),
        ("workbench_widgets.tom.face", "from . import payload", False),
        ("workbench_widgets.stepper.live", "from workbench.agents import bilayer", True),
        ("workbench_widgets.tom.face", "from pyvis.network import Network", True),
        ("workbench_widgets.graph.page", "from pyvis.network import Network", False),
        ("figures.runs", "import anywidget", True),
    ],
)
def test_a_wrong_import_is_found(name: str, line: str, wrong: bool) -> None:
    """The table refuses what it is there to refuse, and nothing else."""
    (node,) = ast.parse(line).body
    if isinstance(node, ast.Import):
        modules = {alias.name for alias in node.names}
    else:
        assert isinstance(node, ast.ImportFrom)
        modules = _imported_from(node, MODULES[name])
    row = row_of(name)
    lost = False
    for module in modules:
        target, outside = internal(module), module.split(".")[0]
        lost |= target is not None and not is_in(target, (*MAY_IMPORT[row], row))
        lost |= outside in ONLY_IN and not is_in(name, ONLY_IN[outside])

    assert wrong == lost


def test_import_is_quick() -> None:
    """``import workbench`` takes under 0.15 s."""
    assert min(import_afresh()[0] for _ in range(5)) < 0.15
