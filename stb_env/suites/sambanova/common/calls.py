"""Calls: those of a program, as the complexity score counts them, and their arguments by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from stb_env.actions import POSITIONAL, Action
from stb_env.actions.parse import ActionLike

_CALLED = re.compile(r"(\w+)\s*\(")
_LONGEST = 20_000


def python_calls(program: str) -> list[str]:
    r"""Return the names that a Python program calls, those in arguments too, in the order of their calls.

    Examples:
        >>> python_calls('origin = Loc("Rome")\nAPI.set_origin(origin)')
        ['Loc', 'set_origin']
    """
    try:
        tree = ast.parse(program[:_LONGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _CALLED.findall(program)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls.sort(key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    return list(_names(calls))


def request_calls(
    read: Callable[[ActionLike], Action], program: str, ignored: Collection[str] = ()
) -> list[str]:
    """Return the requests of a program, each its kind together with the set of its parameters.

    Args:
        read: Reads the program.
        program: The program.
        ignored: Parameters that do not count.

    Examples:
        >>> from stb_env.actions import parse_action
        >>> request_calls(parse_action, 'forecast(q="oslo", units="metric")', ignored=["units"])
        ['forecast q']
    """
    named = (
        (call.name, () if isinstance(call.arguments, str) else call.arguments) for call in read(program).calls
    )
    return [" ".join([name, *sorted(key for key in given if key not in ignored)]) for name, given in named]


def named_arguments(arguments: Mapping[str, object], parameters: Sequence[str]) -> dict[str, object]:
    """Return arguments in which those that a program gave without names have them.

    Examples:
        >>> named_arguments({"*": ["oslo"], "limit": 2}, ["q", "limit"])
        {'q': 'oslo', 'limit': 2}
    """
    positional = arguments.get(POSITIONAL)
    given = {name: value for name, value in arguments.items() if name != POSITIONAL}
    return dict(zip(parameters, positional, strict=False)) | given if isinstance(positional, list) else given


def _names(calls: list[ast.Call]) -> Iterator[str]:
    for call in calls:
        match call.func:
            case ast.Name(name) | ast.Attribute(attr=name):
                yield name
