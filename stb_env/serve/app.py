"""The one ASGI application: each part hands it its routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from fastapi import FastAPI
from starlette.routing import Route

from stb_env import __version__
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.settings import accepts
from stb_env.errors import ConfigError, did_you_mean
from stb_env.models.preflight import noting
from stb_env.runs.make import env_ids, maker_of
from stb_env.serve import original, virtual
from stb_env.serve.gated_app import Application
from stb_env.serve.openenv.app import Environments
from stb_env.serve.operations import health, metrics, refusals
from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.operations.stop import Stop
from stb_env.serve.sessions import routes as session_routes
from stb_env.serve.sessions.served_environments import Served
from stb_env.serve.sessions.session_store import SessionStore
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.settings import ServeSettings

Part = Callable[[], AbstractAsyncContextManager[None]]
"""Opens what runs as long as the application does."""


def create_app(settings: ServeSettings, stop: Stop | None = None) -> Application:
    """Return the application of a server.

    Args:
        settings: What its operator decided.
        stop: Says that the server stops.

    Raises:
        ConfigError: A setting is wrong.
        DataError: The data cannot be read.

    Examples:
        >>> app = create_app(ServeSettings())
        >>> {"/health", "/metrics", "/virtual", "/sessions"} <= app.openapi()["paths"].keys()
        True
    """
    _check_settings(settings)
    figures = metrics.Metrics()
    with noting() as asked:
        answering = _answering(settings, figures)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            if answering.backend is not None:
                running.callback(answering.backend.close)
            running.callback(app.gate.requests.flush)
            for part in parts:
                await running.enter_async_context(part())
            yield

    app = Application(
        settings, figures, stop or Stop(), title="stb-env", version=__version__, lifespan=lifespan
    )
    refusals.install(app)
    app.add_short(answering.route, virtual.OPENAPI)
    cache = None if answering.backend is None else answering.backend.cache
    checks = [*health.cache_checks(cache), *health.asked_checks(asked)]
    app.include_router(health.routes(health.Health(checks)))
    app.include_router(metrics.routes(figures, app.gate.requests.flush))
    parts = _add_sessions(app, settings, figures) if settings.workers == 1 else []
    return app


class _Answering(NamedTuple):
    """The virtual API: its route, and what has to be closed behind it."""

    route: Route
    backend: VirtualBackend | None


def _answering(settings: ServeSettings, figures: metrics.Metrics) -> _Answering:
    if settings.original is not None:
        server = original.connected(settings.original, settings.env.get("models"))
        return _Answering(original.route(server, settings.token), None)
    backend, documents = virtual.connected(settings.env)
    api = virtual.VirtualAPI(backend, documents, figures.answered, token=settings.token)
    return _Answering(virtual.route(api), backend)


def _check_settings(settings: ServeSettings) -> None:
    """Refuse a setting that nothing here takes: each environment takes those that it knows."""
    makers = [maker_of(env_id) for env_id in settings.ids or env_ids()]
    for name in settings.env:
        if name in (*virtual.BACKEND_SETTINGS, *virtual.SETTINGS) or any(accepts(m, name) for m in makers):
            continue
        near = did_you_mean(name, virtual.BACKEND_SETTINGS)
        raise ConfigError(f"nothing that is served has a setting {name!r}.{near}")


def _add_sessions(app: FastAPI, settings: ServeSettings, figures: metrics.Metrics) -> list[Part]:
    """Add what is played in sessions, and return what must run meanwhile."""
    limits = settings.limits
    served = Served(settings.ids or None, settings.env)
    sessions = Sessions(served, limit=limits.sessions, idle_s=limits.idle)
    figures.watch(sessions.__len__)
    app.include_router(
        session_routes.routes(SessionStore(sessions, answers=settings.answers, step_s=limits.timeout))
    )
    parts: list[Part] = [partial(_tended, sessions)]
    if not _has_mcp():
        app.add_api_route("/mcp", _no_mcp, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    else:
        from stb_env.serve.mcp.http import McpEndpoint

        endpoint = McpEndpoint(sessions, settings)
        app.router.routes.append(endpoint.route())
        parts.append(endpoint.manager.run)
    app.mount("/openenv", Environments(sessions, limit=limits.sessions))
    return parts


def _has_mcp() -> bool:
    # Frameworks that need an older version live beside the rest of the server.
    try:
        major, minor = map(int, version("mcp").split(".")[:2])
    except PackageNotFoundError:
        return False
    return (major, minor) >= (2, 3)


@asynccontextmanager
async def _tended(sessions: Sessions) -> AsyncIterator[None]:
    tending = asyncio.create_task(sessions.tend())
    try:
        yield
    finally:
        tending.cancel()
        await sessions.aclose()


async def _no_mcp() -> None:
    raise Refusal(
        "this server does not speak MCP: its operator can pip install 'stb-env[mcp]'",
        kind="not_installed",
        status=501,
    )
