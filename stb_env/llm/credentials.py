"""An endpoint's secrets: read once, sent to that endpoint only, and cut out of every text."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from stb_env.errors import ConfigError
from stb_env.jsontypes import Json
from stb_env.llm.config import OPENAI_URL, ModelConfig

MASK = "[key]"
# Local servers want a header but no key.
NO_KEY = "EMPTY"
# Shorter values are placeholders, and would tear holes into ordinary text.
MIN_SECRET = 4

_HEADER_SAFE = re.compile(r"[!-~]+")


class Credentials:
    """Key and headers for one endpoint.

    Args:
        config: Names the variable that holds the key; its base URL may carry a user name and password.
        env: Environment variables.
        more: Further secrets to cut out.

    Raises:
        ConfigError: OpenAI's own endpoint is configured without a key, or the key cannot be sent.

    Examples:
        >>> config = ModelConfig("judge", "m", base_url="http://127.0.0.1:1/v1", api_key_env="MY_KEY")
        >>> credentials = Credentials(config, {"MY_KEY": "sk-12345"})
        >>> credentials, credentials.scrub({"error": "bad key sk-12345"})
        (Credentials(hidden), {'error': 'bad key [key]'})
    """

    __slots__ = ("_secrets", "_spelled", "headers", "key")

    def __init__(self, config: ModelConfig, env: Mapping[str, str], more: Iterable[str] = ()) -> None:
        key = env.get(config.key_variable, "").strip() if config.key_variable else ""
        if not key and config.endpoint == OPENAI_URL:
            raise ConfigError(
                f"the {config.role} model needs a key: set {config.key_variable}, "
                "or give base_url a local server that needs none"
            )
        if key and not _HEADER_SAFE.fullmatch(key):
            raise ConfigError(f"{config.key_variable} holds characters that no key has; export it again")
        self.key = key or NO_KEY
        self.headers, secrets = _userinfo(config.base_url)
        # Longest first, so that no secret's rest stays behind where another is a part of it.
        spelled = (form for secret in (key, *secrets, *more) for form in _spellings(secret))
        self._secrets = sorted({s for s in spelled if len(s) >= MIN_SECRET}, key=len, reverse=True)
        self._spelled = [json.dumps(s, ensure_ascii=False)[1:-1].encode() for s in self._secrets]

    def __repr__(self) -> str:
        return "Credentials(hidden)"

    def scrub(self, value: Json) -> Json:
        """Return a text or JSON value without any of the secrets."""
        return value if self._clean(value) else self._cut(value)

    def _clean(self, value: Json) -> bool:
        # Nearly every value is, and its text is sooner looked through than its members.
        if not self._secrets:
            return True
        import orjson  # takes a while

        try:
            text = orjson.dumps(value)
        except TypeError:
            return False
        return not any(secret in text for secret in self._spelled)

    def _cut(self, value: Json) -> Json:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, MASK)
        elif isinstance(value, Mapping):
            return {self._cut(name): self._cut(item) for name, item in value.items()}
        elif isinstance(value, list):
            return [self._cut(item) for item in value]
        return value


def _spellings(secret: str) -> tuple[str, ...]:
    """Return how a secret can stand in text and in JSON inside JSON, which is decoded after scrubbing."""
    return secret, secret.replace("/", "\\/"), json.dumps(secret)[1:-1]


def _userinfo(url: str) -> tuple[dict[str, str], list[str]]:
    parts = urlsplit(url)
    if not parts.username:
        return {}, []
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    # A header instead of the URL, because HTTP clients log URLs.
    secrets = [token, password, parts.password or "", *([] if password else [user, parts.username])]
    return {"Authorization": f"Basic {token}"}, secrets
