"""Facts: what the answer of a task must hold, each a value with the JSON Schema of its field.

The field's name and description are all that an agent is told of it: a name says what the value is, one name
has one type and one meaning in all templates, and the description says unit, rounding and format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Fact:
    """One field of an answer.

    Attributes:
        name: The field's name, in lower case with underscores.
        value: The right value.
        schema: JSON Schema of the field, as `stb_env.core.answers` reads it.
    """

    name: str
    value: Json
    schema: JsonMapping

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a field is named like 'total_days', got {self.name!r}")


def integer(name: str, value: int, description: str = "", *, tolerance: int = 0) -> Fact:
    """Require a whole number; the description says its unit.

    Examples:
        >>> integer("minutes", 90, "minutes of walking").schema
        {'type': 'integer', 'description': 'minutes of walking'}
    """
    return _fact(name, value, {"type": "integer"}, description, tolerance)


def number(name: str, value: float, description: str = "", *, tolerance: float = 0.0) -> Fact:
    """Require a number; the description says its unit and how it is rounded.

    Args:
        name: The field's name.
        value: The number.
        description: Its unit and rounding.
        tolerance: Greatest difference that counts as right; narrower than the effect of any clause.
    """
    return _fact(name, value, {"type": "number"}, description, tolerance)


def yes_no(name: str, value: bool, description: str = "") -> Fact:
    """Require true or false."""
    return _fact(name, bool(value), {"type": "boolean"}, description)


def date(name: str, value: str, description: str = "") -> Fact:
    """Require a date, ``YYYY-MM-DD``."""
    return _fact(name, value, {"type": "string", "format": "date"}, _with(description, "as YYYY-MM-DD"))


def time(name: str, value: str, description: str = "") -> Fact:
    """Require a time of day, ``HH:MM``; the description says whose clock it is where there are several."""
    return _fact(name, value, {"type": "string", "format": "time"}, _with(description, "as HH:MM, 24 hours"))


def name(name: str, value: str, description: str = "") -> Fact:
    """Require the name of somebody or something, or another text; see `stb_env.core.answers.name_key`."""
    return _fact(name, value, {"type": "string"}, description)


def code(name: str, value: str, description: str = "") -> Fact:
    """Require a phone number, an id, a flight number or an address; see `stb_env.core.answers.code_key`."""
    return _fact(name, value, {"type": "string", "format": "code"}, description)


def choice(name: str, value: str, options: Iterable[str], description: str = "") -> Fact:
    """Require one of the values that are known, such as a weekday, a status or a currency."""
    return _fact(name, value, {"type": "string", "enum": list(options)}, description)


def names(name: str, values: Iterable[str], description: str = "", *, ordered: bool = False) -> Fact:
    """Require every name of a list, in any order unless that counts."""
    schema: JsonObject = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    if ordered:
        schema["ordered"] = True
    return _fact(name, list(values), schema, description)


def _with(description: str, form: str) -> str:
    return f"{description}, {form}" if description else form


def _fact(
    name: str, value: object, schema: dict[str, object], description: str, tolerance: float = 0
) -> Fact:
    if description:
        schema["description"] = description
    if tolerance:
        schema["tolerance"] = tolerance
    return Fact(name, value, schema)


def values_of(facts: Sequence[Fact]) -> dict[str, object]:
    """Return the right answer that facts make."""
    return {fact.name: fact.value for fact in facts}
