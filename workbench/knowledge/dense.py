"""Dense embeddings of a corpus's passages, cached by passport."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.cache import write_atomically
from workbench.errors import CorpusError
from workbench.knowledge.embedding import Encoder

_log = logging.getLogger(__name__)


def embeddings(
    texts: Sequence[str], encoder: Encoder, *, passport: str, folder: Path
) -> NDArray[np.float32]:
    """Return the embeddings of a corpus's passages, from the cache if they are there.

    Parameters
    ----------
    texts : sequence of str
        One for each passage, n of them.
    encoder : Encoder
        Encodes those that are not cached.
    passport : str
        SHA-256 of the corpus's passport; equal passports have equal texts.
    folder : Path
        The cache folder. One that cannot be written is logged, not an error.

    Returns
    -------
    ndarray of float32, shape (n, encoder.dimensions), C-contiguous
        Rows of length 1.

    Raises
    ------
    CorpusError
        The encoder returned something of another shape, or not finite.
    """
    shape = (len(texts), encoder.dimensions)
    path = folder / f"{passport}-{_file_name(encoder.name)}.npy"
    cached = _read(path, shape)
    if cached is not None:
        return cached
    made = np.ascontiguousarray(encoder.encode(texts), np.float32)
    if made.shape != shape or not np.isfinite(made).all():
        raise CorpusError(
            f"encoder {encoder.name!r} gave {made.shape}, expected {shape} and finite numbers. "
            "Mend its `encode` or its `dimensions`"
        )
    buffer = io.BytesIO()
    np.save(buffer, made, allow_pickle=False)
    try:
        write_atomically(path, buffer.getvalue())
    except OSError as error:
        _log.warning("embeddings are not cached: %s", error)
    return made


def _file_name(name: str) -> str:
    """Return an encoder's name as part of a file's; two names are never one."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    digest = blake2b(name.encode(errors="replace"), digest_size=6).hexdigest()
    return plain if plain == name else f"{plain}-{digest}"


def _read(path: Path, shape: tuple[int, int]) -> NDArray[np.float32] | None:
    """Read the cached matrix; None if there is none or it is damaged."""
    try:
        with path.open("rb") as file:  # not np.load: that would open archives and pickles too
            cached = np.lib.format.read_array(file, allow_pickle=False)
    except FileNotFoundError:
        return None
    except Exception as error:  # a damaged header raises whatever its parser stumbles over
        _log.warning("%s is damaged and is made again: %s", path, error)
        return None
    if cached.shape != shape or cached.dtype != np.float32 or not np.isfinite(cached).all():
        _log.warning("%s does not fit its corpus and is made again", path)
        return None
    return np.ascontiguousarray(cached)
