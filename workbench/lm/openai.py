"""A language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from workbench.errors import AuthenticationFailed, LMError, MissingExtra
from workbench.lm import faults
from workbench.lm.base import check_allowed, family_of
from workbench.lm.clients import Clients
from workbench.lm.prices import linear_usd, price_usd
from workbench.lm.reply import answered_from, parse
from workbench.lm.request import WEAKER, SchemaMode, body_of, encode
from workbench.lm.retry import retrying
from workbench.record.events import JSON, Answered, Asked

if TYPE_CHECKING:
    import ssl

    from openai import AsyncOpenAI

_OPENAI = "https://api.openai.com/v1"
_log = logging.getLogger("workbench")


class OpenAILM:
    """A model behind an OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, llama.cpp, ...).

    Parameters
    ----------
    model : str
        The model's name at the endpoint.
    base_url : str or None
        The endpoint, up to ``/v1``. None takes OPENAI_BASE_URL, else OpenAI's own.
    api_key : str or None
        None takes OPENAI_API_KEY. An endpoint of your own may do without: it is sent a dummy. No
        key is ever in a repr, a description, a message, a log record or a pickle.
    http_client : httpx.AsyncClient or httpx2.AsyncClient or None
        Used as it is, for a CA or a proxy of your own, and never closed here.
    headers : mapping or None
        Sent with each request; treated as secret as well.
    timeout_s : float
        Seconds that one attempt may take in all.
    retries : int
        Further tries after a `Transient` error.
    send_seed : bool
        False for endpoints that refuse ``seed``.
    schema_mode : {"json_schema", "json_object", "none"}
        How the endpoint is told of a schema. Where it refuses, this instance goes on with the next
        weaker one; the structural gate checks the reply in any case.
    family : str or None
        None derives it from the name; see `family_of`.
    price : tuple of float or None
        USD for a million tokens in and out; wins over the price list.

    Examples
    --------
    >>> lm = OpenAILM("llama3.1", "http://127.0.0.1:11434/v1")
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        http_client: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 120.0,
        retries: int = 4,
        send_seed: bool = True,
        schema_mode: SchemaMode = "json_schema",
        family: str | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        if schema_mode not in ("json_schema", "json_object", "none"):
            raise LMError(f"schema_mode is {schema_mode!r}: use json_schema, json_object or none.")
        self.name = model
        self.family = family or family_of(model)
        self.timeout_s = timeout_s
        self.retries = retries
        self._endpoint = _Endpoint(base_url, api_key, headers)
        self._http_client = http_client
        self._send_seed = send_seed
        self._price = price
        self._limit_name = (
            "max_completion_tokens" if self._endpoint.url.startswith(_OPENAI) else "max_tokens"
        )
        self._mode: dict[str, SchemaMode] = {"asked": schema_mode, "now": schema_mode}
        self._observe: Callable[[dict[str, JSON]], None] | None = None
        self._clients: Clients[AsyncOpenAI] = Clients(self._open, self._close)

    def __repr__(self) -> str:
        return f"OpenAILM({self.name!r}, {self._endpoint.url!r})"

    def __copy__(self) -> OpenAILM:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> OpenAILM:
        return self

    def __reduce__(self) -> tuple[Callable[..., OpenAILM], tuple[dict[str, JSON]]]:
        if self._http_client is not None or self._endpoint.withheld:
            raise TypeError(
                "this model cannot be pickled: its http_client, headers or query are not part of its "
                "description. Build it anew in the other process."
            )
        return type(self).from_description, (self.describe(),)

    def describe(self) -> dict[str, JSON]:
        """Return how to build the model again; keys, header values and queries are withheld."""
        out: dict[str, JSON] = {
            "kind": "openai",
            "model": self.name,
            "family": self.family,
            "base_url": self._endpoint.url,
            "timeout_s": self.timeout_s,
            "retries": self.retries,
            "send_seed": self._send_seed,
            "schema_mode": self._mode["asked"],
        }
        if self._price is not None:
            out["price"] = list(self._price)
        if self._endpoint.withheld:
            out["withheld"] = list(self._endpoint.withheld)
        return out

    @classmethod
    def from_description(cls, description: dict[str, JSON]) -> OpenAILM:
        """Build the model from `describe`'s output; the key is read from the environment."""
        if withheld := description.get("withheld"):
            raise LMError(
                f"{description['model']!r} was used with {', '.join(withheld)}, which a run does not "
                "keep: pass the model itself, with lm=."
            )
        options = {k: v for k, v in description.items() if k not in ("kind", "model", "price")}
        price = description.get("price")
        return cls(description["model"], price=tuple(price) if price else None, **options)

    def with_retries(self, retries: int) -> OpenAILM:
        """Return this model with another number of retries; clients and settings are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.retries = retries
        return twin

    def cost_usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """Return the price of a call in USD, or None where it is not known."""
        if self._price is not None:
            return linear_usd(self._price, tokens_in, tokens_out)
        return price_usd(self.name, tokens_in, tokens_out, tokens_cached, self._endpoint.url)

    def session(self) -> AbstractAsyncContextManager[None]:
        """Keep this loop's client open while inside; the last one out closes it."""
        return self._session()

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[None]:
        async with self._clients.use():
            yield

    async def answer(self, asked: Asked) -> Answered:
        """Return the endpoint's reply to `asked`.

        Raises
        ------
        LMError
            As its subclasses tell; see `workbench.errors`.
        """
        check_allowed(self.name, asked.path)
        if not self._endpoint.has_key:
            raise AuthenticationFailed(
                f"{asked.path}: there is no key for {self.name!r} at {self._endpoint.url}. Set "
                "OPENAI_API_KEY or pass api_key=; a model without a key: LocalLM()."
            )
        async with self._clients.use() as client:
            return await retrying(
                lambda asked: self._attempt(client, asked), asked, attempts=self.retries + 1
            )

    async def _attempt(self, client: AsyncOpenAI, asked: Asked) -> Answered:
        requests = 0
        while True:
            requests += 1
            mode = self._mode["now"]
            body = body_of(
                asked,
                self.name,
                schema_mode=mode,
                send_seed=self._send_seed,
                limit_name=self._limit_name,
            )
            started = time.perf_counter()
            reply = await self._send(client, encode(body), asked.path)
            if isinstance(reply, bytes):
                break
            if _is_filtered(reply):
                return Answered(
                    path=asked.path,
                    text="",
                    finish_reason="content_filter",
                    model=self.name,
                    latency_s=time.perf_counter() - started,
                    attempts=requests,
                    at=time.time(),
                )
            if not (asked.schema is not None and mode in WEAKER and _is_about_schema(reply)):
                raise reply.error
            self._weaken(mode, reply)
        where = self._where(asked.path)
        completion = parse(where, reply)
        latency_s = time.perf_counter() - started
        if self._observe is not None:
            self._observe(completion)
        answered = answered_from(asked.path, completion, latency_s)
