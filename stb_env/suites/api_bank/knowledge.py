"""Facts that the user of a dialogue knows: the arguments of recorded calls that the user's own turns give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.backend.user import ASK_USER
from stb_env.core.jsontypes import JsonArray, JsonMapping
from stb_env.suites.api_bank.api_set import ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_origins import Origin
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.tools import Tool, ToolId, ToolResult

KNOWN = "known"
"""Table of what the user of an episode knows: the values by the name of the parameter."""

Facts = Mapping[str, JsonArray]


def facts_of(calls: Sequence[tuple[GoldCall, Origin]], apis: ApiSet) -> dict[str, list[object]]:
    """Return the values that the user knows, by the name of the parameter, in the order of the calls.

    Args:
        calls: Recorded calls, each with the sources of its arguments.
        apis: The set that the calls belong to.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_12
        >>> call = GoldCall("QueryStock", {"stock_code": "BRKV", "date": "2023-03-22"}, {})
        >>> facts_of([(call, Origin({"date": "all"}, ("stock_code", "date")))], LEVEL_12)
        {'stock_code': ['BRKV']}
    """
    facts: dict[str, JsonArray] = {}
    for call, origin in calls:
        given = set(origin.told) - origin.loose.keys()
        arguments = apis.tool_call(call).arguments
        for parameter in apis.apis[call.name].parameters:
            value = _value(arguments, parameter.name) if given & {parameter.name, parameter.alias} else None
            if value is not None and value not in facts.setdefault(parameter.name, []):
                facts[parameter.name].append(value)
    return {name: values for name, values in facts.items() if values}


def asking_tool(calls: Sequence[GoldCall], apis: ApiSet) -> Tool:
    """Return the tool that asks the user for a value.

    Args:
        calls: All recorded calls of a level: their parameters are what can be asked for, in every task alike.
        apis: The set that the calls belong to.
    """
    used = {call.name for call in calls} & apis.apis.keys() - {SEARCHER}
    names = sorted({parameter.name for name in used for parameter in apis.apis[name].parameters})
    about = {"type": "string", "enum": names, "description": "The parameter whose value is asked for."}
    schema = {"type": "object", "properties": {"about": about}, "required": ["about"]}
    description = "Ask the user for the value of a parameter. The user may not know it."
    return Tool(ASK_USER, description, schema, ToolId.of("User", apis.name, ASK_USER))


def answer(facts: JsonMapping, arguments: JsonMapping) -> ToolResult:
    """Return the user's answer: each value that the user knows of this name.

    Examples:
        >>> answer({"username": ["mira"]}, {"about": "username"}).response
        {'known': True, 'values': ['mira']}
        >>> answer({"username": ["mira"]}, {"about": "location"}).response
        {'known': False, 'values': []}
    """
    values = list(facts.get(str(arguments.get("about")), ()))
    return ToolResult.of({"known": bool(values), "values": values}, source="world")


def _value(arguments: Mapping[str, object] | str, name: str) -> object:
    value = arguments.get(name) if isinstance(arguments, Mapping) else None
    return None if value in ("", []) else value
