"""Where requests go and with what secrets; the only holder of keys."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from workbench.errors import LMError

OPENAI_URL = "https://api.openai.com/v1"
_DUMMY = "no-key"
_REDACTED = "[redacted]"
_SCHEME = re.compile(r"(basic|bearer|digest|token)\s", re.IGNORECASE)
_SECRET_NAME = re.compile("key|token|secret|auth|cookie", re.IGNORECASE)


class Endpoint:
    """An OpenAI-compatible endpoint.

    Attributes
    ----------
    url : str
        The base URL without credentials or query: fit to be shown.
    withheld : tuple of str
        What else is sent but is never shown (names of headers and of query parameters).
    has_query : bool
        Whether the base URL has a query, which no log may show.
    """

    def __init__(
        self,
        base_url: str | SecretStr | None = None,
        api_key: str | SecretStr | None = None,
        headers: Mapping[str, str | SecretStr] | None = None,
    ) -> None:
        base_url, api_key, headers = seal(base_url), seal(api_key), seal_all(headers)
        self._key = None if api_key is None else _checked(api_key)
        if base_url is None:
            base_url = SecretStr(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)
        parts = _split(base_url)
        if parts is None:
            raise LMError(
                "base_url must look like http://host:port/v1 or https://host/v1. In a name, a "
                "password or a query write / as %2F, # as %23, ? as %3F and @ as %40."
            )
        host = parts.netloc.rpartition("@")[2]
        self.url = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self.is_openai = parts.hostname == "api.openai.com"
        self.is_loopback = parts.hostname in ("127.0.0.1", "localhost", "::1")
        self.has_query = bool(parts.query)
        self._query = {name: SecretStr(value) for name, value in parse_qsl(parts.query)}
        self._headers = dict(headers)
        self.withheld = tuple(
            [f"header {name}" for name in sorted(self._headers)]
            + [f"query {name}" for name in sorted(self._query)]
        )
        self._user = seal(unquote(parts.username or ""))
        self._password = seal(unquote(parts.password or ""))
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            basic = "Basic " + base64.b64encode(pair).decode()
            self._headers["Authorization"] = SecretStr(basic)
            self.withheld += ("credentials in base_url",)

    def __repr__(self) -> str:
        return repr(vars(self).get("url"))

    @property
    def has_key(self) -> bool:
        """Whether a call has what it needs; only OpenAI's own endpoint needs a key."""
        return not self.is_openai or self._secret() is not None or "Authorization" in self._headers

    @property
    def is_yours(self) -> bool:
        """Whether the environment's key may go there even if a file of someone else names it."""
        own = os.environ.get("OPENAI_BASE_URL")
        return (
            self.url.startswith("https://api.openai.com/")
            or self.is_loopback
            or bool(own and Endpoint(own).url == self.url)
        )

    def key(self) -> str:
        """Return the key as it is sent: the argument's, the environment's, or a dummy."""
        secret = self._secret()
        return _DUMMY if secret is None else secret.get_secret_value()

    def headers(self) -> dict[str, str]:
        """Return the extra headers as they are sent."""
        return {name: value.get_secret_value() for name, value in self._headers.items()}

    def query(self) -> dict[str, object]:
        """Return the query of the base URL as it is sent."""
        return {name: value.get_secret_value() for name, value in self._query.items()}

    def redact(self, text: str) -> str:
        """Return an error's `text` without the credentials, should a server have repeated one."""
        for secret in sorted(self._credentials(), key=len, reverse=True):
            word = secret.get_secret_value()
            for form in (word, json.dumps(word)[1:-1], repr(word)[1:-1], quote(word, safe="")):
                text = text.replace(form, _REDACTED)
        return text

    def _credentials(self) -> list[SecretStr]:
        sent = {**self._query, **self._headers}
        found = [
            value
            for name, value in sent.items()
            if _SECRET_NAME.search(name) or _SCHEME.match(value.get_secret_value())
        ]
        # A server may repeat the last word alone of "Bearer ...".
        found += [SecretStr(value.get_secret_value().rpartition(" ")[2]) for value in found]
        known = (self._user, self._password, self._secret())
        found += [secret for secret in known if secret is not None]
        return [secret for secret in found if len(secret) > 5]

    def _secret(self) -> SecretStr | None:
        if self._key is not None:
            return self._key
        found = os.environ.get("OPENAI_API_KEY")
        return _checked(SecretStr(found)) if found else None


def _split(url: SecretStr | None) -> SplitResult | None:
    """Return the parts of a base URL, or None where what is in it cannot be told for sure.

    A "/", "#" or "?" in a password ends the host early: what is behind it is then no path. Nothing
    is raised, as the errors of urllib quote the URL.
    """
    try:
        parts = urlsplit(url.get_secret_value())  # type: ignore[union-attr]
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except (AttributeError, TypeError, ValueError):
        return None
    return parts if fits and "@" not in parts.path + parts.query + parts.fragment else None


def seal(secret: str | SecretStr | None) -> SecretStr | None:
    """Return `secret` as a value that does not show itself, not in the locals of a traceback."""
    return SecretStr(secret) if isinstance(secret, str) else secret


def seal_all(secrets: Mapping[str, str | SecretStr] | None) -> dict[str, SecretStr]:
    """Return `secrets` with each value sealed."""
    return {
        name: SecretStr(value) if isinstance(value, str) else value
        for name, value in (secrets or {}).items()
    }


def _checked(key: SecretStr) -> SecretStr:
    word = SecretStr(key.get_secret_value().strip())
    if not _is_word(word):
        raise LMError(
            f"the key ({len(key)} characters) is not usable: a key is one word of ASCII. "
            "Check OPENAI_API_KEY or api_key= for line breaks and quotes."
        )
    return word


def _is_word(key: SecretStr) -> bool:
    text = key.get_secret_value()
    return bool(text) and text.isascii() and text.isprintable() and " " not in text
