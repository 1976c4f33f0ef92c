"""The validator that says what is wrong, with the bounds of the one that says whether anything is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from stb_env.actions.validation.linear_pattern import matches
from stb_env.core import jsontext


def _pattern(validator: object, pattern: str, text: object, schema: object) -> Iterator[ValidationError]:  # noqa: ARG001
    if isinstance(text, str) and not matches(pattern, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any,
    patterns: Mapping[str, object],
    given: object,
    schema: object,  # noqa: ARG001
) -> Iterator[ValidationError]:
    for pattern, part in patterns.items() if isinstance(given, dict) else ():
        for name, value in given.items() if isinstance(given, dict) else ():
            if matches(pattern, name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _additional(
    validator: Any, allowed: Any, given: object, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(given, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [
        name
        for name in given
        if name not in known and not any(matches(pattern, name) for pattern in patterns)
    ]
    if isinstance(allowed, Mapping):
        for name in extra:
            yield from validator.descend(given[name], allowed, path=name)
    elif not allowed and extra:
        yield ValidationError(f"unknown: {extra!r}")


def _unique(validator: object, wanted: object, items: object, schema: object) -> Iterator[ValidationError]:  # noqa: ARG001
    # Comparing all with all takes the square of their number.
    if wanted and isinstance(items, list) and len({jsontext.dumps(item) for item in items}) < len(items):
        yield ValidationError("an item stands there twice")


Reporter: Any = extend(  # type: ignore[no-untyped-call] # jsonschema has no annotation there
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional,
        "uniqueItems": _unique,
    },
)
"""jsonschema's validator, with patterns and comparisons in linear time."""
