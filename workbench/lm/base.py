"""What the workbench needs of a language model, and the switch that forbids live calls."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Protocol, runtime_checkable

from workbench.errors import LMError, RequestsForbidden
from workbench.record.events import JSON, Answered, Asked


@runtime_checkable
class LM(Protocol):
    """A language model that answers one ask at a time, many at once.

    Attributes
    ----------
    name : str
        The model's name, as the endpoint knows it.
    family : str
        Lower-case family (``gpt``, ``qwen2.5``, ``smollm2``, ...); see `families`. A judge of
        another family than the agents' is told by it.
    """

    name: str
    family: str

    def describe(self) -> dict[str, JSON]:
        """Return a JSON description that `from_description` builds the model from; never a key."""
        ...

    async def answer(self, asked: Asked) -> Answered:
        """Return the reply to `asked`.

        Raises
        ------
        LMError
            Or one of its subclasses; `Transient` ones are worth another try.
        """
        ...

    def session(self) -> AbstractAsyncContextManager[None]:
        """Keep clients open on the running loop while inside; the last one out closes them."""
        ...


_allowed = True


class _Switched:
    """What `allow_model_requests` returns: leaving it as a context puts the old setting back."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        global _allowed
        _allowed = self._before


def allow_model_requests(allowed: bool) -> _Switched:
    """Allow or forbid live calls of language models in this process, from now on.

    Forbidden, a call of an `OpenAILM` or a `LocalLM` raises `RequestsForbidden` before it opens a
    socket or loads weights. Scripted models and replays are not affected.

    Parameters
    ----------
    allowed : bool
        Whether live calls may be made.

    Returns
    -------
    context manager
        Puts the former setting back at the end of a ``with``.

    Examples
    --------
    >>> with allow_model_requests(False):
    ...     model_requests_allowed()
    False
    """
    global _allowed
    before, _allowed = _allowed, allowed
    return _Switched(before)


def model_requests_allowed() -> bool:
    """Return whether live calls of language models are allowed in this process."""
    return _allowed


def check_allowed(name: str, path: str) -> None:
    """Raise `RequestsForbidden` if live calls are forbidden; the message names model and path."""
    if not _allowed:
        raise RequestsForbidden(
            f"{path}: a live call of {name!r} is forbidden here. "
            "Call allow_model_requests(True), or use a ScriptedLM or a replay."
        )


def from_description(description: dict[str, JSON]) -> LM:
    """Build the model that `description` (from `LM.describe`) tells of.

    A key is never part of a description: it is read from the environment again, and only for an
    endpoint that is yours whoever wrote the description. Recorded limits are set again (`limited`),
    with a budget of which nothing is spent.

    Raises
    ------
    LMError
        If it names an endpoint that is neither OpenAI's, on this machine nor OPENAI_BASE_URL; if
        the kind cannot be built from a description (a scripted model, a custom class), or if the
        description does not fit its kind.
    """
    kind = description.get("kind")
    try:
        if limits := description.get("limits"):
            from workbench.lm.limits import limited

            inner = {name: value for name, value in description.items() if name != "limits"}
            return limited(from_description(inner), **{"attempts": None, **limits})
        if kind == "openai":
            from workbench.lm.openai import OpenAILM

            return OpenAILM.from_description(description)
        if kind == "local":
            from workbench.lm.local import LocalLM

            return LocalLM.from_description(description)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise LMError(
            f"this description of a model is not usable: {error}: {description}"
        ) from error
    what = (
        "a scripted model's answers are" if kind == "scripted" else f"a model of kind {kind!r} is"
    )
    raise LMError(f"{what} not kept in a run: pass the model itself, with lm=.")
