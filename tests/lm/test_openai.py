"""`OpenAILM`: what it sends, what it makes of replies and of faults."""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
import logging
import pickle
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import httpx
import httpx2
import pytest
from aiohttp import web

import workbench as wb
from tests.lm.mock import Handler, Mock, ask, completion, says, sends, within
from workbench.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    LMError,
    MalformedReply,
    ModelNotFound,
    RateLimited,
    RequestRejected,
    RequestsForbidden,
    ServerError,
    TimedOut,
)
from workbench.lm import transport
from workbench.lm.base import LM, from_description
from workbench.lm.openai import OpenAILM
from workbench.lm.retry import wait_s
from workbench.record.events import Answered, Asked

SCHEMA = {
    "title": "A verdict",
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


def one(lm: LM, asked: Asked | None = None) -> Answered:
    """Ask once, in a loop of its own."""
    return asyncio.run(lm.answer(asked or ask()))


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.lm.retry.wait_s", partial(_short, wait_s))


def _short(real: Any, *args: Any, **_: float) -> Any:
    return real(*args, base_s=0.01)


def test_answer(mock: Mock) -> None:
    """A reply's text, usage, fingerprint and metadata end up in the answer."""
    lm = OpenAILM("gpt-4o-mini", mock.url, price=(1.0, 2.0))
    got = one(lm)
    assert got == Answered(
        path="/greeter/greet",
        text="Hello.",
        model="mock-1",
        fingerprint="fp_1",
        tokens_in=11,
        tokens_out=5,
        tokens_cached=4,
        cost_usd=21e-6,
    )
    assert got.attempts == 1
    assert got.latency_s is not None
    assert 0 < got.latency_s < 5
    assert got.at == pytest.approx(time.time(), abs=10)
    assert isinstance(lm, LM)
    assert lm.family == "gpt"


def test_request_body(mock: Mock) -> None:
    """Settings that are None are left out, and extra ones are sent as they are."""
    lm = OpenAILM("m", mock.url)
    one(lm)
    one(lm, ask(temperature=0.5, top_p=0.9, max_tokens=7, seed=3, stop=("X",), extra={"top_k": 1}))
    one(OpenAILM("m", mock.url, send_seed=False), ask(seed=3))
    said = [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "Say hello."},
    ]
    assert mock.bodies == [
        {"model": "m", "messages": said},
        {
            "model": "m",
            "messages": said,
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 7,
            "seed": 3,
            "stop": ["X"],
            "top_k": 1,
        },
        {"model": "m", "messages": said},
    ]


def test_headers_tell_nothing_of_the_machine(mock: Mock) -> None:
    """No operating system or interpreter is told of; the user's own headers are sent."""
    one(OpenAILM("m", mock.url, "k1", headers={"X-Team": "blue"}))
    sent = {name.lower(): value for name, value in mock.headers[0].items()}
    assert not [name for name in sent if name.startswith("x-stainless")]
    assert sent["x-team"] == "blue"
    assert sent["authorization"] == "Bearer k1"
    assert sent["content-type"] == "application/json"


def test_credentials_and_query_of_the_url(mock: Mock) -> None:
    """Credentials in the URL are sent as basic authentication, and the query with each call."""
    url = mock.url.replace("http://", "http://user:pa%40ss@") + "?api-version=2"
    lm = OpenAILM("m", url)
    seen: list[web.Request] = []

    async def look(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        return await sends(completion())(request)

    mock.default = look
    one(lm)
    assert seen[0].headers["Authorization"] == "Basic dXNlcjpwYUBzcw=="
    assert seen[0].query_string == "api-version=2"
    assert "pa" not in repr(lm).replace("OpenAILM", "")
    assert lm.describe()["withheld"] == ["query api-version", "credentials in base_url"]


def test_schema_is_sent(mock: Mock) -> None:
    """A closed schema is sent as strict, one with other keywords as it is and not strict."""
    lm = OpenAILM("m", mock.url)
    one(lm, ask(schema=SCHEMA))
    bounded = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}
    one(lm, ask(schema=bounded))
    first, second = (body["response_format"] for body in mock.bodies)
    assert first == {
        "type": "json_schema",
        "json_schema": {"name": "A_verdict", "schema": SCHEMA, "strict": True},
    }
    assert second["json_schema"] == {"name": "reply", "schema": bounded, "strict": False}


def test_schema_mode_falls_down_and_stays(mock: Mock, caplog: pytest.LogCaptureFixture) -> None:
    """An endpoint that refuses json_schema, then json_object, is asked without from then on."""
    lm = OpenAILM("m", mock.url)
    mock.script = [
        says("response_format type json_schema is not supported", 400),
        says("'response_format' of type json_object is unknown", 400),
    ]
    with caplog.at_level(logging.WARNING, "workbench"):
        got = one(lm, ask(schema=SCHEMA))
    one(lm, ask(schema=SCHEMA))
    kinds = [body.get("response_format", {}).get("type") for body in mock.bodies]
    assert kinds == ["json_schema", "json_object", None, None]
    assert got.attempts == 3
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert lm.describe()["schema_mode"] == "json_schema"
    mock.script = [says("response_format is not supported", 400)]
    with pytest.raises(RequestRejected):
        one(OpenAILM("m", mock.url, schema_mode="none"), ask(schema=SCHEMA))


REASONS = {
    "temperature": says(
        "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default "
        "(1) value is supported.",
        400,
        param="temperature",
        code="unsupported_value",
    ),
    "top_p": says("Unsupported parameter: 'top_p' is not supported with this model.", 400),
    "seed": sends(
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "input": 7}]}, 422
    ),
    "max_tokens": says(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        400,
    ),
}
"""What endpoints say of settings that a model does not take: OpenAI's, Azure's and Mistral's."""
SETTINGS: dict[str, Any] = {"temperature": 0.7, "top_p": 0.9, "seed": 7, "max_tokens": 50}


@pytest.mark.parametrize("setting", REASONS)
def test_a_setting_that_a_model_does_not_take(
    mock: Mock, caplog: pytest.LogCaptureFixture, setting: str
) -> None:
    """It is left out from then on (a limit goes by its other name), and the answer says so."""
    lm = OpenAILM("m", mock.url)
    mock.script = [REASONS[setting]]
    with caplog.at_level(logging.WARNING, "workbench"):
        got = one(lm, ask(**SETTINGS))
    again = one(lm, ask(**SETTINGS))

    first, *rest = ({k: b[k] for k in b.keys() & SETTINGS.keys()} for b in mock.bodies)
    assert SETTINGS == first
    assert [{k: v for k, v in SETTINGS.items() if k != setting}] * 2 == rest
    is_limit = setting == "max_tokens"
    assert is_limit == (50 == mock.bodies[-1].get("max_completion_tokens"))
    assert (None if is_limit else (setting,)) == got.unsent == again.unsent
    assert ["WARNING"] == [record.levelname for record in caplog.records]
    assert (2, 1) == (got.attempts, again.attempts)


@pytest.mark.parametrize(
    ("message", "unsent"),
    [
        ("invalid temperature: only 1 is allowed for this model", ("temperature",)),
        ("`temperature` may only be set to 1 when thinking is enabled.", ("temperature",)),
        (
            "m does not support parameters: ['temperature', 'seed'], for model=m",
            ("temperature", "seed"),
        ),
        (
            "This model doesn't support the temperature field. Remove temperature and try again.",
            ("temperature",),
        ),
        ('"m" doesn\'t support the top_p field', ("top_p",)),
        ("`temperature` isn\u2019t supported for this model", ("temperature",)),
        ("seed isn't allowed here", ("seed",)),
        ("top_p cannot be set when thinking is enabled", ("top_p",)),
        ("temperature can't be set for m", ("temperature",)),
        ("generate() got an unexpected keyword argument 'seed'", ("seed",)),
    ],
)
def test_how_it_is_said(mock: Mock, message: str, unsent: tuple[str, ...]) -> None:
    """Endpoints have their own words; all that is named at once is left out at once."""
    mock.script = [says(message, 400)]

    got = one(OpenAILM("m", mock.url), ask(**SETTINGS))

    assert (unsent, 2) == (got.unsent, got.attempts)


def test_what_did_not_help_is_not_kept(mock: Mock) -> None:
    """A prompt that is refused may name a setting; what is told to be supported is kept."""
    lm = OpenAILM("m", mock.url)
    guard = "content not allowed: 'The temperature is 39'"
    mock.script = [says(guard, 400), says(guard, 400)]
    with pytest.raises(RequestRejected):
        one(lm, ask(**SETTINGS))
    assert one(lm, ask(**SETTINGS)).unsent is None

    mock.script = [says("Unsupported parameter: 'seed'. Supported parameters: temperature", 400)]
    assert ("seed",) == one(lm, ask(**SETTINGS)).unsent


def test_a_list_of_what_is_taken(mock: Mock) -> None:
    """A schema that the list names is not what is refused."""
    lm = OpenAILM("m", mock.url)
    listed = "model, messages, temperature, top_p, max_tokens, response_format, stop"
    mock.script = [says(f"Unsupported parameter(s): `seed`. Supported parameters: {listed}", 400)]

    got = one(lm, ask(schema=SCHEMA, **SETTINGS))

    assert (("seed",), 2) == (got.unsent, got.attempts)
    assert ["json_schema"] * 2 == [body["response_format"]["type"] for body in mock.bodies]


def test_all_requests_are_counted(mock: Mock) -> None:
    """A setting refused before each of two tries makes two requests of each."""
    mock.script = [REASONS["temperature"], says("slow down", 429), REASONS["temperature"]]

    got = one(OpenAILM("m", mock.url), ask(**SETTINGS))

    assert 4 == got.attempts == len(mock.bodies)

    mock.script = [REASONS["temperature"], says("broken", 500)]
    with pytest.raises(ServerError) as caught:
        one(OpenAILM("m", mock.url, retries=0), ask(**SETTINGS))
    assert 2 == caught.value.attempts  # type: ignore[attr-defined]


def test_a_filtered_prompt_without_a_setting(mock: Mock) -> None:
    """The answer says what was left out, also where a filter stops the prompt."""
    mock.script = [REASONS["temperature"], says("Filtered", 400, code="content_filter")]

    got = one(OpenAILM("m", mock.url), ask(**SETTINGS))

    assert ("content_filter", ("temperature",), 2) == (got.finish_reason, got.unsent, got.attempts)


@pytest.mark.parametrize(
    "refusal",
    [
        says(
            "Invalid schema for response_format 'R': In context=('properties', 'temperature'), "
            "'minimum' is not permitted.",
            400,
            param="response_format",
        ),
        says("response_format json_schema is not supported by model bytedance/seed-oss", 400),
        says("unknown value, expected one of text, json_object for response_format.type", 400),
    ],
)
def test_a_schema_may_have_a_field_of_the_name(mock: Mock, refusal: Handler) -> None:
    """What is said of a schema, or of a model's name, is not said of a setting."""
    mock.script = [refusal]

    assert one(OpenAILM("m", mock.url), ask(schema=SCHEMA, **SETTINGS)).unsent is None


def test_settings_that_a_model_does_not_take(mock: Mock) -> None:
    """Several are found one by one, and calls under way at the same time do not trip over them."""
    lm = OpenAILM("o1", mock.url)

    async def picky(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        wrong = next((name for name in REASONS if name in body), None)
        return await (REASONS[wrong] if wrong else sends(completion()))(request)

    mock.default = picky

    async def both() -> list[Answered]:
        asked = ask(**SETTINGS)
        async with lm.session():
            return await asyncio.gather(*(lm.answer(asked) for _ in range(4)))

    assert {("temperature", "top_p", "seed")} == {got.unsent for got in asyncio.run(both())}


@pytest.mark.parametrize(
    "message",
    [
        "temperature must be between 0 and 2",
        "max_tokens is too large: 99999. This model supports at most 4096 completion tokens",
        "temperature and top_p are not supported together",
        "`temperature` and `top_p` cannot both be specified for this model: one of them is allowed",
        "temperature cannot be set above 2",
        "temperature and top_p cannot be set together",
        "unknown model",
    ],
)
def test_a_setting_out_of_range_is_an_error(mock: Mock, message: str) -> None:
    """What the caller has to decide on is not decided for them."""
    mock.script = [says(message, 400)]
    with pytest.raises(RequestRejected):
        one(OpenAILM("m", mock.url), ask(**SETTINGS))
    assert 1 == len(mock.bodies)


@pytest.mark.parametrize(
    ("status", "error", "what"),
    [
        (401, AuthenticationFailed, "OPENAI_API_KEY"),
        (403, AuthenticationFailed, "OPENAI_API_KEY"),
        (404, ModelNotFound, "model's name"),
        (400, RequestRejected, "would not help"),
        (422, RequestRejected, "would not help"),
        (408, TimedOut, "Try again"),
        (429, RateLimited, "less often"),
        (500, ServerError, "try again later"),
        (502, ServerError, "try again later"),
        (503, ServerError, "try again later"),
        (529, ServerError, "try again later"),
    ],
)
def test_statuses(mock: Mock, status: int, error: type[LMError], what: str) -> None:
    """Each status becomes its error, with the model, the endpoint and what to do."""
    mock.default = says("these were the words. " + "x" * 9000, status)
    with pytest.raises(error) as caught:
        one(OpenAILM("the-model", mock.url, retries=0))
    said = str(caught.value)
    assert said.startswith(f"/greeter/greet: the-model at {mock.url}: HTTP {status}: these were")
    assert what in said
    assert len(said) < 900
    assert len(mock.bodies) == 1


def test_retry_after_then_success(mock: Mock) -> None:
    """A 429 with Retry-After is waited out, and the answer counts both requests."""
    mock.script = [says("slow down", 429, retry_after="0.3")]
    started = time.monotonic()
    got = one(OpenAILM("m", mock.url))
    assert time.monotonic() - started >= 0.3
    assert got.attempts == 2


def test_retry_after_forms(mock: Mock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds, milliseconds and a date are understood; nonsense is not."""
    later = datetime.now(UTC) + timedelta(seconds=30)
    soon, asctime = format_datetime(later, usegmt=True), later.strftime("%a %b %e %H:%M:%S %Y")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")  # 14 hours ahead
    time.tzset()
    for headers, wish in (
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": soon}, 30.0),
        ({"retry_after": soon.replace("GMT", "-0000")}, 30.0),
        ({"retry_after": asctime}, 30.0),
        ({"retry_after": " 3.5 "}, 3.5),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "1_0"}, None),
        ({"retry_after": "1e1"}, None),
        ({"retry_after": "9" * 400}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": f"Mon, 01 Jan {'9' * 30} 00:00:00 GMT"}, None),
        ({}, None),
    ):
        mock.script = [says("slow down", 429, **headers)]
        with pytest.raises(RateLimited) as caught:
            one(OpenAILM("m", mock.url, retries=0))
        assert caught.value.retry_after_s == (wish and pytest.approx(wish, abs=3)), headers
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("status", [500, 503, 529])
def test_a_server_that_fails_may_ask_to_wait(mock: Mock, status: int) -> None:
    """Retry-After is waited out on 5xx as on 429, told of, and given up on where it is too long."""
    mock.script = [says("overloaded", status, retry_after="0.25")]
    with pytest.raises(ServerError, match=r"The endpoint asks to wait 0\.25 s") as caught:
        one(OpenAILM("m", mock.url, retries=0))
    assert wait_s(caught.value, "/a", 0) == 0.25
    mock.script = [says("overloaded", status, retry_after="3600")]
    with pytest.raises(ServerError, match=r"The endpoint asks to wait 3600 s") as caught:
        one(OpenAILM("m", mock.url))
    assert caught.value.retry_after_s == 3600
    assert caught.value.attempts == 1  # type: ignore[attr-defined]


def test_long_wishes_are_not_waited_for() -> None:
    """An endpoint that asks for an hour gets no second request."""
    assert wait_s(RateLimited("", 3600), "/a", 0) is None
    assert wait_s(RateLimited("", 60), "/a", 0) == 60


def test_no_credit_is_not_retried(mock: Mock) -> None:
    """A 429 for an empty account is final."""
    mock.default = says("You exceeded your current quota", 429, code="insufficient_quota")
    with pytest.raises(RequestRejected, match="no credit"):
        one(OpenAILM("m", mock.url))
    assert len(mock.bodies) == 1


def test_retries_run_out(mock: Mock) -> None:
    """After the last try the error goes through, and tells how many requests were sent."""
    mock.default = says("broken", 500)
    with pytest.raises(ServerError) as caught:
        one(OpenAILM("m", mock.url, retries=2))
    assert len(mock.bodies) == 3
    assert caught.value.attempts == 3  # type: ignore[attr-defined]
    mock.bodies.clear()
    mock.script = [mock.default] * 2
    mock.default = sends(completion())
    assert one(OpenAILM("m", mock.url, retries=2)).attempts == 3


async def _drop(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _drop_in_body(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [{"mess')
    await asyncio.sleep(0.05)
    assert request.transport is not None
    request.transport.abort()
    return response


def _raw(data: bytes) -> Handler:
    """Return a handler that sends `data` in the place of an HTTP response."""

    async def handler(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(data)  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)
        request.transport.close()
        return web.Response()

    return handler


async def _hang(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


async def _drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(300):
        await response.write(b" ")
        await asyncio.sleep(0.1)
    return response


@pytest.mark.parametrize(
    ("handler", "error"),
    [
        (_drop, ConnectionFailed),
        (_drop_in_body, ConnectionFailed),
        (_hang, TimedOut),
        (_drip, TimedOut),
        (sends(json.dumps(completion()).encode()[:-30]), MalformedReply),
        (sends(b"<!DOCTYPE html><html></html>"), MalformedReply),
        (sends(b"\xff\xfe\xfa"), MalformedReply),
        (sends(b""), MalformedReply),
        (sends([1]), MalformedReply),
        (sends(completion(choices=[])), MalformedReply),
        (sends(completion(choices=None)), MalformedReply),
        (sends(completion(choices=[{"finish_reason": "stop"}])), MalformedReply),
        (sends(b"not gzip", content_encoding="gzip"), MalformedReply),
        (sends({"error": {"message": "upstream failed", "code": 502}}), ServerError),
        (sends({"error": {"message": "odd"}}), MalformedReply),
        (sends({"error": {"message": "odd", "code": 10**400}}), MalformedReply),
        (sends(b"[" * 100_000), MalformedReply),
        (sends(b'{"choices": ' + b"[" * 940 + b"]" * 940 + b"}"), MalformedReply),
        (sends(completion({"a": 1})), MalformedReply),
        (sends(completion(7)), MalformedReply),
        (sends(gzip.compress(b" " * 2**26), content_encoding="gzip"), MalformedReply),
        (_raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), MalformedReply),
        (_raw(b"HTTP/1.1 abc OK\r\n\r\n"), MalformedReply),
        (_raw(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n{}"), MalformedReply),
        (_raw(b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 20_000 + b"\r\n\r\n"), MalformedReply),
        (_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), MalformedReply),
    ],
)
def test_broken_replies(mock: Mock, handler: Any, error: type[LMError]) -> None:
    """A lost connection, a hang and every kind of broken body has its error, and is retried."""
    patience = 1.0 if error is TimedOut else 60.0
    mock.script = [handler]
    with pytest.raises(error) as caught:
        one(OpenAILM("m", mock.url, timeout_s=patience, retries=0))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "/greeter/greet: m at http" in str(caught.value)
    mock.script = [handler]
    assert one(OpenAILM("m", mock.url, timeout_s=patience, retries=1)).attempts == 2


def test_refused_connection() -> None:
    """Nobody listening is a failed connection, with a hint."""
    with pytest.raises(ConnectionFailed, match="Is the server running"):
        one(OpenAILM("m", "http://127.0.0.1:9/v1", retries=0))


def test_server_closed_an_idle_connection(mock: Mock) -> None:
    """A connection that the server closed between two calls costs a try, not the answer."""

    async def close_after(request: web.Request) -> web.StreamResponse:
        response = await sends(completion())(request)
        transport = request.transport
        assert transport is not None
        asyncio.get_running_loop().call_later(0.05, transport.abort)
        return response

    async def main() -> list[Answered]:
        lm = OpenAILM("m", mock.url)
        async with lm.session():
            first = await lm.answer(ask())
            await asyncio.sleep(0.2)
            return [first, await lm.answer(ask())]

    mock.script = [close_after]
    assert [got.text for got in asyncio.run(main())] == ["Hello.", "Hello."]


def test_outcomes_that_are_no_faults(mock: Mock) -> None:
    """Refusals, content filters and empty replies are answers."""
    refusal = {"role": "assistant", "content": None, "refusal": "I will not."}
    texts = ("Hel", None, {"a": "b"}, "lo")
    in_parts = {"content": [{"type": "text", "text": text} for text in texts]}
    thinking = {"content": "42", "reasoning_content": "six by nine"}
    mock.script = [
        sends(completion(choices=[{"message": refusal, "finish_reason": "stop"}])),
        says("The prompt was filtered", 400, code="content_filter"),
        sends(completion(None)),
        sends(completion(choices=[{"message": in_parts, "finish_reason": "length"}])),
        sends(completion(choices=[{"message": thinking}])),
    ]
    got = [one(OpenAILM("m", mock.url)) for _ in range(5)]
    assert [(g.text, g.finish_reason) for g in got] == [
        ("I will not.", "refusal"),
        ("", "content_filter"),
        ("", "stop"),
        ("Hello", "length"),
        ("42", "unsaid"),
    ]


def test_usage_may_be_missing(mock: Mock) -> None:
    """What the endpoint does not say is None; llama.cpp's own count of cached tokens is used."""
    mock.script = [
        sends(completion(usage=None)),
        sends(
            completion(usage={"prompt_tokens": 9, "completion_tokens": 1}, timings={"cache_n": 8})
        ),
        sends(completion(usage={"prompt_tokens": True}, model=7)),
    ]
    first, second, third = (one(OpenAILM("m", mock.url)) for _ in range(3))
    assert (first.tokens_in, first.tokens_out, first.tokens_cached) == (None, None, None)
    assert (second.tokens_in, second.tokens_cached) == (9, 8)
    assert (third.tokens_in, third.model) == (None, None)
    assert first.cost_usd is None


@pytest.mark.parametrize("count", [-1, 2**53, 1.5, "7", True, [1]])
def test_counts_that_are_none(mock: Mock, count: object) -> None:
    """A count of tokens that cannot be one is None, and the answer is kept."""
    usage = {"prompt_tokens": count, "completion_tokens": 2**53 - 1}
    mock.default = sends(completion(usage=usage))
    got = one(OpenAILM("m", mock.url, price=(1.0, 2.0)))
    assert (got.text, got.tokens_in, got.tokens_out) == ("Hello.", None, 2**53 - 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("own_client", [False, True])
def test_redirects_are_not_followed(mock: Mock, status: int, own_client: bool) -> None:
    """A redirect is a clear error that names the new host and nothing else of the place."""
    mock.default = sends(b"", status, Location=mock.url.replace("//", "//u:pw@") + "/2?key=k")

    async def main() -> None:
        async with httpx2.AsyncClient(follow_redirects=True, trust_env=False) as client:
            http_client = client if own_client else None
            await OpenAILM("m", mock.url, "k", http_client, headers={"X": "y"}).answer(ask())

    with pytest.raises(RequestRejected, match=r"a redirect to 127\.0\.0\.1 was not") as caught:
        asyncio.run(main())
    assert "pw" not in str(caught.value)
    assert len(mock.headers) == 1


@pytest.mark.parametrize(("to", "place"), [("/v2", "the same host"), ("http://[a", "no URL")])
def test_redirects_to_nowhere(mock: Mock, to: str, place: str) -> None:
    """A relative place and a broken one are told as well."""
    mock.default = sends(b"", 302, Location=to)
    with pytest.raises(RequestRejected, match=place):
        one(OpenAILM("m", mock.url))


def test_words_forge_no_log_lines(mock: Mock) -> None:
    """Line breaks, escapes and marks of direction in a server's words are written out."""
    forged = "no\r\nERROR root: all is lost\x1b[31m\u2028\u202e\x00 é"
    for handler in (says(forged, 400), sends({"error": {"message": forged}})):
        mock.default = handler
        with pytest.raises(LMError) as caught:
            one(OpenAILM("m", mock.url, retries=0))
        said = str(caught.value)
        assert said.isprintable()
        assert r"no\r\nERROR root: all is lost\x1b[31m\u2028\u202e\x00 é" in said
    counts = {"type": "exceed_context_size_error", "n_prompt_tokens": "1\n2", "n_ctx": 8}
    mock.default = says("long", 400, **counts)
    with pytest.raises(RequestRejected, match=r"has \? tokens and the limit is 8 "):
        one(OpenAILM("m", mock.url))


def test_unicode_and_lone_surrogates(mock: Mock) -> None:
    """Any text goes through; a lone surrogate becomes U+FFFD, there and back."""
    mock.default = sends(completion("é 漢字 \U0001f600 \ud800!"))
    got = one(OpenAILM("m", mock.url), ask("naïve \U0001f600 \udfff?"))
    assert got.text == "é 漢字 \U0001f600 \ufffd!"
    assert mock.bodies[0]["messages"][1]["content"] == "naïve \U0001f600 \ufffd?"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("httpx2.Request", None),
        ("httpx2.Timeout", None),
        ("httpx2.create_ssl_context", None),
        ("openai.DefaultAioHttpClient", object),
        ("openai.DefaultAioHttpClient", None),
    ],
)
def test_another_httpx_than_we_know(
    mock: Mock, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the quick client does not fit what is installed, the plain one answers."""
    transport._client_type.cache_clear()
    transport._tls.cache_clear()
    module, _, attribute = name.partition(".")
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.{attribute}", value)
        got = one(OpenAILM("m", mock.url, retries=0))
    transport._client_type.cache_clear()
    transport._tls.cache_clear()
    assert got.text == "Hello."
    assert mock.headers[0]["Authorization"] == "Bearer no-key"


def test_requests_that_the_quick_client_does_not_know() -> None:
    """An option that it was not written for goes to httpx itself, and both build the same."""

    async def main() -> None:
        async with transport.http_client(trust_env=False) as client:
            given: dict[str, Any] = {"content": b"{}", "headers": [("a", "b")], "timeout": 3.0}
            url = "http://127.0.0.1:9/v1"
            quick = client.build_request("POST", url, **given)
            plain = httpx2.AsyncClient.build_request(client, "POST", url, **given)
            assert (quick.url, quick.content) == (plain.url, plain.content)
            assert quick.extensions == plain.extensions
            kept = ("host", "accept-encoding", "content-length", "a")
            assert [quick.headers[n] for n in kept] == [plain.headers[n] for n in kept]
            odd = client.build_request("POST", url, **given, params={"q": "1"})
            assert str(odd.url).endswith("?q=1")
            with pytest.raises(TypeError, match="novelty"):
                client.build_request("POST", url, **given, novelty=True)

    asyncio.run(main())


def test_huge_and_compressed_replies(mock: Mock) -> None:
    """Eight megabytes of reply, plain or compressed, come through whole."""
    text = "word " * 1_700_000
    data = json.dumps(completion(text)).encode()
    mock.script = [sends(data), sends(gzip.compress(data, 1), content_encoding="gzip")]
    assert one(OpenAILM("m", mock.url)).text == text
    assert one(OpenAILM("m", mock.url)).text == text


def test_64_at_once(mock: Mock) -> None:
    """Sixty-four calls are under way together, and each gets its own reply."""
    barrier: list[asyncio.Event] = []

    async def together(request: web.Request) -> web.StreamResponse:
        if not barrier:
            barrier.append(asyncio.Event())
        if mock.running == 64:
            barrier[0].set()
        body = json.loads(await request.read())
        await asyncio.wait_for(barrier[0].wait(), 20)
        return await sends(completion(body["messages"][1]["content"]))(request)

    async def main() -> list[Answered]:
        lm = OpenAILM("m", mock.url)
        async with lm.session():
            return await asyncio.gather(*(lm.answer(ask(f"n{n}", f"/n={n}")) for n in range(64)))

    mock.default = together
    got = asyncio.run(main())
    assert [(g.path, g.text) for g in got] == [(f"/n={n}", f"n{n}") for n in range(64)]


def test_two_loops_one_after_another(mock: Mock) -> None:
    """One model is asked in two loops; no client outlives its loop."""
    lm = OpenAILM("m", mock.url)

    async def main() -> str:
        async with lm.session(), lm.session():
            return (await lm.answer(ask())).text

    assert [asyncio.run(main()), asyncio.run(main()), one(lm).text] == ["Hello."] * 3
    assert not lm._clients._held


def test_two_threads_with_a_loop_each(mock: Mock) -> None:
    """One model is asked from two threads at the same time."""
    lm = OpenAILM("m", mock.url)
    got: list[str] = []

    async def main() -> None:
        async with lm.session():
            answers = await asyncio.gather(*(lm.answer(ask()) for _ in range(20)))
        got.extend(answer.text for answer in answers)

    threads = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert got == ["Hello."] * 40
    assert not lm._clients._held


def test_cancelling_frees_the_connection(mock: Mock) -> None:
    """A cancelled call ends at once, is not retried, and the session goes on."""
    mock.script = [_hang]

    async def main() -> str:
        lm = OpenAILM("m", mock.url)
        async with lm.session():
            task = asyncio.create_task(lm.answer(ask()))
            await asyncio.to_thread(within, 5, lambda: mock.running == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return (await lm.answer(ask())).text

    assert asyncio.run(main()) == "Hello."
    assert len(mock.bodies) == 2
    assert within(5, lambda: mock.running == 0)


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_own_http_client(mock: Mock, library: Any) -> None:
    """A user's client is used as it is, and is left open."""

    async def main() -> None:
        async with library.AsyncClient(headers={"X-Own": "yes"}, trust_env=False) as client:
            lm = OpenAILM("m", mock.url, http_client=client)
            for _ in range(2):
                assert (await lm.answer(ask())).text == "Hello."
            assert not client.is_closed
            mock.script = [_drop]
            with pytest.raises(ConnectionFailed):
                await OpenAILM("m", mock.url, http_client=client, retries=0).answer(ask())
        with pytest.raises(LMError, match="closed"):
            await lm.answer(ask())

    asyncio.run(main())
    assert mock.headers[0]["X-Own"] == "yes"


def test_forbidden_before_any_socket(mock: Mock) -> None:
    """With live calls forbidden, no request reaches the endpoint."""
    lm = OpenAILM("m", mock.url)
    with (
        wb.allow_model_requests(allowed=False),
        pytest.raises(RequestsForbidden, match="'m' is forbidden"),
    ):
        one(lm)
    assert not mock.bodies
    assert one(lm).text == "Hello."


def test_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's own endpoint needs a key, and it may come later."""
    lm = OpenAILM("gpt-4o-mini")
    with pytest.raises(AuthenticationFailed, match="Set OPENAI_API_KEY"):
        one(lm)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert lm._endpoint.has_key


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://host", "http://", "", "  "])
def test_wrong_urls(url: str) -> None:
    """A base URL without scheme or host is refused at once."""
    with pytest.raises(LMError, match="base_url must look like"):
        OpenAILM("m", url)


def test_negative_retries(mock: Mock) -> None:
    """Fewer than no retries are refused at once."""
    with pytest.raises(LMError, match="retries is -1: it must be at least 0"):
        OpenAILM("m", mock.url, retries=-1)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_timeout_that_allows_nothing(mock: Mock, seconds: float) -> None:
    """A timeout of no time is refused at once."""
    with pytest.raises(LMError, match="must be above 0"):
        OpenAILM("m", mock.url, timeout_s=seconds)


def test_description_round_trip(mock: Mock) -> None:
    """A description is JSON and builds an equal model; what is withheld is asked for."""
    lm = OpenAILM("m", mock.url, "k", timeout_s=3.0, send_seed=False, price=(1.0, 2.0), family="f")
    description = json.loads(json.dumps(lm.describe()))
    again = from_description(description)
    assert again.describe() == lm.describe()
    assert pickle.loads(pickle.dumps(lm)).describe() == lm.describe()
    assert copy.deepcopy(lm) is lm
    secretive = OpenAILM("m", mock.url, headers={"X-Team": "blue"})
    with pytest.raises(LMError, match=r"header X-Team.*lm="):
        from_description(secretive.describe())
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(secretive)


def test_price(mock: Mock) -> None:
    """The price list holds for the provider's endpoint only; a price of one's own wins."""
    million = 1_000_000
    assert OpenAILM("gpt-4o-mini").cost_usd(million, 0) == pytest.approx(0.15)
    assert OpenAILM("gpt-4o-mini", mock.url).cost_usd(million, 0) is None
    assert OpenAILM("gpt-4o-mini", price=(3, 4)).cost_usd(million, million) == 7


def test_a_timeout_says_how_long_it_was(mock: Mock) -> None:
    """The message has the seconds that were waited for."""
    mock.default = _hang
    with pytest.raises(TimedOut, match=r"no answer in 0\.2 s\. Raise timeout_s"):
        one(OpenAILM("m", mock.url, timeout_s=0.2, retries=0))


@pytest.mark.parametrize("odd", [object(), httpx.Client, httpx.Client(), httpx.AsyncClient, ""])
def test_what_is_no_http_client(odd: object) -> None:
    """It is refused at once, by its type alone."""
    with pytest.raises(LMError, match="http_client= takes an httpx"):
        OpenAILM("m", "http://127.0.0.1/v1", "sk-secret", odd)
