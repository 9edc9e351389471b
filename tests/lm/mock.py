"""An endpoint on a real socket whose faults are made for real, and a canary key."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

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
        self.running = 0
        self.most_running = 0
        self.url = ""
        self.stop: Callable[[], object] = lambda: None

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


def ask(
    text: str = "Say hello.",
    path: str = "/greeter/greet",
    schema: dict[str, Any] | None = None,
    **sampling: Any,
) -> Asked:
    """Return an ask with a system part and a user part."""
    parts = (Part("You are brief.", None, "system"), Part(text))
    return Asked(
        path=path,
        clock=0,
        role="greeter",
        parts=parts,
        sampling=Sampling(**sampling),
        schema=schema,
    )


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Return whether `condition` comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
