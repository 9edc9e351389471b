"""A cache of content digests, keyed by what the file system says about a file."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import logging
import os
import time
from pathlib import Path

from workbench.knowledge.cache import write_atomically
from workbench.knowledge.canonical import CANONICAL

_log = logging.getLogger(__name__)

SETTLED_NS = 2_000_000_000
"""A file touched less than 2 s ago may change again within its time stamp's resolution (FAT
keeps 2 s); git treats such entries as "racily clean" and re-reads them too."""


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hexadecimal.

    Parameters
    ----------
    text : str
        Any text that UTF-8 can hold.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class DigestCache:
    """Digests of a corpus's documents from earlier readings.

    An entry is used only if path, size and modification time (ns) are as they were, and the file
    was last touched more than 2 s ago. A damaged cache, or one made under other rules or other
    versions of the HTML and PDF readers, is as good as none.

    Parameters
    ----------
    folder : Path
        The cache folder.
    root : Path
        The corpus's root; each root has its own file.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        self.path = folder / f"digests-{name}.json"
        self._rules = " ".join(
            [CANONICAL] + [f"{p}={importlib.metadata.version(p)}" for p in _READERS]
        )
        self._entries = self._read()
        self._dirty = False

    def digest(self, id: str, stat: os.stat_result, text: str) -> str:
        """Return the digest of a document's canonical text, from the cache where it is safe.

        Parameters
        ----------
        id : str
            The document's id.
        stat : os.stat_result
            Of its file, taken before the file was read.
        text : str
            Its canonical text.

        Returns
        -------
        str
            SHA-256 in hexadecimal.
        """
        settled = time.time_ns() - stat.st_mtime_ns > SETTLED_NS
        known = self._entries.get(id)
        if settled and known is not None and known[:2] == [stat.st_size, stat.st_mtime_ns]:
            return str(known[2])
        made = sha256_of(text)
        if settled:
            self._entries[id] = [stat.st_size, stat.st_mtime_ns, made]
            self._dirty = True
        return made

    def save(self) -> None:
        """Write new entries; a folder that cannot be written is logged, not an error."""
        if not self._dirty:
            return
        body = json.dumps({"rules": self._rules, "entries": self._entries}, sort_keys=True)
        try:
            write_atomically(self.path, body.encode())
        except OSError as error:
            _log.warning("digests are not cached: %s", error)

    def _read(self) -> dict[str, list[int | str]]:
        try:
            body = json.loads(self.path.read_bytes())
            entries = body["entries"] if body["rules"] == self._rules else {}
            return {id: entry for id, entry in entries.items() if _is_entry(entry)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}


_READERS = ("beautifulsoup4", "pypdf")


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and [type(part) for part in entry] == [int, int, str]
        and len(entry[2]) == 64
    )
