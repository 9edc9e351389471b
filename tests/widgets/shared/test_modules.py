"""The modules of the front end: joined for a cell, with nothing that parses text as HTML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workbench_widgets
from workbench_widgets.shared import join

ROOT = Path(workbench_widgets.__file__).parent
MODULES = sorted([*ROOT.rglob("*.mjs"), *ROOT.rglob("*.js")])
ENTRIES = sorted(ROOT.glob("*/widget.js"))
FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "DOMParser",
    "createContextualFragment",
    "eval(",
    "new Function",
    "XMLHttpRequest",
    "WebSocket",
    "importScripts",
)


def place(path: Path) -> str:
    """Return a module's path in the package."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_nothing_parses_html_or_asks_the_network(path: Path) -> None:
    """Texts of models are set as text, and a view asks nobody but its store."""
    source = path.read_text()

    assert [word for word in FORBIDDEN if word in source] == []
    assert not re.search(r"(?:[=(:,;]|await|return)\s*fetch\(", source)
    assert not re.search(r"https?://(?!www\.w3\.org/)", source)
    assert source.startswith("// ")  # its purpose


@pytest.mark.parametrize("path", ENTRIES, ids=place)
def test_each_bundle_joins(path: Path) -> None:
    """No two modules of a bundle have a name in common, and no import is left."""
    script = join.joined(place(path), "shared/host.mjs", "shared/page.mjs")

    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_a_name_in_two_modules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joined, the second would be a syntax error that only a browser sees."""
    files = {
        "a/x.js": 'import { f } from "../b/y.mjs";\nexport function g() {}\n',
        "b/y.mjs": "export function f() {}\nconst g = 1;\n",
    }
    monkeypatch.setattr(join, "read", files.__getitem__)
    join.joined.cache_clear()

    with pytest.raises(ValueError, match=r"a/x\.js and b/y\.mjs both define g"):
        join.joined("a/x.js")


@pytest.mark.parametrize(
    "source",
    ['import x from "https://cdn.example/x.js";\n', "export default 3;\n", "export { a };\n"],
)
def test_what_cannot_be_joined_is_refused(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import from elsewhere and other forms of export are told of."""
    monkeypatch.setattr(join, "read", {"a/x.js": source}.__getitem__)
    join.joined.cache_clear()

    with pytest.raises(ValueError, match="can be joined"):
        join.joined("a/x.js")


def test_a_ring_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules that import each other have no order."""
    files = {
        "a/x.mjs": 'import { y } from "./y.mjs";\n',
        "a/y.mjs": 'import { x } from "./x.mjs";\n',
    }
    monkeypatch.setattr(join, "read", files.__getitem__)
    join.joined.cache_clear()

    with pytest.raises(ValueError, match="ring"):
        join.joined("a/x.mjs")
