"""Arguments as Gemma 4 and FunctionGemma write them: ``{city:<|"|>Rome<|"|>,days:3}``."""

from __future__ import annotations

import re

from stb_env.actions.markup import Found, Opened, value_of
from stb_env.actions.plain import MAX_DEPTH
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.tools import ToolCall

_QUOTE = re.compile(r"<escape>|<\|\"\|>")
_KEY = re.compile(r"\s*([^:{}\[\],]{1,256}):\s*")
_BARE = re.compile(r"[^,{}\[\]<]*")
_BLANK = re.compile(r"\s*")


class _CutError(ValueError):
    """The arguments do not end, or are none."""


def gemma_arguments(call: Opened) -> Found:
    """Read the object behind a call's mark; what breaks off stays text, which no tool takes."""
    try:
        given, end = _object(call.text, call.mark.end(), 0)
    except _CutError:
        closing = call.close(call.mark.end())
        end = closing.start() if closing else len(call.text)
        return Found([ToolCall(call.name, call.text[call.mark.end() : end].strip())], end)
    return Found([make_call(call.name, given)], end)


def _object(text: str, position: int, depth: int) -> tuple[JsonObject, int]:
    given: JsonObject = {}
    position = _after_blank(text, position + 1)
    while not text.startswith("}", position):
        key = _KEY.match(text, position)
        if key is None:
            raise _CutError
        given[_QUOTE.sub("", key[1]).strip()], position = _value(text, key.end(), depth + 1)
        position = _after_item(text, position, "}")
    return given, position + 1


def _list(text: str, position: int, depth: int) -> tuple[list[Json], int]:
    items: list[Json] = []
    position = _after_blank(text, position + 1)
    while not text.startswith("]", position):
        item, position = _value(text, position, depth + 1)
        items.append(item)
        position = _after_item(text, position, "]")
    return items, position + 1


def _value(text: str, position: int, depth: int) -> tuple[Json, int]:
    if depth > MAX_DEPTH:
        raise _CutError
    if quote := _QUOTE.match(text, position):
        end = text.find(quote[0], quote.end())
        if end < 0:
            raise _CutError
        return text[quote.end() : end], end + len(quote[0])
    if text.startswith("{", position):
        return _object(text, position, depth)
    if text.startswith("[", position):
        return _list(text, position, depth)
    bare = _BARE.match(text, position)
    if bare is None or not bare[0]:
        raise _CutError
    return value_of(bare[0].strip()), bare.end()


def _after_item(text: str, position: int, closes: str) -> int:
    position = _after_blank(text, position)
    if text.startswith(",", position):
        return _after_blank(text, position + 1)
    if not text.startswith(closes, position):
        raise _CutError
    return position


def _after_blank(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position
