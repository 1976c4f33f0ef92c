"""The functions of the booking form as tools, and their documents for prompts."""

from __future__ import annotations

from stb_env.suites.sambanova.common.form.api import PROGRAM, method_tool, program_tool
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.trip_booking.functions import (
    BOOKING_TYPES,
    MEANS,
    REQUIRED,
    ROOM_TYPES,
    SETTERS,
)
from stb_env.tools import Tool

_WHERE = ("Travel", "trip_booking")
_UNDOCUMENTED = ("clear", PROGRAM)
_CHOICES = {
    "select_booking_type": BOOKING_TYPES,
    "select_transportation": MEANS,
    "select_room_type": ROOM_TYPES,
}
_LEAST = {"set_num_rooms": 1}
_PLACE = {
    "type": "object",
    "properties": {"location": {"type": "string", "minLength": 1}},
    "required": ["location"],
    "additionalProperties": False,
}
_DAY = {
    "type": "object",
    "properties": {
        "month": {"type": "integer", "minimum": 1, "maximum": 12},
        "day": {"type": "integer", "minimum": 1, "maximum": 31},
        "year": {"type": "integer", "minimum": 1, "maximum": 9_999},
    },
    "required": ["month", "day", "year"],
    "additionalProperties": False,
}
_CLASS_DOCUMENTS = {
    "Loc": "# Makes a place from its name, for functions that take a place.\nLoc(location: str)",
    "Date": "# Makes a day, for functions that take a date. Months and days are numbers.\n"
    "Date(month: int, day: int, year: int)",
}


def _schema(name: str) -> dict[str, object]:
    match SETTERS[name].kind:
        case "Loc":
            return _PLACE
        case "Date":
            return _DAY
        case "int":
            return {"type": "integer", "minimum": _LEAST.get(name, 0)}
    return {"type": "string", "enum": list(_CHOICES[name])}


def _setter(name: str) -> Tool:
    needed = [kind for kind, functions in REQUIRED.items() if name in functions]
    when = f" Needed to search for {' or '.join(needed)}." if needed else ""
    when = " Comes first, and once." if name == "select_booking_type" else when
    setter = SETTERS[name]
    return method_tool(*_WHERE, name, f"Sets the {setter.meaning}.{when}", setter.parameter, _schema(name))


TOOLS: tuple[Tool, ...] = (
    *map(_setter, SETTERS),
    method_tool(*_WHERE, "search", "Submits the criteria and lists what can be booked. Comes last."),
    method_tool(*_WHERE, "clear", "Drops all criteria, to start over."),
    program_tool(*_WHERE),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
FUNCTIONS = (*_CLASS_DOCUMENTS, *(tool.name for tool in TOOLS if tool.name not in _UNDOCUMENTED))
"""The documented functions, the original's own twenty."""


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each function and class.

    Examples:
        >>> print(documents()[4].text)
        # Sets the place from which the trip starts. Needed to search for trip tickets or both.
        API.set_origin(value: Loc)
    """
    return [Document(name, _document(name)) for name in FUNCTIONS]


def _document(name: str) -> str:
    if name in _CLASS_DOCUMENTS:
        return _CLASS_DOCUMENTS[name]
    choices = f" Values: {', '.join(_CHOICES[name])}." if name in _CHOICES else ""
    setter = SETTERS.get(name)
    argument = f"{setter.parameter}: {setter.kind}" if setter else ""
    return f"# {BY_NAME[name].description}{choices}\nAPI.{name}({argument})"
