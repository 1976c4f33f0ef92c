"""Ids of calls that no two turns share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stb_env.jsontypes import JsonMapping, JsonObject


def with_call_ids(messages: Iterable[JsonMapping]) -> Iterator[JsonObject]:
    """Yield chat messages in which every call has an id of its own, and each result the id of its call.

    A step numbers its calls from 0, so that a conversation has ``call_0`` in every turn. Frameworks look a
    call up by its id.

    Args:
        messages: OpenAI chat messages; they stay as they are.

    Examples:
        >>> turn = [{"role": "assistant", "tool_calls": [{"id": "call_0"}]},
        ...         {"role": "tool", "tool_call_id": "call_0", "content": "42"}]
        >>> [message["tool_calls"][0]["id"] for message in with_call_ids(turn * 2) if "tool_calls" in message]
        ['call_0', 'call_1']
        >>> [message["tool_call_id"] for message in with_call_ids(turn * 2) if "tool_call_id" in message]
        ['call_0', 'call_1']
    """
    made, turn = 0, dict[str, str]()
    for message in messages:
        calls = message.get("tool_calls")
        if calls:
            turn = {call["id"]: f"call_{made + number}" for number, call in enumerate(calls)}
            made += len(calls)
            yield {**message, "tool_calls": [{**call, "id": turn[call["id"]]} for call in calls]}
        elif message["role"] == "tool":
            yield {**message, "tool_call_id": turn.get(message["tool_call_id"], message["tool_call_id"])}
        else:
            yield dict(message)
