"""The service's answers as data, in the shapes of OpenWeather."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.open_weather.climate import DAY, NOW, Sky, air, sky
from stb_env.suites.sambanova.open_weather.places import Place

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "fr": "French",
    "zh_cn": "simplified Chinese",
    "it": "Italian",
    "de": "German",
    "ru": "Russian",
    "ja": "Japanese",
    "nl": "Dutch",
}
UNITS = ("standard", "metric", "imperial")
STEPS = 5
"""Entries of a forecast, `STEP` seconds apart."""
STEP = 3 * 3600

_CODES = {name.lower(): code for code, name in LANGUAGES.items()}
_HOUR = 3600
_MILES = 2.236_94


def language_code(name: str) -> str:
    """Return the code of a language that is named in full, in whatever letters; any other text as it is.

    Examples:
        >>> language_code("German"), language_code("simplified chinese"), language_code("de")
        ('de', 'zh_cn', 'de')
    """
    return _CODES.get(" ".join(name.split()).lower(), name)


@cache
def conditions() -> Mapping[int, Mapping[str, str]]:
    """Return the vocabulary: group, icon and words in every language, by condition code."""
    return {int(code): row for code, row in content("open_weather", "conditions").items()}


def weather(place: Place, units: str, lang: str) -> JsonObject:
    """Return the weather now.

    Args:
        place: Where.
        units: One of `UNITS`.
        lang: One of `LANGUAGES`.
    """
    now = sky(place, NOW)
    sunrise, sunset = _sun(place)
    return {
        "coord": {"lon": place.lon, "lat": place.lat},
        "weather": [_condition(now, lang)],
        "base": "stations",
        "main": _measured(now, units),
        "visibility": now.visibility,
        "wind": _wind(now, units),
        "clouds": {"all": now.clouds},
        "dt": NOW,
        "sys": {"country": place.country, "sunrise": sunrise, "sunset": sunset},
        "timezone": place.offset,
        "id": place.id,
        "name": place.name,
        "cod": 200,
    }


def forecast(place: Place, units: str, lang: str) -> dict[str, object]:
    """Return the weather to come; its ``cod`` is a text, as the original's is."""
    entries = [_entry(place, time, text, units, lang) for time, text in _times()]
    sunrise, sunset = _sun(place)
    city = {
        "id": place.id,
        "name": place.name,
        "coord": {"lat": place.lat, "lon": place.lon},
        "country": place.country,
        "timezone": place.offset,
        "sunrise": sunrise,
        "sunset": sunset,
    }
    return {"cod": "200", "message": 0, "cnt": len(entries), "list": entries, "city": city}


def pollution(place: Place, *, ahead: bool) -> dict[str, object]:
    """Return the air now, or in the hours to come."""
    times = [NOW + _HOUR * hour for hour in range(1, STEPS + 1)] if ahead else [NOW]
    return {"coord": {"lon": place.lon, "lat": place.lat}, "list": [_air(place, time) for time in times]}


def geocoding(places: list[Place]) -> list[dict[str, object]]:
    """Return where places are."""
    return [
        {
            "name": place.name,
            "local_names": {"en": place.name},
            "lat": place.lat,
            "lon": place.lon,
            "country": place.country,
            **({"state": place.state} if place.state else {}),
        }
        for place in places
    ]


@cache
def _times() -> list[tuple[int, str]]:
    times = [NOW + STEP * step for step in range(1, STEPS + 1)]
    return [(time, datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")) for time in times]


def _entry(place: Place, time: int, text: str, units: str, lang: str) -> dict[str, object]:
    then = sky(place, time)
    return {
        "dt": time,
        "main": _measured(then, units),
        "weather": [_condition(then, lang)],
        "clouds": {"all": then.clouds},
        "wind": _wind(then, units),
        "visibility": then.visibility,
        "pop": then.rain,
        "sys": {"pod": "d" if then.light else "n"},
        "dt_txt": text,
    }


def _air(place: Place, time: int) -> dict[str, object]:
    index, components = air(place, time)
    return {"dt": time, "main": {"aqi": index}, "components": components}


def _condition(now: Sky, lang: str) -> dict[str, object]:
    words = conditions()[now.code]
    icon = words["icon"] + ("d" if now.light else "n")
    return {"id": now.code, "main": words["main"], "description": words[lang], "icon": icon}


def _measured(now: Sky, units: str) -> dict[str, object]:
    felt = now.kelvin - 0.1 * now.wind
    return {
        "temp": _degrees(now.kelvin, units),
        "feels_like": _degrees(felt, units),
        "temp_min": _degrees(now.kelvin - 1.2, units),
        "temp_max": _degrees(now.kelvin + 1.3, units),
        "pressure": now.pressure,
        "humidity": now.humidity,
    }


def _degrees(kelvin: float, units: str) -> float:
    if units == "standard":
        return round(kelvin, 2)
    celsius = kelvin - 273.15
    return round(celsius if units == "metric" else celsius * 9 / 5 + 32, 2)


def _wind(now: Sky, units: str) -> dict[str, object]:
    speed = now.wind * _MILES if units == "imperial" else now.wind
    return {"speed": round(speed, 2), "deg": now.direction}


def _sun(place: Place) -> tuple[int, int]:
    midnight = NOW - (NOW + place.offset) % DAY
    return midnight + DAY // 4, midnight + DAY * 4 // 5
