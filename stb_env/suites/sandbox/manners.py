"""Manners that the sandbox's APIs share: pages, unknown ids, dates and times of day."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import lru_cache
from typing import TypeVar

from stb_env.jsontypes import Json, JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.params import whole

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


def page_of(rows: Iterable[Json], page: int) -> JsonObject:
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
