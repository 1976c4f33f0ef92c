"""The embedded cat service: its endpoints, and what a request does to an account."""

from __future__ import annotations

import re
from typing import TypeGuard

from stb_env.core import jsontext
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, describe, images, search
from stb_env.suites.sambanova.common.rest.curl import Answer, Request
from stb_env.suites.sambanova.common.rest.service import Endpoint

VERSION = 2
"""Raised whenever equal requests or task ids stop giving equal bytes."""
CREATED = "2024-06-01T12:00:00.000Z"
"""The service's clock, which stands still."""

FAVOURITES = "/v1/favourites"
VOTES = "/v1/votes"
SEARCH = "/v1/images/search"
FILTERS = ("limit", "breed_ids", "mime_types", "size", "order")
_IMAGE = ("image_id",)

ENDPOINTS: tuple[Endpoint, ...] = (
    # An image id follows the path of a deletion.
    Endpoint(
        "delete_favourite", "Removes an image from the favourites.", FAVOURITES, _IMAGE, method="DELETE"
    ),
    Endpoint("add_favourite", "Adds an image to the favourites.", FAVOURITES, _IMAGE, method="POST"),
    Endpoint("list_favourites", "Lists the favourites.", FAVOURITES),
    Endpoint("vote_up", "Votes for an image.", VOTES, _IMAGE, method="POST", value=1),
    Endpoint("vote_down", "Votes against an image.", VOTES, _IMAGE, method="POST", value=-1),
    Endpoint("search_images", "Finds images that meet every given filter.", SEARCH, optional=FILTERS),
)

_IMAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_INVALID = Answer(400, "INVALID_DATA", "text")
_NOT_FOUND = Answer(404, "404 NOT_FOUND", "text")


def respond(request: Request, account: Account) -> tuple[Answer, Account]:
    """Answer a request, whatever host it was sent to; the account stays as it is where one fails.

    Examples:
        >>> answer, account = respond(Request("POST", "", FAVOURITES, {}, '{"image_id": "zx1"}'), Account())
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
    image_id = posted(request).get("image_id")
    if not _is_image_id(image_id):
        return _INVALID, account
    account = account.with_favourite(image_id)
    return Answer(200, {"message": "SUCCESS", "id": account.favourite_of(image_id)}), account


def _cast(request: Request, account: Account) -> tuple[Answer, Account]:
    body = posted(request)
    image_id, value = body.get("image_id"), body.get("value")
    if not _is_image_id(image_id) or isinstance(value, bool) or value not in (1, 0, -1):
        return _INVALID, account
    told = {"message": "SUCCESS", "id": account.next_id, **_vote(image_id, int(value))}
    return Answer(200, told), account.with_vote(image_id, int(value))


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


def posted(request: Request) -> dict[str, object]:
    """Return what a request posts; an empty object where that is none."""
    try:
        value = jsontext.loads(request.body or "")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _is_image_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _IMAGE_ID.fullmatch(value) is not None


def _favourites(account: Account) -> list[dict[str, object]]:
    return [
        {"id": key, "image_id": image_id, "sub_id": "", "created_at": CREATED, "image": _image(image_id)}
        for key, image_id in account.favourites.items()
    ]


def _image(image_id: str) -> dict[str, object]:
    known = images().get(image_id)
    url = (
        describe(known, "full")["url"]
        if known
        else f"https://cdn2.thecatapi.com/images/{image_id}.{MIME_TYPES[0]}"
    )
    return {"id": image_id, "url": url}


def _vote(image_id: str, value: int) -> dict[str, object]:
    return {"image_id": image_id, "value": value}
