"""Events to lines and back: one JSON object a line, each with a version and a checksum.

A line is ``{"v": 1, ..., "#": "crc32 of what stands before"}``. There are two kinds:

``{"v": 1, "text": id, "is": "..."}``
    A text, stored once a run, before its first use. `id` is a digest of the text.
``{"v": 1, "event": "asked", ...}``
    An event. Strings of `POOLED` characters or more stand as ``{"@": id}``. A prompt stands as
    ``{"keep": n, "add": [...]}``: its first `n` parts are those of the last ask of the same role,
    so a growing history costs a call what is new in it. A schema is pooled as a text.

`Encoder` and `Decoder` each hold the pool; a file that is continued is first decoded.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, cast
from zlib import crc32

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from workbench.errors import BadCommand, RunFileError
from workbench.record.events import FORMAT, Asked, Event, adapter
from workbench.record.jsonable import as_json
from workbench.record.parts import Part
from workbench.record.upcast import upcast

POOLED = 48
"""Strings of this many characters or more are stored once; a reference costs about 35 bytes."""

_TAIL = len(b',"#":"00000000"}')
_TEXT = b'{"v":%d,"text":"' % FORMAT
_ID = slice(len(_TEXT), len(_TEXT) + 24)
_KEY = slice(_ID.stop, _ID.stop + len('","is":'))
_IS = slice(_KEY.stop, -_TAIL)
_event = adapter.validator.validate_python
_ask = TypeAdapter(Asked).validator.validate_python


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
        obj: dict[str, Any] = from_json(line, cache_strings="keys")
        version = obj.pop("v")
        del obj["#"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadLine("not a line of a run file, though its checksum fits") from None
    if version != FORMAT:
        if isinstance(version, int) and 0 < version < FORMAT:
            return upcast(obj, version)
        raise _newer(version)
    return obj


def _check(line: bytes) -> None:
    """Refuse a line that does not end in the checksum of what stands before."""
    if line[-_TAIL:-10] != b',"#":"' or line[-2:] != b'"}':
        raise _not_a_line(line)
    if line[-10:-2] != b"%08x" % crc32(line[:-_TAIL]):
        raise BadLine("the checksum does not fit: the line was changed or damaged")


def _not_a_line(line: bytes) -> BadLine:
    try:
        obj = json.loads(line)
    except (ValueError, RecursionError):
        return BadLine("not JSON, so not a line of a run file")
    version = obj.get("v") if isinstance(obj, dict) else None
    if isinstance(version, int) and version > FORMAT:
        return _newer(version)
    return BadLine("JSON, but not a line of a run file (it has no checksum)")


def _newer(version: object) -> NewerLine:
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
        """Return the lines of `event`: the texts that are new, then the event.

        Raises
        ------
        RunFileError
            If the event holds what a file cannot (a lone surrogate); the encoder is then of no more
            use, since it counts lines as stored that never were.
        """
        try:
            return self._lines(event)
        except (UnicodeEncodeError, PydanticSerializationError) as error:
            where = getattr(event, "path", event.event)
            raise RunFileError(f"{where}: cannot be written to a run file: {error}") from None

    def _lines(self, event: Event) -> bytes:
        new: list[bytes] = []
        if isinstance(event, Asked):
            obj = self._asked(event, new)
        else:
            obj = {
                name: self._pack(value, new)
                for name, value in adapter.dump_python(event, exclude_none=False).items()
                if value is not None
            }
        new.append(seal({"v": FORMAT, **obj}))
        return b"".join(new)

    def _asked(self, event: Asked, new: list[bytes]) -> dict[str, Any]:
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
                "add": [[self._text(p.text, new), p.source, p.speaker] for p in event.parts[keep:]],
            },
            "sampling": drawn,
        }
        if event.schema is not None:
            obj["schema"] = self._text(json.dumps(event.schema, ensure_ascii=False), new)
        return obj

    def _text(self, text: str, new: list[bytes]) -> str | dict[str, str]:
        if len(text) < POOLED:
            return text
        known = self.ids.get(text)
        if known is None:
            known = self.ids[text] = text_id(text)
            new.append(seal({"v": FORMAT, "text": known, "is": text}))
        return {"@": known}

    def _pack(self, value: Any, new: list[bytes]) -> Any:
        if isinstance(value, str):
            return self._text(value, new)
        if isinstance(value, dict):
            packed = {k: self._pack(v, new) for k, v in value.items()}
            return {"@@": packed} if "@" in packed or "@@" in packed else packed
        if isinstance(value, list | tuple):
            return [self._pack(v, new) for v in value]
        return value


class Decoder:
    """Turn lines back into events. `encoder()` continues where the lines end."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.prompts: dict[str, tuple[Part, ...]] = {}
        self._parts: dict[tuple[str, str | None, str], Part] = {}
        self._schemas: dict[str, Any] = {}

    def decode(self, line: bytes) -> Event | None:
        """Return the event on `line`, or None where the line only holds a text.

        Raises
        ------
        BadLine
            If the line cannot be read.
        """
        if line[: len(_TEXT)] == _TEXT and line[_KEY] == b'","is":':  # nearly half of the lines
            _check(line)
            try:
                self.texts[line[_ID].decode()] = _text(from_json(line[_IS]))
            except ValueError as error:
                raise BadLine(_what_is_wrong(error)) from None
            return None
        obj = unseal(line)
        try:
            if "is" in obj:
                self.texts[obj["text"]] = _text(obj["is"])
                return None
            if obj.get("event") == "asked":
                return self._asked(obj)
            if b'{"@' in line:
                for name, value in obj.items():
                    if type(value) is dict or type(value) is list:
                        obj[name] = self._unpack(value)
            return cast("Event", _event(obj))
        except (KeyError, TypeError, ValueError) as error:
            raise BadLine(_what_is_wrong(error)) from None

    def _asked(self, obj: dict[str, Any]) -> Asked:
        """Return the ask in `obj`; its parts, checked one by one, are shared with other asks."""
        parts = self._prompt(obj["role"], obj["parts"])
        obj["parts"] = ()
        if "schema" in obj:
            obj["schema"] = self._schema(obj["schema"])
        asked: Asked = _ask(obj)
        object.__setattr__(asked, "parts", parts)
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
                text = self.texts[text["@"]]
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

    def _schema(self, text: str | dict[str, str]) -> Any:
        key = self.texts[text["@"]] if isinstance(text, dict) else text
        if key not in self._schemas:
            try:
                self._schemas[key] = as_json(json.loads(key), "schema")
            except (BadCommand, RecursionError) as error:
                raise BadLine(_what_is_wrong(error)) from None
        return self._schemas[key]

    def _unpack(self, value: Any) -> Any:
        if type(value) is dict:
            if len(value) == 1:
                if "@" in value:
                    return self.texts[value["@"]]
                if "@@" in value:
                    value = value["@@"]
            return {k: v if type(v) is str else self._unpack(v) for k, v in value.items()}
        if type(value) is list:
            return [v if type(v) is str else self._unpack(v) for v in value]
        return value


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
