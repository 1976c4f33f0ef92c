"""Whether a value beside the right one has a ground: the calls returned it, or it can be reckoned from them.

A second value that nothing returned is made up: whoever offers "1250 or 1300" has only one from a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from stb_env.reading.moments import clocks, days
from stb_env.reading.numerals import Number, numbers
from stb_env.reading.statement import statement_at
from stb_env.suites.sandbox.answers import fold
from stb_env.suites.sandbox.mentions import Mention, Text

_DIGITS = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_CENTS = re.compile(r"cents[^\d\n]{1,6}(\d{1,12})")
_FEW = 12
"""A whole number up to this may count what the answer speaks of."""
_MOST = 80
"""Known numbers of which two are reckoned with each other."""
_SCALES = (1, 100, 1000, 60, 24, 7, 1_000_000)


class Known(NamedTuple):
    """Numbers, dates as ordinals and times as minutes that a text has."""

    numbers: tuple[float, ...]
    dates: frozenset[int]
    times: frozenset[int]


def baseless(text: Text, rivals: Iterable[Mention], source: str) -> str:
    """Return a value beside the right one that has no ground, as a reason, or an empty string.

    Args:
        text: The answer.
        rivals: Its other values of the kind.
        source: The query and what the calls were told and returned.
    """
    for rival in rivals:
        if rival.known or rival.asked or statement_at(text.said, rival.start).stance != "asserted":
            continue
        if not _grounded(text.folded, rival, known(source)):
            return f"read {rival.said}, which nothing returned"
    return ""


@lru_cache(maxsize=64)
def known(source: str) -> Known:
    """Return the values of a text.

    Examples:
        >>> known("{'price_cents': 1250, 'at': '14:05'}").numbers
        (12.5, 1250.0, 14.0, 5.0)
    """
    folded = fold(source)
    found = [float(digits) / 100 for digits in _CENTS.findall(folded)]
    found += [float(digits) for digits in _DIGITS.findall(source)]
    return Known(
        tuple(dict.fromkeys(found)),
        frozenset(ordinals(value for moment in days(folded) for value in moment.values)),
        frozenset(minutes(value for moment in clocks(folded) for value in moment.values)),
    )


def derived(values: Iterable[str], source: str) -> bool:
    """Return whether a date or a time is known, or as far from a known one as a known number says.

    Examples:
        >>> derived(("09:00",), "from 08:00 for 60 minutes"), derived(("09:10",), "from 08:00 for 60 minutes")
        (True, False)
    """
    values, have = list(values), known(source)
    if any(":" in value for value in values):
        return _apart(list(minutes(values)), have.times, have.numbers, (1, 60))
    return _apart(list(ordinals(values)), have.dates, have.numbers, (1, 7))


def _grounded(folded: str, rival: Mention, source: Known) -> bool:
    place = (rival.start, rival.end)
    for moment in days(folded):
        if (moment.start, moment.end) == place:
            return _apart(list(ordinals(moment.values)), source.dates, source.numbers, (1, 7))
    for moment in clocks(folded):
        if (moment.start, moment.end) == place:
            return _apart(list(minutes(moment.values)), source.times, source.numbers, (1, 60))
    said = numbers(folded)
    number = next((one for one in said if (one.start, one.end) == place), None)
    others = [one.quantity.value for one in said if one != number]
    return number is None or reckoned(number, source.numbers, others)


def _apart(
    values: Sequence[int], have: frozenset[int], steps: Sequence[float], scales: Sequence[int]
) -> bool:
    """Return whether one of the values is known, or as far from a known one as some known number says."""
    spans = {0, *(round(step * scale) for step in steps if step > 1 for scale in scales)}
    return not values or any(abs(value - one) in spans for value in values for one in have)


def reckoned(number: Number, have: Sequence[float], said: Sequence[float] = ()) -> bool:
    """Return whether a number is known, or a sum, difference, product, quotient or mean of known ones.

    Args:
        number: It.
        have: What is known.
        said: The other numbers of the answer, of which it may be a product or quotient.

    Examples:
        >>> [reckoned(numbers(text)[0], (1250.0, 4.0)) for text in ("5000", "312.5", "1246", "1251", "1300")]
        [True, True, True, False, False]
    """
    value, slack = abs(number.quantity.value), 0.5000001 * 10.0**-number.decimals
    if not number.decimals:
        slack = 0.5000001 if number.quantity.value >= 1000 else 0.001
        if value <= _FEW or _near(value, have, 0.001):
            return True
    if any(_near(value * scale, have, slack * scale) for scale in _SCALES):
        return True
    if any(_near(value / scale, have, slack / scale) for scale in _SCALES):
        return True
    if not number.decimals and any(abs(value - one) == 1 for one in said):
        # "still 53 up to that day", the day on which somebody turns 54.
        return True
    some = [one for one in have if one > 1][:_MOST]
    for one in said:
        if one and any(
            _near(value, (one * other, one / other, other / one), slack) for other in (*some, 2, 4, 1000)
        ):
            return True
    return _is_mean(value, some, slack) or any(
        abs(found - value) <= slack
        for index, one in enumerate(some)
        for other in some[index:]
        for found in _combined(one, other)
    )


def _is_mean(value: float, have: Sequence[float], slack: float) -> bool:
    """Return whether an amount is the mean of three or more that stand one behind the other."""
    amounts = [one for one in have if one != int(one)]
    sums = list(accumulate(amounts, initial=0.0))
    return value != int(value) and any(
        abs((sums[last] - sums[first]) / (last - first) - value) <= slack
        for first in range(len(amounts))
        for last in range(first + 3, len(sums))
    )


def _near(value: float, have: Sequence[float], slack: float) -> bool:
    return any(abs(value - one) <= slack for one in have)


def _combined(one: float, other: float) -> Iterator[float]:
    yield from (one + other, abs(one - other), (one + other) / 2, one * other, one / other, other / one)
    yield one * other / 1000


def ordinals(values: Iterable[str]) -> Iterator[int]:
    """Yield the days that some values are (``YYYY-MM-DD``), counted from the first day of year 1."""
    for value in values:
        # What no month has is read as it stands.
        with suppress(ValueError):
            yield date.fromisoformat(value).toordinal()


def minutes(values: Iterable[str]) -> Iterator[int]:
    """Yield the times that some values are (``HH:MM``), as minutes since midnight."""
    for value in values:
        hours, _, minutes = value.partition(":")
        if hours.isdigit() and minutes.isdigit():
            yield 60 * int(hours) + int(minutes)
