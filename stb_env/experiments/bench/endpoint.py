"""A slow model endpoint to measure against, run as a program: every answer is the same.

It prints its port and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import sys
from functools import partial

from stb_env.experiments.bench.http_load import content_length

_CALL = {"name": "search_products", "arguments": '{"query": "green tea", "limit": 5}'}
_COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "fake",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": _CALL}],
            },
        }
    ],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 30, "total_tokens": 1030},
}


# Seconds, a little more than the system's wait is exact to.
_GRAIN = 0.0015


class Late(asyncio.Protocol):
    """One connection: each request is answered after a while, whatever it asks.

    Args:
        seconds: The while.
        answer: The bytes of the answer.
    """

    def __init__(self, seconds: float, answer: bytes) -> None:
        self._seconds = seconds
        self._answer = answer
        self._head = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the connection."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Count what came, and answer where a request is whole; parsing it would cost more than all else."""
        if self._missing:
            self._missing -= len(data)
        else:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            self._missing, self._head = content_length(head) - len(body), b""
        if self._missing <= 0:
            self._missing = 0
            loop = asyncio.get_running_loop()
            loop.call_later(self._seconds, self._transport.write, self._answer)  # type: ignore[attr-defined] # a stream's transport


class Exact(selectors.DefaultSelector):
    """Waits to the microsecond: the system's own wait ends at whole milliseconds, and up to one late.

    Answers would come late by half of one on average, and in bunches. The last moment is spent looking.
    """

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for the other side, a little less long than is asked for."""
        return super().select(None if timeout is None else max(0.0, timeout - _GRAIN))


def _new_loop() -> asyncio.AbstractEventLoop:
    # On the only core, the moment spent looking would be that of whoever is measured.
    return asyncio.SelectorEventLoop(Exact() if (os.cpu_count() or 1) > 1 else None)


async def serve(seconds: float) -> None:
    """Serve on a free port, and print it."""
    loop = asyncio.get_running_loop()
    body = json.dumps(_COMPLETION).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    make = partial(Late, seconds, head + body)
    server = await loop.create_server(make, "127.0.0.1", 0, backlog=4096)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        runner.run(serve(float(sys.argv[1])))
