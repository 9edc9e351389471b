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
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.engine.commands import Steps, ask, post
from workbench.record.events import JSON, Answered, Sampling
from workbench.record.facts import Fact
from workbench.record.parts import Part, as_parts

T = TypeVar("T", bound=BaseModel)
Tier = Literal["direct", "regex", "fence", "repair"]

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"<(think|thinking|reasoning)>(?!.*</\1>).*", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
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
        Sent to the server as a JSON schema. Bound every string and list in it: a small model that is
        held to a grammar can otherwise run on without end.
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
            if "$ref" in node:
                return inline(definitions[node["$ref"].rsplit("/", 1)[-1]])
            return {
                k: ({n: inline(p) for n, p in v.items()} if k == "properties" else inline(v))
                for k, v in node.items()
                if k != "title"
            }
        if isinstance(node, list):
            return [inline(item) for item in node]
        return node

    made = inline(whole)
    made["title"] = schema.__name__
    return made  # type: ignore[no-any-return]


def read(reply: Answered, schema: type[T], *, repair: bool = True) -> tuple[T, Tier] | str:
    """Return the value in a reply and the tier that recovered it, or the reason why there is none."""
    if reply.finish_reason in _STOPS:
        return _STOPS[reply.finish_reason]
    if reply.finish_reason == "refusal":
        return "the model refused"
    text = _OPEN_THOUGHT.sub("", _THOUGHT.sub("", reply.text)).strip()
    if not text:
        return "the reply is empty"
    reasons: list[str] = []
    for tier, candidates in _tiers(text, repair):
        values: list[T] = []
        for candidate in candidates:
            if _is_schema(candidate):
                reasons.append("the reply repeats the schema instead of filling it in")
                continue
            try:
                value = schema.model_validate(candidate)
            except ValidationError as error:
                reasons.append(explain(error))
            else:
                if value not in values:
                    values.append(value)
        if len(values) == 1:
            return values[0], tier
        if values:
            return f"the reply holds {len(values)} different values; give one JSON object alone"
    return reasons[0] if reasons else "the reply holds no JSON object"


def _tiers(text: str, repair: bool) -> Iterator[tuple[Tier, list[Any]]]:
    yield "direct", _loads([text])
    yield "regex", _loads(_objects(text))
    fences = [match.strip() for match in _FENCE.findall(text)]
    yield "fence", _loads([*fences, *(o for fence in fences for o in _objects(fence))])
    if repair:
        yield "repair", _mended(fences[0] if len(fences) == 1 else text)


def _loads(texts: Iterable[str]) -> list[Any]:
    values = []
    for text in texts:
        try:
            values.append(json.loads(text, strict=False, parse_constant=_no_constant))
        except (ValueError, RecursionError):
            continue
    return values


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)


def _objects(text: str) -> list[str]:
    """Return the outermost ``{...}`` stretches of `text`; braces inside strings do not count."""
    found = []
    depth = 0
    start = 0
    for match in _BRACE.finditer(text):
        token = match.group()
        if token == "{":
            if depth == 0:
                start = match.start()
            depth += 1
        elif token == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start : match.end()])
    return found


def _mended(text: str) -> list[Any]:
    from json_repair import repair_json

    start = text.find("{")
    if start < 0:
        return []
    value = repair_json(text[start:], return_objects=True, skip_json_loads=True)
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return [value] if isinstance(value, dict) else []


def _is_schema(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("properties"), dict)
        and value.get("type") == "object"
    )


def explain(error: ValidationError) -> str:
    """Return a validation error as one line that a model can act on."""
    return "; ".join(
        f"{'.'.join(str(p) for p in e['loc']) or 'the object'}: {e['msg']}"
        for e in error.errors(include_url=False, include_input=False)[:4]
    )


def _trace(reply: Answered, error: str) -> tuple[Part, ...]:
    """Return the failed reply and the error, as the tail of the next prompt."""
    again = f"That reply could not be used: {error}. Answer again with one JSON object and nothing else."
    said = reply.text[:2000] or "(nothing)"
    return Part(said, reply.path, "assistant"), Part(again)
