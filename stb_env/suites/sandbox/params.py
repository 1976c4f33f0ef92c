"""Documented parameters: one description gives the record entry, the JSON Schema and the check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.sandbox.api_error import ArgumentsError


@dataclass(frozen=True, slots=True)
class Param:
    """One documented parameter.

    Attributes:
        name: Name, standardised already.
        kind: ``STRING``, ``NUMBER``, ``BOOLEAN``, ``ENUM`` or ``DATE (YYYY-MM-DD)`` ..., as in the records.
        description: What it means.
        default: A value that works; for an optional parameter, what leaving it out means.
        required: Whether a call without it is refused.
        enum: The allowed values; empty where any will do.
        whole: Whether a number must be an integer.
        bounds: Least and greatest allowed number.
    """

    name: str
    kind: str
    description: str
    default: Json
    required: bool = True
    enum: tuple[str, ...] = ()
    whole: bool = False
    bounds: tuple[float, float] = (-1e12, 1e12)

    @property
    def entry(self) -> dict[str, object]:
        """The parameter as a StableToolBench record has it, with ``enum`` where there is one."""
        entry = {
            "name": self.name,
            "type": self.kind,
            "description": self.description,
            "default": self.default,
        }
        return entry | ({"enum": list(self.enum)} if self.enum else {})

    @property
    def schema(self) -> JsonObject:
        """The parameter as JSON Schema."""
        schema: JsonObject = {"type": self._type, "description": self.description}
        if self.enum:
            schema["enum"] = list(self.enum)
        if self.kind == "NUMBER":
            schema["minimum"], schema["maximum"] = self.bounds
        # A default on a required parameter reads as "may be left out"; there it is an example.
        return schema | ({"examples": [self.default]} if self.required else {"default": self.default})

    @property
    def _type(self) -> str:
        if self.kind == "NUMBER":
            return "integer" if self.whole else "number"
        return "boolean" if self.kind == "BOOLEAN" else "string"

    def bind(self, value: object) -> object:
        """Return the value as the function takes it.

        Raises:
            ArgumentsError: It does not fit the schema.
        """
        if self.kind == "NUMBER":
            return self._bind_number(value)
        if self.kind == "BOOLEAN":
            if isinstance(value, bool):
                return value
        elif isinstance(value, str) and (not self.enum or value in self.enum):
            return value
        expected = f"one of {', '.join(self.enum)}" if self.enum else self._type
        raise ArgumentsError(f"{self.name} must be {expected}, got {str(value)[:80]!r}")

    def _bind_number(self, value: object) -> float | int:
        low, high = self.bounds
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            if not self.whole:
                return value
            if math.floor(value) == value:
                return int(value)
        raise ArgumentsError(
            f"{self.name} must be {self._type} from {low:g} to {high:g}, got {str(value)[:80]!r}"
        )


def text(name: str, description: str, default: str, *, optional: bool = False) -> Param:
    """Document a text parameter."""
    return Param(name, "STRING", description, default, not optional)


def day(name: str, description: str, default: str, *, optional: bool = False) -> Param:
    """Document a date parameter, ``YYYY-MM-DD``."""
    return Param(name, "DATE (YYYY-MM-DD)", description, default, not optional)


def clock(name: str, description: str, default: str, *, optional: bool = False) -> Param:
    """Document a time of day, ``HH:MM`` with 24 hours."""
    return Param(name, "TIME (24-hour HH:MM)", description, default, not optional)


def choice(name: str, description: str, values: Sequence[str], *, optional: bool = False) -> Param:
    """Document a parameter with a fixed set of values, the first of them the default."""
    return Param(name, "ENUM", description, values[0], not optional, tuple(values))


def number(
    name: str, description: str, default: float, low: float, high: float, *, optional: bool = False
) -> Param:
    """Document a number in [low, high]."""
    return Param(name, "NUMBER", description, default, not optional, bounds=(low, high))


def whole(name: str, description: str, default: int, low: int, high: int, *, optional: bool = False) -> Param:
    """Document an integer in [low, high]."""
    return Param(name, "NUMBER", description, default, not optional, whole=True, bounds=(low, high))
