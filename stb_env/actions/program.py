"""Program text: one call a line, as in the tasks of Xu et al., 2023; read, never executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from stb_env.actions.action import Reading
from stb_env.actions.known import Known
from stb_env.actions.python_text import Names, NotDataError, call_of, statements, value_of
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.tools import FINISH, ToolCall

PREFIX = "API."
"""The object whose methods a program calls; other dotted names are kept whole."""


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    r"""Read a text that is a program from its first line to its last, and nothing else.

    Every statement is a call with literal arguments or names a value; comments and ``;`` are allowed.
    Positional arguments stand in a list under ``"*"``, since only the tool's schema knows their names. A
    nested call such as ``Loc("Fargo")`` is the value ``{"name", "arguments"}``, a bare name that stands for
    no value is ``{"name"}``. The result of ``x = API.search()`` is unknown here, so ``x`` stays bare.

    Examples:
        >>> for call in read('API.set_location("Fargo")\nset_num_beds(value=1)', 64).calls:
        ...     print(call.name, call.arguments)
        set_location {'*': ['Fargo']}
        set_num_beds {'value': 1}
        >>> read("API.set_origin(Loc('Fargo'))", 64).calls[0].arguments
        {'*': [{'name': 'Loc', 'arguments': {'*': ['Fargo']}}]}
        >>> read("I would call it now (if I could).", 64) is None
        True
    """
    # Most texts that are no program are turned away without the parser.
    if "(" not in text or ")" not in text:
        return None
    try:
        calls = list(_calls(statements(text), strict=True))
    except NotDataError:
        return None
    return Reading(calls[:max_calls], "") if calls else None


def calls_in(text: str, max_calls: int) -> list[ToolCall]:
    r"""Return the calls among the statements of a marked program, passing over all others.

    Examples:
        >>> calls_in("import json\nAPI.search()", 64)
        [ToolCall(name='search', arguments={}, id='')]
    """
    if "(" not in text:
        return []
    try:
        return list(islice(_calls(statements(text), strict=False), max_calls))
    except NotDataError:
        return []


def _calls(body: list[ast.stmt], *, strict: bool) -> Iterator[ToolCall]:
    assigned: JsonObject = {}

    def names(name: str) -> Json:
        return assigned.get(name, {"name": name})

    for statement in body:
        try:
            call = _run(statement, assigned, names)
        except NotDataError:
            if strict:
                raise
            continue
        if call is not None:
            yield make_call(call.name.removeprefix(PREFIX), _arguments(call))


def _arguments(call: ToolCall) -> object:
    """Return what a call was given: the only object without a name is all of its arguments."""
    match call.arguments:
        case {"*": [dict() as given], **rest} if not rest and not given.keys() <= {"name", "arguments"}:
            # The first parameter of Finish takes an object.
            return call.arguments if call.name == FINISH else given
    return call.arguments


def _run(statement: ast.stmt, assigned: dict[str, object], names: Names) -> ToolCall | None:
    match statement:
        # What is printed is what the agent wants to see.
        case ast.Expr(ast.Call(ast.Name("print"), [ast.Call() as node], [])):
            return call_of(node, names)
        case ast.Expr(ast.Call() as node) | ast.Assign(_, ast.Call(ast.Attribute()) as node):
            return call_of(node, names)
        case ast.Assign([ast.Name(name)], node):
            assigned[name] = value_of(node, names)
            return None
    raise NotDataError(f"{type(statement).__name__} is neither a call nor an assignment of a literal")
