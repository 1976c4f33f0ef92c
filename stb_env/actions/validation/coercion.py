"""Coercion of arguments without loss: what was written keeps its meaning, or is left alone."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import islice
from typing import Final

from stb_env.actions import POSITIONAL
from stb_env.actions.validation.violation import (
    Violation,
    in_words,
    place,
    step_into,
    type_names,
    types_in_words,
)
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject

_NO_VALUE: Final = object()
_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]{0,250}))(?:\.0{1,20})?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,250})(?:\.[0-9]{1,250})?(?:[eE][-+]?[0-9]{1,3})?")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}


def coerce_arguments(
    arguments: dict[str, object], schema: JsonMapping
) -> tuple[dict[str, object], tuple[Violation, ...]]:
    """Coerce arguments to the types of a schema wherever nothing is lost.

    Args:
        arguments: The arguments; they stay as they are.
        schema: JSON Schema of an object.

    Returns:
        The coerced copy, and a record of kind ``coerced`` for every change.

    Examples:
        >>> schema = {"properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}}
        >>> coerce_arguments({"n": "5", "tags": '["a"]'}, schema)[0]
        {'n': 5, 'tags': ['a']}
        >>> coerce_arguments({"*": ["05"]}, schema)[0]
        {'n': '05'}
    """
    coercions: list[Violation] = []
    named = _name_positional(arguments, schema, coercions)
    coerced: JsonObject = _coerce_members(named, schema, "", coercions)
    return coerced, tuple(coercions)


def _name_positional(
    arguments: dict[str, object], schema: JsonMapping, coercions: list[Violation]
) -> dict[str, object]:
    positional = arguments.get(POSITIONAL)
    if not isinstance(positional, list):
        return arguments
    names = list(islice(schema.get("properties", {}), len(positional)))
    if len(names) < len(positional) or any(name in arguments for name in names):
        return arguments
    message = f"arguments without a name were read as {', '.join(names)}"
    coercions.append(Violation(POSITIONAL, "named arguments", in_words(positional), message, "coerced"))
    rest = {name: value for name, value in arguments.items() if name != POSITIONAL}
    return dict(zip(names, positional, strict=True)) | rest


def _coerce(value: object, schema: object, path: str, coercions: list[Violation]) -> object:
    if not isinstance(schema, Mapping):
        return value
    names = type_names(schema)
    if names and not any(_is_of(value, name) for name in names):
        value = _coerce_type(value, names, path, coercions)
    return _coerce_members(value, schema, path, coercions)


def _coerce_members(value: Json, schema: JsonMapping, path: str, coercions: list[Violation]) -> Json:
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {
            name: _coerce(item, known.get(name), step_into(path, name), coercions)
            for name, item in value.items()
        }
    if isinstance(value, list) and "items" in schema:
        items = schema["items"]
        return [_coerce(item, items, step_into(path, at), coercions) for at, item in enumerate(value)]
    return value


def _is_of(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES.get(name, ()))


def _coerce_type(value: object, names: list[str], path: str, coercions: list[Violation]) -> object:
    for name in names:
        coerced = _convert(value, name)
        if coerced is not _NO_VALUE:
            expected, got = types_in_words([name]), in_words(value)
            message = f"{place(path)} must be {expected}; {got} was read as {in_words(coerced)}"
            coercions.append(Violation(path, expected, got, message, "coerced"))
            return coerced
    return value


def _convert(value: object, name: str) -> object:
    if isinstance(value, str):
        return _convert_text(value, name)
    if isinstance(value, float) and not math.isfinite(value):
        return _NO_VALUE
    if name == "string" and isinstance(value, bool | int | float):
        return jsontext.dumps(value)
    if name == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return _NO_VALUE


def _convert_text(text: str, name: str) -> object:
    match name:
        case "integer":
            whole = _INTEGER.fullmatch(text)
            return int(whole[1]) if whole else _NO_VALUE
        case "number":
            return _read_number(text)
        case "boolean":
            return {"true": True, "false": False}.get(text.lower(), _NO_VALUE)
        case "array" | "object":
            return _read_container(text, name)
    return _NO_VALUE


def _read_number(text: str) -> object:
    if not _NUMBER.fullmatch(text):
        return _NO_VALUE
    if text.removeprefix("-").isdigit():
        return int(text)
    number = float(text)
    # A text with more digits than a float holds would change its value.
    return number if Decimal(repr(number)) == Decimal(text) else _NO_VALUE


def _read_container(text: str, name: str) -> object:
    try:
        value = jsontext.loads(text)
    except ValueError:
        return _NO_VALUE
    return value if _is_of(value, name) else _NO_VALUE
