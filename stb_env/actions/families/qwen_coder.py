"""Calls as elements of Qwen3-Coder (``<function=f><parameter=n>1</parameter></function>``).

Llama 3.1 writes JSON inside the same element: ``<function=f>{"n": 1}</function>``.
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

MARK = re.compile(r"<function=")

_NAME = r"[\"']?([\w.:/-]{1,256})[\"']?"
_FUNCTION = re.compile(
    rf"(?:<(?:\w+:)?tool_call>\s*)?<function={_NAME}\s*>(.*?)"
    r"(?:</function>(?:\s*</(?:\w+:)?tool_call>)?|(?=<function=)|\Z)",
    re.DOTALL,
)
_PARAMETER = re.compile(rf"<parameter={_NAME}\s*>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read the calls of a text.

    Examples:
        >>> read("So: <function=ping><parameter=n>1</parameter></function>", 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='So:')
    """
    calls = calls_in(text, max_calls)
    return Reading(calls, outside(_FUNCTION.split(text)[0::3])) if calls else None


def calls_in(text: str, max_calls: int = 64) -> list[ToolCall]:
    """Return the calls of a text.

    Examples:
        >>> calls_in('<function=ping>{"n": 1}</function>')
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
    """
    found = islice(_FUNCTION.finditer(text), max_calls)
    return [
        make_call(function[1], _arguments(function[2], closed=function.end(2) < len(text)))
        for function in found
    ]


def _arguments(body: str, *, closed: bool) -> dict[str, object] | str:
    if not body.strip():
        return {}
    # One that was cut is text, which no tool takes.
    cut = not closed and body.count("<parameter=") > body.count("</parameter>")
    if cut or not body.lstrip().startswith("<parameter="):
        return body.strip()
    return {match[1]: value_of(match[2]) for match in _PARAMETER.finditer(body)}
