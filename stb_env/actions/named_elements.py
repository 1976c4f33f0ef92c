"""Calls as an element that is named like the tool: ``<ping><n>1</n></ping>``."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.known import Known, is_known, types_of
from stb_env.actions.markup import value_of
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import JsonObject
from stb_env.tools import ToolCall

MARK = re.compile(r"<([A-Za-z_][\w-]{0,63})>(?=\s*[<{])")

_PARAMETER = re.compile(r"\s*<([A-Za-z_][\w-]{0,63})>(.*?)</\1>", re.DOTALL)
_TRIES = 16


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    """Read elements of known tools; an element that does not close is none.

    Examples:
        >>> read("I look. <ping><n>1</n></ping>", 64, {"ping"})
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='I look.')
    """
    if known is None:
        return None
    calls: list[ToolCall] = []
    beside: list[str] = []
    position = tries = 0
    while len(calls) < max_calls and tries < _TRIES and (mark := MARK.search(text, position)):
        end = text.find(f"</{mark[1]}>", mark.end()) if is_known(mark[1], known) else -1
        tries += end < 0
        if end >= 0:
            calls.append(make_call(mark[1], _arguments(mark[1], text[mark.end() : end], known)))
        beside.append(text[position : mark.start() if end >= 0 else mark.end()])
        position = mark.end() if end < 0 else end + len(mark[1]) + 3
    return Reading(calls, outside([*beside, text[position:]])) if calls else None


def _arguments(tool: str, body: str, known: Known) -> JsonObject | str:
    if body.lstrip().startswith("{"):
        return body.strip()
    given: JsonObject = {}
    position = 0
    while found := _PARAMETER.match(body, position):
        value = found[2].removeprefix("\n").removesuffix("\n")
        given[found[1]] = value if "string" in types_of(known, tool, found[1]) else value_of(value)
        position = found.end()
    return given if not body[position:].strip() else body.strip()
