"""The head of a GGUF file: what a model needs, read without loading it.

The format is described at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

from workbench.errors import WeightsError

_SCALARS = dict(enumerate(("B", "b", "<H", "<h", "<I", "<i", "<f", "?")))
_SCALARS |= {10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9


class Shape(NamedTuple):
    """What of a model decides on its memory."""

    context: int
    """Tokens that it was trained to read at once."""
    bytes_a_token: int
    """Of the 16-bit key and value cache."""


def shape_of(path: Path) -> Shape:
    """Return the shape of the model in `path`.

    Raises
    ------
    WeightsError
        If the head is damaged, or lacks one of the lengths.
    """
    try:
        with path.open("rb") as file:
            head = _head(file)
        arch = head["general.architecture"]
        width = int(head[f"{arch}.embedding_length"])
        heads = int(head[f"{arch}.attention.head_count"])
        kv_heads = int(head.get(f"{arch}.attention.head_count_kv", heads))
        each = 2 * 2 * kv_heads * (width // heads)  # keys and values, two bytes each
        return Shape(int(head[f"{arch}.context_length"]), int(head[f"{arch}.block_count"]) * each)
    except (struct.error, KeyError, ValueError, ZeroDivisionError) as error:
        raise WeightsError(
            f"{path} is not a usable GGUF file: its head is damaged ({error!r}). Get it again."
        ) from error


def _head(file: BinaryIO) -> dict[str, str | int | float]:
    """Return the single values that stand before the tokenizer's long lists."""
    out: dict[str, str | int | float] = {}
    magic, version, _, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version < 2:
        raise ValueError(f"it starts {magic!r}, version {version}")
    for _ in range(count):
        key = _string(file)
        if key.startswith("tokenizer."):
            break
        out[key] = _value(file, _scalar(file, "<I"))
    return out


def _value(file: BinaryIO, kind: float) -> str | int | float:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        inner, length = _scalar(file, "<I"), int(_scalar(file, "<Q"))
        values = [_value(file, inner) for _ in range(length)]
        return values[0] if values else 0  # lengths by layer: the first stands for all
    return _scalar(file, _SCALARS[int(kind)])


def _scalar(file: BinaryIO, form: str) -> int | float:
    value: int | float = struct.unpack(form, file.read(struct.calcsize(form)))[0]
    return value


def _string(file: BinaryIO) -> str:
    return file.read(int(_scalar(file, "<Q"))).decode(errors="replace")
