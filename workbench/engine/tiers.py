"""Where in a reply a value may stand, tier by tier: what is JSON in it, and what can be mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any, Literal

Tier = Literal["direct", "regex", "fence", "repair"]

MENDABLE = 8_192
"""Characters that repair takes on; json-repair's time grows with the square of them."""
_NESTED = 16
_MOST = 64
"""Objects of one reply that are looked at; a model that repeats itself makes thousands."""

# Possessive and free of nested repeats: a reply of a megabyte takes no longer than it must.
_THOUGHT = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*+[\w+-]*+[ \t]*+\r?\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"""\{(?=\s*+["}])""")
_TOKEN = re.compile(
    rf'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[{{}}]|(?P<tag>{_THOUGHT.pattern})', re.DOTALL | re.IGNORECASE
)
"""A string, a brace, or a thought tag that stands in no string."""
_KEY = re.compile(
    r"""(?P<bracket>[{}\[\]])"""
    r"""|(?P<key>"(?:[^"\\]++|\\.?)*+"|'(?:[^'\\]|\\.){0,80}+'|[\w$-]++)\s*+:"""
    r"""|"(?:[^"\\]++|\\.?)*+(?:"|\Z)|\w++""",
    re.DOTALL,
)
"""A bracket, a key (a text or a word before a colon), or what holds things that look like them."""
_BARE = re.compile(
    r"""(?P<bracket>[{}\[\]])"""
    r"""|"(?:[^"\\]++|\\.?)*+(?:"|\Z)|'(?:[^'\\\n]++|\\.)*+'"""
    r"""|(?<=[:\[,])\s*+(?P<bare>[^\s"'{}\[\],:](?:[^"{}\[\],:\n]|:(?=\d))*+)(?P<colon>\s*+:)?""",
    re.DOTALL,
)
"""A bracket, a text, or what stands without quotes where a value or a key may."""
_COMMENT = re.compile(r"/\*.*?\*/|(?://|#).*")
_LITERAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:true|false|null|none)")
_BRACKET = re.compile(r"[{}\[\]]")

CUT = object()
"""Stands among what a tier found for an object that breaks off."""


class SaidTwice(ValueError):
    """One key of an object has two values, of which the parser would choose one unseen."""


def tiers(text: str, repair: bool) -> Iterator[tuple[Tier, list[Any]]]:
    """Yield each tier with what it finds: JSON, a `SaidTwice`, or `CUT`."""
    yield "direct", _loads([text])
    whole, is_cut = _objects(text)
    yield "regex", [*_loads(whole), *([CUT] if is_cut else [])]
    fences = [match.group(1).strip() for match in islice(_FENCE.finditer(text), _MOST)]
    yield "fence", _loads([*fences, *(o for fence in fences for o in _objects(fence)[0])])
    if repair:
        yield "repair", _mended(fences[0] if len(fences) == 1 else text)


def _loads(texts: Iterable[str]) -> list[Any]:
    """Return what the texts that are JSON hold; a `SaidTwice` for one that contradicts itself."""
    values: list[Any] = []
    for text in texts:
        try:
            values.append(
                json.loads(
                    text, strict=False, parse_constant=_no_constant, object_pairs_hook=_each_once
                )
            )
        except SaidTwice as error:
            values.append(error)
        except (ValueError, RecursionError):
            continue
    return values


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and json.dumps(made[key]) != json.dumps(value):  # 1, 1.0 and true differ
            shown = key[:80].encode(errors="replace").decode()
            raise SaidTwice(f"the key {shown} is there twice, with different values")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def without_thoughts(text: str) -> str:
    """Return `text` without what stands in thought tags; one that was not closed runs to the end.

    A closing tag alone ends a thought that the chat template had opened. A tag inside a string of
    an object is a part of that string, and is left alone.
    """
    said: list[str] = []
    inside: str | None = None
    end = at = looked = 0
    while tag := _THOUGHT.search(text, at):
        at = tag.end()
        if inside is None:
            while opening := _OPENING.search(text, looked, tag.start()):
                looked, is_whole = _span(text, opening.start())
                if is_whole and looked > tag.start():
                    at = looked
                    break
            else:
                if tag[1]:
                    said.clear()
                else:
                    said.append(text[end : tag.start()])
                    inside = tag[2].lower()
                end = at
        elif tag[1] and tag[2].lower() == inside:
            inside = None
            end = at
        looked = max(looked, end)
    if inside is None:
        said.append(text[end:])
    return "".join(said)


def _span(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the object at `start` and True; or False, and where it breaks off.

    That is the end of the text, or a thought tag between its strings.
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token["tag"]:
            return token.start(), False
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end(), True
    return len(text), False


def _objects(text: str) -> tuple[list[str], bool]:
    """Return the outermost ``{...}`` stretches of `text`, and whether one after them breaks off.

    Braces inside strings do not count. Quotes outside of a stretch are prose, and so is a brace
    that no name or end follows. What stands inside of one that breaks off is no answer of its own.
    """
    found: list[str] = []
    end = 0
    while len(found) < _MOST and (opening := _OPENING.search(text, end)):
        end, is_whole = _span(text, opening.start())
        if not is_whole:
            return found, True
        found.append(text[opening.start() : end])
    return found, False


def _mended(text: str) -> list[Any]:
    start = text.find("{")
    if start < 0 or len(text) - start > MENDABLE or _depth(text) > _NESTED:
        return []
    if twice := _said_twice(text[start:]):
        return [SaidTwice(f"the key {twice[:80]} is there twice, in what is no JSON")]
    if unclear := _unclear(text[start:]):
        shown = unclear[:80].encode(errors="replace").decode()
        return [SaidTwice(f"where one value is wanted there is {shown}, in what is no JSON")]
    return [value for one in _apart(text) for value in _mended_one(one)]


def _mended_one(text: str) -> list[Any]:
    from json_repair import repair_json

    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []  # what it cannot mend may be anything; the question is asked again
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return [value] if isinstance(value, dict) else []


def _apart(text: str) -> list[str]:
    """Return the outermost objects of a broken text, each with what stands before the next.

    Repair takes objects with the same keys for one that was said again, and keeps the last.
    """
    starts: list[int] = []
    depth = 0
    for token in _KEY.finditer(text):
        bracket = token["bracket"]
        if bracket == "{" and depth == 0:
            starts.append(token.start())
        if bracket in ("{", "[") and (depth or bracket == "{"):
            depth += 1
        elif bracket:
            depth = max(0, depth - 1)
    return [text[start:end] for start, end in pairwise([*starts[:_MOST], len(text)])]


def _said_twice(text: str) -> str:
    """Return a key that an object of a broken text has twice; repair would take the last unseen.

    What the two values are is a guess in a text that is broken, so that even equal ones count.
    """
    open_: list[set[str]] = []
    for token in _KEY.finditer(text):
        if token["bracket"] in ("{", "["):
            open_.append(set())
        elif token["bracket"]:
            open_[-1:] = []
        elif (key := token["key"]) and open_:
            key = key.strip("\"'")
            if key in open_[-1]:
                return key.encode(errors="replace").decode()
            open_[-1].add(key)
    return ""


def _unclear(text: str) -> str:
    """Return what stands for a value and is none, of which repair would take a part unseen.

    That is ``true or false``, ``1+2`` or ``~3``, and a second value after a comma.
    """
    open_: list[str] = []
    for token in _BARE.finditer(text):
        if token["bracket"] in ("{", "["):
            open_.append(token["bracket"])
        elif token["bracket"]:
            open_[-1:] = []
        elif bare := _COMMENT.sub("", token["bare"] or "").strip(" \t\r;"):
            is_second = text[token.start() - 1] == "," and open_[-1:] == ["{"]
            if is_second and token["colon"]:
                continue  # it is a key
            is_one = _LITERAL.fullmatch(bare)
            if is_one if is_second else not (is_one or _is_text(bare)):
                return bare
    return ""


def _is_text(bare: str) -> bool:
    """Return whether repair takes all of it, for a text that lacks its quotes."""
    return all(isinstance(made.get("it"), str) for made in _mended_one(f'{{"it": {bare}}}'))


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return deepest
