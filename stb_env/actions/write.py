"""An action to its canonical JSON text."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env import jsontext
from stb_env.actions.action import Action
from stb_env.actions.plain import MAX_TEXT
from stb_env.errors import ActionError
from stb_env.jsontypes import JsonObject
from stb_env.tools import ToolCall


def format_action(action: Action | Sequence[ToolCall] | ToolCall) -> str:
    """Write an action as text that `parse_action` reads back as the same action.

    One call is a JSON object, several are a list, calls beside a text an OpenAI assistant message, and an
    action without a call is its text.

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
    if isinstance(action, Action):
        calls, text = action.calls, action.text
    else:
        calls, text = (action,) if isinstance(action, ToolCall) else tuple(action), ""
    written = _with_text(calls, text) if text else _join([_write(call) for call in calls])
    if len(written) > MAX_TEXT:
        raise ActionError(
            f"the action takes {len(written)} characters, at most {MAX_TEXT} are read; shorten it"
        )
    return written


def _with_text(calls: Sequence[ToolCall], text: str) -> str:
    if not calls:
        return text
    listed = ", ".join(_write(call) for call in calls)
    return f'{{"role": "assistant", "content": {jsontext.dumps(text)}, "tool_calls": [{listed}]}}'


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
