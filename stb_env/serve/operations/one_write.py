"""Answers leave in one piece: writing head and body one by one takes as long as to find a recorded answer."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_LIMIT = 65_536
_HEAD_S = 20.0
"""Seconds in which the head of a request has to arrive."""


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


class OneWriteProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type] # uvicorn chooses it as it is imported
    """uvicorn's HTTP protocol over such a transport."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._head_timer: asyncio.TimerHandle | None = None
        super().connection_made(OneWrite(cast(asyncio.Transport, transport), self.loop))
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read what came; the rest of a head that is not whole has to follow soon."""
        super().data_received(data)
        if self._has_head():
            self._stop_waiting()
        elif self._head_timer is None:
            self._await_head()

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
