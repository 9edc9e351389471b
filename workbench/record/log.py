"""One file a run: appended as answers arrive, read back whole, never edited.

An append is a single write to the operating system before the run goes on, so a killed process
loses at most the line that it was writing. The torn end of a file is dropped on opening, with a
warning that says so; damage anywhere else is an error that names the line.
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self

from workbench.errors import RunFileError, RunFileLocked
from workbench.record.codec import BadLine, Decoder, Encoder, NewerLine
from workbench.record.events import Event, RunStarted
from workbench.record.garbage import collector_paused

SUFFIX = ".run.jsonl"
_BUFFER = 1 << 18


class TornLine(UserWarning):
    """The last line of a run file was cut off and has been left out."""


class Content(NamedTuple):
    """What a file holds: its events, the decoder's state, and where the whole lines end (bytes)."""

    events: list[Event]
    decoder: Decoder
    end: int


def read(path: str | os.PathLike[str]) -> Content:
    """Read a run file.

    Raises
    ------
    RunFileError
        If the file is missing, empty, damaged, of a newer version, or not a run. The message names
        the file, the line and what to do.

    Warns
    -----
    TornLine
        If the last line was cut off.
    """
    path = _plain(path)
    try:
        with collector_paused(), path.open("rb", buffering=_BUFFER) as lines:
            return _decode(path, lines)
    except FileNotFoundError:
        raise RunFileError(f"{path}: no such file{_looked_in(path)}") from None
    except OSError as error:
        raise RunFileError(f"{path}: cannot be read: {error.strerror}") from None


def _looked_in(path: Path) -> str:
    """Return where a relative path was looked for, which in a notebook is the notebook's folder."""
    try:
        return "" if path.is_absolute() else f" (looked in {Path.cwd()})"
    except OSError:  # the folder is gone as well
        return ""


def is_unbegun(path: Path) -> bool:
    """Return whether there is a file without a byte: what a start that was killed has left."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size == 0


def _plain(path: str | os.PathLike[str]) -> Path:
    """Return `path` unless it is something that cannot hold a run, such as a pipe."""
    try:
        made = Path(path)
        if "\0" in str(made):
            raise ValueError("it holds a NUL")  # noqa: TRY301  # told of below, like all others
        if made.exists() and not made.is_file() and not made.is_dir():
            raise RunFileError(f"{path}: is not a regular file, so it is not a run")
    except (ValueError, OSError) as error:
        raise RunFileError(f"{str(path)[:200]!r} names no file: {error}") from None
    return made


def _decode(path: Path, lines: Iterable[bytes]) -> Content:
    decoder = Decoder()
    events: list[Event] = []
    end = 0
    for number, line in enumerate(lines, start=1):
        last = not line.endswith(b"\n")
        try:
            event = decoder.decode(line if last else line[:-1])
        except BadLine as error:
            if last and number > 1 and not isinstance(error, NewerLine):
                warnings.warn(
                    f"{path}: line {number} was cut off and is left out; "
                    "what was recorded before it is whole",
                    TornLine,
                    stacklevel=4,
                )
                break
            hint = "; restore the file from a copy" if events else "; is it a run file?"
            hint = _changed(line) or hint
            if isinstance(error, NewerLine):
                hint = ""
            raise RunFileError(f"{path}, line {number}: {error}{hint}") from None
        if event is not None:
            if not events and not isinstance(event, RunStarted):
                raise RunFileError(f"{path}, line {number}: a run begins with run_started")
            if events and isinstance(event, RunStarted):
                raise RunFileError(f"{path}, line {number}: a second run begins here")
            events.append(event)
        end += len(line)
    if end == 0:
        raise RunFileError(f"{path}: is empty, so it is not a run; a new one may take its name")
    if not events:
        raise RunFileError(
            f"{path}: holds no event: the run was killed before it began; start anew"
        )
    return Content(events, decoder, end)


def _changed(line: bytes) -> str:
    """Return what another program has done to a line; empty if that cannot be seen."""
    if line.startswith(b"\xef\xbb\xbf"):
        return "; it begins with a byte order mark, which an editor has put there: take it away"
    if not line.strip():
        return "; it is blank, so that nothing is missing: take it away"
    if line.endswith(b"\r\n"):
        return (
            "; it ends in CRLF, as an editor or git's autocrlf leaves it: restore the file with "
            "plain line ends (in .gitattributes: *.jsonl -text)"
        )
    return ""


class Log:
    """The one writer of a run file.

    Use `Log.create` for a new run and `Log.resume` to go on with an old one. Other processes are
    kept out by an advisory lock for as long as the log is open.
    """

    def __init__(self, path: Path, handle: int, encoder: Encoder) -> None:
        self.path = path
        self._handle: int | None = handle
        self._encoder = encoder
        self._end = os.fstat(handle).st_size
        # A log that is forgotten, as by a notebook cell that is run again, keeps nobody out.
        self._release = weakref.finalize(self, _close, handle, os.getpid())
        self._fault = "is closed"

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> Self:
        """Open a new file, or one without a byte, which a start that was killed has left.

        Raises
        ------
        RunFileError
            If there is a file of this name, or the folder is missing: a run never overwrites one.
        """
        path = _plain(path)
        exists = f"{path}: exists; choose another name, or go on with it by resume"
        make = 0 if is_unbegun(path) else os.O_CREAT | os.O_EXCL
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | make, 0o644)
        except FileExistsError:
            raise RunFileError(exists) from None
        except OSError as error:
            raise RunFileError(f"{path}: cannot be made: {error.strerror}") from None
        try:
            _lock(path, handle)
            if not (is_unbegun(path) and _is_at(handle, path)):
                raise RunFileError(exists)  # noqa: TRY301  # another writer was quicker
            return cls(path, handle, Encoder())
        except BaseException:
            os.close(handle)
            raise

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> tuple[Self, list[Event]]:
        """Open an old file for appending, and return its events too; a torn end is cut off."""
        path = _plain(path)
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise RunFileError(f"{path}: cannot be opened: {error.strerror}") from None
        try:
            _lock(path, handle)
            content = read(path)
            size = os.fstat(handle).st_size
            if content.end < size:
                os.ftruncate(handle, content.end)
            unended = os.pread(handle, 1, content.end - 1) != b"\n"
            log = cls(path, handle, content.decoder.encoder())
        except BaseException:
            os.close(handle)
            raise
        if unended:
            log._write(b"\n")
        return log, content.events

    def append(self, events: Iterable[Event]) -> None:
        """Write `events`, all in one write.

        Raises
        ------
        RunFileError
            If the disk is full, or an event cannot be written. The file is then cut back to what
            was whole and takes no more from this log: the run has gone on past it.
        """
        if self._handle is None:
            raise RunFileError(f"{self.path}: {self._fault}")
        try:
            self._write(b"".join(map(self._encoder.encode, events)))
        except RunFileError:
            self._give_up()
            raise

    def _write(self, data: bytes) -> None:
        assert self._handle is not None  # `append` saw to it
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._handle, view) :]
            except OSError as error:
                raise RunFileError(
                    f"{self.path}: could not be written: {error.strerror}; "
                    "what was written before is whole, and resume goes on from there"
                ) from None
        self._end += len(data)

    def _give_up(self) -> None:
        assert self._handle is not None  # `append` saw to it
        handle, self._handle = self._handle, None
        self._fault = "takes no more, since an earlier write failed; resume the run from its file"
        try:
            os.ftruncate(handle, self._end)
        finally:
            self._let_go(handle)

    def close(self) -> None:
        """Bring the file to disk and let other processes have it.

        Raises
        ------
        RunFileError
            If the disk fails, or the file is not there any more under its name.
        """
        if self._handle is not None:
            handle, self._handle = self._handle, None
            try:
                os.fsync(handle)
                if not _is_at(handle, self.path):
                    raise RunFileError(f"{self.path}: was moved or deleted while it was written")
            except OSError as error:
                raise RunFileError(
                    f"{self.path}: could not be brought to disk: {error.strerror}"
                ) from None
            finally:
                self._let_go(handle)

    def _let_go(self, handle: int) -> None:
        """Close the file; one that holds nothing would only be in the way of the next try."""
        if self._end == 0 and _is_at(handle, self.path):
            self.path.unlink(missing_ok=True)
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _close(handle: int, process: int) -> None:
    """Close a file and let others have it, also while a process that was forked has it open."""
    import fcntl

    if os.getpid() == process:  # a forked process shares the lock, and must not end it
        fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


def _lock(path: Path, handle: int) -> None:
    import fcntl  # here, so that runs can be read where there are no such locks

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunFileLocked(
            f"{path}: another process (or an open session of this one) is writing this run; "
            "wait for it, or stop it"
        ) from None
    except OSError as error:
        raise RunFileError(f"{path}: cannot be locked: {error.strerror}") from None
