"""Weather and air quality of a place at a time: numbers that follow from these alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from stb_env.seeding import mix
from stb_env.suites.sambanova.open_weather.places import Place

NOW = 1_717_243_200
"""The service's clock, in seconds since 1970: noon UTC on 1 June 2024. It stands still."""
DAY = 86_400

_POLLUTANTS = (
    ("co", 190.0, 600.0),
    ("no", 0.0, 8.0),
    ("no2", 1.0, 40.0),
    ("o3", 20.0, 90.0),
    ("so2", 0.5, 14.0),
    ("pm2_5", 1.0, 32.0),
    ("pm10", 2.0, 52.0),
    ("nh3", 0.1, 6.0),
)
_WET = (
    (0.30, 800),
    (0.45, 801),
    (0.58, 803),
    (0.70, 804),
    (0.76, 701),
    (0.83, 300),
    (0.92, 500),
    (0.97, 502),
)


class Sky(NamedTuple):
    """The weather at a moment.

    Attributes:
        code: OpenWeather's condition code.
        kelvin: Temperature, in kelvin.
        pressure: In hectopascal.
        humidity: Percent.
        wind: Metres a second.
        direction: Degrees.
        clouds: Percent.
        visibility: Metres.
        rain: Chance of rain or snow, from 0 to 1.
        light: Whether the sun is up.
    """

    code: int
    kelvin: float
    pressure: int
    humidity: int
    wind: float
    direction: int
    clouds: int
    visibility: int
    rain: float
    light: bool


def sky(place: Place, time: int) -> Sky:
    """Return the weather at a place.

    Args:
        place: Where.
        time: Seconds since 1970.

    Examples:
        >>> from stb_env.suites.sambanova.open_weather.places import by_name
        >>> sky(by_name("oslo"), NOW) == sky(by_name("oslo"), NOW)
        True
    """
    chance = _chances(place, time, 7)
    local = (time + place.offset) % DAY / DAY
    # Warm at the equator, warmer in the northern half in June, warmest in the afternoon.
    kelvin = 301.0 - 0.004 * (place.lat - 8) ** 2 + 4 * math.sin(2 * math.pi * (local - 0.375))
    kelvin += 8 * next(chance) - 4
    draw = next(chance)
    code = next((code for below, code in _WET if draw < below), 211)
    if code in (300, 500, 502) and kelvin < 273.5:
        code = 601
    return Sky(
        code=code,
        kelvin=round(kelvin, 2),
        pressure=995 + int(35 * next(chance)),
        humidity=25 + int(70 * next(chance)),
        wind=round(0.5 + 13 * next(chance), 2),
        direction=int(360 * next(chance)),
        clouds=0 if code == 800 else min(100, int(130 * draw)),
        visibility=2_500 if code == 701 else 10_000,
        rain=round(next(chance), 2) if code < 700 else 0.0,
        light=0.25 <= local < 0.8,
    )


def air(place: Place, time: int) -> tuple[int, dict[str, float]]:
    """Return the air quality index, 1 (good) to 5 (very poor), and micrograms of pollutants a cubic metre."""
    chance = _chances(place, time, 1 + len(_POLLUTANTS))
    dirt = next(chance)
    components = {
        name: round(low + (high - low) * (0.7 * dirt + 0.3 * next(chance)), 2)
        for name, low, high in _POLLUTANTS
    }
    return 1 + int(5 * dirt), components


def _chances(place: Place, time: int, count: int) -> Iterator[float]:
    """Yield numbers in [0, 1), four from each mix of the seed."""
    seed = mix(place.id, time)
    for counter in range(-(-count // 4)):
        bits = mix(seed, counter)
        yield (bits & 0xFFFF) / 0x10000
        yield (bits >> 16 & 0xFFFF) / 0x10000
        yield (bits >> 32 & 0xFFFF) / 0x10000
        yield (bits >> 48) / 0x10000
