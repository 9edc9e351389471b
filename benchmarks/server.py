"""A mock OpenAI endpoint in a process of its own: replies are a function of the request alone.

``http://127.0.0.1:PORT/20/v1`` answers after 20 ms, ``/0/v1`` at once.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_PLACE = re.compile(rb"round=(\d+) speaker=(\w+)")

WORDS = (
    "the launch budget holds if the pilot stays under its cap and the second supplier confirms "
    "its price before the review; the open point is the return rate, for which the documents give "
    "one figure and the team assumed another, so the forecast should carry both until then "
) * 2
"""What everybody says, after a beginning that differs: a contribution of some 90 words."""


def contribution(mark: str) -> str:
    """Return a text of a usual length that differs from the others by its beginning."""
    return f"{mark}: {WORDS}"


def reply_to(body: bytes) -> str:
    """Return what the model says."""
    if b'"response_format"' in body:
        request = json.loads(body)
        return structured(request["response_format"]["json_schema"]["schema"], crc32(body))
    place = body.rfind(b"round=")
    found = _PLACE.match(body, place) if place >= 0 else None
    if found is None:
        return contribution(f"{crc32(body):08x}")
    return contribution(f"{found[2].decode()} in round {found[1].decode()}")


def structured(schema: dict[str, Any], mark: int) -> str:
    """Return an answer to one of the schemas of the bi-layer protocol or of MAVEN."""
    properties = schema["properties"]
    said: dict[str, Any]
    if schema["title"] == "Goal":
        said = {
            "goal": f"Settle the budget and name the risks, {mark:08x}.",
            "phase": properties["phase"].get("enum", [properties["phase"].get("const")])[0],
            "nominated": properties["nominated"]["items"]["enum"],
            "set_constraint": None,
        }
    elif schema["title"] == "Queries":
        said = {"queries": [f"return rate forecast {mark:08x}"]}
    elif schema["title"] == "Ratification":
        said = {"reason": f"One figure is still unknown, {mark:08x}.", "decision": "refine"}
    elif "contribution" in properties:
        said = {}
        if "predictions" in properties:
            peers = properties["predictions"]["properties"]
            said["predictions"] = {
                peer: f"I expect {peer} to name the price and its source, {mark:08x}."
                for peer in peers
            }
        said["contribution"] = contribution(f"{mark:08x}")
    else:
        said = filled(schema, f"{mark:08x}")
        if schema["title"] == "Judgement":
            said["verdict"] = "reject"  # so that every iteration is used
    return json.dumps(said)


def filled(schema: dict[str, Any], mark: str) -> Any:
    """Return what fits a schema: the largest number, three of a list, 40 words, a first choice."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {n: filled(s, mark) for n, s in schema["properties"].items()}
        case "array":
            items = schema["items"]
            return [filled(items, f"{mark} {n}") for n in range(min(3, schema["maxItems"]))]
        case "integer":
            return schema["maximum"]
    return f"{mark}: {WORDS}"[: min(240, schema.get("maxLength", 240))]


def completion(body: bytes) -> bytes:
    """Return the whole HTTP response."""
    text = reply_to(body)
    tokens_in, tokens_out = len(body) // 4, len(text) // 4
    data = json.dumps(
        {
            "id": f"chatcmpl-{crc32(body):08x}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "mock",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
            },
            "system_fingerprint": "fp_mock",
        }
    ).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % len(data) + data


class Connection(asyncio.Protocol):
    """One kept-alive connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = bytearray()

    def data_received(self, data: bytes) -> None:
        """Answer each request once it is whole, after the latency that its path names."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self.buffer[:end])
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < whole:
                return
            response = completion(bytes(self.buffer[end + 4 : whole]))
            del self.buffer[:whole]
            latency_ms = int(head.split(b"/", 2)[1])
            if latency_ms:
                loop = asyncio.get_running_loop()
                loop.call_later(latency_ms / 1000, self._send, response)
            else:
                self.transport.write(response)

    def _send(self, response: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(response)


async def serve() -> None:
    """Serve on a free port, told on standard output, until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving() -> Iterator[str]:
    """Start the endpoint in another process and give its address, without a latency."""
    command = [sys.executable, str(Path(__file__).resolve())]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(serve())
