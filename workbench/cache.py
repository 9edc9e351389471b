"""Where what can be made again is kept (weights, embeddings), and how a file is written whole."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for data that can always be made again.

    Returns
    -------
    Path
        `$WORKBENCH_CACHE` if it is set and not empty, else `~/.cache/mas-workbench`. It is not
        created here.
    """
    named = os.environ.get("WORKBENCH_CACHE")
    return Path(named).expanduser() if named else Path.home() / ".cache" / "mas-workbench"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    Parameters
    ----------
    path : Path
        The file; its folder is created.
    data : bytes
        The whole content.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not mkstemp, whose files nobody else may read: a report is for others too.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
