"""The key is found nowhere but in the request."""

from __future__ import annotations

import asyncio
import copy
import io
import logging
import pickle
import traceback
from typing import Any

import pytest
from aiohttp import web

from tests.lm.mock import CANARY, Mock, ask, completion, says, sends, within
from workbench.errors import AuthenticationFailed, LMError
from workbench.lm.base import from_description
from workbench.lm.limits import limited
from workbench.lm.openai import OpenAILM

PLACES = ["argument", "environment", "header", "url", "query"]


def model(place: str, url: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> OpenAILM:
    """Return a model that was given the canary in one of the ways that there are."""
    if place == "argument":
        return OpenAILM("m", url, CANARY, **options)
    if place == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        return OpenAILM("m", url, **options)
    if place == "header":
        return OpenAILM("m", url, headers={"api-key": CANARY}, **options)
    if place == "query":
        return OpenAILM("m", f"{url}?api-key={CANARY}", **options)
    return OpenAILM("m", url.replace("http://", f"http://user:{CANARY}@"), **options)


async def _drop(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _hang(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


FAULTS = {
    "echo": says(f"Incorrect API key provided: {CANARY}.", 401),
    "echo at length": says("x" * 490 + CANARY, 400),
    "bare": sends(f"no such key: {CANARY}".encode(), 500),
    "page": sends(f"<html>{CANARY}</html>".encode()),
    "error in 200": sends({"error": {"message": f"bad key {CANARY}"}}),
    "no choices": sends({"message": f"bad key {CANARY}"}),
    "limit": says(f"{CANARY} is too fast", 429, retry_after="9999"),
    "dropped": _drop,
    "hang": _hang,
    "redirect": sends(b"", 302, Location="/elsewhere"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_tells_the_key(
    mock: Mock,
    place: str,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither message, chain, traceback with all locals, nor log at any level holds the canary."""
    mock.default = FAULTS[fault]
    lm = model(place, mock.url, monkeypatch, retries=0, timeout_s=0.3)
    with caplog.at_level(logging.DEBUG), pytest.raises(LMError) as caught:
        asyncio.run(lm.answer(ask()))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = _all_that_is_told(caught.value) + caplog.text
    assert CANARY not in told
    assert "dXNlcjp" not in told  # in base64, as basic authentication


@pytest.mark.parametrize("place", PLACES)
def test_cancelling_does_not_tell_the_key(
    mock: Mock, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frames of a cancelled request are let go of."""
    mock.default = _hang
    lm = model(place, mock.url, monkeypatch)

    async def main() -> BaseException:
        task = asyncio.create_task(lm.answer(ask()))
        await asyncio.to_thread(within, 5, lambda: mock.running == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        return caught.value

    error = asyncio.run(main())
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert CANARY not in _all_that_is_told(error)


@pytest.mark.parametrize("place", PLACES)
def test_no_face_shows_the_key(mock: Mock, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither repr, str, vars, description, copies nor pickles hold the canary."""
    lm = model(place, mock.url, monkeypatch)
    faces = [repr(lm), str(lm), f"{lm}", repr(vars(lm)), repr(vars(lm._endpoint))]
    faces += [repr(copy.copy(lm)), str(lm.describe()), repr(limited(lm))]
    if "withheld" not in lm.describe():
        faces.append(repr(pickle.dumps(lm)))
    assert not [face for face in faces if CANARY in face]


def test_the_key_is_sent(mock: Mock) -> None:
    """The endpoint does get it."""
    mock.default = sends(completion())
    asyncio.run(OpenAILM("m", mock.url, f" {CANARY}\n").answer(ask()))
    assert mock.headers[0]["Authorization"] == f"Bearer {CANARY}"


def test_a_file_does_not_say_where_the_key_goes(
    mock: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A description is built only for OpenAI's endpoint, this machine, or OPENAI_BASE_URL."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    for url in (
        "https://evil.example/v1",
        "http://api.openai.com/v1",
        "https://api.openai.com.evil.example/v1",
        "http://127.0.0.1@evil.example/v1",
    ):
        for build in (from_description, OpenAILM.from_description):
            described = {"kind": "openai", "model": "m", "base_url": url}
            with pytest.raises(LMError, match=r"the run names the endpoint http.*pass lm= to use"):
                build(described)
    own = {"kind": "openai", "model": "m", "base_url": "https://llm.example/v1"}
    monkeypatch.setenv("OPENAI_BASE_URL", "https://llm.example/v1/")
    assert from_description(own).describe()["base_url"] == own["base_url"]
    from_description({**own, "base_url": "https://api.openai.com/v1"})
    asyncio.run(from_description({**own, "base_url": mock.url}).answer(ask()))
    assert mock.headers[0]["Authorization"] == f"Bearer {CANARY}"


def test_a_model_of_your_own_is_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pickle is trusted with the endpoint that it names."""
    lm = OpenAILM("m", "https://llm.example/v1")
    assert pickle.loads(pickle.dumps(lm)).describe() == lm.describe()


@pytest.mark.parametrize("place", PLACES)
def test_replies_come_as_they_are(mock: Mock, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part of a reply is altered, not even one that reads as the key does."""
    text = f"{CANARY} Bearer user content 2024-06-01"
    mock.default = sends(completion(text, model=CANARY, system_fingerprint="content"))
    got = asyncio.run(model(place, mock.url, monkeypatch).answer(ask()))
    assert (got.text, got.model, got.fingerprint) == (text, CANARY, "content")
    lm = OpenAILM("m", f"{mock.url}?api-version=2024-06-01", headers={"X-Title": "content"})
    assert asyncio.run(lm.answer(ask())).text == text


def test_only_credentials_are_redacted(mock: Mock) -> None:
    """A server's words are quoted as they are, but for the values that let one in."""
    headers = {"X-Title": "content", "X-Auth": f"Basic {CANARY}-a", "X-Session-Token": "session1"}
    lm = OpenAILM("m", f"{mock.url}?api-version=2024-06-01&sig_key=signed1", headers=headers)
    mock.default = says(f"content 2024-06-01, {CANARY}-a, session1, signed1", 401)
    with pytest.raises(AuthenticationFailed) as caught:
        asyncio.run(lm.answer(ask()))
    assert "content 2024-06-01, [redacted], [redacted], [redacted]. Check" in str(caught.value)


def test_long_keys_are_redacted_before_a_page_is_cut(mock: Mock) -> None:
    """A key at the end of what is quoted of a page is not told in part."""
    key = "sk-" + "x" * 3000
    mock.default = sends(f"<html>{key}</html>".encode())
    with pytest.raises(LMError) as caught:
        asyncio.run(OpenAILM("m", mock.url, key, retries=0).answer(ask()))
    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_the_log_has_no_query(mock: Mock, package: str, caplog: pytest.LogCaptureFixture) -> None:
    """What httpx logs of our calls has no query; what it logs of others' is as it was."""
    url = f"{mock.url}?code={CANARY}"

    async def main() -> None:
        async with pytest.importorskip(package).AsyncClient() as client:
            await OpenAILM("m", url, http_client=client).answer(ask())
            await client.post(f"{mock.url}/chat/completions?mine=1", json={})

    with caplog.at_level(logging.INFO):
        asyncio.run(main())
    logged = [record.getMessage() for record in caplog.records if record.name == package]
    assert len(logged) == 2
    assert CANARY not in caplog.text
    assert f"{mock.url}/chat/completions " in logged[0]
    assert "?mine=1" in logged[1]


@pytest.mark.parametrize(
    "url",
    [
        f"http://u:{CANARY}/x@host/v1",
        f"http://u:{CANARY}#x@host/v1",
        f"http://u:{CANARY}?x@host/v1",
        f"http://u:1/{CANARY}@host/v1",
        f"http://u:1#{CANARY}@host/v1",
        f"http://u:1?{CANARY}@host/v1",
        f"http://[{CANARY}",
        f"http://u:{CANARY}@ho\u2100st/",
        f"http://u:{CANARY}@host:port/v1",
        f"ftp://u:{CANARY}@host/v1",
    ],
)
def test_unusable_urls_are_not_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A base URL that is ambiguous or broken is refused without being shown."""
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    for given in (url, None):
        with pytest.raises(LMError, match="base_url must look like") as caught:
            OpenAILM("m", given)
        assert CANARY not in _all_that_is_told(caught.value)


def test_an_unusable_key_does_not_tell_the_url() -> None:
    """Nor the other way round: where the key is refused, the frames hold no password."""
    with pytest.raises(LMError, match="is not usable") as caught:
        OpenAILM("m", f"http://u:{CANARY}@host/v1", "a b")
    assert CANARY not in _all_that_is_told(caught.value)


def test_an_unusable_client_does_not_tell_the_key() -> None:
    """What is no client is refused before a frame holds the key as it is."""
    with pytest.raises(LMError, match="http_client= takes") as caught:
        OpenAILM("m", "http://host/v1", CANARY, object(), headers={"X-Api-Key": CANARY})
    assert CANARY not in _all_that_is_told(caught.value)


def test_a_bug_in_the_words_of_a_fault_tells_no_key(
    mock: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should the mapping of a fault fail, the client's exception is not chained to that."""

    def broken(*_: object) -> str:
        raise ZeroDivisionError(CANARY)

    monkeypatch.setattr("workbench.lm.faults.words_of", broken)
    mock.default = FAULTS["echo"]
    with pytest.raises(LMError, match="ZeroDivisionError while the workbench") as caught:
        asyncio.run(OpenAILM("m", mock.url, CANARY, retries=0).answer(ask()))
    assert caught.value.__context__ is None
    assert CANARY not in _all_that_is_told(caught.value)


def test_all_forms_of_credentials_are_redacted(mock: Mock) -> None:
    """The user's name, the word behind a scheme, and what JSON, repr or a URL make of a secret."""
    url = mock.url.replace("http://", "http://username1:pa%22ss%5Cword@")
    mock.default = says(r"username1 pa\"ss\\word pa%22ss%5Cword sk-1234567 sk-1234567-long", 400)
    headers = {"X-Upstream": "Bearer sk-1234567", "X-Api-Key": "sk-1234567-long"}
    with pytest.raises(LMError) as caught:
        asyncio.run(OpenAILM("m", url, headers=headers).answer(ask()))
    assert "HTTP 400: " + " ".join(["[redacted]"] * 5) + ". The" in str(caught.value)


@pytest.mark.parametrize("key", [f"{CANARY}\n{CANARY}", f"“{CANARY}”", f"{CANARY} 2", ""])
def test_unusable_keys_are_not_told(key: str) -> None:
    """A key with a line break, quotes or nothing in it is refused without being shown."""
    with pytest.raises(LMError, match="is not usable") as caught:
        OpenAILM("m", api_key=key)
    assert CANARY not in _all_that_is_told(caught.value)


def _all_that_is_told(error: BaseException) -> str:
    out = io.StringIO()
    link: BaseException | None = error
    while link is not None:
        out.write(f"{link!r} {link} {getattr(link, '__notes__', '')} {vars(link)}")
        link = link.__cause__ or link.__context__
    captured = traceback.TracebackException.from_exception(error, capture_locals=True)
    # The test's own frames hold the canary; those of the package and below must not.
    out.write("".join(part for part in captured.format() if "/tests/" not in part))
    return out.getvalue()
