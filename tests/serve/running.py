"""A server of sessions in a thread of this process, on a port of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import uvicorn
from fastapi import FastAPI

from stb_env.serve.operations import refusals
from stb_env.serve.server import listen
from stb_env.serve.sessions.routes import routes
from stb_env.serve.sessions.session_store import SessionStore
from stb_env.serve.sessions.sessions import Sessions


def application(store: SessionStore) -> FastAPI:
    app = FastAPI()
    refusals.install(app)
    app.include_router(routes(store))
    return app


@contextmanager
def running(ids: list[str], *, answers: bool = True, **settings) -> Iterator[tuple[str, Sessions]]:
    """Serve ids; yield the URL and the sessions."""
    sessions = Sessions(ids, **settings)
    app = application(SessionStore(sessions, answers=answers))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    with closing(listen("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", sessions
        server.should_exit = True
        thread.join()
