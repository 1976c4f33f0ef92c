"""HTTP/1.1 connections that stay open: one request at a time on each, and any number of them."""

from __future__ import annotations

import asyncio
import math
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import cast

import httptools

from stb_env.http.client import CONNECT_LIMIT, CONNECT_TIMEOUT
from stb_env.http.exchange import broken, late
from stb_env.http.retry import Patience
from stb_env.http.wire import Response

IDLE = 4.0
"""Seconds after which a connection is not used again: common servers close theirs after five."""

MAX_HEAD = 2**16
"""Bytes of all headers of an answer, interim answers included."""

_FAULTS = (httptools.HttpParserError, httptools.HttpParserUpgrade)


class Connection(asyncio.Protocol):
    """One connection. It parses an answer while its bytes arrive, and is an iterator over its body."""

    def __init__(self) -> None:
        self.idle_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._come: Callable[[], object] | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = self._end = math.inf
        self._begin()

    def _begin(self) -> None:
        self._status = 0
        self._headers: dict[str, str] = {}
        self._pieces: list[bytes] = []
        self._complete = self._kept = False
        self._unparsed = self._told = 0
        self._failure = ""
        self._patience: Patience | None = None

    @property
    def reusable(self) -> bool:
        """True if another request can be sent on it."""
        open_ = self._transport is not None and not self._transport.is_closing()
        return open_ and self._complete and self._kept and not self._failure

    @property
    def silent(self) -> bool:
        """True if no unread data and no end has arrived; the event loop may yet have to see an end."""
        return self._come is not None and not self._come()

    async def ask(self, request: bytes, patience: Patience | None = None) -> Response:
        """Send a request and return its answer as soon as its headers are there.

        Args:
            request: The bytes of it.
            patience: Ends each wait for more, the later ones too; None for no end.

        Raises:
            HTTPFailure: The connection was lost before.
            TimeoutError: The patience is used up.
        """
        self._begin()
        self._patience = patience
        self._parser = httptools.HttpResponseParser(self)
        if self._transport is None or self._transport.is_closing():
            raise broken("ConnectError: the server closed the connection")
        self._transport.write(request)
        while not self._status:
            await self._more()
        return Response(self._status, self._headers, self, self.whole)

    def whole(self) -> bytes | None:
        """Return what is left of a body that has come to its end; None of one that has not."""
        return self._taken() if self._complete else None

    def close(self) -> None:
        """Drop the connection, whatever is still on its way."""
        if self._transport is not None:
            self._transport.abort()

    def __aiter__(self) -> Connection:
        return self

    async def __anext__(self) -> bytes:
        while not self._pieces:
            if self._complete:
                raise StopAsyncIteration
            await self._more()
        self._check_time()
        return self._taken()

    def _taken(self) -> bytes:
        taken = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        return taken

    def _more(self) -> asyncio.Future[None]:
        """Return what is done as soon as more has come, or the end."""
        if self._failure:
            raise broken(self._failure)
        self._check_time()
        if self._patience is not None:
            self._set_alarm(self._loop.time() + self._patience.left())
        self._waiter = self._loop.create_future()
        return self._waiter

    def _check_time(self) -> None:
        """Look at the time at every wake: what keeps sending would never let an alarm come first.

        Raises:
            TimeoutError: The patience is used up.
        """
        if self._patience is not None and not self._patience.left():
            raise TimeoutError

    def _set_alarm(self, end: float) -> None:
        # Nearly every answer is in time, so one alarm serves many waits: it is never put off, but looks.
        self._end = end
        if end < self._alarm_at:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm, self._alarm_at = self._loop.call_at(end, self._look), end

    def _look(self) -> None:
        self._alarm, self._alarm_at = None, math.inf
        if self._waiter is None or self._waiter.done() or self._patience is None:
            return
        if self._loop.time() < self._end:
            self._set_alarm(self._end)
        else:
            self._waiter.set_exception(TimeoutError())

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._come = _look_at(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        if self._parser is None:
            # Nothing was asked, so this can be no answer, and what comes later none to be trusted.
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except _FAULTS as error:
            self._fail(f"{type(error).__name__}: {error}")
        # The parser tells a header when it has come to its end, which some never do.
        if not self._status and not self._failure:
            self._unparsed += len(data)
            self._check_head(self._unparsed)
        if self._complete:
            self._finish()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note of the end, which is that of an answer whose length was not told."""
        if self._alarm is not None:
            self._alarm.cancel()
        if self._parser is not None and not self._complete and not self._failure:
            told = {"content-length", "transfer-encoding"} & self._headers.keys()
            if self._status and exc is None and not told:
                self._complete = True
            else:
                self._fail(_lost(exc))
        self._wake()

    def _finish(self) -> None:
        self._parser = None
        # A second answer in the same bytes has left its mark in _failure.
        if self._transport is not None and (self._failure or not self._kept):
            self._transport.close()

    def _fail(self, reason: str) -> None:
        self._failure = reason
        self.close()

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Take note that a message begins: the first one, or one after an interim one."""
        if self._complete:
            self._failure = "the server sent more than it was asked for"

    def _check_head(self, size: int) -> None:
        if size > MAX_HEAD and not self._failure:
            self._fail(f"the headers of the answer have more than {MAX_HEAD // 1024} kB")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self._told += len(name) + len(value)
        self._check_head(self._told)
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        known = self._headers.get(key)
        self._headers[key] = text if known is None else f"{known}, {text}"

    def on_headers_complete(self) -> None:
        """Keep the status, and forget an interim one."""
        status = self._parser.get_status_code() if self._parser is not None else 0
        if status >= 200:
            self._status = status
        else:
            self._headers.clear()

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        if not self._complete:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        """Take note of the end."""
        if self._status and self._parser is not None:
            self._complete = True
            # Asked later, the parser speaks of the next message.
            self._kept = self._parser.should_keep_alive()


@dataclass(eq=False, slots=True)
class Pool:
    """The connections of one event loop to one server. There is no limit: that is the endpoint's limiter.

    Attributes:
        host: Name or address of the server.
        port: Its port.
        secure: Whether to speak TLS.
    """

    host: str
    port: int
    secure: bool
    _idle: deque[Connection] = field(default_factory=deque)

    def _kept(self) -> Connection | None:
        """Return the connection that was used last and can still be used; None where a new one is needed."""
        fresh = time.monotonic() - IDLE
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable and connection.idle_since > fresh and connection.silent:
                return connection
            connection.close()
        return None

    async def take(self, seconds: float) -> Connection:
        """Return a connection for one request: the one that was used last, or a new one.

        Raises:
            TimeoutError: The server did not take one within the seconds.
            HTTPFailure: Nor within `CONNECT_TIMEOUT`, or it refused.
        """
        kept = self._kept()
        if kept is not None:
            return kept
        context = tls() if self.secure else None
        try:
            async with asyncio.timeout(min(CONNECT_TIMEOUT, seconds)):
                _, connection = await asyncio.get_running_loop().create_connection(
                    Connection, self.host, self.port, ssl=context
                )
        except TimeoutError as error:
            if seconds <= CONNECT_TIMEOUT:
                raise
            raise late(CONNECT_LIMIT) from error
        except (OSError, ssl.SSLError) as error:
            raise broken(f"ConnectError: {error}") from error
        return connection

    def give_back(self, connection: Connection) -> None:
        """Take a connection back; one that is in the middle of an answer is closed."""
        if not connection.reusable:
            connection.close()
            return
        connection.idle_since = time.monotonic()
        self._idle.append(connection)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()


@cache
def tls() -> ssl.SSLContext:
    """Return what tells true servers from false ones, with the authorities that httpx2 goes by."""
    # Takes a while, and plain HTTP has no use for it.
    import httpx2

    return httpx2.create_ssl_context()


def _look_at(one: socket.socket) -> Callable[[], object]:
    """Return what says whether a socket has anything to read, its end included; it never waits."""
    if not hasattr(select, "poll"):  # Windows
        return lambda: select.select([one], (), (), 0)[0]
    poll = select.poll()
    poll.register(one, select.POLLIN)
    return partial(poll.poll, 0)


def _lost(error: Exception | None) -> str:
    if error is None:
        return "ReadError: the server closed the connection before the answer's end"
    return f"{type(error).__name__}: {error}"
