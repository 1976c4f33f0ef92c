"""Gemma: programs in ``tool_code`` fences, and FunctionGemma's ``call:f{k:<escape>v<escape>}``."""

from __future__ import annotations

import ast
import re
from itertools import islice
from typing import Final

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.families.elements import value_of
from stb_env.actions.known import Known
from stb_env.actions.program import calls_in
from stb_env.actions.python_text import NotDataError, statements
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import Json, JsonObject

MARK = re.compile(r"```\s*tool_code\b|<tool_code>|<start_function_call>|<\|tool_call>call:")

_CODE = re.compile(r"(?:```\s*tool_code\b|<tool_code>)(.*?)(?:```|</tool_code>|\Z)", re.DOTALL)
_CALL = re.compile(
    r"(?:<start_function_call>|<\|tool_call>)\s*call:\s*([\w.:-]{1,256})\s*\{(.*?)(\}?)\s*"
    r"(?:<end_function_call>|<tool_call\|>|(?=<start_function_call>)|(?=<\|tool_call>)|\Z)",
    re.DOTALL,
)
_QUOTE = r"(?:<escape>|<\|\"\|>)"
# What a value can be made of: a quoted text, a bracket, or anything up to the next of them.
_PIECE = re.compile(
    rf"\s*(?:{_QUOTE}(?P<text>.*?){_QUOTE}|(?P<mark>[{{}}\[\],])|(?P<bare>[^{{}}\[\],<]+))", re.DOTALL
)
_KEY = re.compile(rf"\s*{_QUOTE}?([^:{{}}\[\],<>]{{1,256}}?){_QUOTE}?\s*:")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 40
_NOTHING: Final = object()


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    r"""Read programs in ``tool_code`` fences and calls between tokens.

    A call inside of ``print`` is the call, since Gemma prints what it wants to see.

    Examples:
        >>> read('```tool_code\nprint(ping(n=1))\n```', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
        >>> read('<start_function_call>call:say{text:<escape>a, b<escape>,n:1}<end_function_call>', 64).calls
        [ToolCall(name='say', arguments={'text': 'a, b', 'n': 1}, id='')]
        >>> read('<|tool_call>call:say{to:[<|"|>a<|"|>,{b c:-1e-5}]}<tool_call|>', 64).calls
        [ToolCall(name='say', arguments={'to': ['a', {'b c': -1e-05}]}, id='')]
    """
    codes = islice(_CODE.finditer(text), max_calls)
    calls = [call for code in codes for call in calls_in(unprinted(code[1]), max_calls)]
    if calls:
        return Reading(calls, outside(_CODE.split(text)[0::2]))
    found = islice(_CALL.finditer(text), max_calls)
    # Without its brace it was cut, and is text that no tool takes.
    tokens = [make_call(call[1], _pairs(call[2]) if call[3] else call[2] or None) for call in found]
    return Reading(tokens, outside(_CALL.split(text)[0::4])) if tokens else None


def unprinted(code: str) -> str:
    """Return a program in which what is printed stands by itself.

    Examples:
        >>> unprinted("print(ping(n=1))"), unprinted("ping( n=1)")
        ('ping(n=1)', 'ping( n=1)')
    """
    if "print(" not in code:
        return code
    try:
        body = statements(code)
        return "\n".join(ast.unparse(_unprinted(statement)) for statement in body)
    except (NotDataError, RecursionError):
        return code


def _unprinted(statement: ast.stmt) -> ast.stmt:
    match statement:
        case ast.Expr(ast.Call(ast.Name("print"), [ast.Call() as inner], [])):
            return ast.copy_location(ast.Expr(inner), statement)
    return statement


def _pairs(text: str) -> JsonObject | str:
    """Return what stands between the braces; the text as it is where it does not end as it should."""
    found, end = _members(text, 0, "", 0)
    return found if end == len(text) and isinstance(found, dict) else text


def _members(text: str, place: int, closing: str, depth: int) -> tuple[Json, int]:
    """Return an object or a list from its bracket on, and its end; one beyond the text's where cut."""
    pairs: JsonObject = {}
    items: list[Json] = []
    while text[place:].strip():
        key = None if closing == "]" else _KEY.match(text, place)
        value, place = _value(text, place if key is None else key.end(), depth)
        if value is _NOTHING:
            if closing and text[place - 1 : place] == closing:
                return (items if closing == "]" else pairs), place
            if text[place - 1 : place] != ",":
                return None, len(text) + 1
        elif key is not None:
            pairs[key[1].strip()] = value
        elif closing == "]":
            items.append(value)
        else:
            return None, len(text) + 1
    return (None, len(text) + 1) if closing else (pairs, len(text))


def _value(text: str, place: int, depth: int) -> tuple[Json, int]:
    piece = _PIECE.match(text, place)
    if piece is None or depth > _DEEPEST:
        return None, len(text) + 1
    if piece["text"] is not None:
        return piece["text"], piece.end()
    if piece["bare"] is not None:
        return value_of(piece["bare"].strip()), piece.end()
    opened = _CLOSING.get(piece["mark"])
    return (_NOTHING, piece.end()) if opened is None else _members(text, piece.end(), opened, depth + 1)
