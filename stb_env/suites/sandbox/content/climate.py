"""Weather and sky of the sandbox: every value follows from the place and the day."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sandbox.content import edition

CONDITIONS = (
    "sunny", "partly cloudy", "overcast", "drizzle", "heavy rain", "thunderstorm", "fog", "snow showers",
)  # fmt: skip
# Least and greatest amount of rain or molten snow, in millimetres.
_RAIN: Mapping[str, tuple[float, float]] = {
    "drizzle": (0.2, 4.0),
    "heavy rain": (12.0, 45.0),
    "thunderstorm": (5.0, 40.0),
    "snow showers": (1.0, 15.0),
}


def weather(city: JsonMapping, when: date) -> JsonObject:
    """Return a day's weather in degrees Celsius and millimetres."""
    bits = seeding.mix(edition.derive("weather", city["city_id"]), when.toordinal())
    season = math.cos((when.toordinal() % 365.2425 - 197) / 365 * 2 * math.pi)
    mean = 29 - abs(city["latitude"]) * 0.42 + season * abs(city["latitude"]) * 0.22
    mean -= city["elevation_m"] * 0.004
    high = round(mean + bits % 97 / 8, 1)
    condition = CONDITIONS[bits // 97 % len(CONDITIONS)]
    # It snows on cold days only, and then it does not rain.
    if condition in _RAIN and high <= 1:
        condition = "snow showers"
    elif condition == "snow showers" and high > 4:
        condition = "heavy rain"
    least, most = _RAIN.get(condition, (0.0, 0.0))
    return {
        "high_c": high,
        "low_c": round(high - 3 - bits // 1009 % 89 / 9, 1),
        "condition": condition,
        "rain_mm": round(least + bits // 2003 % 241 / 240 * (most - least), 1),
        "wind_kmh": 3 + bits // 4001 % 58,
    }


def sun(city: JsonMapping, when: date) -> tuple[int, int]:
    """Return sunrise and sunset in minutes after local midnight (a simple declination model)."""
    declination = math.radians(-23.44 * math.cos(2 * math.pi / 365 * (when.timetuple().tm_yday + 10)))
    cosine = -math.tan(math.radians(city["latitude"])) * math.tan(declination)
    half_day = math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) * 4
    noon = 720 - city["longitude"] * 4 + city["utc_offset_hours"] * 60
    return round(noon - half_day) % 1440, round(noon + half_day) % 1440
