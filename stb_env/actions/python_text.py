"""Python text read as data: literals and calls, through `ast`; nothing is ever executed."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Callable

from stb_env.core.jsontypes import JsonObject
from stb_env.tools import ToolCall

MAX_PYTHON = 20_000
"""Longest text, in characters, that is given to Python's parser."""

POSITIONAL = "*"
"""Key of a call's positional arguments, a list in their order: no parameter can have this name."""

_CONSTANTS = {"true": True, "false": False, "null": None}


class NotDataError(ValueError):
    """Python text that means more than literals and calls."""


Names = Callable[[str], object]
"""Gives a bare name its value, or raises `NotDataError`."""


def statements(text: str) -> list[ast.stmt]:
    """Parse Python text of bounded length.

    Raises:
        NotDataError: It is too long, too deep or no Python.
    """
    if len(text) > MAX_PYTHON:
        raise NotDataError(f"{len(text)} characters of Python, at most {MAX_PYTHON} are read")
    try:
        with warnings.catch_warnings():
            # An agent's stray backslash is no warning to whoever runs the agent.
            warnings.simplefilter("ignore")
            return ast.parse(textwrap.dedent(text).strip()).body
    # Deep nesting ends the parser with either of the last two.
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NotDataError(str(error)) from error


def expression(text: str) -> ast.expr:
    """Parse text that is one expression.

    Raises:
        NotDataError: It is anything else.
    """
    match statements(text):
        case [ast.Expr(value)]:
            return value
    raise NotDataError("not one expression")


def literal(text: str) -> object:
    """Read a Python literal.

    Raises:
        NotDataError: It is no literal.

    Examples:
        >>> literal("{'a': [1, -2.5], 'b': None, 'c': true}")
        {'a': [1, -2.5], 'b': None, 'c': True}
        >>> literal("{'a': open('f')}")
        Traceback (most recent call last):
        ...
        stb_env.actions.python_text.NotDataError: Call is no literal
    """
    return value_of(expression(text), None)


def value_of(node: ast.expr, names: Names | None) -> object:
    """Return the value of a literal; with ``names`` also of bare names and nested calls.

    A nested call, such as ``Loc("Fargo")``, becomes ``{"name": ..., "arguments": {...}}``.

    Raises:
        NotDataError: The node is anything else, or nests deeper than the stack has room for.
    """
    try:
        return _value(node, names)
    except RecursionError as error:
        raise NotDataError("nests too deep") from error


def call_of(node: ast.expr, names: Names | None) -> ToolCall:
    """Return a call with literal arguments; positional ones stand in a list under `POSITIONAL`.

    Raises:
        NotDataError: The node is no such call, or nests deeper than the stack has room for.

    Examples:
        >>> call_of(expression("f(1, 'b', k=[2])"), None)
        ToolCall(name='f', arguments={'*': [1, 'b'], 'k': [2]}, id='')
    """
    try:
        return _call(node, names)
    except RecursionError as error:
        raise NotDataError("nests too deep") from error


def _value(node: ast.expr, names: Names | None) -> object:
    match node:
        case ast.Constant(bool() | int() | float() | str() | None as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            return -number
        case ast.UnaryOp(ast.UAdd(), ast.Constant(int() | float() as number)):
            return +number
        case ast.List(items) | ast.Tuple(items):
            return [_value(item, names) for item in items]
        case ast.Dict(keys, items):
            return {_key(key): _value(item, names) for key, item in zip(keys, items, strict=True)}
        case ast.Name(name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Name(name) if names:
            return names(name)
        case ast.Call() if names:
            call = _call(node, names)
            return {"name": call.name, "arguments": call.arguments}
    raise NotDataError(f"{type(node).__name__} is no literal")


def _key(node: ast.expr | None) -> bool | int | float | str | None:
    match node:
        case ast.Constant(bool() | int() | float() | str() | None as key):
            return key
    raise NotDataError("a key is no constant")


def _call(node: ast.expr, names: Names | None) -> ToolCall:
    if not isinstance(node, ast.Call):
        raise NotDataError(f"{type(node).__name__} is no call")
    arguments: JsonObject = {}
    if node.args:
        arguments[POSITIONAL] = [_value(item, names) for item in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            raise NotDataError("** in a call")
        arguments[keyword.arg] = _value(keyword.value, names)
    return ToolCall(_dotted(node.func), arguments)


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise NotDataError(f"{type(node).__name__} is no name")
    return ".".join([node.id, *reversed(parts)])
