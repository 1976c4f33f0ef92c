"""Typed answers filled with what results hold, by the names and types of their fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from stb_env.core import jsontext
from stb_env.core.answers import form_problems, listed_spelling
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.tools import FINISH
from stb_env.wrappers.documented import snake, words
from stb_env.wrappers.result_rows import Row, Scalar
from stb_env.wrappers.written_values import read_written

_TYPES: dict[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "string": (str,)}
_USUAL: JsonObject = {"integer": 0, "number": 0, "string": "unknown", "array": [], "object": {}}
_FORMATS = {"date": "2026-01-01", "time": "12:00"}


@lru_cache(maxsize=256)
def answer_schema(tools: str) -> str:
    """Return the schema of the answer that Finish takes, as JSON text; empty where the answer is text.

    Args:
        tools: JSON of the function specs, Finish included where it is on offer.

    Examples:
        >>> answer_schema("[]")
        ''
    """
    for tool in json.loads(tools):
        function = tool["function"]
        if function["name"] == FINISH and "answer" in function["parameters"].get("properties", {}):
            return jsontext.dumps(function["parameters"]["properties"]["answer"])
    return ""


def filled(schema: str, rows: Iterable[Row], *, yes: bool) -> str:
    """Return an answer of this schema as JSON text.

    Args:
        schema: JSON text of the schema.
        rows: What came back; a value whose field is named like the property comes first.
        yes: What stands for true or false, which no field is taken for.

    Examples:
        >>> schema = '{"properties": {"phone": {"type": "string"}, "open": {"type": "boolean"}}}'
        >>> filled(schema, [Row((("name", "Ann"), ("phone", "555")), 1.0)], yes=False)
        '{"phone": "555", "open": false}'
        >>> schema = '{"properties": {"due": {"format": "date"}, "fee": {"type": "number"}}}'
        >>> filled(schema, [Row((("fee_cents", 1250), ("due", "31.12.2026")), 1.0)], yes=True)
        '{"due": "2026-12-31", "fee": 12.5}'
    """
    fields = [field for row in rows for field in row.fields]
    properties: JsonMapping = json.loads(schema).get("properties", {})
    return jsontext.dumps({name: _value(name, each, fields, yes) for name, each in properties.items()})


def _value(name: str, schema: JsonMapping, fields: Iterable[tuple[str, Scalar]], yes: bool) -> object:
    if schema.get("type") == "boolean":
        return yes
    if schema.get("type") == "array":
        found = list(_fitting(name, schema.get("items", {}), fields))
        best = max((score for score, _ in found), default=0)
        return list({jsontext.dumps(value): value for score, value in found if score == best}.values())
    found = list(_fitting(name, schema, fields))
    if found:
        return max(found, key=lambda one: one[0])[1]
    if "enum" in schema:
        return schema["enum"][0]
    return _FORMATS.get(schema.get("format", ""), _USUAL.get(schema.get("type", "string")))


def _fitting(
    name: str, schema: JsonMapping, fields: Iterable[tuple[str, Scalar]]
) -> Iterator[tuple[int, object]]:
    """Yield the values that a property takes, each with the words that its field's name shares."""
    asked = words(snake(name))
    for field, value in fields:
        read = listed_spelling(schema, read_written(schema, name, field, value))
        takes = type(read) in _TYPES.get(schema.get("type", "string"), ())
        if takes and read in schema.get("enum", [read]) and not list(form_problems(schema, read)):
            yield len(asked & words(snake(field))), read
