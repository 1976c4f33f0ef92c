"""Values that a query mentions and that can fill arguments, by type and in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Literal

Kind = Literal["date", "time", "phone", "id", "number", "code", "name"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
"""Not from `calendar`, whose names follow the process's locale."""
_MONTH = "|".join(month.capitalize() for month in _MONTHS)
_QUOTED = re.compile(r'["“]([^"“”]{1,100})["”]')
_DATE = re.compile(
    rf"\b(\d{{4}})-(\d\d)-(\d\d)\b|\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH}),? (\d{{4}})\b"
    rf"|\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b"
)
# In this order: what an earlier pattern has read is no match of a later one.
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("date", _DATE),
    ("time", re.compile(r"\b(?:[01]\d|2[0-3]):[0-5]\d\b")),
    ("phone", re.compile(r"\+\d[\d ()-]{5,20}\d\b")),
    ("id", re.compile(r"\b(?=[\w-]{0,60}\d)[A-Za-z][\w-]{1,60}\b")),
    ("number", re.compile(r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?(?![\d,])")),
    ("code", re.compile(r"\b[A-Z]{2,5}\b")),
)
_WORD = re.compile(r"[^\W\d_][\w’'.-]*[^\W_]|[^\W\d_]")
_POSSESSIVE = ("'s", "’s")
_LONGEST_NAME = 6
"""Words; a longer run of capitals is no name but a way of writing."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One value in a text.

    Attributes:
        kind: What it looks like.
        value: The value as an argument takes it: dates as ``YYYY-MM-DD``, numbers as int or float.
        position: Where it stands, in characters from the start.
    """

    kind: Kind
    value: str | int | float
    position: int


@lru_cache(maxsize=1024)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return what a text mentions, by position; a name that starts a sentence also without its first word.

    Examples:
        >>> [item.value for item in mentions('Move 250 AUR to Ada Byron on 3 May 2026 at 09:30 for "Rent".')]
        [250, 'AUR', 'Ada Byron', '2026-05-03', '09:30', 'Rent']
        >>> [item.value for item in mentions("Delete Ada Byron's entry")]
        ['Ada Byron', 'Delete Ada Byron']
    """
    found: list[Mention] = []

    def blank(kind: Kind, match: re.Match[str]) -> str:
        value = _value(kind, match)
        if value is None:
            return match[0]
        found.append(Mention(kind, value, match.start()))
        # As long as what it replaces, so that positions stay; no letter, so that no name goes across it.
        return "\0" * len(match[0])

    text = _QUOTED.sub(partial(blank, "name"), text)
    for kind, pattern in _PATTERNS:
        text = pattern.sub(partial(blank, kind), text)
    found.extend(_names(text))
    return tuple(sorted(dict.fromkeys(found), key=lambda mention: mention.position))


def kind_of(text: str) -> Kind:
    """Return what a value looks like.

    Examples:
        >>> [kind_of(text) for text in ("2026-03-02", "10:00", "+44 0000 0000", "city-001", "AUR", "haven")]
        ['date', 'time', 'phone', 'id', 'code', 'name']
    """
    return next((kind for kind, pattern in _PATTERNS if pattern.fullmatch(text)), "name")


def _value(kind: Kind, match: re.Match[str]) -> str | int | float | None:
    if kind == "date":
        return _day(match)
    if kind == "number":
        digits = match[0].replace(",", "")
        return float(digits) if "." in digits else int(digits)
    return match[1] if match.re is _QUOTED else match[0]


def _day(match: re.Match[str]) -> str | None:
    iso_year, iso_month, iso_day, day1, month1, year1, month2, day2, year2 = match.groups()
    name = month1 or month2
    month = _MONTHS.index(name.lower()) + 1 if name else int(iso_month)
    try:
        return date(int(iso_year or year1 or year2), month, int(iso_day or day1 or day2)).isoformat()
    except ValueError:
        return None


def _names(text: str) -> Iterator[Mention]:
    """Find runs of capitalised words."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        capital = match[0][0].isupper() and len(match[0]) > 1
        joined = run and text[run[-1].end() : match.start()] == " " and len(run) < _LONGEST_NAME
        if run and not (capital and joined):
            yield from _mentions_of(run, text)
            run = []
        if capital:
            run.append(match)
            if match[0].endswith(_POSSESSIVE):
                yield from _mentions_of(run, text)
                run = []
    if run:
        yield from _mentions_of(run, text)


def _mentions_of(run: list[re.Match[str]], text: str) -> Iterator[Mention]:
    words = [match[0].removesuffix("'s").removesuffix("’s") for match in run]
    start = run[0].start()
    if text[:start].rstrip(" (")[-1:] in ("", ".", "?", "!", ":", ";"):
        # The first word of a sentence is written with a capital whatever it is.
        if len(words) > 1:
            yield Mention("name", " ".join(words[1:]), start)
            yield Mention("name", " ".join(words), start)
        return
    yield Mention("name", " ".join(words), start)
