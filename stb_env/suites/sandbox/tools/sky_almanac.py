"""Sky Almanac: sunrise and sunset by city name."""

from __future__ import annotations

from stb_env.suites.sandbox.content.climate import sun
from stb_env.suites.sandbox.conventions import city_named, parse_day, show_clock
from stb_env.suites.sandbox.params import day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Weather", "Sky Almanac", "When the sun rises and sets.")


@TOOL.lookup(
    "Sun Times",
    text("city_name", "Full name of the city (not an id).", "Marrowgate"),
    day("date", "The day.", "2026-03-02"),
)
def sun_times(city_name: str, date: str) -> Response:
    """Local sunrise and sunset in a city on a day, and the length of the day."""
    city = city_named(city_name)
    rise, fall = sun(city, parse_day(date))
    return {
        "city_name": city["name"],
        "date": date,
        "sunrise": show_clock(rise),
        "sunset": show_clock(fall),
        "day_length_minutes": (fall - rise) % 1440,
    }
