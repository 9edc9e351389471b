"""What a command must be before it becomes an event: keys, names, prompts, acyclic graphs.

Each function raises `BadCommand`, which the execution raises in the protocol that yielded the
command.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Generator, Mapping

from workbench.engine.commands import Node
from workbench.errors import BadCommand
from workbench.record.jsonable import as_text
from workbench.record.parts import Part

_KEY = re.compile(r"[^/\s]+(?:/[^/\s]+)*")


def joined(prefix: str, key: str) -> str:
    """Return the path of `key` below `prefix`."""
    path = f"{prefix}/{as_text(key, prefix or '/')}"
    if not _KEY.fullmatch(key):
        raise BadCommand(f"{prefix or '/'}: {key!r} is no key: no blanks, no empty segment")
    return path


def checked_parts(parts: tuple[Part, ...], path: str) -> tuple[Part, ...]:
    """Return a prompt whose texts, sources and speakers a file can hold."""
    for part in parts:
        if not isinstance(part, Part):
            raise BadCommand(f"{path}: a prompt is made of Part, not {type(part).__name__}")
        as_text(part.text, path)
        as_text(part.speaker, path)
        if part.source is not None:
            as_text(part.source, path)
    return tuple(parts)


def checked_texts(texts: tuple[str, ...], path: str) -> tuple[str, ...]:
    """Return texts that a file can hold."""
    return tuple(as_text(text, path) for text in texts)


def check_names(path: str, names: list[str]) -> None:
    """Refuse children of which one lives below another: who used a path first would be chance."""
    if "" in names and len(names) > 1:
        raise BadCommand(f"{path}: the nameless child must be the only one")
    for name in names:
        above = as_text(name, path)
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in names:
                raise BadCommand(f"{path}: the child {name!r} would live below {above!r}")


def check_child(path: str, name: str, steps: object) -> None:
    """Refuse what is not a protocol under way, not yet started, with a name."""
    if name and not _KEY.fullmatch(as_text(name, path)):
        raise BadCommand(f"{path}: {name!r} is no name for a child: no blanks, no empty segment")
    if inspect.isgenerator(steps) and inspect.getgeneratorstate(steps) != inspect.GEN_CREATED:
        raise BadCommand(f"{path}/{name}: this generator has started already; make a new one")
    if not isinstance(steps, Generator):
        raise BadCommand(
            f"{path}/{name}: a child is a protocol under way (a generator), "
            f"not {type(steps).__name__}"
        )


def acyclic(nodes: Mapping[str, Node]) -> bool:
    """Return whether no node waits for itself, however far around."""
    waiting = {name: set(node.after) for name, node in nodes.items()}
    while waiting:
        free = [name for name, after in waiting.items() if not after]
        if not free:
            return False
        for name in free:
            del waiting[name]
        for after in waiting.values():
            after.difference_update(free)
    return True
