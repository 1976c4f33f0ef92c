"""Numbers, days and times of day that a reply states, each borne out only by one of its own kind."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import combinations, permutations
from typing import NamedTuple

from stb_env import jsontext
from stb_env.jsontypes import Json
from stb_env.reading import moments, numerals
from stb_env.reading.fold import fold
from stb_env.reading.numerals import Number
from stb_env.reading.sentence import sentences
from stb_env.suites.api_bank.leaves import leaves
from stb_env.suites.api_bank.reckoned import is_reckoned, is_supposed, slack

_MOST = 60
"""Numbers of which sums and differences are looked at."""
_THOUSAND = 1_000
_SPOKEN = 12
"""A word for a number up to this one may be a pronoun, or a part of a time."""
_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_SHORT = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)")
_MONTHS = "|".join(month[:3].lower() for month in moments.MONTHS)
_TO = r"\s*(?:-|–|—|to|until|till|through|and)\s*(?:the\s+)?"
_FROM_DAY = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?={_TO}\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTHS}))"
)
_TO_DAY = re.compile(
    rf"\b(?:{_MONTHS})[a-z]*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?({_TO})(\d{{1,2}})\b(?![:.]\d|\s?[ap]\.?m)"
)
_FROM_CLOCK = re.compile(rf"(?<![\d:.])(\d{{1,2}})(?={_TO}\d{{1,2}}(?:[:.]\d\d)?\s?[ap]\.?m\b)")
_NO_AMOUNT = re.compile(r"(?<!\d)\d{1,4}(?:st|nd|rd|th)\b|(?<=: )\d{1,2}\. ")
"""A place in an order, or in a list."""
_AT = re.compile(r"\b((?:at|from|to|until) )(\d{1,2})(?![\d:.,]\d| ?[%°a-z]*(?:m|degrees?)\b)(?!\w)")
_PHONE = re.compile(r"\+?\d[\d\s()/.-]{5,24}\d")
_URL = re.compile(r"https?://\S+|\b[\w.+-]+@[\w.-]+")
_HALF = re.compile(r"\s*(?:o['’]clock\s*)?(?:in the|at)\s+(morning|afternoon|evening|night)\b")
_SAYS_HALF = re.compile(r"[ap]\.?m\b|morning|afternoon|evening|night|noon|midday")
_DURATIONS = ("min", "h")
_BEFORE = re.compile(r"(?<!from )\b(five|ten|twenty|twenty-five) to $")
_MINUTES = {"five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_HALVES = {"morning": range(12), "afternoon": range(12, 18), "evening": range(16, 24)}
_NIGHT = frozenset((*range(19, 24), *range(5)))
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?![\d.])")


class Stated(NamedTuple):
    """A day or a time of day in a text.

    Attributes:
        values: What it may be, as ``HH:MM``, or as ``YYYY-MM-DD``, without the year where none is named.
        start: Where it begins.
        end: Where it ends.
    """

    values: frozenset[str]
    start: int
    end: int


class Figures:
    """What a reply can rest on, apart by kind: no day of a month is a number of rooms.

    Args:
        said: What people said, and what is known besides.
        results: What calls took and returned.

    Examples:
        >>> known = Figures(["Two rooms from 11 to 15 August, please."], [{"room_count": 2}, "5"])
        >>> list(known.unsupported("Order 5: two rooms, 11-15 August, 4 nights."))
        []
        >>> list(known.unsupported("Order 15."))
        ['15']
        >>> list(Figures([], ["2023-04-04 14:30:00"]).unsupported("04/04/2023, 2:30 in the morning"))
        ['2:30 in the morning']
    """

    def __init__(self, said: Iterable[str], results: Sequence[Json]) -> None:
        self._results = list(results)
        texts = [each if isinstance(each, str) else jsontext.dumps(each) for each in results]
        self._text = fold("\n".join((*said, *texts)))

    def unsupported(self, text: str) -> Iterator[str]:
        """Yield the days, times and numbers of a reply that nothing of their kind bears out."""
        folded = self._without_codes(fold(text))
        for found in self._days_in(folded):
            if not found.values & self._days:
                yield folded[found.start : found.end]
        for found in clocks(folded):
            if not found.values & self._clocks:
                yield folded[found.start : found.end]
        rest = _AT.sub(self._at, _without_moments(folded))
        told = whole_numbers(rest)
        for span in sentences(rest):
            sentence = rest[span.start : span.end]
            if not is_supposed(sentence):
                for number in told:
                    if span.start <= number.start < span.end and not self._holds(
                        number, sentence, told, rest
                    ):
                        yield rest[number.start : number.end].strip()

    def _at(self, match: re.Match[str]) -> str:
        hour = int(match[2])
        known = self._clocks & {f"{hour:02}:00", f"{hour % 12 + 12:02}:00"}
        return f"{match[1]}{' ' * len(match[2])}" if known else match[0]

    def _days_in(self, folded: str) -> Iterator[Stated]:
        for moment in moments.days(folded):
            values = _days_of(moment.values, folded[moment.start : moment.end])
            if values:
                yield Stated(values, moment.start, moment.end)
        for match in _SHORT.finditer(folded):
            one, other = f"-{int(match[1]):02}-{int(match[2]):02}", f"-{int(match[2]):02}-{int(match[1]):02}"
            if self._days & {one, other}:
                yield Stated(frozenset((one, other)), match.start(), match.end())
        for match in _FROM_DAY.finditer(folded):
            yield Stated(frozenset((_day(match[2], match[1]),)), match.start(), match.end())

    def _without_codes(self, folded: str) -> str:
        """Return a text of the same length without addresses, and codes that were heard, however divided."""
        folded = _URL.sub(lambda match: " " * len(match[0]), folded)
        return _PHONE.sub(lambda match: " " * len(match[0]) if self._is_code(match[0]) else match[0], folded)

    def _is_code(self, written: str) -> bool:
        digits = re.sub(r"\D", "", written)
        return len(digits) > 5 and digits in self._codes

    @cached_property
    def _codes(self) -> frozenset[str]:
        return frozenset(re.findall(r"(?<!\d)\d{6,}(?!\d)", self._text))

    @cached_property
    def _days(self) -> frozenset[str]:
        """Every day that is known, with its year and without."""
        full = {
            f"{int(year):04}-{int(month):02}-{int(day):02}" for year, month, day in _DATE.findall(self._text)
        }
        for moment in moments.days(self._text):
            full |= _days_of(moment.values, self._text[moment.start : moment.end])
        full |= {_day(match[2], match[1]) for match in _FROM_DAY.finditer(self._text)}
        for match in _SHORT.finditer(self._text):
            full |= {f"-{int(match[1]):02}-{int(match[2]):02}", f"-{int(match[2]):02}-{int(match[1]):02}"}
        years = {day[:4] for day in full if not day.startswith("-")}
        bare = {day[4:] if len(day) > 6 else day for day in full}
        # Who names no year means that of another day.
        return frozenset(full | bare | {f"{year}{day}" for year in years for day in bare})

    @cached_property
    def _clocks(self) -> frozenset[str]:
        # A call says which half of the day was meant where people leave that open.
        return frozenset(value for clock in clocks(self._text, exact=True) for value in clock.values)

    @cached_property
    def _numbers(self) -> list[float]:
        rest = _without_moments(self._text)
        found = {number.quantity.value for number in whole_numbers(rest)}
        found |= {float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", rest)}
        found |= {float(day[:4]) for day in self._days if not day.startswith("-")}
        found |= {abs(float(number)) for number in _numbers_in(self._results)}
        return sorted(found | {float(len(each)) for each in leaves(self._results, list)})

    @cached_property
    def _derived(self) -> list[float]:
        """Sums, differences, products, means and shares of the numbers that were returned."""
        numbers = sorted(set(_numbers_in(self._results)))
        if len(numbers) > _MOST:
            return []
        found = {
            value for one, two in combinations(numbers, 2) for value in (one + two, two - one, one * two)
        }
        found |= {part / whole * 100 for part, whole in permutations(numbers, 2) if whole}
        found |= {(whole - part) / whole * 100 for part, whole in permutations(numbers, 2) if whole}
        found |= {sum(numbers), *(sum(numbers) / count for count in (len(numbers),) if count)}
        lists = [[float(part) for part in _numbers_in([each])] for each in self._results]
        single = [numbers[0] for numbers in lists if len(numbers) == 1]
        whole = sum(single)
        return sorted(found | {total / count for total in (*numbers, whole) for count in self._lengths})

    @cached_property
    def _lengths(self) -> set[int]:
        return {len(each) for each in leaves(self._results, list) if each}

    @cached_property
    def _spans(self) -> list[float]:
        """How many days, hours and minutes lie between what is known."""
        days = sorted({_ordinal(f"2024{day[-6:]}") for day in self._days})
        minutes = sorted({60 * int(clock[:2]) + int(clock[3:]) for clock in self._clocks})
        apart = {abs(two - one) for one, two in combinations(days[:_MOST], 2)}
        between = {abs(two - one) for one, two in combinations(minutes[:_MOST], 2)}
        return sorted({*map(float, apart | between), *(span / 60 for span in between)})

    def _holds(self, number: Number, sentence: str, told: Sequence[Number], text: str) -> bool:
        value, near = abs(number.quantity.value), slack(number, sentence)
        if number.worded and value <= _SPOKEN:
            return True
        readings = [value, *self._grouped(text[number.start : number.end])]
        if any(_is_among(each, near, self._numbers) for each in readings):
            return True
        if number.quantity.unit or "%" in sentence:
            scales = (100.0, 0.01, 1000.0, 0.001)
            if any(_is_among(value * scale, near * scale, self._numbers) for scale in scales):
                return True
        if self._is_converted(number, near, told):
            return True
        tail = text[number.end : number.end + 24]
        if number.quantity.unit not in _DURATIONS and not is_reckoned(sentence, tail):
            return False
        scaled = any(_is_among(value * scale, near * scale, self._numbers) for scale in (100.0, 0.01))
        return scaled or _is_among(value, near, self._derived) or _is_among(value, near, self._spans)

    @staticmethod
    def _grouped(written: str) -> Iterator[float]:
        match = _GROUPED.match(written)
        if match:
            yield float(match[0].replace(".", ""))

    def _is_converted(self, number: Number, near: float, told: Sequence[Number]) -> bool:
        """Return whether a number is another one of the reply that is borne out, in another unit."""
        unit = number.quantity.unit
        return bool(unit) and any(
            abs(reading - number.quantity.value) <= max(near, 0.5)
            for other in told
            if other.quantity.unit not in ("", unit) and _is_among(other.quantity.value, 1e-9, self._numbers)
            for reading in other.quantity.readings(unit)
        )


def whole_numbers(folded: str) -> list[Number]:
    """Return the numbers of a folded text, those in words whole.

    Examples:
        >>> [number.quantity.value for number in whole_numbers("one thousand four hundred and two, or 7")]
        [1402.0, 7.0]
    """
    found: list[Number] = []
    for number in numerals.numbers(folded):
        last = found[-1] if found else None
        if last and number.worded and number.quantity.value < _THOUSAND:
            between = re.findall(r"\w+", folded[last.end : number.start])
            joined = all(word in ("and", "hundred") or numerals.numbers(word) for word in between)
            if joined and folded[: last.end].endswith("thousand"):
                value = last.quantity.value + number.quantity.value
                found[-1] = number._replace(quantity=number.quantity._replace(value=value), start=last.start)
                continue
        found.append(number)
    return found


def clocks(folded: str, *, exact: bool = False) -> Iterator[Stated]:
    """Yield the times of day of a folded text; a half of the day that is named decides.

    Args:
        folded: The text.
        exact: Whether a time without a half of the day is one of 24 hours.

    Examples:
        >>> [sorted(clock.values) for clock in clocks("from 2 to 3:30 pm, 7:10 in the evening, 07:10")]
        [['15:30'], ['19:10'], ['07:10', '19:10'], ['02:00', '14:00']]
    """
    for moment in moments.clocks(folded):
        clock = _clock(moment, folded, exact=exact)
        before = _BEFORE.search(folded, max(0, moment.start - 20), moment.start)
        yield _earlier(clock, before) if before else clock
    for match in _FROM_CLOCK.finditer(folded):
        hour = int(match[1]) % 12
        yield Stated(frozenset((f"{hour:02}:00", f"{hour + 12:02}:00")), match.start(), match.end())


def _earlier(clock: Stated, before: re.Match[str]) -> Stated:
    """Return the time that lies some minutes before one: "ten to seven"."""
    minutes = [60 * int(value[:2]) + int(value[3:]) - _MINUTES[before[1]] for value in clock.values]
    values = (f"{each // 60 % 24:02}:{each % 60:02}" for each in minutes)
    return Stated(frozenset(values), before.start(), clock.end)


def _clock(moment: moments.Moment, folded: str, *, exact: bool) -> Stated:
    half = _HALF.match(folded, moment.end)
    end = half.end() if half else moment.end
    written = folded[moment.start : end]
    values = {value for value in moment.values if len(value) == 5}
    both = {f"{(int(value[:2]) + 12) % 24:02}{value[2:]}" for value in values if int(value[:2]) <= 12}
    if half:
        hours = _NIGHT if half[1] == "night" else _HALVES[half[1]]
        return Stated(frozenset(each for each in values | both if int(each[:2]) in hours), moment.start, end)
    plain = exact or _SAYS_HALF.search(written)
    return Stated(frozenset(values if plain else values | both), moment.start, end)


def _without_moments(folded: str) -> str:
    text = moments.without(folded)
    found = [match.span() for pattern in (_FROM_DAY, _SHORT) for match in pattern.finditer(folded)]
    found += [match.span(2) for match in _TO_DAY.finditer(folded)]
    for start, end in (*found, *((clock.start, clock.end) for clock in clocks(folded))):
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return _NO_AMOUNT.sub(lambda match: " " * len(match[0]), text)


def _days_of(values: Iterable[str], written: str) -> frozenset[str]:
    """Return days, without a year where none is written."""
    full = [value for value in values if _DATE.fullmatch(value)]
    return frozenset(full if re.search(r"\d{4}", written) else (value[4:] for value in full))


def _ordinal(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0


def _day(month: str, day: str) -> str:
    return f"-{_MONTHS.split('|').index(month[:3]) + 1:02}-{int(day):02}"


def _numbers_in(value: Json) -> Iterator[float]:
    for each in leaves(value, int, float):
        if not isinstance(each, bool):
            yield float(each)


def _is_among(number: float, near: float, ordered: Sequence[float]) -> bool:
    place = bisect_left(ordered, number - near)
    return place < len(ordered) and ordered[place] <= number + near
