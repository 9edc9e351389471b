"""Where derived data (embeddings, digests) is kept between sessions, and how it is written."""

from __future__ import annotations

import os
import tempfile
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
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
