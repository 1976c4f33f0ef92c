"""An ASGI application to measure against: it answers every request with one body, and does nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]

BODY = b'{"error":"","response":"' + b"x" * 435 + b'"}'
_HEADERS = [(b"content-length", b"%d" % len(BODY)), (b"content-type", b"application/json")]


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Answer one request."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": BODY})
