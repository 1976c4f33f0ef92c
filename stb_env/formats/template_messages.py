"""Messages in the form that chat templates render.

OpenAI's API carries the arguments of a call as JSON text, and a turn without words as null. Chat templates of
models take arguments as objects (one that is given a text writes it escaped, or fails) and words as text, and
some of Mistral's take ids of calls of nine letters and digits alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError


class ArgumentsError(DataError):
    """The arguments of a call are no JSON object, so no chat template can render the call."""


def template_messages(messages: Iterable[JsonMapping], *, lenient: bool = False) -> list[JsonObject]:
    """Return OpenAI chat messages as chat templates take them; copies what it changes.

    Ids of calls that are not of nine letters and digits are numbered through the conversation.

    Args:
        messages: OpenAI chat messages; arguments that are objects already stay.
        lenient: Whether arguments that are no JSON object are shown under the name ``arguments``, for a
            prompt that has to be made whatever the model wrote before.

    Raises:
        ArgumentsError: The arguments of a call are no JSON object.

    Examples:
        >>> call = {"id": "c0", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
        >>> (said,) = template_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])
        >>> said["content"], said["tool_calls"][0]["function"], said["tool_calls"][0]["id"]
        ('', {'name': 'ping', 'arguments': {'n': 1}}, 'call00000')
    """
    rendered, number = [], count()
    ids: dict[str, str] = {}
    for message in messages:
        changed: JsonObject = {**message, "content": message.get("content") or ""}
        if calls := message.get("tool_calls"):
            # A turn numbers its calls from 0, so that its ids are those of the turn before.
            ids = {call["id"]: _id_of(call["id"], number) for call in calls if "id" in call}
            changed["tool_calls"] = [_call(call, ids, lenient=lenient) for call in calls]
        if "tool_call_id" in message:
            changed["tool_call_id"] = ids.get(message["tool_call_id"], message["tool_call_id"])
        rendered.append(changed)
    return rendered


def _id_of(given: str, number: Iterator[int]) -> str:
    return given if re.fullmatch("[a-zA-Z0-9]{9}", given) else f"call{next(number):05}"


def _call(call: JsonMapping, ids: Mapping[str, str], *, lenient: bool) -> JsonObject:
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
    identity = {"id": ids[call["id"]]} if "id" in call else {}
    return {**call, **identity, "function": {**function, "arguments": arguments}}


def _read(text: str) -> object:
    try:
        return jsontext.loads(text)
    except ValueError:
        return None
