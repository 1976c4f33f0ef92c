"""Violations: errors in the arguments of a call, in words that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

ViolationKind = Literal["type", "required", "unknown", "enum", "not_object", "coerced", "other"]

MAX_PREVIEW = 60

_TYPE_PHRASES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where arguments do not fit the schema, or where a coercion made them fit.

    Attributes:
        path: Where: ``city``, ``filters.names[0]``; empty for the arguments as a whole.
        expected: What the schema asks for.
        got: What stands there.
        message: Both in one sentence that a model can act on.
        kind: Its class.
    """

    path: str
    expected: str
    got: str
    message: str
    kind: ViolationKind

    def to_dict(self) -> dict[str, str]:
        """Return the violation as plain data."""
        return asdict(self)


def mismatch(path: str, expected: str, value: object, kind: ViolationKind) -> Violation:
    """Build the violation of a value that is not what its place expects.

    Examples:
        >>> mismatch("filters.n", "an integer", "five", "type").message
        "'filters.n' must be an integer, got the text 'five'"
    """
    got = in_words(value)
    return Violation(path, expected, got, f"{place(path)} must be {expected}, got {got}", kind)


def place(path: str) -> str:
    """Return how a message names a place."""
    return repr(path) if path else "the arguments"


def step_into(path: str, *steps: str | int) -> str:
    """Return the path of a member.

    Examples:
        >>> step_into("filters", "names", 0)
        'filters.names[0]'
    """
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def in_words(value: object) -> str:
    """Say what a value is, in bounded length.

    Examples:
        >>> [in_words(value) for value in ("five", 5, True, None, [1, 2], {})]
        ["the text 'five'", 'the number 5', 'true', 'null', 'an array of 2', 'an object']
    """
    match value:
        case str():
            return f"the text {value[:MAX_PREVIEW]!r}{'...' if len(value) > MAX_PREVIEW else ''}"
        case bool() | None:
            return json.dumps(value)
        case int() | float():
            return f"the number {value!r}"[:MAX_PREVIEW]
        case list():
            return f"an array of {len(value)}"
        case dict():
            return "an object"
    return f"a {type(value).__name__}"


def type_names(schema: object) -> list[str]:
    """Return the type names that a schema allows, none where it says nothing."""
    names = schema.get("type", []) if isinstance(schema, Mapping) else []
    return [names] if isinstance(names, str) else list(names)


def types_in_words(names: Iterable[str]) -> str:
    """Return type names as a message says them.

    Examples:
        >>> types_in_words(["integer", "null"])
        'an integer or null'
    """
    return " or ".join(_TYPE_PHRASES.get(name, name) for name in names)
