"""Programs on the object ``API``: read statement by statement, never executed."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any, NamedTuple

from stb_env.actions.finish_arguments import PARAMETERS as FINISH_PARAMETERS
from stb_env.actions.python_text import NotDataError, statements
from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.form.api import FormApi, Made
from stb_env.suites.sambanova.common.form.crash import CrashError
from stb_env.tools import FINISH

OBJECT = "API"
_LARGEST = 10**15


class Call(NamedTuple):
    """A call of a method, or of Finish; arguments by parameter."""

    name: str
    arguments: JsonObject


class RefusedError(CrashError):
    """Valid Python that means more than is read here, such as a loop."""


def calls_of(text: str, api: FormApi) -> Iterator[Call]:
    r"""Yield the calls of a program up to where it ends or crashes.

    Statements are calls of methods with plain values, and names given to values. Values are literals, lists,
    dictionaries, sums, differences and products of numbers, names, and what the form's classes make.

    Raises:
        CrashError: Python would stop here, or the statement is none of these.

    Examples:
        >>> from stb_env.suites.sambanova.trip_booking.world import API
        >>> list(calls_of('home = Loc("Omaha")\nAPI.set_origin(home)', API))
        [Call(name='set_origin', arguments={'value': Made(name='Loc', arguments={'location': 'Omaha'})})]
        >>> list(calls_of("API.set_origin(home)", API))
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.form.crash.CrashError: line 1: name 'home' is not defined
    """
    try:
        body = statements(text.strip())
    except NotDataError as error:
        raise CrashError(f"not a program: {error}") from error
    reader = _Reader(api)
    for node in body:
        try:
            call = reader.read(node)
        except RecursionError as error:
            raise RefusedError(f"line {node.lineno} nests too deep") from error
        except CrashError as error:
            raise type(error)(f"line {node.lineno}: {error}") from error
        if call is not None:
            yield call


class _Reader:
    """Keeps the names that a program has given so far."""

    def __init__(self, api: FormApi) -> None:
        self._api = api
        self._named: JsonObject = {}

    def read(self, node: ast.stmt) -> Call | None:
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name))) as call) if name == OBJECT:
                return self._method(call)
            case ast.Expr(ast.Call(ast.Name(name)) as call) if name == FINISH:
                return Call(name, self._bind(call, name, FINISH_PARAMETERS, required=False))
            case ast.Expr(ast.Dict() as value):
                return _finish(self._value(value))
            case ast.Expr(value):
                self._value(value)
                return None
            case ast.Assign([ast.Name(target)], ast.Call(ast.Attribute(ast.Name(name))) as call) if (
                name == OBJECT
            ):
                # No method of the original returns anything.
                self._named[target] = None
                return self._method(call)
            case ast.Assign([ast.Name(target)], value):
                self._named[target] = self._value(value)
                return None
        raise RefusedError(f"{type(node).__name__} is neither a call nor a name for a value")

    def _method(self, call: ast.Call) -> Call:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name not in self._api.methods:
            raise CrashError(f"{OBJECT} has no method {name!r}")
        return Call(name, self._bind(call, name, self._api.methods[name]))

    def _bind(
        self, call: ast.Call, name: str, parameters: tuple[str, ...], *, required: bool = True
    ) -> JsonObject:
        if len(call.args) > len(parameters):
            raise CrashError(f"{name} takes {len(parameters)} arguments, got {len(call.args)}")
        arguments = {
            parameter: self._value(node) for parameter, node in zip(parameters, call.args, strict=False)
        }
        for keyword in call.keywords:
            if keyword.arg is None:
                raise RefusedError("** in a call is not read")
            if keyword.arg not in parameters or keyword.arg in arguments:
                raise CrashError(f"{name} has no place for the argument {keyword.arg!r}")
            arguments[keyword.arg] = self._value(keyword.value)
        if required and len(arguments) < len(parameters):
            missing = next(parameter for parameter in parameters if parameter not in arguments)
            raise CrashError(f"{name} needs the argument {missing!r}")
        return arguments

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(bool() | int() | float() | str() | None as value):
                return value
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
                number = self._number(operand)
                return -number if isinstance(sign, ast.USub) else +number
            case ast.BinOp(left, operator, right):
                return _computed(self._number(left), operator, self._number(right))
            case ast.List(items) | ast.Tuple(items):
                return [self._value(item) for item in items]
            case ast.Dict(keys, values):
                return {_key(key): self._value(value) for key, value in zip(keys, values, strict=True)}
            case ast.Name(name):
                return self._name(name)
            case ast.Call(ast.Name(name)) as call:
                if name not in self._api.classes:
                    raise _unknown(name)
                return Made(name, self._bind(call, name, self._api.classes[name]))
        raise RefusedError(f"{type(node).__name__} is no plain value")

    def _name(self, name: str) -> Any:
        if name in self._named:
            return self._named[name]
        raise _unknown(name)

    def _number(self, node: ast.expr) -> int | float:
        value = self._value(node)
        if isinstance(value, int | float):
            return value
        raise RefusedError("only numbers are computed with")


def _unknown(name: str) -> CrashError:
    if hasattr(builtins, name):
        return RefusedError(f"{name} of Python is not read")
    return CrashError(f"name {name!r} is not defined")


def _finish(value: dict[Any, Any]) -> Call | None:
    """Return the call of Finish that a line of JSON after a program is; None where it is none."""
    arguments = value.get("arguments")
    if value.get("name") != FINISH or not isinstance(arguments, dict):
        return None
    return Call(FINISH, {str(name): item for name, item in arguments.items()})


def _computed(left: float, operator: ast.operator, right: float) -> float:
    if max(abs(left), abs(right)) > _LARGEST:
        raise RefusedError("the numbers are too large to compute with")
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
    raise RefusedError(f"{type(operator).__name__} is not computed")


def _key(node: ast.expr | None) -> bool | int | float | str | None:
    match node:
        case ast.Constant(bool() | int() | float() | str() | None as key):
            return key
    raise RefusedError("a key is no constant")
