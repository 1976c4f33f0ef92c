"""Where a request asks about: a city, a zip code or a pair of coordinates."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from stb_env.seeding import derive

MOST_NAMESAKES = 5
COUNTRIES = ("US", "GB", "CA", "AU", "NZ", "IE", "ZA", "FR", "DE", "IT", "ES", "BR")

_ZIP = re.compile(r"(\d{5})(?:,us)?")
_BLANKS = re.compile(r"\s+")
_NAME = re.compile(r"(?:[^\W\d_]|[ .'’-])+")
_MAX_NAME = 80
_TOWNS = ("Alder Creek", "Birchfield", "Cedar Falls", "Dunmore", "Eastbrook", "Fairhaven", "Granite Bay")


class Place(NamedTuple):
    """A place with what the service says about it.

    Attributes:
        id: Identifies it.
        name: Name; empty for coordinates away from any city.
        country: ISO code of two letters, or empty.
        lat: Degrees north.
        lon: Degrees east.
        offset: Local time less UTC, in seconds.
        state: Part of the country, or empty.
    """

    id: int
    name: str
    country: str
    lat: float
    lon: float
    offset: int
    state: str = ""


@cache
def cities() -> Mapping[str, Place]:
    """Return the known cities by their name in lower case."""
    file = files("stb_env.suites.sambanova.open_weather") / "content" / "places.json"
    text = file.read_text(encoding="utf-8")
    known = {row["name"].lower(): row for row in json.loads(text)}
    return {key: Place(_identity(key), **row) for key, row in known.items()}


def place_key(text: str) -> str:
    """Return what identifies a city in a request: its name in lower case, with single blanks.

    A country after a comma is left out where the known city of that name lies there.

    Examples:
        >>> place_key("New  York"), place_key("palo+alto"), place_key("paris, FR"), place_key("Paris,US")
        ('new york', 'palo alto', 'paris', 'paris,us')
    """
    parts = text.lower().replace("+", " ").split(",")
    key = ",".join(_BLANKS.sub(" ", part).strip() for part in parts)
    name, _, country = key.rpartition(",")
    known = cities().get(name)
    return name if known and known.country.lower() == country else key


@lru_cache(maxsize=4_096)
def by_name(text: str) -> Place | None:
    """Return the city of a name; None for what is no name. Any name of letters is some place's.

    Examples:
        >>> by_name("palo alto").country, by_name("12?") is None
        ('US', True)
    """
    key = place_key(text)
    name, _, country = key.partition(",")
    if key in cities():
        return cities()[key]
    if len(key) > _MAX_NAME or not any(map(str.isalpha, name)) or not _NAME.fullmatch(name):
        return None
    return _invented(key, name, country.rpartition(",")[2].upper())


def by_zip(text: str) -> Place | None:
    """Return the place of a five-digit zip code; None for anything else.

    Examples:
        >>> by_zip("94301") == by_zip("94301,us"), by_zip("943") is None
        (True, True)
    """
    match = _ZIP.fullmatch(text.strip().lower())
    if not match:
        return None
    town = _TOWNS[derive("town", match[1]) % len(_TOWNS)]
    return _invented(f"zip {match[1]}", town, "US")


def by_coordinates(lat: str, lon: str) -> Place | str:
    """Return the place at coordinates given as texts, or which of the two is wrong.

    Examples:
        >>> by_coordinates("-33.9", "18.4") == by_coordinates("-33.90", "18.40")
        True
        >>> by_coordinates("91", "0")
        'latitude'
    """
    north, east = _degrees(lat, 90), _degrees(lon, 180)
    if north is None or east is None:
        return "latitude" if north is None else "longitude"
    near = next((city for city in cities().values() if (city.lat, city.lon) == (north, east)), None)
    offset = 3600 * round(east / 15)
    return near or Place(_identity(f"{north} {east}"), "", "", north, east, offset)


def namesakes(text: str, limit: int) -> list[Place]:
    """Return the places that share a name, the best known first; none for what is no name.

    Args:
        text: The name.
        limit: At most so many, and never more than `MOST_NAMESAKES`.
    """
    first = by_name(text)
    if first is None:
        return []
    name = first.name.lower()
    others = [country for country in COUNTRIES if country != first.country]
    start = derive("namesakes", name) % len(others)
    countries = (others[start:] + others[:start])[: max(0, min(limit, MOST_NAMESAKES) - 1)]
    return [first, *(_invented(f"{name},{country.lower()}", name, country) for country in countries)]


def _invented(key: str, name: str, country: str) -> Place:
    seed = derive("place", key)
    lat = round(-55 + seed % 1_200 / 10, 1)
    lon = round(-180 + seed // 1_200 % 3_600 / 10, 1)
    code = country if len(country) == 2 and country.isalpha() else COUNTRIES[seed % len(COUNTRIES)]
    return Place(_identity(key), name.title(), code, lat, lon, 3600 * round(lon / 15))


def _identity(key: str) -> int:
    return derive("id", key) % 9_000_000 + 1_000_000


def _degrees(text: str, most: int) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= most else None
