"""What a reply says of a schema's fields: in an object of any shape, in a broken one, in a line.

A model that corrects itself often does so in a form that does not fit: a field is missing, its name
is in capitals, the object is within another or is a line of YAML. Whatever names a field counts as
said of it, so that a draft is not taken for the answer only because its correction does not fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

Said = tuple[str, int, str]
"""A field's name and a value, both in one spelling, and its place in a list; -1: in none."""

_MARKS = r"[\\\"'`*\u2018-\u201d]*+"
_NUMBER = r"-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+"
_SCALAR = rf'"(?:[^"\\\n]|\\.)*+"|{_NUMBER}(?![\w.]*\w)|true\b|false\b|null\b'
_WITHIN = re.compile(r"""["'`\u201d]\s*+:\s*+\[?\s*+\Z""")
"""A key at the end of prose, of which what comes next is the value."""
_WORD = re.compile(r"\w+")
_NAMED = re.compile(r"[:=]")


class Fields:
    """The fields of a schema, at any depth, by their names; of one without fields, all names.

    Parameters
    ----------
    schema : dict
        A JSON schema without references.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._names = frozenset(_names(schema))
        self._plain = frozenset(map(_plain, self._names))
        spelled = sorted((_spelled(name) for name in self._names), key=len, reverse=True)
        name = "|".join(spelled) or r"(?<![\w$-])[\w$-]++"
        self._key = re.compile(
            rf"(?<!\\)[{{}}]|(?<![^\W_])(?:{name}){_MARKS}\s*+[:=]\s*+(?=[\\\"'`\u2018-\u201d\[{{\w-])",
            re.IGNORECASE,
        )
        line = rf"|^[ \t>*_#-]*+({name})[*_]*+[ \t]*+:[ \t*_]*+({_SCALAR}|\w++)[ \t*_.,;]*+$"
        self._mention = re.compile(
            rf'"({name})"\s*+:\s*+({_SCALAR})' + line * bool(spelled), re.IGNORECASE | re.MULTILINE
        )

    def are_named(self, text: str) -> bool:
        """Return whether a broken object names a field."""
        return any(found[0] not in "{}" for found in self._key.finditer(text))

    def are_broken_off(self, prose: str) -> bool:
        """Return whether prose holds an object that is no JSON, or ends within one.

        Braces of mathematics or of code that name no field are prose.
        """
        depth = opened = 0
        for found in self._key.finditer(prose):
            if found[0] == "{":
                opened = opened if depth else found.end()
                depth += 1
            elif found[0] == "}":
                depth = max(0, depth - 1)
            elif depth:
                return True
        return bool(_WITHIN.search(prose) or (depth and _NAMED.search(prose, opened)))

    def are_lost(self, key: str, value: object) -> bool:
        """Return whether what a type has ignored is a field by another spelling, or holds one."""
        if not self._names or key in self._names:
            return False
        return _plain(key) in self._plain or bool(self.said([value]))

    def said(self, values: Iterable[object]) -> set[Said]:
        """Return what JSON says of the fields, at any depth."""
        found: set[Said] = set()
        left: list[tuple[str, int, Any]] = [("", -1, value) for value in values]
        while left:
            name, place, value = left.pop()
            if isinstance(value, dict):
                for key, below in value.items():
                    known = not self._names or _plain(key) in self._plain
                    left.append((_plain(key) if known else name, -1, below))
            elif isinstance(value, list):
                left += ((name, n, below) for n, below in enumerate(value))
                value = len(value)
                place = -2
            elif not name and isinstance(value, str) and self.are_broken_off(value):
                name = "{"  # the arguments of a tool call are an object in a text
            if name and not isinstance(value, dict):
                found.add((name, place, _text(value)))
        return found

    def denied(self, said: set[Said], prose: str) -> bool:
        """Return whether prose gives a field another value, as a line of YAML does.

        A single word counts where the field's own value is one; a word of its value denies nothing.
        """
        for quoted, scalar, bare, word in self._mention.findall(prose) if self._names else ():
            name, value = _plain(quoted or bare), scalar or word
            own = {text for known, _, text in said if known == name}
            is_word = value.isalpha() and value.casefold() not in ("true", "false", "null")
            if is_word and not any(text.isalpha() for text in own):
                continue
            text = _text(value.strip('"'))
            if text not in own and not any(value.casefold() in _WORD.findall(one) for one in own):
                return True
        return False


def _names(node: Any) -> Iterable[str]:
    left = [node]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            fields = node.get("properties")
            yield from fields if isinstance(fields, dict) else ()
            left += node.values()
        elif isinstance(node, list):
            left += node


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold() or name


def _spelled(name: str) -> str:
    """Return a pattern of the ways in which a name is spelled: ``is_it``, ``Is it``, ``isIt``."""
    return r"[\W_]?".join(map(re.escape, re.findall(r"[^\W_]+", name))) or re.escape(name)


def _text(value: object) -> str:
    text = value.strip().casefold() if isinstance(value, str) else json.dumps(value)
    try:
        return str(float(text))
    except ValueError:
        return text
