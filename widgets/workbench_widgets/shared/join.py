"""Join ES modules into one, as a widget and a hand-out need them: no bundler, no network.

A module imports others by relative paths, each import on a line of its own. Joined, they stand
one after another, without the imports and without ``export``; so no two modules of a bundle may
have a top-level name in common, which is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import [^;]*? from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)


@cache
def read(place: str) -> str:
    """Return a file of this package, by its path in it: ``stepper/widget.js``."""
    return files("workbench_widgets").joinpath(place).read_text(encoding="utf-8")


@cache
def joined(*entries: str) -> str:
    """Return `entries` and all that they import as one script, without imports and exports.

    Raises
    ------
    ValueError
        If two modules have a top-level name in common, or a module exports in another form.
    """
    out: list[str] = []
    owners: dict[str, str] = {}
    order = (place for entry in entries for place in _in_order(entry, ()))
    for place in dict.fromkeys(order):
        source = read(place)
        for name in _NAME.findall(source):
            if name in owners:
                raise ValueError(f"{place} and {owners[name]} both define {name}")
            owners[name] = place
        body = _EXPORT.sub("", _IMPORT.sub("", source))
        if left := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
            raise ValueError(f"{place}: not a form that can be joined: {left[0]}")
        out.append(f"// {place}\n{body}")
    return "\n".join(out)


def esm(entry: str, mount: str) -> str:
    """Return the anywidget module whose view is the function `mount` of `entry`."""
    return (
        f"{joined(entry, 'shared/host.mjs')}\n"
        f"export default {{ render({{ model, el }}) {{ return host(el, model, {mount}); }} }};\n"
    )


def css(*names: str) -> str:
    """Return the shared style and those of the widgets called `names`."""
    places = ["shared/theme.css", *(f"{name}/widget.css" for name in names)]
    return "\n".join(map(read, places))


def _in_order(place: str, above: tuple[str, ...]) -> Iterator[str]:
    if place in above:
        raise ValueError(f"modules import each other in a ring: {' -> '.join((*above, place))}")
    folder = place.rpartition("/")[0]
    for found in _IMPORT.findall(read(place)):
        yield from _in_order(_resolved(folder, found), (*above, place))
    yield place


def _resolved(folder: str, relative: str) -> str:
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
