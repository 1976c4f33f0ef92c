"""Number Crunch: statistics of short lists of numbers."""

from __future__ import annotations

import math
import statistics

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.params import choice, number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Number Crunch", "Statistics of lists of numbers.")
MOST_NUMBERS = 200
_LARGEST = 1e12
_NUMBERS = text("numbers", f"Up to {MOST_NUMBERS} numbers, divided by commas.", "3, 4.5, 8")


def parse_numbers(listed: str) -> list[float]:
    """Read numbers that commas divide.

    Raises:
        ApiError: One is no number, is too large, or there are none or too many.

    Examples:
        >>> parse_numbers("3, -4.5")
        [3.0, -4.5]
    """
    parts = [part.strip() for part in listed.split(",")]
    if len(parts) > MOST_NUMBERS:
        raise ApiError(f"at most {MOST_NUMBERS} numbers, got {len(parts)}")
    values = []
    for part in parts:
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        # Written so that "nan" and "inf", which Python reads as numbers, are refused as well.
        if not abs(value) <= _LARGEST:
            raise ApiError(f"numbers must be numbers divided by commas, got {part[:40]!r}")
        values.append(value)
    return values


@TOOL.lookup(
    "Average", _NUMBERS, choice("kind", "Which average.", ("mean", "median"), optional=True), fact=()
)
def average(numbers: str, kind: str) -> Response:
    """Mean or median of some numbers."""
    values = parse_numbers(numbers)
    middle = statistics.fmean(values) if kind == "mean" else statistics.median(values)
    return {"kind": kind, "count": len(values), "result": round(middle, 4)}


@TOOL.lookup(
    "Spread",
    _NUMBERS,
    choice("kind", "Which measure.", ("sample_deviation", "population_deviation", "range"), optional=True),
    fact=(),
)
def spread(numbers: str, kind: str) -> Response:
    """Standard deviation (of a sample or of a whole population) or range of at least two numbers."""
    values = parse_numbers(numbers)
    if len(values) < 2:
        raise ApiError("a spread needs at least two numbers")
    measures = {"sample_deviation": statistics.stdev, "population_deviation": statistics.pstdev}
    width = measures[kind](values) if kind in measures else max(values) - min(values)
    return {"kind": kind, "count": len(values), "result": round(width, 4)}


@TOOL.lookup("Total", _NUMBERS, fact=())
def total(numbers: str) -> Response:
    """Sum, least and greatest of some numbers."""
    values = parse_numbers(numbers)
    return {"sum": round(math.fsum(values), 4), "least": min(values), "greatest": max(values)}


@TOOL.lookup(
    "Percent Change",
    number("old_value", "Value before; anything but 0.", 80, -1e12, 1e12),
    number("new_value", "Value after.", 100, -1e12, 1e12),
    fact=(),
)
def percent_change(old_value: float, new_value: float) -> Response:
    """Change from one value to another, in per cent of the old one."""
    if abs(old_value) < 1e-9:
        raise ApiError("old_value must not be 0")
    return {"percent": round((new_value - old_value) / abs(old_value) * 100, 4)}
