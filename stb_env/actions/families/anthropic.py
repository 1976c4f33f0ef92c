"""Calls as elements with attributes: ``<invoke name="f"><parameter name="n">1</parameter></invoke>``.

Claude's older form, and that of MiniMax M2, Step 3 and DeepSeek V3.2 and V4 with prefixes of their own.
"""

from __future__ import annotations

import re
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.families.elements import value_of
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

_PREFIX = r"(?:\w{1,20}:|[|｜]{1,2}DSML[|｜]{1,2}\s?)?"
_START = rf"<{_PREFIX}(?:invoke|function)\s+name\s*="
MARK = re.compile(_START)

_NAME = r"\s*[\"']?([\w.:/-]{1,256})[\"']?"
_WRAP = rf"(?:</?{_PREFIX}(?:function_calls|tool_calls?)>\s*)"
_INVOKE = re.compile(
    rf"{_WRAP}?{_START}{_NAME}[^<>]{{0,200}}>(.*?)(?:</{_PREFIX}(?:invoke|function)>|(?={_START})|\Z)",
    re.DOTALL,
)
_PARAMETER_START = rf"<{_PREFIX}parameter\s+name\s*="
_PARAMETER = re.compile(
    rf"{_PARAMETER_START}{_NAME}(?P<kind>[^<>]{{0,200}})>(?P<value>.*?)"
    rf"(?:(?P<end></{_PREFIX}parameter>)|(?={_PARAMETER_START})|\Z)",
    re.DOTALL,
)
_END = re.compile(_WRAP)


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read the calls of a text.

    Examples:
        >>> read('So: <invoke name="ping"><parameter name="n">1</parameter></invoke>', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='So:')
    """
    calls = calls_in(text, max_calls)
    beside = (_END.sub("", part) for part in _INVOKE.split(text)[0::3])
    return Reading(calls, outside(beside)) if calls else None


def calls_in(text: str, max_calls: int = 64) -> list[ToolCall]:
    """Return the calls of a text.

    Examples:
        >>> calls_in('<invoke name="ping"/>')
        [ToolCall(name='ping', arguments={}, id='')]
    """
    found = islice(_INVOKE.finditer(text), max_calls)
    return [make_call(invoke[1], _arguments(invoke[2], closed=invoke.end(2) < len(text))) for invoke in found]


def _arguments(body: str, *, closed: bool) -> dict[str, object] | str:
    found = list(_PARAMETER.finditer(body))
    # One that was cut is text, which no tool takes.
    if not found or (not closed and found[-1]["end"] is None):
        return _END.sub("", body).strip() or {}
    return {match[1]: _value(match) for match in found}


def _value(parameter: re.Match[str]) -> object:
    return parameter["value"] if 'string="true"' in parameter["kind"] else value_of(parameter["value"])
