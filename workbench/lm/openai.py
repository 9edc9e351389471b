"""A language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from workbench.errors import AuthenticationFailed, LMError, MissingExtra
from workbench.lm import faults
from workbench.lm.base import check_allowed
from workbench.lm.clients import Clients
from workbench.lm.endpoint import Endpoint, seal, seal_all
from workbench.lm.faults import Refusal
from workbench.lm.prices import linear_usd, price_usd
from workbench.lm.reply import answered_from, parse
from workbench.lm.request import OPTIONAL, WEAKER, SchemaMode, body_of, encode
from workbench.lm.retry import retrying
from workbench.lm.transport import http_client as new_http_client
from workbench.lm.transport import is_client, without_query_in_logs
from workbench.record.events import JSON, Answered, Asked
from workbench.record.families import family_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# What the openai client tells of the machine on each call: no server needs it, and to handle so
# many headers takes a tenth of the time of a call.
_PLATFORM = [
    f"X-Stainless-{name}"
    for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
]
_NEW_LIMIT = "max_completion_tokens"
_log = logging.getLogger("workbench")


class OpenAILM:
    """A model behind an OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, llama.cpp, ...).

    Parameters
    ----------
    model : str
        The model's name at the endpoint.
    base_url : str or None
        The endpoint, up to ``/v1``. None takes OPENAI_BASE_URL, else OpenAI's own. Redirects are
        not followed.
    api_key : str or None
        None takes OPENAI_API_KEY. An endpoint of your own may do without: it is sent a dummy. No
        key is ever in a repr, a description, a message, a log record or a pickle. A reply's text
        is kept as it came, even if the endpoint, which knows the key, writes it there.
    http_client : httpx.AsyncClient or httpx2.AsyncClient or None
        Used as it is, for a CA or a proxy of your own, and never closed here.
    headers : mapping or None
        Sent with each request; treated as secret as well.
    timeout_s : float
        Seconds that one attempt may take in all.
    retries : int
        Further tries after a `Transient` error; none where a `Retry` around it tries again.
    send_seed : bool
        False for endpoints that refuse ``seed``.
    schema_mode : {"json_schema", "json_object", "none"}
        How the endpoint is told of a schema. Where it refuses, this instance goes on with the next
        weaker one; the structural gate checks the reply in any case. So it does without
        temperature, top_p or seed where the endpoint does not take them, as of models that
        reason; `Answered.unsent` names what was left out.
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
        base_url: str | SecretStr | None = None,
        api_key: str | SecretStr | None = None,
        http_client: Any = None,
        *,
        headers: Mapping[str, str | SecretStr] | None = None,
        timeout_s: float = 120.0,
        retries: int = 4,
        send_seed: bool = True,
        schema_mode: SchemaMode = "json_schema",
        family: str | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        # From here on no frame shows them, should something be wrong with the arguments.
        base_url, api_key, headers = seal(base_url), seal(api_key), seal_all(headers)
        if retries < 0:
            raise LMError(f"retries is {retries}: it must be at least 0.")
        if not timeout_s > 0:  # NaN too
            raise LMError(f"timeout_s is {timeout_s}: it must be above 0.")
        if schema_mode not in ("json_schema", "json_object", "none"):
            raise LMError(f"schema_mode is {schema_mode!r}: use json_schema, json_object or none.")
        if http_client is not None and not is_client(http_client):
            raise LMError(
                "http_client= takes an httpx.AsyncClient or an httpx2.AsyncClient, not "
                f"{type(http_client).__module__}.{type(http_client).__qualname__}."
            )
        self.name = model
        self.family = family or family_of(model)
        self.timeout_s = timeout_s
        self.retries = retries
        self._endpoint = Endpoint(base_url, api_key, headers)
        self._url = self._endpoint.url + "/chat/completions"  # whole: a relative one costs 0.05 ms
        self._http_client = http_client
        self._send_seed = send_seed
        self._price = price
        self._limit_name = _NEW_LIMIT if self._endpoint.is_openai else "max_tokens"
        self._unsent: set[str] = set()
        self._mode: dict[str, SchemaMode] = {"asked": schema_mode, "now": schema_mode}
        self._observe: Callable[[dict[str, JSON]], None] | None = None
        self._clients: Clients[AsyncOpenAI] = Clients(self._open, self._close)

    def __repr__(self) -> str:
        return f"OpenAILM({vars(self).get('name')!r}, {vars(self).get('_endpoint')!r})"

    def __copy__(self) -> OpenAILM:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> OpenAILM:
        return self

    def __reduce__(self) -> tuple[Callable[..., OpenAILM], tuple[dict[str, JSON]]]:
        if self._http_client is not None or self._endpoint.withheld:
            raise TypeError(
                "this model cannot be pickled: its http_client, headers or query are no part "
                "of its description. Build it anew in the other process."
            )
        return type(self).rebuilt, (self.describe(),)

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
        """Build the model from `describe`'s output; the key is read from the environment.

        Raises
        ------
        LMError
            If the endpoint is neither OpenAI's, on this machine nor OPENAI_BASE_URL: a run's file
            may come from anyone, and your key would go where it says.
        """
        named = description.get("base_url")
        if named is not None and not (endpoint := Endpoint(named)).is_yours:
            raise LMError(
                f"the run names the endpoint {endpoint.url}; pass lm= to use it, or set "
                "OPENAI_BASE_URL to it. Your key is not sent there for a file's word alone."
            )
        return cls.rebuilt(description)

    @classmethod
    def rebuilt(cls, description: dict[str, JSON]) -> OpenAILM:
        """Build the model from a description of your own, as unpickling does: it is trusted."""
        if withheld := description.get("withheld"):
            raise LMError(
                f"{description['model']!r} was used with {', '.join(withheld)}, which a run does "
                "not keep: pass the model itself, with lm=."
            )
        options = {k: v for k, v in description.items() if k not in ("kind", "model", "price")}
        price = description.get("price")
        return cls(description["model"], price=tuple(price) if price else None, **options)

    def cost_usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """Return the price of a call in USD, or None where it is not known."""
        if self._price is not None:
            return linear_usd(self._price, tokens_in, tokens_out)
        return price_usd(self.name, tokens_in, tokens_out, tokens_cached, self._endpoint.url)

    def require_key(self, what: str) -> None:
        """Raise if the endpoint needs a key and there is none.

        Raises
        ------
        AuthenticationFailed
        """
        if not self._endpoint.has_key:
            raise AuthenticationFailed(
                f"{what}: there is no key for {self.name!r} at {self._endpoint.url}. Set "
                "OPENAI_API_KEY or pass api_key=; a model without a key: LocalLM()."
            )

    def session(self) -> AbstractAsyncContextManager[None]:
        """Keep this loop's client open while inside; the last one out closes it."""
        return self._clients.session()

    async def answer(self, asked: Asked) -> Answered:
        """Return the endpoint's reply to `asked`.

        Raises
        ------
        LMError
            As its subclasses tell; see `workbench.errors`.
        """
        check_allowed(self.name, asked.path)
        self.require_key(asked.path)
        async with self._clients.use() as client:
            return await retrying(
                lambda asked: self._attempt(client, asked), asked, attempts=self.retries + 1
            )

    async def _attempt(self, client: AsyncOpenAI, asked: Asked) -> Answered:
        where = f"{asked.path}: {self.name} at {self._endpoint.url}"
        requests = 0
        told: LMError | None = None
        without: set[str] = set()  # kept once it has helped: the refusal may be of the prompt
        while True:
            requests += 1
            mode = self._mode["now"]
            body = body_of(
                asked,
                self.name,
                schema_mode=mode,
                send_seed=self._send_seed,
                limit_name=_NEW_LIMIT if "max_tokens" in without else self._limit_name,
                unsent=self._unsent | without,
            )
            started = time.perf_counter()
            reply = await self._send(client, encode(body), where)
            latency_s = time.perf_counter() - started
            unsent = tuple(n for n in self._asked_of(asked) if n not in body)
            if isinstance(reply, dict):
                break
            if isinstance(reply, LMError):
                raise _counted(reply, requests)
            if reply.is_filtered:
                return Answered(
                    path=asked.path,
                    text="",
                    finish_reason="content_filter",
                    model=self.name,
                    latency_s=latency_s,
                    attempts=requests,
                    at=time.time(),
                    unsent=unsent or None,
                )
            if refused := [name for name in reply.settings if name in body]:
                without.update(refused)  # the next body has none of them
                told = reply.error
                continue
            if asked.schema is not None and mode in WEAKER and reply.is_about_schema:
                self._mode["now"] = WEAKER[mode]
                how = f"with schema_mode={WEAKER[mode]!r}"
                _log.warning("%s; asking %s from now on", reply.error, how)
                continue
            raise _counted(reply.error, requests)
        if without:
            self._go_without(without, told)
        if self._observe is not None:
            self._observe(reply)
        return answered_from(
            asked.path,
            reply,
            self.cost_usd,
            latency_s=latency_s,
            attempts=requests,
            unsent=unsent,
        )

    def _asked_of(self, asked: Asked) -> list[str]:
        """Return what a request would tell of a sampling if the endpoint took all of it."""
        sent = (n for n in OPTIONAL if n != "seed" or self._send_seed)
        return [name for name in sent if getattr(asked.sampling, name) is not None]

    def _go_without(self, settings: set[str], refusal: LMError | None) -> None:
        """Ask without settings from now on, and with the newer name of the limit."""
        if "max_tokens" in settings:
            self._limit_name = _NEW_LIMIT
        self._unsent |= settings - {"max_tokens"}
        how = [_NEW_LIMIT if n == "max_tokens" else f"no {n}" for n in sorted(settings)]
        _log.warning("%s; asking with %s from now on", refusal, " and ".join(how))

    async def _send(
        self, client: AsyncOpenAI, content: bytes, where: str
    ) -> dict[str, JSON] | Refusal | LMError:
        """Return the completion, or what went wrong as a value.

        Nothing of the client's own exceptions may go on from here: their frames and chains hold
        request headers, and so the key.
        """
        try:
            with without_query_in_logs(needed=self._endpoint.has_query):
                async with asyncio.timeout(self.timeout_s):
                    # The low-level call: `chat.completions.create` looks through all the messages
                    # on each call, and makes a pydantic object of each reply.
                    response = await client.post(
                        self._url, cast_to=_response_type(), content=content, options=_options()
                    )
                    return parse(where, response.content, self._endpoint.redact)
        except Exception as error:
            failure = faults.fault_of_exception(where, error, self._endpoint.redact, self.timeout_s)
        except BaseException as error:  # cancelled, or Ctrl-C
            error.__traceback__ = error.__context__ = None
            raise
        return failure

    def _open(self) -> AsyncOpenAI:
        openai = _openai()
        endpoint = self._endpoint
        client: AsyncOpenAI = openai.AsyncOpenAI(
            api_key=endpoint.key(),
            base_url=endpoint.url,
            default_headers={name: openai.Omit() for name in _PLATFORM} | endpoint.headers(),
            default_query=endpoint.query(),
            http_client=self._http_client or new_http_client(trust_env=not endpoint.is_loopback),
            max_retries=0,
            timeout=None,  # `timeout_s` bounds the attempt as a whole
        )
        return client

    async def _close(self, client: AsyncOpenAI) -> None:
        if self._http_client is None:
            await client.close()


def _counted(error: LMError, requests: int) -> LMError:
    """Return an error that says how many requests were sent until it came."""
    error.attempts = requests  # type: ignore[attr-defined]
    return error


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtra(
            "OpenAILM needs the openai client: pip install 'openai[aiohttp]'"
        ) from None
    return openai


@cache
def _options() -> Any:
    import openai

    # A redirect would carry the secret headers to another host, and turn the POST into a GET.
    return {"headers": {"x-stainless-retry-count": openai.Omit()}, "follow_redirects": False}


@cache
def _response_type() -> Any:
    import httpx2

    return httpx2.Response
