"""The HTTP client: connections through httpx2, which is imported when first needed."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Awaitable, Callable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import ModuleType
from typing import TYPE_CHECKING, TypedDict, TypeVar

from stb_env.core.background import wait_for
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest, broken, check_size, late
from stb_env.http.retry import Deadline

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

MAX_BODY = 16 * 2**20

CONNECT_TIMEOUT = 20.0
"""Seconds for a connection; a server that is there takes no part of a second."""
CONNECT_LIMIT = f"connection limit of {CONNECT_TIMEOUT:g} s"

_LOCAL = ("all://localhost", "all://127.0.0.1", "all://[::1]")


class HTTPClient:
    """Connections of this process, for each event loop its own; threads wait on the background loop.

    Redirects are not followed: one could lead a key to another host. Answers are streamed, so that a server
    that sends a byte now and then cannot outlast a deadline.

    Examples:
        >>> HTTPClient()
        HTTPClient()
    """

    def __init__(self) -> None:
        # Loops of several threads may begin at the same time.
        self._lock = threading.Lock()
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}

    def __repr__(self) -> str:
        return "HTTPClient()"

    def send(self, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        """Send a request and wait for the whole answer in this thread; see `asend`."""
        return wait_for(self.asend(request, deadline))

    async def asend(self, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        """Send a request and return the whole answer.

        Raises:
            HTTPFailure: None came in time.
        """

        async def read(response: httpx2.Response) -> HTTPAnswer:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                check_size(len(body), MAX_BODY)
            # Names are in lower case already.
            return HTTPAnswer(response.status_code, dict(response.headers), bytes(body))

        try:
            async with asyncio.timeout(deadline.left()):
                return await self.stream(request, deadline.left(), read, limit=deadline)
        except TimeoutError:
            failure = late(deadline)
        raise failure

    async def stream(
        self,
        request: HTTPRequest,
        seconds: float,
        read: Callable[[httpx2.Response], Awaitable[T]],
        *,
        limit: object = None,
    ) -> T:
        """Send a request and return what is read from its answer while it arrives.

        Args:
            request: The request.
            seconds: Bound on each wait for more of the answer.
            read: Reads the answer.
            limit: Names the time in the failure.

        Raises:
            HTTPFailure: The connection failed or was lost, or a wait was too long.
        """
        try:
            async with self._client().stream(**arguments(request, seconds)) as response:
                return await read(response)
        except errors() as error:
            failure = _failure(error, seconds, limit)
        # Raised out here, because the library's exceptions hold request headers.
        raise failure

    def close(self) -> None:
        """Close the connections that threads used; the next request opens new ones."""
        if self._clients:
            wait_for(self.aclose())

    async def aclose(self) -> None:
        """Close the connections that the running event loop used."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._clients:
                self._clients = {known: c for known, c in self._clients.items() if not known.is_closed()}
                self._clients[loop] = _httpx().AsyncClient(**_settings())
            return self._clients[loop]


def blocking_client() -> httpx2.Client:
    """Return a client of one thread, for downloads; whoever asks closes it."""
    client: httpx2.Client = _httpx().Client(**_settings())
    return client


class _Arguments(TypedDict):
    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    timeout: httpx2.Timeout
    follow_redirects: bool


def arguments(request: HTTPRequest, seconds: float) -> _Arguments:
    """Return the arguments of a client's ``stream``."""
    seconds = max(0.001, seconds)
    return {
        "method": request.method,
        "url": request.url,
        "headers": dict(request.headers),
        "content": request.content or None,
        "timeout": _httpx().Timeout(seconds, connect=min(CONNECT_TIMEOUT, seconds)),
        "follow_redirects": False,
    }


def _failure(error: Exception, seconds: float, limit: object) -> HTTPFailure:
    if isinstance(error, _httpx().ConnectTimeout) and seconds > CONNECT_TIMEOUT:
        return late(CONNECT_LIMIT)
    if isinstance(error, timeouts()):
        return late(f"time-out of {seconds:g} s" if limit is None else limit)
    cause: BaseException | None = error
    while cause is not None:
        # The library says "all connection attempts failed", and the system why.
        if isinstance(cause, ConnectionError) and cause.errno:
            return broken(f"{type(error).__name__}: {os.strerror(cause.errno)}")
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__
    return broken(f"{type(error).__name__}: {error}")


def errors() -> tuple[type[Exception], ...]:
    """Return what httpx2 raises where a request gets no answer to its end."""
    return _httpx().HTTPError, _httpx().InvalidURL, _httpx().StreamError


def timeouts() -> tuple[type[Exception], ...]:
    """Return those of `errors` that say that a wait was too long."""
    return (_httpx().TimeoutException,)


def _settings() -> dict[str, object]:
    return {
        # How many there may be is for the caller to say.
        "limits": _httpx().Limits(max_connections=None, max_keepalive_connections=None),
        # No cookie is kept: one episode must not change what another is answered.
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=())),
        # A proxy of the environment cannot reach what only this machine sees.
        "mounts": dict.fromkeys(_LOCAL),
    }


def _httpx() -> ModuleType:
    return importlib.import_module("httpx2")
