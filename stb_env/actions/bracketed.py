"""Bracketed text (Li et al., 2023): one or several calls in a bracket, ``[Api(key='value', n=1)]``."""

from __future__ import annotations

import ast
import re

from stb_env.actions.action import Reading
from stb_env.actions.known import Known
from stb_env.actions.python_text import NotDataError, call_of, expression
from stb_env.actions.structured import ABSENT, make_call, read_value
from stb_env.tools import ToolCall

MAX_BRACKET = 4_000
"""Longest bracket, in characters, that is read as Python."""

_END = ")]"
MARK = re.compile(r"\[\s*([A-Za-z_][\w.]{0,255})\(")

_LABEL = re.compile(r"\bapi[- ]?request[ \t]*:", re.IGNORECASE)
_PREFIX = re.compile(r"(?:api[- ]?request[ \t]*:[ \t]*)?\Z", re.IGNORECASE)
_KEY = re.compile(r"(?:^|,)\s*(\w+)\s*=\s*")


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read bracketed calls; a bracket lies within one line.

    It counts behind its label, or where brackets begin and end the text.

    Values are Python literals, and a bare word is its own text. Li et al. put values between quotes without
    escaping them, so a bracket that Python cannot read is cut at ``, key=`` instead.

    Examples:
        >>> for call in read("API-Request: [AddAlarm(time='08:00', n=1), Ping()]", 64).calls:
        ...     print(call.name, call.arguments)
        AddAlarm {'time': '08:00', 'n': 1}
        Ping {}
        >>> read("[Say(text='it's fine', to=Ann Lee)]", 64).calls[0].arguments
        {'text': "it's fine", 'to': 'Ann Lee'}
    """
    if _END not in text or not MARK.search(text):
        return None
    alone = text.lstrip().startswith("[") and text.rstrip().endswith(_END)
    if not (alone or _LABEL.search(text)):
        return None
    calls: list[ToolCall] = []
    beside: list[str] = []
    for line in text.split("\n"):
        if len(calls) < max_calls:
            found, line = _read_line(line, max_calls - len(calls))
            calls += found
        beside.append(line)
    return Reading(calls, "\n".join(beside).strip()) if calls else None


def list_of_calls(text: str) -> list[ToolCall]:
    r"""Read a text that is one list of calls in Python, over any number of lines.

    Examples:
        >>> [call.name for call in list_of_calls("[a(n=1),\n b(k='x')]")]
        ['a', 'b']
        >>> list_of_calls("[1, 2]")
        []
    """
    text = text.strip()
    if not (text.endswith("]") and MARK.match(text)):
        return []
    try:
        return _python_calls(text)
    except NotDataError:
        return []


def _read_line(line: str, max_calls: int) -> tuple[list[ToolCall], str]:
    calls: list[ToolCall] = []
    kept, position, last = line, 0, line.rfind(_END)
    while len(calls) < max_calls and (start := MARK.search(line, position)) and last >= start.end():
        found, end = _read_bracket(line, start, last)
        # Only the words before a line's first bracket count as text; what follows is a made-up response.
        if not calls:
            kept = _PREFIX.sub("", line[: start.start()]).rstrip()
        calls += found
        position = end
    return calls, kept


def _read_bracket(line: str, start: re.Match[str], last: int) -> tuple[list[ToolCall], int]:
    ends = sorted({line.find(_END, start.end()), last})
    for end in ends:
        try:
            return _python_calls(line[start.start() : end + len(_END)]), end + len(_END)
        except NotDataError:
            continue
    return [make_call(start[1], _split(line[start.end() : last]))], len(line)


def _python_calls(bracket: str) -> list[ToolCall]:
    if len(bracket) > MAX_BRACKET:
        raise NotDataError(
            f"a bracket of {len(bracket)} characters, at most {MAX_BRACKET} are read as Python"
        )
    node = expression(bracket)
    if not isinstance(node, ast.List):
        raise NotDataError("not one bracket")
    calls = [call_of(item, lambda name: name) for item in node.elts]
    return [make_call(call.name, call.arguments) for call in calls]


def _split(text: str) -> dict[str, object] | str:
    keys = list(_KEY.finditer(text))
    if not keys:
        return text
    ends = [key.start() for key in keys[1:]] + [len(text)]
    return {key[1]: _unquote(text[key.end() : end].strip()) for key, end in zip(keys, ends, strict=True)}


def _unquote(text: str) -> object:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    value = read_value(text)
    return text if value is ABSENT else value
