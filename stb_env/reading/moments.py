"""Dates and times of day in a text, in every common form. Where a form is ambiguous every reading counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from stb_env.reading.fold import fold

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
"""Not from `calendar`, whose names follow the process's locale."""

_MONTHS = {
    spelling.casefold(): index + 1 for index, month in enumerate(MONTHS) for spelling in (month, month[:3])
} | {"sept": 9}
_HOURS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_PARTS = {"half past": 30, "quarter past": 15, "quarter to": -15, "a quarter past": 15, "a quarter to": -15}
_PARTS |= {"five past": 5, "ten past": 10, "twenty past": 20, "twenty-five past": 25}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_NUMERIC = re.compile(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b")
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+({_MONTH})\b"
    r"(?!(?<=\bmay)\s+(?:not\s+)?(?:drive|rent|hire|book|be|have|join|enter|come|go|use|take|attend|travel)\b)"
    r"\.?,?(?:[\s-]+(\d{4}))?\b"
)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH})\b\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?"
)
_YEAR = re.compile(r"(?<![\d.,:])(?:18|19|20)\d\d(?![\d:]|[.,]\d)")
_FAR = 120
"""Letters between a day and the year that it may be of."""
_SPAN_TO = re.compile(r"[\d;]\s*(?:[-–—]|to|till|until)\s*$")
_SPAN_FROM = re.compile(r"\s*[-–—]\s*[\d;]")
_DAY_ONLY = re.compile(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b")
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.h](\d{2}))?(?::\d{2})?\s*([ap])\.?m\b\.?|"
    r"\b(\d{1,2})[:h](\d{2})(?::\d{2})?\b(?!\s*[ap]\.?m\b)|\b(\d{1,2})\.(\d{2}) (?:h|hrs|o['’]?clock|uhr)\b"
)
_SPOKEN = re.compile(
    rf"\b(?:({'|'.join(sorted(_PARTS, key=len, reverse=True))}) )?({'|'.join(_HOURS)}|\d{{1,2}})"
    r"( o['’]?clock)?(?: (?:in the )?([ap]\.?m|morning|afternoon|evening|at night))?\b|"
    rf"\b(?:({'|'.join(sorted(_PARTS, key=len, reverse=True))}) )?(noon|midday|midnight)\b"
)
_DIGIT = re.compile(r"\d")
_INSTANT = re.compile(r"(?<=\d)t(?=\d\d:)")
_SHORT_MONTHS = tuple(month[:3].casefold() for month in MONTHS)
_SPEAKING = (
    "past ", "quarter", "clock", "noon", "midday", "midnight", "morning", "evening", "night", " am", " pm",
)  # fmt: skip


class Moment(NamedTuple):
    """A date or a time in a text.

    Attributes:
        values: What it may mean, as ``YYYY-MM-DD`` or ``HH:MM``.
        start: Where it begins.
        end: Where it ends.
    """

    values: tuple[str, ...]
    start: int
    end: int


def dates(text: str) -> frozenset[str]:
    """Return every date of a text as ``YYYY-MM-DD``; one without a year counts in 2026 and in that beside it.

    Examples:
        >>> sorted(dates("from March 3rd, 2026 to 05/04/2026"))
        ['2026-03-03', '2026-04-05', '2026-05-04']
    """
    return frozenset(value for moment in days(fold(text)) for value in moment.values)


def times(text: str) -> frozenset[str]:
    """Return every time of day of a text as ``HH:MM``.

    Examples:
        >>> sorted(times("9.30 am or 14:05, not 7pm or half past eight in the evening"))
        ['09:30', '14:05', '19:00', '20:30']
    """
    return frozenset(value for moment in clocks(fold(text)) for value in moment.values)


def days(folded: str) -> tuple[Moment, ...]:
    """Return every date of a folded text; a day without a month ("the 9th") may be of any month of 2026."""
    return _days(folded)[0]


def clocks(folded: str) -> tuple[Moment, ...]:
    """Return every time of day of a folded text."""
    return _clocks(folded)[0]


def in_span(folded: str, start: int, end: int) -> bool:
    """Return whether a dash joins what stands at a place to digits before it or behind it."""
    return (
        _SPAN_TO.search(folded, max(0, start - 12), start) is not None
        or _SPAN_FROM.match(folded, end) is not None
    )


def without(folded: str) -> str:
    """Return a folded text of the same length in which no date and no time is left."""
    return _clocks(folded)[1]


@lru_cache(maxsize=256)
def _days(folded: str) -> tuple[tuple[Moment, ...], str]:
    if not _DIGIT.search(folded):
        return (), folded
    text = _INSTANT.sub(" ", folded)
    found = []
    has_month = any(month in text for month in _SHORT_MONTHS)
    for pattern, read, worded in _READERS:
        if worded and not has_month:
            continue
        matches = list(pattern.finditer(text))
        for match in matches:
            year = _year_near(folded, match.start(), match.end()) if worded and not match[3] else ""
            values = tuple(dict.fromkeys(value for value in read(match, year) if value))
            # A day that no month has is still offered as one.
            found.append(Moment(values or (match[0],), match.start(), match.end()))
        if matches:
            text = pattern.sub(_blank, text)
    return tuple(found), text


@lru_cache(maxsize=256)
def _clocks(folded: str) -> tuple[tuple[Moment, ...], str]:
    text = _days(folded)[1]
    found = []
    for match in _CLOCK.finditer(text):
        hour12, minute12, half, hour, minute, dotted, rest = match.groups()
        hours = int(hour12) % 12 + (12 if half == "p" else 0) if half else int(hour or dotted)
        value = _time(hours, int(minute or minute12 or rest or 0))
        found.append(Moment((value or match[0],), match.start(), match.end()))
    if found:
        text = _CLOCK.sub(_blank, text)
    if any(word in text for word in _SPEAKING):
        found += _spoken(text)
    return tuple(found), text


def _blank(match: re.Match[str]) -> str:
    """Keep the length, so that every place in the text stays where it is."""
    return ";".rjust(len(match[0]))


def _year_near(folded: str, start: int, end: int) -> str:
    """Return the year that stands nearest to a day without one, or an empty string."""
    apart = [
        (found.start() - end if found.start() >= end else start - found.end(), found[0])
        for found in _YEAR.finditer(folded)
    ]
    distance, year = min(apart, default=(_FAR, ""))
    return year if distance < _FAR else ""


def _iso(match: re.Match[str], _: str) -> Iterator[str]:
    yield _day(match[1], match[2], match[3])


def _numeric(match: re.Match[str], _: str) -> Iterator[str]:
    yield _day(match[3], match[2], match[1])
    yield _day(match[3], match[1], match[2])


def _day_first(match: re.Match[str], year: str) -> Iterator[str]:
    for one in (match[3] or "2026", year):
        yield _day(one, str(_MONTHS[match[2]]), match[1])


def _month_first(match: re.Match[str], year: str) -> Iterator[str]:
    for one in (match[3] or "2026", year):
        yield _day(one, str(_MONTHS[match[1]]), match[2])


def _day_only(match: re.Match[str], _: str) -> Iterator[str]:
    for month in range(1, 13):
        yield _day("2026", str(month), match[1])


def _day(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _spoken(text: str) -> Iterator[Moment]:
    for match in _SPOKEN.finditer(text):
        part, hour, exact, half, to, name = match.groups()
        if name:
            base = 24 * 60 if name == "midnight" else 12 * 60
            value = _time(*divmod((base + _PARTS.get(to or "", 0)) % (24 * 60), 60))
            yield Moment((value,), match.start(), match.end())
        elif part or exact or half:
            hours = _HOURS.index(hour) + 1 if hour in _HOURS else int(hour)
            minutes = _PARTS.get(part or "", 0)
            values = tuple(
                value
                for base in _halves(hours, half or "")
                if (value := _time(*divmod(base * 60 + minutes, 60)))
            )
            if values:
                yield Moment(values, match.start(), match.end())


def _halves(hours: int, half: str) -> tuple[int, ...]:
    if hours > 12:
        return (hours,)
    if half.startswith(("a", "morning")) and half != "at night" and half != "afternoon":
        return (hours % 12,)
    if half in ("afternoon", "evening", "at night") or half.startswith("p"):
        return (hours % 12 + 12,)
    return (hours % 12, hours % 12 + 12)


def _time(hours: int, minutes: int) -> str:
    hours %= 48
    return f"{hours:02}:{minutes:02}" if hours < 24 and 0 <= minutes < 60 else ""


_READERS = (
    (_ISO, _iso, False),
    (_NUMERIC, _numeric, False),
    (_DAY_FIRST, _day_first, True),
    (_MONTH_FIRST, _month_first, True),
    (_DAY_ONLY, _day_only, False),
)
