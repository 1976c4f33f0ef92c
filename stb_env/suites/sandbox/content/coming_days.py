"""The days that the sandbox's booking services deal in: from tomorrow to a year ahead."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.conventions import parse_day

LAST = TODAY + timedelta(days=365)


def coming_day(value: str) -> date:
    """Read a day that can be booked.

    Raises:
        ApiError: It is no date, or not from tomorrow to a year ahead.
    """
    when = parse_day(value)
    if not TODAY < when <= LAST:
        raise ApiError(f"date must be after {TODAY} and no later than {LAST}, got {value}")
    return when


def days_left(value: str) -> int:
    """Return how many days a date of the sandbox's own is ahead; negative where it is past.

    Examples:
        >>> days_left("2026-03-05"), days_left("2026-03-01")
        (3, -1)
    """
    return (date.fromisoformat(value) - TODAY).days


def iso_day(offset: int) -> str:
    """Return the day so many days ahead, or ago where negative.

    Examples:
        >>> iso_day(3), iso_day(-1)
        ('2026-03-05', '2026-03-01')
    """
    return (TODAY + timedelta(days=offset)).isoformat()
