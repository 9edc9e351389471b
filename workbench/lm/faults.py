"""From what an endpoint did wrong to the error that says so, and what to do."""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from typing import NamedTuple
from urllib.parse import urlsplit

from workbench.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    LMError,
    MalformedReply,
    ModelNotFound,
    RateLimited,
    RequestRejected,
    ServerError,
    TimedOut,
)
from workbench.lm.request import OPTIONAL, encodable
from workbench.lm.transport import ReplyTooLong
from workbench.record.events import JSON

LONGEST_WORDS = 500
"""Characters of a server's own words that a message quotes."""

_NUMERIC = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_SETTINGS = (*OPTIONAL, "max_tokens")
_UNSUPPORTED = re.compile(
    r"unsupported|unrecogni[sz]ed|unknown|deprecated|extra inputs|extra_forbidden"
    r"|(?:not|n\\?['\u2019]t) (?:support(?!\w* more than)|permitted|allowed)"
    r"|unexpected keyword argument"
    r"|only the default|only \d[\d.]* is allowed|may only be set"
    r"|\b(?:can ?not|can\\?['\u2019]t) be set\b"
    r"(?! (?:to|at|above|below|over|under|outside|higher|lower|greater|less|more|together)\b)"
)
"""What a server says of what it does not take; an apostrophe may have come to be escaped."""
_SUPPORTED = re.compile(r"\bsupported parameters\b|\bexpected\b|\bavailable\b")
"""Before a list of what is taken."""
_CHOOSE = re.compile(r"\bboth\b|\bsupported together\b|\bone of\b")
"""Words on settings of which the caller has to choose one."""
_ABOUT_SCHEMA = ("response_format", "json_schema", "json_object", "guided_json", "grammar")


class Refusal(NamedTuple):
    """An error status that the caller may be able to deal with."""

    error: LMError
    is_filtered: bool
    """A content filter stopped the prompt (Azure): an outcome, not a fault."""
    is_about_schema: bool
    """The endpoint objects to the way it was told of a schema."""
    settings: tuple[str, ...]
    """What the endpoint does not take at all, or not with another value than its own."""


def fault_of_status(
    where: str,
    status: int,
    body: JSON,
    headers: Mapping[str, str] | None = None,
    redact: Callable[[str], str] = str,
) -> LMError:
    """Return the error for an answer with an error status.

    Parameters
    ----------
    where : str
        The ask's path, the model and the endpoint, for the message.
    status : int
        The HTTP status, or the code that the body gave in its stead.
    body : JSON
        The body, parsed where it could be.
    headers : mapping or None
        Of the response; only ``retry-after`` and ``retry-after-ms`` are read.
    redact : callable
        Takes secrets out of the server's words.
    """
    said = f"{where}: HTTP {status}: {words_of(body, redact)}"
    details = _error_of(body)
    wait = retry_after_s(headers or {})
    asks = "" if wait is None else f" The endpoint asks to wait {wait:g} s."
    if status in (401, 403):
        return AuthenticationFailed(f"{said}. Check the key: OPENAI_API_KEY, or api_key=.")
    if status == 404:
        return ModelNotFound(
            f"{said}. Check the model's name, and that base_url ends as it should (/v1)."
        )
    if status == 408:
        return TimedOut(f"{said}. Try again, or ask for less at once.")
    if status == 429:
        if "insufficient_quota" in (details.get("code"), details.get("type")):
            return RequestRejected(
                f"{said}. The account has no credit left; waiting will not help."
            )
        return RateLimited(f"{said}.{asks} Ask less often (limited(lm, per_minute=...)).", wait)
    if status >= 500:
        return ServerError(f"{said}. The fault is the endpoint's: try again later.{asks}", wait)
    if details.get("type") == "exceed_context_size_error":  # llama.cpp
        return RequestRejected(
            f"{where}: the prompt has {_number(details.get('n_prompt_tokens'))} tokens and the "
            f"limit is {_number(details.get('n_ctx'))} (prompt and reply). Shorten the prompt, or "
            "raise context."
        )
    return RequestRejected(f"{said}. The request itself was refused: trying again would not help.")


def fault_of_exception(
    where: str, error: Exception, redact: Callable[[str], str] = str, timeout_s: float = math.inf
) -> LMError | Refusal:
    """Return the error for an exception of the client; `error` itself is not kept in it.

    A bare `TimeoutError` is that the attempt as a whole took more than `timeout_s`. Nothing is
    raised, whatever the server sent: it would be chained to `error`.
    """
    if type(error) is TimeoutError:
        return TimedOut(f"{where}: no answer in {timeout_s:g} s. Raise timeout_s, or ask for less.")
    try:
        return _fault_of_exception(where, error, redact)
    except Exception as bug:
        return LMError(
            f"{where}: {type(error).__name__}, and {type(bug).__name__} while the workbench put "
            "it in words, which is a bug: please report it."
        )


def _fault_of_exception(
    where: str, error: Exception, redact: Callable[[str], str]
) -> LMError | Refusal:
    import openai

    if isinstance(error, openai.APIStatusError):
        status, body, headers = error.status_code, error.body, error.response.headers
        if status < 400:
            place = plain(redact(_host_of(headers.get("location", ""))))
            return RequestRejected(
                f"{where}: HTTP {status}: a redirect to {place} was not followed, as the key would "
                "go with it. If you trust that place, name it in base_url."
            )
        said = _shown(body).lower()
        is_invalid = status in (400, 422)
        settings = _settings(_error_of(body), said) if is_invalid else ()
        # What is listed as taken is not what is refused, where something else is.
        about = _SUPPORTED.split(said)[0] if settings else said
        is_about_schema = any(word in about for word in _ABOUT_SCHEMA)
        return Refusal(
            fault_of_status(where, status, body, headers, redact),
            is_filtered=status == 400 and _error_of(body).get("code") == "content_filter",
            is_about_schema=is_invalid and is_about_schema,
            settings=() if is_about_schema else settings,
        )
    chain = list(_chain(error))
    names = {cls.__name__ for link in chain for cls in type(link).__mro__}
    deepest = next((str(link) for link in reversed(chain) if str(link)), type(chain[-1]).__name__)
    said = f"{where}: {type(chain[-1]).__name__}: {plain(redact(deepest))}"
    # The aiohttp transport reports every lost connection as a connect timeout.
    dropped = "ClientConnectionError" in names and "ServerTimeoutError" not in names
    if isinstance(error, openai.APITimeoutError) and not dropped:
        return TimedOut(f"{said}. Raise timeout_s, or ask for less.")
    if isinstance(error, ReplyTooLong):
        return MalformedReply(f"{said}. Ask for less at once (max_tokens).")
    if "HttpProcessingError" in names and "PayloadEncodingError" not in names:
        return MalformedReply(f"{said}. That is no HTTP reply: is base_url right?")
    if "DecodingError" in names:
        return MalformedReply(f"{said}. The body does not match its Content-Encoding.")
    if isinstance(error, openai.APIConnectionError):
        advice = "Is the server running, and base_url right?"
        if "SSLError" in names or "SSLCertVerificationError" in names:
            advice = "For a CA of your own pass http_client=httpx.AsyncClient(verify=...)."
        return ConnectionFailed(f"{said}. {advice}")
    return LMError(f"{said}. The request could not be sent.")


def words_of(body: JSON, redact: Callable[[str], str] = str) -> str:
    """Return what the server said was wrong, without secrets, cut to `LONGEST_WORDS`."""
    said: object = _error_of(body).get("message")
    if not said and isinstance(body, dict):
        said = body.get("error") or body.get("message") or body.get("detail") or body
    return plain(redact(encodable(_shown(said or body or "no words"))).strip().rstrip("."))


def plain(text: str) -> str:
    """Return `text` on one line, cut to `LONGEST_WORDS`, with what is not printable written out.

    So no words of a server's can pass for another line of a log.
    """
    text, is_cut = text[:LONGEST_WORDS], len(text) > LONGEST_WORDS
    if not text.isprintable():
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text + "..." if is_cut else text


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``retry-after-ms`` or ``retry-after`` (also as a date) asks for."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            if _NUMERIC.fullmatch(value.strip()):
                seconds = float(value) * unit
            else:
                when = email.utils.parsedate_to_datetime(value)
                if when.tzinfo is None:  # -0000, or none as in C's asctime: HTTP's dates are UTC
                    when = when.replace(tzinfo=UTC)
                seconds = when.timestamp() - time.time()
        except (LookupError, OSError, OverflowError, TypeError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _settings(details: dict[str, JSON], said: str) -> tuple[str, ...]:
    """Return the settings that are said to be unsupported.

    A value that is out of its range is the caller's fault, and stays an error.
    """
    param = details.get("param")
    if not _UNSUPPORTED.search(said):
        return ()
    if isinstance(param, str) and param:
        return (param,) if param in _SETTINGS else ()
    told = _SUPPORTED.split(said)[0]
    if _CHOOSE.search(told):
        return ()
    return tuple(n for n in _SETTINGS if re.search(rf"(?<![\w-]){n}(?![\w-])", told))


def _host_of(location: str) -> str:
    try:
        return urlsplit(location).hostname or "the same host"
    except ValueError:
        return "a place that is no URL"


def _number(value: JSON) -> str:
    return plain(str(value)) if isinstance(value, int) else "?"


def _shown(value: object) -> str:
    try:
        return str(value)
    except RecursionError:
        return "words that are nested too deeply"


def _error_of(body: JSON) -> dict[str, JSON]:
    error = body.get("error", body) if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__
