"""Numbers in a text: digits however they are grouped, words, and the units that follow them.

Pure readers of text that `fold` has made plain. Numbers inside dates, times and ids do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from stb_env.reading.fold import fold
from stb_env.reading.moments import without

# Dimension, factor and offset to the dimension's base unit.
UNITS: Mapping[str, tuple[str, float, float]] = {
    "km": ("length", 1.0, 0.0),
    "m": ("length", 0.001, 0.0),
    "cm": ("length", 0.00001, 0.0),
    "mm": ("length", 0.000001, 0.0),
    "mi": ("length", 1.609344, 0.0),
    "nmi": ("length", 1.852, 0.0),
    "ft": ("length", 0.0003048, 0.0),
    "yd": ("length", 0.0009144, 0.0),
    "in": ("length", 0.0000254, 0.0),
    "c": ("temperature", 1.0, 0.0),
    "f": ("temperature", 5 / 9, -160 / 9),
    "s": ("duration", 1 / 60, 0.0),
    "min": ("duration", 1.0, 0.0),
    "h": ("duration", 60.0, 0.0),
    "mg": ("mass", 0.001, 0.0),
    "g": ("mass", 1.0, 0.0),
    "kg": ("mass", 1000.0, 0.0),
    "t": ("mass", 1_000_000.0, 0.0),
    "oz": ("mass", 28.349523125, 0.0),
    "lb": ("mass", 453.59237, 0.0),
    "kj": ("energy", 1.0, 0.0),
    "mj": ("energy", 1000.0, 0.0),
    "kcal": ("energy", 4.184, 0.0),
    "wh": ("energy", 3.6, 0.0),
    "kwh": ("energy", 3600.0, 0.0),
    "kmh": ("speed", 1.0, 0.0),
    "mph": ("speed", 1.609344, 0.0),
    "ms": ("speed", 3.6, 0.0),
    "ml": ("volume", 0.001, 0.0),
    "l": ("volume", 1.0, 0.0),
    "kb": ("data", 1.0, 0.0),
    "mb": ("data", 1000.0, 0.0),
    "%": ("share", 1.0, 0.0),
}
_SPELLINGS = {
    "km": ("km", "kms", "kilometre", "kilometres", "kilometer", "kilometers"),
    "m": ("m", "metre", "metres", "meter", "meters"),
    "cm": ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
    "mm": ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
    "mi": ("mi", "mile", "miles"),
    "nmi": ("nmi", "nautical mile", "nautical miles"),
    "ft": ("ft", "foot", "feet"),
    "yd": ("yd", "yds", "yard", "yards"),
    "in": ("inch", "inches"),
    "c": (
        "c", "°c", "° c", "celsius", "degrees celsius", "degrees c", "deg c", "degree celsius",
        "° celsius",
    ),
    "f": (
        "f", "°f", "° f", "fahrenheit", "degrees fahrenheit", "degrees f", "deg f", "degree fahrenheit",
        "° fahrenheit",
    ),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "mg": ("mg", "milligram", "milligrams"),
    "g": ("g", "gram", "grams", "gramme", "grammes"),
    "kg": ("kg", "kgs", "kilogram", "kilograms", "kilo", "kilos"),
    "t": ("t", "tonne", "tonnes"),
    "oz": ("oz", "ounce", "ounces"),
    "lb": ("lb", "lbs", "pound", "pounds"),
    "kj": ("kj", "kilojoule", "kilojoules"),
    "mj": ("mj", "megajoule", "megajoules"),
    "kcal": ("kcal", "kilocalorie", "kilocalories"),
    "wh": ("wh", "watt hour", "watt hours", "watt-hour", "watt-hours"),
    "kwh": (
        "kwh", "kilowatt hour", "kilowatt hours", "kilowatt-hour", "kilowatt-hours",
    ),
    "kmh": ("km/h", "kmh", "kph", "kilometres per hour", "kilometers per hour"),
    "mph": ("mph", "miles per hour"),
    "ms": ("m/s", "metres per second", "meters per second"),
    "ml": ("ml", "millilitre", "millilitres", "milliliter", "milliliters"),
    "l": ("l", "litre", "litres", "liter", "liters"),
    "kb": ("kb", "kilobyte", "kilobytes"),
    "mb": ("mb", "megabyte", "megabytes"),
    "%": ("%", "percent", "per cent"),
}  # fmt: skip
UNIT_OF = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings}
"""The unit that each spelling means."""
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mio": 1e6, "billion": 1e9}
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: value for value, word in enumerate((*_DIGITS, *_TEENS))}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_BELOW = rf"(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_DIGITS[1:])})\b)?|{'|'.join((*_TEENS, *_DIGITS))}"
_WORDED = re.compile(
    rf"\b(?:(a|{'|'.join(_DIGITS[1:])})[\s-]hundred\b(?:\s(?:and\s)?({_BELOW})\b)?|({_BELOW})\b)"
)
_DIGIT = re.compile(r"\d")
_ANY_WORD = re.compile("|".join(_VALUES) + "|hundred")

_ID = re.compile(r"\b(?=[\w-]*[a-z])(?=[\w-]*\d)[a-z][\w-]*\b")
_CURRENCY = re.compile(r"\b[a-z]{3}(?=\d)")
_COMMA_DECIMAL = re.compile(r"(?<![\d,.])(\d{1,3}(?:\.\d{3})+|\d{1,12}),(\d{1,2})(?![\d,])")
_HOURS = re.compile(
    r"\b(\d{1,3})\s?(?:h|hrs?|hours?)\b,?\s?(?:and\s)?(\d{1,2})\s?(?:m|mins?|minutes?)\b|"
    r"\b(\d{1,2})h(\d{2})m\b"
)
_MINUTES = re.compile(
    r"\b(\d{1,4})\s?(?:m|mins?|minutes?)\b,?\s?(?:and\s)?(\d{1,2})\s?(?:s|secs?|seconds?)\b"
)
_LASTING = re.compile(r"\d\s?[hm]")
_UNIT = "|".join(map(re.escape, sorted(UNIT_OF, key=len, reverse=True)))
_NUMBER = re.compile(
    r"(?<![\w.,])([-+]?)[^\w\s.,]?"
    r"((?:\d{1,3}(?:[,  '’]\d{3})+(?!\d)|\d{1,40})(?:\.\d{1,40})?|\.\d{1,40})"
    rf"(?:\s?({'|'.join(_SCALES)})\b)?(?:[\s-]?({_UNIT})(?!\w))?"
)
_GROUPING = re.compile(r"[,  '’]")
_LISTED = re.compile(r"(?:^|\n)\s{0,8}(\d{1,2})[.)](?=\s)")


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


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        quantity: Its value and unit.
        start: Where it begins.
        end: Where it ends, its unit included.
        decimals: How many decimals it is written with.
        figures: How many of its figures count.
        worded: Whether it is a word; such a one may be a pronoun or an article.
    """

    quantity: Quantity
    start: int
    end: int
    decimals: int = 0
    figures: int = 0
    worded: bool = False


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the different numbers of a text; those inside dates, times and ids do not count.

    Examples:
        >>> quantities("On 2026-03-09 flight NW110 leaves at 14:05 and costs 1,250.50 for 3.2 km")
        (Quantity(value=1250.5, unit=''), Quantity(value=3.2, unit='km'))
        >>> quantities("about 4.1 million people, twenty-three hours")
        (Quantity(value=4100000.0, unit=''), Quantity(value=23.0, unit='h'))
    """
    return tuple(dict.fromkeys(number.quantity for number in numbers(fold(text))))


@lru_cache(maxsize=256)
def numbers(folded: str) -> tuple[Number, ...]:
    """Return every number of a folded text in order; marks of numbered lists do not count."""
    if not (_DIGIT.search(folded) or _WORDED.search(folded)):
        return ()
    text = without(folded).replace("−", "-").replace("minus ", "     -")
    text = _CURRENCY.sub("   ", _LISTED.sub(_blank, text))
    return tuple(_numbers(_ID.sub(_blank, text)))


def _blank(match: re.Match[str]) -> str:
    """Keep the length, so that every place in the text stays where it is."""
    return ";".rjust(len(match[0]))


def _numbers(text: str) -> Iterator[Number]:
    if _LASTING.search(text):
        for match in _HOURS.finditer(text):
            hours, minutes = (match[1] or match[3]), (match[2] or match[4])
            yield Number(Quantity(int(hours) * 60.0 + int(minutes), "min"), match.start(), match.end())
        for match in _MINUTES.finditer(text):
            yield Number(Quantity(int(match[1]) * 60.0 + int(match[2]), "s"), match.start(), match.end())
        text = _MINUTES.sub(_blank, _HOURS.sub(_blank, text))
    worded = set()
    if _ANY_WORD.search(text):
        worded = {match.start() for match in _WORDED.finditer(text)}
        text = _WORDED.sub(lambda match: str(_value(match)).ljust(len(match[0])), text)
    if "," in text:
        text = _COMMA_DECIMAL.sub(
            lambda match: f"{match[1].replace('.', '')}.{match[2]}".ljust(len(match[0])), text
        )
    if worded:
        text = _TIGHT.sub(lambda match: match[1].rjust(len(match[0]) - 1) + " ", text)
    if "half" in text:
        text = _AND_HALF.sub(lambda match: f"{match[1]}.5".rjust(len(match[0])), text)
    for match in _NUMBER.finditer(text):
        sign, digits, scale, unit = match.groups()
        value = round(float(_GROUPING.sub("", digits)) * _SCALES.get(scale, 1.0), 6)
        quantity = Quantity(-value if sign == "-" else value, UNIT_OF.get(unit, ""))
        decimals = len(digits.partition(".")[2])
        start = match.start(2)
        figures = len(_GROUPING.sub("", digits).replace(".", "").strip("0"))
        yield Number(
            quantity, start, match.end(), decimals, figures, bool(worded) and _in(worded, text, start)
        )


_AND_HALF = re.compile(r"(\d{1,6})\s{1,12}and a half\b")
# A number that stood for a word, with the blanks that fill the word's length.
_TIGHT = re.compile(r"(\d+) {2,}(?=\S)")


def _in(worded: set[int], text: str, place: int) -> bool:
    while place and text[place - 1] == " " and place not in worded:
        place -= 1
    return place in worded


def _value(match: re.Match[str]) -> int:
    hundreds, rest, below = match.groups()
    value = 100 * (1 if hundreds == "a" else _VALUES[hundreds]) if hundreds else 0
    return value + sum(_VALUES[word] for word in re.split(r"[\s-]", rest or below or "") if word)
