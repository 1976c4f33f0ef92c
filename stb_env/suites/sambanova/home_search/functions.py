"""The criteria of a home search and the order in which they may be set."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stb_env.suites.sambanova.common.form.api import Criteria
from stb_env.suites.sambanova.common.interpreter.crash import CrashError

MODES = ("buy", "rent")
HOME_TYPES = {
    "buy": ("House", "Townhouse", "Condo", "Land", "Multi-family", "Mobile", "Co-op"),
    "rent": ("House", "Townhouse", "Condo", "Apartment"),
}
ALL_TYPES = tuple(dict.fromkeys(kind for kinds in HOME_TYPES.values() for kind in kinds))
DEFAULTS = {"min_price": 0, "min_square_feet": 0}
"""Criteria that a search fills in where they are missing."""

# The messages are those of the original's API, to the letter, for recorded verdicts name them.
_LOCATION_FIRST = "didn't call set_location before setting other criterion"
_LOCATION_BEFORE_MODE = "didn't call set_location before calling set_buy_or_rent"
_MODE_FIRST = "didn't call set_buy_or_rent before setting other criterion"
_BAD_MODE = "invalid value for set_buy_or_rent"
_BAD_TYPES = "Specified invalid '{}' home type(s) for select_home_type"
_MODE_ADVICE = "call set_buy_or_rent right after set_location, and once"


class Number(NamedTuple):
    """A criterion that is a number.

    Attributes:
        key: Its place among the criteria.
        type: What the documentation wants.
        meaning: What it asks for, in words.
    """

    key: str
    type: Literal["int", "float"]
    meaning: str


NUMBERS = {
    "set_min_price": Number("min_price", "int", "lowest price in dollars, for a rented home per month"),
    "set_max_price": Number("max_price", "int", "highest price in dollars, for a rented home per month"),
    "set_min_square_feet": Number("min_square_feet", "int", "smallest area in square feet"),
    "set_max_square_feet": Number("max_square_feet", "int", "largest area in square feet"),
    "set_num_beds": Number("num_beds", "int", "number of bedrooms, at the least"),
    "set_num_baths": Number("num_baths", "float", "number of bathrooms, at the least; halves are possible"),
    "set_num_garages": Number("num_garages", "int", "number of garages, at the least"),
    "set_num_swimming_pools": Number("num_swimming_pools", "int", "number of swimming pools, at the least"),
    "set_num_balconies": Number("num_balconies", "int", "number of balconies, at the least"),
    "set_floor_number": Number("floor_number", "int", "floor on which the home is"),
    "set_max_commute_time": Number("max_commute_time", "int", "longest way to work in minutes"),
}


def fill(criteria: Criteria, name: str, value: object, *, strict: bool) -> Criteria:
    """Return the criteria after a call of one of the functions.

    Args:
        criteria: What is set so far; it stays as it is.
        name: The function.
        value: Its argument; None where it takes none.
        strict: Whether a search without location and mode is refused, and a home type counts once.

    Raises:
        CrashError: The call is not allowed.

    Examples:
        >>> criteria = fill({"location": "Fargo"}, "set_buy_or_rent", "rent", strict=True)
        >>> fill(criteria, "select_home_type", ["House", "Condo"], strict=True)["home_type"]
        'condo,house'
    """
    match name:
        case "set_location":
            if criteria:
                raise CrashError(_LOCATION_FIRST, "call set_location first, and once; clear() starts over")
            return {"location": value}
        case "set_buy_or_rent":
            return _with_mode(criteria, value)
        case "select_home_type":
            return {**criteria, "home_type": _home_type(criteria, value, strict=strict)}
        case "search":
            if strict and "buy_or_rent" not in criteria:
                raise CrashError(_MODE_FIRST, "call set_location and set_buy_or_rent before search")
            return {**criteria, **{key: 0 for key in DEFAULTS if key not in criteria}}
        case "clear":
            return {}
    if "buy_or_rent" not in criteria:
        raise CrashError(_MODE_FIRST, _MODE_ADVICE)
    return {**criteria, NUMBERS[name].key: value}


def _with_mode(criteria: Criteria, value: object) -> Criteria:
    if value not in MODES:
        raise CrashError(_BAD_MODE, f"set_buy_or_rent takes one of {', '.join(MODES)}")
    if "location" not in criteria:
        raise CrashError(_LOCATION_BEFORE_MODE, "call set_location before set_buy_or_rent")
    if len(criteria) > 1:
        raise CrashError(_MODE_FIRST, _MODE_ADVICE)
    return {**criteria, "buy_or_rent": value}


def _home_type(criteria: Criteria, value: object, *, strict: bool) -> str:
    if not isinstance(value, list | str | dict):
        raise CrashError(f"{type(value).__name__} is not iterable", "select_home_type takes a list")
    if not value and not strict:
        return ""
    if "buy_or_rent" not in criteria:
        raise CrashError("'buy_or_rent'", _MODE_ADVICE)
    mode = str(criteria["buy_or_rent"])
    known = [kind.lower() for kind in HOME_TYPES[mode]]
    # Of a text the original takes each letter for a home type.
    if any(not isinstance(kind, str) or kind.lower() not in known for kind in value):
        advice = f"select_home_type takes a list of {', '.join(HOME_TYPES[mode])} where the aim is to {mode}"
        raise CrashError(_BAD_TYPES.format(mode), advice)
    kinds = [kind.lower() for kind in value]
    return ",".join(sorted(set(kinds) if strict else kinds))
