"""Clock Shift: what time it is elsewhere; by city name, fixed offsets."""

from __future__ import annotations

from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import PAGE, city_named, page_of, parse_clock, show_clock
from stb_env.suites.sandbox.params import clock, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Clock Shift", "Time zones of cities; there is no summer time.")
_DAY = 24 * 60


def _offset(name: str) -> int:
    city = city_named(name)
    return int(city["utc_offset_hours"]) * 60


@TOOL.lookup("Zone Of City", text("city_name", "Full name of the city (not an id).", "Marrowgate"))
def zone_of_city(city_name: str) -> Response:
    """Time zone of a city as an offset from UTC."""
    hours = _offset(city_name) // 60
    return {"city_name": city_name, "zone": f"UTC{hours:+03}:00"}


@TOOL.lookup(
    "Shift Time",
    clock("time", "Local time in the first city.", "09:00"),
    text("from_city", "Full name of the first city.", "Marrowgate"),
    text("to_city", "Full name of the second city.", "Hoshikawa"),
)
def shift_time(time: str, from_city: str, to_city: str) -> Response:
    """Local time in one city when it is a given time in another; how many days later the date is there."""
    minutes = parse_clock(time) - _offset(from_city) + _offset(to_city)
    return {"time": show_clock(minutes), "days_later": minutes // _DAY}


@TOOL.lookup(
    "Add Minutes",
    clock("time", "Start.", "09:00"),
    whole("minutes", "How many minutes later; negative to go back.", 90, -100_000, 100_000),
    fact=(),
)
def add_minutes(time: str, minutes: int) -> Response:
    """Time of day so many minutes later, and how many days later the date is."""
    end = parse_clock(time) + minutes
    return {"time": show_clock(end), "days_later": end // _DAY}


@TOOL.lookup(
    "Common Hours",
    text("first_city", "Full name of one city.", "Marrowgate"),
    text("second_city", "Full name of the other city.", "Karvelik"),
    clock("opens", "Start of the working day, local in both cities.", "09:00"),
    clock("closes", "End of the working day, local in both cities.", "17:00"),
)
def common_hours(first_city: str, second_city: str, opens: str, closes: str) -> Response:
    """When the working days of two cities overlap, in the first city's time; empty if they never do."""
    start, end = parse_clock(opens), parse_clock(closes)
    ahead = _offset(second_city) - _offset(first_city)
    first, last = max(start, start - ahead), min(end, end - ahead)
    if first >= last:
        return {"from": "", "to": "", "minutes": 0}
    return {"from": show_clock(first), "to": show_clock(last), "minutes": last - first}


@TOOL.lookup("World Clock", clock("utc_time", "Time in UTC.", "12:00"), PAGE)
def world_clock(utc_time: str, page: int) -> Response:
    """Local times of all cities at one moment."""
    minutes = parse_clock(utc_time)
    rows = [
        {"city_name": city["name"], "time": show_clock(minutes + city["utc_offset_hours"] * 60)}
        for city in cities().values()
    ]
    return page_of(rows, page)
