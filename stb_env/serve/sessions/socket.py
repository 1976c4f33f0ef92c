"""Sessions over a WebSocket: one connection plays any number of episodes, one JSON object a message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import signature

from fastapi import WebSocket, WebSocketDisconnect

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.settings import check_settings
from stb_env.errors import ConfigError, STBError
from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.sessions.answers import refused
from stb_env.serve.sessions.session_store import SessionStore
from stb_env.serve.sessions.wire import encoded

IN_FLIGHT = 64
"""Requests of one connection that are answered at once; the next is read when one of them is done."""

MAX_MESSAGE = 2_000_000
"""Characters of one request."""

Verb = Callable[..., Awaitable[JsonObject]]


def talk(store: SessionStore) -> Callable[[WebSocket], Awaitable[None]]:
    """Return what serves one connection.

    A request is ``{"do": VERB, "n": NUMBER, ...}``, with the arguments of the verb of `SessionStore`
    (``session`` for its key). Its answer has the same ``n``; answers come as they are ready. A client that
    goes away takes along what was being played for it: such a step has not happened.

    Args:
        store: Answers.
    """
    verbs: Mapping[str, Verb] = {
        "describe": store.describe,
        "tasks": store.tasks,
        "solve": store.solve,
        "create": store.create,
        "reset": store.reset,
        "fork": store.fork,
        "snapshot": store.snapshot,
        "restore": store.restore,
        "close": store.close,
        "forget": store.forget,
    }

    async def answer(text: str) -> bytes:
        n: Json = None
        try:
            data = _request(text)
            n = data.pop("n", None)
            if data.get("do") == "step":
                return _numbered(n, await store.step(str(data.get("session", "")), data))
            return _numbered(n, encoded(await _called(verbs, data)))
        except STBError as error:
            return _numbered(n, encoded(refused(error).body()))

    async def serve(socket: WebSocket) -> None:
        await socket.accept()
        room = asyncio.Semaphore(IN_FLIGHT)

        async def reply(text: str) -> None:
            try:
                await socket.send_text((await answer(text)).decode())
            finally:
                room.release()

        try:
            async with asyncio.TaskGroup() as requests:
                while True:
                    text = await received_text(socket)
                    await room.acquire()
                    requests.create_task(reply(text))
        except* WebSocketDisconnect:
            # The client is gone, maybe while an answer was on its way; its sessions wait for it.
            pass

    return serve


async def received_text(socket: WebSocket) -> str:
    """Return the next message of a client; one of bytes is read as the text that they are.

    Raises:
        WebSocketDisconnect: There is no more.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"], message.get("reason"))
    text: str | None = message.get("text")
    return message["bytes"].decode("utf-8", "replace") if text is None else text


def _request(text: str) -> dict[str, object]:
    if len(text) > MAX_MESSAGE:
        raise Refusal(
            f"a message has at most {MAX_MESSAGE} characters, got {len(text)}", kind="too_large", status=413
        )
    try:
        data = jsontext.loads(text)
    except ValueError as error:
        raise ConfigError(f"a message is one JSON object, got something else: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"a message is one JSON object, got {type(data).__name__}")
    return data


async def _called(verbs: Mapping[str, Verb], data: dict[str, object]) -> dict[str, object]:
    name = data.pop("do", None)
    verb = verbs.get(name) if isinstance(name, str) else None
    if verb is None:
        raise ConfigError(f"do must be step, {', '.join(verbs)}, got {name!r:.100}")
    given = {_NAMES.get(name, name): value for name, value in data.items()}
    if "settings" in signature(verb).parameters:
        given.setdefault("settings", {})
    check_settings(verb, given, f"the request {name}")
    return await verb(**given)


_NAMES: JsonMapping = {"id": "env_id", "session": "key"}


def _numbered(n: object, body: bytes) -> bytes:
    return b'{"n":' + encoded(n) + b"," + body[1:]
