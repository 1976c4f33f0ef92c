"""Secrets of an endpoint: sent to that endpoint only, and cut out of every text and log."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote, urlsplit

from stb_env.core.jsontypes import Json
from stb_env.errors import ConfigError

MASK = "[key]"
# Shorter values are placeholders, and would tear holes into ordinary text.
MIN_SECRET = 4

_HEADER_SAFE = re.compile(r"[!-~]+")


class Credentials:
    """The key of one endpoint, and the user name and password that its URL carries.

    Args:
        key: The key; empty for none.
        url: The endpoint.
        more: Further secrets to cut out.
        variable: Where the key comes from, for the error.

    Attributes:
        key: The key.
        headers: What the user name and password become: a header, because HTTP clients log URLs.

    Raises:
        ConfigError: The key cannot be sent.

    Examples:
        >>> credentials = Credentials("sk-12345", "http://127.0.0.1:1/v1")
        >>> credentials, credentials.scrub({"error": "bad key sk-12345"})
        (Credentials(hidden), {'error': 'bad key [key]'})
    """

    __slots__ = ("_secrets", "_spelled", "headers", "key")

    def __init__(
        self, key: str, url: str = "", more: Iterable[str] = (), *, variable: str = "the key"
    ) -> None:
        if key and not _HEADER_SAFE.fullmatch(key):
            raise ConfigError(f"{variable} holds characters that no key has; export it again")
        self.key = key
        self.headers, secrets = _userinfo(url)
        # Longest first, so that no secret's rest stays behind where another is a part of it.
        spelled = (form for secret in (key, *secrets, *more) for form in _spellings(secret))
        self._secrets = sorted({s for s in spelled if len(s) >= MIN_SECRET}, key=len, reverse=True)
        self._spelled = [json.dumps(s, ensure_ascii=False)[1:-1].encode() for s in self._secrets]

    def __repr__(self) -> str:
        return "Credentials(hidden)"

    def scrub(self, value: object) -> Json:
        """Return a text or JSON value without any of the secrets."""
        return value if self._clean(value) else self._cut(value)

    def _clean(self, value: object) -> bool:
        # Nearly every value is, and its text is sooner looked through than its members.
        if not self._secrets:
            return True
        import orjson  # takes a while

        try:
            text = orjson.dumps(value)
        except TypeError:
            return False
        return not any(secret in text for secret in self._spelled)

    def _cut(self, value: object) -> object:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, MASK)
        elif isinstance(value, Mapping):
            return {self._cut(name): self._cut(item) for name, item in value.items()}
        elif isinstance(value, list):
            return [self._cut(item) for item in value]
        return value


def _spellings(secret: str) -> tuple[str, ...]:
    """Return how a secret can stand in text, in a URL, and in JSON inside JSON, decoded after scrubbing."""
    return secret, quoted(secret), secret.replace("/", "\\/"), json.dumps(secret)[1:-1]


def _userinfo(url: str) -> tuple[dict[str, str], list[str]]:
    parts = urlsplit(url)
    if not parts.username:
        return {}, []
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    secrets = [token, password, parts.password or "", *([] if password else [user, parts.username])]
    return {"Authorization": f"Basic {token}"}, secrets


class KeyFilter(logging.Filter):
    """Cuts secrets out of log records; HTTP libraries log URLs, and some APIs want their key there."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without the secrets."""
        text = record.getMessage()
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        record.msg, record.args = text, ()
        return True


_FILTER = KeyFilter()


def keep_from_logs(key: str) -> None:
    """Have a key cut out of what the HTTP libraries log."""
    if len(key) >= MIN_SECRET:
        _FILTER.secrets |= {key, quoted(key)}
        for library in ("httpx", "httpx2"):
            logging.getLogger(library).addFilter(_FILTER)


def quoted(text: str) -> str:
    """Return a text as it stands in a URL: nothing in it can end its place."""
    return quote(text, safe="", errors="replace")
