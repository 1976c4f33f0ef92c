"""DeepSeek: names and arguments between tokens; V2, V3 and R1 with a fence, V3.1 without one."""

from __future__ import annotations

import re
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside, unfence
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

_BAR = "[|｜]"
_BLANK = "[▁_ ]"


def _token(words: str) -> str:
    return f"<{_BAR}{words.replace(' ', _BLANK)}{_BAR}>"


_BEGIN = _token("tool call begin")
MARK = re.compile(f"{_BEGIN}|{_token('tool calls begin')}")

_WRAP = re.compile(f"{_token('tool calls begin')}|{_token('tool calls end')}")
_CALL = re.compile(f"{_BEGIN}(.*?)(?:{_token('tool call end')}|(?={_BEGIN})|\\Z)", re.DOTALL)
_SEPARATOR = re.compile(_token("tool sep"))


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    r"""Read the calls between tokens.

    Examples:
        >>> read('<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{"n": 1}<｜tool▁call▁end｜>', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
        >>> read('<｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{"n": 1}\n```', 64).calls
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
    """
    text = _WRAP.sub("", text)
    bodies = islice(_CALL.finditer(text), max_calls)
    calls = [call for body in bodies if (call := _call(body[1])) is not None]
    return Reading(calls, outside(_CALL.split(text)[0::2])) if calls else None


def _call(body: str) -> ToolCall | None:
    head, *rest = _SEPARATOR.split(body, maxsplit=1)
    if not rest:
        return None
    name, arguments = head.strip(), rest[0]
    if name == "function":
        # The kind comes first, and the name has a line of its own.
        name, _, arguments = arguments.strip().partition("\n")
    return make_call(name.strip(), unfence(arguments)) if name.strip() else None
