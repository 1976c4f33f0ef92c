"""Calls in tags, ``<tool_call>{...}</tool_call>``: Hermes, Qwen, Granite 4, Hunyuan, Nemotron.

GLM and Qwen3-coder put their own syntax into the same tags.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside, unfence
from stb_env.actions.call_body import calls_of
from stb_env.actions.families import anthropic, glm, qwen_coder
from stb_env.actions.known import Known
from stb_env.tools import ToolCall

_TAGS = r"(?:\w{1,20}[:_])?(?:tool_?calls?|function_?calls?|tool_use)"
MARK = re.compile(rf"<{_TAGS}>", re.IGNORECASE)

_TAG = re.compile(rf"(</?{_TAGS}>)", re.IGNORECASE)


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    """Read calls inside tags; an unclosed tag runs to the end, since models stop before the closing one.

    Examples:
        >>> tagged = '<tool_call>{"name": "a"}</tool_call><tool_call>{"name": "b"}</tool_call>'
        >>> [call.name for call in read(tagged, 64).calls]
        ['a', 'b']
    """
    before, *parts = _TAG.split(text)
    calls: list[ToolCall] = []
    beside = [before]
    bodies = 0
    for tag, part, following in zip_longest(parts[::2], parts[1::2], parts[2::2], fillvalue=""):
        if tag.startswith("</"):
            beside.append(part)
        elif part.strip() and bodies < max_calls:
            # Python's parser, the last try, costs more than a search, so blocks are bounded like calls.
            bodies += 1
            calls += _inside(part, max_calls, known, closed=following.startswith("</"))
    return Reading(calls, outside(beside)) if calls else None


def _inside(body: str, max_calls: int, known: Known, *, closed: bool) -> list[ToolCall]:
    body = unfence(body)
    if qwen_coder.MARK.match(body):
        return qwen_coder.calls_in(body, max_calls)
    if anthropic.MARK.match(body):
        return anthropic.calls_in(body, max_calls)
    if glm.BODY.match(body):
        return glm.calls_in(body, closed=closed)
    return calls_of(body, max_calls, known)
