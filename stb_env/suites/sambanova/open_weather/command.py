"""Between typed calls and curl commands, both ways."""

from __future__ import annotations

from urllib.parse import quote_plus

from stb_env import jsontext
from stb_env.jsontypes import Json, JsonMapping
from stb_env.suites.sambanova.common.curl.reader import CURL, command_of, named
from stb_env.suites.sambanova.common.curl.request import Request, read_request
from stb_env.suites.sambanova.common.curl.words import CurlError
from stb_env.suites.sambanova.open_weather.apis import BY_NAME, HOST, KEY_FIELD, Api, api_of
from stb_env.suites.sambanova.open_weather.report import language_code
from stb_env.suites.sambanova.open_weather.service import KEY
from stb_env.tools import ToolCall

_NUMBERS = {"lat": float, "lon": float, "limit": int}


def render(api: Api, arguments: JsonMapping) -> str:
    """Write a call as the original writes it: the place, the key, then what is optional.

    Examples:
        >>> render(BY_NAME["weather_by_city"], {"units": "metric", "q": "Palo Alto"})
        "curl -X GET 'https://api.openweathermap.org/data/2.5/weather?q=palo+alto&appid={API_KEY}&units=metric'"
    """
    names = [name for name in api.parameters if name in arguments] + [
        name for name in arguments if name not in api.parameters
    ]
    pairs = [f"{quote_plus(name)}={_text(name, arguments[name])}" for name in names]
    pairs.insert(sum(name in api.place for name in names), f"appid={KEY_FIELD}")
    return f"curl -X GET 'https://{HOST}{api.path}?{'&'.join(pairs)}'"


def as_command(call: ToolCall) -> ToolCall:
    """Write a typed call as the call of its command; any other call stays as it is.

    Examples:
        >>> as_command(ToolCall("coordinates_of_place", {"*": ["oslo", 2]})).arguments["command"]
        "curl -X GET 'https://api.openweathermap.org/geo/1.0/direct?q=oslo&appid={API_KEY}&limit=2'"
    """
    api = BY_NAME.get(call.name)
    if api is None or isinstance(call.arguments, str):
        return call
    arguments = named(call.arguments, api.parameters)
    return ToolCall(CURL, {"command": render(api, arguments)}, call.id)


def as_typed(call: ToolCall) -> ToolCall:
    """Read the call of a command as the typed call that it stands for.

    It stays as it is where it stands for none: a broken command, another host, method or path, no place, or
    not the key. What it would be answered then is the service's business.

    Examples:
        >>> command = "curl 'https://api.openweathermap.org/data/2.5/weather?appid={API_KEY}&zip=94301'"
        >>> as_typed(ToolCall("curl", {"command": command}))
        ToolCall(name='weather_by_zip', arguments={'zip': '94301'}, id='')
    """
    command = command_of(call)
    if command is None:
        return call
    try:
        request = read_request(command)
    except CurlError:
        return call
    api = api_of(request.path, request.params) if _is_proper(request) else None
    if api is None:
        return call
    arguments = {name: _value(name, text) for name, text in request.params.items() if name != "appid"}
    return ToolCall(api.name, arguments, call.id)


def _is_proper(request: Request) -> bool:
    return (
        request.method == "GET" and request.host == HOST and request.params.get("appid") in (KEY_FIELD, KEY)
    )


def _text(name: str, value: object) -> str:
    text = value if isinstance(value, str) else jsontext.dumps(value)
    # The original writes cities in lower case.
    return quote_plus(text.lower() if name == "q" else text, safe=",", errors="replace")


def _value(name: str, text: str) -> Json:
    # Blanks around a value say nothing.
    text = text.strip()
    if name == "lang":
        return language_code(text)
    try:
        return _NUMBERS.get(name, str)(text)
    except ValueError:
        return text
