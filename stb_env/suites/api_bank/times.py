"""Dates and times, read as the original reads them; its messages are the standard library's."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from stb_env.suites.api_bank.api_error import ApiError

_DATE = "%Y-%m-%d"
_TIME = "%Y-%m-%d %H:%M:%S"
_DAY = "%m-%d"
_SHORT = 64


def read_time(text: str) -> datetime:
    """Read a date with a time of day; the text is taken as it is.

    Raises:
        ApiError: It is none.

    Examples:
        >>> read_time("2023-3-5 8:00:00").isoformat()
        '2023-03-05T08:00:00'
    """
    return _parse(text, _TIME)


def read_date(text: str) -> datetime:
    """Read a date; the text is taken as it is.

    Raises:
        ApiError: It is none.
    """
    return _parse(text, _DATE)


def read_moment(text: str) -> datetime | None:
    """Return the point in time that a date means, with or without a time of day; None where it is none.

    Examples:
        >>> read_moment("2023-3-5"), read_moment("tomorrow")
        (datetime.datetime(2023, 3, 5, 0, 0), None)
    """
    for form in (_TIME, _DATE):
        try:
            return _parse(text, form)
        except ApiError:
            continue
    return None


def normal_date(text: str) -> str:
    """Return a date as ``YYYY-MM-DD``; blanks around it and a short year are put right first.

    Raises:
        ApiError: It is none.

    Examples:
        >>> normal_date(" 2022-1-1 "), normal_date("22-01-01")
        ('2022-01-01', '22-01-01')
        >>> normal_date("2022-01-32")
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: unconverted data remains: 2
    """
    return _written(_parse(_padded(text), _DATE))


def normal_time(text: str) -> str:
    """Return a date with a time of day in full, as `normal_date` does.

    Raises:
        ApiError: It is none.

    Examples:
        >>> normal_time("2023-03-05 8:00:00 ")
        '2023-03-05 08:00:00'
    """
    moment = _parse(_padded(text), _TIME)
    return f"{_written(moment)} {moment:%H:%M:%S}"


def normal_day(text: str) -> str:
    """Return the ``MM-DD`` of a date with or without a year.

    Raises:
        ApiError: It is none.

    Examples:
        >>> normal_day("4-21"), normal_day("2023-04-21")
        ('04-21', '04-21')
        >>> normal_day("02-29")
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: day is out of range for month
    """
    padded = _padded(text)
    try:
        moment = _parse(padded, _DATE)
    except ApiError:
        moment = _parse(padded, _DAY)
    return f"{moment:%m-%d}"


def _padded(text: str) -> str:
    parts = text.strip().split("-")
    if len(parts) == 3:
        parts[0] = parts[0].rjust(4, "0")
    return "-".join(parts)


def _written(moment: datetime) -> str:
    # As strftime does on Linux, which leaves a year before 1000 without zeros.
    return f"{moment.year}-{moment:%m-%d}"


def _parse(text: str, form: str) -> datetime:
    # What is remembered is short, so that a process stays small whatever agents write.
    read = _read if len(text) <= _SHORT else _read.__wrapped__
    moment = read(text, form)
    if isinstance(moment, str):
        raise ApiError(moment)
    return moment


@lru_cache(maxsize=4096)
def _read(text: str, form: str) -> datetime | str:
    """Return the moment, or what is wrong with the text; failures are as common as the rest."""
    try:
        return datetime.strptime(text, form)
    except ValueError as error:
        message = str(error)
        # Python 3.14 words this one differently; equal calls must give equal bytes.
        return "day is out of range for month" if message.startswith("day ") else message
