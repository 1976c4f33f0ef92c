"""GLM 4.5: ``<tool_call>f<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>``, or an object after f."""

from __future__ import annotations

import re

from stb_env.actions.families.elements import value_of
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import JsonObject
from stb_env.tools import ToolCall

_NAME = re.compile(r"\s*([\w.:/-]{1,256})\s*")
BODY = re.compile(r"\s*[\w.:/-]{1,256}\s*(?:<arg_key>|\n\s*\{|\Z)")

_PAIR = re.compile(
    r"<arg_key>(.{0,256}?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|(?=<arg_key>)|\Z)", re.DOTALL
)


def calls_in(body: str, *, closed: bool = True) -> list[ToolCall]:
    r"""Read what stands in one pair of tags: a name, and pairs of keys and values or an object.

    Args:
        body: What stands there.
        closed: Whether the closing tag came; without it a last pair that is not whole was cut.

    Examples:
        >>> calls_in("ping<arg_key>n</arg_key><arg_value>1</arg_value>")
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
        >>> calls_in('ping\n{"n": 1}')
        [ToolCall(name='ping', arguments={'n': 1}, id='')]
        >>> calls_in("ping<arg_key>n</arg_key><arg_value>1", closed=False)
        [ToolCall(name='ping', arguments='<arg_key>n</arg_key><arg_value>1', id='')]
    """
    name = _NAME.match(body)
    if not name:
        return []
    rest = body[name.end() :]
    if not closed and rest.count("<arg_key>") > rest.count("</arg_value>"):
        # As text, which no tool takes.
        return [make_call(name[1], rest.strip())]
    pairs: JsonObject = {key.strip(): value_of(value) for key, value in _PAIR.findall(rest)}
    return [make_call(name[1], pairs or rest.strip() or None)]
