"""The body of a chat completion: from an ask to JSON bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Literal

import pydantic_core

from workbench.record.events import JSON, Asked
from workbench.record.parts import messages

SchemaMode = Literal["json_schema", "json_object", "none"]
"""How an endpoint is told of a schema."""
WEAKER: dict[SchemaMode, SchemaMode] = {"json_schema": "json_object", "json_object": "none"}
"""What to fall down to where an endpoint refuses a mode."""

OPTIONAL = ("temperature", "top_p", "seed")
"""Settings that some models refuse, and that an ask can do without."""

OWN = frozenset(
    "max_completion_tokens max_tokens messages model n n_predict response_format seed stop stream "
    "temperature top_p".split()
)
"""What a body has by other means than `Sampling.extra`, or what a reply is read by."""

# The keywords of the documented subset that strict endpoints take.
_STRICT = frozenset(
    "$defs $ref additionalProperties anyOf const definitions description enum exclusiveMaximum "
    "exclusiveMinimum format items maximum maxItems minimum minItems multipleOf pattern properties "
    "required title type".split()
)


def body_of(
    asked: Asked,
    model: str,
    *,
    schema_mode: SchemaMode = "json_schema",
    send_seed: bool = True,
    limit_name: str = "max_tokens",
    unsent: Collection[str] = (),
) -> dict[str, JSON]:
    """Return the request's body; a setting that is None is left to the endpoint.

    `limit_name` is what the endpoint calls the limit of written tokens: OpenAI's own models know it
    as ``max_completion_tokens``. What `unsent` names of `OPTIONAL` is left out. `Sampling.extra` is
    merged in last and so wins.
    """
    sampling = asked.sampling
    body: dict[str, JSON] = {"model": model, "messages": messages(asked.parts)}
    for name in OPTIONAL:
        value = getattr(sampling, name)
        if value is not None and name not in unsent and (send_seed or name != "seed"):
            body[name] = value
    if sampling.max_tokens is not None:
        body[limit_name] = sampling.max_tokens
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if asked.schema is not None:
        if schema_mode == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": _name(asked.schema),
                    "schema": asked.schema,
                    "strict": fits_strict(asked.schema),
                },
            }
        elif schema_mode == "json_object":
            body["response_format"] = {"type": "json_object"}
    body.update(sampling.extra)
    return body


def encode(body: dict[str, JSON]) -> bytes:
    """Return `body` as UTF-8 JSON; lone surrogates, which no UTF-8 can hold, become U+FFFD."""
    try:
        return pydantic_core.to_json(body)
    except (pydantic_core.PydanticSerializationError, UnicodeEncodeError):
        return encodable(json.dumps(body, ensure_ascii=False)).encode()


def encodable(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def fits_strict(schema: JSON) -> bool:
    """Return whether strict endpoints take `schema` as it is.

    They want every object closed and every property required, and know only some keywords; not
    ``maxLength``, for one. A schema that does not fit is sent with ``"strict": false``.
    """
    return isinstance(schema, dict) and schema.get("type") == "object" and _fits(schema)


def _fits(schema: JSON) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _STRICT:
        return False
    properties = schema.get("properties", {})
    if schema.get("type") == "object" or properties:
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(properties):
            return False
    inner = [*properties.values(), *schema.get("anyOf", ())]
    inner += [*schema.get("$defs", {}).values(), *schema.get("definitions", {}).values()]
    if "items" in schema:
        inner.append(schema["items"])
    return all(map(_fits, inner))


def _name(schema: dict[str, JSON]) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", str(schema.get("title", "reply")))[:64] or "reply"
