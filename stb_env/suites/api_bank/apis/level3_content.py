"""The fixed content of the level 3 APIs, the same in every episode and with any databases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypedDict, TypeVar, cast

from stb_env.suites.api_bank.api_error import ApiError

Row = dict[str, str]
T = TypeVar("T")


class Weather(TypedDict):
    """The weather at a place."""

    temperature: float
    humidity: float
    description: str


class Place(TypedDict):
    """A place: latitude and longitude, and its weather."""

    coordinates: list[float]
    weather: Weather


class Clothes(TypedDict):
    """Clothes by temperature, each ``below`` a bound, and those for damp air and for rain."""

    by_temperature: list[dict[str, Any]]
    humid_above: float
    humid: list[str]
    rain: list[str]


class Content(TypedDict):
    """The fixed content, by kind."""

    accounts: dict[str, Row]
    calendar_of: dict[str, str]
    calendars: dict[str, list[dict[str, Any]]]
    members: dict[str, list[str]]
    travel_status: dict[str, str]
    posts: dict[str, list[int]]
    likes: dict[str, int]
    places: dict[str, Place]
    clothes: Clothes
    restaurants: list[dict[str, Any]]
    film_preferences: dict[str, list[str]]
    watched_films: dict[str, list[str]]
    films: dict[str, list[str]]
    flights: list[Row]
    hotels: list[Row]
    salaries: dict[str, float]
    taxes: list[dict[str, float]]


@lru_cache(maxsize=1)
def content() -> Content:
    """Return the fixed content."""
    text = (files("stb_env.suites.api_bank") / "level3.json").read_text(encoding="utf-8")
    return cast(Content, json.loads(text))


def found(table: Mapping[str, T], key: str) -> T:
    """Return a value by key.

    Raises:
        ApiError: There is none; the text is the key in quotes, as Python words a missing key.

    Examples:
        >>> found({"Tokyo": 1}, "Berlin")
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: 'Berlin'
    """
    if not isinstance(key, str) or key not in table:
        raise ApiError(repr(key))
    return table[key]
