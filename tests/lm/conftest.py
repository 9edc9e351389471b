"""An endpoint on a real socket whose faults are made for real, and a canary key."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from workbench.record.events import Asked, Sampling
from workbench.record.parts import Part

CANARY = "sk-canary-123"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def completion(text: str | None = "Hello.", **changes: Any) -> dict[str, Any]:
    """Return a chat completion as an endpoint would send it."""
    out: dict[str, Any] = {
        "id": "c1",
        "model": "mock-1",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }
    return {**out, **changes}


def sends(body: object, status: int = 200, **headers: str) -> Handler:
    """Return a handler that sends `body` (JSON, or bytes as they are)."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(body=data, status=status, headers=named)

    return handler


def says(message: str, status: int, **fields: Any) -> Handler:
    """Return a handler that sends an error in OpenAI's form."""
    headers = {k: fields.pop(k) for k in list(fields) if k.startswith("retry")}
    return sends({"error": {"message": message, **fields}}, status, **headers)


class Mock:
    """An endpoint in a thread of its own.

    `script` holds handlers for the requests to come, in order; then `default` answers.
    """

    def __init__(self) -> None:
        self.script: list[Handler] = []
        self.default: Handler = sends(completion())
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0
        self.running = 0
        self.most_running = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Record the request and hand it to the next handler."""
        self.bodies.append(json.loads(await request.read()))
        self.headers.append(dict(request.headers))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            return await (self.script.pop(0) if self.script else self.default)(request)
        finally:
            self.running -= 1


@pytest.fixture
def mock() -> Iterator[Mock]:
    """Run a `Mock` on a free port of 127.0.0.1."""
    endpoint = Mock()
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        app = web.Application(client_max_size=2**30)
        app.router.add_post("/v1/chat/completions", endpoint.handle)
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        endpoint.url = f"http://127.0.0.1:{port}/v1"
        stop = asyncio.Event()
        endpoint.stop = lambda: loop.call_soon_threadsafe(stop.set)  # type: ignore[attr-defined]
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        with contextlib.closing(loop):
            loop.run_until_complete(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    yield endpoint
    endpoint.stop()  # type: ignore[attr-defined]
    thread.join(10)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep keys and proxies of the machine out of the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "WORKBENCH_GGUF", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


def ask(
    text: str = "Say hello.",
    path: str = "/greeter/greet",
    schema: dict[str, Any] | None = None,
    **sampling: Any,
) -> Asked:
    """Return an ask with a system part and a user part."""
    parts = (Part("You are brief.", None, "system"), Part(text))
    return Asked(
        path=path, clock=0, role="greeter", parts=parts, sampling=Sampling(**sampling), schema=schema
    )


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Return whether `condition` comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
