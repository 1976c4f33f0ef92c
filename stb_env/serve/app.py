"""The one ASGI application: each part hands it its routes."""

from __future__ import annotations

from fastapi import FastAPI

from stb_env import __version__
from stb_env.serve.operations import health, refusals
from stb_env.serve.settings import ServeSettings


def create_app(settings: ServeSettings) -> FastAPI:
    """Return the application of a server.

    Args:
        settings: What its operator decided.

    Raises:
        ConfigError: A setting is wrong.

    Examples:
        >>> app = create_app(ServeSettings())
        >>> "/health" in app.openapi()["paths"]
        True
    """
    app = FastAPI(title="stb-env", version=__version__, docs_url=None, redoc_url=None)
    app.state.settings = settings
    refusals.install(app)
    app.include_router(health.routes())
    return app
