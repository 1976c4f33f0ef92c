"""The values of a spreadsheet's cells: formulas are parsed, and their trees evaluated."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Place, read_area
from stb_env.suites.sambanova.google_sheets.formula.functions import FUNCTIONS, apply, power
from stb_env.suites.sambanova.google_sheets.formula.operands import (
    DIV0,
    NA,
    NAME,
    REF,
    Matrix,
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
    FormulaError,
    Name,
    Node,
    Operation,
    Reference,
    parse_formula,
)
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import ErrorValue, Formula

MAX_READ = 200_000
"""Cells that the formulas of one reading may look at."""

_A_CELL, _A_FORMULA = 4, 40
"""Members of a list that take as long as a cell that is read, and as a formula that is begun."""

MAX_CHAIN = 25
"""Longest chain of formulas that wait for one another."""

_TIMES = {
    **dict.fromkeys(("STDEV", "VAR"), 100),
    **dict.fromkeys(("SUMIF", "SUMIFS", "COUNTIF", "COUNTIFS", "AVERAGEIF", "AVERAGEIFS"), 20),
    **dict.fromkeys(("VLOOKUP", "HLOOKUP", "MATCH", "RANK", "LARGE", "SMALL", "MEDIAN"), 20),
}
"""Members of a list that take as long as a value of an area, by function; 4 for the others."""

_BRANCHES = ("IF", "IFERROR", "IFNA", "IFS", "ISERROR", "ARRAYFORMULA")
"""Functions that do not evaluate all of their arguments."""


class Results:
    """Values of one state of a spreadsheet; each formula is evaluated once.

    Args:
        book: The spreadsheet.
        charge: Told how many members are gone through; nobody is if None.

    Examples:
        >>> from stb_env.suites.sambanova.google_sheets.sheet import book_of
        >>> book = book_of([[1, Formula("=A1+1")], [Formula("=A2")]])
        >>> results = Results(book)
        >>> results.value(book.sheets[-1], (1, 2)), results.value(book.sheets[-1], (2, 1))
        (2, '#REF!')
    """

    def __init__(self, book: Book, charge: Callable[[int], None] | None = None) -> None:
        self.book = book
        self.charge = charge or (lambda _members: None)
        self._known: dict[tuple[int, Place], Scalar] = {}
        self._extents: dict[int, Place] = {}
        self._left = MAX_READ
        self._depth = 0

    def value(self, sheet: Sheet, place: Place) -> Scalar:
        """Return the value of a cell; None where it is empty."""
        content = sheet.cells.get(place)
        if not isinstance(content, Formula):
            return content
        if (sheet.id, place) not in self._known:
            if not self._depth:
                # From the top down, long chains of formulas are short steps.
                self.charge(len(sheet.cells))
                for above in sorted(at for at, other in sheet.cells.items() if isinstance(other, Formula)):
                    self._evaluate(sheet, above)
            self._evaluate(sheet, place)
        return self._known[sheet.id, place]

    def rows(self, sheet: Sheet, top: int, left: int, bottom: int, right: int) -> Matrix:
        """Return the values of an area, row by row."""
        return [
            [self.value(sheet, (row, column)) for column in range(left, right + 1)]
            for row in range(top, bottom + 1)
        ]

    def _evaluate(self, sheet: Sheet, place: Place) -> None:
        content, key = sheet.cells[place], (sheet.id, place)
        if key in self._known or not isinstance(content, Formula):
            return
        # A formula that comes back to itself meets this error.
        self._known[key] = ErrorValue(REF)
        self.charge(_A_FORMULA + len(content.text))
        self._depth += 1
        if self._depth <= MAX_CHAIN:
            try:
                self._known[key] = scalar(_Evaluation(self, sheet).value(parse_formula(content.text)))
            except ProblemError as problem:
                self._known[key] = ErrorValue(problem.code)
            except FormulaError:
                self._known[key] = ErrorValue("#ERROR!")
        self._depth -= 1

    def extent(self, sheet: Sheet) -> Place:
        """Return the last row and the last column of a worksheet with a content, looked for once."""
        if sheet.id not in self._extents:
            self._extents[sheet.id] = sheet.extent
        return self._extents[sheet.id]

    def count(self, cells: int) -> None:
        """Count cells that a formula looks at."""
        self.charge(_A_CELL * cells)
        self._left -= cells
        if self._left < 0:
            raise CrashError(f"the formulas look at more than {MAX_READ} cells")


class _Evaluation:
    """Evaluates formulas of one worksheet; each method raises `ProblemError` where there is no value."""

    def __init__(self, results: Results, sheet: Sheet) -> None:
        self._results = results
        self._sheet = sheet

    def value(self, node: Node) -> Operand:
        """Return the value of a tree."""
        match node:
            case Constant(value):
                return value
            case Reference(area):
                return self._area(area)
            case Name(name):
                return self._named(name)
            case Operation(sign, (operand,)):
                value = number(self.value(operand))
                return {"-": -value, "+": value, "%": value / 100}[sign]
            case Operation(sign, (left, right)):
                return _computed(sign, *self._charged(10, self.value(left), self.value(right)))
            case Call(name, arguments) if name in _BRANCHES:
                return self._branched(name, arguments)
            case Call(name, arguments) if name in FUNCTIONS:
                return apply(name, self._charged(_TIMES.get(name, 4), *map(self.value, arguments)))
        raise ProblemError(NAME)

    def _charged(self, times: int, *operands: Operand) -> tuple[Operand, ...]:
        """Return operands after charging for their values; a text counts as many as it is long."""
        for operand in operands:
            if isinstance(operand, list):
                values = flat(operand)
                texts = sum(len(value) for value in values if isinstance(value, str))
                self._results.charge(times * len(values) + texts // 2)
            elif isinstance(operand, str):
                self._results.charge(len(operand) // 4)
        return operands

    def _branched(self, name: str, arguments: tuple[Node, ...]) -> Operand:
        match name, arguments:
            case "IF", (test, yes, *no):
                if truth(self.value(test)):
                    return self.value(yes)
                return self.value(no[0]) if no else False
            case (("IFERROR" | "IFNA"), (first, *instead)):
                try:
                    return scalar(self.value(first))
                except ProblemError as problem:
                    if name == "IFNA" and problem.code != NA:
                        raise
                    return self.value(instead[0]) if instead else None
            case "ISERROR", (first,):
                try:
                    scalar(self.value(first))
                except ProblemError:
                    return True
                return False
            case "IFS", pairs if len(pairs) % 2 == 0:
                for test, value in zip(pairs[::2], pairs[1::2], strict=True):
                    if truth(self.value(test)):
                        return self.value(value)
        raise ProblemError(NA)

    def _area(self, name: str) -> Matrix:
        title, mark, _ = name.rpartition("!")
        try:
            sheet = self._results.book.titled(title.strip("'")) if mark else self._sheet
            area = read_area(name).within(sheet.rows, sheet.columns)
        except CrashError as error:
            raise ProblemError(REF) from error
        if area.bottom > sheet.rows or area.right > sheet.columns:
            raise ProblemError(REF)
        # Nothing stands below the last row with a content, so long open areas end there.
        last_row, last_column = self._results.extent(sheet)
        bottom = max(area.top, min(area.bottom, last_row))
        right = max(area.left, min(area.right, last_column))
        self._results.count((bottom - area.top + 1) * (right - area.left + 1))
        return self._results.rows(sheet, area.top, area.left, bottom, right)

    def _named(self, name: str) -> Matrix:
        """Return the values of a named area; the parser gives errors as names too."""
        if name.startswith("#"):
            raise ProblemError(name)
        book = self._results.book
        self._results.charge(len(book.names))
        for known, (sheet_id, area) in book.names.items():
            if known.upper() == name.upper():
                try:
                    title = book.sheet(sheet_id).title
                except CrashError as error:
                    raise ProblemError(NAME) from error
                return self._area(f"'{title}'!{area.label}")
        raise ProblemError(NAME)


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
