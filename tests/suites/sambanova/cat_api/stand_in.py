"""The service that the recorded verdicts were taken with, rebuilt from the description in their file."""

from __future__ import annotations

import json
from typing import Any

from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.common.rest.curl import Answer, CurlError, Request

KEY = "CATKEY"
_FAVOURITES = [{"id": 11, "image_id": "q7"}, {"id": 12, "image_id": "aa"}]
_CODES = ("beng", "siam", "abys")


def fetch(request: Request, account: Account) -> tuple[Answer, Account]:
    """Answer from a service that is reset for every command."""
    if request.host != "api.thecatapi.com":
        raise CurlError("no such host", 6)
    return _answer(request), account


def _answer(request: Request) -> Answer:
    match request.method, request.path:
        case "GET", "/v1/favourites":
            return Answer(200, _FAVOURITES)
        case "GET", "/v1/votes":
            return Answer(200, [])
        case "GET", "/v1/images/search":
            return Answer(200, _images(dict(request.params)))
        case "POST", "/v1/favourites" if isinstance(_posted(request).get("image_id"), str):
            return Answer(200, {"message": "SUCCESS", "id": 102})
        case "POST", "/v1/votes" if _is_vote(_posted(request)):
            posted = _posted(request)
            body = {"message": "SUCCESS", "id": 102, "image_id": posted["image_id"], "value": posted["value"]}
            return Answer(200, body)
    return Answer(404, "not JSON", "text")


def _posted(request: Request) -> dict[str, Any]:
    try:
        value = json.loads(request.body or "")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _is_vote(posted: dict[str, Any]) -> bool:
    return isinstance(posted.get("image_id"), str) and type(posted.get("value")) is int


def _images(params: dict[str, str]) -> list[dict[str, str]]:
    breed, mime = params.get("breed_ids", "any"), params.get("mime_types", "all")
    if breed not in (*_CODES, "any"):
        return []
    found = [{"id": f"{breed}-{mime}-{index}"} for index in range(8)]
    match params.get("order"):
        case "ASC":
            pass
        case "DESC":
            found.reverse()
        case _:
            found = found[3:] + found[:3]
    return found[: int(params.get("limit", 1))]
