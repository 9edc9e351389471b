"""Where in a reply a value may stand, tier by tier: what is JSON in it, and what can be mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
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
_DOUBLE = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_SINGLE = r"(?<=[\s:,\[{])'(?:[^'\\]++|\\.?)*+(?:'|\Z)"
_CURLY = r"\u201c[^\u201d]*+(?:\u201d|\Z)"
_GOES_ON = re.compile(
    r"""[^{]*?"[^"\n{]{0,80}+"\s*+:|\s*+,?\s*+'[^'\n{]{0,80}+'\s*+:|\s*+,\s*+[\w$-]++\s*+:"""
    r"""|[\s\]}),;.`]*+[^{}]*+\}"""
)
"""A key, or words and a closing brace: what stands before them was closed too early."""
_LIKE = re.compile(
    r"""\{(?:\s*+'|[^{}]*?["`\u201c:=])|["'`\u201d]\s*+:\s*+\[?\s*+\Z"""
    r"""|"[^"\n]{0,80}+"\s*+:\s*+(?:["\d-]|true|false|null)"""
)
"""Between objects: one that is no JSON, or one that what comes next is within."""
_OUTER = re.compile(rf"(?P<bracket>[{{}}\[\]])|{_DOUBLE}|{_SINGLE}|{_CURLY}", re.DOTALL)
"""A bracket, or a text, which may hold what looks like one."""
_AFTER = re.compile(r"[\s\]}),;.`]*+[^{}\[\]:\"\u201c\u201d]*+")
"""What may stand after a broken object and be no part of it: closing marks, then prose."""
_COMMENT = re.compile(
    rf"""({_DOUBLE}|'(?:[^'\\\n]++|\\.)*+')|/\*[^"':{{}}\[\]]*?\*/|(?://|\#)[^\n"':{{}}\[\]]*+$""",
    re.DOTALL | re.MULTILINE,
)
"""A comment that holds nothing else, or a text, which may hold what looks like one."""
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|["'\\bfnrt])""")
_MARKS = r"""\\}\],;"'`\u201c-\u201e\u2018\u2019"""
"""What repair may put in or leave out: quotes, commas, and what closes an object or a list."""
_NUMBER = r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?+"
_PIECE = re.compile(
    rf"\"\"|''|{_NUMBER}(?:[\s;_'’]++{_NUMBER})*+|[^\W\d]++|[^\s\w{_MARKS}]"  # noqa: RUF001
)
"""An empty text, a number (those with only space or marks of thousands between are one), a word, or
a sign of no place."""
_LOOSE = re.compile(rf"(?![+-]?0\d){_NUMBER}")
"""A number as Python and JavaScript spell it, without a zero before others."""
_SEAM = re.compile(
    r"""["'\u201c\u201d]\s*[:,\]}]|[:,\[{]\s*["\u201c\u201d]|\n[ \t]*+[\w$-]++\s*+:"""
    r"""|^(?:[^"]*[\s(]"[^"]*"(?![^\s).,;:!?]))*[^"]*\S"(?=[\s\W]|\Z)"""
    r"""|^(?:[^'`]|(?<=\w)'(?=\w)|(?<!\S)(['`])[^'`]+\1(?![^\s.,;:!?]))*+['`]"""
)
"""Where one text of an object ends and the next begins: what repair took for words."""
_SINGLE_QUOTED = re.compile(r"[\[{,:]\s*'")
_APOSTROPHE = re.compile(r"\w'\w")
_ALIKE = {"none": "null", "''": '""'}
_NO_KEY = re.compile(r"""["'\u201c\u201d:,{}\[\]]""")
_BRACKET = re.compile(r"[{}\[\]]")

CUT = object()
"""Stands among what a tier found for an object that breaks off, or is broken within."""


class Unclear(ValueError):
    """A text could stand for another value than a parser makes of it, and nobody would know."""


def tiers(text: str, repair: bool) -> Iterator[tuple[Tier, list[Any]]]:
    """Yield each tier with what it finds: JSON, an `Unclear`, or `CUT`."""
    yield "direct", _loads([text])
    whole, is_cut = _objects(text)
    loaded = _loads(whole)
    broken = [CUT] if is_cut or len(loaded) < len(whole) else []
    yield "regex", [*loaded, *broken]
    fences = [match.group(1).strip() for match in islice(_FENCE.finditer(text), _MOST)]
    fenced = _loads([*fences, *(o for fence in fences for o in _objects(fence)[0])])
    yield "fence", [*fenced, *broken]
    if repair:
        yield "repair", _mended(_alone(fences, text))


def _alone(fences: list[str], text: str) -> str:
    """Return the one fence's content if there is no object beside it; else all of the text."""
    return fences[0] if len(fences) == 1 and "{" not in text.replace(fences[0], "", 1) else text


def _loads(texts: Iterable[str]) -> list[Any]:
    """Return what the texts that are JSON hold; an `Unclear` for one that contradicts itself."""
    values: list[Any] = []
    for text in texts:
        try:
            values.append(
                json.loads(
                    text, strict=False, parse_constant=_no_constant, object_pairs_hook=_each_once
                )
            )
        except Unclear as error:
            values.append(error)
        except (ValueError, RecursionError):
            continue
    return values


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
    """Return the outermost ``{...}`` stretches of `text`, and whether another is broken.

    Braces inside strings do not count. Quotes outside of a stretch are prose, and so is a brace
    that no name or end follows. What stands inside of one that breaks off is no answer of its own.
    """
    found: list[str] = []
    end = 0
    while len(found) < _MOST and (opening := _OPENING.search(text, end)):
        if _LIKE.search(text[end : opening.start()]):
            return found, True
        end, is_whole = _span(text, opening.start())
        if not is_whole or _GOES_ON.match(text, end):
            return found, True
        found.append(text[opening.start() : end])
    return found, bool(_LIKE.search(text[end:]))


def _mended(text: str) -> list[Any]:
    start = text.find("{")
    if start < 0 or len(text) - start > MENDABLE or _depth(text) > _NESTED:
        return []
    if _LIKE.search(text[:start]):
        return [Unclear("the JSON is broken, and where its object begins is not clear")]
    values: list[Any] = []
    try:
        for one in _apart(text):
            mended = _mended_one(one)
            if mended:
                _check_same(one, mended)
            values += mended
    except Unclear as unclear:
        return [unclear]
    return values


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
    """Return the outermost objects of a broken text, as far as their brackets tell.

    Repair takes objects with the same keys for one that was said again, and keeps the last.

    Raises
    ------
    Unclear
        If what stands behind one could be a part of it.
    """
    spans: list[list[int]] = []
    open_: list[str] = []
    for token in _OUTER.finditer(text):
        bracket = token["bracket"]
        if bracket == "{" and not open_:
            spans.append([token.start(), len(text)])
        if bracket in ("{", "[") and (open_ or bracket == "{"):
            open_.append(bracket)
        elif bracket and open_:
            if bracket == "]" and open_[-1] != "[":
                raise Unclear("the JSON is broken: a ] closes what no [ has opened")
            if bracket == "}" and open_[-1] != "{":
                raise Unclear("the JSON is broken: a } stands where a ] is wanted")
            open_.pop()
            if not open_:
                spans[-1][1] = token.end()
    if len(open_) > 1 or (open_ and text.rstrip().endswith("}")):
        raise Unclear("the JSON is broken: more than its last } is missing")
    starts = [start for start, _ in spans]
    for (_, end), until in zip(spans, [*starts[1:], len(text)], strict=False):
        if not _AFTER.fullmatch(text, end, until):
            raise Unclear("the JSON is broken, and where its object ends is not clear")
    return [text[start:end] for start, end in spans[:_MOST]]


def _check_same(text: str, values: list[Any]) -> None:
    """Refuse what repair made if it lost, changed, moved or made up more than marks.

    Of two values or an expression repair keeps a part, for one that is missing it puts an empty
    text, and where a quote is missing it may take a key for words: nobody can say that this was
    meant.
    """
    said = _pieces(_COMMENT.sub(lambda found: found[1] or " ", text))
    kept = chain.from_iterable(_pieces(json.dumps(value)) for value in values)
    for (one, shown), (other, _) in zip_longest(said, kept, fillvalue=("", "")):
        if one != other:
            what = f"what is meant by {shown[:40]!r} is not clear" if one else "a value is missing"
            raise Unclear(f"the JSON is broken, and {what}")
    if _APOSTROPHE.search(text) and _SINGLE_QUOTED.search(text) and _lists_texts(values):
        raise Unclear("the JSON is broken: in single quotes an apostrophe may end a text")
    for told, seam in _seams(values):
        near = told[max(0, seam.start() - 20) : seam.end() + 20]
        raise Unclear(f"the JSON is broken, and where a text ends is not clear: {near!r}")


def _lists_texts(value: Any) -> bool:
    """Return whether there is a text in a list of what repair made."""
    if isinstance(value, dict):
        return any(map(_lists_texts, value.values()))
    return isinstance(value, list) and any(isinstance(v, str) or _lists_texts(v) for v in value)


def _seams(value: Any) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the keys and texts of what repair made that may be more than one."""
    if isinstance(value, str):
        found = [(value, _SEAM.search(value))]
    elif isinstance(value, dict):
        found = [(key, _NO_KEY.search(key)) for key in value]
    else:
        found = []
    yield from ((told, seam) for told, seam in found if seam)
    if isinstance(value, dict | list):
        for below in value.values() if isinstance(value, dict) else value:
            yield from _seams(below)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers, words and signs of what is or should be JSON: in one spelling, and as is.

    An empty text is a piece too.
    """
    plain = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass")
    for found in _PIECE.finditer(plain.decode("utf-16", "replace")):
        piece = found[0].casefold()
        if _LOOSE.fullmatch(piece):
            yield str(float(piece)), found[0]
        else:
            yield _ALIKE.get(piece, piece), found[0]


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else " "


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return deepest
