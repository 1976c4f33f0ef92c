"""Bytes over HTTP through the openai package, which is imported only when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import AsyncIterable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from stb_env import jsontext
from stb_env.errors import ConfigError
from stb_env.jsontypes import Json, JsonMapping
from stb_env.llm.chunks import Chunks
from stb_env.llm.completion import parse
from stb_env.llm.config import OPENAI_URL, ModelConfig
from stb_env.llm.context_window import listed_window, running_window
from stb_env.llm.credentials import Credentials
from stb_env.llm.endpoint import Endpoint
from stb_env.llm.event_stream import EventStream
from stb_env.llm.failure import status_failure
from stb_env.llm.model import ModelError
from stb_env.llm.rate_limit import rest_asked
from stb_env.llm.retry import Clock, Deadline, Patience

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MAX_BODY = 64 * 2**20
CONNECT_TIMEOUT = 20.0
"""Seconds for a connection; a server that is there takes no part of a second, whatever its model takes."""

ASIDE_TIMEOUT = 5.0
"""Seconds for what is good to know but not needed."""

_EVENTS = "text/event-stream"
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}

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
        endpoint: What is known of the endpoint, and who else sends there.
    """

    def __init__(
        self, config: ModelConfig, credentials: Credentials, clock: Clock, endpoint: Endpoint
    ) -> None:
        self._config = config
        self._credentials = credentials
        self._clock = clock
        self._endpoint = endpoint

    def connect(self) -> AsyncOpenAI:
        """Return a client for one event loop.

        Raises:
            ConfigError: The openai package is not installed.
        """
        client: AsyncOpenAI = openai().AsyncOpenAI(
            api_key=self._credentials.key,
            base_url=self._config.endpoint,
            default_headers=self._credentials.headers,
            max_retries=0,
            http_client=openai().DefaultAsyncHttpxClient(event_hooks={"response": [_stay]}),
        )
        return client

    async def send(self, client: AsyncOpenAI, body: Body, deadline: Deadline) -> Json:
        """Send a request and return the completion, without secrets.

        It is streamed where the endpoint can, so that a slow answer is told from none: the time-out is for
        its first piece, another one for each further piece.

        Args:
            client: Has the connections.
            body: The request.
            deadline: When everything ends.

        Raises:
            ModelError: No completion with status 200 came in time.
        """
        if self._config.stream and self._endpoint.streams:
            try:
                return await self._within(client, {**body, **_STREAMED}, deadline)
            except ModelError as error:
                if not _cannot_stream(error):
                    raise
            self._endpoint.streams = False
        return await self._within(client, body, deadline)

    async def window(self, client: AsyncOpenAI) -> int | None:
        """Return the context window of the model, asked for once in a process; None where none is told."""
        known, model = self._endpoint.windows, self._config.model
        if model not in known:
            known[model] = await self._asked_window(client)
        return known[model]

    async def _asked_window(self, client: AsyncOpenAI) -> int | None:
        # OpenAI's own list tells none.
        if self._config.endpoint == OPENAI_URL:
            return None
        listed = listed_window(await self._get(client, "/models"), self._config.model)
        if listed is None:
            return None
        root = self._config.endpoint.removesuffix("/v1")
        return running_window(await self._get(client, f"{root}/props")) or listed

    async def _get(self, client: AsyncOpenAI, path: str) -> Json:
        try:
            return await client.get(path, cast_to=object, options={"timeout": ASIDE_TIMEOUT})
        except _http_errors():
            # Whatever it is: the question proper will say so, with a type.
            return None
        except ValueError:
            return None

    async def _within(self, client: AsyncOpenAI, body: Body, deadline: Deadline) -> Json:
        patience = Patience(deadline, self._config.timeout, self._config.chunk_timeout)
        # A failure is raised after its except block, so that it carries no other exception along.
        try:
            async with asyncio.timeout(patience.left()) as alarm:
                return await self._answer(client, body, patience, alarm)
        except TimeoutError:
            failure = late(patience.clock)
        except _http_errors() as error:
            failure = self._failure(error, patience)
        raise failure

    async def _answer(
        self, client: AsyncOpenAI, body: Body, patience: Patience, alarm: asyncio.Timeout
    ) -> Json:
        create: Any = client.chat.completions.with_streaming_response.create
        limits = openai().Timeout(patience.whole(), connect=min(CONNECT_TIMEOUT, patience.left()))
        async with create(**body, extra_body=dict(self._config.extra) or None, timeout=limits) as response:
            self._heed(response.headers)
            pieces = response.iter_bytes()
            if response.headers.get("content-type", "").startswith(_EVENTS):
                return await self._streamed(pieces, patience, alarm)
            whole = bytearray()
            async for piece in pieces:
                whole += piece
                _check_size(len(whole))
            return self._credentials.scrub(parse(bytes(whole)))

    async def _streamed(
        self, pieces: AsyncIterable[bytes], patience: Patience, alarm: asyncio.Timeout
    ) -> Json:
        events, chunks, size = EventStream(), Chunks(), 0
        async for piece in pieces:
            size += len(piece)
            _check_size(size)
            for data in events.feed(piece):
                chunks.read(data)
                patience.go_on()
                alarm.reschedule(asyncio.get_running_loop().time() + patience.left())
        for data in events.close():
            chunks.read(data)
        if not chunks.finished:
            raise _broken("the answer ended before its end")
        # Whoever counts no tokens of a stream may count those of a whole answer.
        self._endpoint.streams = chunks.counted
        return self._credentials.scrub(chunks.completion)

    async def find(self, client: AsyncOpenAI, deadline: Deadline) -> bool:
        """Ask the endpoint for its models, which costs nothing; say whether it took the key.

        Not every server has such a list, so any other refusal says as well that it is there.

        Raises:
            ModelError: Nobody answers in time.
        """
        try:
            await client.get("/models", cast_to=object, options={"timeout": max(0.001, deadline.left())})
        except _http_errors() as error:
            status = getattr(error, "status_code", None)
            if status is not None and status not in _NOBODY:
                return status not in _REFUSED
            patience = Patience(deadline, self._config.timeout, self._config.chunk_timeout)
            failure = self._failure(error, patience)
        except ValueError:
            return True
        else:
            return True
        raise failure

    async def listing(self, client: AsyncOpenAI) -> Json:
        """Return the endpoint's list of models as it came, or None where there is none."""
        return self._credentials.scrub(await self._get(client, "/models"))

    def _heed(self, headers: Mapping[str, str]) -> None:
        seconds = rest_asked(headers, self._clock.wall())
        if seconds:
            self._endpoint.limiter.hold(self._clock.monotonic() + seconds)

    def _failure(self, error: Exception, patience: Patience) -> ModelError:
        cause = error.__cause__
        if isinstance(cause, ModelError):
            return cause
        if isinstance(error, _timeouts()):
            # Its type, because there are two libraries that it may come from.
            unconnected = type(cause or error).__name__ == "ConnectTimeout"
            return late(f"connection limit of {CONNECT_TIMEOUT:g} s" if unconnected else patience.clock)
        response = getattr(error, "response", None)
        if response is None:
            return _broken(self._describe(error))
        wait = rest_asked(response.headers, self._clock.wall())
        self._heed(response.headers)
        # Parsed first: escapes inside JSON text could hide a key.
        return status_failure(response.status_code, self._credentials.scrub(_parsed(response.text)), wait)

    def _describe(self, error: Exception) -> str:
        reason = self._credentials.scrub(str(error.__cause__ or error))
        return f"{type(error.__cause__ or error).__name__}: {reason}"


def late(clock: object) -> ModelError:
    """Return the failure of an answer that did not come in time; ``clock`` names which time."""
    return ModelError(f"no answer within the {clock}", kind="timeout", retryable=True)


def _broken(what: str) -> ModelError:
    return ModelError(f"the connection failed: {what}", kind="transport", retryable=True)


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


def _check_size(size: int) -> None:
    if size > MAX_BODY:
        raise ModelError(f"the answer is longer than {MAX_BODY >> 20} MiB", kind="transport")


def _cannot_stream(failure: ModelError) -> bool:
    return not failure.retryable and failure.kind == "internal" and "stream" in str(failure).lower()


async def _stay(response: Any) -> None:
    """Refuse to be sent to another server, which would be handed the conversation and perhaps a key."""
    if not response.has_redirect_location:
        return
    here, there = response.request.url, response.request.url.join(response.headers["location"])
    if (here.scheme, here.netloc) != (there.scheme, there.netloc):
        raise ModelError(
            f"HTTP {response.status_code}: the server sends requests on to "
            f"{there.scheme}://{there.netloc.decode().rpartition('@')[2]}, which is not followed; "
            "if that is right, set base_url to it"
        )
