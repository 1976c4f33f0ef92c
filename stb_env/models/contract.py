"""Contracts: the form that a reply must have, as a named JSON Schema, and the ways to ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.tools import FINISH

Way = Literal["json_schema", "tools", "text"]
"""As constrained text, as one forced function, or as plain text that is read tolerantly."""

SAY = "say"
"""Member of a reply that is words instead of a call."""

_MAX_DEPTH = 12
# What the grammars of servers know alike. The rest (patterns, lengths, defaults) makes some refuse the whole
# schema, and is checked when a reply is read.
_KEPT = ("type", "enum", "const", "description")
# Grammars are written out item by item, and servers refuse long ones.
_MOST_ITEMS = 50
_GIVE_UP = "give_up_and_restart"
# Members of a typed Finish that exclude each other.
_ENDS = ("answer", "cannot", "return_type")
_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


@dataclass(frozen=True, slots=True)
class Contract:
    """The form of a role's replies.

    It says how a reply is written down and not what is asked, so it is no part of a request's key: votes and
    recordings that are known stay known whichever way an endpoint takes it.

    Attributes:
        name: Names the form to the server.
        schema: JSON Schema of the reply, an object.
        description: What the reply is, where it is asked for as a function's arguments.

    Examples:
        >>> vote = Contract("vote", {"properties": {"solved": {"type": "boolean"}}, "required": ["solved"]})
        >>> vote.response_format["json_schema"]["strict"], vote.tool["function"]["name"]
        (True, 'vote')
        >>> vote.response_format["json_schema"]["schema"]["additionalProperties"]
        False
    """

    name: str
    schema: JsonMapping = field(default_factory=dict)
    description: str = ""

    @classmethod
    def of(cls, tool: JsonMapping) -> Contract:
        """Return the form that a function's arguments have.

        Examples:
            >>> Contract.of({"function": {"name": "vote", "parameters": {"type": "object"}}}).name
            'vote'
        """
        function = tool["function"]
        return cls(function["name"], function.get("parameters") or {}, function.get("description") or "")

    @property
    def plain(self) -> dict[str, object]:
        """The schema as every server's grammar can take it."""
        return plain({**self.schema, "type": "object"} if "anyOf" not in self.schema else self.schema)

    @property
    def response_format(self) -> dict[str, object]:
        """OpenAI's response format; strict where strictness allows the schema."""
        schema = self.plain
        form = {"name": self.name, "schema": schema, "strict": _closed(schema)}
        return {"type": "json_schema", "json_schema": form}

    @property
    def tool(self) -> JsonObject:
        """The spec of a function whose arguments are the reply."""
        function = {"name": self.name, "description": self.description, "parameters": self.plain}
        return {"type": "function", "function": function}

    @property
    def text(self) -> str:
        """The schema as JSON text, to be read by the model."""
        return jsontext.dumps(self.plain)


CALLS = Contract("call")
"""Of an agent's request: a call of one of the request's tools. `calls` has the schema."""


def calls(tools: Sequence[JsonMapping]) -> Contract:
    """Return the form of a call of one of the tools; words as well where no tool ends the episode.

    Arguments have their `strict` form, which `given` turns back.

    Examples:
        >>> ping = {"function": {"name": "ping", "parameters": {"properties": {"n": {"type": "integer"}}}}}
        >>> [sorted(one["properties"]) for one in calls([ping]).schema["anyOf"]]
        [['arguments', 'name'], ['say']]
    """
    functions = [tool["function"] for tool in tools]
    forms = [_call(function["name"], function.get("parameters") or {}) for function in functions]
    if converses(tools):
        forms.append(_object({SAY: {"type": "string"}}))
    return Contract(CALLS.name, {"anyOf": forms})


def converses(tools: Sequence[JsonMapping]) -> bool:
    """Return whether a turn may be words for a user: without Finish an episode is a conversation."""
    return all(tool["function"]["name"] != FINISH for tool in tools)


def _call(name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    schema = {"properties": {}, **parameters, "type": "object"}
    arguments = strict_finish(schema) if name == FINISH else strict(schema)
    return _object({"name": {"type": "string", "enum": [name]}, "arguments": arguments})


def strict_finish(schema: JsonMapping) -> dict[str, object]:
    """Return the `strict` form of Finish: one shape for each way to end, with null for the other ways.

    Examples:
        >>> members = {"answer": {"type": "object"}, "cannot": {"type": "object"}, "final_answer": {}}
        >>> for shape in strict_finish({"type": "object", "properties": members})["anyOf"]:
        ...     print({name: member.get("type") for name, member in shape["properties"].items()})
        {'answer': 'object', 'cannot': 'null', 'final_answer': None}
        {'answer': 'null', 'cannot': 'object', 'final_answer': None}
    """
    ways = [name for name in _ENDS if name in schema["properties"]]
    if "answer" not in ways or len(ways) == 1:
        return strict(schema)
    shapes = []
    for chosen in ways:
        shape = strict({**schema, "required": [*schema.get("required", ()), chosen]})
        shape["properties"] |= {name: {"type": "null"} for name in ways if name != chosen}
        if chosen == "return_type":
            shape["properties"][chosen] = {"type": "string", "enum": [_GIVE_UP]}
        shapes.append(shape)
    return {"anyOf": shapes}


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def plain(schema: object, depth: int = _MAX_DEPTH) -> dict[str, object]:
    """Return a schema with the keywords that the grammars of servers have in common.

    Examples:
        >>> plain({"type": "string", "pattern": "x", "maxLength": 60000})
        {'type': 'string'}
        >>> plain({"type": "float"})
        {}
    """
    return _common(schema, depth, strict=False)


def strict(schema: Json) -> JsonObject:
    """Return a schema as `plain` does, whose objects need all their members: null stands for an absent one.

    A list of distinct listed values gets their number as its bound.

    Examples:
        >>> day = {"type": "string", "format": "date"}
        >>> strict({"type": "object", "properties": {"due": day}})["properties"]
        {'due': {'type': ['string', 'null']}}
    """
    return _common(schema, _MAX_DEPTH, strict=True)


def _common(schema: object, depth: int, *, strict: bool) -> dict[str, object]:
    if not isinstance(schema, Mapping) or not depth:
        return {}

    def within(part: object) -> JsonObject:
        return _common(part, depth - 1, strict=strict)

    kept = {name: schema[name] for name in _KEPT if name in schema}
    if not _known(kept.get("type", "object")):
        del kept["type"]
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list):
        kept["anyOf"] = [within(option) for option in options]
    if "items" in schema:
        kept["items"] = within(schema["items"])
    bounds = {name: schema.get(name) for name in ("minItems", "maxItems")}
    kept |= {name: most for name, most in bounds.items() if isinstance(most, int) and most <= _MOST_ITEMS}
    # Grammars know no `uniqueItems`, and without a bound a model can repeat an item for ever.
    distinct = _distinct(schema) if strict else 0
    if 0 < distinct <= _MOST_ITEMS:
        kept["maxItems"] = min(distinct, kept.get("maxItems", distinct))
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        required, more = schema.get("required"), schema.get("additionalProperties")
        names = [name for name in required if name in properties] if isinstance(required, list) else []
        forms = {name: within(each) for name, each in properties.items()}
        if strict:
            forms = {name: form if name in names else _or_null(form) for name, form in forms.items()}
            names = list(forms)
        kept["properties"], kept["required"] = forms, names
        kept["additionalProperties"] = plain(more, depth - 1) if isinstance(more, Mapping) else False
    return kept


def _distinct(schema: Mapping[str, object]) -> int:
    """Return the most items of a list without duplicates whose items are listed; 0 where unknown."""
    items = schema.get("items")
    listed = items.get("enum") if isinstance(items, Mapping) and schema.get("uniqueItems") is True else None
    return len({jsontext.dumps(value) for value in listed}) if isinstance(listed, list) else 0


def _or_null(schema: JsonObject) -> dict[str, object]:
    if takes_null(schema):
        return schema
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    made = {name: value for name, value in schema.items() if name != "const"}
    if listed is not None:
        made["enum"] = [*listed, None]
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        made["type"] = [*kinds, "null"]
    return made


def takes_null(schema: object) -> bool:
    """Return whether null fits a schema.

    Examples:
        >>> takes_null({"type": ["string", "null"]}), takes_null({}), takes_null({"type": "string"})
        (True, True, False)
    """
    if not isinstance(schema, Mapping):
        return True
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list):
        return any(map(takes_null, options))
    if "enum" in schema or "const" in schema:
        return None in schema.get("enum", [schema.get("const")])
    kinds = schema.get("type", "null")
    return kinds == "null" or (isinstance(kinds, list) and "null" in kinds)


def given(schema: object, value: object) -> Json:
    """Return a value of a `strict` form without the nulls that stand for absent members.

    Examples:
        >>> schema = {"properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}, "required": ["n"]}
        >>> given(schema, {"n": 1, "m": None}), given(schema, {"n": None, "m": 2})
        ({'n': 1}, {'n': None, 'm': 2})
    """
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, list):
        return [given(schema.get("items"), each) for each in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    required = schema.get("required", ())
    return {
        name: given(properties.get(name), each)
        for name, each in value.items()
        if each is not None or name in required or takes_null(properties.get(name))
    }


def _known(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return bool(kinds) and all(isinstance(one, str) and one in _TYPES for one in kinds)


def _closed(schema: JsonMapping) -> bool:
    """Return whether OpenAI's strict mode takes it: every object lists its members, and requires all."""
    if "type" not in schema or "anyOf" in schema:
        return False
    if "object" in schema["type"]:
        properties = schema.get("properties", {})
        return (
            bool(properties)
            and set(schema["required"]) == set(properties)
            and all(map(_closed, properties.values()))
        )
    return "array" not in schema["type"] or _closed(schema.get("items", {}))
