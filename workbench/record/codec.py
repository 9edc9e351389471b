"""Events to lines and back: one JSON object a line, each with a version and a checksum.

A line is ``{"v": 2, "event": "asked", ..., "#": "crc32 of what stands before"}``. A string of
`POOLED` characters or more is stored once a run: it stands as ``{"@": id, "is": "..."}`` at its
first use and as ``{"@": id}`` from then on, `id` being its digest. A prompt stands as
``{"keep": n, "add": [...]}``: its first `n` parts are those of the last ask of the same role, so a
growing history costs a call what is new in it. A schema is pooled as a text.

Format 1 had a line of its own for each text, ``{"v": 1, "text": id, "is": "..."}``, before the
first use; it is still read.

`Encoder` and `Decoder` each hold the pool; a file that is continued is first decoded.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any
from zlib import crc32

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from workbench.errors import BadCommand, RunFileError
from workbench.record.events import (
    FORMAT,
    KINDS,
    Asked,
    Event,
    Returned,
    RunStarted,
    adapter,
)
from workbench.record.jsonable import DEEPEST, as_json, check_json
from workbench.record.parts import Part
from workbench.record.upcast import upcast

POOLED = 48
"""Strings of this many characters or more are stored once; a reference costs about 35 bytes."""

_TAIL = len(b',"#":"00000000"}')
_ALIKE = bytes.maketrans(b"123456789E[", b"000000000e{")
_LONG = b"0" * 300  # so many digits and more may be no float
_CURRENT = b'{"v":%d,' % FORMAT
_validators = {name: TypeAdapter(kind).validator.validate_python for name, kind in KINDS.items()}


class BadLine(RunFileError):
    """A line that cannot be read; the log adds the file and the line number."""


class NewerLine(BadLine):
    """A whole line of a format that this version does not know."""


def text_id(text: str) -> str:
    """Return the digest (96 bits, hex) under which `text` is stored."""
    return blake2b(text.encode(), digest_size=12).hexdigest()


def seal(obj: dict[str, Any]) -> bytes:
    """Return `obj` as one checked line."""
    body = to_json(obj)[:-1]
    return b'%b,"#":"%08x"}\n' % (body, crc32(body))


def unseal(line: bytes) -> dict[str, Any]:
    """Return the object on a line (without its newline).

    Raises
    ------
    BadLine
        If the line is not a sealed object, was changed, or is of a newer version.
    """
    _check(line)
    try:
        obj: dict[str, Any] = from_json(line, cache_strings="keys", allow_inf_nan=False)
        if line.startswith(_CURRENT):
            return obj
        version = obj["v"]
    except (ValueError, KeyError, TypeError):
        raise BadLine("not a line of a run file, though its checksum fits") from None
    if type(version) is int and 0 < version <= FORMAT:
        return upcast(obj, version)
    raise _unknown_format(version)


def _check(line: bytes) -> None:
    """Refuse a line that does not end in the checksum of what stands before."""
    if line[-_TAIL:] == b',"#":"%08x"}' % crc32(line[:-_TAIL]):
        return
    if line[-_TAIL:-10] != b',"#":"' or line[-2:] != b'"}':
        raise _not_a_line(line)
    raise BadLine("the checksum does not fit: the line was changed or damaged")


def _not_a_line(line: bytes) -> BadLine:
    try:
        obj = json.loads(line)
    except (ValueError, RecursionError):
        return BadLine("not JSON, so not a line of a run file")
    version = obj.get("v") if isinstance(obj, dict) else None
    if isinstance(version, int) and version > FORMAT:
        return _unknown_format(version)
    return BadLine("JSON, but not a line of a run file (it has no checksum)")


def _unknown_format(version: object) -> NewerLine:
    if type(version) is not int or version <= FORMAT:
        shown = str(version)[:40]
        return NewerLine(f"written in {shown!r}, which is not a format: they are 1 to {FORMAT}")
    return NewerLine(
        f"written in format {version!r}, and this workbench reads up to {FORMAT}: "
        "upgrade mas-workbench to read it"
    )


class Encoder:
    """Turn events into lines, each text once."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.prompts: dict[str, tuple[Part, ...]] = {}

    def encode(self, event: Event) -> bytes:
        """Return the line of `event`, with the texts in it that are new.

        Raises
        ------
        RunFileError
            If the event holds what a file cannot (a lone surrogate); the encoder is then of no more
            use, since it counts lines as stored that never were.
        """
        try:
            return self._line(event)
        except (UnicodeEncodeError, PydanticSerializationError) as error:
            where = getattr(event, "path", event.event)
            raise RunFileError(f"{where}: cannot be written to a run file: {error}") from None

    def _line(self, event: Event) -> bytes:
        if isinstance(event, Asked):
            obj = self._asked(event)
        else:
            obj = {
                name: self._pack(value)
                for name, value in adapter.dump_python(event, exclude_none=False).items()
                if value is not None
            }
        return seal({"v": FORMAT, **obj})

    def _asked(self, event: Asked) -> dict[str, Any]:
        before = self.prompts.get(event.role, ())
        keep = 0
        for old, part in zip(before, event.parts, strict=False):
            if old is not part and old != part:
                break
            keep += 1
        self.prompts[event.role] = event.parts
        sampling = event.sampling
        drawn: dict[str, Any] = {
            name: value
            for name in ("temperature", "top_p", "max_tokens", "seed")
            if (value := getattr(sampling, name)) is not None
        }
        if sampling.stop:
            drawn["stop"] = sampling.stop
        if sampling.extra:
            drawn["extra"] = sampling.extra
        obj: dict[str, Any] = {
            "event": "asked",
            "path": event.path,
            "clock": event.clock,
            "role": event.role,
            "parts": {
                "keep": keep,
                "add": [[self._text(p.text), p.source, p.speaker] for p in event.parts[keep:]],
            },
            "sampling": drawn,
        }
        if event.schema is not None:
            obj["schema"] = self._text(json.dumps(event.schema, ensure_ascii=False))
        return obj

    def _text(self, text: str) -> str | dict[str, str]:
        if len(text) < POOLED:
            return text
        known = self.ids.get(text)
        if known is not None:
            return {"@": known}
        self.ids[text] = made = text_id(text)
        return {"@": made, "is": text}

    def _pack(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            packed = {k: self._pack(v) for k, v in value.items()}
            return {"@@": packed} if "@" in packed or "@@" in packed else packed
        if isinstance(value, list | tuple):
            return [self._pack(v) for v in value]
        return value


class Decoder:
    """Turn lines back into events. `encoder()` continues where the lines end."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.prompts: dict[str, tuple[Part, ...]] = {}
        self._parts: dict[tuple[str, str | None, str], Part] = {}
        self._schemas: dict[str, dict[str, Any]] = {}

    def decode(self, line: bytes) -> Event | None:
        """Return the event on `line`, or None where it only holds a text, as in format 1.

        Raises
        ------
        BadLine
            If the line cannot be read.
        """
        obj = unseal(line)
        try:
            if "is" in obj:
                self.texts[obj["text"]] = _text(obj["is"])
                return None
            kind = obj["event"]
            if kind == "asked":
                return self._asked(obj)
            if b'{"@' in line:
                for name, value in obj.items():
                    if type(value) is dict or type(value) is list:
                        obj[name] = self._unpack(value)
            event: Event = _validators.get(kind, _unknown)(obj)
            if kind in ("returned", "run_started"):
                _check_given(event, line)
        except (KeyError, TypeError, ValueError, BadCommand) as error:
            raise BadLine(_what_is_wrong(error)) from None
        return event

    def _asked(self, obj: dict[str, Any]) -> Asked:
        """Return the ask in `obj`; parts and schemas, checked one by one, are shared by asks."""
        parts = self._prompt(obj["role"], obj["parts"])
        schema = self._schema(obj.pop("schema")) if "schema" in obj else None
        obj["parts"] = ()
        asked: Asked = _validators["asked"](obj)
        object.__setattr__(asked, "parts", parts)
        object.__setattr__(asked, "schema", schema)
        return asked

    def encoder(self) -> Encoder:
        """Return an encoder that knows what these lines have stored."""
        encoder = Encoder()
        encoder.ids = {text: key for key, text in self.texts.items()}
        encoder.prompts = dict(self.prompts)
        return encoder

    def _prompt(self, role: str, obj: dict[str, Any]) -> tuple[Part, ...]:
        add = []
        for text, source, speaker in obj["add"]:
            if type(text) is dict:
                text = self._pooled(text)
            part = self._parts.get((text, source, speaker))
            if part is None:
                part = Part(_text(text), None if source is None else _text(source), _text(speaker))
                self._parts[part] = part
            add.append(part)
        keep: int = obj["keep"]
        before = self.prompts.get(role, ())
        if not 0 <= keep <= len(before):
            raise ValueError(f"keeps {keep} parts of a prompt of {len(before)}")
        parts = (*before[:keep], *add)
        self.prompts[role] = parts
        return parts

    def _schema(self, text: str | dict[str, str]) -> dict[str, Any]:
        key = self._pooled(text) if isinstance(text, dict) else text
        if key not in self._schemas:
            try:
                schema = as_json(json.loads(key), "schema")
            except (BadCommand, RecursionError) as error:
                raise BadLine(_what_is_wrong(error)) from None
            if type(schema) is not dict:
                raise TypeError(f"a schema that is a {type(schema).__name__}")
            self._schemas[key] = schema
        return self._schemas[key]

    def _pooled(self, reference: dict[str, Any]) -> str:
        """Return the text of a reference, which holds the text itself at its first use."""
        if "is" in reference:
            self.texts[reference["@"]] = _text(reference["is"])
        return self.texts[reference["@"]]

    def _unpack(self, value: Any) -> Any:
        """Put the texts in place of the references in `value`, which is changed."""
        if type(value) is dict:
            if "@" in value:
                return self._pooled(value)
            if "@@" in value:
                value = value["@@"]
        places: Any = value.items() if type(value) is dict else enumerate(value)
        for place, item in places:
            if type(item) is dict or type(item) is list:
                value[place] = self._unpack(item)
        return value


def _check_given(event: Event, line: bytes) -> None:
    """Refuse what an execution would not take: the workbench writes no such file."""
    if isinstance(event, Returned):
        if _may_be_odd(line):
            check_json(event.value, "value")
        return
    assert isinstance(event, RunStarted)  # the only other kind that is given
    check_json(event.params, "params")
    if event.sampling is not None:
        check_json(event.sampling.extra, "the sampling's extra")
    last = event.lineage
    lineages = (*last.earlier, last) if last is not None else ()
    if any(abs(seed) >= 2**63 for seed in (event.seed, *(lineage.seed for lineage in lineages))):
        raise ValueError("a seed has at most 63 bits")
    for lineage in lineages:
        for name, value in lineage.edits.items():
            check_json(value, f"the edits' {name}")


def _may_be_odd(line: bytes) -> bool:
    """Return whether a value on `line` may be nested too deep, too large, or infinite.

    To look at each value takes as long as to read it, and of what the workbench writes none is odd.
    """
    alike = line.translate(_ALIKE)
    if alike.count(b"{") > DEEPEST or _LONG in alike:
        return True
    return b"0e000" in alike or b"0e+0" in alike


def _unknown(obj: dict[str, Any]) -> Event:
    raise ValueError(f"{obj['event']!r} is no kind of event")


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"{value!r} is no text")
    return value


def _what_is_wrong(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"not an event: {where}: {first['msg']}"
    if isinstance(error, KeyError):
        return f"refers to {error}, which no earlier line holds"
    return f"not an event: {error}"
