"""A tool's schema can neither be so large nor so twisted that checking a call takes long."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.actions.validation.schema import Schema
from stb_env.actions.validation.schema_bounds import MAX_DEPTH
from stb_env.errors import DataError


def doubling(levels: int) -> dict[str, Any]:
    """A chain in which each schema asks the next one twice about the same value."""
    twice = {f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**twice, f"a{levels}": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a0"}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (nested(500), "of more than 64 levels; make it flatter"),
        (
            {"properties": {"x": {"enum": list(range(100_001))}}},
            "of more than 100000 members; make it smaller",
        ),
        (doubling(40), "checks a value against more than 2000 others; make it simpler"),
        ({"anyOf": [{"$ref": "#"}]}, "refers to itself without going a level deeper; correct it"),
        ({"properties": {"x": {"pattern": "(?=a)b"}}}, r"linear time \(no look-around, no back-references\)"),
        ({"properties": {"x": {"pattern": r"(a)\1"}}}, r"linear time \(no look-around, no back-references\)"),
        ({"patternProperties": {"(?<!a)b": {}}}, r"linear time \(no look-around, no back-references\)"),
    ],
)
def test_a_schema_that_would_be_dear_is_refused_by_the_tools_name(schema: dict[str, Any], problem: str):
    with pytest.raises(DataError, match=rf"^tool 'f' has a .*{problem}"):
        Schema("f", schema)


TREE = {
    "$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
    "properties": {"root": {"$ref": "#/$defs/tree"}},
}


def deep(levels: int, name: str) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {name: value}
    return value


@pytest.mark.parametrize("schema", [doubling(5), nested(20), TREE])
def test_honest_schemas_are_kept_as_they_are(schema: dict[str, Any]):
    assert Schema("f", schema)._depth == MAX_DEPTH


def test_arguments_go_as_deep_as_a_schema_that_asks_twice_can_bear():
    again = {"properties": {"x": {"$ref": "#"}}}
    schema = Schema("f", {"additionalProperties": True, "anyOf": [again, again]})
    assert schema.fits(deep(5, "x"))
    assert not schema.fits(deep(30, "x"))
    assert [each.expected for each in schema.report(deep(30, "x"))] == ["at most 7 levels of arguments"]


def test_patterns_are_matched_in_linear_time_by_both_validators():
    schema = Schema(
        "f", {"properties": {"x": {"pattern": "^(a|aa)+$"}}, "patternProperties": {"^(b|bb)+$": {}}}
    )
    text = "a" * 20_000 + "b"
    assert not schema.fits({"x": text})
    assert "matches" in schema.report({"x": text})[0].expected
    assert schema.fits({"x": "aaa", "bbb": 1})
    assert not schema.fits({"b" * 20_000 + "c": 1})
    assert schema.report({"b" * 20_000 + "c": 1})[0].kind == "unknown"


def test_unlike_items_are_compared_in_linear_time():
    schema = Schema("f", {"properties": {"x": {"uniqueItems": True}, "y": {"type": "string"}}})
    items = [str(n) if n % 2 else n for n in range(20_000)]
    assert schema.fits({"x": items})
    assert [each.path for each in schema.report({"x": items, "y": 1})] == ["y"]
    assert [each.path for each in schema.report({"x": [1, "a", 1]})] == ["x"]
