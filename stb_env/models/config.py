"""Configuration of the model of a role: endpoint, sampling and limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, get_args
from urllib.parse import unquote

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, did_you_mean
from stb_env.http.credentials import Credentials
from stb_env.http.url import check_url, check_variable, keys_in_path, public_url, shown_url
from stb_env.models.providers import PROVIDERS
from stb_env.usage import Price

Structured = Literal["auto", "json_schema", "tools", "text"]
"""How replies get their form: as the endpoint can, or in one way whatever it can."""

Client = Literal["auto", "lean", "openai"]
"""What speaks HTTP: the lean client, httpx2 as OpenAI's own client has it, or the first where it will do."""

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY_ENV = "OPENAI_API_KEY"

_LINE = re.compile(r"[ -~]+")
_VERSION = re.compile(r"/v\d\w*$")

_BOUNDS: dict[str, tuple[type, float]] = {
    "temperature": (float, 0),
    "top_p": (float, 0),
    "max_tokens": (int, 1),
    "seed": (int, 0),
    "timeout": (float, 0.001),
    "chunk_timeout": (float, 0.001),
    "deadline": (float, 0.001),
    "retries": (int, 0),
    "concurrency": (int, 1),
    "context": (int, 1),
    "threads": (int, 1),
}
_OPTIONAL = frozenset({"temperature", "top_p", "max_tokens", "seed", "context", "threads"})

ANSWER_BOUNDS = frozenset({"max_tokens", "max_completion_tokens"})
"""Members of a request of which each says how many tokens its answer may have."""

DROPPED = (
    *(
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "stop",
    ),
    *("tool_choice", "response_format", "stream_options"),
)
"""Members of a request that it can do without."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One role's endpoint, model and limits.

    Attributes:
        role: Who asks: ``agent``, ``simulator``, ``judge`` or ``user``; names the stage of failures.
        model: Model name, as the endpoint knows it.
        base_url: Root of an OpenAI-compatible API.
        api_key_env: Environment variable that holds the key. Left empty it is OpenAI's usual variable at
            OpenAI's own endpoint and none anywhere else, so that a key never reaches a foreign server.
        temperature: Sampling default, as are ``top_p``, ``max_tokens`` and ``seed``; None leaves it out, and
            ``max_tokens`` to the role's share of the context window where the server tells that.
        timeout: Seconds until the first piece of an answer, or until a whole one that is not streamed. Long,
            because a local model may have to read a long prompt first.
        chunk_timeout: Seconds between two pieces of an answer that is streamed.
        deadline: Seconds that a request may take with all waiting and retries.
        retries: Attempts after the first.
        concurrency: Requests in flight at the endpoint at once, those of other roles and agents included.
        stream: Whether answers are streamed where the endpoint can.
        client: What speaks HTTP: ``lean``, ``openai`` (through httpx2, with proxies and the
            headers of OpenAI accounts), or ``auto`` for the lean one wherever it will do. No answer
            depends on it.
        price: Price of tokens, or None where it is unknown.
        extra: Members to send along in every request body.
        drop: Members to leave out of every request body, such as ``temperature`` where a model takes none.
        headers: Headers to send along; keys stand in ``api_key_env``'s variable instead.
        query: What to append to each URL, such as Azure's ``api-version``.
        provider: Provider whose own protocol is spoken, through the extra ``stb-env[providers]``:
            ``anthropic``, ``google``, ``mistral`` ...; empty for an OpenAI-compatible server.
        structured: How replies get their form: ``json_schema``, ``tools`` (one forced function), ``text``
            (words), or ``auto`` for the first of them that the endpoint has, found out by a probe.
        cache: Folder of known answers; a question that was put before costs nothing.
        record: File to which every request and reply is appended.
        replay: File of such pairs that answers in the model's place, without endpoint or key.
        local: GGUF file of a model that runs in this process, without endpoint or key; its name is that of
            the file and it costs nothing.
        context: Tokens that a local model keeps in view; None for as many as its file says.
        threads: Threads that a local model computes with; None for one per core.

    Raises:
        ConfigError: A setting is out of its range.

    Examples:
        >>> ModelConfig("agent", "tiny", base_url="http://me:secret@127.0.0.1:8000/v1")
        ModelConfig(role='agent', model='tiny', endpoint='http://127.0.0.1:8000/v1')
        >>> ModelConfig("agent", "tiny", retries=-1)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: retries of the agent model must be a whole number of at least 0, got -1
    """

    role: str
    model: str
    base_url: str = field(default=OPENAI_URL)
    api_key_env: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    timeout: float = 300.0
    chunk_timeout: float = 60.0
    deadline: float = 1800.0
    retries: int = 4
    concurrency: int = 8
    stream: bool = True
    client: Client = "auto"
    price: Price | None = None
    extra: JsonMapping = field(default_factory=dict)
    drop: Sequence[str] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    provider: str = ""
    structured: Structured = "auto"
    cache: str = ""
    record: str = ""
    replay: str = ""
    local: str = ""
    context: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.local:
            self._name_after_file()
        if not self.model or not isinstance(self.model, str):
            raise ConfigError(f"the {self.role} model needs a name, got {self.model!r}")
        check_url(f"base_url of the {self.role} model", self.base_url, "http://127.0.0.1:8000/v1")
        if set("?#") & set(self.base_url):
            raise ConfigError(
                f"base_url of the {self.role} model must end before any '?' or '#'; a key that stands behind "
                "it goes into the variable that api_key_env names, and anything else into query, as in "
                'query = { "api-version" = "2026-08-01" }'
            )
        if any(_KEY.fullmatch(unquote(part)) for part in self.base_url.split("/")):
            raise ConfigError(
                f"base_url of the {self.role} model has a key in its path, and messages and manifests tell "
                "the path; put the key into an environment variable and name that in api_key_env"
            )
        check_variable(f"api_key_env of the {self.role} model", self.api_key_env)
        for name, (kind, low) in _BOUNDS.items():
            _check_number(self.role, name, getattr(self, name), kind, low)
        if not isinstance(self.stream, bool):
            raise ConfigError(f"stream of the {self.role} model must be true or false, got {self.stream!r}")
        for name in ("cache", "record", "replay", "local"):
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"{name} of the {self.role} model must be a path")
        if self.replay and (self.cache or self.record):
            raise ConfigError(f"the {self.role} model is replayed; leave out cache and record")
        if self.structured not in get_args(Structured):
            ways = ", ".join(get_args(Structured))
            raise ConfigError(
                f"structured of the {self.role} model must be one of {ways}, got {self.structured!r}"
            )
        if self.client not in get_args(Client):
            kinds = ", ".join(get_args(Client))
            raise ConfigError(f"client of the {self.role} model must be one of {kinds}, got {self.client!r}")
        self._check_tables()
        if self.provider:
            self._take_provider()

    def _check_tables(self) -> None:
        for name in ("extra", "headers", "query"):
            table = getattr(self, name)
            if not isinstance(table, Mapping):
                raise ConfigError(
                    f"{name} of the {self.role} model must be a table, got {type(table).__name__}"
                )
            for member in _secrets_of(table):
                raise ConfigError(
                    f"{name} of the {self.role} model has {member!r}, and manifests tell what {name} holds; "
                    f"put the key into an environment variable and name that in api_key_env"
                )
        for name in ("headers", "query"):
            for member, text in getattr(self, name).items():
                if not isinstance(text, str) or not _LINE.fullmatch(f"{member}{text}"):
                    raise ConfigError(
                        f"{member!r} in {name} of the {self.role} model must be one line of ASCII text, "
                        f"got {text!r}"
                    )
        if isinstance(self.drop, str) or not all(isinstance(name, str) for name in self.drop):
            raise ConfigError(
                f'drop of the {self.role} model must be a list of names such as ["temperature"], '
                f"got {self.drop!r}"
            )
        for name in self.drop:
            if name not in (*DROPPED, *self.extra):
                raise ConfigError(
                    f"drop of the {self.role} model has {name!r}, and can have {', '.join(DROPPED)}."
                    f"{did_you_mean(name, DROPPED)}"
                )
        object.__setattr__(self, "drop", tuple(self.drop))

    def _take_provider(self) -> None:
        known = PROVIDERS.get(self.provider)
        if known is None:
            raise ConfigError(
                f"no provider {self.provider!r}; the {self.role} model can have {', '.join(PROVIDERS)}, or "
                "leave provider out for an OpenAI-compatible server."
                f"{did_you_mean(self.provider, PROVIDERS)}"
            )
        for name, default in (("local", ""), ("client", "auto")):
            if getattr(self, name) != default:
                raise ConfigError(
                    f"the {self.role} model has provider = {self.provider!r} and {name}; leave one out"
                )
        if self.base_url == OPENAI_URL:
            if not known.url:
                raise ConfigError(
                    f"the {self.role} model of {self.provider} needs base_url, such as {known.example}"
                )
            object.__setattr__(self, "base_url", known.url)
        root = _VERSION.sub("", self.endpoint)
        if known.versioned and root != self.endpoint:
            raise ConfigError(
                f"base_url of the {self.role} model is {shown_url(self.endpoint)}, and each request to "
                f"{self.provider} adds its version by itself; give {shown_url(root)}"
            )
        if not self.api_key_env:
            object.__setattr__(self, "api_key_env", known.key)

    def _name_after_file(self) -> None:
        object.__setattr__(self, "model", PurePath(self.local).name)
        if self.price is None:
            object.__setattr__(self, "price", Price(prompt=0.0, completion=0.0))

    def __repr__(self) -> str:
        if self.local:
            return f"ModelConfig(role={self.role!r}, local={self.model!r})"
        return f"ModelConfig(role={self.role!r}, model={self.model!r}, endpoint={shown_url(self.endpoint)!r})"

    @property
    def endpoint(self) -> str:
        """The base URL without a user name or password, for messages and keys of caches."""
        return public_url(self.base_url).rstrip("/")

    @property
    def key_variable(self) -> str:
        """Name of the environment variable that holds the key; empty where none is needed."""
        if self.local:
            return ""
        return self.api_key_env or (OPENAI_KEY_ENV if self.endpoint == OPENAI_URL else "")

    def credentials(self, env: Mapping[str, str]) -> Credentials:
        """Return the key, as environment variables have it, and what else opens the endpoint.

        Raises:
            ConfigError: OpenAI's own endpoint is configured without a key, or the key cannot be sent.
        """
        key = env.get(self.key_variable, "").strip() if self.key_variable else ""
        if not key and self.needs_key:
            raise ConfigError(
                f"the {self.role} model needs a key: set {self.key_variable}, "
                "or give base_url a local server that needs none"
            )
        return Credentials(key, self.base_url, keys_in_path(self.base_url), variable=self.key_variable)

    @property
    def needs_key(self) -> bool:
        """True at the endpoints of OpenAI and of the provider, which answer nobody without a key."""
        known = PROVIDERS.get(self.provider)
        return self.endpoint == (OPENAI_URL if known is None else known.url)

    @property
    def bounded(self) -> bool:
        """True if it limits the tokens of an answer.

        Examples:
            >>> ModelConfig("agent", "tiny", extra={"max_completion_tokens": 512}).bounded
            True
        """
        return self.max_tokens is not None or not ANSWER_BOUNDS.isdisjoint(self.extra)

    def to_dict(self) -> dict[str, object]:
        """Return what decides the answers, as plain data without secrets, for manifests and cache keys."""
        data = {
            "model": self.model,
            "endpoint": None if self.local else self.endpoint,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "context": self.context,
            "extra": dict(self.extra),
            "drop": list(self.drop),
            "headers": dict(self.headers),
            "query": dict(self.query),
            "provider": self.provider or None,
            "structured": self.structured if self.structured != "auto" else None,
        }
        return {name: value for name, value in data.items() if value is not None and value not in ({}, [])}


# A `prompt_cache_key` opens nothing.
_SECRET = re.compile(
    r"(?:api|access|secret|private)[_-]?key|(?<!cache)(?<!cache[_-])key$|token$|secret|passw|pwd$|authorization"
    r"|(?:^|[_-])auth$|bearer|cookie|credential|session[_-]?id|signature|^(?:sig|code|jwt)$",
    re.I,
)
"""Names of what is secret; ``max_tokens`` and the like are none."""
_KEY = re.compile(r"(?:bearer\s+|sk-)\S{8,}", re.I)
"""Texts that are keys, whatever they are called."""


def _secrets_of(table: object) -> Iterator[str]:
    """Yield the names in a table, and in what stands in it, whose values look like secrets."""
    if isinstance(table, list | tuple):
        for item in table:
            yield from _secrets_of(item)
    if not isinstance(table, Mapping):
        return
    for name, value in table.items():
        if isinstance(value, str) and (_SECRET.search(name) or _KEY.fullmatch(value)):
            yield name
        else:
            yield from _secrets_of(value)


def available(config: ModelConfig, env: Mapping[str, str] = os.environ) -> bool:
    """Return whether a role can be used: with its key, at another endpoint than OpenAI's, or with none.

    Examples:
        >>> available(ModelConfig("agent", "tiny"), env={})
        False
        >>> available(ModelConfig("agent", "tiny", base_url="http://127.0.0.1:8000/v1"), env={})
        True
    """
    here = bool(config.replay or config.local)
    return here or bool(env.get(config.key_variable)) or not config.needs_key


def _check_number(role: str, name: str, value: object, kind: type, low: float) -> None:
    if value is None and name in _OPTIONAL:
        return
    accepted = (int, float) if kind is float else (int,)
    # The comparison is written so that NaN fails it.
    if isinstance(value, bool) or not isinstance(value, accepted) or not low <= value < float("inf"):
        noun = "number" if kind is float else "whole number"
        raise ConfigError(f"{name} of the {role} model must be a {noun} of at least {low:g}, got {value!r}")
