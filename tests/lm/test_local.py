"""The embedded model: settings without loading it, and a few real calls."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.lm.mock import Mock, ask
from workbench.errors import LMError, RequestRejected, RequestsForbidden, WeightsError
from workbench.lm import server
from workbench.lm.base import LM, from_description
from workbench.lm.gguf import shape_of
from workbench.lm.limits import limited
from workbench.lm.local import LocalLM
from workbench.lm.weights import DEFAULT, MODELS, weights
from workbench.record.events import Answered

SCHEMA = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green", "blue"]},
        "why": {"type": "string", "maxLength": 60},
    },
    "required": ["colour", "why"],
    "additionalProperties": False,
}
small = pytest.mark.local


def tiny(**options: int) -> LocalLM:
    """Return the smallest model, in one configuration so that it is loaded once."""
    return LocalLM("smollm2", context=1024, parallel=2, **options)


@pytest.fixture
def stand_in(mock: Mock, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[weakref.ref[Any]]]:
    """Let the mock stand in for llama.cpp, behind a key; return the handles of its servers."""
    handles: list[weakref.ref[Any]] = []

    class Handle:
        pass

    def start(configuration: server.Configuration) -> tuple[server.Running, Any]:
        handle = Handle()
        handles.append(weakref.ref(handle))
        return server.Running(mock.url.removesuffix("/v1"), f"key-{len(handles)}"), handle

    monkeypatch.setattr(server, "_start", start)
    monkeypatch.setattr(server, "_running", {})
    monkeypatch.setattr("workbench.lm.weights.weights", Path)
    yield handles
    server.stop_all()


def test_limited_has_the_servers_key(mock: Mock, stand_in: list[object]) -> None:
    """A wrapped model is asked where its server listens, with that server's key."""

    async def main() -> None:
        lm = limited(LocalLM("smollm2"), at_once=2)
        async with lm.session():
            await asyncio.gather(*(lm.answer(ask(path=f"/n={n}")) for n in range(4)))

    asyncio.run(main())
    assert {headers["Authorization"] for headers in mock.headers} == {"Bearer key-1"}
    assert len(mock.headers) == 4
    assert len(stand_in) == 1


def test_stopping_while_a_model_is_alive(mock: Mock, stand_in: list[weakref.ref[Any]]) -> None:
    """Stopped servers are let go of; the next ask starts one again."""
    lm = LocalLM("smollm2")
    asyncio.run(lm.answer(ask()))
    assert lm.info()["loaded"]
    assert stand_in[0]() is not None
    server.stop_all()
    assert stand_in[0]() is None
    assert not lm.info()["loaded"]
    asyncio.run(lm.answer(ask()))
    assert [headers["Authorization"] for headers in mock.headers] == [
        "Bearer key-1",
        "Bearer key-2",
    ]


def test_description() -> None:
    """The description has the file, its digest and the server's settings, and builds it again."""
    lm = LocalLM("smollm2", context=512, parallel=1, threads=1, repeat_penalty=1.2)
    assert lm.describe() == {
        "kind": "local",
        "model": "smollm2",
        "family": "smollm2",
        "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
        "sha256": MODELS["smollm2"].sha256,
        "context": 512,
        "parallel": 1,
        "threads": 1,
        "repeat_penalty": 1.2,
        "longest_reply": 1024,
        "runtime": f"xllamacpp {metadata.version('xllamacpp')}",
    }
    older = {**lm.describe(), "runtime": "xllamacpp 2020.1"}
    assert from_description(older).describe() == lm.describe()
    again = from_description(json.loads(json.dumps(lm.describe())))
    assert again.describe() == lm.describe()
    with pytest.raises(LMError, match="at most 9 tokens"):
        from_description({**lm.describe(), "longest_reply": 9})
    assert isinstance(lm, LM)
    assert LocalLM().family == "qwen2.5"
    assert lm.cost_usd(10, 10) == 0.0


def test_other_weights_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run made with other weights than those that are here is not resumed with these."""
    own = tmp_path / "Llama-3-tiny.gguf"
    own.write_bytes(b"GGUF...")
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_GGUF", str(own))
    lm = LocalLM()
    assert (lm.name, lm.family) == ("Llama-3-tiny", "llama")
    assert from_description(lm.describe()).describe() == lm.describe()
    monkeypatch.delenv("WORKBENCH_GGUF")
    with pytest.raises(LMError, match=r"Llama-3-tiny\.gguf.*WORKBENCH_GGUF"):
        from_description(lm.describe())


def test_forbidden_before_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """With live calls forbidden, no weights are looked for."""
    monkeypatch.setattr("workbench.lm.local.server.start", None)
    with wb.allow_model_requests(allowed=False), pytest.raises(RequestsForbidden):
        asyncio.run(LocalLM().answer(ask()))


def test_settings_that_cannot_be() -> None:
    """Unknown names and settings below one are refused at once."""
    with pytest.raises(WeightsError, match="no embedded model"):
        LocalLM("gpt")
    with pytest.raises(LMError, match="start at 1"):
        LocalLM(parallel=0)


def test_info_without_loading() -> None:
    """What is known of the model is told without loading it."""
    info = LocalLM(context=333, parallel=1).info()
    assert info["bytes"] == 1_117_320_768
    assert info["sha256"] == MODELS[DEFAULT].sha256
    assert (info["loaded"], info["n_ctx"], info["written_tokens_per_s"]) == (False, 333, None)


@small
def test_plain_ask_of_the_small_family() -> None:
    """An answer with usage, no cost, and speeds to report; the same seed draws the same."""
    lm = tiny()
    asked = ask("Name one colour.", max_tokens=12, seed=2**40 + 5)
    first, second = (asyncio.run(lm.answer(asked)) for _ in range(2))
    assert first.text
    assert first.text == second.text
    assert (first.model, first.cost_usd) == ("smollm2", 0.0)
    assert first.tokens_in
    assert first.tokens_in > 10
    assert first.tokens_out is not None
    assert first.tokens_out <= 12
    assert second.tokens_cached
    info = lm.info()
    assert info["loaded"]
    assert info["written_tokens_per_s"] > 0
    assert info["threads"] >= 1


@small
def test_limited_and_stopped() -> None:
    """Wrapped, the model answers; stopped, its port is closed, and the next ask opens another."""
    inner = tiny()
    lm = limited(inner, at_once=2)

    async def main() -> list[Answered]:
        async with lm.session():
            asks = (lm.answer(ask("Hi", f"/n={n}", max_tokens=2)) for n in range(3))
            return await asyncio.gather(*asks)

    assert len(asyncio.run(main())) == 3
    port = int(inner._endpoint.url.rpartition(":")[2])
    server.stop_all()
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), 5):
        pass
    assert len(asyncio.run(main())) == 3


@small
def test_schema_is_obeyed() -> None:
    """A reply to a schema is JSON that fits it."""
    asked = ask("Pick a colour, as JSON.", schema=SCHEMA, max_tokens=80, seed=1, temperature=0.0)
    got = asyncio.run(tiny().answer(asked))
    assert got.finish_reason == "stop"
    reply = json.loads(got.text)
    assert reply["colour"] in {"red", "green", "blue"}
    assert set(reply) == {"colour", "why"}


@small
def test_prompt_too_long() -> None:
    """A prompt longer than a slot's context is refused with both numbers."""
    with pytest.raises(
        RequestRejected, match=r"the prompt has \d{4,} tokens and the limit is 1024"
    ):
        asyncio.run(tiny().answer(ask("one two three " * 700)))


@small
def test_many_asks_two_threads_one_server() -> None:
    """Asks from two threads' loops share one server, and more asks than slots wait."""
    got: list[Answered] = []

    async def main() -> None:
        lm = tiny()
        async with lm.session():
            asks = (lm.answer(ask(f"Say {n}.", f"/n={n}", max_tokens=4)) for n in range(4))
            got.extend(await asyncio.gather(*asks))

    before = len(server._running)
    threads = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(got) == 8
    assert len(server._running) <= max(before, 1)


@small
def test_cancelling_frees_the_slot() -> None:
    """A cancelled call does not go on computing: the next one is not kept waiting."""

    async def main() -> Answered:
        lm = tiny()
        async with lm.session():
            long = ask("Tell a long story.", max_tokens=900, extra={"ignore_eos": True})
            tasks = [asyncio.create_task(lm.answer(long)) for _ in range(3)]
            await asyncio.sleep(0.5)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            async with asyncio.timeout(20):
                return await lm.answer(ask("Hi", max_tokens=2))

    assert asyncio.run(main()).tokens_out == 2


@small
def test_loads_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too long a context, too little memory and a cut file are told of."""
    path = weights("smollm2")
    with pytest.raises(LMError, match=f"reads at most {shape_of(path).context} tokens"):
        asyncio.run(LocalLM("smollm2", context=10**6).answer(ask()))
    with pytest.raises(WeightsError, match="GB of memory"):
        asyncio.run(LocalLM("smollm2", context=1024, parallel=10**7).answer(ask()))
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:5_000_000])
    monkeypatch.setenv("WORKBENCH_GGUF", str(cut))
    with pytest.raises(WeightsError, match=r"cannot load .*cut\.gguf"):
        asyncio.run(LocalLM(context=64).answer(ask()))


CALL = """
import asyncio, sys
sys.path.insert(0, "{root}")
from tests.lm.mock import ask
from workbench.lm.local import LocalLM
lm = LocalLM("smollm2", context=1024, parallel=1)
async def main():
    async with lm.session():
        await lm.answer(ask("Hi", max_tokens=1))
        print("ready", flush=True)
        await lm.answer(ask("A story.", max_tokens=900, extra={{"ignore_eos": True}}))
asyncio.run(main())
"""


@small
@pytest.mark.parametrize("interrupt", [True, False])
def test_silent_and_quick_to_end(interrupt: bool) -> None:
    """llama.cpp says nothing on either stream, and Ctrl-C during a call ends the process."""
    code = CALL.format(root=Path(__file__).parents[2])
    if not interrupt:
        code = code.replace("max_tokens=900", "max_tokens=3")
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": "unused"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if interrupt:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert out == ""
    if interrupt:
        assert err.rstrip().endswith("KeyboardInterrupt")
        assert process.returncode != 0
    else:
        assert err == ""
        assert process.returncode == 0


@small
def test_default_family() -> None:
    """The default model answers a schema sensibly."""
    lm = LocalLM(context=1024, parallel=1)
    asked = ask(
        "Which colour is grass? Reply as JSON; why: at most five words.",
        schema=SCHEMA,
        max_tokens=60,
        temperature=0.0,
    )
    got = asyncio.run(lm.answer(asked))
    assert json.loads(got.text)["colour"] == "green"
    assert (got.model, got.cost_usd) == ("qwen2.5-coder-1.5b", 0.0)
