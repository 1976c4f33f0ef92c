"""A server that says exactly the bytes it is told to, for what no proper server would say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CLOSE = b""
"""Closes the connection, among the bytes of an answer."""


@dataclass
class RawServer:
    """Answers requests in turn, over however many connections they come.

    Attributes:
        answers: What is said to each request: pieces, one written after another.
        requests: Every request so far.
        connections: How many connections were made.
        closed: How many of them the client closed.
        port: Where it listens.
    """

    answers: list[list[bytes]]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    closed: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[RawServer]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.closed += 1
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        self.requests.append(head + await reader.readexactly(int(length or 0)))
        for piece in self.answers.pop(0):
            if piece is CLOSE:
                return False
            writer.write(piece)
            await writer.drain()
            # Whoever reads gets the pieces one by one.
            await asyncio.sleep(0)
        return True
