"""The http client that is used where the user gives none: aiohttp below, and little work a call."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    import httpx2


def http_client(*, trust_env: bool) -> httpx2.AsyncClient:
    """Return a new client for the running loop; `trust_env` lets it use proxies of the environment.

    Falls back to the openai client's slower default where aiohttp is not installed.
    """
    import openai

    try:
        return _client_type()(verify=_tls(), trust_env=trust_env)
    except RuntimeError:
        return openai.DefaultAsyncHttpxClient(verify=_tls(), trust_env=trust_env)


@cache
def _client_type() -> type[httpx2.AsyncClient]:
    import httpx2
    import openai

    class Client(openai.DefaultAioHttpClient):
        """Builds requests of one URL without parsing and merging the same things each time."""

        _urls: dict[object, httpx2.URL]

        def build_request(self, method: str, url: Any, **options: Any) -> httpx2.Request:
            content = options.get("content")
            if not isinstance(content, bytes) or any(options.get(n) for n in _UNUSUAL):
                return super().build_request(method, url, **options)
            known = self.__dict__.setdefault("_urls", {})
            if url not in known:
                known[url] = httpx2.URL(url)
            headers = [("accept-encoding", self.headers["accept-encoding"])]
            timeout = httpx2.Timeout(options.get("timeout")).as_dict()
            return httpx2.Request(
                method,
                known[url],
                headers=headers + list(options.get("headers") or ()),
                content=content,
                extensions={"timeout": timeout},
            )

    return Client


_UNUSUAL = ("params", "files", "data", "json", "cookies", "extensions")


@cache
def _tls() -> ssl.SSLContext:
    """Return one TLS context for all clients: to read the CA bundle takes 20 ms."""
    import httpx2

    return httpx2.create_ssl_context()
