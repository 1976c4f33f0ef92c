"""Bounds on the size of a tool's schema, and on the work that one argument can make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from stb_env.errors import DataError

MAX_DEPTH = 64
"""Levels of a schema, and levels of arguments that are ever asked about."""

MAX_PARTS = 100_000
"""Members of a schema in all, the values of its enumerations counted."""

MAX_VISITS = 2_000
"""Schemas that one value may be checked against."""

_HERE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
_ANY_MEMBER = ("additionalProperties", "unevaluatedProperties", "patternProperties")
_ITEMS = ("items", "prefixItems", "contains", "unevaluatedItems", "additionalItems")
_MAPPINGS = ("dependentSchemas", "patternProperties")


def allowed_depth(tool: str, schema: Mapping[str, object]) -> int:
    """Return how many levels of arguments a schema can be asked about at a bounded price.

    A schema that refers to itself twice for the same value doubles the work with every level.

    Args:
        tool: The tool's name, for the message.
        schema: Its parameters.

    Raises:
        DataError: The schema is too deep or too large, or goes round in a circle.

    Examples:
        >>> allowed_depth("f", {"properties": {"n": {"type": "integer"}}})
        64
        >>> again = {"properties": {"x": {"$ref": "#"}}}
        >>> allowed_depth("f", {"anyOf": [again, again]})
        7
        >>> allowed_depth("f", {"anyOf": [{"$ref": "#"}]})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: tool 'f' has a schema that refers to itself without going a level deeper; correct it
    """  # noqa: E501 # the line is what Python prints
    parts = _checked_size(tool, schema)
    if parts <= MAX_VISITS and not any("$ref" in part or "$dynamicRef" in part for part in _schemas(schema)):
        # Each schema of a tree, as nearly all are, has its one place on one path.
        return MAX_DEPTH
    visits = _Visits(tool, schema)
    depth = MAX_DEPTH
    while depth > 1 and visits.of(schema, depth) > MAX_VISITS:
        depth -= 1
    if visits.of(schema, depth) > MAX_VISITS:
        raise DataError(
            f"tool {tool!r} has a schema that checks a value against more than {MAX_VISITS} others"
        )
    return depth


def depth_of(value: object) -> int:
    """Return how many levels a value has.

    Examples:
        >>> depth_of(1), depth_of({"a": [1]})
        (0, 2)
    """
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level:
        members = (member for each in level for member in _members(each))
        level, depth = [member for member in members if isinstance(member, dict | list)], depth + 1
    return depth


def _checked_size(tool: str, schema: Mapping[str, object]) -> int:
    """Return how many members a schema has, the schema itself counted."""
    level: list[object] = [schema]
    depth = parts = 0
    while level:
        depth, parts = depth + 1, parts + len(level)
        if depth > 2 * MAX_DEPTH:
            raise DataError(f"tool {tool!r} has a schema of more than {MAX_DEPTH} levels; make it flatter")
        if parts > MAX_PARTS:
            raise DataError(f"tool {tool!r} has a schema of more than {MAX_PARTS} members; make it smaller")
        level = [member for each in level for member in _members(each)]
    return parts


def _members(value: object) -> Iterable[object]:
    # Most are texts, and a check against an abstract class costs several times as much.
    if isinstance(value, str):
        return ()
    if isinstance(value, (dict, Mapping)):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


class _Visits:
    """Counts the schemas that a value and the values in it may be checked against, along the worst path."""

    def __init__(self, tool: str, root: Mapping[str, object]) -> None:
        self._tool = tool
        self._root = root
        self._known: dict[tuple[int, int], int] = {}
        self._open: set[int] = set()
        self._here: dict[int, list[Mapping[str, Any]]] = {}
        self._named: dict[str, Mapping[str, Any]] = {}
        for part in _schemas(root):
            for key in ("$anchor", "$dynamicAnchor", "$id"):
                if isinstance(part.get(key), str):
                    self._named[part[key]] = part

    def of(self, schema: Mapping[str, object], depth: int) -> int:
        """Return how many schemas stand on the worst path through so many levels."""
        key = (id(schema), depth)
        if key not in self._known:
            here = self._in_place(schema)
            groups = _below(here) if depth else ()
            below = max((sum(self.of(each, depth - 1) for each in group) for group in groups), default=0)
            self._known[key] = min(len(here) + below, MAX_VISITS + 1)
        return self._known[key]

    def _in_place(self, schema: Mapping[str, object]) -> list[Mapping[str, object]]:
        """Return a schema with all others that the same value is checked against, as often as it is."""
        found = self._here.get(id(schema))
        if found is not None:
            return found
        if id(schema) in self._open:
            raise DataError(
                f"tool {self._tool!r} has a schema that refers to itself without going a level deeper; "
                "correct it"
            )
        self._open.add(id(schema))
        found = [schema]
        for other in self._beside(schema):
            found.extend(self._in_place(other))
            if len(found) > MAX_VISITS:
                raise DataError(
                    f"tool {self._tool!r} has a schema that checks a value against more than {MAX_VISITS} "
                    "others; make it simpler"
                )
        self._open.discard(id(schema))
        self._here[id(schema)] = found
        return found

    def _beside(self, schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
        for key in _HERE:
            yield from _given(schema, key)
        for key in ("$ref", "$dynamicRef"):
            target = self._target(schema.get(key))
            if target is not None:
                yield target

    def _target(self, reference: object) -> Mapping[str, object] | None:
        """Return what a reference names; nothing where it names nothing, of which the validator complains."""
        if not isinstance(reference, str):
            return None
        if reference.lstrip("#") in self._named or reference in self._named:
            return self._named.get(reference) or self._named[reference.lstrip("#")]
        found: Any = self._root
        for part in unquote(reference.partition("#")[2]).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping):
                found = found.get(name)
            elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                return None
        return found if isinstance(found, Mapping) else None


def _schemas(schema: object) -> Iterator[Mapping[str, Any]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (dict, Mapping)):
            yield part
        waiting.extend(_members(part))


def _given(schema: Mapping[str, object], key: str) -> Iterator[Mapping[str, object]]:
    """Yield the schemas under a key, which holds one, a list of them, or a table of them."""
    value = schema.get(key)
    if isinstance(value, Mapping) and key not in _MAPPINGS:
        yield value
    else:
        yield from (each for each in _members(value) if isinstance(each, Mapping))


def _below(schemas: list[Mapping[str, object]]) -> Iterator[list[Mapping[str, object]]]:
    """Yield the schemas that one member of a value is checked against, for each that there can be."""
    yield [each for schema in schemas for key in _ITEMS for each in _given(schema, key)]
    any_member = [each for schema in schemas for key in _ANY_MEMBER for each in _given(schema, key)]
    named: dict[str, list[Mapping[str, Any]]] = {}
    for schema in schemas:
        properties = schema.get("properties")
        for name, each in properties.items() if isinstance(properties, Mapping) else ():
            if isinstance(each, Mapping):
                named.setdefault(name, list(any_member)).append(each)
    yield from named.values()
    yield any_member
