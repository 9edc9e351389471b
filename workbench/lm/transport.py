"""The http client that is used where the user gives none: aiohttp below, and little work a call."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    import httpx2

LONGEST_REPLY = 32 * 2**20
"""Bytes of a reply's body, decoded."""


class ReplyTooLong(Exception):
    """The body of a reply is longer than `LONGEST_REPLY`; the rest of it was not read."""


def http_client(*, trust_env: bool) -> httpx2.AsyncClient:
    """Return a new client for the running loop; `trust_env` lets it use proxies of the environment.

    Falls back to the openai client's slower default where aiohttp is not installed, or where openai
    or httpx2 are no longer as this module knows them.
    """
    import openai

    with suppress(Exception):
        return _client_type()(verify=_tls(), trust_env=trust_env)
    return openai.DefaultAsyncHttpxClient(trust_env=trust_env)


def is_client(given: object) -> bool:
    """Return whether the openai client takes `given`, whose module is then loaded already."""
    kinds = [getattr(sys.modules.get(name), "AsyncClient", None) for name in ("httpx", "httpx2")]
    return any(isinstance(kind, type) and isinstance(given, kind) for kind in kinds)


@cache
def _client_type() -> type[httpx2.AsyncClient]:
    import httpx2
    import openai

    class Client(openai.DefaultAioHttpClient):
        """Builds requests of one URL without parsing and merging the same things each time."""

        _urls: dict[object, httpx2.URL]

        async def send(
            self, request: httpx2.Request, *, stream: bool = False, **options: Any
        ) -> httpx2.Response:
            response = await super().send(request, stream=True, **options)
            response.aiter_bytes = partial(_capped, response.aiter_bytes)  # type: ignore[assignment, method-assign]
            if not stream:
                try:
                    await response.aread()
                except BaseException:
                    await response.aclose()
                    raise
            return response

        def build_request(self, method: str, url: Any, **options: Any) -> httpx2.Request:
            usual = not any(value for name, value in options.items() if name not in _USUAL)
            if usual and isinstance(options.get("content"), bytes):
                with suppress(Exception):  # another httpx2: it knows how itself
                    return self._built(method, url, **options)
            return super().build_request(method, url, **options)

        def _built(
            self, method: str, url: Any, content: bytes, headers: Any, timeout: Any, **_: object
        ) -> httpx2.Request:
            known = self.__dict__.setdefault("_urls", {})
            if url not in known:
                known[url] = httpx2.URL(url)
            return httpx2.Request(
                method,
                known[url],
                headers=[("accept-encoding", self.headers["accept-encoding"]), *headers],
                content=content,
                extensions={"timeout": httpx2.Timeout(timeout).as_dict()},
            )

    return Client


async def _capped(
    read: Callable[[int | None], AsyncIterator[bytes]], chunk_size: int | None = None
) -> AsyncIterator[bytes]:
    """Yield what `read` does, up to `LONGEST_REPLY`: a small body may unpack to a huge one."""
    size = 0
    async for part in read(chunk_size):
        size += len(part)
        if size > LONGEST_REPLY:
            raise ReplyTooLong(f"the reply is longer than {LONGEST_REPLY} bytes")
        yield part


_USUAL = ("content", "headers", "timeout")


@cache
def _tls() -> ssl.SSLContext:
    """Return one TLS context for all clients: to read the CA bundle takes 20 ms."""
    import httpx2

    return httpx2.create_ssl_context()


_hiding = ContextVar("workbench_hiding", default=False)


@contextmanager
def without_query_in_logs(*, needed: bool) -> Iterator[None]:
    """Keep the query of URLs, which may hold a key, out of what httpx logs of the calls inside."""
    if not needed:
        yield
        return
    for name in ("httpx", "httpx2"):  # the first is for a client of the user's own
        logging.getLogger(name).addFilter(_cut_queries)  # once: it is one and the same
    outer = _hiding.set(True)
    try:
        yield
    finally:
        _hiding.reset(outer)


def _cut_queries(record: logging.LogRecord) -> bool:
    if _hiding.get() and isinstance(record.args, tuple):
        record.args = tuple(
            str(value).partition("?")[0] if hasattr(value, "raw_path") else value
            for value in record.args
        )
    return True
