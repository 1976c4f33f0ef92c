"""The one ASGI application: each part hands it its routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from stb_env import __version__
from stb_env.jsontypes import JsonObject
from stb_env.llm.preflight import noting
from stb_env.serve import virtual
from stb_env.serve.openenv.app import Environments
from stb_env.serve.operations import health, metrics, refusals
from stb_env.serve.operations.gate import Gate
from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.operations.stop import Stop
from stb_env.serve.sessions.served import Served
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.settings import ServeSettings

if TYPE_CHECKING:
    from stb_env.serve.mcp.http import McpEndpoint


def create_app(settings: ServeSettings, stop: Stop | None = None) -> FastAPI:
    """Return the application of a server.

    Args:
        settings: What its operator decided.
        stop: Says that the server stops.

    Raises:
        ConfigError: A setting is wrong.
        DataError: The data cannot be read.

    Examples:
        >>> app = create_app(ServeSettings())
        >>> sorted(app.openapi()["paths"])[:3]
        ['/health', '/metrics', '/virtual']
    """
    figures = metrics.Metrics()
    with noting() as asked:
        backend, documents = virtual.connected(settings.env)
    sessions = Sessions(
        Served(settings.ids or None, settings.env),
        limit=settings.limits.sessions,
        idle_s=settings.limits.idle,
    )
    mcp = _mcp(sessions, settings)
    checks = [*health.cache_checks(backend.cache), *health.asked_checks(asked)]

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(backend.close)
            stack.push_async_callback(sessions.aclose)
            if mcp is not None:
                await stack.enter_async_context(mcp.manager.run())
            yield

    app = Application(title="stb-env", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    refusals.install(app)
    app.router.routes.append(virtual.route(virtual.VirtualAPI(backend, documents, figures.answered)))
    app.include_router(health.routes(health.Health(checks)))
    app.include_router(metrics.routes(figures))
    if mcp is not None:
        app.router.routes.append(mcp.route())
    else:
        app.add_api_route("/mcp", _no_mcp, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    app.mount("/openenv", Environments(sessions, limit=settings.limits.sessions))
    app.add_middleware(Gate, settings=settings, metrics=figures, stop=stop or Stop())
    if settings.cors:
        # Outside of the gate: what browsers ask before they ask carries no token.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors),
            allow_methods=["*"],
            allow_headers=["authorization", "content-type"],
        )
    return app


def _mcp(sessions: Sessions, settings: ServeSettings) -> McpEndpoint | None:
    if find_spec("mcp_types") is None:
        return None
    from stb_env.serve.mcp.http import McpEndpoint

    return McpEndpoint(sessions, settings)


async def _no_mcp() -> None:
    raise Refusal(
        "this server does not speak MCP: its operator can pip install 'stb-env[mcp]'",
        kind="not_installed",
        status=501,
    )


class Application(FastAPI):
    """FastAPI whose OpenAPI document has the routes that bypass it."""

    def openapi(self) -> JsonObject:
        """Return the document."""
        document: dict[str, Any] = super().openapi()
        document["paths"].setdefault(virtual.PATH, virtual.OPENAPI)
        return document
