"""Runs the application: one process, or several that share a port."""

from __future__ import annotations

import uvicorn

from stb_env.serve.app import create_app
from stb_env.serve.settings import ServeSettings


def run(settings: ServeSettings) -> None:
    """Serve until told to stop.

    Args:
        settings: What the operator decided.
    """
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, access_log=False)
