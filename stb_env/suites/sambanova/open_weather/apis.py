"""The nine kinds of request that the weather service answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stb_env.jsontypes import JsonMapping

HOST = "api.openweathermap.org"
KEY_FIELD = "{API_KEY}"
"""What stands for the key in commands; each sender puts its own there."""


class Api(NamedTuple):
    """One kind of request.

    Attributes:
        name: Name of its tool.
        summary: What it gives.
        path: Path of its address.
        place: Parameters that say where; all are required.
        optional: Parameters that can be left out.
    """

    name: str
    summary: str
    path: str
    place: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every parameter but the key, in the order of the canonical address."""
        return self.place + self.optional


_DATA = "/data/2.5"
_FORMAT = ("units", "mode", "lang")
_COORDINATES = ("lat", "lon")

APIS: tuple[Api, ...] = (
    Api(
        "air_pollution",
        "Air quality at a pair of coordinates at this moment.",
        f"{_DATA}/air_pollution",
        _COORDINATES,
        (),
    ),
    Api(
        "air_pollution_forecast",
        "Air quality at a pair of coordinates over the next hours.",
        f"{_DATA}/air_pollution/forecast",
        _COORDINATES,
        (),
    ),
    Api(
        "weather_at_coordinates",
        "Weather at a pair of coordinates at this moment.",
        f"{_DATA}/weather",
        _COORDINATES,
        _FORMAT,
    ),
    Api(
        "forecast_at_coordinates",
        "Weather to come at a pair of coordinates.",
        f"{_DATA}/forecast",
        _COORDINATES,
        _FORMAT,
    ),
    Api(
        "coordinates_of_place",
        "Coordinates of the places that have a name.",
        "/geo/1.0/direct",
        ("q",),
        ("limit",),
    ),
    Api(
        "weather_by_zip",
        "Weather in the area of a zip code at this moment.",
        f"{_DATA}/weather",
        ("zip",),
        _FORMAT,
    ),
    Api(
        "forecast_by_zip",
        "Weather to come in the area of a zip code.",
        f"{_DATA}/forecast",
        ("zip",),
        _FORMAT,
    ),
    Api("forecast_by_city", "Weather to come in a city.", f"{_DATA}/forecast", ("q",), _FORMAT),
    Api("weather_by_city", "Weather in a city at this moment.", f"{_DATA}/weather", ("q",), _FORMAT),
)
BY_NAME: Mapping[str, Api] = {api.name: api for api in APIS}

DEFAULTS: JsonMapping = {"units": "standard", "mode": "json", "lang": "en", "limit": 1}
"""What a parameter that is left out means."""


def api_of(path: str, params: Mapping[str, str]) -> Api | None:
    """Return the kind of a request: its path, and a place that is given completely.

    Examples:
        >>> api_of("/data/2.5/weather", {"q": "oslo"}).name
        'weather_by_city'
        >>> api_of("/data/2.5/weather", {"lat": "1"}) is None
        True
    """
    return next((api for api in APIS if api.path == path and all(name in params for name in api.place)), None)
