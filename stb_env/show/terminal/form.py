"""A tool's parameters as the fields of a form, and what was typed there as arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.tools import FINISH

Kind = Literal["text", "integer", "number", "choice", "switch", "list", "json"]

_KINDS: Mapping[object, Kind] = {"string": "text", "integer": "integer", "number": "number"}
_FORMATS = {"date": "YYYY-MM-DD", "time": "HH:MM"}
_EXPECTED = {"integer": "a whole number", "number": "a number", "json": "JSON"}


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a tool, or one value of the answer.

    Attributes:
        name: Its name.
        kind: How it is filled in: a list one value a line, and what is nothing else as JSON.
        required: Whether it must be given.
        description: What it means.
        choices: The values to choose from, by what is shown.
        start: What the form begins with: the parameter's default.
        group: Of Finish, the object that it is a member of: ``answer`` or ``cannot``.
        hint: How it is written, such as ``YYYY-MM-DD``.
        item: How each line of a list is read.
    """

    name: str
    kind: Kind
    required: bool = False
    description: str = ""
    choices: Mapping[str, Json] = field(default_factory=dict)
    start: str = ""
    group: str = ""
    hint: str = ""
    item: Field | None = None

    @property
    def path(self) -> str:
        """The name, after that of the object that it is a member of."""
        return f"{self.group}.{self.name}" if self.group else self.name

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
        if self.kind == "switch":
            return typed == "true"
        if self.item is not None:
            return [self.item.read(line.strip()) for line in typed.splitlines() if line.strip()]
        try:
            value = jsontext.loads(typed)
        except ValueError:
            value = None
            fits = False
        else:
            whole = isinstance(value, int) and not isinstance(value, bool)
            fits = self.kind == "json" or whole or (self.kind == "number" and isinstance(value, float))
        if not fits:
            raise DataError(f"{self.path}: expected {_EXPECTED[self.kind]}, got {typed[:80]!r}")
        return value


def fields_of(spec: JsonMapping) -> list[Field]:
    """Return the fields of a tool, the required ones first; of Finish, those of the answer before all.

    Args:
        spec: An OpenAI function spec.

    Examples:
        >>> properties = {"n": {"type": "integer"}, "word": {"type": "string"}}
        >>> spec = {"function": {"parameters": {"properties": properties, "required": ["word"]}}}
        >>> [field.name for field in fields_of(spec)]
        ['word', 'n']
    """
    parameters = spec["function"]["parameters"]
    properties, groups = parameters["properties"], groups_of(spec)
    fields = [replace(member, group=group) for group in groups for member in _members(properties[group])]
    rest = {name: schema for name, schema in properties.items() if name not in groups}
    return [*fields, *_members({**parameters, "properties": rest})]


def groups_of(spec: JsonMapping) -> list[str]:
    """Return the objects of Finish whose members are fields of the form; it takes one of them.

    Examples:
        >>> answer = {"type": "object", "properties": {"count": {"type": "integer"}}}
        >>> groups_of({"function": {"name": "Finish", "parameters": {"properties": {"answer": answer}}}})
        ['answer']
    """
    function = spec["function"]
    properties = function["parameters"]["properties"] if function.get("name") == FINISH else {}
    return [name for name in ("answer", "cannot") if "properties" in properties.get(name, {})]


def _members(schema: JsonMapping) -> list[Field]:
    required = schema.get("required", ())
    fields = [_field(name, each, name in required) for name, each in schema["properties"].items()]
    return sorted(fields, key=lambda field: not field.required)


def arguments_of(fields: Sequence[Field], typed: Mapping[str, str], group: str = "") -> dict[str, object]:
    """Return the arguments that were typed; an optional field that is empty is left out.

    Args:
        fields: The fields of the form.
        typed: What stands in each, by its path.
        group: The object that Finish is given, where it takes one; the members of another are left out.

    Raises:
        DataError: A value is none of its field's kind, or one that must be given is not.

    Examples:
        >>> fields = [Field("word", "text", required=True), Field("limit", "integer")]
        >>> arguments_of(fields, {"word": "bank", "limit": ""})
        {'word': 'bank'}
        >>> due = Field("due", "text", required=True, group="answer")
        >>> arguments_of([due], {"answer.due": "2026-03-09"}, "answer")
        {'answer': {'due': '2026-03-09'}}
    """
    # A task that asks for acts alone has an answer without members.
    arguments: JsonObject = {group: {}} if group else {}
    for one in fields:
        if one.group not in ("", group):
            continue
        text = typed.get(one.path, "")
        into = arguments[group] if one.group else arguments
        if text or (one.required and one.kind in ("text", "list")):
            into[one.name] = one.read(text)
        elif one.required:
            raise DataError(f"{one.path} must be given: {_EXPECTED.get(one.kind, 'one of its choices')}")
    return arguments


def _field(name: str, schema: JsonMapping, required: bool) -> Field:
    about, default = str(schema.get("description", "")), schema.get("default")
    start = "" if default is None else _shown(default)
    if schema.get("type") == "boolean" and required:
        return Field(name, "switch", required, about, start=start or "false")
    values = [True, False] if schema.get("type") == "boolean" else schema.get("enum", ())
    if choices := {_shown(value): value for value in values}:
        if start not in choices:
            # What is required begins with its first choice, as Finish does with giving an answer.
            start = next(iter(choices)) if required else ""
        return Field(name, "choice", required, about, choices, start)
    items = schema.get("items", {})
    if schema.get("type") == "array" and items.get("type") in _KINDS:
        item = Field(name, _KINDS[items["type"]])
        start = "\n".join(map(_shown, default or ()))
        return Field(name, "list", required, about, start=start, item=item, hint="one a line")
    kind = _KINDS.get(schema.get("type"), "json")
    return Field(name, kind, required, about, start=start, hint=_FORMATS.get(str(schema.get("format")), ""))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)
