"""Dates and times of day as people say them, found in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]}|t)?" for name in MONTHS) + r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,?\s*(?:of\s+)?(?P<year>\d{4})\b(?!:))?"
_NAMED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (_MONTH + r"\s+(?:the\s+)?" + _DAY + _YEAR, _DAY + r"\s+(?:of\s+)?" + _MONTH + _YEAR)
)
_RANGE = re.compile(
    r"\b([0-3]?\d)(?:st|nd|rd|th)?\s*(?:to|until|till|and|-|–)\s*(?:the\s+)?(?=" + _NAMED[1].pattern + ")",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_AMERICAN = re.compile(r"\b(\d{1,2})/(\d{1,2})(?:/(\d{4}))?\b")
_ORDINAL = re.compile(r"\b(?:the\s+)?([0-3]?\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_RELATIVE = (("day after tomorrow", 2), ("tomorrow", 1), ("today", 0), ("tonight", 0), ("yesterday", -1))
_IN_DAYS = re.compile(r"\bin (\d+) days?\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b([0-2]?\d)(?:[:.]([0-5]\d))?(?::[0-5]\d)?\s*(a\.?m\b|p\.?m\b|o'clock)?", re.IGNORECASE
)
_HALF = re.compile(r"\b(half past|quarter past|quarter to)\s+(\w+)", re.IGNORECASE)
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = tuple(_NUMBER_WORDS.split())
"""Numbers as words, each at its place."""
# Which group matched says which number it is: other letters than ASCII can match one of these words.
_SPELLED = re.compile(rf"\b(?:{'|'.join(f'({word})' for word in NUMBERS)})\b", re.IGNORECASE)
_NOON = re.compile(r"\b(noon|midday)\b", re.IGNORECASE)
_DAY_LONG = re.compile(r"\bmidnight|whole day|all day\b", re.IGNORECASE)
_OFFSETS = {"half past": 30, "quarter past": 15, "quarter to": -15}
_SHIFT = re.compile(r"\b(\d+|half an|an|a|\w+)[ -](minutes?|hours?)\b", re.IGNORECASE)

Clock = tuple[int, int]


def dates_in(text: str, today: date) -> set[date]:
    """Return every date that a text may mean, seen from a day.

    Examples:
        >>> today = date(2023, 3, 31)
        >>> sorted(map(str, dates_in("On March 5 or 7 April 2024", today)))
        ['2023-03-05', '2024-04-07']
        >>> [str(day) for day in dates_in("Tomorrow", today)]
        ['2023-04-01']
    """
    found = {day for parts in _absolute(text, today.year) if (day := _day(*parts)) is not None}
    for seen in {today, *found}:
        found |= set(_relative(text, seen))
        # "the 24th" is one of the month that was spoken of.
        found |= {
            day for match in _ORDINAL.finditer(text) if (day := _day(seen.year, seen.month, int(match[1])))
        }
    return found


def clocks_in(text: str) -> set[Clock]:
    """Return every time of day that a text may mean, and those that lie a named span before or after one.

    Examples:
        >>> sorted(clocks_in("from 2 to 3:30 pm"))
        [(2, 0), (3, 30), (14, 0), (15, 30)]
        >>> (16, 30) in clocks_in("half past four"), (13, 50) in clocks_in("at 2pm, ten minutes before")
        (True, True)
    """
    found: set[Clock] = set()
    for match in _CLOCK.finditer(text):
        found |= _both_halves(int(match[1]), int(match[2] or 0))
    for match in _SPELLED.finditer(text):
        found |= _both_halves((match.lastindex or 0) - 1, 0)
    if _NOON.search(text):
        found.add((12, 0))
    if _DAY_LONG.search(text):
        found |= {(0, 0), (23, 59)}
    for match in _HALF.finditer(text):
        if (named := _number(match[2])) is not None:
            found |= {_moved(clock, _OFFSETS[match[1].lower()]) for clock in _both_halves(named, 0)}
    spans = {_minutes(match[1], match[2]) for match in _SHIFT.finditer(text)}
    return found | {
        _moved(clock, sign * span) for clock in found for span in spans if span for sign in (1, -1)
    }


def _absolute(text: str, year: int) -> Iterator[tuple[int, int, int]]:
    for match in _ISO.finditer(text):
        yield int(match[1]), int(match[2]), int(match[3])
    for match in _AMERICAN.finditer(text):
        yield int(match[3] or year), int(match[1]), int(match[2])
    for form in _NAMED:
        for match in form.finditer(text):
            yield int(match["year"] or year), _month(match["month"]), int(match["day"])
    for match in _RANGE.finditer(text):
        yield int(match["year"] or year), _month(match["month"]), int(match[1])


def _month(name: str) -> int:
    return next(number for number, full in enumerate(MONTHS, 1) if full.startswith(name[:3].lower()))


def _relative(text: str, seen: date) -> Iterator[date]:
    lower = text.lower()
    for words, days in _RELATIVE:
        if words in lower:
            yield seen + timedelta(days)
    for match in _IN_DAYS.finditer(text):
        yield seen + timedelta(int(match[1]) % 4000)
    for number, name in enumerate(_DAYS):
        if name in lower:
            ahead = (number - seen.weekday()) % 7
            yield from (seen + timedelta(days) for days in (ahead, ahead + 7))
    if "next week" in lower:
        yield seen + timedelta(7)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _both_halves(hour: int, minute: int) -> set[Clock]:
    if hour > 23:
        return set()
    return {(hour, minute), ((hour + 12) % 24, minute)} if hour <= 12 else {(hour, minute)}


def _moved(clock: Clock, minutes: int) -> Clock:
    total = (clock[0] * 60 + clock[1] + minutes) % (24 * 60)
    return total // 60, total % 60


def _number(word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    return NUMBERS.index(word.lower()) if word.lower() in NUMBERS else None


def _minutes(amount: str, unit: str) -> int | None:
    number = {"half an": 0.5, "an": 1, "a": 1}.get(amount.lower(), _number(amount))
    return None if number is None else int(number * (60 if unit.lower().startswith("hour") else 1))
