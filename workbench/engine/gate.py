"""The structural gate: a model's reply becomes a typed value, or openly fails to.

The tiers are those of MAVEN's Structural Integrity Gate (section 3.5): direct JSON, extraction by a
regular expression, isolation of a code fence; then repair, which can invent values and is off for
auditors; then the question is asked again with the error trace. Each attempt is an ask of its own
(``KEY/try=1``, ``KEY/try=2``), so its raw text is in the run, and the outcome is a fact at
``KEY/gate`` that says by which tier the value was recovered. There are no defaults: after the last
attempt the value is `Unparsed`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.engine.commands import Steps, ask, post
from workbench.errors import BadCommand
from workbench.record.events import JSON, Answered, Sampling
from workbench.record.facts import Fact
from workbench.record.jsonable import as_json, told
from workbench.record.parts import Part, as_parts

T = TypeVar("T", bound=BaseModel)
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
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
_KEY = re.compile(
    r"""(?P<bracket>[{}\[\]])"""
    r"""|(?P<key>"(?:[^"\\]++|\\.?)*+"|'(?:[^'\\]|\\.){0,80}+'|[\w$-]++)\s*+:"""
    r"""|"(?:[^"\\]++|\\.?)*+(?:"|\Z)|\w++""",
    re.DOTALL,
)
"""A bracket, a key (a text or a word before a colon), or what holds things that look like them."""
_BRACKET = re.compile(r"[{}\[\]]")
_STOPS = {"length": "the reply was cut off at the token limit", "content_filter": "filtered"}


class Gated(Fact):
    """How the gate fared with one question.

    `tier` is None if no attempt gave a value. `errors` holds one line for each failed attempt.
    """

    role: str
    schema_name: str
    tier: Tier | None
    attempts: int
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value that came through the gate.

    Attributes
    ----------
    value : BaseModel
    path : str
        Of the ask whose reply held the value; the source of what is drawn from it.
    tier : str
        By which the value was recovered.
    tokens : int
        Read and written over all attempts, as far as the server told.
    """

    value: T
    path: str
    tier: Tier
    tokens: int


@dataclass(frozen=True, slots=True)
class Unparsed:
    """No attempt gave a value. Auditors count it as unknown, never as a default.

    Attributes
    ----------
    path : str
        Of the last ask.
    errors : tuple of str
        One for each attempt.
    """

    path: str
    errors: tuple[str, ...]
    tokens: int


def ask_json(
    key: str,
    role: str,
    prompt: str | Part | Iterable[str | Part],
    schema: type[T],
    *,
    sampling: Sampling = Sampling(),
    attempts: int = 3,
    repair: bool = True,
) -> Steps[Parsed[T] | Unparsed]:
    """Ask a language model for a value of a pydantic type.

    Parameters
    ----------
    schema : type of BaseModel
        Sent to the server as a JSON schema. Bound every string and list in it: a small model that
        is held to a grammar can otherwise run on without end.
    attempts : int
        Asks at most.
    repair : bool
        Whether json-repair may mend what the three tiers cannot read. Off for auditors.

    Returns
    -------
    Parsed or Unparsed
    """
    parts = as_parts(prompt)
    sent = json_schema(schema)
    errors: list[str] = []
    tokens = 0
    reply: Answered | None = None
    found: tuple[T, Tier] | str
    for number in range(1, attempts + 1):
        trace = () if reply is None else _trace(reply, errors[-1])
        reply = yield from ask(
            f"{key}/try={number}", role, (*parts, *trace), sampling=sampling, schema=sent
        )
        tokens += (reply.tokens_in or 0) + (reply.tokens_out or 0)
        found = read(reply, schema, repair=repair)
        if not isinstance(found, str):
            value, tier = found
            gated = Gated(
                role=role,
                schema_name=schema.__name__,
                tier=tier,
                attempts=number,
                errors=tuple(errors),
            )
            yield from post(f"{key}/gate", gated, [reply.path])
            return Parsed(value, reply.path, tier, tokens)
        errors.append(found)
    if reply is None:
        raise ValueError("attempts must be at least 1")
    gated = Gated(
        role=role,
        schema_name=schema.__name__,
        tier=None,
        attempts=attempts,
        errors=tuple(errors),
    )
    yield from post(f"{key}/gate", gated, [reply.path])
    return Unparsed(reply.path, tuple(errors), tokens)


@lru_cache(maxsize=256)
def json_schema(schema: type[BaseModel]) -> dict[str, JSON]:
    """Return the JSON schema of a type, with its references put in place and titles left out.

    Small servers' grammars know few keywords, and a title only costs tokens.
    """
    whole = schema.model_json_schema()
    definitions = whole.pop("$defs", {})

    def inline(node: Any) -> Any:
        if isinstance(node, dict):
            beside = {
                k: ({n: inline(p) for n, p in v.items()} if k == "properties" else inline(v))
                for k, v in node.items()
                if k not in ("title", "$ref", "discriminator")
            }
            if "$ref" in node:
                return inline(definitions[node["$ref"].rsplit("/", 1)[-1]]) | beside
            return beside
        if isinstance(node, list):
            return [inline(item) for item in node]
        return node

    try:
        made = inline(whole)
    except RecursionError:
        raise TypeError(
            f"{schema.__name__} refers to itself; a schema sent to a model has a fixed depth"
        ) from None
    made["title"] = schema.__name__
    return made  # type: ignore[no-any-return]


def read(reply: Answered, schema: type[T], *, repair: bool = True) -> tuple[T, Tier] | str:
    """Return the value in a reply and the tier that recovered it, or why there is none."""
    if reply.finish_reason in _STOPS:
        return _STOPS[reply.finish_reason]
    if reply.finish_reason == "refusal":
        return "the model refused"
    text = _without_thoughts(reply.text).strip()
    if not text:
        return "the reply is empty"
    reasons: list[str] = []
    for tier, candidates in _tiers(text, repair):
        values: list[T] = []
        for candidate in candidates:
            if isinstance(candidate, _TwiceError):
                return str(candidate)
            if _is_schema(candidate):
                reasons.append("the reply repeats the schema instead of filling it in")
                continue
            try:
                value = schema.model_validate(candidate)
                turned = _turned(candidate, as_json(value, "the object"))
            except ValidationError as error:
                reasons.append(explain(error))
            except (BadCommand, RecursionError) as error:
                reasons.append(told(error).split(";")[0])  # what follows is for authors
            else:
                if turned:
                    reasons.append(f"{turned[:80]}: a number is wanted, not true or false")
                elif value not in values:
                    values.append(value)
        if len(values) == 1:
            return values[0], tier
        if values:
            return f"the reply holds {len(values)} different values; give one JSON object alone"
    return reasons[0] if reasons else "the reply holds no JSON object"


def _tiers(text: str, repair: bool) -> Iterator[tuple[Tier, list[Any]]]:
    yield "direct", _loads([text])
    yield "regex", _loads(_objects(text))
    fences = [match.group(1).strip() for match in islice(_FENCE.finditer(text), _MOST)]
    yield "fence", _loads([*fences, *(o for fence in fences for o in _objects(fence))])
    if repair:
        yield "repair", _mended(fences[0] if len(fences) == 1 else text)


class _TwiceError(ValueError):
    """One key of an object has two values, of which the parser would choose one unseen."""


def _loads(texts: Iterable[str]) -> list[Any]:
    """Return what the texts that are JSON hold; a `_TwiceError` for one that contradicts itself."""
    values: list[Any] = []
    for text in texts:
        try:
            values.append(
                json.loads(
                    text, strict=False, parse_constant=_no_constant, object_pairs_hook=_each_once
                )
            )
        except _TwiceError as error:
            values.append(error)
        except (ValueError, RecursionError):
            continue
    return values


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and json.dumps(made[key]) != json.dumps(value):  # 1, 1.0 and true differ
            shown = key[:80].encode(errors="replace").decode()
            raise _TwiceError(f"the key {shown} is there twice, with different values")
        made[key] = value
    return made


def _turned(given: Any, made: Any) -> str:
    """Return where a true or false was read as a number, which pydantic does; empty if nowhere."""
    if isinstance(given, bool):
        number = isinstance(made, int | float) and not isinstance(made, bool)
        return "the value" if number else ""
    places: Iterable[Any] = ()
    if isinstance(given, dict) and isinstance(made, dict):
        places = given.keys() & made.keys()
    elif isinstance(given, list) and isinstance(made, list):
        places = range(min(len(given), len(made)))
    for place in places:
        if below := _turned(given[place], made[place]):
            return str(place) if below == "the value" else f"{place}.{below}"
    return ""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _without_thoughts(text: str) -> str:
    """Return `text` without what stands in thought tags; one that was not closed runs to the end.

    A closing tag alone ends a thought that the chat template had opened. Text that is JSON as it
    stands is left alone: a tag in it is part of a string.
    """
    if not _THOUGHT.search(text) or _loads([text]):
        return text
    said: list[str] = []
    inside: str | None = None
    end = 0
    for tag in _THOUGHT.finditer(text):
        closing, name = tag.group(1), tag.group(2).lower()
        if inside is None:
            if closing:
                said.clear()
            else:
                said.append(text[end : tag.start()])
                inside = name
            end = tag.end()
        elif closing and name == inside:
            inside = None
            end = tag.end()
    if inside is None:
        said.append(text[end:])
    return "".join(said)


def _objects(text: str) -> list[str]:
    """Return the outermost ``{...}`` stretches of `text`; braces inside strings do not count.

    Quotes outside of a stretch are prose, and so is a brace that no name or end follows.
    """
    found: list[str] = []
    end = 0
    while len(found) < _MOST and (opening := _OPENING.search(text, end)):
        depth = 0
        for token in _TOKEN.finditer(text, opening.start()):
            depth += {"{": 1, "}": -1}.get(token.group(), 0)
            if depth == 0:
                break
        else:
            break  # cut off: what stands inside is not an answer of its own
        end = token.end()
        found.append(text[opening.start() : end])
    return found


def _mended(text: str) -> list[Any]:
    from json_repair import repair_json

    start = text.find("{")
    if start < 0 or len(text) - start > MENDABLE or _depth(text) > _NESTED:
        return []
    try:
        value = repair_json(text[start:], return_objects=True, skip_json_loads=True)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []  # what it cannot mend may be anything; the question is asked again
    if twice := _said_twice(text[start:]):
        return [_TwiceError(f"the key {twice[:80]} is there twice, in what is no JSON")]
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return [value] if isinstance(value, dict) else []


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


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return deepest


def _is_schema(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("properties"), dict)
        and value.get("type") == "object"
    )


def explain(error: ValidationError) -> str:
    """Return a validation error as one line that a model can act on."""
    lines = [
        f"{'.'.join(str(p) for p in e['loc'])[:80] or 'the object'}: {e['msg'][:200]}"
        for e in error.errors(include_url=False, include_input=False)[:4]
    ]
    return "; ".join(lines).encode(errors="replace").decode()


def _trace(reply: Answered, error: str) -> tuple[Part, ...]:
    """Return the failed reply and the error, as the tail of the next prompt."""
    again = (
        f"That reply could not be used: {error}. "
        "Answer again with one JSON object and nothing else."
    )
    said = reply.text[:2000] or "(nothing)"
    return Part(said, reply.path, "assistant"), Part(again)
