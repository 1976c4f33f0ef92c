"""Numbers that follow from others: rounded, reckoned in so many words, or in another unit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from stb_env.judges.terms import numbers

_RECKONS = re.compile(
    r"\b(?:totals?|sum|altogether|together|combined|overall|difference|averages?|mean|median|gap|apart|"
    r"(?:more|less|fewer|higher|lower|longer|shorter|cheaper|dearer|older|younger|greater|smaller|further|"
    r"closer|faster|slower|ahead|behind|up|down|rose|fell|grew|dropped|increase[ds]?|decrease[ds]?|gained|"
    r"lost)\b[^.;]{0,40}\b(?:by|than|of|from)|double|twice|half|times|per|percent|equals?|"
    r"adds? up|plus|minus)\b|[%=≈+×÷]",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:totals?|sum|together|altogether|combined|difference|differ|averages?|add up|how (?:much|many) "
    r"(?:more|less|fewer))\b",
    re.IGNORECASE,
)
_UNITS = re.compile(
    r"(?:°\s?[CF]|\b(?:k?m|cm|mm|km/h|mph|mi|miles?|ft|feet|foot|inch(?:es)?|in|yards?|yd|kg|g|mg|lbs?|pounds?|oz|"
    r"ounces?|stones?|litres?|liters?|l|ml|gallons?|gal|celsius|fahrenheit|kelvin|degrees|seconds?|secs?|s|minutes?|mins?|"
    r"hours?|hrs?|h|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|kilobytes?|megabytes?|gigabytes?|kj|kcal|"
    r"calories|joules?|knots|met(?:er|re)s?|kilomet(?:er|re)s?|kilograms?|grams?|hectares?|acres?|percent|cents?)\b"
    r"|%)",
    re.IGNORECASE,
)
_MAGNITUDE = re.compile(r"\s?(thousand|million|billion|bn|k|m)\b", re.IGNORECASE)
_MAGNITUDES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_FACTORS = (
    1.609344, 0.3048, 2.54, 25.4, 0.9144, 0.45359237, 2.20462, 28.349523, 6.35029, 3.785412, 4.184,
    3.6, 1.852, 0.514444, 0.404686, 60.0, 3600.0, 86400.0, 24.0, 7.0, 12.0, 10.0, 100.0, 1e3, 1e6, 1e9,
    1024.0, 1048576.0,
)  # fmt: skip
_MOST = 12
"""Of more numbers than that nearly any other is a sum or a difference."""


def rounds(value: float, said: str) -> bool:
    """Return whether a number is a value with fewer places, or cut off.

    Examples:
        >>> rounds(94.28, "94.3"), rounds(1964568, "1964568"), rounds(1964568, "1960000"), rounds(94.28, "95")
        (True, True, True, False)
    """
    places = len(said.partition(".")[2])
    target = float(said)
    zeros = 0 if places else len(said) - len(said.rstrip("0"))
    return (
        round(value, places) == target
        or (zeros > 1 and abs(value) >= 100 and round(value, -zeros) == target)
        or (not places and abs(value) >= 100 and int(value) == target)
    )


def magnified(value: float, said: str, after: str) -> bool:
    """Return whether a number and the word behind it are a large value in short.

    Examples:
        >>> magnified(1964568, "1.96", " million views"), magnified(1964568, "1.96", " views")
        (True, False)
    """
    word = _MAGNITUDE.match(after)
    if word is None:
        return False
    return rounds(value / _MAGNITUDES[word[1].lower()], said)


def follows(
    said: str, sentence: str, after: str, beside: Iterable[float], values: Collection[float], query: str = ""
) -> bool:
    """Return whether a number follows from others as its sentence says or the query asks.

    Args:
        said: The number.
        sentence: The sentence around it.
        after: What stands behind it, its unit first.
        beside: The other numbers of the sentence.
        values: All numbers that are known.
        query: What was asked; "what do 3 of them cost" asks for three times something.

    Examples:
        >>> follows("27.6", "44.43 km, that is 27.6 miles", " miles", [44.43], [])
        True
        >>> follows("5", "Both cost 5 in total", " in total", [], [2.0, 3.0])
        True
        >>> follows("5", "It costs 5", "", [], [2.0, 3.0])
        False
        >>> follows("7.5", "They cost 7.5", "", [], [2.5, 4.0], query="What do 3 of them cost?")
        True
    """
    if _UNITS.match(after.lstrip()) and any(_converts(value, said) for value in beside):
        return True
    multiples = [float(number) for number in numbers(query)]
    if any(_multiplies(said, value, multiple) for value in values for multiple in multiples):
        return True
    if _RECKONS.search(sentence) is None and _ASKS.search(query) is None:
        return False
    known = sorted({*beside, *values})
    if len(known) > _MOST:
        known = sorted(set(beside))
    return _is(said, sum(beside)) or any(_reckons(said, one, other) for one in known for other in known)


def _converts(value: float, said: str) -> bool:
    if _is(said, value * 1.8 + 32) or _is(said, (value - 32) / 1.8) or _is(said, value - 273.15):
        return True
    return any(_is(said, value * factor) or _is(said, value / factor) for factor in _FACTORS)


def _multiplies(said: str, value: float, multiple: float) -> bool:
    # Prices are often in cents.
    return abs(value) > 1 < multiple and any(_is(said, value * multiple / unit) for unit in (1, 100))


def _reckons(said: str, one: float, other: float) -> bool:
    # With 1 or 0 nearly everything follows from its neighbour.
    if abs(other) <= 1 or abs(one) <= 1:
        return False
    results = (one + other, one - other, (one + other) / 2, one / other, one / other * 100, one * other)
    return any(_is(said, result) for result in results)


def _is(said: str, result: float) -> bool:
    places = len(said.partition(".")[2])
    return abs(abs(result) - abs(float(said))) < 0.51 * 10.0**-places
