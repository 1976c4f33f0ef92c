"""Between typed calls, requests and curl commands."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from stb_env import jsontext
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.cat_api.apis import BY_NAME, FAVOURITES, HOST, SEARCH, VOTES, Api
from stb_env.suites.sambanova.common.curl.reader import CURL, command_of, named
from stb_env.suites.sambanova.common.curl.request import Request, read_request
from stb_env.suites.sambanova.common.curl.words import CurlError
from stb_env.tools import ToolCall

_VOTES = {1: "vote_up", 0: "vote_down", -1: "vote_down"}


def request_of(api: Api, arguments: JsonMapping) -> Request:
    """Return the request that a call stands for.

    Examples:
        >>> request_of(BY_NAME["vote_up"], {"image_id": "zx1"}).body
        '{"image_id":"zx1", "value":1}'
    """
    texts = {name: _text(value) for name, value in arguments.items()}
    if api.reads:
        return Request("GET", HOST, api.path, texts)
    image_id = texts.pop("image_id", "")
    if api.method == "DELETE":
        return Request("DELETE", HOST, f"{api.path}/{image_id}", texts)
    posted = [f'"image_id":{jsontext.dumps(image_id)}']
    posted += [f"{jsontext.dumps(name)}:{jsontext.dumps(text)}" for name, text in texts.items()]
    if api.vote is not None:
        posted.append(f'"value":{api.vote}')
    return Request("POST", HOST, api.path, {}, f"{{{', '.join(posted)}}}")


def render(api: Api, arguments: JsonMapping) -> str:
    """Write a call as the original writes it.

    Examples:
        >>> print(render(BY_NAME["add_favourite"], {"image_id": "zx1"}))
        curl -X POST 'https://api.thecatapi.com/v1/favourites' --data '{"image_id":"zx1"}'
        >>> print(render(BY_NAME["search_images"], {"order": "ASC", "limit": 3}))
        curl -X GET 'https://api.thecatapi.com/v1/images/search?limit=3&order=ASC'
    """
    ordered = {name: arguments[name] for name in api.parameters if name in arguments} | dict(arguments)
    request = request_of(api, ordered)
    query = urlencode(request.params, safe=",", errors="replace")
    path = quote(request.path, errors="replace")
    command = f"curl -X {request.method} 'https://{HOST}{path}{'?' if query else ''}{query}'"
    if request.body is None:
        return command
    # A shell ends a single-quoted text to put a quote in.
    body = request.body.replace("'", "'\\''")
    return f"{command} --data '{body}'"


def as_command(call: ToolCall) -> ToolCall:
    """Write a typed call as the call of its command; any other call stays as it is.

    Examples:
        >>> as_command(ToolCall("delete_favourite", {"*": ["q7"]})).arguments["command"]
        "curl -X DELETE 'https://api.thecatapi.com/v1/favourites/q7'"
    """
    api = BY_NAME.get(call.name)
    if api is None or isinstance(call.arguments, str):
        return call
    arguments = named(call.arguments, api.parameters)
    return ToolCall(CURL, {"command": render(api, arguments)}, call.id)


def as_typed(call: ToolCall) -> ToolCall:
    r"""Read the call of a command as the typed call that it stands for.

    It stays as it is where it stands for none. What it would be answered then is the service's business.

    Examples:
        >>> command = "curl -d '{\"image_id\": \"zx1\", \"value\": 0}' https://api.thecatapi.com/v1/votes"
        >>> as_typed(ToolCall("curl", {"command": command}))
        ToolCall(name='vote_down', arguments={'image_id': 'zx1'}, id='')
    """
    command = command_of(call)
    if command is None:
        return call
    try:
        request = read_request(command)
    except CurlError:
        return call
    typed = _typed(request) if request.host == HOST else None
    return call if typed is None else ToolCall(typed[0], typed[1], call.id)


def _typed(request: Request) -> tuple[str, JsonObject] | None:
    match request.method, request.path:
        case "GET", path if path == FAVOURITES:
            return "list_favourites", dict(request.params)
        case "GET", path if path == SEARCH:
            return "search_images", {name: _value(name, text) for name, text in request.params.items()}
        case "DELETE", path if path.startswith(f"{FAVOURITES}/"):
            return "delete_favourite", {"image_id": path.removeprefix(f"{FAVOURITES}/"), **request.params}
        case "POST", path if path in (FAVOURITES, VOTES):
            return _posted(path, request)
    return None


def _posted(path: str, request: Request) -> tuple[str, JsonObject] | None:
    try:
        posted = jsontext.loads(request.body or "")
    except ValueError:
        return None
    if not isinstance(posted, dict) or not isinstance(posted.get("image_id"), str):
        return None
    if path == FAVOURITES:
        return "add_favourite", {**posted, **request.params}
    value = posted.pop("value", None)
    name = _VOTES.get(value) if type(value) is int else None
    return (name, {**posted, **request.params}) if name else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def _value(name: str, text: str) -> Any:
    return int(text) if name == "limit" and text.isascii() and text.isdigit() and len(text) < 6 else text
