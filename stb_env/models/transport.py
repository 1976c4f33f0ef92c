"""Chat completions over a wire: streaming, time-outs, and a typed failure for whatever goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from stb_env.core import jsontext
from stb_env.http.credentials import Credentials
from stb_env.http.exchange import HTTPFailure, broken, check_size, late
from stb_env.http.httpx_wire import HTTPXWire
from stb_env.http.rate_limit import rest_asked
from stb_env.http.retry import Clock, Deadline, Patience
from stb_env.http.wire import Response, Wire
from stb_env.models.chunks import Chunks, EventStream
from stb_env.models.completion import parse, wrong_call
from stb_env.models.config import OPENAI_URL, ModelConfig
from stb_env.models.context_window import listed_window, running_window
from stb_env.models.endpoint import Endpoint
from stb_env.models.failure import refuses_key, status_failure, told_failure
from stb_env.models.model import ModelError
from stb_env.models.request_body import encoded
from stb_env.models.wire_choice import account_headers, chosen, on_azure

MAX_BODY = 64 * 2**20

ASIDE_TIMEOUT = 5.0
"""Seconds for what is good to know but not needed."""

_EVENTS = "text/event-stream"
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}

# What a gateway says when there is nobody behind it, and a server that is still loading its model.
_NOBODY = frozenset({502, 503, 504})


class Closable(Protocol):
    """Connections of one event loop."""

    async def aclose(self) -> None:
        """Close those that nobody uses."""
        ...


class ModelTransport(Protocol):
    """Sends chat completions to one endpoint: `Transport`, or `ProviderTransport` with the same methods.

    Attributes:
        thinking: Tokens of which a provider wants to know that an answer's bound leaves room for them.
    """

    thinking: int

    def connect(self) -> Closable:
        """Return connections for the running event loop."""
        ...

    async def send(self, wire: Any, body: Mapping[str, object], deadline: Deadline) -> object:
        """Send a request and return the completion."""
        ...

    async def window(self, wire: Any) -> int | None:
        """Return the context window that bounds answers; None where none is told."""
        ...

    async def find(self, wire: Any, deadline: Deadline) -> bool:
        """Ask the endpoint whether it is there; say whether it took the key."""
        ...

    async def context(self, wire: Any) -> int | None:
        """Return how many tokens the model reads, as far as that is told."""
        ...


def transport_of(
    config: ModelConfig, credentials: Credentials, clock: Clock, endpoint: Endpoint
) -> ModelTransport:
    """Return the transport that a configuration means: the provider's protocol, or OpenAI's.

    Args:
        config: Names the endpoint, and perhaps a provider.
        credentials: Opens it.
        clock: Tells the time.
        endpoint: What is known of the endpoint, and who else sends there.

    Raises:
        ConfigError: A provider is named, and the extra ``providers`` is not installed.
    """
    if not config.provider:
        return Transport(config, credentials, clock, endpoint)
    from stb_env.models.provider_transport import ProviderTransport  # takes seconds

    return ProviderTransport(config, credentials, clock, endpoint)


class Transport:
    """Sends chat completions to one endpoint and returns what comes, or a typed failure.

    The failures quote servers, but never a secret, and carry no exception of a wire along.

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
        self.thinking = 0
        self._asking: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def connect(self) -> Wire:
        """Return a wire for the running event loop, of the kind that is configured."""
        key = self._credentials.key or "EMPTY"
        headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": "stb-env",
            # Local servers want a header but no key.
            "Authorization": f"Bearer {key}",
            **({"api-key": key} if on_azure(self._config) else {}),
            **self._credentials.headers,
            **self._config.headers,
        }
        if chosen(self._config) == "openai":
            return HTTPXWire(self._config.endpoint, {**account_headers(self._config, key), **headers})
        # It takes a while to import, and may never be needed.
        from stb_env.http.lean_wire import LeanWire

        return LeanWire(self._config.endpoint, headers, self._endpoint.pool)

    async def send(self, wire: Wire, body: Mapping[str, object], deadline: Deadline) -> object:
        """Send a request and return the completion, without secrets.

        It is streamed where the endpoint can, so that a slow answer is told from none: the time-out is for
        its first piece, another one for each further piece.

        Args:
            wire: Has the connections.
            body: The request.
            deadline: When everything ends.

        Raises:
            ModelError: No completion with status 200 came in time.
        """
        streamed = self._config.stream and self._endpoint.streams
        asked = {**body, **(_STREAMED if streamed else {}), **self._config.extra}
        for name in self._config.drop:
            asked.pop(name, None)
        patience = Patience(deadline, self._config.timeout, self._config.chunk_timeout)
        # A failure is raised after its except block, so that it carries no other exception along.
        try:
            read = partial(self._completion, patience)
            return await wire.post(self._path("/chat/completions"), encoded(asked), patience, read)
        except TimeoutError:
            failure: ModelError | None = self._failed(late(patience.clock))
        except HTTPFailure as error:
            failure = self._failed(error)
        except ModelError as error:
            if not streamed or not _cannot_stream(error):
                raise
            failure = None
        if failure is not None:
            raise failure
        self._endpoint.streams = False
        return await self.send(wire, body, deadline)

    async def window(self, wire: Wire) -> int | None:
        """Return the context window of the model, asked for once in a process; None where none is told."""
        known, model = self._endpoint.windows, self._config.model
        if model not in known:
            # Of a thousand first requests one asks.
            async with self._asking.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                if model not in known:
                    known[model] = await self._asked_window(wire)
        return known[model]

    async def _asked_window(self, wire: Wire) -> int | None:
        # OpenAI's own list tells none.
        if self._config.endpoint == OPENAI_URL:
            return None
        listed = listed_window(await self._get(wire, self._path("/models")), self._config.model)
        if listed is None:
            return None
        root = self._config.endpoint.removesuffix("/v1")
        return running_window(await self._get(wire, f"{root}/props")) or listed

    def _path(self, path: str) -> str:
        return f"{path}?{urlencode(self._config.query)}" if self._config.query else path

    async def _get(self, wire: Wire, url: str) -> object:
        try:
            return await wire.get(url, ASIDE_TIMEOUT, self._parsed)
        except (HTTPFailure, ModelError, TimeoutError):
            # Whatever it is: the question proper will say so, with a type.
            return None

    async def find(self, wire: Wire, deadline: Deadline) -> bool:
        """Ask the endpoint for its models, which costs nothing; say whether it took the key.

        Not every server has such a list, so any other refusal says as well that it is there.

        Raises:
            ModelError: Nobody answers in time.
        """
        try:
            await wire.get(self._path("/models"), max(0.001, deadline.left()), self._parsed)
        except TimeoutError:
            failure = self._failed(late(deadline))
        except HTTPFailure as error:
            failure = self._failed(error)
        except ModelError as error:
            if error.status is None or error.status in _NOBODY:
                raise
            return not refuses_key(error)
        else:
            return True
        raise failure

    async def context(self, wire: Wire) -> int | None:
        """Return how many tokens the model reads, asked anew; None where the server does not tell."""
        self._endpoint.windows.pop(self._config.model, None)
        return await self.window(wire)

    async def _completion(self, patience: Patience, response: Response) -> object:
        """Read a chat completion, whole or streamed, without secrets.

        Args:
            patience: Told of every piece.
            response: The answer as it begins to arrive.

        Raises:
            ModelError: It is none, or a refusal.
        """
        if not 200 <= response.status < 300:
            said = await self._read(response)
            wrong = wrong_call(said)
            if wrong is None:
                raise self._refusal(response, said)
            return wrong
        rest = self._heed(response.headers)
        if response.headers.get("content-type", "").lower().startswith(_EVENTS):
            return await self._streamed(response.pieces, patience, rest)
        return self._told(parse(await _whole(response)), rest)

    async def _streamed(self, pieces: AsyncIterable[bytes], patience: Patience, rest: float | None) -> object:
        events, chunks, size = EventStream(), Chunks(), 0
        async for piece in pieces:
            size += len(piece)
            check_size(size, MAX_BODY)
            for data in events.feed(piece):
                chunks.read(data)
                patience.go_on()
        for data in events.close():
            chunks.read(data)
        if not chunks.finished:
            raise broken("the answer ended before its end")
        completion = self._told(chunks.completion, rest)
        # Whoever counts no tokens of a stream may count those of a whole answer.
        self._endpoint.streams = chunks.counted
        return completion

    def _told(self, answer: object, rest: float | None) -> object:
        said = self._credentials.scrub(answer)
        wrong = wrong_call(said)
        if wrong is not None:
            return wrong
        failure = told_failure(said, rest)
        if failure is not None:
            raise failure
        return said

    async def _parsed(self, response: Response) -> object:
        said = await self._read(response)
        if not 200 <= response.status < 300:
            raise self._refusal(response, said)
        return said

    async def _read(self, response: Response) -> object:
        # Parsed first: escapes inside JSON text could hide a key.
        return self._credentials.scrub(_value(await _whole(response)))

    def _refusal(self, response: Response, said: object) -> ModelError:
        return status_failure(response.status, said, self._heed(response.headers))

    def _heed(self, headers: Mapping[str, str]) -> float | None:
        """Return the seconds that an endpoint wants to be left alone, and leave it alone."""
        seconds = rest_asked(headers, self._clock.wall())
        if seconds:
            self._endpoint.limiter.hold(self._clock.monotonic() + seconds)
        return seconds

    def _failed(self, error: HTTPFailure) -> ModelError:
        said = str(self._credentials.scrub(str(error)))
        return ModelError(said, kind=error.kind, retryable=error.retryable, status=error.status_code)


async def _whole(response: Response) -> bytes:
    whole = response.whole()
    if whole is not None:
        check_size(len(whole), MAX_BODY)
        return whole
    pieces: list[bytes] = []
    size = 0
    async for piece in response.pieces:
        pieces.append(piece)
        size += len(piece)
        check_size(size, MAX_BODY)
    return b"".join(pieces)


def _value(body: bytes) -> object:
    """Return what a body says: as JSON where it is that, else as text."""
    text = body.decode(errors="replace")
    try:
        return jsontext.loads(text)
    except ValueError:
        return text


def _cannot_stream(failure: ModelError) -> bool:
    return not failure.retryable and failure.kind == "internal" and "stream" in str(failure).lower()
