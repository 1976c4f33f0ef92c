"""Days of the year that a text names, in whatever form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CALENDAR = "january february march april may june july august september october november december"
MONTHS = tuple(_CALENDAR.split())

_SHORT = [month[:3] for month in MONTHS]
_NAME = "|".join(_SHORT)
_FORMS = (
    re.compile(r"\b\d{4}-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b"),
    re.compile(r"\b(?P<m>\d{1,2})[-/](?P<d>\d{1,2})[-/]\d{4}\b"),
    re.compile(rf"\b(?P<m>{_NAME})[a-z]*\.? (?P<d>\d{{1,2}})(?!\d|:)"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_NAME})"),
)


class Day(NamedTuple):
    """A day of the year.

    Attributes:
        month: From 1 to 12, if it is one.
        day: Of the month.
    """

    month: int
    day: int


def days_in(text: str) -> Iterator[tuple[Day, str]]:
    """Yield each day that is named, with its words in small letters.

    Examples:
        >>> list(days_in("From 2025-10-04 to the 6th of October"))
        [(Day(month=10, day=4), '2025-10-04'), (Day(month=10, day=6), '6th of oct')]
    """
    folded = text.lower()
    for form in _FORMS:
        for match in form.finditer(folded):
            month = match["m"]
            number = int(month) if month.isdigit() else _SHORT.index(month) + 1
            yield Day(number, int(match["d"])), match[0]


def without_days(text: str) -> str:
    """Return a text in small letters with blanks in the place of its days.

    Examples:
        >>> without_days("On May 4, for 12 dollars").split()
        ['on', ',', 'for', '12', 'dollars']
    """
    text = text.lower()
    for form in _FORMS:
        text = form.sub(lambda match: " " * len(match[0]), text)
    return text
