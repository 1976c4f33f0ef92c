"""An action to its canonical JSON text."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.actions.action import Action
from stb_env.actions.plain import MAX_TEXT
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ActionError
from stb_env.tools import ToolCall


def format_action(action: Action | Sequence[ToolCall] | ToolCall) -> str:
    """Write an action as text that `parse_action` reads back as the same action.

    One call is a JSON object, several are a list, and an action without a call is its text; calls beside a
    text, and whatever has a thought, are an OpenAI assistant message.

    Raises:
        ActionError: An argument has no JSON form, or the text is longer than `parse_action` reads.

    Examples:
        >>> format_action(ToolCall("ping", {"n": 1}, "a"))
        '{"name": "ping", "arguments": {"n": 1}, "id": "a"}'
        >>> format_action(Action((ToolCall("ping", {}),), "Hm."))
        '{"role": "assistant", "content": "Hm.", "tool_calls": [{"name": "ping", "arguments": {}}]}'
        >>> format_action(ToolCall("ping", {"when": {1}}))
        Traceback (most recent call last):
        ...
        stb_env.errors.ActionError: give 'ping' plain JSON data: Object of type set is not JSON serializable
    """
    if isinstance(action, ToolCall):
        written = _write(action)
    elif isinstance(action, Action) and (action.thought or (action.text and action.calls)):
        written = _message(action)
    elif isinstance(action, Action):
        written = action.text or _join([_write(call) for call in action.calls])
    else:
        written = _join([_write(call) for call in action])
    if len(written) > MAX_TEXT:
        raise ActionError(
            f"the action takes {len(written)} characters, at most {MAX_TEXT} are read; shorten it"
        )
    return written


def _message(action: Action) -> str:
    members = {"role": "assistant", "content": action.text}
    if action.thought:
        members["reasoning_content"] = action.thought
    message = jsontext.dumps(members)
    listed = ", ".join(_write(call) for call in action.calls)
    return f'{message[:-1]}, "tool_calls": [{listed}]}}' if listed else message


def _join(written: list[str]) -> str:
    if not written:
        return ""
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _write(call: ToolCall) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
    data: JsonObject = {"name": call.name, "arguments": arguments}
    if call.id:
        data["id"] = call.id
    try:
        return jsontext.dumps(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise ActionError(f"give {call.name!r} plain JSON data: {error}") from error
