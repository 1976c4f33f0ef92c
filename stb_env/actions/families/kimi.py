"""Kimi K2: ``<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{...}<|tool_call_end|>``.

K3 opens and closes elements by name: ``<|open|>call tool="f" index="1"<|sep|>...<|close|>call<|sep|>``.
"""

from __future__ import annotations

import re
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.families.elements import value_of
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import JsonObject

MARK = re.compile(r"<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>|<\|open\|>call\b")

_WRAP = re.compile(r"<\|tool_calls_section_(?:begin|end)\|>")
_CALL = re.compile(
    r"<\|tool_call_begin\|>\s*(?P<id>(?:functions\.)?(?P<name>[\w.-]{1,256})(?::\d{1,9})?)\s*"
    r"<\|tool_call_argument_begin\|>(?P<arguments>.*?)(?:<\|tool_call_end\|>|(?=<\|tool_call_begin\|>)|\Z)",
    re.DOTALL,
)
_ELEMENT = re.compile(
    r'<\|open\|>call tool="([\w.-]{1,256})"[^<>|]{0,99}<\|sep\|>(.*?)<\|close\|>call<\|sep\|>', re.DOTALL
)
_ARGUMENT = re.compile(
    r'<\|open\|>argument key="([^"]{1,256})"(?: type="(\w{1,20})")?<\|sep\|>'
    r"(.*?)<\|close\|>argument<\|sep\|>",
    re.DOTALL,
)
_FRAME = re.compile(r"<\|(?:open|close)\|>[a-z]{1,20}<\|sep\|>")


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read the calls between tokens; the id that Kimi gives a call holds its name.

    Examples:
        >>> read('<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"n": 1}', 64).calls
        [ToolCall(name='ping', arguments={'n': 1}, id='functions.ping:0')]
    """
    if "<|open|>call" in text:
        return _elements(text, max_calls)
    text = _WRAP.sub("", text)
    found = list(islice(_CALL.finditer(text), max_calls))
    calls = [make_call(call["name"], call["arguments"].strip() or None, call["id"]) for call in found]
    return Reading(calls, outside(_CALL.split(text)[0::4])) if calls else None


def _elements(text: str, max_calls: int) -> Reading | None:
    """Read K3's elements; one that was cut is no call.

    Examples:
        >>> text = '<|open|>call tool="ping" index="1"<|sep|><|open|>argument key="n" type="number"<|sep|>1'
        >>> _elements(text + "<|close|>argument<|sep|><|close|>call<|sep|>", 64).calls
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
        >>> _elements(text, 64) is None
        True
    """
    found = islice(_ELEMENT.finditer(text), max_calls)
    calls = [make_call(call[1], _arguments(call[2])) for call in found]
    beside = (_FRAME.sub("", part) for part in _ELEMENT.split(text)[0::3])
    return Reading(calls, outside(beside)) if calls else None


def _arguments(body: str) -> JsonObject:
    return {
        name: text if kind == "string" else value_of(text) for name, kind, text in _ARGUMENT.findall(body)
    }
