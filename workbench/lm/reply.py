"""From the body of a chat completion to an `Answered`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from workbench.errors import LMError, MalformedReply
from workbench.lm.faults import fault_of_status, words_of
from workbench.lm.request import encodable
from workbench.lm.transport import LONGEST_REPLY
from workbench.record.events import JSON, UNSAID, Answered


def parse(where: str, data: bytes, redact: Callable[[str], str] = str) -> dict[str, JSON] | LMError:
    """Return the completion in `data` as it is, or the error that `data` amounts to.

    That is a `MalformedReply` if it is cut short, is not JSON or holds no choice with a message,
    and another one if it is an error that was sent with status 200, as some gateways do. `redact`
    takes secrets out of what the error quotes. It is not raised here: these frames hold the reply.
    """
    if len(data) > LONGEST_REPLY:
        return MalformedReply(
            f"{where}: the reply of {len(data)} bytes is longer than {LONGEST_REPLY}. Ask for less "
            "at once (max_tokens)."
        )
    try:
        completion = json.loads(data)
    except (ValueError, RecursionError) as error:
        start = redact(data.decode(errors="replace"))[:80]
        return MalformedReply(
            f"{where}: the reply of {len(data)} bytes is not JSON ({error}); it starts {start!r}. "
            "A cut reply is worth another try; a web page means a wrong base_url (/v1 missing?)."
        )
    if isinstance(completion, dict):
        choices = completion.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            message = choices[0].get("message")
            if isinstance(message, dict):
                if isinstance(message.get("content"), str | list | None):
                    return completion
                return MalformedReply(
                    f"{where}: the content of the reply is neither text nor parts: "
                    f"{words_of(completion, redact)}. Try again."
                )
        elif "error" in completion:
            return _error_in_200(where, completion, redact)
    return MalformedReply(
        f"{where}: the reply holds no choice with a message: {words_of(completion, redact)}. "
        "Try again."
    )


def answered_from(
    path: str,
    completion: dict[str, JSON],
    cost_usd: Callable[[int | None, int | None, int | None], float | None],
    *,
    latency_s: float,
    attempts: int = 1,
    unsent: tuple[str, ...] = (),
) -> Answered:
    """Return the first choice of `completion` as the answer at `path`.

    `cost_usd` gives the price of tokens read, written and cached.
    """
    choice = completion["choices"][0]
    message = choice["message"]
    refusal = message.get("refusal")
    text = message.get("content")
    finish_reason = choice.get("finish_reason")
    if isinstance(refusal, str) and refusal and not text:
        text, finish_reason = refusal, "refusal"
    elif isinstance(text, list):
        texts = [part.get("text") for part in text if isinstance(part, dict)]
        text = "".join(one for one in texts if isinstance(one, str))
    usage = completion.get("usage")
    if not isinstance(usage, dict):
        usage = {}
    tokens_in = _count(usage.get("prompt_tokens"))
    tokens_out = _count(usage.get("completion_tokens"))
    tokens_cached = _cached(usage, completion.get("timings"))
    return Answered(
        path=path,
        text=encodable(text) if isinstance(text, str) else "",
        finish_reason=_text(finish_reason) or UNSAID,
        model=_text(completion.get("model")),
        fingerprint=_text(completion.get("system_fingerprint")),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=tokens_cached,
        cost_usd=cost_usd(tokens_in, tokens_out, tokens_cached),
        latency_s=latency_s,
        attempts=attempts,
        at=time.time(),
        unsent=unsent or None,
    )


def _cached(usage: dict[str, JSON], timings: JSON) -> int | None:
    details = usage.get("prompt_tokens_details")
    if isinstance(details, dict) and "cached_tokens" in details:
        return _count(details["cached_tokens"])
    return _count(timings.get("cache_n")) if isinstance(timings, dict) else None  # llama.cpp


def _count(value: JSON) -> int | None:
    return value if type(value) is int and 0 <= value < 2**53 else None


def _text(value: JSON) -> str | None:
    return encodable(value) if isinstance(value, str) else None


def _error_in_200(where: str, completion: dict[str, JSON], redact: Callable[[str], str]) -> LMError:
    error = completion["error"]
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return fault_of_status(where, code, completion, redact=redact)
    return MalformedReply(
        f"{where}: an error was sent as a reply: {words_of(completion, redact)}. Try again."
    )
