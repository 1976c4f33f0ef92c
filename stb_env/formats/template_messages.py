"""Messages in the form that chat templates render.

OpenAI's API carries the arguments of a call as JSON text, and a turn without words as null. Chat templates of
models take arguments as objects (one that is given a text writes it escaped, or fails) and words as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError


class ArgumentsError(DataError):
    """The arguments of a call are no JSON object, so no chat template can render the call."""


def template_messages(messages: Iterable[JsonMapping], *, lenient: bool = False) -> list[JsonObject]:
    """Return OpenAI chat messages as chat templates take them; copies what it changes.

    Args:
        messages: OpenAI chat messages; arguments that are objects already stay.
        lenient: Whether arguments that are no JSON object are shown under the name ``arguments``, for a
            prompt that has to be made whatever the model wrote before.

    Raises:
        ArgumentsError: The arguments of a call are no JSON object.

    Examples:
        >>> call = {"id": "c0", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
        >>> (said,) = template_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])
        >>> said["content"], said["tool_calls"][0]["function"]
        ('', {'name': 'ping', 'arguments': {'n': 1}})
    """
    return [_message(message, lenient=lenient) for message in messages]


def _message(message: JsonMapping, *, lenient: bool) -> JsonObject:
    changed: JsonObject = {**message, "content": message.get("content") or ""}
    if calls := message.get("tool_calls"):
        changed["tool_calls"] = [_call(call, lenient=lenient) for call in calls]
    return changed


def _call(call: JsonMapping, *, lenient: bool) -> JsonObject:
    function: JsonMapping = call["function"]
    given = function["arguments"]
    arguments = _read(given) if isinstance(given, str) else given
    if not isinstance(arguments, Mapping):
        if not lenient:
            raise ArgumentsError(
                f"the arguments of a call of {function['name']!r} are no JSON object, got {given!r:.80}; "
                "chat templates render objects alone"
            )
        arguments = {"arguments": given}
    return {**call, "function": {**function, "arguments": arguments}}


def _read(text: str) -> object:
    try:
        return jsontext.loads(text)
    except ValueError:
        return None
