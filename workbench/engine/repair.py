"""What of a broken object can be mended: marks alone, where nothing else can have been meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

from workbench.engine.fields import Fields

MENDABLE = 8_192
"""Characters that repair takes on; json-repair's time grows with the square of them."""
_NESTED = 16
_MOST = 64
"""Objects of one broken text that are mended."""

_DOUBLE = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_SINGLE = r"(?<=[\s:,\[{])'(?:[^'\\]++|\\.?)*+(?:'|\Z)"
_CURLY = r"\u201c[^\u201d]*+(?:\u201d|\Z)"
_OUTER = re.compile(rf"(?P<bracket>[{{}}\[\]])|{_DOUBLE}|{_SINGLE}|{_CURLY}", re.DOTALL)
"""A bracket, or a text, which may hold what looks like one."""
_AFTER = re.compile(r"[\s\]}),;.`]*+[^{}\[\]:\"\u201c\u201d]*+")
"""What may stand after a broken object and be no part of it: closing marks, then prose."""
_COMMENT = re.compile(
    rf"""({_DOUBLE}|'(?:[^'\\\n]++|\\.)*+')|/\*[^"':{{}}\[\]]*?\*/|(?://|\#++(?!\w))[^\n"':{{}}\[\]]*+$""",
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
_MARKED = re.compile(r"[\n{}\[\]]|\A[\"'`\u2018-\u201f]|[\"'`\u2018-\u201f]\Z")
_PARTED = re.compile(r"[;|]")
"""What may part two fields in a text without quotes."""
_BEHIND = re.compile(r"[}\]\u201d]|</|<\||<\w+>\Z|\d(?:\.|[eE][+-]?)\Z")
"""What ends a reply and no value: a bracket, a tag of a template, or a part of a number."""
_CLOSED = re.compile(r"""(?s)[{}\[\]]|(["']).*(?<!\\)\1|\u201c.*\u201d""")
_TYPED = re.compile(
    rf"{_DOUBLE}|{_SINGLE}|(?<=[\s:,\[{{])(?:\u201c(?P<double>[^\u201c\u201d]*+)\u201d"
    r"|\u2018(?P<single>(?:[^\u2018\u2019]|(?<=\w)\u2019(?=\w))*+)\u2019)(?=\s*+(?:[:,\]}]|\Z))",
    re.DOTALL,
)
"""A text in straight quotes, or one that is wholly within typographic ones."""
_CURVED = re.compile(
    rf"({_DOUBLE}|{_SINGLE})|[\u2018\u201a-\u201f]|(?<!\w)\u2019|\u2019(?!\w)", re.DOTALL
)
"""A text in straight quotes, or a typographic quote that stands in none."""
_SINGLE_QUOTED = re.compile(r"[\[{,:]\s*'")
_APOSTROPHE = re.compile(r"\w'\w")
_ALIKE = {"none": "null", "''": '""'}
_NO_KEY = re.compile(r"""["'\u201c\u201d:,{}\[\]]""")
_BRACKET = re.compile(r"[{}\[\]]")


class Unclear(ValueError):
    """A text could stand for another value than a parser makes of it, and nobody would know."""


def mended(text: str, fields: Fields) -> list[Any]:
    """Return the objects of a broken text.

    Parameters
    ----------
    text : str
        With what stands before and after them.
    fields : Fields
        What is asked for.

    Returns
    -------
    list
        Objects; none if the text is too long or too deep, or cannot be mended.

    Raises
    ------
    Unclear
        If repair could lose, change or make up more than marks.
    """
    if len(text) - text.find("{") > MENDABLE or _depth(text) > _NESTED:
        return []
    values: list[Any] = []
    for one in _apart(text):
        made = _mended_one(one)
        if made:
            _check_same(one, made, fields)
        elif fields.are_named(one):
            raise Unclear("the JSON is broken, and one of its objects cannot be mended")
        values += made
    return values


def _mended_one(text: str) -> list[Any]:
    from json_repair import repair_json

    try:
        value = repair_json(_straight(text), return_objects=True, skip_json_loads=True)
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
    for last in _OUTER.finditer(text):
        bracket = last["bracket"]
        if bracket == "{" and not open_:
            spans.append([last.start(), len(text)])
        if bracket in ("{", "[") and (open_ or bracket == "{"):
            open_.append(bracket)
        elif bracket and open_:
            if bracket == "]" and open_[-1] != "[":
                raise Unclear("the JSON is broken: a ] closes what no [ has opened")
            if bracket == "}" and open_[-1] != "{":
                raise Unclear("the JSON is broken: a } stands where a ] is wanted")
            open_.pop()
            if not open_:
                spans[-1][1] = last.end()
    if len(open_) > 1 or (open_ and text.rstrip().endswith("}")):
        raise Unclear("the JSON is broken: more than its last } is missing")
    if open_ and _BEHIND.search(text, last.end() if _CLOSED.fullmatch(last[0]) else last.start()):
        raise Unclear("the JSON is broken, and where its last value ends is not clear")
    starts = [start for start, _ in spans]
    for (_, end), until in zip(spans, [*starts[1:], len(text)], strict=False):
        if not _AFTER.fullmatch(text, end, until):
            raise Unclear("the JSON is broken, and where its object ends is not clear")
    found = [text[start:end] for start, end in spans[:_MOST]]
    if any(one.count("`") % 2 for one in found):
        raise Unclear("the JSON is broken, and a text in backticks may go on behind its bracket")
    return found


def _check_same(text: str, values: list[Any], fields: Fields) -> None:
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
    for told, seam in _seams(values, text, fields):
        near = told[max(0, seam.start() - 20) : seam.end() + 20]
        raise Unclear(f"the JSON is broken, and where a text ends is not clear: {near!r}")
    if any(not found[1] for found in _CURVED.finditer(_straight(text))):
        raise Unclear("the JSON is broken: a typographic quote stands where none is known to end")


def _lists_texts(value: Any) -> bool:
    """Return whether there is a text in a list of what repair made."""
    if isinstance(value, dict):
        return any(map(_lists_texts, value.values()))
    return isinstance(value, list) and any(isinstance(v, str) or _lists_texts(v) for v in value)


def _straight(text: str) -> str:
    """Return a broken object with the texts in straight quotes that typographic ones enclose."""

    def straight(found: re.Match[str]) -> str:
        inner = found["double"] if found["single"] is None else found["single"]
        return found[0] if inner is None else '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'

    return _TYPED.sub(straight, text)


def _seams(value: Any, given: str, fields: Fields) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the keys and texts of what repair made that may be more than one, or have no sure end.

    A text that ends in a quote, or holds a bracket or a new line, must stand in quotes as it is.
    One in no quotes must hold nothing that may part two fields.
    """
    if isinstance(value, str):
        seam = _SEAM.search(value)
        if seam is None and (seam := _MARKED.search(value)) and _is_in_quotes(value, given):
            seam = None
        if seam is None and not _is_in_quotes(value, given) and not _is_cut(value, given):
            seam = _PARTED.search(value) or fields.named_in(value)
        found = [(value, seam)]
    elif isinstance(value, dict):
        found = [(key, _NO_KEY.search(key)) for key in value]
    else:
        found = []
    yield from ((told, seam) for told, seam in found if seam)
    if isinstance(value, dict | list):
        for below in value.values() if isinstance(value, dict) else value:
            yield from _seams(below, given, fields)


def _is_in_quotes(value: str, given: str) -> bool:
    escaped = (json.dumps(value), json.dumps(value, ensure_ascii=False))
    as_is = (f"{a}{value}{b}" for a, b in ('""', "''", "``", "\u201c\u201d", "\u2018\u2019"))
    plain = re.sub(r"\\(['\"])", r"\1", given)
    return any(text in given or text in plain for text in (*escaped, *as_is))


def _is_cut(value: str, given: str) -> bool:
    return given.rstrip().endswith((f'"{value}', f"'{value}"))


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
