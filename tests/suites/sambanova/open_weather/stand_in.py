"""The service that the recorded verdicts were taken with, rebuilt from the description in their file."""

from __future__ import annotations

from typing import Any

from stb_env.suites.sambanova.common.rest.curl import Answer, CurlError, Request

KEY = "TESTKEY"
_AIR = ("/data/2.5/air_pollution", "/data/2.5/air_pollution/forecast")
_WEATHER = {"/data/2.5/weather": 200, "/data/2.5/forecast": "200"}


def fetch(request: Request, state: tuple[()]) -> tuple[Answer, tuple[()]]:
    """Answer with the request's own parameters."""
    return _answer(request), state


def _answer(request: Request) -> Answer:
    params = dict(request.params)
    if request.host != "api.openweathermap.org":
        raise CurlError("no such host", 6)
    if params.pop("appid", None) != KEY:
        return Answer(401, {"cod": 401})
    if request.path in _AIR:
        if not {"lat", "lon"} <= params.keys():
            return Answer(400, {"cod": "400"})
        return Answer(200, {"path": request.path, "param:lat": params["lat"], "param:lon": params["lon"]})
    if request.path == "/geo/1.0/direct":
        if "q" not in params:
            return Answer(400, {"cod": "400"})
        places = [{"name": params["q"], "rank": rank} for rank in range(int(params.get("limit", 1)))]
        return Answer(200, places)
    if request.path not in _WEATHER:
        return Answer(404, {"cod": "404"})
    return _weather(request.path, params)


def _weather(path: str, params: dict[str, str]) -> Answer:
    if not ("q" in params or "zip" in params or {"lat", "lon"} <= params.keys()):
        return Answer(400, {"cod": "400"})
    if params.pop("mode", "json") == "xml":
        return Answer(200, "<weather/>", "xml")
    filled = {"lang": "en", "units": "standard", **params}
    body: dict[str, Any] = {"cod": _WEATHER[path], "path": path}
    return Answer(200, body | {f"param:{name}": value for name, value in filled.items()})
