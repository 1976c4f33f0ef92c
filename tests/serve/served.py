"""The server's application on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from stb_env.serve.app import create_app
from stb_env.serve.settings import ServeSettings


@contextmanager
def serving(settings: ServeSettings) -> Iterator[str]:
    """Serve while the block runs; gives the base URL."""
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=0, log_level="warning"))
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
