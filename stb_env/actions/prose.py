"""Calls of known tools in prose: one object, or several in a row, without any mark."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.braces import end_of
from stb_env.actions.call_body import json_calls
from stb_env.actions.known import Known, is_known, known_name

MARK = re.compile(r"\{\s*[\"']")

# An object that does not end costs a walk to the end of the text.
_OPEN = 8
_OBJECTS = 64
_THOUGHT = re.compile(
    r"[ \t]*(?:[-*#>]+[ \t]*)?[*_]{0,3}(?:thought|reasoning)s?[*_]{0,3}[ \t]*:", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s;,]*")


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    r"""Read the calls of known tools that stand in prose.

    Several count where nothing but commas or blanks stands between them. With words between them it is open
    whether one or all of them are meant, so none is read; nor is what stands in a line of thought.

    Examples:
        >>> read('I call {"name": "ping", "arguments": {}} now.', 64, {"ping"})
        Reading(calls=[ToolCall(name='ping', arguments={}, id='')], text='I call\nnow.')
        >>> read('Either {"name": "ping"} or {"name": "pong"}.', 64, {"ping", "pong"}) is None
        True
    """
    if known is None:
        return None
    rows = [row for row in _rows(text) if _is_call(text[slice(*row)], known)]
    if len(rows) != 1:
        return None
    start, end = rows[0]
    calls = json_calls(text[start:end], max_calls, known)
    return Reading(calls, outside([text[:start].rstrip("[ \t\n"), text[end:].lstrip("] \t\n")]))


def _is_call(row: str, known: Known) -> bool:
    return any(is_known(known_name(call.name, known), known) for call in json_calls(row, 64, known))


def _rows(text: str) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    for start, end in _objects(text):
        if rows and _BETWEEN.fullmatch(text, rows[-1][1], start):
            rows[-1] = (rows[-1][0], end)
        else:
            rows.append((start, end))
    return rows


def _objects(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    position = still_open = 0
    while len(found) < _OBJECTS and still_open < _OPEN and (mark := MARK.search(text, position)):
        end = end_of(text, mark.start())
        if end is None:
            still_open += 1
            position = mark.end()
            continue
        line = text.rfind("\n", 0, mark.start()) + 1
        if not _THOUGHT.match(text, line):
            found.append((mark.start(), end))
        position = end
    return found
