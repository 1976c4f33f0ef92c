"""Conditions: what their text names, and comparisons of stored values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from stb_env.errors import DataError
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.schema.actions import Condition

TODAY = "today"
"""The operand that is the world's date."""

BOUNDS = ("<", "<=", ">", ">=")
"""Operators of thresholds."""

_CALL = re.compile(r"(days|count)\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Path:
    """An attribute of the row, or of a row that it refers to."""

    path: str


@dataclass(frozen=True, slots=True)
class Days:
    """The number of days from one path to another; either may be ``today``."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Count:
    """Number of rows of an entity that refer to the row by an attribute."""

    entity: str
    attribute: str


_SOME_OR_NONE = ((">", 0), (">=", 1), ("<", 1), ("<=", 0))
"""Thresholds of counts that tell some from none."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

Operand = Path | Days | Count


@lru_cache(maxsize=4096)
def operand(text: str) -> Operand:
    """Read the left side of a condition, or a path of its right side without the ``@``.

    Raises:
        DataError: It is no path, ``days(a, b)`` or ``count(entity.attribute)``.

    Examples:
        >>> operand("days(filed, today)"), operand("visit.pet")
        (Days(start='filed', end='today'), Path(path='visit.pet'))
    """
    found = _CALL.fullmatch(text)
    if found is None:
        if "(" in text:
            raise DataError(f"operand {text!r} must be a path, days(path, path) or count(entity.attribute)")
        return Path(text)
    if found[1] == "days":
        parts = [part.strip() for part in found[2].split(",")]
        if len(parts) == 2:
            return Days(parts[0], parts[1])
    elif found[2].count(".") == 1:
        entity, attribute = found[2].split(".")
        return Count(entity.strip(), attribute.strip())
    raise DataError(f"operand {text!r} must be days(path, path) or count(entity.attribute)")


def operands(condition: Condition) -> Iterator[Operand]:
    """Yield what a condition reads: its left side, and its right side where that is a path."""
    yield operand(condition.left)
    if isinstance(condition.right, str) and condition.right.startswith("@"):
        yield operand(condition.right[1:])


def compares(value: int, op: str, wanted: int) -> bool:
    """Return whether a value meets a comparison; a missing one meets none."""
    if value == MISSING:
        return False
    match op:
        case "=":
            return value == wanted
        case "!=":
            return value != wanted
        case ">":
            return value > wanted
        case "<":
            return value < wanted
        case ">=":
            return value >= wanted
        case "<=":
            return value <= wanted
    raise ValueError(f"{op!r} is no comparison")


def is_unclear_at(condition: Condition, text: str, bound: int) -> bool:
    """Return whether readers of a rule can doubt what holds for a row that has the very bound.

    Nobody doubts it of ``more than 3``, ``fewer than three`` or ``at least 3``, nor whether there are any.

    Args:
        condition: A condition that compares with the bound.
        text: The rule in words.
        bound: The bound.
    """
    counted = isinstance(operand(condition.left), Count)
    if condition.op not in BOUNDS or (counted and (condition.op, bound) in _SOME_OR_NONE):
        return False
    said = rf"{bound}|{_NUMBERS[bound]}" if 0 <= bound < len(_NUMBERS) else f"{bound}"
    return not re.search(rf"\b(?:than|at least|at most) (?:{said})\b", text)
