"""Bytes over HTTP through the openai package, which is imported only when it is first needed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import AsyncIterable, Iterable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from stb_env import jsontext
from stb_env.errors import ConfigError
from stb_env.jsontypes import Json, JsonMapping, JsonObject
from stb_env.llm.config import ModelConfig
from stb_env.llm.credentials import Credentials
from stb_env.llm.failure import status_failure
from stb_env.llm.model import ModelError
from stb_env.llm.retry import Clock, Deadline, retry_after

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

MAX_BODY = 64 * 2**20

# What a gateway says when there is nobody behind it, and a server that is still loading its model.
_NOBODY = frozenset({502, 503, 504})
_REFUSED = frozenset({401, 403})

Body = JsonMapping


class Transport:
    """Sends chat completions to one endpoint and returns what comes, or a typed failure.

    The failures quote servers, but never a secret, and carry no exception of the HTTP library along:
    those hold request headers.

    Args:
        config: Names the endpoint.
        credentials: Opens it.
        clock: Tells the time.
    """

    def __init__(self, config: ModelConfig, credentials: Credentials, clock: Clock) -> None:
        self._config = config
        self._credentials = credentials
        self._clock = clock

    def connect(self) -> OpenAI:
        """Return a client for threads.

        Raises:
            ConfigError: The openai package is not installed.
        """
        client: OpenAI = openai().OpenAI(**self._settings())
        return client

    def aconnect(self) -> AsyncOpenAI:
        """Return a client for one event loop.

        Raises:
            ConfigError: The openai package is not installed.
        """
        client: AsyncOpenAI = openai().AsyncOpenAI(**self._settings())
        return client

    def send(self, client: OpenAI, body: Body, deadline: Deadline) -> bytes:
        """Send a request and return the response body.

        Raises:
            ModelError: No answer with status 200 came in time.
        """
        try:
            with self._create(client, body, deadline) as response:
                return _collect(response.iter_bytes(), deadline)
        except _http_errors() as error:
            failure = self._failure(error, deadline)
        raise failure

    async def asend(self, client: AsyncOpenAI, body: Body, deadline: Deadline) -> bytes:
        """Send a request without blocking the event loop and return the response body.

        Raises:
            ModelError: No answer with status 200 came in time.
        """
        try:
            async with self._create(client, body, deadline) as response:
                return await _acollect(response.iter_bytes(), deadline)
        except _http_errors() as error:
            failure = self._failure(error, deadline)
        raise failure

    def find(self, client: OpenAI, deadline: Deadline) -> bool:
        """Ask the endpoint for its models, which costs nothing; say whether it took the key.

        Not every server has such a list, so any other refusal says as well that it is there.

        Raises:
            ModelError: Nobody answers in time.
        """
        try:
            client.models.with_raw_response.list(timeout=max(0.001, deadline.left()))
        except _http_errors() as error:
            status = getattr(error, "status_code", None)
            if status is not None and status not in _NOBODY:
                return status not in _REFUSED
            failure = self._failure(error, deadline)
        else:
            return True
        raise failure

    def listing(self, client: OpenAI) -> Json:
        """Return the endpoint's list of models as it came, or None where there is none."""
        try:
            return self._credentials.scrub(client.get("/models", cast_to=object))
        except _http_errors():
            return None

    def _settings(self) -> JsonObject:
        return {
            "api_key": self._credentials.key,
            "base_url": self._config.endpoint,
            "default_headers": self._credentials.headers,
            "max_retries": 0,
        }

    def _create(self, client: OpenAI | AsyncOpenAI, body: Body, deadline: Deadline) -> Any:
        # Streamed, so that an endpoint which sends a byte now and then cannot outlast the deadline.
        create = client.chat.completions.with_streaming_response.create
        return create(
            **body, extra_body=dict(self._config.extra) or None, timeout=max(0.001, deadline.left())
        )

    def _failure(self, error: Exception, deadline: Deadline) -> ModelError:
        if isinstance(error, _timeouts()):
            return late(deadline)
        response = getattr(error, "response", None)
        if response is None:
            return ModelError(self._describe(error), kind="transport", retryable=True)
        wait = retry_after(response.headers, self._clock.wall())
        # Parsed first: escapes inside JSON text could hide a key.
        return status_failure(response.status_code, self._credentials.scrub(_parsed(response.text)), wait)

    def _describe(self, error: Exception) -> str:
        reason = self._credentials.scrub(str(error.__cause__ or error))
        return f"the connection failed: {type(error.__cause__ or error).__name__}: {reason}"


def late(deadline: Deadline) -> ModelError:
    """Return the failure of an answer that did not come in time."""
    return ModelError(f"no answer within the {deadline}", kind="timeout", retryable=True)


def openai() -> ModuleType:
    """Return the openai package.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise ConfigError("models need the openai package: pip install 'openai>=1.40'") from error


@cache
def _http_errors() -> tuple[type[Exception], ...]:
    # Errors while a body is read come unwrapped, from httpx up to openai 2 and from httpx2 since openai 3.
    return (openai().OpenAIError, *(library.HTTPError for library in _libraries()))


@cache
def _timeouts() -> tuple[type[Exception], ...]:
    return (openai().APITimeoutError, *(library.TimeoutException for library in _libraries()))


def _parsed(text: str) -> Json:
    try:
        return jsontext.loads(text)
    except ValueError:
        return text


def _libraries() -> list[ModuleType]:
    return [importlib.import_module(name) for name in ("httpx", "httpx2") if importlib.util.find_spec(name)]


def _collect(chunks: Iterable[bytes], deadline: Deadline) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        _check(body, deadline)
    return bytes(body)


async def _acollect(chunks: AsyncIterable[bytes], deadline: Deadline) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        _check(body, deadline)
    return bytes(body)


def _check(body: bytearray, deadline: Deadline) -> None:
    if len(body) > MAX_BODY:
        raise ModelError(f"the answer is longer than {MAX_BODY >> 20} MiB", kind="transport")
    if not deadline.left():
        raise late(deadline)
