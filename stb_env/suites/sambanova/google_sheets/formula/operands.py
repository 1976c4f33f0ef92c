"""Operands of formulas: values and areas, read as numbers, texts or truth values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeGuard

from stb_env.suites.sambanova.google_sheets.values import ErrorValue, Plain, entered, general

Scalar = Plain | None
Matrix = list[list[Scalar]]
Operand = Scalar | Matrix

DIV0, NA, NAME, NUM, REF, VALUE = "#DIV/0!", "#N/A", "#NAME?", "#NUM!", "#REF!", "#VALUE!"

_LARGEST = 1e300
_MOST_PATTERN = 100
_CRITERION = re.compile(r"(<>|<=|>=|=|<|>)?(.*)", re.DOTALL)


class ProblemError(Exception):
    """A formula has no value; the code says why, such as ``#DIV/0!``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def scalar(operand: Operand) -> Scalar:
    """Return a single value; of an area its first."""
    value = operand[0][0] if isinstance(operand, list) else operand
    if isinstance(value, ErrorValue):
        raise ProblemError(value)
    return value


def number(operand: Operand) -> float:
    """Return a value as a number; nothing is 0, and texts are read."""
    value = scalar(operand)
    if value is None:
        return 0
    if isinstance(value, str):
        read = entered(value).content
        if not isinstance(read, int | float):
            raise ProblemError(VALUE)
        return read
    return int(value) if isinstance(value, bool) else value


def text(operand: Operand) -> str:
    """Return a value as a text."""
    value = scalar(operand)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else general(value)


def truth(operand: Operand) -> bool:
    """Return whether a value counts as true."""
    value = scalar(operand)
    if isinstance(value, str):
        if value.upper() not in ("TRUE", "FALSE"):
            raise ProblemError(VALUE)
        return value.upper() == "TRUE"
    return bool(value)


def finite(value: float) -> float:
    """Return a number that a cell can hold."""
    if isinstance(value, complex) or value != value or abs(value) > _LARGEST:
        raise ProblemError(NUM)
    return value


def matrix(operand: Operand) -> Matrix:
    """Return an operand as rows of values."""
    return operand if isinstance(operand, list) else [[operand]]


def flat(operand: Operand) -> list[Scalar]:
    """Return all values of an operand, row by row."""
    return [value for row in matrix(operand) for value in row]


def numbers(operands: Iterable[Operand]) -> Iterator[float]:
    """Yield what sums take: the numbers in areas, and whatever is given by itself."""
    for operand in operands:
        if not isinstance(operand, list):
            yield number(operand)
            continue
        for value in flat(operand):
            if isinstance(value, ErrorValue):
                raise ProblemError(value)
            if is_number(value):
                yield value


def order(value: Scalar) -> tuple[int, float | str]:
    """Return what values are ordered by: numbers before texts before truth values."""
    if isinstance(value, bool):
        return 2, float(value)
    if isinstance(value, int | float):
        return 0, value
    return (0, 0.0) if value is None else (1, value.lower())


def same(a: Scalar, b: Scalar) -> bool:
    """Return whether a formula takes two values for equal; the case of letters does not matter."""
    if a is None or b is None:
        other = b if a is None else a
        return other in (None, "", 0) and not isinstance(other, bool)
    return order(a) == order(b)


def criterion(condition: Operand) -> Callable[[Scalar], bool]:
    """Return the test that a condition such as ``">5"`` stands for.

    Examples:
        >>> more = criterion(">5")
        >>> more(7), more("7"), criterion("a*")("Apple"), criterion("<>b")("a")
        (True, False, True, True)
    """
    wanted = scalar(condition)
    if not isinstance(wanted, str):
        return _equal_to(wanted)
    sign, rest = _CRITERION.fullmatch(wanted).groups()  # type: ignore[union-attr] # matches any text
    read = entered(rest).content
    goal = read if isinstance(read, int | float) else rest
    if sign in (None, "=", "<>"):
        equal = _like(goal) if isinstance(goal, str) else _equal_to(goal)
        return (lambda value: not equal(value)) if sign == "<>" else equal
    return lambda value: _ordered(value, sign, goal)


def _equal_to(goal: Scalar) -> Callable[[Scalar], bool]:
    return lambda value: value is not None and same(value, goal)


def _like(pattern: str) -> Callable[[Scalar], bool]:
    if not pattern:
        return lambda value: value in (None, "")
    # Between stars, each part is sought once, from the left: no way back, however many stars there are.
    first, *others = map(_part, pattern[:_MOST_PATTERN].split("*"))
    return lambda value: isinstance(value, str) and _is_like(value, first, others)


def _part(text: str) -> re.Pattern[str]:
    signs = ("." if sign == "?" else re.escape(sign) for sign in text)
    return re.compile("".join(signs), re.IGNORECASE | re.DOTALL)


def _is_like(value: str, first: re.Pattern[str], others: Sequence[re.Pattern[str]]) -> bool:
    if not others:
        return first.fullmatch(value) is not None
    found = first.match(value)
    for part in others[:-1]:
        found = found and part.search(value, found.end())
    if found is None:
        return False
    # The last part stands at the end, and what it matches is as long as it is, or nearly so.
    earliest = max(found.end(), len(value) - _MOST_PATTERN)
    return any(others[-1].fullmatch(value, at) for at in range(earliest, len(value) + 1))


def _ordered(value: Scalar, sign: str, goal: float | str) -> bool:
    if value is None or isinstance(value, bool) or isinstance(value, str) != isinstance(goal, str):
        return False
    a, b = order(value), order(goal)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


def shape(operand: Operand) -> tuple[int, int]:
    """Return the number of rows and columns of an operand."""
    rows: Sequence[Sequence[Scalar]] = matrix(operand)
    return len(rows), len(rows[0]) if rows else 0
