"""Calls in decoded data: flat calls, lists of them, and OpenAI assistant messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from stb_env.actions.action import MAX_CALLS, Reading
from stb_env.actions.known import Known
from stb_env.actions.near_keys import near_call
from stb_env.actions.plain import MAX_DEPTH, MAX_TEXT, clean, plain
from stb_env.actions.python_text import literal
from stb_env.core import jsontext
from stb_env.tools import ToolCall

MAX_WRITTEN_NAME = 256
MAX_ID = 256
_USUAL_TEXT = 65_536
_STRAIGHT = str.maketrans("“”„‟", '""""')
# What has no end goes on to the end: looked for from each place anew, it would take quadratic time.
_STRING = r'(?P<kept>"(?:[^"\\\n]|\\.)*"?)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")

ABSENT: Final = object()
"""Stands for the value of a text that is neither JSON nor a Python literal."""

# A plain type stands first: a check against an abstract class costs several times as much.
_MAPPING = (dict, Mapping)
_ARGUMENTS = ("arguments", "parameters")
_INNER_ARGUMENTS = (*_ARGUMENTS, "args", "input")
_BARE_CALL = frozenset({"name", "id", "type"})
# Keys under which objects without a name of their own carry calls.
_WRAPPERS = ("tool_call", "tool_uses", "function_calls", "actions", "calls", "action", "parts")
# Keys under which the parts of a message carry a call: OpenAI's, Gemini's and Bedrock's.
_INNER = ("function", "functionCall", "toolUse")


def read_value(text: str) -> object:
    """Read a JSON object or list, or one in Python's notation; `ABSENT` where the text is neither.

    Examples:
        >>> read_value('{"a": true}'), read_value("{'a': True}"), read_value("[a(") is ABSENT
        ({'a': True}, {'a': True}, True)
        >>> read_value('{“a”: 1, /* one */}')
        {'a': 1}
    """
    text = text.strip()
    if not text.startswith(("{", "[")):
        return ABSENT
    for read in (jsontext.loads, literal, _loose):
        with suppress(ValueError):
            return read(text)
    return ABSENT


def _loose(text: str) -> object:
    """Read JSON with comments, commas before a closing brace, or curly quotes around keys and values."""
    text = text.translate(_STRAIGHT)
    for pattern in (_COMMENT, _LAST_COMMA):
        text = pattern.sub(lambda found: found["kept"] or "", text)
    return jsontext.loads(text)


def usual_value(text: str) -> object:
    """Read a short JSON text in ASCII, as agents write most; `ABSENT` where it is anything else.

    `ABSENT` too where the general readers might bound or clean something, so nothing is left to do.

    Examples:
        >>> usual_value('{"n": 1}'), usual_value("{'n': 1}") is ABSENT
        ({'n': 1}, True)
    """
    if len(text) > _USUAL_TEXT or not text.isascii() or "\\u" in text:
        return ABSENT
    if text.count("{") + text.count("[") >= MAX_DEPTH:
        return ABSENT
    try:
        return jsontext.loads(text)
    except ValueError:
        return ABSENT


def read_arguments(value: object) -> Mapping[str, object] | str:
    """Read the arguments of a call: an object, or the raw text where what was written is no object.

    Examples:
        >>> read_arguments('{"n": 1}'), read_arguments(None), read_arguments("n = 1"), read_arguments([1])
        ({'n': 1}, {}, 'n = 1', '[1]')
    """
    if value is None:
        return {}
    if isinstance(value, str):
        usual = usual_value(value)
        if type(usual) is dict:
            return usual
        text = clean(value)[:MAX_TEXT]
        value = read_value(text)
        if not isinstance(value, Mapping):
            return text
    data = plain(value)
    return data if isinstance(data, dict | str) else jsontext.dumps(data)[:MAX_TEXT]


def make_call(name: str, arguments: object, call_id: object = "") -> ToolCall:
    """Build a call from unchecked parts; the name is kept as written, up to `MAX_WRITTEN_NAME` characters."""
    return ToolCall(clean(name)[:MAX_WRITTEN_NAME], read_arguments(arguments), _read_id(call_id))


def _read_id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(plain(value))
    return clean(value)[:MAX_ID] if isinstance(value, str) else ""


def read_call(data: object, known: Known = None) -> ToolCall | None:
    """Return the call that an object describes, or None.

    Examples:
        >>> read_call({"name": "ping", "arguments": '{"n": 1}', "id": "c7"})
        ToolCall(name='ping', arguments={'n': 1}, id='c7')
        >>> read_call({"name": "ping", "parameters": {}}) == read_call({"name": "ping"})
        True
        >>> read_call({"name": "Ada", "age": 36}) is None
        True
        >>> read_call({"tool": "ping", "args": {"n": 1}}) == read_call({"ping": {"n": 1}}, {"ping"})
        True
    """
    if not isinstance(data, _MAPPING):
        return None
    function = next((data[key] for key in _INNER if key in data), data)
    if not isinstance(function, _MAPPING) or not isinstance(name := function.get("name"), str):
        return _near(data, known)
    for key in _ARGUMENTS if function is data else _INNER_ARGUMENTS:
        if key in function:
            # A tool's own description has a schema there.
            if key == "parameters" and isinstance(function[key], _MAPPING) and "properties" in function[key]:
                return None
            return make_call(name, function[key], data.get("id"))
    return make_call(name, None, data.get("id")) if set(function) <= _BARE_CALL else _near(function, known)


def _near(data: Mapping[str, object], known: Known) -> ToolCall | None:
    near = near_call(data, known)
    return None if near is None else make_call(near.name, near.arguments, data.get("id"))


def read_data(data: object, max_calls: int = MAX_CALLS, known: Known = None) -> Reading:
    """Find the calls of decoded data and, in a message, its content.

    Examples:
        >>> message = {"content": "Look it up.", "function_call": {"name": "ping", "arguments": "{}"}}
        >>> read_data(message)
        Reading(calls=[ToolCall(name='ping', arguments={}, id='')], text='Look it up.')
    """
    found = (call for item in _candidates(data) if (call := read_call(item, known)) is not None)
    return Reading(list(islice(found, max_calls)), _content(data))


def _candidates(data: object) -> Sequence[object]:
    if isinstance(data, list | tuple):
        return data
    if not isinstance(data, _MAPPING):
        return ()
    listed = data.get("tool_calls")
    if isinstance(listed, list | tuple) and listed:
        return listed
    content = data.get("content")
    if isinstance(content, list | tuple):
        return content
    legacy = data.get("function_call")
    if legacy is not None:
        return (legacy,)
    inner = next((data[key] for key in _WRAPPERS if key in data), None) if "name" not in data else None
    if isinstance(inner, Mapping):
        return (inner,)
    if isinstance(inner, list | tuple):
        return inner
    return (data,)


def _content(data: object) -> str:
    content = data.get("content") if isinstance(data, _MAPPING) else None
    if isinstance(content, list | tuple):
        content = "\n".join(_part_texts(content))
    return clean(content)[:MAX_TEXT] if isinstance(content, str) else ""


def _part_texts(parts: Sequence[object]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text
