"""The image table: the same pictures for everyone, and the search over them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import derive, rng
from stb_env.suites.sambanova.common.content import content

MIME_TYPES = ("jpg", "png", "gif")
SIZES: Mapping[str, int] = {"thumb": 150, "small": 320, "med": 640, "full": 1_280}
"""Width of an image in each size, in pixels."""
ORDERS = ("RANDOM", "ASC", "DESC")
MOST_IMAGES = 100
DEFAULTS: JsonMapping = {"size": "med", "order": "RANDOM", "limit": 1, "page": 0}

_PER_BREED = ("jpg", "jpg", "jpg", "png", "png", "gif")
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_ID_LENGTH = 9


class Image(NamedTuple):
    """One picture.

    Attributes:
        id: Its id.
        breed: Code of its breed.
        mime: One of `MIME_TYPES`.
        ratio: Height by width.
    """

    id: str
    breed: str
    mime: str
    ratio: float


def breeds() -> Mapping[str, str]:
    """Return the names of the 67 breeds by code."""
    names: dict[str, str] = content("cat_api", "breeds")
    return names


@cache
def images() -> Mapping[str, Image]:
    """Return every picture by id, in ascending order of ids."""
    made = {}
    for breed in breeds():
        for number, mime in enumerate(_PER_BREED):
            draw = rng("cat image", breed, number)
            key = "".join(draw.choices(_LETTERS, k=_ID_LENGTH))
            made[key] = Image(key, breed, mime, round(draw.uniform(0.6, 1.5), 2))
    return dict(sorted(made.items()))


def search(params: Mapping[str, str]) -> list[JsonObject]:
    """Return the pictures that meet every filter.

    The random order is one and the same every time, since answers have to compare.

    Args:
        params: ``breed_ids`` and ``mime_types`` (with commas), ``size``, ``order``, ``limit``, ``page``.

    Examples:
        >>> found = search({"breed_ids": "beng", "order": "ASC", "limit": "2"})
        >>> [cat["breeds"][0]["name"] for cat in found], found[0]["id"] < found[1]["id"]
        (['Bengal', 'Bengal'], True)
        >>> search({"breed_ids": "Bengal"})
        []
    """
    order = params.get("order", "").upper()
    wanted = params["breed_ids"].lower().replace(" ", "").split(",") if params.get("breed_ids") else breeds()
    types = (
        params["mime_types"].lower().replace(" ", "").split(",") if params.get("mime_types") else MIME_TYPES
    )
    ordered = _ordered(order if order in ORDERS else DEFAULTS["order"])
    found = [image for image in ordered if image.breed in wanted and image.mime in types]
    limit = min(_number(params, "limit"), MOST_IMAGES)
    first = limit * _number(params, "page")
    size = params.get("size", DEFAULTS["size"])
    return [
        describe(image, size if size in SIZES else DEFAULTS["size"]) for image in found[first : first + limit]
    ]


def describe(image: Image, size: str) -> dict[str, object]:
    """Return a picture as the service shows it, in one of `SIZES`."""
    width = SIZES[size]
    return {
        "id": image.id,
        "url": f"https://cdn2.thecatapi.com/images/{size}/{image.id}.{image.mime}",
        "width": width,
        "height": round(width * image.ratio),
        "breeds": [{"id": image.breed, "name": breeds()[image.breed]}],
    }


@cache
def _ordered(order: str) -> list[Image]:
    ascending = list(images().values())
    match order:
        case "ASC":
            return ascending
        case "DESC":
            return ascending[::-1]
    return sorted(ascending, key=lambda image: derive("random order", image.id))


def _number(params: Mapping[str, str], name: str) -> int:
    text = params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else int(DEFAULTS[name])
