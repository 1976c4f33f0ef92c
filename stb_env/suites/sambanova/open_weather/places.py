"""Places of requests: cities, zip codes and pairs of coordinates."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from stb_env.seeding import derive
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.open_weather.zips import area_of_state, areas, spread, state_codes, zip_of

MOST_NAMESAKES = 5

_ALIASES = {"uk": "gb", "usa": "us"}
_BLANKS = re.compile(r"\s+")
_NAME = re.compile(r"(?:[^\W\d_]|[ .'’-])+")
_MAX_NAME = 80
_TOWNS = ("Alder Creek", "Birchfield", "Cedar Falls", "Dunmore", "Eastbrook", "Fairhaven", "Granite Bay")
_NEAR = 0.2
"""Degrees from the middle of its area within which an invented town lies."""


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
        zips: First three digits of its zip codes, as ranges.
    """

    id: int
    name: str
    country: str
    lat: float
    lon: float
    offset: int
    state: str = ""
    zips: str = ""

    @property
    def regions(self) -> frozenset[str]:
        """Words that may follow its name in a request, in lower case: country, state, the state's letters."""
        state = self.state.lower()
        return frozenset((self.country.lower(), state, state_codes().get(state, state)))


class Land(NamedTuple):
    """The region of a country's invented places: a box on dry land around a middle.

    Attributes:
        code: ISO code of two letters.
        lat: Degrees north of the middle.
        lon: Degrees east of the middle.
        north: Degrees from the middle to the north and to the south.
        east: Degrees from the middle to the east and to the west.
    """

    code: str
    lat: float
    lon: float
    north: float
    east: float


@cache
def cities() -> Mapping[str, Place]:
    """Return the known cities by their name in lower case."""
    known = {row["name"].lower(): row for row in content("open_weather", "places")}
    return {key: Place(_identity(key), **row) for key, row in known.items()}


@cache
def lands() -> Mapping[str, Land]:
    """Return the countries that have invented places, by their codes."""
    return {row["code"]: Land(**row) for row in content("open_weather", "countries")}


def place_key(text: str) -> str:
    """Return what identifies a city in a request: its name in lower case, with single blanks, no accents.

    A state and a country after commas are left out where the known city of that name lies there.

    Examples:
        >>> place_key("New  York"), place_key("palo+alto, CA"), place_key("São Paulo"), place_key("Paris,US")
        ('new york', 'palo alto', 'sao paulo', 'paris,us')
    """
    letters = unicodedata.normalize("NFKD", text.lower().replace("+", " "))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    name, *rest = (_BLANKS.sub(" ", part).strip() for part in plain.split(","))
    rest = [_ALIASES.get(part, part) for part in rest]
    known = cities().get(name)
    return name if known and known.regions.issuperset(rest) else ",".join([name, *rest])


@lru_cache(maxsize=256)
def by_name(text: str) -> Place | None:
    """Return the city of a name; None for what is no name, and for a country that is not known.

    Any name of letters is some place's.

    Examples:
        >>> by_name("palo alto").country, by_name("12?") is None
        ('US', True)
    """
    key = place_key(text)
    name, *rest = key.split(",")
    if key in cities():
        return cities()[key]
    if len(key) > _MAX_NAME or not any(map(str.isalpha, name)) or not _NAME.fullmatch(name):
        return None
    land = _land(rest, derive("place", key))
    return _invented(key, name, land) if land else None


def by_zip(text: str) -> Place | None:
    """Return the place of a zip code: a known city or a town of the code's area; None for anything else.

    Examples:
        >>> by_zip("94301").name, by_zip("94301") == by_zip("94301,us"), by_zip("943") is None
        ('Palo Alto', True, True)
    """
    code = zip_of(text)
    if code is None:
        return None
    if code[:3] in _zipped():
        return _zipped()[code[:3]]
    area = areas()[code[:3]]
    town = _TOWNS[derive("town", code) % len(_TOWNS)]
    return _invented(f"zip {code}", town, Land("US", area.lat, area.lon, _NEAR, _NEAR), area.state)


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
    others = [country for country in lands() if country != first.country]
    start = derive("namesakes", name) % len(others)
    countries = (others[start:] + others[:start])[: max(0, min(limit, MOST_NAMESAKES) - 1)]
    return [
        first,
        *(_invented(f"{name},{country.lower()}", name, lands()[country]) for country in countries),
    ]


@cache
def _zipped() -> Mapping[str, Place]:
    return {prefix: city for city in cities().values() if city.zips for prefix in spread(city.zips)}


def _land(regions: list[str], seed: int) -> Land | None:
    """Return where a place lies whose name is followed by these; anywhere where nothing follows."""
    if not regions:
        return list(lands().values())[seed % len(lands())]
    country = regions[-1].upper()
    near = next((city for city in cities().values() if city.country == country), None)
    is_state = country not in lands() and near is None
    if area := area_of_state(regions[0]) if is_state or (country == "US" and len(regions) > 1) else None:
        return Land("US", area.lat, area.lon, _NEAR, _NEAR)
    if country in lands():
        return lands()[country]
    return Land(country, near.lat, near.lon, _NEAR, _NEAR) if near else None


def _invented(key: str, name: str, land: Land, state: str = "") -> Place:
    seed = derive("place", key)
    lat = round(land.lat + land.north * (seed % 2_001 / 1_000 - 1), 1)
    lon = round(land.lon + land.east * (seed // 2_001 % 2_001 / 1_000 - 1), 1)
    return Place(_identity(key), name.title(), land.code, lat, lon, 3600 * round(lon / 15), state)


def _identity(key: str) -> int:
    return derive("id", key) % 9_000_000 + 1_000_000


def _degrees(text: str, most: int) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= most else None
