"""Argument values on their way to an API: texts become the declared types."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

from stb_env.actions.python_text import NotDataError, literal
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json
from stb_env.suites.api_bank.api_error import ArgumentsError

Kind = Literal["str", "int", "float", "bool", "list", "list(str)", "json"]
Cast = Callable[[Json], Json]

_MAX_DIGITS = 300


def _wrong(value: object) -> ArgumentsError:
    return ArgumentsError(f"invalid parameter type. parameter: {value}")


def _str(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return jsontext.dumps(value)
    raise _wrong(value)


def _int(value: object) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < _MAX_DIGITS:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise _wrong(value)


def _float(value: object) -> float:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError) as error:
            raise _wrong(value) from error
        if math.isfinite(number):
            return number
    raise _wrong(value)


def _bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise _wrong(value)


def _list(value: object) -> list[object]:
    if isinstance(value, str):
        value = _read_list(value)
    if not isinstance(value, list):
        raise _wrong(value)
    return value


def _read_list(text: str) -> object:
    try:
        return jsontext.loads(text)
    except ValueError:
        pass
    try:
        return literal(text)
    except NotDataError as error:
        raise _wrong(text) from error


def _original_int(value: Json) -> int:
    if isinstance(value, str) and not (value.isdecimal() and len(value) < _MAX_DIGITS):
        raise _wrong(value)
    return int(_converted(int, value))


def _original_float(value: Json) -> float:
    if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
        raise ArgumentsError("invalid parameter type.")
    number = float(_converted(float, value))
    if not math.isfinite(number):
        raise _wrong(value)
    return number


def _converted(kind: Callable[[Json], float], value: Json) -> float:
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentsError(str(error)) from error


def _as_is(value: object) -> object:
    return value


CASTS: Mapping[Kind, Cast] = {
    "str": _str,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "list": _list,
    "list(str)": _list,
    "json": _as_is,
}
"""Typed JSON values are taken as they are, texts are read where that loses nothing."""

ORIGINAL_CASTS: Mapping[Kind, Cast] = {
    "str": _as_is,
    "int": _original_int,
    "float": _original_float,
    "bool": lambda value: value == "True",
    "list": _as_is,
    "list(str)": _as_is,
    "json": _as_is,
}
"""The released code's rules: a list stays the text it came as, and only the text ``True`` is true."""
