"""Mistral: ``[TOOL_CALLS] [{...}]``, and since 2025 ``[TOOL_CALLS]f[ARGS]{...}``."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.call_body import json_calls
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

MARK = re.compile(r"\[TOOL_CALLS\]")

_CALL = re.compile(r"\s*([\w.:/-]{1,256})\s*(?:\[CALL_ID\]\s*([\w-]{1,256})\s*)?(?:\[ARGS\]|(?=\{))")


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    """Read the calls behind the mark, which stands before each of them or before their list.

    Examples:
        >>> read('[TOOL_CALLS]ping[CALL_ID]c7[ARGS]{"n": 1}', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='c7')], text='')
        >>> read('[TOOL_CALLS] [{"name": "ping", "arguments": {"n": 1}}]', 64).calls
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
    """
    before, *bodies = MARK.split(text)
    calls = [call for body in bodies[:max_calls] for call in _calls(body, max_calls, known)]
    return Reading(calls, outside([before])) if calls else None


def _calls(body: str, max_calls: int, known: Known) -> list[ToolCall]:
    call = _CALL.match(body)
    if call:
        return [make_call(call[1], body[call.end() :].strip(), call[2])]
    return json_calls(body, max_calls, known)
