"""Where in a reply a value may stand, tier by tier: what is JSON in it, and what can be mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from workbench.engine.fields import Fields, parts_of
from workbench.engine.repair import Unclear, mended

Tier = Literal["direct", "regex", "fence", "repair"]

_MOST = 64
"""Objects of one reply that are looked at; a model that repeats itself makes thousands."""

# Possessive and free of nested repeats: a reply of a megabyte takes no longer than it must.
_THOUGHT = re.compile(
    r"(?:<\|?|\u25c1|(?-i:\[(?=/?[A-Z_]++\])))(?P<end>/?)(?P<name>[\w:.-]{0,40}?"
    r"(?:think|thought|reason|reflection|analysis|scratch|draft|rationale)[\w:.-]{0,40}+)"
    r"(?:\s[^<>\n]{0,80}+)?\|?[>\u25b7\]]"
    r"|<\|channel\|>(?:(?P<channel>analysis|commentary)|final)[^<>]{0,40}+<\|message\|>",
    re.IGNORECASE,
)
"""A tag around what a model thinks, by a word in its name, and the channels of gpt-oss.

So are `<think>`, `<thought_process>`, `[THINK]`, ``<|START_THINKING|>`` and ``<|END_THINKING|>``.
"""
_BOUND = re.compile(r"(?:begin|start|end)_(?:of_)?")
_SPOKEN = re.compile(r"\A\s*+Thinking\.\.\.\s.*?\.\.\.done thinking\.", re.DOTALL)
"""Thoughts as Ollama shows them."""
_ESCAPED = re.compile(
    r"\x08(?=[a-z])|\x0c(?:rac|rak|orall|lat|rown|box|ootnote)(?![a-z])"
    r"|\r(?:ight[a-z]*|ho|angle|floor|ceil|vert|brace|brack|times)(?![a-z])|\r(?:m|ef|ule)(?=\{)"
    r"|\t(?:imes|heta|ilde|herefore|riangle[a-z]*)(?![a-z])|\t(?:ext[a-z]*|frac|binom|ag)(?=\{)"
    r"|\tau(?![a-z])(?!(?<=[:\n\t]\tau) [^\W\d_]{2})|\tanh?(?=[({\\^])"
    r"|(?<![:\n\t])\tanh?(?=\s+[({\\^]|\s[a-z](?![a-z]))|(?<= )\to(?= )"
    r"|\n(?:abla|ot|otin|leq|geq|ewline)(?![a-z])|\neq(?![a-z.])"
    r"|(?<![A-Za-z])[A-Z]:\\\S*+[\r\x0c](?=[a-z])"
)
"""What ``\\beta``, ``\\times``, ``\\neq`` and ``C:\\users\\report`` become when JSON is read.

A tab may stand behind a label or at the beginning of a line, and a line end before any word.
"""
_DRIVE = re.compile(r"(?<![A-Za-z])[CDE]:[\t\r\x0c](?=[a-z])")
"""What ``C:\\temp`` becomes, but for one of the labels A, B, C."""
_LABEL = re.compile(r"(?<![A-Za-z])[AB]:[\t\r]")
_BEGUN = re.compile(r"\{\s*+(?:```\s*+)?\Z")
"""An object that breaks off behind its brace, or a fence that ends there."""
_LISTED = re.compile(r"\[\s*+\Z")
_COMMA = re.compile(r"\s*+,\s*+")
_FENCE = re.compile(r"```[ \t]*+[\w+-]*+[ \t]*+\r?\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"""\{(?=\s*+["}])""")
_TOKEN = re.compile(
    rf'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[{{}}]|(?P<tag>{_THOUGHT.pattern})', re.DOTALL | re.IGNORECASE
)
"""A string, a brace, or a thought tag that stands in no string."""
_GOES_ON = re.compile(
    r"""[\s\]}),;.]*+["'\u201c][^"'\n{]{0,80}+["'\u201d]\s*+:|\s*+,\s*+[\w$-]++\s*+:"""
    r"""|[\s\]}),;.`]*+[^{}]*+\}"""
)
"""A key, or words and a closing brace: what stands before them was closed too early."""


class Found(NamedTuple):
    """What a tier finds.

    It is JSON, whether an object is broken or breaks off, what is no object, the part of that which
    stands behind the first object, and the objects that stand in a list.
    """

    values: list[Any]
    is_broken: bool = False
    prose: str = ""
    behind: str = ""
    lists: Sequence[list[Any]] = ()


def tiers(text: str, fields: Fields, repair: bool) -> Iterator[tuple[Tier, Found]]:
    """Yield each tier with all that it finds in a text.

    Raises
    ------
    Unclear
        If an object contradicts itself, if what is meant by a broken one is not clear, or if a
        text of one holds what LaTeX or a path becomes whose backslash was not doubled.
    """
    escapes = "\\" in text
    for tier, found in _tiers(text, fields, repair):
        texts = parts_of(found.values) if escapes else ()
        if any(_is_escaped(one) for one in texts if isinstance(one, str)):
            raise Unclear("a backslash with a letter was read as a sign: double the backslash")
        yield tier, found


def _is_escaped(text: str) -> bool:
    """Return whether a text holds what LaTeX or a path becomes when JSON is read."""
    return bool(_ESCAPED.search(text) or (_DRIVE.search(text) and not _LABEL.search(text)))


def _tiers(text: str, fields: Fields, repair: bool) -> Iterator[tuple[Tier, Found]]:
    yield "direct", Found(_loads(text))
    yield "regex", _objects([text], fields)
    parts = _FENCE.split(text, _MOST)
    yield "fence", _objects(parts, fields)
    if repair:
        beside = "\n".join(parts[::2])
        holds = _OPENING.search(beside) or any(map(fields.are_broken_off, parts[::2]))
        is_alone = len(parts) == 3 and not holds
        if is_alone:
            yield "repair", _mended(parts[1].strip(), fields, beside, parts[2])
        else:
            yield "repair", _mended(text, fields)


def _loads(text: str) -> list[Any]:
    """Return what a text holds, in a list; nothing if it is no JSON."""
    try:
        return [
            json.loads(
                text, strict=False, parse_constant=_no_constant, object_pairs_hook=_each_once
            )
        ]
    except Unclear:
        raise
    except (ValueError, RecursionError):
        return []


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and json.dumps(made[key]) != json.dumps(value):  # 1, 1.0 and true differ
            shown = key[:80].encode(errors="replace").decode()
            raise Unclear(f"the key {shown} is there twice, with different values")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def without_thoughts(text: str) -> str:
    """Return `text` without what stands in thought tags; one that was not closed runs to the end.

    A closing tag alone ends a thought that the chat template had opened. A tag inside a string of
    an object is a part of that string, and is left alone; so is one in backticks that nothing
    closes.
    """
    text = _SPOKEN.sub("", text)
    closed = {_name(tag): tag.start() for tag in _THOUGHT.finditer(text) if _is_end(tag)}
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
                if _is_end(tag):
                    said.clear()
                elif _is_quoted(tag) and closed.get(_name(tag), -1) < at:
                    looked = max(looked, tag.start())
                    continue
                else:
                    said.append(text[end : tag.start()])
                    inside = _name(tag)
                end = at
        elif _is_end(tag) and _name(tag) == inside:
            inside = None
            end = at
        looked = max(looked, end)
    if inside is None:
        said.append(text[end:])
    return "".join(said)


def _name(tag: re.Match[str]) -> str:
    return _BOUND.sub("", (tag["name"] or "channel").lower(), count=1)


def _is_end(tag: re.Match[str]) -> bool:
    if tag["name"]:
        return bool(tag["end"]) or tag["name"].lower().startswith("end_")
    return tag["channel"] is None


def _is_quoted(tag: re.Match[str]) -> bool:
    return tag.string[tag.start() - 1 : tag.start()] == "`" == tag.string[tag.end() : tag.end() + 1]


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


def _objects(parts: Iterable[str], fields: Fields) -> Found:
    """Return the outermost ``{...}`` stretches of each part of a text.

    Braces inside strings do not count. Quotes outside of a stretch are prose, and so is a brace
    that no name or end follows. What stands inside of one that breaks off is no answer of its own.
    """
    values: list[Any] = []
    lists: list[list[Any]] = []
    prose: list[str] = []
    looked = first = 0
    for part in parts:
        end = 0
        is_listed = False
        while opening := _OPENING.search(part, end):
            prose.append(part[end : opening.start()])
            end, is_whole = _span(part, opening.start())
            looked += 1
            if (
                not is_whole
                or looked > _MOST
                or _GOES_ON.match(part, end)
                or fields.are_broken_off(prose[-1])
            ):
                return Found(values, is_broken=True, prose="\n".join(prose))
            found = _loads(part[opening.start() : end])
            if not found and fields.are_named(part[opening.start() : end]):
                return Found(values, is_broken=True, prose="\n".join(prose))
            if _LISTED.search(prose[-1]):
                is_listed = True
                lists.append([])
            elif not _COMMA.fullmatch(prose[-1]):
                is_listed = False
            if is_listed:
                lists[-1] += found
            first = first if values else len(prose)
            values += found
        prose.append(part[end:])
        if fields.are_broken_off(prose[-1]) or (values and _BEGUN.search(prose[-1])):
            return Found(values, is_broken=True, prose="\n".join(prose))
    behind = "\n".join(prose[first:]) if values else ""
    return Found(values, prose="\n".join(prose), behind=behind, lists=lists)


def _mended(text: str, fields: Fields, beside: str = "", behind: str = "") -> Found:
    """Return what repair makes of the objects of a text; `beside` is prose around it."""
    start = text.find("{")
    if start < 0:
        return Found([])
    if fields.are_broken_off(text[:start]):
        raise Unclear("the JSON is broken, and where its object begins is not clear")
    after = text[text.rfind("}") + 1 :]
    behind = behind if re.search(r'[{\["]', after) else f"{after}\n{behind}"
    return Found(mended(text, fields), prose=f"{beside}\n{text[:start]}", behind=behind)
