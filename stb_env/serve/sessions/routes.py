"""Sessions over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from stb_env.core.jsontypes import Json
from stb_env.errors import STBError
from stb_env.serve.sessions import tool_api
from stb_env.serve.sessions.answers import refused
from stb_env.serve.sessions.session_store import MAX_SEED, PAGE, SessionStore
from stb_env.serve.sessions.socket import talk
from stb_env.serve.sessions.wire import encoded

Index = Annotated[int, Field(ge=0, lt=MAX_SEED)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Chosen(_Body):
    """An environment, with what a client chooses of it."""

    id: str
    settings: dict[str, Json] = {}


class Description(Chosen):
    """Request for a description; with ``hashed`` all of its tasks are read."""

    hashed: bool = False


class Reset(_Body):
    """Request for a reset; see `SessionStore.reset`."""

    seed: Index | None = None
    options: dict[str, Json] = {}
    mirror: bool = False
    task: bool = False


class Opening(Chosen):
    """A session to open, with its first episode where ``reset`` is there."""

    reset: Reset | None = None


class Tasks(Chosen):
    """Request for tasks: one by its id, or some by their place."""

    task_id: str | None = None
    index: Index = 0
    count: Annotated[int, Field(ge=1, le=PAGE)] = 1


class Solving(Chosen):
    """Request for the next step of a solution; see `SessionStore.solve`."""

    task_id: str
    results: list[dict[str, Json]] = []


class Play(_Body):
    """One action; see `SessionStore.step`."""

    action: Json = ""
    read: dict[str, Json] | None = None
    number: Index | None = None
    mirror: bool = False


class Keys(_Body):
    """Sessions that nobody needs any more."""

    keys: Annotated[list[str], Field(max_length=1_000)]


class Restore(_Body):
    """Request to restore a snapshot."""

    snapshot: str


def routes(store: SessionStore) -> APIRouter:
    """Return the routes of the sessions, WebSocket included.

    Args:
        store: Answers.
    """
    router = APIRouter(tags=["sessions"])

    @router.get("/environments")
    async def environments() -> Response:
        return _answer(store.environments())

    @router.post("/environments/describe")
    async def describe(body: Description) -> Response:
        return await _answered(store.describe(body.id, body.settings, hashed=body.hashed))

    @router.post("/environments/tasks")
    async def tasks(body: Tasks) -> Response:
        return await _answered(
            store.tasks(body.id, body.settings, task_id=body.task_id, index=body.index, count=body.count)
        )

    @router.post("/environments/solve")
    async def solve(body: Solving) -> Response:
        return await _answered(store.solve(body.id, body.settings, body.task_id, body.results))

    @router.post("/sessions")
    async def create(body: Opening) -> Response:
        reset = None if body.reset is None else body.reset.model_dump()
        return await _answered(store.create(body.id, body.settings, reset))

    @router.post("/sessions/forget")
    async def forget(body: Keys) -> Response:
        return await _answered(store.forget(body.keys))

    @router.get("/sessions/{key}")
    async def look(key: str) -> Response:
        try:
            return _answer(store.look(key))
        except STBError as error:
            raise refused(error) from None

    @router.post("/sessions/{key}/reset")
    async def reset(key: str, body: Reset) -> Response:
        return await _answered(store.reset(key, **body.model_dump()))

    @router.post("/sessions/{key}/step")
    async def step(key: str, body: Play) -> Response:
        try:
            return _json(await store.step(key, body.model_dump(exclude_none=True)))
        except STBError as error:
            raise refused(error) from None

    @router.get("/sessions/{key}/openapi.json")
    async def tools(key: str) -> Response:
        try:
            return _answer(tool_api.openapi_of(store, key))
        except STBError as error:
            raise refused(error) from None

    @router.post("/sessions/{key}/tools/{name:path}")
    async def call(key: str, name: str, body: dict[str, Json]) -> Response:
        return await _answered(tool_api.call(store, key, name, body))

    @router.post("/sessions/{key}/fork")
    async def fork(key: str) -> Response:
        return await _answered(store.fork(key))

    @router.post("/sessions/{key}/snapshot")
    async def snapshot(key: str) -> Response:
        return await _answered(store.snapshot(key))

    @router.post("/sessions/{key}/restore")
    async def restore(key: str, body: Restore) -> Response:
        return await _answered(store.restore(key, body.snapshot))

    @router.delete("/sessions/{key}")
    async def close(key: str) -> Response:
        return await _answered(store.close(key))

    router.add_api_websocket_route("/sessions/socket", talk(store))
    return router


async def _answered(work: Awaitable[Mapping[str, object]]) -> Response:
    try:
        return _answer(await work)
    except STBError as error:
        raise refused(error) from None


def _answer(data: Mapping[str, object]) -> Response:
    return _json(encoded(data))


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
