"""What a reply says of a schema's fields: in an object of any shape, in a broken one, in a line.

A model that corrects itself often does so in a form that does not fit: a field is missing, its name
is in capitals, the object is within another or is a line of YAML. Whatever names a field counts as
said of it, so that a draft is not taken for the answer only because its correction does not fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

Said = tuple[str, int, str]
"""A field's name and a value, both in one spelling, and its place in a list; -1: in none."""

_MARKS = r"[\\\"'`*\u2018-\u201d]*+"
_NUMBER = r"-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+"
_SCALAR = rf'"(?:[^"\\\n]|\\.)*+"|{_NUMBER}(?![\w.]*\w)|true\b|false\b|null\b'
_WITHIN = re.compile(r"""["'`\u201d]\s*+:\s*+\[?\s*+\Z""")
"""A key at the end of prose, of which what comes next is the value."""
_WORD = re.compile(r"\w+")
_NAME_PART = re.compile(r"[A-Z]?[^\W\dA-Z_]+|[A-Z]+|\d+")
_REVISED = frozenset(
    "actual adjusted amended changed corrected correct final fixed improved modified new overall "
    "real refined revised true updated".split()
)
"""Words before a field's name that make it the one that is meant."""
_PLURAL = re.compile(r"(?:(?<=ss|sh|ch)|(?<=x))es\Z|(?<=[^\W_][^\W_s])s\Z")
_COMMON = frozenset(
    "a an and are as at be by can description do does for from has have id in index is kind name "
    "no not number of on or should the title to type value was with".split()
    + list("0123456789")
)
"""Words of which a part of a field's name that consists of them alone names no field."""
_NAMED = re.compile(r"[:=]")
_AMOUNT = re.compile(r"([+-]?(?:\d[\d,]*+(?:\.\d++)?+|\.\d++(?!f\b)))(?!\s*+[-\u2013]\s*+\d)(.*)")
"""A number that is no range and no format, and what follows it."""
_SINGLE = re.compile(r"([^\W\d][\w-]*+)[*_\"'`\u2019\u201d]*+[ \t]*+(?:[,;.!?()|<#].*)?")
"""A word alone, or one behind which something else begins."""
_YES_NO = {"true": "true", "yes": "true", "false": "false", "no": "false"}


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
        self._given = re.compile(
            rf"(?:\|[ \t]*+{_MARKS}({name}){_MARKS}[ \t]*+\||<({name})>"
            rf"|(?<![^\W_])({name}){_MARKS}[ \t]*+(?::|=|\uff1a|->))"
            r"[ \t*_\"'`\u2018\u201c(|<>$\u20ac\u00a3~\u2248]*+([^\s].*)",
            re.IGNORECASE,
        )
        self._choices = dict(_choices(schema))

    def are_named(self, text: str) -> bool:
        """Return whether a broken object names a field."""
        return self.named_in(text) is not None

    def named_in(self, text: str) -> re.Match[str] | None:
        """Return where a broken object or a text names a field first."""
        return next((found for found in self._key.finditer(text) if found[0] not in "{}"), None)

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

    def are_lost(
        self, key: str, given: dict[str, Any], own: Mapping[str, Collection[object]]
    ) -> bool:
        """Return whether what a type has ignored in an object is a field, or says otherwise of one.

        That is a field by another spelling, what holds one, and of the object's `own` fields one
        that is revised (``final_verdict``), or that has no value and is meant: with a word more
        (``budget_usd`` for ``budget``), in the plural, or by a part of its name (``constraint`` for
        ``set_constraint``). A key that says nothing, such as ``n/a``, is none of these.
        """
        if not self._names or key in self._names:
            return False
        if _plain(key) in self._plain or self.said([given[key]]):
            return True
        words = [word.casefold() for word in _NAME_PART.findall(key)]
        kept = [word for word in words if word not in _REVISED]
        last = "".join(kept)
        if _says_nothing(given[key], self._choices.get(last, ())):
            return False
        told = {_plain(name): values for name, values in own.items() if values}
        if len(kept) < len(words) and last in told:
            return _alike(given[key]).rstrip(".!") not in {
                _alike(value).rstrip(".!") for value in told[last]
            }
        if given[key] in ([], {}):
            return False
        ends = {"".join(part) for n in range(1, len(words)) for part in (words[:n], words[n:])}
        if not ends.isdisjoint(set(map(_plain, own)) - told.keys()):
            return True
        meant = {"".join(map(_singular, some)) for some in (words, kept) if some}
        return any(
            not meant.isdisjoint(_shorter(name))
            for name, values in own.items()
            if all(_says_nothing(value, ()) for value in values)
        )

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

    def hold(self, taken: object, other: object) -> bool:
        """Return whether a piece of JSON that names a field is a value or a whole part of it.

        An object may leave out fields of the one that it repeats; a list may leave out nothing.
        """
        if isinstance(other, dict):
            known = {key for key in other if not self._names or _plain(key) in self._plain}
            if not known:
                return all(self.hold(taken, below) for below in other.values())
            said = {_plain(key): _alike(other[key]) for key in known}
            return any(
                isinstance(part, dict) and said.items() <= _alike_fields(part).items()
                for part in parts_of(taken)
            )
        if isinstance(other, list) and self.said([other]):
            whole = _alike(other)
            if any(isinstance(part, list) and _alike(part) == whole for part in parts_of(taken)):
                return True
            # else a list around the whole answer, or around objects of its own fields
            top = _alike_fields(taken) if isinstance(taken, dict) else {}
            return all(
                isinstance(one, dict) and _alike_fields(one).items() <= top.items() for one in other
            )
        return True

    def corrected(self, said: set[Said], prose: str) -> bool:
        """Return whether what follows an answer gives a field a value that it does not begin with.

        The field is followed by a colon, an equals sign or an arrow, or stands in a tag or in a
        table's row. A choice, a number or a single word counts. Not seen are a correction in prose
        ("sorry, it is fail"), one of several words for a text, one on the next line, a range of
        numbers, and a table with the fields in its head.
        """
        for line in prose.splitlines() if self._names else ():
            at = 0
            while found := self._given.search(line, at):
                at = found.start(4)
                name = _plain(found[1] or found[2] or found[3])
                own = {text for known, _, text in said if known == name}
                if self._differs(name, own, found[4].replace("\u2212", "-")):
                    return True
        return False

    def _differs(self, name: str, own: set[str], told: str) -> bool:
        """Return whether what is told of a field begins with another value than its own."""
        words = {word for one in own for word in _WORD.findall(one)}
        if number := _AMOUNT.match(told):
            value = _text(number[1].replace(",", ""))
            is_text = not any(map(_is_number, own))
            return value not in own and not (is_text and (number[1] in words or number[2].strip()))
        begins = re.sub(r"[\W_]+", " ", told.casefold()) + " "
        chosen = [one for one in self._choices.get(name, ()) if begins.startswith(f"{one} ")]
        if chosen:
            return max(chosen, key=len) not in {re.sub(r"[\W_]+", " ", one) for one in own}
        single = _SINGLE.fullmatch(told)
        if own & {"true", "false"}:
            first = _YES_NO.get(begins.split(" ")[0])
            return first is not None and first not in own
        if single is None or _plain(single[1]) in self._plain:
            return False
        return single[1].casefold() not in words and any(one.isalpha() for one in own)

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


def _choices(schema: Any) -> Iterable[tuple[str, set[str]]]:
    """Yield the names of fields of which texts are listed, with those, in words."""
    left = [schema]
    found: dict[str, set[str]] = {}
    while left:
        node = left.pop()
        if isinstance(node, dict):
            fields = node.get("properties")
            for name, field in fields.items() if isinstance(fields, dict) else ():
                either = field.get("anyOf", ()) if isinstance(field, dict) else ()
                values = [
                    value
                    for one in (field, *either)
                    if isinstance(one, dict)
                    for value in (*one.get("enum", ()), one.get("const"))
                ]
                texts = {re.sub(r"[\W_]+", " ", v.casefold()) for v in values if isinstance(v, str)}
                found.setdefault(_plain(name), set()).update(texts)
            left += node.values()
        elif isinstance(node, list):
            left += node
    return found.items()


def parts_of(value: object) -> Iterable[object]:
    """Yield a piece of JSON and all that it holds, but for the names."""
    left = [value]
    while left:
        part = left.pop()
        yield part
        left += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


def _alike_fields(value: dict[str, Any]) -> dict[str, str]:
    return {_plain(key): _alike(below) for key, below in value.items()}


def _alike(value: Any) -> str:
    """Return a value in one spelling."""
    if isinstance(value, dict):
        return json.dumps(_alike_fields(value), sort_keys=True)
    return json.dumps(list(map(_alike, value))) if isinstance(value, list) else _text(value)


def _says_nothing(value: object, choices: Collection[str]) -> bool:
    """Return whether a value is null, or a text that stands for it and is none of `choices`."""
    said = re.sub(r"[\W_]+", " ", value.casefold()).strip() if isinstance(value, str) else None
    return value is None or (said in ("", "n a", "na", "none", "null") and said not in choices)


def _shorter(name: str) -> set[str]:
    """Return a name and the parts of it that may stand for it, in the singular."""
    words = [word.casefold() for word in _NAME_PART.findall(name)]
    some = [words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    meant = (part for part in some if part == words or not _COMMON.issuperset(part))
    return {"".join(map(_singular, part)) for part in meant}


def _singular(word: str) -> str:
    return _PLURAL.sub("", re.sub(r"(?<=\w\w)ies\Z", "y", word))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
