"""The conversations in answer files, ``train_messages``: two dialects, and one list for every reply.

The older dialect has one ``function_call`` a message and results of role ``function``; the current one has
``tool_calls`` with ids and results of role ``tool``. A list of messages is the conversation up to a reply, so
the last list is all of it. Messages flagged ``"valid": false`` showed the model earlier candidates; each list
keeps the latest of them alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from stb_env.core.jsontypes import JsonMapping, JsonObject

Message = JsonMapping


def is_legacy(messages: Iterable[Message]) -> bool:
    """Say whether messages are of the older dialect."""
    return any(m.get("function_call") or m.get("role") == "function" for m in messages)


def merge_lists(lists: Sequence[Sequence[Message]]) -> list[Message]:
    """Return the whole conversation, with every flagged message that any of the lists has in its place."""
    flagged: dict[int, list[Message]] = {}
    for messages in lists:
        position = 0
        for message in messages:
            if message.get("valid", True):
                position += 1
            elif message not in flagged.setdefault(position, []):
                flagged[position].append(message)
    merged: list[Message] = []
    lasting = (message for message in (lists[-1] if lists else ()) if message.get("valid", True))
    for position, message in enumerate(lasting):
        merged += [*flagged.get(position, ()), message]
    return merged


def split_lists(messages: Sequence[Message]) -> list[list[Message]]:
    """Return the lists of a conversation: one for every call, and one for every reply without calls.

    A thought with calls that follows a reply without any has that reply's list once more before its own.

    Examples:
        >>> user, reply = {"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}
        >>> [len(part) for part in split_lists([user, reply, user, reply])]
        [2, 4]
    """
    lists = []
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            calls = message.get("tool_calls") or ()
            said = _last_said(messages, index)
            if calls and message.get("content") is not None and messages[said]["role"] == "assistant":
                lists.append(_with_last_flagged(messages[: said + 1]))
            part = _with_last_flagged(messages[: index + 1])
            lists += [list(part) for _ in range(max(1, len(calls)))]
    return lists


def _last_said(messages: Sequence[Message], index: int) -> int:
    """Return the place of the last message before this one that is no user's."""
    return next((place for place in reversed(range(index)) if messages[place]["role"] != "user"), 0)


def _with_last_flagged(messages: Sequence[Message]) -> list[Message]:
    flagged = [index for index, message in enumerate(messages) if not message.get("valid", True)]
    dropped = set(flagged[:-1])
    return [message for index, message in enumerate(messages) if index not in dropped]


def to_current(messages: Iterable[Message]) -> list[dict[str, object]]:
    """Translate messages of either dialect into OpenAI chat messages; null calls are left out.

    Examples:
        >>> old = [{"role": "assistant", "function_call": {"name": "ping", "arguments": "{}"}},
        ...        {"role": "function", "name": "ping", "content": "pong"}]
        >>> new = to_current(old)
        >>> new[0]["tool_calls"][0]["id"] == new[1]["tool_call_id"], new[1]["role"]
        (True, 'tool')
    """
    translated: list[JsonObject] = []
    calls, call_id = 0, ""
    for message in messages:
        same = {k: v for k, v in message.items() if v is not None or k not in ("function_call", "tool_calls")}
        if "function_call" in same:
            call_id, calls = f"call_{calls}", calls + 1
            call = {"id": call_id, "type": "function", "function": dict(same.pop("function_call"))}
            same["tool_calls"] = [call]
        elif same["role"] == "function":
            same |= {"role": "tool", "tool_call_id": call_id}
        else:
            calls += len(same.get("tool_calls") or ())
        translated.append(same)
    return translated


def to_original(messages: Iterable[Message], *, legacy: bool) -> list[dict[str, object]]:
    """Translate OpenAI chat messages into those of answer files.

    Args:
        messages: The conversation.
        legacy: Whether the older dialect is wanted; it keeps the first call of each message alone.
    """
    names: dict[str, str] = {}
    translated = []
    for message in messages:
        same = dict(message)
        for call in same.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if same["role"] == "tool":
            same.setdefault("name", names.get(same.get("tool_call_id", ""), ""))
        translated.append(_older(same) if legacy else same)
    return translated


def _older(message: JsonObject) -> dict[str, object]:
    if message["role"] == "tool":
        kept = {name: value for name, value in message.items() if name != "tool_call_id"}
        return kept | {"role": "function"}
    if "tool_calls" in message:
        message["function_call"] = dict(message.pop("tool_calls")[0]["function"])
    return message


def opening(messages: Sequence[Message]) -> list[Message]:
    """Return messages that start with a system and a user message, as readers of the format expect."""
    return list(messages) if _roles(messages) == ["system", "user"] else [_EMPTY, *messages]


def _roles(messages: Sequence[Message]) -> list[str]:
    return [message["role"] for message in islice(messages, 2)]


_EMPTY: Message = {"role": "system", "content": ""}
