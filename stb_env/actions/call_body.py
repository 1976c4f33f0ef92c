"""Parse the text between the marks of a call: JSON in most families, else a program."""

from __future__ import annotations

import re

from stb_env.actions import bracketed, program
from stb_env.actions.braces import balanced, end_of
from stb_env.actions.known import Known
from stb_env.actions.structured import ABSENT, read_data, read_value
from stb_env.tools import ToolCall

_BROKEN = re.compile(
    r'\{\s*"name"\s*:\s*"([\w.:-]{1,256})"\s*,\s*"(?:arguments|parameters)"\s*:\s*(\S.*)', re.DOTALL
)
_BETWEEN = re.compile(r"[\s;,]*")


def json_calls(text: str, max_calls: int, known: Known) -> list[ToolCall]:
    r"""Read calls in JSON: a value, several in a row, one a line, or one with a brace too few or too many.

    Examples:
        >>> [call.name for call in json_calls('{"name": "a"}; {"name": "b"}', 64, None)]
        ['a', 'b']
        >>> json_calls('{"name": "a", "arguments": {"n": 1}', 64, None)
        [ToolCall(name='a', arguments={'n': 1}, id='')]
    """
    text = text.strip()
    if "{" not in text:
        return []
    if not text.startswith(("{", "[")):
        return _by_line(text, max_calls, known)
    value = read_value(text)
    if value is not ABSENT:
        return read_data(value, max_calls, known).calls
    found = _in_a_row(text, max_calls, known) or _by_line(text, max_calls, known)
    if found:
        return found
    repaired = balanced(text)
    value = ABSENT if repaired is None else read_value(repaired)
    return [] if value is ABSENT else read_data(value, max_calls, known).calls


def calls_of(text: str, max_calls: int, known: Known) -> list[ToolCall]:
    """Read calls in JSON, in a bracket or in a program.

    A call in JSON that is broken after its name keeps what stands there as the text of its arguments, so that
    it is told what is wrong with them.

    Examples:
        >>> [call.name for call in calls_of("[a(n=1), b()]", 64, None)]
        ['a', 'b']
        >>> calls_of('{"name": "a", "arguments": {"n": "1}}', 64, None)
        [ToolCall(name='a', arguments='{"n": "1}', id='')]
    """
    return (
        json_calls(text, max_calls, known)
        or bracketed.list_of_calls(text)[:max_calls]
        or program.calls_in(text, max_calls)
        or _broken(text)
    )


def _broken(text: str) -> list[ToolCall]:
    found = _BROKEN.fullmatch(text.strip())
    return [] if found is None else [ToolCall(found[1], found[2].removesuffix("}"))]


def _in_a_row(text: str, max_calls: int, known: Known) -> list[ToolCall]:
    calls: list[ToolCall] = []
    position = 0
    while position < len(text) and len(calls) < max_calls:
        end = end_of(text, position) if text[position] in "{[" else None
        found = [] if end is None else read_data(read_value(text[position:end]), max_calls, known).calls
        if not found:
            return []
        calls += found
        position = _after(text, end or 0)
    return calls


def _after(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    return between.end() if between else position


def _by_line(text: str, max_calls: int, known: Known) -> list[ToolCall]:
    lines = (read_value(line) for line in text.split("\n")[:max_calls])
    found = [read_data(value, max_calls, known).calls for value in lines if value is not ABSENT]
    return [call for calls in found for call in calls]
