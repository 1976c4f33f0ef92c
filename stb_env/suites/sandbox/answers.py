"""What a text says: the numbers, dates, times, names and polarity in it, whatever their form.

Pure readers of free text. Where a form is ambiguous (``03/04/2026``) every reading counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

LONGEST = 4_000
"""Characters of an answer; a longer one is a dump in which any fact could be found."""
MOST_VALUES = 8
"""Numbers, dates or times of an answer besides those of the query; more of them are guesses."""

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
"""Not from `calendar`, whose names follow the process's locale."""

# Dimension, factor and offset to the dimension's base unit.
UNITS: Mapping[str, tuple[str, float, float]] = {
    "km": ("length", 1.0, 0.0),
    "m": ("length", 0.001, 0.0),
    "mi": ("length", 1.609344, 0.0),
    "ft": ("length", 0.0003048, 0.0),
    "c": ("temperature", 1.0, 0.0),
    "f": ("temperature", 5 / 9, -160 / 9),
    "min": ("duration", 1.0, 0.0),
    "h": ("duration", 60.0, 0.0),
    "g": ("mass", 1.0, 0.0),
    "kg": ("mass", 1000.0, 0.0),
}
_SPELLINGS = {
    "km": ("km", "kms", "kilometre", "kilometres", "kilometer", "kilometers"),
    "m": ("m", "metre", "metres", "meter", "meters"),
    "mi": ("mi", "mile", "miles"),
    "ft": ("ft", "foot", "feet"),
    "c": ("c", "°c", "celsius", "degrees celsius", "degrees c"),
    "f": ("f", "°f", "fahrenheit", "degrees fahrenheit", "degrees f"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "g": ("g", "gram", "grams", "gramme", "grammes"),
    "kg": ("kg", "kgs", "kilogram", "kilograms", "kilo", "kilos"),
}
_UNIT_OF = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings}
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}
_WORDS = {
    word: str(value)
    for value, word in enumerate(
        (
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        )
    )
}
_NUMBER_WORDS = tuple(_WORDS)
_MONTHS = {
    spelling.casefold(): index + 1 for index, month in enumerate(MONTHS) for spelling in (month, month[:3])
} | {"sept": 9}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_NUMERIC = re.compile(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\b\.?,?(?:\s+(\d{{4}}))?\b")
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?")
_TIME = re.compile(r"\b(\d{1,2})(?:[:.h](\d{2}))?(?::\d{2})?\s*([ap])\.?m\b\.?|\b(\d{1,2})[:h](\d{2})\b")
_ID = re.compile(r"\b(?=[\w-]*[a-z])(?=[\w-]*\d)[a-z][\w-]*\b")
_SPELLED = sorted(_UNIT_OF, key=len, reverse=True)
_NUMBER = re.compile(
    r"(?<![\w.,])([-+]?)[^\w\s.,]?"
    r"((?:\d{1,3}(?:[,  '’]\d{3})+(?!\d)|\d{1,40})(?:\.\d{1,40})?|\.\d{1,40})"
    rf"(?:\s*({'|'.join(_SCALES)})\b)?(?:[\s-]*({'|'.join(map(re.escape, _SPELLED))})(?!\w))?"
)
_COMMA_DECIMAL = re.compile(r"(?<![\d,.])(\d{1,3}(?:\.\d{3})+|\d{1,12}),(\d{1,2})(?![\d,])")
_CURRENCY = re.compile(r"\b([a-z]{3})(?=\d)")
_INSTANT = re.compile(r"(?<=\d)t(?=\d\d:)")
_WORD_NUMBER = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_HOURS = re.compile(r"\b(\d{1,3})\s*(?:h|hrs?|hours?)\s*(?:and\s*)?(\d{1,2})\s*(?:m|mins?|minutes?)\b")
_WORD = re.compile(r"[^\W_]+")
_YES = frozenset({"yes", "yeah", "yep", "yup", "correct", "true", "indeed", "affirmative"})
_NO = frozenset({"no", "nope", "not", "never", "false", "incorrect", "cannot", "negative"})
_POLAR = re.compile(r"[a-z]+(?:['’]t)?")
_NEGATED = re.compile(r"n['’]t")
_SCALED_OR_HOURS = re.compile(rf"(?:\d|\b(?:{'|'.join(_WORDS)}))\s*[kh]")
# By unit: a number in another unit of its dimension.
_OTHER_UNIT = {
    unit: re.compile(
        rf"(?:\d|{'|'.join(_WORDS)})[\s-]*(?:"
        + "|".join(
            re.escape(spelling)
            for other, spellings in _SPELLINGS.items()
            if other != unit and UNITS[other][0] == UNITS[unit][0]
            for spelling in spellings
        )
        + r")(?!\w)"
    )
    for unit in UNITS
}


class Quantity(NamedTuple):
    """A number with the unit that follows it, or none."""

    value: float
    unit: str = ""

    def readings(self, unit: str) -> tuple[float, ...]:
        """Return what it is in a unit: nothing where the dimensions differ.

        Examples:
            >>> Quantity(2, "h").readings("min"), Quantity(5).readings("km"), Quantity(5, "kg").readings("km")
            ((120.0,), (5,), ())
        """
        if not unit or not self.unit or unit == self.unit:
            return (self.value,)
        dimension, factor, offset = UNITS[self.unit]
        target, scale, shift = UNITS[unit]
        if dimension != target:
            return ()
        return ((self.value * factor + offset - shift) / scale,)


def fold(text: str) -> str:
    """Return the text without case and accents; of a text too long to be an answer only a part."""
    text = text[: 5 * LONGEST]
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    return text.casefold()


@lru_cache(maxsize=256)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the different numbers of a text; those inside dates, times and ids do not count.

    Examples:
        >>> quantities("On 2026-03-09 flight NW110 leaves at 14:05 and costs 1,250.50 for 3.2 km")
        (Quantity(value=1250.5, unit=''), Quantity(value=3.2, unit='km'))
        >>> quantities("about 4.1 million people, two hours")
        (Quantity(value=4100000.0, unit=''), Quantity(value=2.0, unit='h'))
    """
    rest = _CURRENCY.sub(r"\1 ", _INSTANT.sub(" ", fold(text))).replace("−", "-").replace("minus ", "-")
    for pattern in (_ISO, _NUMERIC, _DAY_FIRST, _MONTH_FIRST, _TIME, _ID):
        rest = pattern.sub(" ; ", rest)
    return tuple(dict.fromkeys(_quantities(rest)))


def _quantities(text: str) -> Iterator[Quantity]:
    for match in _HOURS.finditer(text):
        yield Quantity(int(match[1]) * 60.0 + int(match[2]), "min")
    text = _WORD_NUMBER.sub(lambda match: _WORDS[match[1]], text)
    text = _COMMA_DECIMAL.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text)
    for match in _NUMBER.finditer(text):
        sign, digits, scale, unit = match.groups()
        value = float(re.sub(r"[,  '’]", "", digits)) * _SCALES.get(scale, 1.0)
        value = round(value, 6)
        yield Quantity(-value if sign == "-" else value, _UNIT_OF.get(unit, ""))


def may_say(text: str, value: float, unit: str, slack: float) -> bool:
    """Return False where no number of a text is within ``slack`` of a value, by a glance at its digits.

    A number that is not scaled, made of hours or in another unit is written in digits, of which the last
    three of the whole part stand together, or as a word up to twelve.

    Examples:
        >>> [may_say("in 2026 for 1,250.50", value, "", 0.005) for value in (1250.5, 1350)]
        [True, False]
        >>> may_say("seven minutes", 7, "min", 0.005), may_say("two hours", 120, "min", 0.005)
        (True, True)
        >>> may_say("five thousand", 5000, "", 0.005)
        True
    """
    text = fold(text)
    if slack >= 1 or not text.isascii() or "thousand" in text or "illion" in text:
        return True
    if _SCALED_OR_HOURS.search(text) or (unit and _OTHER_UNIT[unit].search(text)):
        return True
    return any(_may_read(text, abs(near)) for near in (value - slack, value, value + slack))


def _may_read(text: str, value: float) -> bool:
    if not 1 <= value < 1e12:
        return True
    whole = int(value)
    return str(whole)[-3:] in text or (whole < len(_NUMBER_WORDS) and _NUMBER_WORDS[whole] in text)


@lru_cache(maxsize=256)
def dates(text: str) -> frozenset[str]:
    """Return every date of a text as ``YYYY-MM-DD``; one without a year counts in 2026 as well.

    Examples:
        >>> sorted(dates("from March 3rd, 2026 to 05/04/2026"))
        ['2026-03-03', '2026-04-05', '2026-05-04']
    """
    text = _INSTANT.sub(" ", fold(text))
    found = [(match[1], match[2], match[3]) for match in _ISO.finditer(text)]
    for match in _NUMERIC.finditer(text):
        found += [(match[3], match[2], match[1]), (match[3], match[1], match[2])]
    found += [(match[3] or "2026", str(_MONTHS[match[2]]), match[1]) for match in _DAY_FIRST.finditer(text)]
    found += [(match[3] or "2026", str(_MONTHS[match[1]]), match[2]) for match in _MONTH_FIRST.finditer(text)]
    return frozenset(day for parts in found if (day := _day(*parts)))


def _day(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


@lru_cache(maxsize=256)
def times(text: str) -> frozenset[str]:
    """Return every time of day of a text as ``HH:MM``.

    Examples:
        >>> sorted(times("9.30 am or 14:05, not 7pm"))
        ['09:30', '14:05', '19:00']
    """
    found = set()
    for hour12, minute12, half, hour, minute in _TIME.findall(_INSTANT.sub(" ", fold(text))):
        hours = int(hour12) % 12 + (12 if half == "p" else 0) if half else int(hour)
        if hours < 24 and int(minute or minute12 or 0) < 60:
            found.add(f"{hours:02}:{int(minute or minute12 or 0):02}")
    return frozenset(found)


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """Return the words of a text between single blanks, blanks at both ends included.

    Examples:
        >>> plain("Café-Bar «Éire»")
        ' cafe bar eire '
    """
    return f" {' '.join(_WORD.findall(fold(text)))} "


def named(text: str, candidates: Iterable[str]) -> set[str]:
    """Return which candidates a text names; one inside a longer one that is named does not count.

    Examples:
        >>> sorted(named("The Blue Stag Hotel", ["Stag", "Blue Stag Hotel", "Heron"]))
        ['Blue Stag Hotel']
    """
    words = plain(text)
    said = set()
    for candidate in sorted(candidates, key=lambda item: (-len(item), item)):
        needle = plain(candidate)
        if needle in words:
            said.add(candidate)
            words = words.replace(needle, " ; ")
    return said


def has_code(text: str, code: str) -> bool:
    """Return whether a text has a code, however blanks and dashes divide it.

    Examples:
        >>> has_code("Call +44 (0123) 45-67.", "+44 0123 4567"), has_code("NW1101", "NW110")
        (True, False)
    """
    parts = "".join(plain(code).split())
    if parts not in "".join(plain(text).split()):
        return False
    spaced = "[^a-z0-9]{0,3}".join(map(re.escape, parts))
    return re.search(rf"(?<!\w){spaced}(?!\w)", fold(text)) is not None


def polarity(text: str) -> bool | None:
    """Return whether the first clear word of a text says yes or no; None where none does.

    Examples:
        >>> polarity("Yes, it is."), polarity("It isn't"), polarity("Perhaps")
        (True, False, None)
    """
    for word in _POLAR.findall(fold(text)):
        if word in _YES:
            return True
        if word in _NO or _NEGATED.search(word):
            return False
    return None


def polarities(text: str) -> set[bool]:
    """Return what a text says anywhere: yes (True), no (False), both or neither.

    Examples:
        >>> sorted(polarities("Is it open, yes or no?"))
        [False, True]
    """
    text = fold(text)
    words = frozenset(_POLAR.findall(text))
    said = set()
    if words & _YES:
        said.add(True)
    if words & _NO or _NEGATED.search(text):
        said.add(False)
    return said
