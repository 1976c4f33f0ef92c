"""Llama 3: calls behind ``<|python_tag|>``, in JSON, as a program, or as ``tool.call(...)``."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.call_body import calls_of
from stb_env.actions.known import Known

MARK = re.compile(r"<\|python_tag\|>")


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    """Read the calls behind the tag, which ends with the turn; several stand in a row, or ``;`` between them.

    Examples:
        >>> read('<|python_tag|>{"name": "ping", "parameters": {"n": 1}}', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
    """
    before, *bodies = MARK.split(text)
    calls = [call for body in bodies[:max_calls] for call in calls_of(body, max_calls, known)]
    return Reading(calls, outside([before])) if calls else None
