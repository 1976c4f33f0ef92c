"""Names of known tools, for parsers that separate calls from prose."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TypeAlias

from stb_env.tools import FINISH, Tool, ToolCall

Known: TypeAlias = Container[str] | None
"""Names of the tools that can be called; Finish always can. None where nobody knows.

A mapping from names to tools says which parameters are text, too.
"""

_PREFIXES = ("functions.", "function.", "default_api.", "tools.", "tool.", "API.", "api.")
_OF_FINISH = {"answer", "cannot", "final_answer", "return_type"}
_DECORATION = " \t\r\n`\"'*"


def is_known(name: str, known: Known) -> bool:
    """True if a tool of this name is known to exist.

    Examples:
        >>> is_known("ping", {"ping"}), is_known("Finish", None), is_known("ping", None)
        (True, True, False)
    """
    return name == FINISH or (known is not None and name in known)


def known_name(name: str, known: Known) -> str:
    """Return the known name that a model wrote with a namespace or quotes around it; others as they are.

    Examples:
        >>> [known_name(name, {"ping"}) for name in ("functions.ping", "`ping`", "png")]
        ['ping', 'ping', 'png']
    """
    if known is None or is_known(name, known):
        return name
    bare = name.strip(_DECORATION).removesuffix("()")
    candidates = (bare, *(bare.removeprefix(prefix) for prefix in _PREFIXES), bare.removesuffix(".call"))
    return next((candidate for candidate in candidates if is_known(candidate, known)), name)


def with_known_names(calls: Sequence[ToolCall], known: Known) -> tuple[ToolCall, ...]:
    """Return calls under the names that are known, where they were written with something around them.

    Examples:
        >>> with_known_names([ToolCall("functions.ping", {})], {"ping"})
        (ToolCall(name='ping', arguments={}, id=''),)
    """
    return tuple(_with_known_name(call, known) for call in calls)


def _with_known_name(call: ToolCall, known: Known) -> ToolCall:
    name = known_name(call.name, known)
    return call if name == call.name else ToolCall(name, call.arguments, call.id)


def types_of(known: Known, tool: str, parameter: str) -> list[str]:
    """Return the types that the schema of a known tool gives to a parameter; none where it says nothing.

    Examples:
        >>> schema = {"type": "object", "properties": {"zip": {"type": ["string", "null"]}}}
        >>> types_of({"find": Tool("find", "", schema)}, "find", "zip"), types_of({"find"}, "find", "zip")
        (['string', 'null'], [])
    """
    schema = _properties(known, tool).get(parameter)
    kind = schema.get("type", []) if isinstance(schema, Mapping) else []
    return [kind] if isinstance(kind, str) else list(kind)


def parameters_of(known: Known, tool: str) -> set[str]:
    """Return the names of a known tool's parameters; none where its schema is not known."""
    return _OF_FINISH if tool == FINISH else {*_properties(known, tool)}


def _properties(known: Known, tool: str) -> Mapping[str, object]:
    found = known.get(known_name(tool, known)) if isinstance(known, Mapping) else None
    properties = found.parameters.get("properties") if isinstance(found, Tool) else None
    return properties if isinstance(properties, Mapping) else {}
