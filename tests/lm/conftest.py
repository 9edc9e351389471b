"""The endpoint that the tests of language models ask, on a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
from aiohttp import web

import workbench as wb
from tests.lm.mock import Mock


@pytest.fixture
def mock() -> Iterator[Mock]:
    """Run a `Mock` on a free port of 127.0.0.1, in a thread of its own."""
    endpoint = Mock()
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        app = web.Application(client_max_size=2**30)
        app.router.add_post("/v1/chat/completions", endpoint.handle)
        runner = web.AppRunner(
            app,
            handle_signals=False,
            handler_cancellation=True,
            shutdown_timeout=0.1,
            access_log=None,  # it has the query, and so what may be a key
        )
        await runner.setup()
        listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listening).start()
        endpoint.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        stop = asyncio.Event()
        endpoint.stop = lambda: loop.call_soon_threadsafe(stop.set)
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        with contextlib.closing(loop):
            loop.run_until_complete(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    yield endpoint
    endpoint.stop()
    thread.join(10)


@pytest.fixture(autouse=True)
def _allowed(guarded: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allow live calls: they go to the mock, as the guard on sockets sees to."""
    monkeypatch.delenv("WORKBENCH_GGUF", raising=False)
    with wb.allow_model_requests(allowed=True):
        yield
