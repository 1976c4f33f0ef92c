"""Reads actions that are programs: the text is kept as it is, for the world to walk."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from functools import partial

from stb_env.actions import Action, parse_action
from stb_env.actions.known import Known
from stb_env.actions.parse import ActionLike
from stb_env.actions.python_text import NotDataError
from stb_env.suites.sambanova.common.interpreter.parsed import parsed
from stb_env.tools import FINISH, ToolCall

PROGRAM = "program"
"""The tool that takes a whole program."""

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)


def fenced(text: str) -> list[str]:
    r"""Return what stands between Markdown fences.

    Examples:
        >>> fenced("So:\n```python\nput(1)\n```")
        ['put(1)\n']
    """
    return _FENCE.findall(text[:100_000]) if "```" in text else []


def program_reader(
    names: Collection[str], *, original: bool = False, known: Known = None
) -> Callable[[ActionLike], Action]:
    r"""Return a reader of programs; what is none is read in the general forms.

    Args:
        names: Names that programs are given; a text that uses none of them is no program.
        original: Whether any text without a call is a program, which then crashes, as in the original.
        known: Names of the tools; with them, only these are called in the middle of prose.

    Examples:
        >>> read = program_reader({"put"})
        >>> read("for n in [1, 2]:\n    put(n)\nFinish('give_answer', 'done')").calls[0].arguments
        {'text': 'for n in [1, 2]:\n    put(n)'}
        >>> [call.name for call in read('{"name": "put", "arguments": {}}').calls], read("Hello (you)!").calls
        (['put'], ())
    """
    # No inner function: what an environment holds is pickled with it.
    return partial(_read_action, frozenset(names), known, original)


def _read_action(names: frozenset[str], known: Known, original: bool, action: ActionLike) -> Action:
    if not isinstance(action, str):
        return parse_action(action, known=known)
    if action.startswith(("{", "[")):
        # A call as JSON is valid Python too, and half the time goes into finding that out.
        general = parse_action(action, known=known)
        if general.calls:
            return general
    for text in (action, *fenced(action)):
        program = _read(text, names)
        if program is not None:
            return program
    general = parse_action(action, known=known)
    if original and not general.calls and action.strip():
        return Action((_program(action),), "")
    return general


def _program(text: str) -> ToolCall:
    return ToolCall(PROGRAM, {"text": text}, "call_0")


def _read(text: str, known: frozenset[str]) -> Action | None:
    if not any(name in text for name in known):
        return None
    try:
        body = parsed(text)
    except NotDataError:
        return None
    if not any(isinstance(node, ast.Name) and node.id in known for part in body for node in ast.walk(part)):
        return None
    try:
        end = _finish_of(body[-1])
        before = "" if end is None else "\n".join(ast.unparse(node) for node in body[:-1])
    except RecursionError:
        end, before = None, ""
    if end is None:
        return Action((_program(text.strip("\n")),), "")
    return Action((_program(before), end) if before else (end,), "")


def _finish_of(node: ast.stmt) -> ToolCall | None:
    """Return the call to Finish that a statement is."""
    match node:
        case ast.Expr(ast.Call(ast.Name(name))) if name == FINISH:
            calls = parse_action(ast.unparse(node)).calls
            return calls[0] if calls else None
    return None
