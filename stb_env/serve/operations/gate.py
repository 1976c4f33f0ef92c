"""Checks of every request: access, limits, figures and log."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stb_env.serve.operations.access import Entry
from stb_env.serve.operations.deadlines import Deadlines
from stb_env.serve.operations.metrics import Metrics
from stb_env.serve.operations.rate import Rate
from stb_env.serve.operations.refusals import Refusal, refusal
from stb_env.serve.operations.requests import Requests
from stb_env.serve.operations.stop import Stop
from stb_env.serve.settings import ServeSettings

_LOG = logging.getLogger("stb_env.serve")

OTHER = "other"
"""Route of a request that no route takes; its path could be anything, a secret too."""

MOUNTED = ("/mcp", "/openenv")
"""Where applications of their own stand, whose routes this one does not know."""


OPEN = ("/health", "/metrics")
"""Paths that are answered however many requests wait: who looks after a server asks them."""

_ARRIVAL_S = 20.0
"""Seconds in which a body has to arrive."""


class Gate:
    """ASGI middleware.

    Attributes:
        requests: What was answered; to be flushed at the end.
        at_work: Requests that are being answered.

    Args:
        app: What is behind.
        settings: The operator's.
        metrics: Takes the figures.
        stop: Says that the server stops: then every answer is the last of its connection.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics, stop: Stop) -> None:
        self._app, self._metrics, self._limits = app, metrics, settings.limits
        self._entry = Entry(settings.token, settings.cors)
        self._rate = Rate(settings.limits.rate)
        self._stop, self.requests = stop, Requests(metrics)
        self._deadlines = Deadlines(settings.limits.timeout)
        self._arrivals = Deadlines(min(_ARRIVAL_S, settings.limits.timeout))
        self.at_work = 0
        metrics.watch_work(lambda: self.at_work)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        visit = _Visit(send, self._stop)
        try:
            length = self._check(scope)
            if length is None:
                receive = Bounded(receive, self._limits.body)
            await self._pass(scope, receive, visit, has_body=length != 0)
        except (Refusal, HTTPException) as error:
            await self._refuse(refusal(error), scope, receive, visit)
        except Exception as error:
            # The boundary to the network: whatever went wrong, the client gets a typed answer.
            _LOG.exception("failed")
            if visit.status not in (0, 500):
                # Half of an answer must not look like a whole one: the connection ends here.
                raise
            if not visit.status:
                await self._refuse(refusal(error), scope, receive, visit)
        finally:
            self._note(scope, visit)

    def _check(self, scope: Scope) -> int | None:
        """Return how many bytes the body has, or None where that is not known beforehand."""
        headers = dict(scope["headers"])
        if b"host" not in headers and scope["http_version"] == "1.1":
            raise Refusal("a request of HTTP/1.1 has the header Host; send it", kind="bad_request")
        self._entry.check(scope["path"], headers)
        client = scope.get("client")
        self._rate.take(client[0] if client else "")
        full = self.at_work >= self._limits.concurrency
        if scope["type"] == "http" and full and scope["path"] not in OPEN:
            raise Refusal(
                f"{self.at_work} requests are being answered, which is the limit; try again later",
                kind="busy",
                status=503,
                headers={"retry-after": "1"},
            )
        length = headers.get(b"content-length")
        if b"transfer-encoding" in headers:
            # Which would count in the length's place.
            return None
        if length is None:
            return 0
        if not length.isdigit() or int(length) > self._limits.body:
            raise Refusal(
                f"the body may have {self._limits.body} bytes",
                kind="too_large",
                status=413,
                headers={"connection": "close"},
            )
        return int(length)

    async def _pass(self, scope: Scope, receive: Receive, visit: _Visit, *, has_body: bool) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, visit.send)
            return
        self.at_work += 1
        if self._metrics.shared:
            self._metrics.working(self.at_work)
        arrival = _Arrival(receive, visit.began)
        try:
            if has_body:
                await self._arrivals.watch(arrival, self._answer(scope, arrival, visit))
            else:
                await self._answer(scope, receive, visit)
        except asyncio.CancelledError:
            if arrival.late and not visit.status:
                raise Refusal(
                    f"the body did not arrive in {_ARRIVAL_S:g} s",
                    kind="slow_body",
                    status=408,
                    headers={"connection": "close"},
                ) from None
            if self._stop.began and not (visit.late or visit.status):
                raise Refusal(
                    "the server stops, and this has not happened", kind="stopping", status=503
                ) from None
            if not visit.late or visit.status:
                raise
            raise Refusal(f"no answer in {self._limits.timeout:g} s", kind="timeout", status=504) from None
        finally:
            self.at_work -= 1
            if self._metrics.shared:
                self._metrics.working(self.at_work)

    async def _answer(self, scope: Scope, receive: Receive, visit: _Visit) -> None:
        await self._deadlines.watch(visit, self._app(scope, receive, visit.send))

    async def _refuse(self, error: Refusal, scope: Scope, receive: Receive, visit: _Visit) -> None:
        self._metrics.refused(error.kind)
        if scope["type"] == "websocket":
            await visit.send({"type": "websocket.close", "code": 1008, "reason": error.kind})
            return
        await JSONResponse(error.body(), error.status, error.headers)(scope, receive, visit.send)

    def _note(self, scope: Scope, visit: _Visit) -> None:
        seconds = time.perf_counter() - visit.began
        route = _mounted(scope["path"]) or getattr(scope.get("route"), "path", OTHER)
        method = scope.get("method", "WEBSOCKET")
        client = scope.get("client")
        self.requests.add(method, route, visit.status, seconds, client[0] if client else "")


def _mounted(path: str) -> str:
    """Return the name of what is mounted where a path begins; the rest of it could be anything."""
    if not path.startswith(MOUNTED):
        return ""
    return next((name for name in MOUNTED if path == name or path.startswith(f"{name}/")), "")


class _Visit:
    """One request on its way: when it began, and with which status its answer did; 0 where none has."""

    __slots__ = ("_send", "_stop", "began", "late", "status")

    def __init__(self, send: Send, stop: Stop) -> None:
        self._send, self._stop = send, stop
        self.status = 0
        self.late = False
        self.began = time.perf_counter()

    def send(self, message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self._stop.began:
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        return self._send(message)


class _Arrival:
    """Receives a body, and takes note when all of it is there.

    Args:
        receive: Receives its parts.
        began: When the request began.
    """

    __slots__ = ("_receive", "began", "late", "status")

    def __init__(self, receive: Receive, began: float) -> None:
        self._receive = receive
        self.began = began
        self.status = 0
        self.late = False

    async def __call__(self) -> Message:
        """Receive the next part."""
        message = await self._receive()
        if not message.get("more_body", False):
            self.status = 1
        return message


class Bounded:
    """Receives a body up to its limit, for one that does not say its length.

    Args:
        receive: Receives its parts.
        limit: Bytes that it may have.
    """

    __slots__ = ("_left", "_receive")

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left = receive, limit

    async def __call__(self) -> Message:
        """Receive the next part.

        Raises:
            HTTPException: The body is too large; the framework passes on no other class from here.
        """
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "the body is too large", {"connection": "close"})
        return message
