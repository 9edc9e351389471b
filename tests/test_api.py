"""The public names: what ``wb.X`` may be, held by a list of them in ``tests/api.txt``.

After a wanted change of the public names::

    .venv/bin/python tests/test_api.py
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import workbench as wb
from workbench.engine.protocol import Protocol

SNAPSHOT = Path(__file__).with_name("api.txt")
STUB = Path(wb.__file__).with_name("__init__.pyi")
REGENERATE = "if this is meant, run: .venv/bin/python tests/test_api.py"


class Written:
    """An annotation that is shown as it is written, without quotes."""

    def __init__(self, annotation: object) -> None:
        self.annotation = getattr(annotation, "__forward_arg__", annotation)

    def __repr__(self) -> str:
        if isinstance(self.annotation, str):
            return self.annotation
        return inspect.formatannotation(self.annotation)


def kind_of(value: object) -> str:
    """Return what a public name is, in a word or two."""
    if isinstance(value, type):
        return "error" if issubclass(value, Exception) else "class"
    if isinstance(value, Protocol):
        return "protocol"
    if inspect.iscoroutinefunction(value):
        return "async function"
    return "function" if callable(value) else "value"


def signature_of(value: object) -> str:
    """Return how a public name is called, or nothing where that is not to be known."""
    if not callable(value):
        return ""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Signature.empty
    parameters = [
        p if p.annotation is empty else p.replace(annotation=Written(p.annotation))
        for p in signature.parameters.values()
    ]
    returns = signature.return_annotation
    return str(
        signature.replace(
            parameters=parameters,
            return_annotation=empty if isinstance(value, type) else Written(returns),
        )
    )


def api() -> str:
    """Return a line for each public name: ``name: kind signature``."""
    values = {name: getattr(wb, name) for name in wb.__all__}
    return "".join(
        f"{name}: {kind_of(value)} {signature_of(value)}".rstrip() + "\n"
        for name, value in values.items()
    )


def test_all_is_sorted() -> None:
    """`__all__` is in order and names nothing twice."""
    assert sorted(set(wb.__all__)) == list(wb.__all__)


@pytest.mark.parametrize("name", wb.__all__)
def test_every_name_is_there(name: str) -> None:
    """A public name can be had, is no module, and says what it is."""
    value = getattr(wb, name)

    assert not inspect.ismodule(value)
    if callable(value):
        assert inspect.getdoc(value), f"wb.{name} has no docstring"


def is_told(name: str) -> bool:
    """Return whether a name is a function or a protocol; a twin takes what the other does."""
    value = getattr(wb, name)
    return (inspect.isfunction(value) or isinstance(value, Protocol)) and "_sync" not in name


@pytest.mark.parametrize("name", [name for name in wb.__all__ if is_told(name)])
def test_what_a_function_takes_and_returns(name: str) -> None:
    """It names each of its parameters, and says what it returns."""
    function = getattr(wb, name)
    told = inspect.getdoc(function) or ""
    takes = told.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    named = {word.strip("*`") for line in takes.splitlines() for word in re.split(r"[ ,:]+", line)}

    assert set() == set(inspect.signature(function).parameters) - named
    assert told.startswith("Return ") or "\nReturns\n-------\n" in told


def test_all_is_what_is_public() -> None:
    """What `dir` shows of the package's own making is `__all__`; nothing public is left out."""
    show = "import workbench; print(*dir(workbench))"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    tree = ast.parse(Path(wb.__file__).read_text("utf-8"))
    borrowed = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbench"))
    }
    shown = {name for name in done.stdout.split() if not name.startswith("_")}

    assert set(wb.__all__) == shown - borrowed


def test_a_missing_name_is_an_attribute_error() -> None:
    """A name that is not there says so, as any module does."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = wb.no_such_name


def test_api_is_as_written() -> None:
    """No public name or signature changes by accident."""
    before = SNAPSHOT.read_text("utf-8") if SNAPSHOT.exists() else ""
    changes = "\n".join(
        difflib.unified_diff(before.splitlines(), api().splitlines(), "api.txt", "now", n=0)
    )

    assert changes == "", f"the public names have changed; {REGENERATE}\n{changes}"


def imported(source: str, name: str) -> str:
    """Return an import, on three lines where it is too long for one."""
    line = f"{source} {name}\n"
    return line if len(line) <= 101 else f"{source} (\n    {name},\n)\n"


def stub() -> str:
    """Return ``__init__.pyi``: the public names as a type checker is to see them."""
    names = "".join(
        imported(f"from workbench.{home} import", f"{name} as {name}")
        for home, homed in sorted(wb._HOMES.items())
        for name in sorted(homed.split())
    )
    listed = "".join(f'    "{name}",\n' for name in wb.__all__)
    return f"# The public names with their types.\n\n{names}\n__all__ = [\n{listed}]\n"


def test_stub_is_as_the_package() -> None:
    """A type checker sees the names that there are, from where they are."""
    assert stub() == STUB.read_text("utf-8"), f"the public names have changed; {REGENERATE}"


if __name__ == "__main__":
    for path, text in ((SNAPSHOT, api()), (STUB, stub())):
        path.write_text(text, "utf-8")
        sys.stdout.write(f"wrote {path}\n")
