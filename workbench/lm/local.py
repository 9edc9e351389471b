"""The embedded model: llama.cpp in this process, asked like any other endpoint."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from workbench.errors import LMError
from workbench.lm import server, weights
from workbench.lm.base import check_allowed
from workbench.lm.endpoint import Endpoint
from workbench.lm.openai import OpenAILM
from workbench.record.events import JSON, Answered, Asked
from workbench.record.families import family_of

REPEAT_PENALTY = 1.1
_SEEDS = 2**32 - 1  # llama.cpp's seeds have 32 bits, and the last one means "any"


class Speed(NamedTuple):
    """Tokens a second, as llama.cpp measured them for one call."""

    read: float | None
    written: float | None


class LocalLM(OpenAILM):
    """A small model in this process, without key or network; it costs nothing.

    The first answer loads the weights (once a process, shared by all `LocalLM` of one
    configuration). JSON schemas are enforced by a grammar.

    Parameters
    ----------
    model : {"qwen2.5-coder-1.5b", "smollm2"}
        Or any GGUF file, with WORKBENCH_GGUF in place of the default model.
    context : int
        Tokens that one call can hold, prompt and reply. A longer prompt raises `RequestRejected`.
    parallel : int
        Calls that are computed at the same time; more of them wait.
    threads : int or None
        None takes the cores that this process may use.
    repeat_penalty : float
        For asks that set none in `Sampling.extra`; 1 is none. Small models repeat themselves
        without it.
    timeout_s : float
        Seconds that one call may take, waiting for others included.

    Examples
    --------
    >>> lm = LocalLM()
    >>> judge = LocalLM("smollm2")
    """

    def __init__(
        self,
        model: str = weights.DEFAULT,
        *,
        context: int = 8192,
        parallel: int = 3,
        threads: int | None = None,
        repeat_penalty: float = REPEAT_PENALTY,
        timeout_s: float = 900.0,
    ) -> None:
        given = weights.override(model)
        if given is None:
            weights.known(model)
        if context < 1 or parallel < 1:
            raise LMError(f"context is {context} and parallel is {parallel}: both start at 1.")
        # The endpoint is filled in when the server runs.
        name = model if given is None else given.stem
        super().__init__(name, "http://127.0.0.1", "none", timeout_s=timeout_s, retries=1)
        self.family = family_of(name)
        self._model = model
        self._given = given
        self._context = context
        self._parallel = parallel
        self._threads = threads
        self._repeat_penalty = repeat_penalty
        self._speed: list[Speed] = []
        self._observe = self._measure
        self._started: server.Configuration | None = None
        self._served: server.Running | None = None

    def __repr__(self) -> str:
        return f"LocalLM({self.name!r}, context={self._context}, parallel={self._parallel})"

    def describe(self) -> dict[str, JSON]:
        """Return the model, its file and digest, the settings, and what computes it.

        With ``repeat_penalty`` and ``longest_reply`` (tokens) it tells what an ask's own sampling
        leaves open.
        """
        out: dict[str, JSON] = {
            "kind": "local",
            "model": self.name,
            "family": self.family,
            "file": self._file_name(),
            "sha256": self._sha256(),
            "context": self._context,
            "parallel": self._parallel,
            "repeat_penalty": self._repeat_penalty,
            "longest_reply": server.LONGEST_REPLY,
        }
        if self._threads is not None:
            out["threads"] = self._threads
        with suppress(metadata.PackageNotFoundError):
            out["runtime"] = f"xllamacpp {metadata.version('xllamacpp')}"
        return out

    @classmethod
    def rebuilt(cls, description: dict[str, JSON]) -> LocalLM:
        """Build the model from `describe`'s output, provided that it would answer as it did."""
        name = description["model"]
        lm = cls(
            name if name in weights.MODELS else weights.DEFAULT,
            context=description["context"],
            parallel=description["parallel"],
            threads=description.get("threads"),
            repeat_penalty=description.get("repeat_penalty", REPEAT_PENALTY),
        )
        longest = description.get("longest_reply", server.LONGEST_REPLY)
        if longest != server.LONGEST_REPLY:
            raise LMError(
                f"the run's replies without a bound had at most {longest} tokens, and here they "
                f"have {server.LONGEST_REPLY}. Pass the model with lm= to go on all the same."
            )
        if lm.describe()["sha256"] != description["sha256"]:
            raise LMError(
                f"the run used the weights {description['file']} (SHA-256 "
                f"{description['sha256']}), and here are others ({lm._file_name()}). Set "
                "WORKBENCH_GGUF to that file, or unset it, or pass another model with lm=."
            )
        return lm

    def cost_usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float:
        """Return 0.0: the embedded model costs time only."""
        return 0.0

    async def answer(self, asked: Asked) -> Answered:
        """Return the model's reply to `asked`; the first call loads the weights.

        Raises
        ------
        RequestRejected
            If the prompt is longer than the context; the message has both numbers.
        WeightsError, MissingExtra
            If the model cannot be loaded.
        """
        check_allowed(self.name, asked.path)
        found = server.running(self._started) if self._started else None
        if found is None:  # the first call, or the first in a fork, which has no server threads
            found = await asyncio.to_thread(self._start)
        if self._served != found:
            self._served = found
            self._endpoint = Endpoint(found.url, found.key)
            self._url = f"{found.url}/v1/chat/completions"
        sampling = asked.sampling
        seed = None if sampling.seed is None else sampling.seed % _SEEDS
        extra = {"repeat_penalty": self._repeat_penalty, **sampling.extra}
        sampling = replace(sampling, seed=seed, extra=extra)
        return await super().answer(replace(asked, sampling=sampling))

    def info(self) -> dict[str, JSON]:
        """Return what is known of the model without loading it (``workbench model info``).

        Returns
        -------
        dict
            ``model``, ``family``, ``path`` (None until the weights were joined), ``bytes``,
            ``sha256``, ``loaded`` (its server runs in this process), ``n_ctx`` (of one call),
            ``parallel``, ``threads``, and of the last call made through this object
            ``read_tokens_per_s`` and ``written_tokens_per_s`` (None before).
        """
        path = self._path()
        speed = self._speed[-1] if self._speed else Speed(None, None)
        return {
            "model": self.name,
            "family": self.family,
            "path": str(path) if path else None,
            "bytes": path.stat().st_size if path else weights.known(self._model).bytes,
            "sha256": self._sha256(),
            "loaded": server.is_running(self.name, self._context, self._parallel),
            "n_ctx": self._context,
            "parallel": self._parallel,
            "threads": self._thread_count(),
            "read_tokens_per_s": speed.read,
            "written_tokens_per_s": speed.written,
        }

    def _start(self) -> server.Running:
        self._started = self._configuration()
        return server.start(self._started)

    def _configuration(self) -> server.Configuration:
        return server.Configuration(
            weights.weights(self._model),
            self.name,
            self._context,
            self._parallel,
            self._thread_count(),
        )

    def _thread_count(self) -> int:
        if self._threads is not None:
            return self._threads
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1

    def _path(self) -> Path | None:
        """Return where the weights are, without joining them."""
        return self._given or weights.found(self._model)

    def _file_name(self) -> str:
        return weights.known(self._model).file if self._given is None else self._given.name

    def _sha256(self) -> str | None:
        if self._given is None:
            return weights.known(self._model).sha256
        return weights.sha256_of(self._given)

    def _measure(self, completion: dict[str, JSON]) -> None:
        timings = completion.get("timings") or {}
        read, written = timings.get("prompt_per_second"), timings.get("predicted_per_second")
        self._speed[:] = [Speed(read, written)]
