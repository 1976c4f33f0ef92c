"""JSON Schemas of parameters: what pydantic makes of type hints, without what only pydantic needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject

_NAMED = ("properties", "$defs")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties")
_REFERENCE = "#/$defs/"


def tidied(schema: JsonMapping) -> dict[str, object]:
    """Return a schema without titles, its definitions put where they are used, its plain types in one list.

    Schemas that contain themselves keep their definitions.

    Examples:
        >>> color = {"enum": ["red", "blue"], "title": "Color", "type": "string"}
        >>> n = {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "N"}
        >>> properties = {"n": n, "color": {"$ref": "#/$defs/Color"}}
        >>> tidied({"$defs": {"Color": color}, "properties": properties})["properties"]
        {'n': {'type': ['integer', 'null']}, 'color': {'enum': ['red', 'blue'], 'type': 'string'}}
    """
    definitions = schema.get("$defs", {})
    tidy: JsonObject = _tidied(schema, definitions, ())
    if f'"{_REFERENCE}' not in json.dumps({**tidy, "$defs": {}}):
        tidy.pop("$defs", None)
    return tidy


def _tidied(schema: object, definitions: JsonMapping, inside: tuple[str, ...]) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    name = str(schema.get("$ref", "")).removeprefix(_REFERENCE)
    if name in definitions and name not in inside:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_tidied(definitions[name], definitions, (*inside, name)), **rest}
    tidy = {key: _member(key, value, definitions, inside) for key, value in schema.items() if key != "title"}
    kinds = [part.get("type") for part in tidy.get("anyOf", ()) if len(part) == 1]
    if kinds and len(kinds) == len(tidy["anyOf"]) and all(isinstance(kind, str) for kind in kinds):
        del tidy["anyOf"]
        return {"type": kinds, **tidy}
    return tidy


def _member(key: str, value: Any, definitions: JsonMapping, inside: tuple[str, ...]) -> Any:
    if key in _NAMED:
        return {name: _tidied(part, definitions, inside) for name, part in value.items()}
    if key in _LISTED:
        return [_tidied(part, definitions, inside) for part in value]
    return _tidied(value, definitions, inside) if key in _SINGLE else value
