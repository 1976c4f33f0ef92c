"""The cat service as a task declares it: parameters, documents, and calls as curl commands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote, urlencode

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, MOST_IMAGES, ORDERS, SIZES, breeds
from stb_env.suites.sambanova.cat_api.service import (
    ENDPOINTS,
    FAVOURITES,
    SEARCH,
    VERSION,
    VOTES,
    posted,
    respond,
)
from stb_env.suites.sambanova.common.calls import request_calls
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.common.rest.actions import curl_reader
from stb_env.suites.sambanova.common.rest.curl import Answer, Request
from stb_env.suites.sambanova.common.rest.service import Endpoint, Items, Service, argument_text, is_literal
from stb_env.tasks import Task

HOST = "api.thecatapi.com"

_VOTES = {1: "vote_up", 0: "vote_down", -1: "vote_down"}
_BREEDS = ", ".join(f"{code} ({name})" for code, name in breeds().items())
_SCHEMAS: dict[str, JsonObject] = {
    "image_id": {"type": "string", "description": "Id of the image."},
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_IMAGES,
        "description": f"How many images to return, up to {MOST_IMAGES}; 1 if left out.",
    },
    "breed_ids": {
        "type": "string",
        "description": f"Codes of the wanted breeds, with commas between them. The codes: {_BREEDS}.",
    },
    "mime_types": {
        "type": "string",
        "description": f"Wanted file types, with commas between them: {', '.join(MIME_TYPES)}.",
    },
    "size": {
        "type": "string",
        "enum": list(SIZES),
        "description": "Size of the images: thumb, small, med (if left out) or full.",
    },
    "order": {
        "type": "string",
        "enum": list(ORDERS),
        "description": "Order of the images: RANDOM (if left out), ASC (ascending) or DESC (descending).",
    },
}


def request_of(endpoint: Endpoint, arguments: Mapping[str, object]) -> Request:
    """Return the request that a call stands for.

    Examples:
        >>> request_of(SERVICE.by_name["vote_up"], {"image_id": "zx1"}).body
        '{"image_id":"zx1", "value":1}'
    """
    texts = {name: argument_text(value) for name, value in arguments.items()}
    if endpoint.reads:
        return Request("GET", HOST, endpoint.path, texts)
    image_id = texts.pop("image_id", "")
    if endpoint.method == "DELETE":
        return Request("DELETE", HOST, f"{endpoint.path}/{image_id}", texts)
    members = [f'"image_id":{jsontext.dumps(image_id)}']
    members += [f"{jsontext.dumps(name)}:{jsontext.dumps(text)}" for name, text in texts.items()]
    if endpoint.value is not None:
        members.append(f'"value":{endpoint.value}')
    return Request("POST", HOST, endpoint.path, {}, f"{{{', '.join(members)}}}")


def render(endpoint: Endpoint, arguments: Mapping[str, object]) -> str:
    """Write a call as the original writes it.

    Examples:
        >>> print(render(SERVICE.by_name["add_favourite"], {"image_id": "zx1"}))
        curl -X POST 'https://api.thecatapi.com/v1/favourites' --data '{"image_id":"zx1"}'
        >>> print(render(SERVICE.by_name["search_images"], {"order": "ASC", "limit": 3}))
        curl -X GET 'https://api.thecatapi.com/v1/images/search?limit=3&order=ASC'
    """
    ordered = {name: arguments[name] for name in endpoint.parameters if name in arguments} | dict(arguments)
    request = request_of(endpoint, ordered)
    query = urlencode(request.params, safe=",", errors="replace")
    path = quote(request.path, errors="replace")
    command = f"curl -X {request.method} 'https://{HOST}{path}{'?' if query else ''}{query}'"
    if request.body is None:
        return command
    # A shell ends a single-quoted text to put a quote in.
    body = request.body.replace("'", "'\\''")
    return f"{command} --data '{body}'"


def _read(request: Request) -> tuple[str, JsonObject] | None:
    params = dict(request.params)
    match request.method, request.path:
        case "GET", path if path == FAVOURITES:
            return "list_favourites", params
        case "GET", path if path == SEARCH:
            return "search_images", {name: _value(name, text) for name, text in params.items()}
        case "DELETE", path if path.startswith(f"{FAVOURITES}/"):
            return "delete_favourite", {"image_id": path.removeprefix(f"{FAVOURITES}/"), **params}
        case "POST", path if path in (FAVOURITES, VOTES):
            body = posted(request)
            if not isinstance(body.get("image_id"), str):
                return None
            value = body.pop("value", None) if path == VOTES else 0
            vote = _VOTES.get(value) if type(value) is int else None
            name = "add_favourite" if path == FAVOURITES else vote
            return (name, {**body, **params}) if name else None
    return None


def _value(name: str, text: str) -> int | str:
    return int(text) if name == "limit" and text.isascii() and text.isdigit() and len(text) < 6 else text


def account_of(task: Task) -> Account:
    """Return the account as a task finds it."""
    return _account(tuple(task.goal.get("favourites", ())))


@lru_cache(maxsize=1_024)
def _account(favourites: tuple[str, ...]) -> Account:
    return Account.of(favourites)


def final_command(kept: str, key: str) -> str:
    """Return the command that the original hands to the shell: two headers follow it.

    Examples:
        >>> final_command("curl 'https://a.example'", "k")
        "curl 'https://a.example' -H 'Content-Type: application/json' -H 'x-api-key: k'"
    """
    return "{} -H 'Content-Type: application/json' -H 'x-api-key: {}'".format(kept.strip("\n"), key)


def answer_items(answer: Answer, command: str) -> Items:  # noqa: ARG001
    """Return what the original reads from the answer to a command.

    The messages are the original's, since a verdict of its mode is compared with the original's.

    Raises:
        CrashError: It cannot read the answer, or the answer is an error.
    """
    body = answer.body
    if answer.medium != "json" or not is_literal(body, null=True):
        raise CrashError(f"the answer is no Python literal: {str(body)[:200]}")
    if not isinstance(body, Mapping):
        return dict(enumerate(body))
    if body.get("message") != "SUCCESS":
        raise CrashError(f"HTTP request failed: response: {str(dict(body))[:200]}")
    return {name: value for name, value in body.items() if name != "id"}


SERVICE: Service[Account] = Service(
    name="cat_api",
    title="cat service",
    category="Animals",
    host=HOST,
    # It goes with every request; the embedded service lets anyone in.
    key="stb-env-cat-key",
    key_field="",
    version=VERSION,
    endpoints=ENDPOINTS,
    schemas=_SCHEMAS,
    start=account_of,
    respond=respond,
    request=request_of,
    write=render,
    read=_read,
    final_command=final_command,
    items=answer_items,
)
"""The service. Its state is an account."""


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each endpoint.

    Examples:
        >>> print(documents()[1].text)
        # Adds an image to the favourites.
        curl -X POST 'https://api.thecatapi.com/v1/favourites' --data '{"image_id":"{image_id}"}'
        Parameters:
        image_id (required): Id of the image.
    """
    return [Document(endpoint.name, _document(endpoint)) for endpoint in ENDPOINTS]


def _document(endpoint: Endpoint) -> str:
    if endpoint.reads:
        template = render(endpoint, {}).removesuffix("'")
        template += "?{optional_params}'" if endpoint.parameters else "'"
    else:
        template = render(endpoint, {"image_id": "IMAGE"}).replace("IMAGE", "{image_id}")
    lines = [f"# {endpoint.summary}", template, *(["Parameters:"] if endpoint.parameters else [])]
    for name in endpoint.parameters:
        need = "required" if name in endpoint.required else "optional"
        lines.append(f"{name} ({need}): {_SCHEMAS[name]['description']}")
    return "\n".join(lines)


def calls(program: str) -> list[str]:
    """Return the requests of a program as the complexity score counts them."""
    return request_calls(curl_reader(SERVICE.as_typed, known=SERVICE.tools), program)
