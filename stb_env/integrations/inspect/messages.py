"""Chat messages as Inspect's."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.tool import ToolCall

from stb_env.core.jsontypes import JsonMapping


def chat(messages: Iterable[JsonMapping]) -> list[ChatMessage]:
    """Return OpenAI chat messages as Inspect's, every call with an id of its own.

    A step numbers its calls from 0, so that a conversation has ``call_0`` in every turn; Inspect looks a call
    up by its id.
    """
    found: list[ChatMessage] = []
    numbers, ids = count(), dict[str, str]()
    for message in messages:
        text = message["content"] or ""
        match message["role"]:
            case "system":
                found.append(ChatMessageSystem(content=text))
            case "assistant":
                calls = message.get("tool_calls") or ()
                ids |= {call["id"]: f"call_{next(numbers)}" for call in calls}
                made = [_call(ids[call["id"]], call["function"]) for call in calls]
                found.append(ChatMessageAssistant(content=text, tool_calls=made or None))
            case "tool":
                call_id = message["tool_call_id"]
                found.append(ChatMessageTool(content=text, tool_call_id=ids.get(call_id, call_id)))
            case _:
                found.append(ChatMessageUser(content=text))
    return found


def _call(name: str, function: JsonMapping) -> ToolCall:
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(id=name, function=function["name"], arguments=arguments)
    return ToolCall(id=name, function=function["name"], arguments={}, parse_error=function["arguments"])
