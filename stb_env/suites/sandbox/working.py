"""Which numbers of an answer are the working of its value: what is added, multiplied or rounded to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from stb_env.reading.numerals import Number

_MOST = 8
"""Numbers that a sum may have."""
_MANY = 100
"""A whole value from which on a rounded half is told apart from another value."""


def steps(found: Sequence[Number], value: float, slack: float) -> frozenset[int]:
    """Return where the numbers start that yield a value.

    Two numbers that yield it are its working, and so are three or more that add up to it, one behind the
    other. A value rounded to a whole one may be told before that, too; what yields it then is the working.

    Args:
        found: The numbers of an answer.
        value: The value.
        slack: Greatest allowed difference.

    Examples:
        >>> from stb_env.reading.numerals import numbers
        >>> sorted(steps(numbers("54 % of 7125 is 3847.5, so about 3848, not 17"), 3848, 0.005))
        [8, 16]
        >>> sorted(steps(numbers("1.2, 2.6 and 2.5 km add up to 6.3 km"), 6.3, 0.005))
        [0, 5, 13]
    """
    others = {
        one for number in found if (one := number.quantity.value) not in (0, 1) and abs(one - value) > slack
    }
    shares = {number.quantity.value for number in found if number.quantity.unit == "%"}

    def yields(one: float, wanted: float) -> bool:
        if not one:
            return False
        reckoned = (step for other in others - {one, wanted} for step in _combined(one, other))
        if any(abs(step - wanted) <= slack for step in reckoned):
            return True
        return any(abs(one * share / 100 - wanted) <= slack for share in shares)

    rounded = value >= _MANY and value == int(value)
    exact = {one for one in others if rounded and abs(one - value) <= 0.5}
    exact = {one for one in exact if any(yields(other, one) for other in others - {one})}
    wanted = (value, *exact)
    worked = {one for one in others if one in exact or any(yields(one, goal) for goal in wanted)}
    starts = {number.start for number in found if number.quantity.value in worked}
    return frozenset(starts.union(_summed(found, value, slack)))


def _combined(one: float, other: float) -> tuple[float, ...]:
    return (one + other, abs(one - other), one * other, one / other, other / one)


def _summed(found: Sequence[Number], value: float, slack: float) -> Iterator[int]:
    """Yield where three numbers or more start that add up to a value."""
    sums = list(accumulate((number.quantity.value for number in found), initial=0.0))
    for first, before in enumerate(sums):
        for last in range(first + 3, min(first + _MOST, len(sums) - 1) + 1):
            if abs(sums[last] - before - value) <= slack:
                yield from (number.start for number in found[first:last])


def restates(found: Number, value: float, readings: Iterable[float]) -> bool:
    """Return whether a number is a value once more: with fewer figures, or in a unit of a thousand.

    Examples:
        >>> from stb_env.reading.numerals import numbers
        >>> (shorter,) = numbers("about 1.04 billion")
        >>> restates(shorter, 1_041_222_000, [shorter.quantity.value])
        True
    """
    figures = found.figures
    if figures < 2:
        return False
    shorter = found.decimals > 0 or value != int(value) or abs(value) >= 1e5
    return any(
        (shorter and abs(float(f"{value:.{figures - 1}e}") - reading) < 1e-9)
        or (found.decimals > 2 and abs(1000 * reading - value) < 1e-9)
        for reading in readings
    )
