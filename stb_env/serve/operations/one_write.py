"""Answers leave in one piece: writing head and body one by one takes as long as to find a recorded answer."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from stb_env.core import jsontext
from stb_env.serve.operations.refusals import Refusal

_LIMIT = 65_536
_HEAD_S = 20.0
"""Seconds in which the head of a request has to arrive."""
_HEAD_BYTES, _HEAD_LINES = 65_536, 100
_LARGE_HEAD = Refusal(
    f"the head of a request may have {_HEAD_BYTES} bytes and {_HEAD_LINES} lines; send the rest in the body",
    kind="too_large",
    status=431,
)


class OneWrite:
    """A transport that writes at once what is written to it in one step of the event loop.

    Args:
        transport: Writes; everything else is its own too.
        loop: The event loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []
        self._size = 0
        # Asked after every answer.
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write with what else is written in this step, or at once where that has become much."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)
        self._size += len(data)
        if self._size > _LIMIT:
            # The transport says that it wants no more only where it is given something.
            self._flush()

    def close(self) -> None:
        """Write what is held, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        held, self._held, self._size = self._held, [], 0
        # The client may have gone since.
        if held and not self.is_closing():
            self._transport.writelines(held)


class OneWriteProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol over such a transport, with bounds on what stands before and behind a body."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._head_timer: asyncio.TimerHandle | None = None
        # Bytes of a head, or of what follows a body, that is not whole yet.
        self._unread = 0
        self._has_large_head = False
        one = OneWrite(cast(asyncio.Transport, transport), self.loop)
        super().connection_made(cast(asyncio.Transport, one))
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read what came; the rest of a head that is not whole has to follow soon, and has its bounds."""
        self._unread += len(data)
        super().data_received(data)
        if self._has_head():
            self._stop_waiting()
        elif self._head_timer is None:
            self._await_head()
        if self._unread > _HEAD_BYTES or len(self.headers or ()) > _HEAD_LINES:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        """Answer a request whose head is in bounds.

        Raises:
            ValueError: It is not; the parser stops there.
        """
        size = len(self.url) if self._unread > _HEAD_BYTES else 0
        if size:
            size += sum(len(name) + len(value) + 4 for name, value in self.headers)
        self._unread = 0
        if size > _HEAD_BYTES or len(self.headers) > _HEAD_LINES:
            self._has_large_head = True
            raise ValueError(str(_LARGE_HEAD))
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Receive a part of a body."""
        self._unread = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or one with too large a head."""
        if self._has_large_head:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        if self.transport.is_closing():
            return
        body = jsontext.dumps(_LARGE_HEAD.body()).encode()
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(
            body
        )
        self.transport.write(STATUS_LINE[_LARGE_HEAD.status] + head + body)
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _has_head(self) -> bool:
        if self.transport.get_protocol() is not self:
            # A WebSocket has taken over.
            return True
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(_HEAD_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if not self._has_head() and not self.transport.is_closing():
            self.transport.close()
