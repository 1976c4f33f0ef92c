"""JSON-RPC as OpenEnv speaks it: sessions, and their tools."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import STBError
from stb_env.serve.openenv.messages import CallTool, ListTools, Rpc
from stb_env.serve.openenv.play import Play, Plays
from stb_env.serve.operations.refusals import Refusal, refusal

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
SERVER_ERROR = -32000


async def answer_text(plays: Plays, text: str | bytes, held: Play | None = None) -> dict[str, object]:
    """Answer a request as it came over the wire; see `answer`."""
    try:
        return await answer(plays, json.loads(text), held)
    except (ValueError, RecursionError) as error:
        return failed(None, PARSE_ERROR, f"the request is no JSON: {error}")


async def answer(plays: Plays, request: Any, held: Play | None = None) -> JsonObject:
    """Answer a request.

    Args:
        plays: Who plays.
        request: The request, from JSON.
        held: The play of the WebSocket that brings it; without, ``session_id`` names one.
    """
    try:
        rpc = Rpc.model_validate(request)
    except ValidationError as error:
        return failed(None, INVALID_REQUEST, f"no request of JSON-RPC 2.0: {_said(error)}")
    try:
        return {"jsonrpc": "2.0", "id": rpc.id, "result": await _result(plays, rpc, held)}
    except _NoMethod as error:
        return failed(rpc.id, METHOD_NOT_FOUND, str(error))
    except ValidationError as error:
        return failed(rpc.id, INVALID_PARAMS, _said(error))
    except STBError as error:
        found = refusal(error)
        return failed(rpc.id, INVALID_PARAMS if found.status < 500 else SERVER_ERROR, str(found))


def failed(request_id: str | int | None, code: int, message: str) -> JsonObject:
    """Return the answer that reports an error."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message, "data": None}}


class _NoMethod(STBError):
    pass


async def _result(plays: Plays, rpc: Rpc, held: Play | None) -> dict[str, object]:
    if rpc.method == "openenv/session/create":
        return {"session_id": (await plays.open()).key}
    if rpc.method == "openenv/session/close":
        return await _close(plays, plays.get(_session_id(rpc)), held)
    if rpc.method == "tools/list":
        listed = await _play(plays, rpc, held).step(ListTools())
        return {"tools": listed.model_dump()["tools"]}
    if rpc.method == "tools/call":
        call = CallTool.model_validate(
            {"tool_name": rpc.params.get("name"), "arguments": rpc.params.get("arguments", {})}
        )
        return (await _play(plays, rpc, held).step(call)).model_dump()
    raise _NoMethod(
        f"no method {rpc.method!r:.100}; there are openenv/session/create, openenv/session/close, "
        "tools/list and tools/call"
    )


async def _close(plays: Plays, play: Play, held: Play | None) -> dict[str, object]:
    if play is held:
        raise Refusal("this WebSocket holds the session; close the WebSocket", kind="in_use", status=409)
    if play.attached:
        # Whoever plays it over a WebSocket is not cut off.
        play.closing = True
        return {"session_id": play.key, "closed": False, "closing": True}
    await plays.close(play)
    return {"session_id": play.key, "closed": True}


def _play(plays: Plays, rpc: Rpc, held: Play | None) -> Play:
    return held if held is not None else plays.get(_session_id(rpc))


def _session_id(rpc: Rpc) -> str:
    given = rpc.params.get("session_id")
    if not given:
        raise Refusal(
            "params.session_id is missing, and tools belong to an episode; openenv/session/create opens one",
            kind="no_session",
        )
    return str(given)


def _said(error: ValidationError) -> str:
    said = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_input=False))
    return "; ".join(said)[:1_000]
