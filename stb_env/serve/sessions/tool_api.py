"""The tools of a session's episode as an HTTP API, with an OpenAPI document of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.serve.sessions.refusals import NotStarted
from stb_env.serve.sessions.session_store import SessionStore

_RESULT: JsonObject = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "Why the call was refused; empty where it was not."},
        "response": {"description": "Result of the call."},
        "reward": {"type": "number", "description": "What the call earned."},
        "over": {"type": "boolean", "description": "Whether the episode is over."},
    },
    "required": ["error", "response", "reward", "over"],
}


def openapi_of(store: SessionStore, key: str) -> JsonObject:
    """Return the OpenAPI document of the tools that an episode offers now.

    Args:
        store: Has the session.
        key: The session.

    Raises:
        UnknownSession: No session has this key.
        NotStarted: No episode was started in it.
    """
    session = store.sessions.get(key)
    if not session.shown:
        raise NotStarted(
            "no tools were shown in this session since it was opened or restored; reset it, or play a step"
        )
    offered = [tool["function"] for tool in json.loads(session.shown)]
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Tools of an episode of {session.env_id}", "version": __version__},
        "servers": [{"url": f"/sessions/{key}/tools"}],
        "paths": {f"/{quote(each['name'], safe='')}": {"post": _operation(each)} for each in offered},
    }


async def call(store: SessionStore, key: str, name: str, arguments: Mapping[str, object]) -> JsonObject:
    """Call a tool, which is one step of the episode.

    Args:
        store: Has the session.
        key: The session.
        name: The tool's name; one that is not offered costs a turn, as it does everywhere.
        arguments: Its arguments.

    Returns:
        ``error`` and ``response`` of the tool, the ``reward``, and whether the episode is ``over``.

    Raises:
        NotStarted: No episode is running.
    """
    body = await store.step(key, {"action": {"name": name, "arguments": dict(arguments)}})
    transition = json.loads(body)
    over = transition["terminated"] or transition["truncated"]
    result = transition["observation"]["result"]
    told = json.loads(result) if result else {"error": "", "response": ""}
    return {**told, "reward": transition["reward"], "over": over}


def _operation(function: Mapping[str, object]) -> JsonObject:
    return {
        "operationId": function["name"],
        "description": function.get("description", ""),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": function.get("parameters", {"type": "object"})}},
        },
        "responses": {
            "200": {
                "description": "The call was made; `error` says whether the tool refused it.",
                "content": {"application/json": {"schema": _RESULT}},
            }
        },
    }
