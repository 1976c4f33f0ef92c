"""Schemas of an OpenAPI document as JSON Schemas that stand alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.formats.openapi.document import Document

DEFINITIONS = "$defs"

_NAMED = ("properties", "patternProperties", "dependentSchemas", DEFINITIONS)
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
# OpenAPI's own, of no use to who writes arguments.
_DROPPED = frozenset({"xml", "externalDocs", "discriminator", "example", "nullable", "readOnly", "writeOnly"})
_INLINE = 2_000
"""Characters up to which what is referred to stands where it is used."""


SHARED = "schemas#/"
"""Begins a reference to a schema that a source's answers share, under ``schemas`` of the source."""


class Schemas:
    """Makes schemas of a document stand alone: what they refer to comes with them, recursive or not.

    Args:
        document: The document.

    Attributes:
        shared: What the schemas of answers refer to, by name.

    Examples:
        >>> tree = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Tree"}}}
        >>> document = Document({"openapi": "3.0.3", "components": {"schemas": {"Tree": tree}}})
        >>> made = Schemas(document).alone({"$ref": "#/components/schemas/Tree"})
        >>> made["$ref"], made["$defs"]["Tree"]["properties"]
        ('#/$defs/Tree', {'child': {'$ref': '#/$defs/Tree'}})
        >>> Schemas(document).alone({"type": "string", "nullable": True, "example": "a"})
        {'type': ['string', 'null'], 'examples': ['a']}
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._sizes: dict[str, float] = {}
        self._names: dict[str, str] = {}
        self.shared: dict[str, Json] = {}

    def alone(self, schema: object) -> JsonObject:
        """Return a schema with its definitions.

        Raises:
            DataError: A reference leads nowhere, or out of the document.
        """
        used: dict[str, tuple[str, Json]] = {}
        made = self._opened(schema, used)
        made = made if isinstance(made, dict) else ({} if made else {"not": {}})
        definitions = dict(used.values())
        return {**made, DEFINITIONS: definitions} if definitions else made

    def answer(self, schema: object) -> Json:
        """Return the schema of an answer; what it refers to is in `shared`, and only there.

        Where a reference leads nowhere or out of the document, any value will do: nothing but offline answers
        is made of it.
        """
        return self._opened(schema, None)

    def _reference(self, reference: str) -> str:
        """Return a reference to a schema that answers share, which is taken up where it is new."""
        if reference not in self._names:
            name = self._names[reference] = _distinct(reference.rpartition("/")[2], set(self.shared))
            # Known before it is opened: it may refer to itself.
            self.shared[name] = {}
            with suppress(DataError):
                self.shared[name] = self.answer(self._document.at(reference))
        return f"{SHARED}{self._names[reference]}"

    def properties(self, schema: object) -> tuple[JsonMapping, list[str]] | None:
        """Return properties and names of the required ones, of a schema that is a plain object's."""
        found = self._document.resolved(schema)
        plain = not any(word in found for word in (*_LISTED, "not", "if", "$dynamicRef", "patternProperties"))
        closed = found.get("additionalProperties") in (None, False)
        properties = found.get("properties")
        if not (plain and closed and isinstance(properties, Mapping) and properties):
            return None
        written = {name: one for name, one in properties.items() if not self._says(one, "readOnly")}
        return written, [name for name in found.get("required") or () if name in written]

    def _says(self, schema: object, word: str) -> bool:
        return isinstance(schema, Mapping) and self._document.resolved(schema).get(word) is True

    def _opened(self, schema: object, used: dict[str, tuple[str, object]] | None) -> object:
        if not isinstance(schema, Mapping):
            return schema
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return self._plain(schema, used)
        beside = self._plain({name: value for name, value in schema.items() if name != "$ref"}, used)
        if used is None:
            return {"$ref": self._reference(reference), **beside}
        if self._size(reference) <= _INLINE:
            target = self._opened(self._document.at(reference), used)
            return {**target, **beside} if isinstance(target, dict) else target
        if reference not in used:
            name = _distinct(reference.rpartition("/")[2], {name for name, _ in used.values()})
            used[reference] = name, {}
            used[reference] = name, self._opened(self._document.at(reference), used)
        return {"$ref": f"#/{DEFINITIONS}/{used[reference][0]}", **beside}

    def _plain(
        self, schema: Mapping[str, object], used: dict[str, tuple[str, object]] | None
    ) -> dict[str, object]:
        made: JsonObject = {}
        for word, value in schema.items():
            if word in _NAMED and isinstance(value, Mapping):
                made[word] = {name: self._opened(one, used) for name, one in value.items()}
            elif word in _LISTED and isinstance(value, list):
                made[word] = [self._opened(one, used) for one in value]
            elif word in _SINGLE:
                made[word] = self._opened(value, used)
            elif word not in _DROPPED and not word.startswith("x-"):
                made[word] = value
        if "example" in schema:
            made.setdefault("examples", [schema["example"]])
        if used is None:
            self._drop_written(made, schema)
        return _modern(made, schema) if self._document.old else made

    def _drop_written(self, made: JsonObject, schema: Mapping[str, object]) -> None:
        """Take out of an answer's schema what is only ever sent to the service."""
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return
        written = {name for name, one in properties.items() if self._says(one, "writeOnly")}
        made["properties"] = {name: one for name, one in made["properties"].items() if name not in written}
        if "required" in made:
            made["required"] = [name for name in made["required"] if name not in written]

    def _size(self, reference: str) -> float:
        """Return how long what is referred to is with all that it refers to; endless where it recurs."""
        if reference not in self._sizes:
            self._sizes[reference] = float("inf")
            target = self._document.at(reference)
            own = len(jsontext.dumps(target))
            self._sizes[reference] = own + sum(self._size(inner) for inner in _references(target))
        return self._sizes[reference]


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _distinct(name: str, taken: set[str]) -> str:
    count = 2
    made = name = name.replace("~", "_").replace("%", "_") or "schema"
    while made in taken:
        made, count = f"{name}_{count}", count + 1
    return made


def _modern(made: JsonObject, schema: Mapping[str, object]) -> dict[str, object]:
    """Turn what 3.0 writes in its own way into JSON Schema's."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if made.get(exclusive) is True and bound in made:
            made[exclusive] = made.pop(bound)
        elif isinstance(made.get(exclusive), bool):
            del made[exclusive]
    if schema.get("nullable") is True:
        if isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        if "type" not in made and any(word in made for word in ("allOf", "anyOf", "oneOf", "$ref")):
            return {"anyOf": [made, {"type": "null"}]}
    return made
