"""The llama.cpp server inside this process: one for each configuration, started at first use."""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import LMError, MissingExtra, WeightsError
from workbench.lm.gguf import shape_of

LONGEST_REPLY = 1024
"""Tokens of a reply whose ask sets no `max_tokens`."""
_PROMPT_CACHE_MIB = 1024


class Configuration(NamedTuple):
    """What makes one server differ from another."""

    path: Path
    name: str
    context: int
    parallel: int
    threads: int


class Running(NamedTuple):
    """A server that answers."""

    url: str
    key: str


# With its handle, which is kept nowhere else: the server stops when it goes.
_running: dict[tuple[int, Configuration], tuple[Running, Any]] = {}
_lock = threading.Lock()


def is_running(name: str, context: int, parallel: int) -> bool:
    """Return whether this process has a server of these settings, with whatever threads."""
    return any(
        pid == os.getpid() and (c.name, c.context, c.parallel) == (name, context, parallel)
        for pid, c in list(_running)
    )


def running(configuration: Configuration) -> Running | None:
    """Return this process's server of `configuration`, if there is one."""
    found = _running.get((os.getpid(), configuration))
    return None if found is None else found[0]


def start(configuration: Configuration) -> Running:
    """Return this process's server of `configuration`; the first call loads the weights.

    It listens on a free port of 127.0.0.1, behind a key of its own, and computes in threads of its
    own, without the GIL. It stops when the process ends.

    Raises
    ------
    WeightsError
        If the file cannot be loaded, or there is not enough memory.
    LMError
        If the context is longer than the model can read.
    MissingExtra
        If xllamacpp is not installed.
    """
    with _lock:
        mine = os.getpid(), configuration  # a forked child has no server threads
        if mine not in _running:
            _running[mine] = _start(configuration)
        return _running[mine][0]


@atexit.register
def stop_all() -> None:
    """Stop the servers, before the interpreter takes away what they need.

    The next ask of a `LocalLM` starts its server again.
    """
    with _lock:
        _running.clear()


def _start(configuration: Configuration) -> tuple[Running, Any]:
    path, name, context, parallel, threads = configuration
    _check_memory(configuration)
    xllamacpp = _xllamacpp()
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {name}  # what it calls itself in replies; else the path
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # a free one
    key = secrets.token_hex(16)  # other users of the machine, and web pages, can reach the port
    params.api_keys = [key]
    params.cors_origins = ""
    params.n_gpu_layers = 0
    params.n_parallel = parallel
    params.n_ctx = context * parallel
    params.n_predict = LONGEST_REPLY
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # A prompt that starts as an earlier one did is read from there on. But n_cache_reuse stays 0:
    # it would take over the states of later chunks, computed while other words stood before them,
    # and so let one agent's prompt colour another's.
    params.cache_prompt = True
    params.n_cache_reuse = 0
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    # On CPUs flash attention reads prompts more slowly.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.ui = False
    params.endpoint_slots = False
    params.fit_params = False
    params.verbosity = -1
    try:
        handle = xllamacpp.Server(params)
    except RuntimeError as error:
        raise WeightsError(
            f"llama.cpp cannot load {path}: the file is cut or damaged, or of an architecture that "
            f"it does not know ({error}). Get the file again, or use another one (WORKBENCH_GGUF)."
        ) from error
    return Running(handle.listening_address, key), handle


def _xllamacpp() -> Any:
    try:
        with _short_spins():
            import xllamacpp  # type: ignore[import-untyped]  # it ships no types
    except ImportError:
        raise MissingExtra(
            "LocalLM needs xllamacpp: pip install 'mas-workbench[local]'. "
            "Or use an endpoint: OpenAILM(model, base_url)."
        ) from None
    return xllamacpp


@contextmanager
def _short_spins() -> Iterator[None]:
    """Let OpenMP's threads wait for each other by spinning only shortly.

    With its default, one other busy process on a 2-core machine all but stops the model, as each
    thread burns its time slice while the other waits for a core. The setting is read when the
    library is loaded.
    """
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "5000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def _check_memory(configuration: Configuration) -> None:
    path, name, context, parallel, _ = configuration
    shape = shape_of(path)
    if context > shape.context:
        raise LMError(f"context is {context}, but {name!r} reads at most {shape.context} tokens.")
    needed = path.stat().st_size + context * parallel * shape.bytes_a_token
    available = _available_bytes()
    if available is not None and needed > available:
        raise WeightsError(
            f"{name!r} with context={context} and parallel={parallel} needs about "
            f"{needed / 1e9:.1f} GB of memory and {available / 1e9:.1f} GB are available. "
            'Lower context or parallel, or use LocalLM("smollm2").'
        )


def _available_bytes() -> int | None:
    """Return the memory that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    kib = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(kib[0]) * 1024 if kib else None
