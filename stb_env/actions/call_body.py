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


def json_calls(text: str, max_calls: int, known: Known, *, closed: bool = False) -> list[ToolCall]:
    r"""Read calls in JSON: a value, several in a row, one a line, or one with a brace too few or too many.

    Args:
        text: The text.
        max_calls: Calls beyond this number are dropped.
        known: Names of the tools that there are.
        closed: Whether a mark says that the text is whole: JSON that breaks off was cut off otherwise.

    Examples:
        >>> [call.name for call in json_calls('{"name": "a"}; {"name": "b"}', 64, None)]
        ['a', 'b']
        >>> json_calls('{"name": "a", "arguments": {"n": 1}', 64, None, closed=True)
        [ToolCall(name='a', arguments={'n': 1}, id='')]
        >>> json_calls('{"name": "a", "arguments": {"n": 1}', 64, None)
        []
    """
    text = text.strip()
    if "{" not in text:
        return []
    if not text.startswith(("{", "[")):
        return _by_line(text, max_calls, known)
    value = read_value(text)
    if value is not ABSENT:
        return read_data(value, max_calls, known).calls
    calls, end = calls_until(text, 0, known, max_calls)
    if calls and end == len(text):
        return calls
    if found := _by_line(text, max_calls, known):
        return found
    repaired = balanced(text, closed=closed)
    value = ABSENT if repaired is None else read_value(repaired)
    return [] if value is ABSENT else read_data(value, max_calls, known).calls


def calls_of(text: str, max_calls: int, known: Known, *, closed: bool = True) -> list[ToolCall]:
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
        json_calls(text, max_calls, known, closed=closed)
        or bracketed.list_of_calls(text)[:max_calls]
        or program.calls_in(text, max_calls)
        or broken_call(text)
    )


def broken_call(text: str) -> list[ToolCall]:
    """Read the name of a call in JSON that is broken behind it; what stands there stays text.

    Examples:
        >>> broken_call('{"name": "a", "arguments": {"city": "Zür')
        [ToolCall(name='a', arguments='{"city": "Zür', id='')]
    """
    found = _BROKEN.fullmatch(text.strip())
    return [] if found is None else [ToolCall(found[1], found[2].removesuffix("}"))]


def calls_until(text: str, position: int, known: Known, max_calls: int = 64) -> tuple[list[ToolCall], int]:
    """Read calls in JSON that stand in a row, and return where they end. Marks inside their strings are text.

    Examples:
        >>> calls_until('{"name": "a"}; {"name": "b"} and so on', 0, None)[1]
        29
    """
    calls: list[ToolCall] = []
    while text.startswith(("{", "["), position) and len(calls) < max_calls:
        end = end_of(text, position)
        found = [] if end is None else read_data(read_value(text[position:end]), max_calls, known).calls
        if not found:
            break
        calls += found
        position = _after(text, end or 0)
    return calls, position


def _after(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    return between.end() if between else position


def _by_line(text: str, max_calls: int, known: Known) -> list[ToolCall]:
    """Read the lines that are calls, where the last line is one."""
    values = [read_value(line) for line in text.rstrip().split("\n")]
    if values[-1] is ABSENT:
        return []
    found = [read_data(value, max_calls, known).calls for value in values[:max_calls] if value is not ABSENT]
    return [call for calls in found for call in calls]
