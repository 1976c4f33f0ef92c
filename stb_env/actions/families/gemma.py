"""Gemma: programs in ``tool_code`` fences, and FunctionGemma's ``call:f{k:<escape>v<escape>}``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.blocks import outside
from stb_env.actions.families.elements import value_of
from stb_env.actions.known import Known
from stb_env.actions.program import calls_in
from stb_env.actions.python_text import NotDataError, statements
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

MARK = re.compile(r"```\s*tool_code\b|<tool_code>|<start_function_call>|<\|tool_call>call:")

_CODE = re.compile(r"(?:```\s*tool_code\b|<tool_code>)(.*?)(?:```|</tool_code>|\Z)", re.DOTALL)
_CALL = re.compile(
    r"(?:<start_function_call>|<\|tool_call>)\s*call:\s*([\w.:-]{1,256})\s*\{(.*?)\}?\s*"
    r"(?:<end_function_call>|<tool_call\|>|(?=<start_function_call>)|(?=<\|tool_call>)|\Z)",
    re.DOTALL,
)
_QUOTE = r"(?:<escape>|<\|\"\|>)"
_PAIR = re.compile(rf"([\w-]{{1,256}}):(?:{_QUOTE}(?P<text>.*?){_QUOTE}|(?P<value>[^,<>]*))", re.DOTALL)


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    r"""Read programs in ``tool_code`` fences and calls between tokens.

    A call inside of ``print`` is the call, since Gemma prints what it wants to see.

    Examples:
        >>> read('```tool_code\nprint(ping(n=1))\n```', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
        >>> read('<start_function_call>call:say{text:<escape>a, b<escape>,n:1}<end_function_call>', 64).calls
        [ToolCall(name='say', arguments={'text': 'a, b', 'n': 1}, id='')]
    """
    codes = islice(_CODE.finditer(text), max_calls)
    calls = [call for code in codes for call in calls_in(unprinted(code[1]), max_calls)]
    if calls:
        return Reading(calls, outside(_CODE.split(text)[0::2]))
    found = islice(_CALL.finditer(text), max_calls)
    tokens: Iterable[ToolCall] = [
        make_call(call[1], _pairs(call[2].rstrip().removesuffix("}"))) for call in found
    ]
    return Reading(list(tokens), outside(_CALL.split(text)[0::3])) if tokens else None


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


def _pairs(text: str) -> dict[str, object]:
    return {
        pair[1]: pair["text"] if pair["text"] is not None else value_of(pair["value"])
        for pair in _PAIR.finditer(text)
    }
