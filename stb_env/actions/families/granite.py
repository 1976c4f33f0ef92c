"""Granite 3, Phi 4 mini, InternLM, LFM 2, Command R and xLAM: a token, then calls in JSON or a bracket."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside, unfence
from stb_env.actions.call_body import calls_of
from stb_env.actions.known import Known
from stb_env.tools import ToolCall

_BEGIN = (
    r"<\|tool_calls?\|>|<\|tool_call_start\|>|<\|tools_prefix\|>|<\|START_ACTION\|>|<\|action_start\|>"
    r"(?:\s*<\|(?:plugin|interpreter)\|>)?|\bfunctools(?=\s*\[)"
)
_END = (
    r"<\|/tool_calls?\|>|</\|tool_calls?\|>|<\|tool_call_end\|>|<\|tools_suffix\|>|<\|END_ACTION\|>"
    r"|<\|action_end\|>"
)
MARK = re.compile(_BEGIN)

_TOKEN = re.compile(f"({_BEGIN}|{_END})")


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    """Read what stands behind a token, up to the token that ends it.

    Examples:
        >>> read('<|tool_call|>[{"name": "ping", "arguments": {"n": 1}}]<|/tool_call|>', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
    """
    before, *parts = _TOKEN.split(text)
    calls: list[ToolCall] = []
    beside = [before]
    for token, part in zip(parts[: 4 * max_calls : 2], parts[1::2], strict=False):
        if MARK.match(token):
            calls += calls_of(unfence(part), max_calls, known)
        else:
            beside.append(part)
    return Reading(calls, outside(beside)) if calls else None
