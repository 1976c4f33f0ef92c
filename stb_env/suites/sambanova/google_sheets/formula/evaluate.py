"""Walks the trees of formulas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

from stb_env.suites.sambanova.google_sheets.formula.functions import FUNCTIONS, apply, power
from stb_env.suites.sambanova.google_sheets.formula.operands import (
    DIV0,
    NAME,
    REF,
    Operand,
    ProblemError,
    Scalar,
    finite,
    flat,
    matrix,
    number,
    order,
    same,
    scalar,
    text,
    truth,
)
from stb_env.suites.sambanova.google_sheets.formula.parser import (
    Call,
    Constant,
    Name,
    Node,
    Operation,
    Reference,
)
from stb_env.suites.sambanova.google_sheets.values import ErrorValue

_TIMES = {
    **dict.fromkeys(("STDEV", "VAR"), 100),
    **dict.fromkeys(("SUMIF", "SUMIFS", "COUNTIF", "COUNTIFS", "AVERAGEIF", "AVERAGEIFS"), 20),
    **dict.fromkeys(("VLOOKUP", "HLOOKUP", "MATCH", "RANK", "LARGE", "SMALL", "MEDIAN"), 20),
}
"""Members of a list that take as long as a value of an area, by function; 4 for the others."""

_BRANCHES = ("IF", "IFERROR", "IFNA", "IFS", "ISERROR", "ARRAYFORMULA")


class Cells(Protocol):
    """Where formulas get values from."""

    def charge(self, members: int) -> None:
        """Take notice of how many values are computed with.

        Raises:
            CrashError: There are too many.
        """
        ...

    def area(self, text: str) -> Operand:
        """Return the values of an area.

        Raises:
            ProblemError: There is no such area.
        """
        ...

    def named(self, name: str) -> Operand | None:
        """Return the values of a named area, or None."""
        ...


def evaluate(node: Node, cells: Cells) -> Scalar:
    """Return the value of a formula; an error where it has none.

    Args:
        node: The formula's tree.
        cells: Where values come from.
    """
    try:
        return scalar(_value(node, cells))
    except ProblemError as problem:
        return ErrorValue(problem.code)


def _value(node: Node, cells: Cells) -> Operand:
    match node:
        case Constant(value):
            return value
        case Reference(area):
            return cells.area(area)
        case Name(name):
            return _named(name, cells)
        case Operation(sign, (operand,)):
            value = number(_value(operand, cells))
            return {"-": -value, "+": value, "%": value / 100}[sign]
        case Operation(sign, (left, right)):
            return _computed(sign, *_charged(cells, 10, _value(left, cells), _value(right, cells)))
        case Call(name, arguments) if name in _BRANCHES:
            return _branched(name, arguments, cells)
        case Call(name, arguments) if name in FUNCTIONS:
            times = _TIMES.get(name, 4)
            return apply(name, _charged(cells, times, *(_value(argument, cells) for argument in arguments)))
    raise ProblemError(NAME)


def _charged(cells: Cells, times: int, *operands: Operand) -> tuple[Operand, ...]:
    """Return operands after saying how many values they are; a text is as many as it is long."""
    for operand in operands:
        if isinstance(operand, list):
            values = flat(operand)
            texts = sum(len(value) for value in values if isinstance(value, str))
            cells.charge(times * len(values) + texts // 2)
        elif isinstance(operand, str):
            cells.charge(len(operand) // 4)
    return operands


def _named(name: str, cells: Cells) -> Operand:
    if name.startswith("#"):
        raise ProblemError(name)
    found = cells.named(name)
    if found is None:
        raise ProblemError(NAME)
    return found


def _branched(name: str, arguments: tuple[Node, ...], cells: Cells) -> Operand:
    match name, arguments:
        case "IF", (test, yes, *no):
            if truth(_value(test, cells)):
                return _value(yes, cells)
            return _value(no[0], cells) if no else False
        case (("IFERROR" | "IFNA"), (first, *instead)):
            try:
                return scalar(_value(first, cells))
            except ProblemError as problem:
                if name == "IFNA" and problem.code != "#N/A":
                    raise
                return _value(instead[0], cells) if instead else None
        case "ISERROR", (first,):
            try:
                scalar(_value(first, cells))
            except ProblemError:
                return True
            return False
        case "IFS", pairs if len(pairs) % 2 == 0:
            for test, value in zip(pairs[::2], pairs[1::2], strict=True):
                if truth(_value(test, cells)):
                    return _value(value, cells)
    raise ProblemError("#N/A")


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _computed(sign: str, left: Operand, right: Operand) -> Operand:
    if isinstance(left, list) or isinstance(right, list):
        return _spread(sign, left, right)
    match sign:
        case "&":
            return text(left) + text(right)
        case "=" | "<>":
            return same(scalar(left), scalar(right)) == (sign == "=")
        case "<" | "<=" | ">" | ">=":
            return _COMPARED[sign](order(scalar(left)), order(scalar(right)))
        case "/":
            if number(right) == 0:
                raise ProblemError(DIV0)
            return finite(number(left) / number(right))
        case "^":
            return power(left, right)
    return finite(_ARITHMETIC[sign](number(left), number(right)))


def _spread(sign: str, left: Operand, right: Operand) -> Operand:
    """Compute cell by cell, a single value with each of an area."""
    a, b = matrix(left), matrix(right)
    rows, columns = max(len(a), len(b)), max(len(a[0]), len(b[0]))
    for side in (a, b):
        if len(flat(side)) != 1 and (len(side), len(side[0])) != (rows, columns):
            raise ProblemError(REF)
    return [
        [
            scalar(_computed(sign, a[row % len(a)][column % len(a[0])], b[row % len(b)][column % len(b[0])]))
            for column in range(columns)
        ]
        for row in range(rows)
    ]
