"""The embedded cat service: a request and an account in, an answer and an account out."""

from __future__ import annotations

import re
from typing import TypeGuard

from stb_env import jsontext
from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.apis import FAVOURITES, HOST, SEARCH, VOTES
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, describe, images, search
from stb_env.suites.sambanova.common.curl.request import Answer, Request
from stb_env.suites.sambanova.common.curl.words import CurlError

VERSION = 2
"""Raised whenever equal requests or task ids stop giving equal bytes."""
CREATED = "2024-06-01T12:00:00.000Z"
"""The service's clock, which stands still."""

_IMAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_INVALID = Answer(400, "INVALID_DATA", "text")
_NOT_FOUND = Answer(404, "404 NOT_FOUND", "text")


def fetch(request: Request, account: Account) -> tuple[Answer, Account]:
    """Send a request to the host that it names.

    Raises:
        CurlError: There is no such host here.
    """
    if request.host != HOST:
        raise CurlError(f"could not resolve the host {request.host[:80]!r}; the service is at {HOST}", 6)
    return respond(request, account)


def respond(request: Request, account: Account) -> tuple[Answer, Account]:
    """Answer a request, whatever host it was sent to; the account stays as it is where one fails.

    Examples:
        >>> answer, account = respond(Request("POST", HOST, FAVOURITES, {}, '{"image_id": "zx1"}'), Account())
        >>> answer.body, dict(account.favourites)
        ({'message': 'SUCCESS', 'id': 101}, {101: 'zx1'})
    """
    match request.method, request.path:
        case "GET", path if path == FAVOURITES:
            return Answer(200, _favourites(account)), account
        case "GET", path if path == VOTES:
            return Answer(200, [_vote(image, value) for image, value in account.votes.items()]), account
        case "GET", path if path == SEARCH:
            return Answer(200, search(request.params)), account
        case "POST", path if path == FAVOURITES:
            return _add(request, account)
        case "POST", path if path == VOTES:
            return _cast(request, account)
        case "DELETE", path if path.startswith(f"{FAVOURITES}/"):
            return _delete(path.removeprefix(f"{FAVOURITES}/"), account)
    return _NOT_FOUND, account


def _add(request: Request, account: Account) -> tuple[Answer, Account]:
    image_id = _posted(request).get("image_id")
    if not _is_image_id(image_id):
        return _INVALID, account
    account = account.with_favourite(image_id)
    return Answer(200, {"message": "SUCCESS", "id": account.favourite_of(image_id)}), account


def _cast(request: Request, account: Account) -> tuple[Answer, Account]:
    posted = _posted(request)
    image_id, value = posted.get("image_id"), posted.get("value")
    if not _is_image_id(image_id) or isinstance(value, bool) or value not in (1, 0, -1):
        return _INVALID, account
    body = {"message": "SUCCESS", "id": account.next_id, **_vote(image_id, int(value))}
    return Answer(200, body), account.with_vote(image_id, int(value))


def _delete(name: str, account: Account) -> tuple[Answer, Account]:
    """Delete by the image's id, as the original does, or by the favourite's own, as the real service does."""
    key = account.favourite_of(name)
    if (
        key is None
        and name.isascii()
        and name.isdigit()
        and len(name) < 10
        and int(name) in account.favourites
    ):
        key = int(name)
    if key is None:
        return _NOT_FOUND, account
    return Answer(200, {"message": "SUCCESS"}), account.without_favourite(key)


def _posted(request: Request) -> JsonObject:
    try:
        value = jsontext.loads(request.body or "")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _is_image_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _IMAGE_ID.fullmatch(value) is not None


def _favourites(account: Account) -> list[JsonObject]:
    return [
        {"id": key, "image_id": image_id, "sub_id": "", "created_at": CREATED, "image": _image(image_id)}
        for key, image_id in account.favourites.items()
    ]


def _image(image_id: str) -> JsonObject:
    known = images().get(image_id)
    url = (
        describe(known, "full")["url"]
        if known
        else f"https://cdn2.thecatapi.com/images/{image_id}.{MIME_TYPES[0]}"
    )
    return {"id": image_id, "url": url}


def _vote(image_id: str, value: int) -> JsonObject:
    return {"image_id": image_id, "value": value}
