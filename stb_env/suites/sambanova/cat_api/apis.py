"""The six kinds of request that the cat service answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

HOST = "api.thecatapi.com"
FAVOURITES = "/v1/favourites"
VOTES = "/v1/votes"
SEARCH = "/v1/images/search"

UP, DOWN = 1, -1
FILTERS = ("limit", "breed_ids", "mime_types", "size", "order")


class Api(NamedTuple):
    """One kind of request.

    Attributes:
        name: Name of its tool.
        summary: What it does.
        method: HTTP method.
        path: Path of its address; an image id follows it where it deletes.
        vote: The value of the vote, where it is one.
    """

    name: str
    summary: str
    method: Literal["GET", "POST", "DELETE"]
    path: str
    vote: int | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every parameter, in the order of the canonical command."""
        if self.path == SEARCH:
            return FILTERS
        return ("image_id",) if self.method != "GET" else ()

    @property
    def reads(self) -> bool:
        """Whether it asks for something and changes nothing."""
        return self.method == "GET"


APIS: tuple[Api, ...] = (
    Api("delete_favourite", "Removes an image from the favourites.", "DELETE", FAVOURITES),
    Api("add_favourite", "Adds an image to the favourites.", "POST", FAVOURITES),
    Api("list_favourites", "Lists the favourites.", "GET", FAVOURITES),
    Api("vote_up", "Votes for an image.", "POST", VOTES, UP),
    Api("vote_down", "Votes against an image.", "POST", VOTES, DOWN),
    Api("search_images", "Finds images that meet every given filter.", "GET", SEARCH),
)
BY_NAME: Mapping[str, Api] = {api.name: api for api in APIS}
