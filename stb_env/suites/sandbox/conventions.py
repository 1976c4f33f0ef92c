"""Conventions that the sandbox's APIs share: searches, pages, ids, dates and times of day."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import lru_cache
from typing import TypeVar

from stb_env.backend.world import Row, Tables
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.places import cities_by_name
from stb_env.suites.sandbox.params import whole
from stb_env.suites.sandbox.registry import Response, Update

T = TypeVar("T")

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

PAGE_SIZE = 5
_page_size: ContextVar[int] = ContextVar("rows on a page", default=PAGE_SIZE)
PAGE = whole("page", f"Page of the results, {PAGE_SIZE} a page, counted from 1.", 1, 1, 1000, optional=True)


@contextmanager
def unlimited_pages() -> Iterator[None]:
    """Let every list have one page, however long; a solution that reads all pages sees the same rows."""
    token = _page_size.set(sys.maxsize)
    try:
        yield
    finally:
        _page_size.reset(token)


def page_of(rows: Iterable[object], page: int) -> Response:
    """Return one page of results in the sandbox's usual envelope.

    Examples:
        >>> page_of(range(7), 2)
        {'page': 2, 'pages': 2, 'total': 7, 'results': [5, 6]}
    """
    rows, size = list(rows), _page_size.get()
    pages = max(1, -(-len(rows) // size))
    results = rows[(page - 1) * size : page * size]
    return {"page": page, "pages": pages, "total": len(rows), "results": results}


def found(row: T | None, noun: str, key: str) -> T:
    """Return the row.

    Raises:
        ApiError: It is None.
    """
    if row is None:
        raise ApiError(f"no {noun} with id {key[:80]!r}")
    return row


def where(rows: Iterable[Row], **exact: Json) -> list[Row]:
    """Return the rows that have these values in these fields; ``any`` is every value."""
    return [row for row in rows if all(value in ("any", row[name]) for name, value in exact.items())]


def search(rows: Iterable[Row], field: str, part: str, **exact: Json) -> list[Row]:
    """Return the rows that have a part of text in a field, in any case, and others as `where` takes them."""
    needle = part.casefold()
    return where((row for row in rows if needle in row[field].casefold()), **exact)


def columns(rows: Iterable[Row], *names: str) -> list[JsonObject]:
    """Return some fields of rows."""
    return [{name: row[name] for name in names} for row in rows]


def added(state: Tables, table: str, prefix: str, /, **fields: Json) -> Update:
    """Add a row under a new id; return it, with the id as its first field, and the new state."""
    key, state = state.next_id(prefix)
    row = {f"{prefix}_id": key, **fields}
    return dict(row), state.with_row(table, key, row)


def changed(state: Tables, table: str, key: str, row: Row, /, **fields: Json) -> Update:
    """Give a row other values in some fields; return it and the new state."""
    row = {**row, **fields}
    return dict(row), state.with_row(table, key, row)


def city_named(name: str) -> Row:
    """Return a city by its full name.

    Raises:
        ApiError: There is none.
    """
    city = cities_by_name().get(name.strip().casefold())
    if city is None:
        raise ApiError(f"no city is named {name[:80]!r}")
    return city


def parse_day(value: str) -> date:
    """Read a date.

    Raises:
        ApiError: It is no date of the calendar in the form ``YYYY-MM-DD``.
    """
    try:
        # The length and the dashes keep week dates and the short form out, which Python reads too.
        if len(value) == 10 and value[4] == value[7] == "-":
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise ApiError(f"date must be a real day as YYYY-MM-DD, got {value[:80]!r}")


def parse_clock(value: str) -> int:
    """Read a time of day as minutes since midnight.

    Raises:
        ApiError: It is no time in the form ``HH:MM``.

    Examples:
        >>> parse_clock("09:30")
        570
    """
    hours, colon, minutes = value.partition(":")
    if colon and len(value) == 5 and (hours + minutes).isascii() and (hours + minutes).isdigit():
        total = int(hours) * 60 + int(minutes)
        if int(hours) < 24 and int(minutes) < 60:
            return total
    raise ApiError(f"time must be 24-hour HH:MM, got {value[:80]!r}")


def show_clock(minutes: int) -> str:
    """Write minutes since midnight as ``HH:MM``, wrapping at midnight.

    Examples:
        >>> show_clock(570), show_clock(1450)
        ('09:30', '00:10')
    """
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@lru_cache(maxsize=2048)
def long_date(when: date) -> str:
    """Write a date the way people do.

    Examples:
        >>> long_date(date(2026, 3, 9))
        '9 March 2026'
    """
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"
