"""The criteria of a trip, the order in which they may be set and what each kind of booking needs."""

from __future__ import annotations

import datetime
from typing import Literal, NamedTuple

from stb_env.suites.sambanova.common.form.api import Criteria, Made
from stb_env.suites.sambanova.common.interpreter.crash import CrashError

Kind = Literal["Loc", "Date", "int", "str"]

BOOKING_TYPES = ("hotels", "trip tickets", "both")
MEANS = ("flight", "train", "bus", "cruise")
ROOM_TYPES = ("King Bed", "Queen Bed", "Double", "Luxury")
CLASSES = {"Loc": ("location",), "Date": ("month", "day", "year")}


class Setter(NamedTuple):
    """A function that sets one criterion.

    Attributes:
        parameter: Name of its argument.
        key: Its place among the criteria.
        kind: What its argument is.
        title: How the original's messages name it.
        meaning: What it sets, in words.
    """

    parameter: str
    key: str
    kind: Kind
    title: str
    meaning: str


SETTERS = {
    "select_booking_type": Setter("booking_type", "booking_type", "str", "", "kind of booking"),
    "select_transportation": Setter(
        "transportation_type", "means_of_transportation", "str", "transportation method", "means of transport"
    ),
    "set_origin": Setter("value", "location_from", "Loc", "origin", "place from which the trip starts"),
    "set_destination": Setter("value", "location_to", "Loc", "destination", "place to which the trip goes"),
    "set_num_adults": Setter("value", "num_adults", "int", "", "number of adults"),
    "set_num_children": Setter("value", "num_children", "int", "", "number of children"),
    "set_departure_date": Setter("value", "departure_date", "Date", "departure date", "day of departure"),
    "set_return_date": Setter("value", "return_date", "Date", "return date", "day of the way back"),
    "set_min_ticket_price": Setter(
        "value", "min_price_ticket", "int", "", "lowest price of an adult's ticket, in dollars"
    ),
    "set_max_ticket_price": Setter(
        "value", "max_price_ticket", "int", "", "highest price of an adult's ticket, in dollars"
    ),
    "set_hotel_location": Setter("value", "location", "Loc", "hotel location", "place of the hotel"),
    "set_checkin_date": Setter("value", "checkin_date", "Date", "checkin date", "first day in the hotel"),
    "set_checkout_date": Setter("value", "checkout_date", "Date", "checkout date", "last day in the hotel"),
    "set_num_rooms": Setter("value", "num_rooms", "int", "", "number of rooms; 1 if left out"),
    "select_room_type": Setter("value", "room_type", "str", "", "type of the rooms"),
    "set_min_room_price": Setter(
        "value", "min_price_room", "int", "", "lowest price of a room for a night, in dollars"
    ),
    "set_max_room_price": Setter(
        "value", "max_price_room", "int", "", "highest price of a room for a night, in dollars"
    ),
}

_TRIP = ("select_transportation", "set_origin", "set_destination")
_STAY = ("set_hotel_location", "set_checkin_date", "set_checkout_date")
REQUIRED = {
    "trip tickets": (*_TRIP, "set_departure_date"),
    "hotels": _STAY,
    "both": (*_TRIP, *_STAY),
}
"""Functions without which a search of each kind fails, in the order in which they are looked for."""

# The messages are those of the original's API, to the letter, for recorded verdicts name them.
_TYPE_FIRST = "need to set booking type first"
_SUFFIXES = {
    "trip tickets": "for trip tickets search",
    "hotels": "for hotels search",
    "both": "for 'trip tickets and hotels' search",
}
_TYPE_ADVICE = "call select_booking_type first, and once; clear() starts over"


def fill(criteria: Criteria, name: str, value: object, *, strict: bool) -> Criteria:
    """Return the criteria after a call of one of the functions.

    Args:
        criteria: What is set so far; it stays as it is.
        name: The function.
        value: Its argument, a place or a date as `Made`; None where it takes none.
        strict: Whether days have to be in the calendar and in order, and the booking type comes first even
            where nothing is searched for.

    Raises:
        CrashError: The call is not allowed.

    Examples:
        >>> fill({"booking_type": "both"}, "set_origin", Made("Loc", {"location": "Omaha"}), strict=True)
        {'booking_type': 'both', 'location_from': 'Omaha'}
    """
    match name:
        case "clear":
            return {}
        case "search":
            return _searched(criteria, strict=strict)
        case "select_booking_type":
            _among(value, BOOKING_TYPES, "booking type")
            if criteria:
                raise CrashError(_TYPE_FIRST, _TYPE_ADVICE)
    if strict and not criteria and name != "select_booking_type":
        raise CrashError(_TYPE_FIRST, _TYPE_ADVICE)
    if name == "select_transportation":
        _among(value, MEANS, "transportation type")
    setter = SETTERS[name]
    return {**criteria, setter.key: _content(setter, value, strict=strict)}


def _among(value: object, choices: tuple[str, ...], title: str) -> None:
    if value not in choices:
        raise CrashError(
            f"{title} '{value}' not valid", f"{title} {value!r} is not valid; it is one of {list(choices)}"
        )


def _content(setter: Setter, value: object, *, strict: bool) -> object:
    if setter.kind not in CLASSES:
        return value
    if not isinstance(value, Made) or value.name != setter.kind:
        raise CrashError(f"{setter.title} not a {setter.kind} object")
    if setter.kind == "Loc":
        return value.arguments["location"]
    # By default the parts are whole numbers, of which 3.0 is one.
    parts = {name: int(part) for name, part in value.arguments.items()} if strict else value.arguments
    text = "{month}-{day}-{year}".format_map(parts)
    if strict and day_of(text) is None:
        raise CrashError(f"{setter.title} {text} is no day of the calendar; a Date is month, day, year")
    return text


def _searched(criteria: Criteria, *, strict: bool) -> Criteria:
    if "booking_type" not in criteria:
        raise CrashError("", _TYPE_ADVICE)
    kind = str(criteria["booking_type"])
    for name in REQUIRED[kind]:
        if SETTERS[name].key not in criteria:
            raise CrashError(
                f"{SETTERS[name].title} not set {_SUFFIXES[kind]}", f"call {name} before a search for {kind}"
            )
    filled: dict[str, object] = {"min_price_ticket": 0, "min_price_room": 0}
    if kind == "both":
        filled |= {"departure_date": criteria["checkin_date"], "return_date": criteria["checkout_date"]}
    if kind != "trip tickets":
        filled["num_rooms"] = 1
    complete = {**criteria, **{key: value for key, value in filled.items() if key not in criteria}}
    if strict:
        if complete.get("num_children") == 0:
            # To say that there are none is to leave them out.
            del complete["num_children"]
        _in_order(complete, "departure_date", "return_date", least=0)
        _in_order(complete, "checkin_date", "checkout_date", least=1)
    return complete


def _in_order(criteria: Criteria, first: str, last: str, *, least: int) -> None:
    start, end = day_of(criteria.get(first)), day_of(criteria.get(last))
    if start and end and (end - start).days < least:
        raise CrashError(f"{last} {criteria[last]} comes too early after {first} {criteria[first]}")


def day_of(text: object) -> datetime.date | None:
    """Return the day that a criterion stands for; None where it stands for none.

    Examples:
        >>> day_of("2-29-2024"), day_of("2-30-2024"), day_of(None)
        (datetime.date(2024, 2, 29), None, None)
    """
    try:
        month, day, year = (int(part) for part in str(text).split("-"))
        return datetime.date(year, month, day)
    except (ValueError, OverflowError):
        return None
