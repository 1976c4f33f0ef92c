"""One operation of an OpenAPI service: from a call's arguments to the request."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Mapping
from typing import Any, Literal, TypedDict
from urllib.parse import urlencode, urlsplit

from stb_env.backend.real_api.parameter_styles import Pairs, Parameter, in_header, in_path, in_query, plain
from stb_env.core import jsontext
from stb_env.errors import ActionError
from stb_env.http.credentials import quoted
from stb_env.http.exchange import HTTPRequest

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"

KeyForm = TypedDict(
    "KeyForm",
    {"kind": Literal["apiKey", "basic", "bearer"], "env": str, "in": str, "name": str},
    total=False,
)
"""How a service wants a key: the variable that holds it, and where it is sent."""


class Body(TypedDict, total=False):
    """The body of an operation: one argument as a whole, or a field for each of some arguments."""

    content_type: str
    argument: str
    fields: dict[str, str]
    files: list[str]


class Operation(TypedDict, total=False):
    """Request of a tool, from its catalogue; ``security`` lists sets of keys, of which one will do."""

    server: str
    method: str
    path: str
    parameters: list[Parameter]
    body: Body
    security: list[list[str]]


def request_of(
    operation: Operation,
    server: str,
    arguments: Mapping[str, object],
    keys: Mapping[str, tuple[KeyForm, str]],
) -> HTTPRequest:
    """Return the request that a call becomes. No argument can lead it to another host.

    Args:
        operation: How the tool is called.
        server: URL of the service, without a slash at its end.
        arguments: The call's arguments; null counts as missing where it is no part of a body.
        keys: What to send as keys: how, and the key itself. No argument takes the place of one.

    Raises:
        ActionError: An argument does not fit where it goes.

    Examples:
        >>> place = {"argument": "id", "name": "id", "in": "path", "style": "simple", "explode": False}
        >>> operation = {"method": "GET", "path": "/items/{id}", "parameters": [place]}
        >>> request_of(operation, "https://shop.example/v1", {"id": "a/../b"}, {}).url
        'https://shop.example/v1/items/a%2F..%2Fb'
    """
    path, pairs, cookies = str(operation["path"]), list[tuple[str, str]](), list[tuple[str, str]]()
    headers = {"Accept": "application/json"}
    for place in operation.get("parameters", ()):
        value, where = arguments.get(place["argument"]), place["in"]
        if where == "path":
            if value is None:
                raise ActionError(f"{place['argument']!r} is missing, and it is a part of the URL")
            path = path.replace(f"{{{place['name']}}}", in_path(place, value))
        elif value is not None and where == "header":
            headers[place["name"]] = in_header(place, value)
        elif value is not None:
            (cookies if where == "cookie" else pairs).extend(in_query(place, value))
    content_type, content = _body(operation.get("body", {}), arguments)
    if content_type:
        headers["Content-Type"] = content_type
    for form, key in keys.values():
        _add_key(form, key, headers, pairs, cookies)
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies)
    query = "&".join(f"{name}={value}" for name, value in pairs)
    url = f"{server}{path}{'?' if query else ''}{query}"
    if urlsplit(url)[:2] != urlsplit(server)[:2]:
        raise ActionError(f"the path {operation['path']!r} leads away from its server")
    return HTTPRequest(str(operation["method"]), url, headers, content)


def basic(key: str) -> str:
    """Return the token of a user name and password, ``user:password``."""
    return base64.b64encode(key.encode()).decode()


def _add_key(form: KeyForm, key: str, headers: dict[str, str], pairs: Pairs, cookies: Pairs) -> None:
    """Add a key in place of what an argument put there."""
    if form["kind"] != "apiKey":
        _set_header(headers, "Authorization", f"{form['kind'].title()} {_token(form, key)}")
    elif form["in"] == "header":
        _set_header(headers, form["name"], key)
    else:
        place, name = (cookies if form["in"] == "cookie" else pairs), quoted(form["name"])
        place[:] = [*(pair for pair in place if pair[0] != name), (name, quoted(key))]


def _token(form: KeyForm, key: str) -> str:
    return basic(key) if form["kind"] == "basic" else key


def _set_header(headers: dict[str, str], name: str, value: str) -> None:
    for other in [known for known in headers if known.lower() == name.lower()]:
        del headers[other]
    headers[name] = value


def _body(body: Body, arguments: Mapping[str, object]) -> tuple[str, bytes]:
    """Return type and content of a body; neither where there is nothing to send."""
    if not body:
        return "", b""
    kind = body["content_type"]
    if "argument" in body:
        if body["argument"] not in arguments:
            return "", b""
        value = arguments[body["argument"]]
    else:
        value = {
            name: arguments[argument] for argument, name in body["fields"].items() if argument in arguments
        }
    if kind == URLENCODED:
        return kind, urlencode([(name, plain(one)) for name, one in _fields(value)]).encode()
    if kind == MULTIPART:
        return _multipart(_fields(value), frozenset(body.get("files", ())))
    text = plain(value) if kind.startswith("text/") else jsontext.dumps(value)
    return kind, text.encode("utf-8", "replace")


def _fields(value: object) -> list[tuple[str, object]]:
    """Return the fields of a form; a list is repeated."""
    if not isinstance(value, Mapping):
        raise ActionError("the body of a form must be an object")
    return [
        (name, one)
        for name, item in value.items()
        for one in (item if isinstance(item, list) else [item])
        if one is not None
    ]


def _multipart(fields: list[tuple[str, object]], files: frozenset[str]) -> tuple[str, bytes]:
    """Return a multipart body. A file is the text that was given: never one that lies on this machine."""
    httpx2: Any = importlib.import_module("httpx2")
    parts = [
        (name, (name if name in files else None, plain(one).encode("utf-8", "replace")))
        for name, one in fields
    ]
    request = httpx2.Request("POST", "http://none.invalid", files=parts or [("", (None, b""))])
    return str(request.headers["content-type"]), bytes(request.read())
