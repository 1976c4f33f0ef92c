"""One HTTP exchange through httpx2, which is imported when first needed."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import ModuleType
from typing import TYPE_CHECKING, TypedDict

from stb_env.errors import BackendError, FailureKind
from stb_env.llm.retry import Clock, Deadline, retry_after

if TYPE_CHECKING:
    import httpx2

MAX_BODY = 16 * 2**20

_RETRIED = frozenset({408, 409, 425, 429})


class HTTPFailure(BackendError):
    """An exchange gave no usable answer.

    Args:
        message: What happened, without secrets.
        kind: Class of the failure.
        retryable: Whether the same request may succeed later.
        status_code: HTTP status, where one came.
        wait: Seconds that the server asks to wait, where it does.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind = "transport",
        retryable: bool = False,
        status_code: int | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(message, kind=kind, stage="real", retryable=retryable, status_code=status_code)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class HTTPRequest:
    """What is sent. URL and headers may hold a key, so they show in no repr."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """What came back; header names are in lower case. ``injected`` where a fault made it or changed it."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    injected: bool = False

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    def failure(self, said: str, clock: Clock) -> HTTPFailure:
        """Return the failure that the status means.

        Args:
            said: What to add to the message, without secrets.
            clock: Tells the time.

        Examples:
            >>> failure = HTTPAnswer(429, {"retry-after": "7"}).failure(": slow down", Clock())
            >>> failure.kind, failure.wait, str(failure)
            ('rate_limit', 7.0, 'HTTP 429: slow down')
        """
        retryable = self.status in _RETRIED or self.status >= 500
        return HTTPFailure(
            f"HTTP {self.status}{said}",
            kind=_kind(self.status, retryable),
            retryable=retryable,
            status_code=self.status,
            wait=retry_after(self.headers, clock.wall()),
        )


_LOCAL = ("all://localhost", "all://127.0.0.1", "all://[::1]")


class HTTPClient:
    """Connections of this process: one client for its threads and one for each event loop.

    Examples:
        >>> HTTPClient()
        HTTPClient()
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._owner = 0
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}

    def __repr__(self) -> str:
        return "HTTPClient()"

    def send(self, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        """Send a request and wait for the whole answer.

        Raises:
            HTTPFailure: None came in time.
        """
        # Streamed, so that a server which sends a byte now and then cannot outlast the deadline.
        stream = self._sync_client().stream(**_sent(request, deadline))
        try:
            with stream as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    _check(body, deadline)
                return HTTPAnswer(response.status_code, _lower(response.headers), bytes(body))
        except _errors() as error:
            failure = _failure(error, deadline)
        # Raised out here, because the library's exceptions hold request headers.
        raise failure

    async def asend(self, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        """Send a request without blocking the event loop; see `send`."""
        stream = self._async_client().stream(**_sent(request, deadline))
        try:
            async with asyncio.timeout(deadline.left()), stream as response:
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    _check(body, deadline)
                return HTTPAnswer(response.status_code, _lower(response.headers), bytes(body))
        except TimeoutError:
            failure = late(deadline)
        except _errors() as error:
            failure = _failure(error, deadline)
        raise failure

    def close(self) -> None:
        """Close the connections that threads used; the next request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None and self._owner == os.getpid():
            client.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop used."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _sync_client(self) -> httpx2.Client:
        with self._lock:
            # A child process must not talk through its parent's connections.
            if self._client is None or self._owner != os.getpid():
                self._client, self._owner = _httpx().Client(**_settings()), os.getpid()
            return self._client

    def _async_client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._clients:
                self._clients = {known: c for known, c in self._clients.items() if not known.is_closed()}
                self._clients[loop] = _httpx().AsyncClient(**_settings())
            return self._clients[loop]


class _Sent(TypedDict):
    """Arguments of a client's ``stream``."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    timeout: float
    follow_redirects: bool


def late(deadline: Deadline) -> HTTPFailure:
    """Return the failure of an answer that did not come in time."""
    return HTTPFailure(f"no answer within the {deadline}", kind="timeout", retryable=True)


def _sent(request: HTTPRequest, deadline: Deadline) -> _Sent:
    return {
        "method": request.method,
        "url": request.url,
        "headers": dict(request.headers),
        "content": request.content or None,
        "timeout": max(0.001, deadline.left()),
        # A redirect could lead the key to another host.
        "follow_redirects": False,
    }


def _check(body: bytearray, deadline: Deadline) -> None:
    if len(body) > MAX_BODY:
        raise HTTPFailure(f"the answer is longer than {MAX_BODY >> 20} MiB")
    if not deadline.left():
        raise late(deadline)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _kind(status: int, retryable: bool) -> FailureKind:
    if status == 429:
        return "rate_limit"
    if status in (408, 504):
        return "timeout"
    return "transport" if retryable else "internal"


def _failure(error: Exception, deadline: Deadline) -> HTTPFailure:
    if isinstance(error, _httpx().TimeoutException):
        return late(deadline)
    reason = f"{type(error).__name__}: {error}"
    return HTTPFailure(f"the connection failed: {reason}", retryable=True)


@cache
def _errors() -> tuple[type[Exception], ...]:
    return _httpx().HTTPError, _httpx().InvalidURL, _httpx().StreamError


def _settings() -> dict[str, object]:
    return {
        # `Slots` bounds what is in flight.
        "limits": _httpx().Limits(max_connections=None, max_keepalive_connections=32),
        # No cookie is kept: one episode must not change what another is answered.
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=())),
        # A proxy of the environment cannot reach what only this machine sees.
        "mounts": dict.fromkeys(_LOCAL),
    }


def _httpx() -> ModuleType:
    return importlib.import_module("httpx2")
