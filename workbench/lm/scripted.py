"""A language model whose answers are written beforehand, for tests and lessons."""

from __future__ import annotations

import asyncio
import difflib
import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace

from workbench.errors import LMError
from workbench.record.events import JSON, Answered, Asked

Scripted = str | Answered | Exception
"""What a script may hold for one ask: a text, a whole answer, or an error to raise."""
Script = (
    Mapping[str, Scripted | Sequence[Scripted]]
    | Callable[[Asked], Scripted]
    | Callable[[Asked], Awaitable[Scripted]]
)


class ScriptedLM:
    """Answers from a script: a mapping from path to answer, or a function of the ask.

    Parameters
    ----------
    answers : mapping or callable
        Path to a text, an `Answered`, an exception to raise, or a list of these: the n-th time that
        one path is asked (a retry, a rerun) it gets the n-th item, and the last one ever after.
        Or a function, sync or async, from the `Asked` to one of these.
    name, family : str
        As the run should record them.
    latency_s : float
        Seconds to wait before each answer.

    Attributes
    ----------
    asked : list of Asked
        The asks that it was given, in the order of arrival.

    Examples
    --------
    >>> lm = ScriptedLM({"/goal": "Balance the budget."})
    """

    def __init__(
        self,
        answers: Script,
        *,
        name: str = "scripted",
        family: str = "scripted",
        latency_s: float = 0.0,
    ) -> None:
        if not isinstance(answers, Mapping) and not callable(answers):
            raise LMError(
                f"answers is a {type(answers).__name__}: the order of calls means nothing when "
                "asks run at the same time. Give a mapping from path to answer, or a function of "
                "the Asked."
            )
        self.name = name
        self.family = family
        self.asked: list[Asked] = []
        self._answers = answers
        self._latency_s = latency_s
        self._times: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"ScriptedLM(name={self.name!r}, family={self.family!r})"

    def describe(self) -> dict[str, JSON]:
        """Return the name and family; the script itself is not part of a description."""
        return {"kind": "scripted", "model": self.name, "family": self.family}

    def session(self) -> AbstractAsyncContextManager[None]:
        """Return a context that does nothing: there is no client to keep open."""
        return nullcontext()

    def cost_usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float:
        """Return 0.0: a script costs nothing."""
        return 0.0

    async def answer(self, asked: Asked) -> Answered:
        """Return the scripted answer; tokens are counted as words, so that usage is never None.

        Raises
        ------
        LMError
            If the script has nothing for the path, or something that is not an answer.
        """
        started = time.perf_counter()
        self.asked.append(asked)
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        if isinstance(self._answers, Mapping):
            scripted = self._look_up(asked.path)
        else:
            got = self._answers(asked)
            scripted = await got if inspect.isawaitable(got) else got
        if isinstance(scripted, Exception):
            raise scripted
        if isinstance(scripted, str):
            scripted = Answered(path=asked.path, text=scripted, model=self.name, cost_usd=0.0)
        elif not isinstance(scripted, Answered):
            raise LMError(
                f"{asked.path}: the script gave a {type(scripted).__name__}; "
                "give a str, an Answered or an exception."
            )
        tokens_in, tokens_out = scripted.tokens_in, scripted.tokens_out
        return replace(
            scripted,
            path=asked.path,
            tokens_in=_words(p.text for p in asked.parts) if tokens_in is None else tokens_in,
            tokens_out=_words([scripted.text]) if tokens_out is None else tokens_out,
            latency_s=time.perf_counter() - started,
            at=time.time(),
        )

    def _look_up(self, path: str) -> Scripted:
        assert isinstance(self._answers, Mapping)
        if path not in self._answers:
            known = list(self._answers)
            near = difflib.get_close_matches(path, known, n=3, cutoff=0.0)
            raise LMError(
                f"the script has no answer for {path!r}. "
                + (
                    f"Nearest of its {len(known)} paths: {', '.join(near)}."
                    if near
                    else "It is empty."
                )
            )
        found = self._answers[path]
        if isinstance(found, str | Answered | Exception) or not isinstance(found, Sequence):
            return found  # what is of a wrong type is told of in `answer`
        if not found:
            raise LMError(f"the script's list of answers for {path!r} is empty.")
        times = self._times.get(path, 0)
        self._times[path] = times + 1
        return found[min(times, len(found) - 1)]


def _words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)
