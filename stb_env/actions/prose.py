"""Calls of known tools at the end of a text: one object, or several in a row, without any mark."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import asks, is_last
from stb_env.actions.braces import end_of
from stb_env.actions.call_body import json_calls
from stb_env.actions.known import Known, is_known, known_name
from stb_env.actions.structured import make_call

MARK = re.compile(r"\{\s*(?:[\"'“}]|//)")

# An object that does not end costs a walk to the end of the text.
_OPEN = 8
_OBJECTS = 64
_THOUGHT = re.compile(
    r"[ \t]*(?:[-*#>]+[ \t]*)?[*_]{0,3}(?:thought|reasoning)s?[*_]{0,3}[ \t]*:", re.IGNORECASE
)
_OWN_LINE = re.compile(r"(?:^|[\n:：])[ \t\[]*\Z")
_LONGEST_NAME = 300
_NAME_BEFORE = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,255})`{0,3}[ \t]*(?:[:(][ \t]*)?(?:\r?\n)?[ \t]*(?:```(?:json)?\s*)?\Z"
)
_BETWEEN = re.compile(r"[\s;,]*")


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    r"""Read the calls of known tools that end a text.

    They stand on lines of their own, or behind a colon: within a sentence, behind a question, or where the
    text goes on behind them, it speaks about calls and makes none. Several count where nothing but commas
    or blanks stands between them. With words between them it is open whether one or all of them are meant, so
    none is read; nor is what stands in a line of thought.

    Examples:
        >>> read('I call\n{"name": "ping", "arguments": {}}', 64, {"ping"})
        Reading(calls=[ToolCall(name='ping', arguments={}, id='')], text='I call')
        >>> read('I can call {"name": "ping", "arguments": {}} if you like.', 64, {"ping"}) is None
        True
        >>> read('Either {"name": "ping"} or {"name": "pong"}.', 64, {"ping", "pong"}) is None
        True
    """
    if known is None:
        return None
    rows = _rows(text)
    calling = [row for row in rows if _is_call(text[slice(*row)], known)]
    if not calling and rows:
        return _named(text, *rows[-1], known)
    if len(calling) != 1 or not is_last(text, calling[0][1]):
        return None
    start, end = calling[0]
    if not _OWN_LINE.search(text, 0, start) or asks(text[:start]):
        return None
    calls = json_calls(text[start:end], max_calls, known)
    return Reading(calls, text[:start].rstrip("[ \t\n"))


def _named(text: str, start: int, end: int, known: Known) -> Reading | None:
    """Read a known name and the object behind it that ends the text: ``ping {"n": 1}``, as of GLM 4."""
    before = _NAME_BEFORE.search(text[max(0, start - _LONGEST_NAME) : start])
    name = known_name(before[1], known) if before else ""
    rest = text[end:].strip().removeprefix(")") if before and before[0].rstrip().endswith("(") else text[end:]
    if before is None or not is_known(name, known) or not is_last(rest, 0):
        return None
    begin = start - len(before[0])
    if not _OWN_LINE.search(text, 0, begin) or asks(text[:begin]):
        return None
    beside = text[:begin].rstrip(" \t\n`")
    return Reading([make_call(name, text[start:end])], beside)


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
