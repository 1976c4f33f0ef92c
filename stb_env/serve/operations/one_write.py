"""Answers leave in one piece: writing head and body one by one takes as long as to find a recorded answer."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_LIMIT = 65_536


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
        super().connection_made(OneWrite(cast(asyncio.Transport, transport), self.loop))
