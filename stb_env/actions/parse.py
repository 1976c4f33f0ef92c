"""Text or data to an action: tries each accepted form in turn and survives anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stb_env import jsontext
from stb_env.actions import blocks, bracketed, program, react
from stb_env.actions.action import MAX_CALLS, Action, Reading, arrange
from stb_env.actions.plain import MAX_DEPTH, MAX_TEXT, clean
from stb_env.actions.structured import ABSENT, MAX_ID, MAX_WRITTEN_NAME, read_data, read_value
from stb_env.jsontypes import JsonMapping
from stb_env.tools import ToolCall

_USUAL_TEXT = 65_536

Form = Callable[[str, int], Reading | None]
"""Reads a text of one form, at most so many calls; None where the text has no call of this form."""

FORMS: tuple[Form, ...] = (blocks.read_tags, react.read, blocks.read_fences, program.read, bracketed.read)
"""Forms of text that is no JSON, in the order in which they are tried; a further form joins here."""


def parse_action(
    action: str | bytes | JsonMapping | Sequence[Any] | None,
    *,
    max_text: int = MAX_TEXT,
    max_calls: int = MAX_CALLS,
) -> Action:
    r"""Read what an agent wrote, in any accepted form; never raises, whatever it is given.

    Without a call, the text is all that was written. Calls keep their order, except that the first Finish
    moves to the end and further ones are dropped. Arguments that are no object are kept as raw text.

    Args:
        action: Text in one of the forms below, or a call, a list of calls or an assistant message.
        max_text: Only so many characters of a text are read.
        max_calls: Calls beyond this number are dropped.

    Examples:
        A JSON call, its arguments an object or the text of one; a list of calls:

        >>> parse_action('{"name": "ping", "arguments": {"n": 1}, "id": "a"}').calls
        (ToolCall(name='ping', arguments={'n': 1}, id='a'),)
        >>> parse_action('[{"name": "ping", "parameters": {}}, {"name": "pong"}]').calls
        (ToolCall(name='ping', arguments={}, id='call_0'), ToolCall(name='pong', arguments={}, id='call_1'))

        An OpenAI message, as text or as data:

        >>> call = {"id": "c", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
        >>> parse_action({"role": "assistant", "content": "Hm.", "tool_calls": [call]})
        Action(calls=(ToolCall(name='ping', arguments={'n': 1}, id='c'),), text='Hm.')

        JSON in tags or fences:

        >>> parse_action('First this. <tool_call>{"name": "ping", "arguments": {}}</tool_call>')
        Action(calls=(ToolCall(name='ping', arguments={}, id='call_0'),), text='First this.')

        ReAct text:

        >>> parse_action('Thought: I need it.\nAction: ping\nAction Input: {"n": 1}')
        Action(calls=(ToolCall(name='ping', arguments={'n': 1}, id='call_0'),), text='I need it.')

        A program, where positional arguments stand under ``"*"``, and a bracket:

        >>> parse_action('API.ping(1, "b")').calls
        (ToolCall(name='ping', arguments={'*': [1, 'b']}, id='call_0'),)
        >>> parse_action("API-Request: [Ping(n='1')]").calls
        (ToolCall(name='Ping', arguments={'n': '1'}, id='call_0'),)

        Anything else is text without a call:

        >>> parse_action("Hello (world).")
        Action(calls=(), text='Hello (world).')
    """
    if type(action) is str:
        usual = _parse_usual(action)
        if usual is not None:
            return usual
    if isinstance(action, bytes | bytearray):
        action = bytes(action[: 4 * max_text]).decode("utf-8", "replace")
    if isinstance(action, str):
        return _parse_text(clean(action)[:max_text], max_calls)
    calls, text = read_data(action, max_calls)
    return arrange(calls, text, max_calls) if calls else _parse_text(text[:max_text], max_calls)


def _parse_usual(text: str) -> Action | None:
    """Read what agents write most, one short JSON call in ASCII, at a third of the general readers' cost.

    None where the text is anything else, or where the general readers might bound or clean something.
    """
    if not text.startswith('{"name": ') or len(text) > _USUAL_TEXT or not text.isascii() or "\\u" in text:
        return None
    if text.count("{") + text.count("[") >= MAX_DEPTH:
        return None
    try:
        data = jsontext.loads(text)
    except ValueError:
        return None
    name, arguments, call_id = data["name"], data.get("arguments"), data.get("id", "call_0")
    if type(arguments) is not dict or type(name) is not str or type(call_id) is not str or not call_id:
        return None
    if len(data) != 2 + ("id" in data) or len(name) > MAX_WRITTEN_NAME or len(call_id) > MAX_ID:
        return None
    return Action((ToolCall(name, arguments, call_id),), "")


def _parse_text(text: str, max_calls: int) -> Action:
    data = read_value(text)
    if data is not ABSENT:
        calls, content = read_data(data, max_calls)
        if calls:
            return arrange(calls, content, max_calls)
        # The content of a message without calls is text like any other: many models write calls there.
        return _parse_text(content, max_calls) if content else Action((), text)
    for form in FORMS:
        reading = form(text, max_calls)
        if reading is not None:
            return arrange(reading.calls, reading.text, max_calls)
    return Action((), text)
