"""Objects that say a call in other keys than ``name`` and ``arguments``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stb_env.actions.known import Known, is_known, known_name, parameters_of
from stb_env.core.jsontypes import JsonMapping

# Of an object without a known name, only these say that it is a call at all.
_TOOL_KEYS = ("tool", "tool_name", "function", "function_name", "action", "recipient_name")
_NAME_KEYS = (*_TOOL_KEYS, "name", "api", "api_name")
_ARGUMENT_KEYS = (
    "arguments",
    "parameters",
    "args",
    "input",
    "action_input",
    "tool_input",
    "tool_args",
    "params",
    "kwargs",
)
_BESIDE = frozenset({*_NAME_KEYS, "id", "type", "thought", "reason", "tool_call_id"})


class NearCall(NamedTuple):
    """A call's name and arguments as they were found."""

    name: str
    arguments: object


def near_call(data: JsonMapping, known: Known) -> NearCall | None:
    """Return the call that an object describes in near keys; None where it describes none, or two.

    Examples:
        >>> from stb_env.tools import Tool
        >>> near_call({"action": "ping", "action_input": {"n": 1}}, None)
        NearCall(name='ping', arguments={'n': 1})
        >>> near_call({"ping": {"n": 1}}, {"ping"})
        NearCall(name='ping', arguments={'n': 1})
        >>> ping = Tool("ping", "", {"properties": {"n": {"type": "integer"}}})
        >>> near_call({"name": "ping", "n": 1}, {"ping": ping})
        NearCall(name='ping', arguments={'n': 1})
        >>> near_call({"name": "ping", "age": 36}, {"ping": ping}) is None
        True
        >>> near_call({"tool": "ping", "action": "pong", "args": {}}, {"ping", "pong"}) is None
        True
    """
    if len(data) == 1:
        ((key, value),) = data.items()
        if isinstance(key, str) and isinstance(value, Mapping) and is_known(known_name(key, known), known):
            return NearCall(key, value)
    named = {data[key]: key for key in reversed(_NAME_KEYS) if isinstance(data.get(key), str)}
    names = [name for name in named if is_known(known_name(name, known), known)]
    sure = bool(names)
    names = names or [name for name, key in named.items() if key in _TOOL_KEYS]
    given = [data[key] for key in _ARGUMENT_KEYS if key in data]
    if len(names) != 1 or len(given) > 1:
        return None
    if given:
        return NearCall(names[0], given[0])
    if not sure:
        return None
    if set(data) <= _BESIDE:
        return NearCall(names[0], None)
    # The arguments stand beside the name, as small models write them.
    beside = {key: value for key, value in data.items() if key != named[names[0]]}
    return NearCall(names[0], beside) if set(beside) <= parameters_of(known, names[0]) else None
