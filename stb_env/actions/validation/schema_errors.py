"""JSON Schema validation errors as violations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from stb_env.actions import POSITIONAL
from stb_env.actions.validation.linear_pattern import matches
from stb_env.actions.validation.violation import (
    Violation,
    in_words,
    mismatch,
    step_into,
    type_names,
    types_in_words,
)
from stb_env.core import jsontext
from stb_env.errors import did_you_mean

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_MESSAGE = 300
MAX_OPTIONS = 4_000
"""Bound on the options of an enumeration that are said; the rest is counted."""

_MOST_COMPARED = 2_000

_PHRASES = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a text of at least {} characters",
    "maxLength": "a text of at most {} characters",
    "pattern": "a text that matches {}",
    "minItems": "an array of at least {}",
    "maxItems": "an array of at most {}",
    "uniqueItems": "an array that repeats nothing",
    "const": "{}",
}


def describe(error: ValidationError) -> Iterator[Violation]:
    """Yield the violations that one error stands for: several where it names several parameters."""
    path = step_into("", *error.absolute_path)
    value: Any = error.validator_value
    match error.validator:
        case "required":
            yield from _missing(path, value, error)
        case "additionalProperties" if value is False:
            yield from _unknown(path, error)
        case "type":
            yield mismatch(path, types_in_words(type_names({"type": value})), error.instance, "type")
        case "enum":
            made = mismatch(path, f"one of {_listed(value)}", error.instance, "enum")
            yield replace(made, message=made.message + _nearest(error.instance, value))
        case _:
            yield mismatch(path, _allowed(error), error.instance, "other")


def _listed(options: list[object]) -> str:
    """Return all options, or as many as fit and how many more there are."""
    listed: list[str] = []
    length = -2
    for option in options:
        text = jsontext.dumps(option)
        length += len(text) + 2
        if listed and length > MAX_OPTIONS:
            break
        listed.append(text[:MAX_OPTIONS])
    more = len(options) - len(listed)
    return f"{', '.join(listed)}{f' and {more} more' if more else ''}"


def _nearest(got: object, options: list[object]) -> str:
    """Return which of more options than are listed is meant, of those that begin alike."""
    if not isinstance(got, str) or sum(len(str(option)) for option in options) < MAX_OPTIONS:
        return ""
    alike = (one for one in options if isinstance(one, str) and one[:1].casefold() == got[:1].casefold())
    near = did_you_mean(got, islice(alike, _MOST_COMPARED))
    return near and f".{near}"


def _allowed(error: ValidationError) -> str:
    """Say what is allowed in words of our own: the error's change with the validator's version."""
    if isinstance(error.schema, bool):
        return "what the schema allows"
    phrase = _PHRASES.get(str(error.validator), f"what {error.validator} {{}} allows")
    return phrase.format(jsontext.dumps(error.validator_value)[:MAX_MESSAGE])


def _member_schemas(error: ValidationError, keyword: str) -> Mapping[str, object]:
    return error.schema.get(keyword, {}) if isinstance(error.schema, Mapping) else {}


def _missing(path: str, required: list[str], error: ValidationError) -> Iterator[Violation]:
    given: Any = error.instance
    for name in required:
        if name not in given:
            names = type_names(_member_schemas(error, "properties").get(name))
            expected, member = " or ".join(names) or "any value", step_into(path, name)
            message = f"missing required parameter {member!r} ({expected})"
            yield Violation(member, expected, "nothing", message, "required")


def _unknown(path: str, error: ValidationError) -> Iterator[Violation]:
    given: Any = error.instance
    known, patterns = _member_schemas(error, "properties"), _member_schemas(error, "patternProperties")
    names = ", ".join(known)[:MAX_MESSAGE] or "no parameters"
    for name, value in given.items():
        if name in known or any(matches(pattern, name) for pattern in patterns):
            continue
        member = step_into(path, name)[:MAX_MESSAGE]
        message = f"unknown parameter {member!r}.{did_you_mean(name, known)}"
        if name == POSITIONAL:
            message = f"arguments without a name do not fit the parameters ({names}); name each of them"
        yield Violation(member, names, in_words(value), message, "unknown")
