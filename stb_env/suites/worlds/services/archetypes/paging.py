"""Pages: how the lists of a service are cut, and how the next page is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.seeding import derive
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import Bound, Param
from stb_env.suites.worlds.services.style import Style

_CURSOR_PRIME = 16777213


class Pager:
    """Cuts a list into the pages of a service, and knows how to ask for the next one.

    Args:
        key: The world's key.
        entity: The entity that is listed.
        style: The service's style.
    """

    def __init__(self, key: str, entity: str, style: Style) -> None:
        self._style = style
        self._cursor = derive("cursor", key, entity) % (_CURSOR_PRIME - 2) + 2
        self.size_name = style.field(
            {"page": "page size", "offset": "limit", "cursor": "limit"}[style.paging]
        )
        self.place_name = style.field(style.paging)
        self._inverse = pow(self._cursor, -1, _CURSOR_PRIME)
        self.names = (self.size_name, self.place_name)
        size, most = style.page_size, style.most_rows
        self.words = {
            "page": f"Returns {size} rows a page unless {self.size_name} says otherwise, at most {most}.",
            "offset": f"Returns {size} rows unless {self.size_name} says otherwise, at most {most}.",
            "cursor": f"Returns {size} rows unless {self.size_name} says otherwise, at most {most}; "
            f"{style.field('next cursor')} is null after the last.",
        }[style.paging]

    def params(self) -> list[Param]:
        """Return the parameters that choose a page."""
        style = self._style
        place: JsonObject
        match style.paging:
            case "page":
                place = {"type": "integer", "minimum": 1, "description": "Page, from 1; 1 by default."}
            case "offset":
                place = {"type": "integer", "minimum": 0, "description": "Rows to skip; 0 by default."}
            case "cursor":
                place = {"type": "string", "description": "Where to go on, as the page before gave it."}
        size: JsonObject = {
            "type": "integer",
            "minimum": 1,
            "maximum": style.most_rows,
            "description": f"Rows of a page; {style.page_size} by default.",
        }
        return [Param(self.place_name, place, self._place), Param(self.size_name, size, self._size)]

    def _place(self, value: object) -> int:
        least = 1 if self._style.paging == "page" else 0
        if self._style.paging == "cursor":
            try:
                return int(value, 16) if isinstance(value, str) else 0
            except ValueError:
                return 0
        return self._whole(value, self.place_name, least, 2**31)

    def _size(self, value: object) -> int:
        return self._whole(value, self.size_name, 1, self._style.most_rows)

    def _whole(self, value: object, name: str, least: int, most: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            message = f"{name} must be a whole number from {least} to {most}, got {value!r:.40}"
            raise ApiError(self._style.error("invalid", message), arguments=True)
        return value

    def cut(self, bound: Bound, count: int) -> tuple[int, int, JsonObject]:
        """Return where a page begins, how many rows it has, and what a response says of the next."""
        style = self._style
        size = bound.get(self.size_name, style.page_size)
        match style.paging:
            case "page":
                page = bound.get(self.place_name, 1)
                pages = max(1, -(-count // size))
                return (page - 1) * size, size, {"page": page, "pages": pages}
            case "offset":
                start = bound.get(self.place_name, 0)
                return start, size, {style.field("has more"): start + size < count}
            case "cursor":
                code = bound.get(self.place_name)
                # A cursor belongs to the filters and the order that it came with.
                asked = sorted((name, value) for name, value in bound.items() if name not in self.names)
                salt = derive(self._cursor, *asked) % _CURSOR_PRIME
                start = 0 if code is None else (code - salt) * self._inverse % _CURSOR_PRIME
                if code is not None and not 0 < start < count:
                    raise ApiError(style.error("invalid", f"no such cursor: {code:06x}"), arguments=True)
                after = start + size
                token = f"{(after * self._cursor + salt) % _CURSOR_PRIME:06x}" if after < count else None
                return start, size, {style.field("next cursor"): token}

    def next_page(self, response: Mapping[str, Any], start: int, rows: int) -> JsonObject | None:
        """Return the arguments that ask for the page after a response, or None after the last.

        Args:
            response: The response of the page before.
            start: How many rows came before that page.
            rows: How many rows it had.
        """
        style = self._style
        match style.paging:
            case "page":
                page = response["page"]
                return {self.place_name: page + 1} if page < response["pages"] else None
            case "offset":
                return {self.place_name: start + rows} if response[style.field("has more")] else None
            case "cursor":
                token = response[style.field("next cursor")]
                return None if token is None else {self.place_name: token}
