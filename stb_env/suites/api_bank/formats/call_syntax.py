"""API-Bank's call syntax as its evaluators read it: the released parser, and a strict one.

`stb_env.actions.bracketed` reads the same brackets without losing anything, which is what agents get.
"""

from __future__ import annotations

import re

from stb_env.actions.python_text import POSITIONAL, NotDataError, call_of, expression

_CALL = re.compile(r"\[(\w+)\((.*)\)\]")
_ARGUMENT = re.compile(r"(\w+)\s*=\s*['\"](.+?)['\"]|(\w+)\s*=\s*(\[.*\])|(\w+)\s*=\s*(\w+)")
_OPENING = re.compile(r"['\"](?=[\[{])")
_CLOSING = re.compile(r"(?<=[\]}])['\"]")


def read_as_released(text: str) -> tuple[str, dict[str, str]] | None:
    r"""Read the first call of a text as the released evaluator does, its losses included.

    Values are texts that end at the first quote; what fits no pattern is passed over.

    Returns:
        Name and arguments, or None where no call is found.

    Examples:
        >>> read_as_released("API-Request: [Say(text='it's fine', n=1.5)]")
        ('Say', {'text': 'it', 'n': '1'})
        >>> read_as_released("[A(x='', y='b')]")
        ('A', {'x': "', y="})
        >>> read_as_released("[GetToday]") is None
        True
    """
    call = _CALL.search(text)
    if call is None:
        return None
    arguments: dict[str, str] = {}
    for match in _ARGUMENT.finditer(call[2]):
        groups = [group for group in match.groups() if group is not None]
        arguments[groups[0]] = groups[1]
    return call[1], arguments


def read_strictly(text: str) -> tuple[str, dict[str, object]]:
    """Read the first call of a text whose arguments are keywords with literal values.

    Quotes around a list or an object are taken away first.

    Raises:
        NotDataError: There is no call, or its arguments are anything else.

    Examples:
        >>> read_strictly("[Meet(who='['Ann', 'Bob']', n=1)]")
        ('Meet', {'who': ['Ann', 'Bob'], 'n': 1})
        >>> read_strictly("[Meet(who=Ann)]")
        Traceback (most recent call last):
        ...
        stb_env.actions.python_text.NotDataError: Name is no literal
    """
    match = _CALL.search(text)
    if match is None:
        raise NotDataError("no call")
    call = call_of(expression(f"{match[1]}({_CLOSING.sub('', _OPENING.sub('', match[2]))})"), None)
    if isinstance(call.arguments, str) or POSITIONAL in call.arguments:
        raise NotDataError("arguments without a name")
    return call.name, dict(call.arguments)
