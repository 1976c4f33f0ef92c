"""The functions of the search form as tools, and their documents for prompts."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.form.api import PROGRAM, method_tool, program_tool
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.home_search.functions import ALL_TYPES, HOME_TYPES, MODES, NUMBERS
from stb_env.tools import Tool

_WHERE = ("Real Estate", "home_search")
_JSON_TYPES = {"int": "integer", "float": "number"}
_UNDOCUMENTED = ("clear", PROGRAM)


def _tools() -> list[Tool]:
    kinds = "; ".join(f"To {mode}: {', '.join(HOME_TYPES[mode])}" for mode in MODES)
    types = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2 * len(ALL_TYPES)}
    numbers = []
    for name, (_, kind, meaning) in NUMBERS.items():
        described = f"Sets the {meaning}. Needs set_buy_or_rent before it."
        schema = {"type": _JSON_TYPES[kind], "minimum": 0}
        numbers.append(method_tool(*_WHERE, name, described, "value", schema))
    return [
        method_tool(
            *_WHERE,
            "set_location",
            "Sets the city in which to search. Comes first, and once.",
            "value",
            {"type": "string"},
        ),
        method_tool(
            *_WHERE,
            "set_buy_or_rent",
            "Says whether the home is to be bought or rented. Comes second, and once.",
            "value",
            {"type": "string", "enum": list(MODES)},
        ),
        method_tool(
            *_WHERE,
            "select_home_type",
            f"Chooses kinds of home, any of which will do. {kinds}. Needs set_buy_or_rent before it.",
            "home_types",
            types,
        ),
        *numbers,
        method_tool(*_WHERE, "search", "Submits the criteria and lists homes that meet them. Comes last."),
        method_tool(*_WHERE, "clear", "Drops all criteria, to start over."),
        program_tool(*_WHERE),
    ]


TOOLS: tuple[Tool, ...] = tuple(_tools())
BY_NAME = {tool.name: tool for tool in TOOLS}
FUNCTIONS = tuple(tool.name for tool in TOOLS if tool.name not in _UNDOCUMENTED)
"""The documented functions, the original's own fifteen."""


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each function.

    Examples:
        >>> print(documents()[7].text)
        # Sets the number of bedrooms, at the least. Needs set_buy_or_rent before it.
        API.set_num_beds(value: int)
    """
    return [Document(name, f"# {_comment(name)}\n{_signature(name)}") for name in FUNCTIONS]


def _comment(name: str) -> str:
    choices = BY_NAME[name].parameters["properties"].get("value", {}).get("enum")
    return BY_NAME[name].description + (f" Values: {', '.join(choices)}." if choices else "")


def _signature(name: str) -> str:
    if name in NUMBERS:
        return f"API.{name}(value: {NUMBERS[name].type})"
    types: JsonObject = {"select_home_type": "home_types: List[str]", "search": ""}
    return f"API.{name}({types.get(name, 'value: str')})"
