"""Calls in marked blocks: ``<tool_call>`` tags and Markdown fences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from stb_env.actions import program
from stb_env.actions.action import Reading
from stb_env.actions.structured import ABSENT, read_data, read_value
from stb_env.tools import ToolCall

FENCE = "```"

# An unclosed tag runs to the end: models stop before the closing one.
_TAG = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_LANGUAGE = re.compile(r"[ \t]*(?:[\w+-]*[ \t]*(?:\r?\n|\Z)|(?:json|python)\b)")


def read_tags(text: str, max_calls: int) -> Reading | None:
    """Read JSON calls inside ``<tool_call>`` tags, as Hermes and Qwen models write them.

    Examples:
        >>> tagged = '<tool_call>{"name": "a"}</tool_call><tool_call>{"name": "b"}</tool_call>'
        >>> [call.name for call in read_tags(tagged, 64).calls]
        ['a', 'b']
    """
    if "<tool_call>" not in text:
        return None
    calls: list[ToolCall] = []
    # Python's parser, the second try, costs more than a search, so blocks are bounded like calls.
    for match in islice(_TAG.finditer(text), max_calls):
        calls += _json_calls(match[1], max_calls)
    return Reading(calls, _outside(_TAG.split(text)[0::2])) if calls else None


def read_fences(text: str, max_calls: int) -> Reading | None:
    r"""Read JSON calls or a program inside Markdown fences.

    Examples:
        >>> read_fences('So:\n```json\n{"name": "a", "arguments": {"n": 1}}\n```', 64)
        Reading(calls=[ToolCall(name='a', arguments={'n': 1}, id='')], text='So:')
    """
    if FENCE not in text:
        return None
    segments = text.split(FENCE)
    calls: list[ToolCall] = []
    for body in segments[1::2][:max_calls]:
        body = _without_language(body)
        calls += _json_calls(body, max_calls) or program.calls_in(body, max_calls)
    return Reading(calls, _outside(segments[0::2])) if calls else None


def unfence(text: str) -> str:
    r"""Remove blanks and a fence around a text.

    Examples:
        >>> unfence(' ```json\n{"n": 1}\n``` '), unfence("a ``` b")
        ('{"n": 1}', 'a ``` b')
    """
    text = text.strip()
    if text.startswith(FENCE):
        text = _without_language(text[len(FENCE) :])
    return text.removesuffix(FENCE).strip()


def _without_language(body: str) -> str:
    language = _LANGUAGE.match(body)
    return body[language.end() :] if language else body


def _json_calls(body: str, max_calls: int) -> list[ToolCall]:
    value = read_value(body)
    if value is not ABSENT:
        return read_data(value, max_calls).calls
    lines = [value for line in body.split("\n")[:max_calls] if (value := read_value(line)) is not ABSENT]
    return [call for value in lines for call in read_data(value, max_calls).calls]


def _outside(parts: Iterable[str]) -> str:
    return "\n".join(part for part in (part.strip() for part in parts) if part)
