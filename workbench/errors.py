"""Every error that the workbench raises, in one tree.

::

    WorkbenchError
    |-- ProtocolError            a protocol broke its contract
    |   |-- DuplicateKey         one path, two commands
    |   |-- NonConformant        a consultation with too few interpreters or families
    |   `-- BadCommand           it yielded something that is not a command
    |-- RunError                 a run could not go on; what it has is kept (`.run`)
    |   |-- RunFailed            the world did not answer a command
    |   `-- UnknownProtocol      the run's protocol is not registered here
    |-- RunFileError             the file is not a readable run (path, line, what to do)
    |   `-- RunFileLocked        another process is writing it
    |-- Diverged                 a replay asked for something other than what was recorded
    |-- ForkError                an edit that names nothing in the run
    |-- LMError                  a language model did not answer
    |   |-- RequestsForbidden    `allow_model_requests(False)` is in force
    |   |-- BudgetExceeded       the next call would pass the budget
    |   |-- AuthenticationFailed the key is missing or wrong (401, 403)
    |   |-- ModelNotFound        the endpoint does not know the model (404)
    |   |-- RequestRejected      the endpoint refused the request (other 4xx)
    |   `-- Transient            worth another try
    |       |-- RateLimited      429, with `retry_after_s` when the server gave one
    |       |-- ServerError      5xx, likewise
    |       |-- ConnectionFailed no connection, or it dropped
    |       |-- TimedOut         no answer in time
    |       `-- MalformedReply   half a body, wrong JSON, no choices
    |-- WeightsError             the embedded model's weights are missing or damaged
    |-- CorpusError              a corpus folder, document or passport is not usable
    |-- CaseError                a case's roles or rules are missing, repeated or malformed
    |-- DatasetError             a file of questions cannot be read (file, place, field)
    `-- MissingExtra             an optional part is not installed (names the extra)

A message says what was wrong, where (path, line, field) and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.record.run import Run


class WorkbenchError(Exception):
    """Base of every error that the workbench raises."""


class ProtocolError(WorkbenchError):
    """A protocol broke its contract."""


class DuplicateKey(ProtocolError):
    """A protocol used one path for two commands."""


class NonConformant(ProtocolError):
    """A consultation with too few interpreters, or from too few model families."""


class BadCommand(ProtocolError):
    """A protocol yielded something that is not a command, or a malformed one."""


class RunError(WorkbenchError):
    """A run could not go on. What was recorded is kept in `run`."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run


class RunFailed(RunError):
    """The world did not answer a command; the partial run is in `run`."""


class UnknownProtocol(RunError):
    """The run names a protocol that is not registered in this process."""


class RunFileError(WorkbenchError):
    """A file is not a readable run."""


class RunFileLocked(RunFileError):
    """Another process is writing this run file."""


class Diverged(WorkbenchError):
    """A replay asked for something other than what was recorded.

    Attributes
    ----------
    path : str
        Where the two part.
    recorded, asked : object
        The recorded event and the one that the protocol now makes; None where there is none.
    """

    def __init__(self, message: str, path: str, recorded: object, asked: object) -> None:
        super().__init__(message)
        self.path = path
        self.recorded = recorded
        self.asked = asked


class ForkError(WorkbenchError):
    """A fork's edit names nothing in the run."""


class LMError(WorkbenchError):
    """A language model did not answer."""


class RequestsForbidden(LMError):
    """`allow_model_requests(False)` is in force and a live call was about to be made."""


class BudgetExceeded(LMError):
    """The next call would pass the budget; it was not made."""


class AuthenticationFailed(LMError):
    """The endpoint refused the key."""


class ModelNotFound(LMError):
    """The endpoint does not know the model."""


class RequestRejected(LMError):
    """The endpoint refused the request itself; trying again would not help."""


class Transient(LMError):
    """A fault that another try may mend."""


class RateLimited(Transient):
    """The endpoint asked to slow down. `retry_after_s` is its wish in seconds, or None."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ServerError(Transient):
    """The endpoint failed (5xx). `retry_after_s` is how long it asks to wait, or None."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ConnectionFailed(Transient):
    """There was no connection, or it dropped."""


class TimedOut(Transient):
    """No answer came in time."""


class MalformedReply(Transient):
    """The endpoint's reply was cut, was not JSON, or held no choice."""


class WeightsError(WorkbenchError):
    """The embedded model's weights are missing, incomplete or damaged."""


class CorpusError(WorkbenchError):
    """A corpus folder, document or passport is not usable."""


class CaseError(WorkbenchError):
    """A case's roles or rules are missing, repeated or malformed."""


class DatasetError(WorkbenchError):
    """A file of questions cannot be read as what it was taken for."""


class MissingExtra(WorkbenchError, ImportError):
    """An optional part of the workbench is not installed."""
