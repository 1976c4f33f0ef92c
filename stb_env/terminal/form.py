"""A tool's parameters as the fields of a form, and what was typed there as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stb_env import jsontext
from stb_env.errors import DataError
from stb_env.jsontypes import Json, JsonMapping, JsonObject

Kind = Literal["text", "integer", "number", "choice", "json"]

_KINDS: Mapping[object, Kind] = {"string": "text", "integer": "integer", "number": "number"}
_EXPECTED = {"integer": "a whole number", "number": "a number", "json": "JSON"}


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a tool.

    Attributes:
        name: Its name.
        kind: How it is filled in: what is neither a text, a number nor a choice is typed as JSON.
        required: Whether it must be given.
        description: What it means.
        choices: The values to choose from, by what is shown.
        start: What the form begins with: the parameter's default.
    """

    name: str
    kind: Kind
    required: bool = False
    description: str = ""
    choices: Mapping[str, Json] = field(default_factory=dict)
    start: str = ""

    def read(self, typed: str) -> Json:
        """Return the value that was typed.

        Raises:
            DataError: It is none of this kind.

        Examples:
            >>> Field("n", "integer").read("7")
            7
            >>> Field("n", "integer").read("seven")
            Traceback (most recent call last):
            ...
            stb_env.errors.DataError: n: expected a whole number, got 'seven'
        """
        if self.kind == "text":
            return typed
        if self.kind == "choice":
            return self.choices[typed]
        try:
            value = jsontext.loads(typed)
        except ValueError:
            value = None
            fits = False
        else:
            whole = isinstance(value, int) and not isinstance(value, bool)
            fits = self.kind == "json" or whole or (self.kind == "number" and isinstance(value, float))
        if not fits:
            raise DataError(f"{self.name}: expected {_EXPECTED[self.kind]}, got {typed[:80]!r}")
        return value


def fields_of(spec: JsonMapping) -> list[Field]:
    """Return the fields of a tool, the required ones first.

    Args:
        spec: An OpenAI function spec.

    Examples:
        >>> properties = {"n": {"type": "integer"}, "word": {"type": "string"}}
        >>> spec = {"function": {"parameters": {"properties": properties, "required": ["word"]}}}
        >>> [field.name for field in fields_of(spec)]
        ['word', 'n']
    """
    parameters = spec["function"]["parameters"]
    required = parameters.get("required", ())
    fields = [_field(name, schema, name in required) for name, schema in parameters["properties"].items()]
    return sorted(fields, key=lambda field: not field.required)


def arguments_of(fields: list[Field], typed: Mapping[str, str]) -> JsonObject:
    """Return the arguments that were typed; an optional field that is empty is left out.

    Args:
        fields: The fields of the form.
        typed: What stands in each.

    Raises:
        DataError: A value is none of its field's kind, or one that must be given is not.

    Examples:
        >>> fields = [Field("word", "text", required=True), Field("limit", "integer")]
        >>> arguments_of(fields, {"word": "bank", "limit": ""})
        {'word': 'bank'}
    """
    arguments: JsonObject = {}
    for one in fields:
        text = typed.get(one.name, "")
        if text or (one.required and one.kind == "text"):
            arguments[one.name] = one.read(text)
        elif one.required:
            raise DataError(f"{one.name} must be given: {_EXPECTED.get(one.kind, 'one of its choices')}")
    return arguments


def _field(name: str, schema: JsonMapping, required: bool) -> Field:
    values = [True, False] if schema.get("type") == "boolean" else schema.get("enum", ())
    choices = {_shown(value): value for value in values}
    kind = "choice" if choices else _KINDS.get(schema.get("type"), "json")
    start = _shown(schema["default"]) if schema.get("default") is not None else ""
    if choices and start not in choices:
        # What is required begins with its first choice, as Finish does with giving an answer.
        start = next(iter(choices)) if required else ""
    return Field(name, kind, required, str(schema.get("description", "")), choices, start)


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)
