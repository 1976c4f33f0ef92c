"""The application that OpenEnv's clients find at the base URL of an environment."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request, WebSocket
from pydantic import TypeAdapter
from starlette.types import Receive, Scope, Send

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.serve.openenv import rpc, socket, tasks
from stb_env.serve.openenv.messages import (
    ACTION,
    HttpReset,
    HttpStep,
    Reset,
    State,
    TaskGiven,
    ToolCalled,
    ToolsListed,
)
from stb_env.serve.openenv.play import Plays
from stb_env.serve.operations import refusals
from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.sessions.sessions import Sessions
from stb_env.suite import suite_of

PROTOCOL = "1.0.0"
"""Version of the interface, as clients look for it in the OpenAPI document."""


def create_app(env_id: str, sessions: Sessions, *, limit: int = 4_096) -> FastAPI:
    """Return the application of one environment.

    Args:
        env_id: Its id.
        sessions: Where the episodes live; whoever made it closes it.
        limit: Sessions that can be open.
    """
    app = FastAPI(title=f"stb-env: {env_id}", version=PROTOCOL, docs_url=None, redoc_url=None)
    refusals.install(app)
    plays = Plays(sessions, env_id, limit)
    app.include_router(_about(env_id))
    app.include_router(_control(plays))
    app.include_router(tasks.routes(plays, short_name(env_id)))

    @app.websocket("/ws")
    async def ws(websocket: WebSocket) -> None:
        await socket.serve(websocket, plays)

    @app.websocket("/mcp")
    async def mcp_ws(websocket: WebSocket) -> None:
        await socket.serve_rpc(websocket, plays)

    @app.post("/mcp", tags=["tools"])
    async def mcp(request: Request) -> JsonObject:
        """JSON-RPC: open and close sessions, list tools and call them."""
        return await rpc.answer_text(plays, await request.body())

    return app


class Environments:
    """The applications of all environments, each made when its first client comes.

    Args:
        sessions: Where the episodes live.
        limit: Sessions that can be open.
    """

    def __init__(self, sessions: Sessions, *, limit: int = 4_096) -> None:
        self._sessions, self._limit = sessions, limit
        self._apps: dict[str, FastAPI] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the application of the environment that its path names."""
        below = scope["path"].removeprefix(scope.get("root_path", ""))
        env_id = "/".join(below.split("/")[1:3])
        app = self._apps.get(env_id)
        if app is None and env_id in self._sessions.served.ids:
            app = self._apps[env_id] = create_app(env_id, self._sessions, limit=self._limit)
        if app is None:
            await _nobody(self._sessions)(scope, receive, send)
            return
        await app({**scope, "root_path": f"{scope.get('root_path', '')}/{env_id}"}, receive, send)


def short_name(env_id: str) -> str:
    """Return the name of an environment in paths.

    Examples:
        >>> short_name("stb/Sandbox-v1")
        'Sandbox-v1'
    """
    return env_id.rpartition("/")[2]


def _nobody(sessions: Sessions) -> FastAPI:
    """Return the application that says which environments there are."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    refusals.install(app)

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def unknown(path: str) -> None:
        ids = sessions.served.ids
        raise Refusal(
            f"no environment at {path!r:.100}; a base URL ends with an id: {', '.join(ids)}",
            kind="unknown_environment",
            status=404,
        )

    return app


def _about(env_id: str) -> APIRouter:
    router = APIRouter(tags=["about"])
    suite = suite_of(env_id)

    @router.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "healthy"}

    @router.get("/metadata")
    async def metadata() -> dict[str, str | None]:
        return {
            "name": short_name(env_id),
            "description": suite.description if suite is not None else env_id,
            "version": __version__,
            "readme_content": None,
            "author": None,
            "documentation_url": None,
        }

    @router.get("/schema")
    async def schema() -> dict[str, Any]:
        return {
            "action": ACTION.json_schema(),
            "observation": TypeAdapter(ToolCalled | ToolsListed).json_schema(),
            "reset_observation": TaskGiven.model_json_schema(),
            "state": State.model_json_schema(),
        }

    return router


def _control(plays: Plays) -> APIRouter:
    """Return reset, step and state over HTTP, which has no sessions but those that JSON-RPC opened."""
    router = APIRouter(tags=["control"])

    @router.post("/reset")
    async def reset(wanted: HttpReset | None = None) -> JsonObject:
        wanted = wanted or HttpReset()
        begun = Reset(**wanted.model_dump(exclude={"session_id"}))
        if wanted.session_id is not None:
            return (await plays.get(wanted.session_id).reset(begun)).payload()
        play = await plays.open()
        try:
            return (await play.reset(begun)).payload()
        finally:
            await plays.close(play)

    @router.post("/step")
    async def step(wanted: HttpStep) -> JsonObject:
        if wanted.session_id is None:
            raise Refusal(
                "a step without session_id belongs to no episode; open a session by openenv/session/create "
                "at /mcp, or play over the WebSocket /ws",
                kind="no_session",
            )
        return (await plays.get(wanted.session_id).step(wanted.action)).payload()

    @router.get("/state")
    async def state(session_id: str | None = None) -> State:
        return State(env_id=plays.env_id) if session_id is None else await plays.get(session_id).state()

    return router
