"""Date Reckoner: arithmetic with days."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812
from datetime import timedelta

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import parse_day
from stb_env.suites.sandbox.params import day, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Date Reckoner", "Arithmetic with dates; working days are Monday to Friday.")
_FIRST, _LAST = Date(1800, 1, 1), Date(2399, 12, 31)
_DATE = day("date", "The day.", "2026-03-02")


def _day(value: str) -> Date:
    when = parse_day(value)
    if not _FIRST <= when <= _LAST:
        raise ApiError(f"dates reach from {_FIRST} to {_LAST}, got {value}")
    return when


def _described(when: Date) -> dict[str, object]:
    return {"date": when.isoformat(), "weekday": WEEKDAYS[when.weekday()]}


@TOOL.lookup("Weekday Of", _DATE, fact=())
def weekday_of(date: str) -> Response:
    """Day of the week, and number of the week of the year, of a date."""
    when = _day(date)
    return {**_described(when), "iso_week": when.isocalendar().week}


@TOOL.lookup(
    "Days Between",
    day("first_date", "One day.", "2026-03-02"),
    day("second_date", "Another day; an earlier one gives a negative number.", "2026-04-15"),
    fact=(),
)
def days_between(first_date: str, second_date: str) -> Response:
    """Number of days, and of working days, from one date to another; the first day does not count."""
    first, second = _day(first_date), _day(second_date)
    low, high = sorted((first, second))
    # Days 1 to 5 of the proleptic calendar were Monday to Friday.
    working = _working_days_until(high) - _working_days_until(low)
    return {"days": (second - first).days, "working_days": working if first <= second else -working}


def _working_days_until(when: Date) -> int:
    weeks, rest = divmod(when.toordinal(), 7)
    return weeks * 5 + min(rest, 5)


@TOOL.lookup("Add Days", _DATE, whole("days", "How many; negative to go back.", 30, -36_500, 36_500), fact=())
def add_days(date: str, days: int) -> Response:
    """Date that lies so many days later."""
    return _described(_day(date) + timedelta(days=days))


@TOOL.lookup("Add Working Days", _DATE, whole("days", "How many.", 10, 1, 1000), fact=())
def add_working_days(date: str, days: int) -> Response:
    """Date that lies so many working days later; the first day does not count."""
    when = _day(date)
    while days:
        when += timedelta(days=1)
        days -= when.weekday() < 5
    return _described(when)


@TOOL.lookup(
    "Next Anniversary",
    day("anniversary", "The day that is celebrated each year.", "1984-06-09"),
    day("after", "The next one on or after this day; not before the first.", "2026-03-02"),
    fact=(),
)
def next_anniversary(anniversary: str, after: str) -> Response:
    """Next anniversary of a day and which one it is; 29 February is kept on 1 March in other years."""
    first, start = _day(anniversary), _day(after)
    if start < first:
        raise ApiError(f"after must not lie before {anniversary}, got {after}")
    years = start.year - first.year
    if _anniversary(first, years) < start:
        years += 1
    return {**_described(_anniversary(first, years)), "years": years}


def _anniversary(first: Date, years: int) -> Date:
    try:
        return first.replace(year=first.year + years)
    except ValueError:
        return Date(first.year + years, 3, 1)
