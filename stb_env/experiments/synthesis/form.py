"""The JSON form of what a role has to write, and the reading of a text that may or may not have it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property

from stb_env.actions.validation.schema import Schema
from stb_env.backend.simulator.mirror import json_values
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError

MAX_DRAFT = 60_000
"""Longest text of a role that is read, in characters."""

_MOST_REASONS = 5
_MOST_TOLD = 2_000


class UnfitDraft(DataError):
    """A draft cannot be used; the message is what its author is told."""


class DuplicateQuery(UnfitDraft):
    """A query says what an earlier one says already."""


class Form:
    """A JSON Schema with a name.

    Args:
        name: Names the role in messages.
        properties: Schema of each member.
        optional: Members that may be left out.

    Examples:
        >>> form = Form("tester", {"keep": {"type": "boolean"}})
        >>> form.read('Sure: {"keep": true}')
        {'keep': True}
        >>> form.read('{"keep": "yes"}')
        Traceback (most recent call last):
        ...
        stb_env.experiments.synthesis.form.UnfitDraft: 'keep' must be true or false, got the text 'yes'
    """

    def __init__(self, name: str, properties: Mapping[str, object], optional: tuple[str, ...] = ()) -> None:
        self.name = name
        required = [member for member in properties if member not in optional]
        self.parameters: JsonObject = {"properties": dict(properties), "required": required}

    def narrowed(self, properties: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters with other schemas for some of the members."""
        known = self.parameters["properties"]
        return {**self.parameters, "properties": {**known, **properties}}

    @cached_property
    def _schema(self) -> Schema:
        return Schema(self.name, self.parameters)

    def read(self, text: str) -> JsonObject:
        """Return the object that a text holds.

        Raises:
            UnfitDraft: It is too long, holds no object, or one that does not fit.
        """
        if len(text) > MAX_DRAFT:
            raise UnfitDraft(f"at most {MAX_DRAFT} characters are read, got {len(text)}")
        values = [value for value in json_values(text, repair=True) if isinstance(value, dict)]
        for value in values:
            if self._schema.fits(value):
                return _encodable(value)
        if not values:
            raise UnfitDraft("expected one JSON object, found none")
        # No pattern matches half a character, so that is what has to be said first.
        _encodable(values[0])
        found = self._schema.report(values[0])[:_MOST_REASONS]
        raise UnfitDraft("; ".join(violation.message for violation in found)[:_MOST_TOLD])


def _encodable(value: Mapping[str, object]) -> dict[str, object]:
    """Return the value as it comes back from a file, so that what was read and what is kept are equal."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise UnfitDraft(f"a text has half a character in it (lone surrogate): {error.reason}") from error
    kept: JsonObject = jsontext.loads(jsontext.dumps(value))
    return kept


def text(most: int, pattern: str = r"\S") -> JsonObject:
    """Return the schema of a text that is not blank."""
    return {"type": "string", "minLength": 1, "maxLength": most, "pattern": pattern}


def list_of(item: Mapping[str, object], most: int, least: int = 1) -> dict[str, object]:
    """Return the schema of a list."""
    return {"type": "array", "items": dict(item), "minItems": least, "maxItems": most}


def record(properties: Mapping[str, object], optional: tuple[str, ...] = ()) -> JsonObject:
    """Return the schema of an object without further members."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
