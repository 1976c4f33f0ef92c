"""The weather service as a task declares it: parameters, documents, and calls as curl commands."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote_plus

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.calls import request_calls
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.common.rest.actions import curl_reader
from stb_env.suites.sambanova.common.rest.curl import Request
from stb_env.suites.sambanova.common.rest.service import Endpoint, Service, argument_text
from stb_env.suites.sambanova.open_weather.original import answer_items, final_command
from stb_env.suites.sambanova.open_weather.places import MOST_NAMESAKES
from stb_env.suites.sambanova.open_weather.report import LANGUAGES, UNITS, language_code
from stb_env.suites.sambanova.open_weather.service import ENDPOINTS, KEY, VERSION, endpoint_of, respond
from stb_env.tasks import Task

HOST = "api.openweathermap.org"
KEY_FIELD = "{API_KEY}"
"""Placeholder of the key in commands; each sender puts its own there."""

_NUMBERS = {"lat": float, "lon": float, "limit": int}
_LANGUAGES = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
_SCHEMAS: dict[str, JsonObject] = {
    "lat": {"type": "number", "minimum": -90, "maximum": 90, "description": "Latitude in degrees north."},
    "lon": {"type": "number", "minimum": -180, "maximum": 180, "description": "Longitude in degrees east."},
    "q": {"type": "string", "description": "Name of the city."},
    "zip": {"type": "string", "description": "Zip code of five digits, in the United States."},
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_NAMESAKES,
        "description": "How many places of that name to list; 1 if left out.",
    },
    "units": {
        "type": "string",
        "enum": list(UNITS),
        "description": "Units: standard (kelvin; if left out), metric (Celsius) or imperial (Fahrenheit).",
    },
    "mode": {
        "type": "string",
        "enum": ["json", "xml"],
        "description": "Format of the answer: json (if left out) or xml.",
    },
    "lang": {
        "type": "string",
        "enum": [*LANGUAGES, *LANGUAGES.values()],
        "description": f"Language of descriptions, by code or name: {_LANGUAGES}. English if left out.",
    },
}


def _request(endpoint: Endpoint, arguments: Mapping[str, object]) -> Request:
    params = {name: argument_text(value) for name, value in arguments.items()}
    return Request("GET", HOST, endpoint.path, {**params, "appid": KEY})


def render(endpoint: Endpoint, arguments: Mapping[str, object]) -> str:
    """Write a call as the original writes it: the place, the key, then what is optional.

    Examples:
        >>> render(SERVICE.by_name["weather_by_city"], {"units": "metric", "q": "Palo Alto"})
        "curl -X GET 'https://api.openweathermap.org/data/2.5/weather?q=palo+alto&appid={API_KEY}&units=metric'"
    """
    names = [name for name in endpoint.parameters if name in arguments] + [
        name for name in arguments if name not in endpoint.parameters
    ]
    pairs = [f"{quote_plus(name, errors='replace')}={_quoted(name, arguments[name])}" for name in names]
    pairs.insert(sum(name in endpoint.required for name in names), f"appid={KEY_FIELD}")
    return f"curl -X GET 'https://{HOST}{endpoint.path}?{'&'.join(pairs)}'"


def _quoted(name: str, value: object) -> str:
    text = argument_text(value)
    # The original writes cities in lower case.
    return quote_plus(text.lower() if name == "q" else text, safe=",", errors="replace")


def _read(request: Request) -> tuple[str, dict[str, object]] | None:
    if request.method != "GET" or request.params.get("appid") not in (KEY_FIELD, KEY):
        return None
    endpoint = endpoint_of(request.path, request.params)
    if endpoint is None:
        return None
    return endpoint.name, {
        name: _value(name, text) for name, text in request.params.items() if name != "appid"
    }


def _value(name: str, text: str) -> object:
    # Blanks around a value say nothing.
    text = text.strip()
    if name == "lang":
        return language_code(text)
    try:
        return _NUMBERS.get(name, str)(text)
    except ValueError:
        return text


def _no_state(_: Task) -> tuple[()]:
    return ()


SERVICE: Service[tuple[()]] = Service(
    name="open_weather",
    title="weather service",
    category="Weather",
    host=HOST,
    key=KEY,
    key_field=KEY_FIELD,
    version=VERSION,
    endpoints=ENDPOINTS,
    schemas=_SCHEMAS,
    start=_no_state,
    respond=respond,
    request=_request,
    write=render,
    read=_read,
    final_command=final_command,
    items=answer_items,
    is_stateless=True,
)
"""The service."""


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each endpoint.

    Examples:
        >>> print(documents()[4].text)
        # Coordinates of the places that have a name.
        curl -X GET 'https://api.openweathermap.org/geo/1.0/direct?q={q}&appid={API_KEY}{optional_params}'
        Parameters:
        q (required): Name of the city. Lower case, with + for a blank.
        appid (required): Always {API_KEY}.
        limit (optional): How many places of that name to list; 1 if left out.
    """
    return [Document(endpoint.name, _document(endpoint)) for endpoint in ENDPOINTS]


def _document(endpoint: Endpoint) -> str:
    place = "&".join(f"{name}={{{name}}}" for name in endpoint.required)
    optional = "{optional_params}" if endpoint.optional else ""
    meanings = {name: _SCHEMAS[name]["description"] for name in endpoint.parameters}
    if "q" in meanings:
        meanings["q"] += " Lower case, with + for a blank."
    return "\n".join(
        [
            f"# {endpoint.summary}",
            f"curl -X GET 'https://{HOST}{endpoint.path}?{place}&appid={KEY_FIELD}{optional}'",
            "Parameters:",
            *(f"{name} (required): {meanings[name]}" for name in endpoint.required),
            f"appid (required): Always {KEY_FIELD}.",
            *(f"{name} (optional): {meanings[name]}" for name in endpoint.optional),
        ]
    )


def calls(program: str) -> list[str]:
    """Return the requests of a program as the complexity score counts them; all of them have the key."""
    return request_calls(curl_reader(SERVICE.as_typed, known=SERVICE.tools), program, ignored=("appid",))
