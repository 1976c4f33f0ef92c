"""Chat messages as Inspect's."""

from __future__ import annotations

import json
from collections.abc import Iterable

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.tool import ToolCall

from stb_env.integrations.call_ids import with_call_ids
from stb_env.jsontypes import JsonMapping


def chat(messages: Iterable[JsonMapping]) -> list[ChatMessage]:
    """Return OpenAI chat messages as Inspect's, every call with an id of its own."""
    return [_message(message) for message in with_call_ids(messages)]


def _message(message: JsonMapping) -> ChatMessage:
    text = message["content"] or ""
    match message["role"]:
        case "system":
            return ChatMessageSystem(content=text)
        case "assistant":
            calls = [_call(call) for call in message.get("tool_calls") or ()]
            return ChatMessageAssistant(content=text, tool_calls=calls or None)
        case "tool":
            return ChatMessageTool(content=text, tool_call_id=message["tool_call_id"])
    return ChatMessageUser(content=text)


def _call(call: JsonMapping) -> ToolCall:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(id=call["id"], function=function["name"], arguments=arguments)
    return ToolCall(id=call["id"], function=function["name"], arguments={}, parse_error=function["arguments"])
