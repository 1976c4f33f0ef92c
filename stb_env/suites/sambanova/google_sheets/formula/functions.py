"""The functions of formulas."""

from __future__ import annotations

import datetime
import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from stb_env.suites.sambanova.google_sheets.formula.operands import (
    DIV0,
    NA,
    NUM,
    REF,
    VALUE,
    Operand,
    ProblemError,
    Scalar,
    criterion,
    finite,
    flat,
    is_number,
    matrix,
    number,
    numbers,
    order,
    same,
    scalar,
    shape,
    text,
    truth,
)
from stb_env.suites.sambanova.google_sheets.values import MAX_CELL, date_of, serial, shown

Function = Callable[..., Operand]


def total(values: Sequence[float]) -> float:
    """Return a sum; one of integers is an integer."""
    exact = math.fsum(values)
    return sum(values) if all(isinstance(value, int) for value in values) else exact


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise ProblemError(DIV0)
    return math.fsum(values) / len(values)


def _extreme(choose: Callable[..., float]) -> Function:
    return lambda *operands: choose(numbers(operands), default=0)


def _spread(measure: Callable[[Sequence[float]], float], fewest: int) -> Function:
    def spread(*operands: Operand) -> float:
        found = list(numbers(operands))
        if len(found) < fewest:
            raise ProblemError(DIV0)
        return measure(found)

    return spread


def _round(half: Callable[[float], float]) -> Function:
    def rounded(value: Operand, places: Operand = 0) -> float:
        digits = int(number(places))
        if abs(digits) > 15:
            raise ProblemError(NUM)
        size = abs(number(value)) * 10.0**digits
        # The last bits of a product such as 1.005 * 100 must not decide.
        result = math.copysign(half(round(size, 9)) / 10.0**digits, number(value))
        return int(result) if digits <= 0 else round(result, digits)

    return rounded


def _mod(value: Operand, divisor: Operand) -> float:
    by = number(divisor)
    if by == 0:
        raise ProblemError(DIV0)
    return number(value) % by


def power(base: Operand, exponent: Operand) -> float:
    """Return a power."""
    a, b = number(base), number(exponent)
    try:
        found = finite(float(a) ** float(b))
    except ZeroDivisionError as error:
        raise ProblemError(DIV0) from error
    except OverflowError as error:
        raise ProblemError(NUM) from error
    whole = isinstance(a, int) and isinstance(b, int) and found.is_integer() and abs(found) < 2**53
    return int(found) if whole else found


def _root(value: Operand) -> float:
    if number(value) < 0:
        raise ProblemError(NUM)
    return math.sqrt(number(value))


def _selected(pairs: Sequence[Operand]) -> list[int]:
    """Return the positions at which every area meets its condition."""
    if len(pairs) % 2:
        raise ProblemError(NA)
    tests = [(flat(area), criterion(test)) for area, test in zip(pairs[::2], pairs[1::2], strict=True)]
    if len({len(values) for values, _ in tests}) != 1:
        raise ProblemError(VALUE)
    return [at for at in range(len(tests[0][0])) if all(test(values[at]) for values, test in tests)]


def _of(area: Operand, chosen: Sequence[int]) -> list[float]:
    values = flat(area)
    return [value for at in chosen if at < len(values) and is_number(value := values[at])]


def _joined(*parts: Operand) -> str:
    made = "".join(text(value) for part in parts for value in flat(part))
    if len(made) > MAX_CELL:
        raise ProblemError(VALUE)
    return made


def _text_join(separator: Operand, skip: Operand, *parts: Operand) -> str:
    texts = [text(value) for part in parts for value in flat(part)]
    kept = [part for part in texts if part or not truth(skip)]
    return _joined(text(separator).join(kept))


def _look_up(wanted: Operand, area: Operand, column: Operand, ordered: Operand = True) -> Scalar:
    rows, at = matrix(area), int(number(column)) - 1
    if at < 0 or at >= shape(area)[1]:
        raise ProblemError(REF)
    return rows[_position(scalar(wanted), [row[0] for row in rows], truth(ordered))][at]


def _position(wanted: Scalar, values: Sequence[Scalar], ordered: bool) -> int:
    """Return where a value is; in ordered values where the last one is that is not greater."""
    found = [
        at
        for at, value in enumerate(values)
        if value is not None and (order(value) <= order(wanted) if ordered else same(value, wanted))
    ]
    if not found:
        raise ProblemError(NA)
    return found[-1] if ordered else found[0]


def _match(wanted: Operand, area: Operand, kind: Operand = 1) -> int:
    return 1 + _position(scalar(wanted), flat(area), number(kind) > 0)


def _index(area: Operand, row: Operand = 0, column: Operand = 0) -> Operand:
    rows, (height, width) = matrix(area), shape(area)
    down, across = int(number(row)), int(number(column))
    if height == 1 and not across:
        down, across = 1, down
    if not 0 <= down <= height or not 0 <= across <= width:
        raise ProblemError(NUM)
    picked = rows[down - 1 : down] if down else rows
    return [line[across - 1 : across] if across else line for line in picked]


def _sum_product(*areas: Operand) -> float:
    if len({shape(area) for area in areas}) != 1:
        raise ProblemError(VALUE)
    columns = [[value if isinstance(value, int | float) else 0 for value in flat(area)] for area in areas]
    return total([math.prod(values) for values in zip(*columns, strict=True)])


def _nth(reverse: bool) -> Function:
    def nth(area: Operand, rank: Operand) -> float:
        found, at = sorted(numbers([area]), reverse=reverse), int(number(rank))
        if not 1 <= at <= len(found):
            raise ProblemError(NUM)
        return found[at - 1]

    return nth


def _rank(value: Operand, area: Operand, ascending: Operand = 0) -> int:
    found, wanted = sorted(numbers([area]), reverse=not truth(ascending)), number(value)
    if wanted not in found:
        raise ProblemError(NA)
    return 1 + found.index(wanted)


def _part(value: Operand, start: Operand, length: Operand) -> str:
    first = int(number(start)) - 1
    if first < 0 or number(length) < 0:
        raise ProblemError(VALUE)
    return text(value)[first : first + int(number(length))]


def _find(wanted: Operand, within: Operand, start: Operand = 1) -> int:
    at = text(within).find(text(wanted), max(0, int(number(start)) - 1))
    if at < 0:
        raise ProblemError(VALUE)
    return at + 1


def _replaced(value: Operand, old: Operand, new: Operand) -> str:
    if not text(old) or (text(value).count(text(old)) + 1) * (len(text(new)) + 1) > MAX_CELL * 2:
        return text(value)
    return text(value).replace(text(old), text(new))


def _calendar(part: str) -> Function:
    def of(value: Operand) -> int:
        date = date_of(number(value))
        if date is None:
            raise ProblemError(NUM)
        return int(getattr(date, part))

    return of


def _date(year: Operand, month: Operand, day: Operand) -> int:
    months = int(number(year)) * 12 + int(number(month)) - 1
    try:
        first = datetime.date(months // 12, months % 12 + 1, 1)
        return serial(first + datetime.timedelta(days=int(number(day)) - 1))
    except (ValueError, OverflowError) as error:
        raise ProblemError(NUM) from error


def _text_of(value: Operand, pattern: Operand) -> str:
    kind = "DATE" if any(letter in text(pattern).lower() for letter in "ymd") else "NUMBER"
    return shown(scalar(value), {"type": kind, "pattern": text(pattern)})


FUNCTIONS: Mapping[str, Function] = {
    "SUM": lambda *operands: total(list(numbers(operands))),
    "AVERAGE": _spread(_mean, 1),
    "MIN": _extreme(min),
    "MAX": _extreme(max),
    "COUNT": lambda *areas: sum(is_number(value) for area in areas for value in flat(area)),
    "COUNTA": lambda *areas: sum(value is not None for area in areas for value in flat(area)),
    "COUNTBLANK": lambda area: sum(value in (None, "") for value in flat(area)),
    "COUNTUNIQUE": lambda *areas: len(
        {order(value) for area in areas for value in flat(area) if value is not None}
    ),
    "PRODUCT": lambda *operands: finite(math.prod(numbers(operands))),
    "MEDIAN": _spread(statistics.median, 1),
    "STDEV": _spread(statistics.stdev, 2),
    "VAR": _spread(statistics.variance, 2),
    "LARGE": _nth(True),
    "SMALL": _nth(False),
    "RANK": _rank,
    "ROUND": _round(lambda size: math.floor(size + 0.5)),
    "ROUNDUP": _round(math.ceil),
    "ROUNDDOWN": _round(math.floor),
    "INT": lambda value: math.floor(number(value)),
    "ABS": lambda value: abs(number(value)),
    "MOD": _mod,
    "POWER": power,
    "SQRT": _root,
    "AND": lambda *operands: all(truth(value) for area in operands for value in flat(area)),
    "OR": lambda *operands: any(truth(value) for area in operands for value in flat(area)),
    "NOT": lambda value: not truth(value),
    "SUMIF": lambda area, test, of=None: total(_of(area if of is None else of, _selected([area, test]))),
    "SUMIFS": lambda of, *pairs: total(_of(of, _selected(pairs))),
    "COUNTIF": lambda area, test: len(_selected([area, test])),
    "COUNTIFS": lambda *pairs: len(_selected(pairs)),
    "AVERAGEIF": lambda area, test, of=None: _mean(_of(area if of is None else of, _selected([area, test]))),
    "AVERAGEIFS": lambda of, *pairs: _mean(_of(of, _selected(pairs))),
    "MAXIFS": lambda of, *pairs: max(_of(of, _selected(pairs)), default=0),
    "MINIFS": lambda of, *pairs: min(_of(of, _selected(pairs)), default=0),
    "SUMPRODUCT": _sum_product,
    "CONCATENATE": _joined,
    "CONCAT": _joined,
    "JOIN": lambda separator, *parts: _text_join(separator, False, *parts),
    "TEXTJOIN": _text_join,
    "LEN": lambda value: len(text(value)),
    "LEFT": lambda value, length=1: _part(value, 1, length),
    "RIGHT": lambda value, length=1: text(value)[max(0, len(text(value)) - int(number(length))) :],
    "MID": _part,
    "UPPER": lambda value: text(value).upper(),
    "LOWER": lambda value: text(value).lower(),
    "PROPER": lambda value: text(value).title(),
    "TRIM": lambda value: " ".join(text(value).split()),
    "SUBSTITUTE": _replaced,
    "FIND": _find,
    "VALUE": lambda value: number(value),
    "TEXT": _text_of,
    "VLOOKUP": _look_up,
    "MATCH": _match,
    "INDEX": _index,
    "ISBLANK": lambda value: flat(value)[0] is None,
    "ISNUMBER": lambda value: is_number(scalar(value)),
    "ISTEXT": lambda value: isinstance(scalar(value), str),
    "YEAR": _calendar("year"),
    "MONTH": _calendar("month"),
    "DAY": _calendar("day"),
    "DATE": _date,
}
"""Functions by name; those that do not evaluate all their arguments are the evaluator's own."""


def apply(name: str, operands: Sequence[object]) -> Operand:
    """Return what a function gives.

    Examples:
        >>> apply("SUM", [[[1, "a"], [2, None]]]), apply("ROUND", [2.345, 2])
        (3, 2.35)
    """
    try:
        return FUNCTIONS[name](*operands)
    except (TypeError, IndexError) as error:
        # The wrong number of arguments, or an area without cells.
        raise ProblemError(NA) from error
    except (ValueError, OverflowError) as error:
        raise ProblemError(NUM) from error
