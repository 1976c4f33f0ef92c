"""WebSockets: one client's episodes over one connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from stb_env.errors import STBError
from stb_env.serve.openenv import rpc
from stb_env.serve.openenv.messages import ACTION, Reset
from stb_env.serve.openenv.play import Play, Plays
from stb_env.serve.sessions.refusals import NoRoom, UnknownSession
from stb_env.serve.sessions.socket import received_text

POLICY, TRY_LATER = 1008, 1013
"""Why a WebSocket is closed: it asks for what there is not, or there is no room now."""


async def serve(socket: WebSocket, plays: Plays) -> None:
    """Answer the messages of a client: reset, step, state, mcp and close."""
    await socket.accept()
    try:
        async with _held(plays, socket.query_params.get("session_id")) as play:
            while (message := await _message(socket)) != {"type": "close"}:
                await socket.send_text(json.dumps(await _answer(plays, play, message)))
    except NoRoom as error:
        await _refuse(socket, "CAPACITY_REACHED", f"Server at capacity: {error}", TRY_LATER)
    except UnknownSession as error:
        await _refuse(socket, "SESSION_ERROR", str(error), POLICY)
    except WebSocketDisconnect:
        # The client has left; its session is closed by now.
        return
    else:
        await socket.close()


async def serve_rpc(socket: WebSocket, plays: Plays) -> None:
    """Answer JSON-RPC over a WebSocket, which has a session of its own."""
    await socket.accept()
    try:
        async with _held(plays, None) as play:
            while True:
                answer = await rpc.answer_text(plays, await received_text(socket), play)
                await socket.send_text(json.dumps(answer))
    except NoRoom as error:
        await socket.send_text(json.dumps(rpc.failed(None, rpc.SERVER_ERROR, f"Server at capacity: {error}")))
        await socket.close(TRY_LATER)
    except WebSocketDisconnect:
        # The client has left; its session is closed by now.
        return


@asynccontextmanager
async def _held(plays: Plays, session_id: str | None) -> AsyncIterator[Play]:
    """Hold the session that JSON-RPC opened before, or one of this connection's own, which ends with it."""
    own = session_id is None
    play = await plays.open() if own else plays.get(session_id)
    if play.attached:
        raise UnknownSession(
            f"another WebSocket holds the session {session_id!r:.60}; close that, or open another"
        )
    play.attached = True
    try:
        yield play
    finally:
        play.attached = False
        if own or play.closing:
            await plays.close(play)


async def _message(socket: WebSocket) -> object:
    """Return the next message that is JSON."""
    while True:
        text = await received_text(socket)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            await socket.send_text(json.dumps(_error("INVALID_JSON", f"Invalid JSON: {error}")))


async def _answer(plays: Plays, play: Play, message: object) -> dict[str, object]:
    if not isinstance(message, dict):
        return _error("VALIDATION_ERROR", "a message is a JSON object with type and data")
    kind, data = message.get("type"), message.get("data", {})
    try:
        if kind == "reset":
            return {"type": "observation", "data": (await play.reset(Reset.model_validate(data))).payload()}
        if kind == "step":
            typed = {"type": "call_tool", **data} if isinstance(data, dict) else data
            return {"type": "observation", "data": (await play.step(ACTION.validate_python(typed))).payload()}
        if kind == "state":
            return {"type": "state", "data": (await play.state()).model_dump()}
        if kind == "mcp":
            return {"type": "mcp", "data": await rpc.answer(plays, data, play)}
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        return _error("VALIDATION_ERROR", "Invalid message", errors=errors)
    except UnknownSession:
        # It was idle for too long: nothing that this connection asks can succeed.
        raise
    except STBError as error:
        return _error("EXECUTION_ERROR", str(error))
    return _error(
        "UNKNOWN_TYPE", f"Unknown message type: {kind!s:.60}; expected reset, step, state, mcp or close"
    )


async def _refuse(socket: WebSocket, code: str, message: str, reason: int) -> None:
    await socket.send_text(json.dumps(_error(code, message)))
    await socket.close(reason)


def _error(code: str, message: str, **more: object) -> dict[str, object]:
    return {"type": "error", "data": {"message": message, "code": code, **more}}
