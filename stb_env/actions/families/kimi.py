"""Kimi K2: ``<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{...}<|tool_call_end|>``."""

from __future__ import annotations

import re
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call

MARK = re.compile(r"<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>")

_WRAP = re.compile(r"<\|tool_calls_section_(?:begin|end)\|>")
_CALL = re.compile(
    r"<\|tool_call_begin\|>\s*(?P<id>(?:functions\.)?(?P<name>[\w.-]{1,256})(?::\d{1,9})?)\s*"
    r"<\|tool_call_argument_begin\|>(?P<arguments>.*?)(?:<\|tool_call_end\|>|(?=<\|tool_call_begin\|>)|\Z)",
    re.DOTALL,
)


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read the calls between tokens; the id that Kimi gives a call holds its name.

    Examples:
        >>> read('<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"n": 1}', 64).calls
        [ToolCall(name='ping', arguments={'n': 1}, id='functions.ping:0')]
    """
    text = _WRAP.sub("", text)
    found = list(islice(_CALL.finditer(text), max_calls))
    calls = [make_call(call["name"], call["arguments"].strip() or None, call["id"]) for call in found]
    return Reading(calls, outside(_CALL.split(text)[0::4])) if calls else None
