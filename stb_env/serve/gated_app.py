"""FastAPI with what every request passes around it, and a short way for the route that must be fast."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from stb_env.core.jsontypes import JsonObject
from stb_env.serve.operations.gate import Gate
from stb_env.serve.operations.metrics import Metrics
from stb_env.serve.operations.stop import Stop
from stb_env.serve.settings import ServeSettings


class Application(FastAPI):
    """The ASGI application of a server.

    Args:
        settings: What its operator decided.
        metrics: Takes the figures of requests.
        stop: Says that the server stops.
        **more: Settings of FastAPI.
    """

    def __init__(self, settings: ServeSettings, metrics: Metrics, stop: Stop, **more: Any) -> None:
        super().__init__(docs_url=None, redoc_url=None, **more)
        self._short: dict[tuple[str, str], Route] = {}
        self._documents: JsonObject = {}
        self.gate = Gate(self._inside, settings, metrics, stop)
        self._outside: ASGIApp = self.gate
        if settings.cors:
            # Outside of the gate: what browsers ask before they ask carries no token.
            self._outside = CORSMiddleware(
                self.gate,
                allow_origins=list(settings.cors),
                allow_methods=["*"],
                allow_headers=["authorization", "content-type"],
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._outside(scope, receive, send)

    def add_short(self, route: Route, document: Mapping[str, object]) -> None:
        """Add a route that is found at once, for FastAPI's own work would take longer than its answer.

        Args:
            route: Its path has no parameters.
            document: What the OpenAPI document says of the path.
        """
        self.router.routes.append(route)
        self._documents[route.path] = document
        self._short |= {(method, route.path): route for method in route.methods or ()}

    def openapi(self) -> dict[str, object]:
        """Return the OpenAPI document."""
        document: JsonObject = super().openapi()
        document["paths"] |= self._documents
        return document

    def _inside(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        short = self._short.get((scope.get("method", ""), scope.get("path", "")))
        if short is None:
            return super().__call__(scope, receive, send)
        scope["route"] = short
        return short.app(scope, receive, send)
