"""The embedded weather service: a request in, an answer out; no network, and a clock that stands still."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stb_env.suites.sambanova.common.curl.request import Answer, Request
from stb_env.suites.sambanova.common.curl.words import CurlError
from stb_env.suites.sambanova.open_weather.apis import APIS, DEFAULTS, HOST, Api, api_of
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
_PATHS = frozenset(api.path for api in APIS)


def fetch(request: Request) -> Answer:
    """Send a request to the host that it names.

    Raises:
        CurlError: There is no such host here.

    Examples:
        >>> params = {"q": "oslo", "appid": KEY}
        >>> fetch(Request("GET", HOST, "/data/2.5/weather", params)).body["name"]
        'Oslo'
    """
    if request.host != HOST:
        raise CurlError(f"could not resolve the host {request.host[:80]!r}; the service is at {HOST}", 6)
    return respond(request.method, request.path, request.params)


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


def respond(method: str, path: str, params: Mapping[str, str], key: str = KEY) -> Answer:
    """Answer a request, whatever host it was sent to.

    Parameters that a kind of request does not have are passed over, as are values of ``units``, ``lang`` and
    ``mode`` that mean nothing.

    Args:
        method: HTTP method.
        path: Decoded path.
        params: Decoded parameters.
        key: The key that is let in.
    """
    if params.get("appid") != key:
        return Answer(401, {"cod": 401, "message": "Invalid API key."})
    if path not in _PATHS:
        return _error(404, "There is nothing at this path.")
    if method != "GET":
        return _error(405, "Only GET is answered.")
    api = api_of(path, params)
    if api is None:
        return _error(400, "Nothing to geocode")
    if any(len(value) > MAX_VALUE for value in params.values()):
        return _error(414, f"A parameter has at most {MAX_VALUE} characters.")
    known = tuple((name, params[name]) for name in api.parameters if name in params)
    return _answer(api, known)


# Forecasts are large: a few of them answer an episode's repeats, and no process keeps thousands.
@lru_cache(maxsize=64)
def _answer(api: Api, known: tuple[tuple[str, str], ...]) -> Answer:
    params = dict(known)
    if api.path.startswith("/geo"):
        return Answer(200, geocoding(namesakes(params["q"], _limit(params.get("limit", "")))))
    place = place_of(params)
    if isinstance(place, str):
        return _error(404 if place == _UNKNOWN else 400, place)
    if "air_pollution" in api.path:
        return Answer(200, pollution(place, ahead=api.path.endswith("/forecast")))
    units = _choice(params, "units", UNITS)
    lang = _choice({"lang": language_code(params.get("lang", ""))}, "lang", tuple(LANGUAGES))
    is_forecast = api.path.endswith("/forecast")
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
