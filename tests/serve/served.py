"""The server's application on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from gymnasium.envs.registration import registry

from stb_env import suite
from stb_env.serve.app import create_app
from stb_env.serve.operations.one_write import OneWriteProtocol
from stb_env.serve.settings import ServeSettings
from stb_env.testing.notes import SUITE


@contextmanager
def notes_known() -> Iterator[str]:
    """Know the suite of notes while the block runs, as an operator's own would be; gives its id."""
    suites, environments = dict(suite._SUITES), dict(registry)
    try:
        yield next(iter(SUITE.register().environments))
    finally:
        for known, before in ((suite._SUITES, suites), (registry, environments)):
            known.clear()
            known.update(before)


@contextmanager
def serving(settings: ServeSettings) -> Iterator[str]:
    """Serve while the block runs; gives the base URL."""
    with serving_app(create_app(settings)) as url:
        yield url


@contextmanager
def serving_app(app: Any) -> Iterator[str]:
    """Serve an ASGI application while the block runs; gives the base URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=OneWriteProtocol, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.005)
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join()
