"""The structural gate: a model's reply becomes a typed value, or openly fails to.

The tiers are those of MAVEN's Structural Integrity Gate (section 3.5): direct JSON, extraction by a
regular expression, isolation of a code fence; then repair, which may change marks alone and is off
for auditors; then the question is asked again with the error trace. Each attempt is an ask of its
own (``KEY/try=1``, ``KEY/try=2``), so its raw text is in the run, and the outcome is a fact at
``KEY/gate`` that says by which tier the value was recovered. There are no defaults: after the last
attempt the value is `Unparsed`.

No wrong value is silently taken: a reply is an answer only if one value is left of all that it says
of the schema's fields, outside of thoughts. A second object that differs, does not fit or is
broken, or a line that gives a field another value, may be a correction, and is asked about. What
names a field must be the value or a whole part of it; a key that nearly names a field to which the
reply gives no value (``constraint`` for ``set_constraint``) is asked about. Not seen is a
correction in prose ("sorry, it is fail"), a list without any field's name, a line on a field that
holds an object, or a backslash that was not doubled where what JSON makes of it could have been
meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.engine.commands import Steps, ask, post
from workbench.engine.fields import Fields
from workbench.engine.repair import Unclear
from workbench.engine.taken import Taken
from workbench.engine.tiers import Found, Tier, tiers, without_thoughts
from workbench.errors import BadCommand
from workbench.record.events import JSON, UNSAID, Answered, Sampling
from workbench.record.facts import Fact
from workbench.record.jsonable import told
from workbench.record.parts import Part, as_parts

__all__ = ["Gated", "Parsed", "Tier", "Unparsed", "ask_json", "explain", "json_schema", "read"]

T = TypeVar("T", bound=BaseModel)

_CUT = "the reply was cut off at the token limit"
_STOPS = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), _CUT),
    **dict.fromkeys(("content_filter", "safety", "recitation", "blocklist"), "filtered"),
    "refusal": "the model refused",
}
"""What is no answer, by the finish reasons of servers, in lower case."""
_WHOLE = frozenset(
    "stop complete completed end end_of_turn end_turn eos eos_token finish finished stop_sequence "
    "stop_token".split()
)


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
    key, role, prompt, sampling
        As for `ask`.
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

    Raises
    ------
    TypeError
        If the schema has a set in it, whose order is another in each process, or refers to itself.
    ValueError
        If `attempts` is less than 1.
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
    if _holds_set(schema.__pydantic_core_schema__):
        raise TypeError(
            f"{schema.__name__} has a set in it, whose order is another in each process: what a "
            "protocol makes of it could not be replayed. Use a list; a validator can refuse repeats"
        )
    definitions = whole.pop("$defs", {})

    def inline(node: Any) -> Any:
        if isinstance(node, dict):
            beside = {
                k: {n: inline(p) for n, p in v.items()}
                if k == "properties"
                else v
                if k in ("default", "examples")
                else inline(v)
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


def _holds_set(node: object) -> bool:
    """Return whether a schema of pydantic's core, or a part of it, is a set's."""
    if isinstance(node, dict):
        return node.get("type") in ("set", "frozenset") or any(map(_holds_set, node.values()))
    return isinstance(node, list | tuple) and any(map(_holds_set, node))


def read(reply: Answered, schema: type[T], *, repair: bool = True) -> tuple[T, Tier] | str:
    """Return the value in a reply and the tier that recovered it, or why there is none."""
    reason = reply.finish_reason.strip().lower().replace("-", "_").removeprefix("finish_reason_")
    if reason in _STOPS:
        return _STOPS[reason]
    if reason in ("", UNSAID):
        repair = False  # what was cut off could be mended to a value that nobody gave
    elif reason not in _WHOLE:
        return f"the reply ended by {reply.finish_reason[:40]!r}, so it may not be whole"
    text = without_thoughts(reply.text).strip()
    if not text:
        return "the reply is empty"
    if not reply.text.rstrip().endswith(text):
        repair = False  # a tag that stood in the middle may have been a word of a broken object
    fields = _fields(schema)
    reasons: list[str] = []
    try:
        for tier, found in tiers(text, fields, repair):
            taken = _only(found, schema, fields, reasons)
            if isinstance(taken, str):
                return taken
            if taken is not None:
                return taken, tier
    except Unclear as unclear:
        return reasons[0] if reasons else str(unclear)
    except RecursionError:
        return "the object is too deep"
    return reasons[0] if reasons else "the reply holds no JSON object"


def _only(found: Found, schema: type[T], fields: Fields, reasons: list[str]) -> T | str | None:
    """Return the one value in what a tier found, or why there is none; None: ask the next tier.

    Two answers are none, also where one of them does not fit: it may be what corrects the other.
    Only what repeats the value, the schema itself, and what names none of its fields may stand
    beside it.
    """
    values: list[T] = []
    fits: list[Any] = []
    others: list[Any] = []
    for candidate in found.values:
        checked = _checked(candidate, schema, fields)
        if isinstance(checked, str):
            reasons.append(checked)
            others += [] if _is_schema(candidate) else [candidate]
        else:
            fits.append(candidate)
            values += [] if checked in values else [checked]
    if not values:
        return None
    if found.is_broken:
        return "the reply holds an object and a broken one; give one JSON object alone"
    if len(values) > 1:
        return f"the reply holds {len(values)} different values; give one JSON object alone"
    said = fields.said(fits)
    pieces = [*others, *found.lists]
    is_part = all(any(fields.hold(one, piece) for one in fits) for piece in pieces)
    if not is_part or not fields.said(others) <= said:
        if not others:
            return "the reply holds an answer and a list that differs; give one JSON object alone"
        return f"the reply holds an answer and one that does not fit ({reasons[-1][:400]})"
    if fields.denied(said, found.prose) or fields.corrected(said, found.behind):
        return "the reply says otherwise beside its object; give one JSON object alone"
    return values[0]


@lru_cache(maxsize=256)
def _fields(schema: type[BaseModel]) -> Fields:
    return Fields(json_schema(schema))


def _checked(candidate: Any, schema: type[T], fields: Fields) -> T | str:
    """Return the value that a piece of JSON stands for, or why it is none."""
    if _is_schema(candidate):
        return "the reply repeats the schema instead of filling it in"
    try:
        value = schema.model_validate(candidate)
        misread = Taken(candidate, value, schema, fields).misread()
    except ValidationError as error:
        return explain(error)
    except (BadCommand, RecursionError) as error:
        return told(error).split(";")[0]  # what follows is for authors
    except Exception as error:  # an author's validator that the reply has surprised
        return f"the object: {type(error).__name__}: {told(error)[:200]}"
    return misread or value


def _is_schema(value: Any) -> bool:
    properties = value.get("properties") if isinstance(value, dict) else None
    return (
        isinstance(properties, dict)
        and value.get("type") == "object"
        and all(isinstance(one, dict) for one in properties.values())
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
