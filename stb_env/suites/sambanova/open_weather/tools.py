"""The service's tools: one for each kind of request, and one for commands as they are."""

from __future__ import annotations

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.curl.reader import curl_tool
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.open_weather.apis import APIS, HOST, KEY_FIELD, Api
from stb_env.suites.sambanova.open_weather.places import MOST_NAMESAKES
from stb_env.suites.sambanova.open_weather.report import LANGUAGES, UNITS
from stb_env.tools import Tool, ToolId

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


def _tool(api: Api) -> Tool:
    parameters = {
        "type": "object",
        "properties": {name: _SCHEMAS[name] for name in api.parameters},
        "required": list(api.place),
    }
    return Tool(api.name, api.summary, parameters, ToolId.of("Weather", "open_weather", api.name))


TOOLS: tuple[Tool, ...] = (*map(_tool, APIS), curl_tool("Weather", "open_weather", HOST))
BY_NAME = {tool.name: tool for tool in TOOLS}


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each kind of request.

    Examples:
        >>> print(documents()[4].text)
        # Coordinates of the places that have a name.
        curl -X GET 'https://api.openweathermap.org/geo/1.0/direct?q={q}&appid={API_KEY}{optional_params}'
        Parameters:
        q (required): Name of the city. Lower case, with + for a blank.
        appid (required): Always {API_KEY}.
        limit (optional): How many places of that name to list; 1 if left out.
    """
    return [Document(api.name, _document(api)) for api in APIS]


def _document(api: Api) -> str:
    place = "&".join(f"{name}={{{name}}}" for name in api.place)
    optional = "{optional_params}" if api.optional else ""
    return "\n".join(
        [
            f"# {api.summary}",
            f"curl -X GET 'https://{HOST}{api.path}?{place}&appid={KEY_FIELD}{optional}'",
            "Parameters:",
            *(f"{name} (required): {_meaning(name)}" for name in api.place),
            f"appid (required): Always {KEY_FIELD}.",
            *(f"{name} (optional): {_meaning(name)}" for name in api.optional),
        ]
    )


def _meaning(name: str) -> str:
    spelling = " Lower case, with + for a blank." if name == "q" else ""
    return f"{_SCHEMAS[name]['description']}{spelling}"
