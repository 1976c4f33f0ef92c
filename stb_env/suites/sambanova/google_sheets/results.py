"""The values of a spreadsheet's cells, formulas evaluated."""

from __future__ import annotations

from collections.abc import Callable

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Place, read_area
from stb_env.suites.sambanova.google_sheets.formula.evaluate import evaluate
from stb_env.suites.sambanova.google_sheets.formula.operands import NAME, REF, Matrix, ProblemError, Scalar
from stb_env.suites.sambanova.google_sheets.formula.parser import parse_formula
from stb_env.suites.sambanova.google_sheets.formula.tokens import FormulaError
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import ErrorValue, Formula

MAX_READ = 200_000
"""Cells that the formulas of one reading may look at."""

_A_CELL, _A_FORMULA = 4, 40
"""Members of a list that take as long as a cell that is read, and as a formula that is begun."""

MAX_CHAIN = 25
"""How many formulas may wait for one another."""


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
        self._book = book
        self._known: dict[tuple[int, Place], Scalar] = {}
        self._extents: dict[int, Place] = {}
        self._charge = charge
        self._left = MAX_READ
        self._depth = 0

    def value(self, sheet: Sheet, place: Place) -> Scalar:
        """Return the value of a cell; None where it is empty.

        Raises:
            CrashError: Its formula looks at too many cells.
        """
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
                self._known[key] = evaluate(parse_formula(content.text), _Cells(self, self._book, sheet))
            except FormulaError:
                self._known[key] = ErrorValue("#ERROR!")
        self._depth -= 1

    def extent(self, sheet: Sheet) -> Place:
        """Return the last row and the last column of a worksheet with a content, looked for once."""
        if sheet.id not in self._extents:
            self._extents[sheet.id] = sheet.extent
        return self._extents[sheet.id]

    def charge(self, members: int) -> None:
        """Say how many members are gone through.

        Raises:
            CrashError: Whoever is told has no steps left for them.
        """
        if self._charge is not None:
            self._charge(members)

    def read(self, count: int) -> None:
        """Count cells that a formula looks at.

        Raises:
            CrashError: There are too many.
        """
        self.charge(_A_CELL * count)
        self._left -= count
        if self._left < 0:
            raise CrashError(f"the formulas look at more than {MAX_READ} cells")


class _Cells:
    """What a formula of one worksheet sees."""

    def __init__(self, results: Results, book: Book, sheet: Sheet) -> None:
        self._results = results
        self._book = book
        self._sheet = sheet

    def charge(self, members: int) -> None:
        self._results.charge(members)

    def area(self, text: str) -> Matrix:
        title, mark, _ = text.rpartition("!")
        try:
            sheet = self._book.titled(title.strip("'")) if mark else self._sheet
            area = read_area(text).within(sheet.rows, sheet.columns)
        except CrashError as error:
            raise ProblemError(REF) from error
        if area.bottom > sheet.rows or area.right > sheet.columns:
            raise ProblemError(REF)
        # Nothing stands below the last row with a content, so long open areas end there.
        last_row, last_column = self._results.extent(sheet)
        bottom = max(area.top, min(area.bottom, last_row))
        right = max(area.left, min(area.right, last_column))
        self._results.read((bottom - area.top + 1) * (right - area.left + 1))
        return [
            [self._results.value(sheet, (row, column)) for column in range(area.left, right + 1)]
            for row in range(area.top, bottom + 1)
        ]

    def named(self, name: str) -> Matrix | None:
        self._results.charge(len(self._book.names))
        for known, (sheet_id, area) in self._book.names.items():
            if known.upper() == name.upper():
                try:
                    title = self._book.sheet(sheet_id).title
                except CrashError as error:
                    raise ProblemError(NAME) from error
                return self.area(f"'{title}'!{area.label}")
        return None
