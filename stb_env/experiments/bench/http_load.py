"""Load for an HTTP server: connections that each ask again as soon as they are answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import NamedTuple, cast


class Load(NamedTuple):
    """Figures of a server under load.

    Attributes:
        answers: Number of answers.
        rate: Answers a second.
        p50: Median of the seconds until an answer.
        p99: The 99th hundredth of them.
        failed: Answers that were no 200.
    """

    answers: int
    rate: float
    p50: float
    p99: float
    failed: int


class Asker(asyncio.Protocol):
    """One connection.

    Args:
        requests: What to send, whole; shared with other connections.
        until: When to stop, on the clock of `time.perf_counter`.
        seconds: Takes how long each answer took.
        done: Is set at the end.
    """

    def __init__(
        self, requests: Iterator[bytes], until: float, seconds: list[float], done: asyncio.Future[int]
    ) -> None:
        self._requests, self._until, self._seconds, self._done = requests, until, seconds, done
        self._data = b""
        self._failed = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Take a part of an answer, and ask again where it was the last."""
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end or len(body) < content_length(head):
            return
        now = time.perf_counter()
        self._seconds.append(now - self._sent)
        self._failed += b" 200 " not in head[:16]
        self._data = b""
        if now < self._until:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        """End."""
        if not self._done.done():
            self._done.set_result(self._failed + (error is not None))

    def _ask(self) -> None:
        self._sent = time.perf_counter()
        self._transport.write(next(self._requests))


async def load(port: int, requests: Iterator[bytes], clients: int, seconds: float) -> Load:
    """Ask a server of this machine for a while.

    Args:
        port: Its port.
        requests: What to send, whole.
        clients: Connections.
        seconds: The while.
    """
    loop = asyncio.get_running_loop()
    taken: list[float] = []
    began = time.perf_counter()
    ends = [loop.create_future() for _ in range(clients)]
    for end in ends:
        asker = Asker(requests, began + seconds, taken, end)
        await loop.create_connection(lambda asker=asker: asker, "127.0.0.1", port)  # type: ignore[misc] # bound now
    failed = sum(await asyncio.gather(*ends))
    spent = time.perf_counter() - began
    taken.sort()
    return Load(len(taken), len(taken) / spent, taken[len(taken) // 2], taken[len(taken) * 99 // 100], failed)


def content_length(head: bytes) -> int:
    """Return the length of the body that a head announces."""
    found = head.lower().partition(b"content-length:")[2]
    return int(found.partition(b"\r\n")[0] or 0)
