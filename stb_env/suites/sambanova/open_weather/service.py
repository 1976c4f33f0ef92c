"""The embedded weather service: its endpoints, and answers without a network, at a fixed time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.rest.curl import Answer, Request
from stb_env.suites.sambanova.common.rest.service import Endpoint
from stb_env.suites.sambanova.open_weather.places import Place, by_coordinates, by_name, by_zip, namesakes
from stb_env.suites.sambanova.open_weather.report import (
    LANGUAGES,
    UNITS,
    forecast,
    geocoding,
    language_code,
    pollution,
    weather,
)
from stb_env.suites.sambanova.open_weather.xml_report import forecast_xml, weather_xml

VERSION = 2
"""Raised whenever equal requests or task ids stop giving equal bytes."""
KEY = "stb-env-weather-key"
"""The key that the embedded service wants."""

MAX_VALUE = 200
"""Longest value of a parameter, in characters."""

_UNKNOWN = "city not found"
_DATA = "/data/2.5"
_FORMAT = ("units", "mode", "lang")
_COORDINATES = ("lat", "lon")

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "air_pollution",
        "Air quality at a pair of coordinates at this moment.",
        f"{_DATA}/air_pollution",
        _COORDINATES,
    ),
    Endpoint(
        "air_pollution_forecast",
        "Air quality at a pair of coordinates over the next hours.",
        f"{_DATA}/air_pollution/forecast",
        _COORDINATES,
    ),
    Endpoint(
        "weather_at_coordinates",
        "Weather at a pair of coordinates at this moment.",
        f"{_DATA}/weather",
        _COORDINATES,
        _FORMAT,
    ),
    Endpoint(
        "forecast_at_coordinates",
        "Weather to come at a pair of coordinates.",
        f"{_DATA}/forecast",
        _COORDINATES,
        _FORMAT,
    ),
    Endpoint(
        "coordinates_of_place",
        "Coordinates of the places that have a name.",
        "/geo/1.0/direct",
        ("q",),
        ("limit",),
    ),
    Endpoint(
        "weather_by_zip",
        "Weather in the area of a zip code at this moment.",
        f"{_DATA}/weather",
        ("zip",),
        _FORMAT,
    ),
    Endpoint(
        "forecast_by_zip",
        "Weather to come in the area of a zip code.",
        f"{_DATA}/forecast",
        ("zip",),
        _FORMAT,
    ),
    Endpoint("forecast_by_city", "Weather to come in a city.", f"{_DATA}/forecast", ("q",), _FORMAT),
    Endpoint("weather_by_city", "Weather in a city at this moment.", f"{_DATA}/weather", ("q",), _FORMAT),
)
DEFAULTS: JsonMapping = {"units": "standard", "mode": "json", "lang": "en", "limit": 1}
"""Values of parameters that are left out."""
_PATHS = frozenset(endpoint.path for endpoint in ENDPOINTS)


def endpoint_of(path: str, params: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint of a request: by its path, and by a place that is given completely.

    Examples:
        >>> endpoint_of("/data/2.5/weather", {"q": "oslo"}).name
        'weather_by_city'
        >>> endpoint_of("/data/2.5/weather", {"lat": "1"}) is None
        True
    """
    fitting = (endpoint for endpoint in ENDPOINTS if endpoint.path == path)
    return next((each for each in fitting if params.keys() >= set(each.required)), None)


def place_of(params: Mapping[str, str]) -> Place | str:
    """Return the place that a request names, or what is wrong with its name.

    Examples:
        >>> place_of({"zip": "94301"}) == place_of({"lat": "37.4", "lon": "-122.1"})
        True
        >>> place_of({"lat": "91", "lon": "0"}), place_of({"zip": "1"})
        ('wrong latitude', 'city not found')
    """
    if "lat" in params:
        place = by_coordinates(params["lat"], params["lon"])
        return f"wrong {place}" if isinstance(place, str) else place
    found = by_name(params["q"]) if "q" in params else by_zip(params["zip"])
    return found or _UNKNOWN


def respond(request: Request, state: tuple[()] = ()) -> tuple[Answer, tuple[()]]:
    """Answer a request, whatever host it was sent to.

    Parameters that an endpoint does not have are passed over, as are values of ``units``, ``lang`` and
    ``mode`` that mean nothing.

    Examples:
        >>> answer, _ = respond(Request("GET", "", "/data/2.5/weather", {"q": "oslo", "appid": KEY}))
        >>> answer.body["name"]
        'Oslo'
    """
    return _answer_to(request), state


def _answer_to(request: Request) -> Answer:
    params = request.params
    if params.get("appid") != KEY:
        return Answer(401, {"cod": 401, "message": "Invalid API key."})
    if request.path not in _PATHS:
        return _error(404, "There is nothing at this path.")
    if request.method != "GET":
        return _error(405, "Only GET is answered.")
    endpoint = endpoint_of(request.path, params)
    if endpoint is None:
        return _error(400, "Nothing to geocode")
    if any(len(value) > MAX_VALUE for value in params.values()):
        return _error(414, f"A parameter has at most {MAX_VALUE} characters.")
    known = tuple((name, params[name]) for name in endpoint.parameters if name in params)
    return _answer(endpoint.path, known)


# Forecasts are large: a few of them answer an episode's repeats, and no process keeps thousands.
@lru_cache(maxsize=64)
def _answer(path: str, known: tuple[tuple[str, str], ...]) -> Answer:
    params = dict(known)
    if path.startswith("/geo"):
        return Answer(200, geocoding(namesakes(params["q"], _limit(params.get("limit", "")))))
    place = place_of(params)
    if isinstance(place, str):
        return _error(404 if place == _UNKNOWN else 400, place)
    if "air_pollution" in path:
        return Answer(200, pollution(place, ahead=path.endswith("/forecast")))
    units = _choice(params, "units", UNITS)
    lang = _choice({"lang": language_code(params.get("lang", ""))}, "lang", tuple(LANGUAGES))
    is_forecast = path.endswith("/forecast")
    body = (forecast if is_forecast else weather)(place, units, lang)
    if params.get("mode") != "xml":
        return Answer(200, body)
    return Answer(200, (forecast_xml if is_forecast else weather_xml)(body, units, lang), "xml")


def _choice(params: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    value = params.get(name, "")
    return value if value in known else str(DEFAULTS[name])


def _limit(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else int(DEFAULTS["limit"])


def _error(code: int, message: str) -> Answer:
    return Answer(code, {"cod": str(code), "message": message})
