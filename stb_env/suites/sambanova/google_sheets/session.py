"""A spreadsheet while a call or a program changes it: each change puts another value in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from stb_env.jsontypes import JsonArray
from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, Budget
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place, read_area
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import Content, Formula, Plain, entered, raw, shown

FORMATTED, UNFORMATTED, FORMULA = "FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"
_RENDERINGS = (FORMATTED, UNFORMATTED, FORMULA)

_A_CELL = 4
"""Members of a list that take as long as a cell that is read or written."""


class Session:
    """Holds the current state of a spreadsheet.

    Args:
        book: The spreadsheet.
        budget: The steps that are left for all that is done with it.
    """

    def __init__(self, book: Book, budget: Budget | None = None) -> None:
        self.book = book
        self.budget = Budget() if budget is None else budget
        self._results: tuple[Book, Results] | None = None

    @property
    def results(self) -> Results:
        """The values of the current state."""
        if self._results is None or self._results[0] is not self.book:
            self._results = (self.book, Results(self.book, self.budget.go_through))
        return self._results[1]


class Tab:
    """One worksheet of a session.

    Args:
        session: The session.
        sheet_id: The worksheet's id.
    """

    def __init__(self, session: Session, sheet_id: int) -> None:
        self.session = session
        self.sheet_id = sheet_id

    @property
    def sheet(self) -> Sheet:
        """The worksheet as it is now.

        Raises:
            CrashError: It was deleted.
        """
        return self.session.book.sheet(self.sheet_id)

    @sheet.setter
    def sheet(self, sheet: Sheet) -> None:
        self.session.budget.go_through(sheet.size)
        self.session.book = self.session.book.with_sheet(sheet)

    @property
    def index(self) -> int:
        """Its position in the spreadsheet, from 0."""
        return [sheet.id for sheet in self.session.book.sheets].index(self.sheet.id)

    def area(self, name: str) -> Closed:
        """Return an area of the grid; a name of a named area is understood.

        Raises:
            CrashError: There is no such area, or it exceeds the grid.
        """
        sheet = self.sheet
        named = self.session.book.names.get(name) if isinstance(name, str) else None
        area = named[1] if named else read_area(name).within(sheet.rows, sheet.columns)
        if area.bottom > sheet.rows or area.right > sheet.columns:
            raise CrashError(
                f"the area {name!r} exceeds the grid of {sheet.rows} rows and {sheet.columns} columns"
            )
        return area

    def places(self, area: Closed) -> list[Place]:
        """Return the cells of an area, each of which is going to be read or written.

        Raises:
            CrashError: There are too many, or not enough steps left.
        """
        height, width = area.shape
        if height * width > MAX_ITEMS:
            raise CrashError(f"an area of {height * width} cells is too large; at most {MAX_ITEMS} at once")
        self.session.budget.go_through(_A_CELL * max(0, height * width))
        return area.places()

    def changing(self, parts: int = 1) -> Sheet:
        """Return the worksheet before its lines or areas change, where all its formulas are read again.

        Args:
            parts: How many times its cells are gone through.

        Raises:
            CrashError: There are not enough steps left.
        """
        book = self.session.book
        formulas = sum(
            len(content.text)
            for sheet in book.sheets
            for content in sheet.cells.values()
            if isinstance(content, Formula)
        )
        self.session.budget.go_through(formulas + 4 * parts * self.sheet.size)
        return self.sheet

    def value(self, place: Place) -> Scalar:
        """Return the value of a cell."""
        return self.session.results.value(self.sheet, place)

    @overload
    def text(self, place: Place, rendering: None = None) -> str: ...

    @overload
    def text(self, place: Place, rendering: str | None) -> Plain: ...

    def text(self, place: Place, rendering: str | None = None) -> Plain:
        """Return a cell as it is shown, or as another rendering asks.

        Raises:
            CrashError: There is no such rendering.
        """
        rendering = rendering or FORMATTED
        if rendering not in _RENDERINGS:
            raise CrashError(f"value_render_option is one of {', '.join(_RENDERINGS)}, got {rendering!r}")
        content = self.sheet.cells.get(place)
        if rendering == FORMULA and isinstance(content, Formula):
            return content.text
        value = self.value(place)
        if rendering != FORMATTED:
            return "" if value is None else value
        return shown(value, self.sheet.formats.get(place, {}).get("numberFormat"))

    def texts(self, area: Closed, rendering: str | None = None) -> list[JsonArray]:
        """Return the cells of an area, without empty rows at the end and empty cells at the ends of rows."""
        bottom, right = self.sheet.extent
        self._go_through(area._replace(bottom=min(area.bottom, bottom), right=min(area.right, right)))
        rows = [
            [self.text((row, column), rendering) for column in range(area.left, min(area.right, right) + 1)]
            for row in range(area.top, min(area.bottom, bottom) + 1)
        ]
        for row in rows:
            while row and row[-1] == "":
                row.pop()
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def _go_through(self, area: Closed) -> None:
        height, width = area.shape
        self.session.budget.go_through(_A_CELL * max(0, height) * max(0, width) + self.sheet.size)

    def values(self) -> list[list[Scalar]]:
        """Return the values of all cells up to the last one that is not empty."""
        bottom, right = self.sheet.extent
        self._go_through(Closed(1, 1, bottom, right))
        sheet, results = self.sheet, self.session.results
        return [
            [results.value(sheet, (row, column)) for column in range(1, right + 1)]
            for row in range(1, bottom + 1)
        ]

    def enter(self, contents: Mapping[Place, object], *, user: bool) -> None:
        """Write values.

        Args:
            contents: Values by place.
            user: Whether they are read as what a user types.

        Raises:
            CrashError: One lies beyond the grid, or is nothing that a cell can hold.
        """
        if not user:
            self.sheet = self.sheet.write({place: raw(value) for place, value in contents.items()})
            return
        read = {place: entered(value) for place, value in contents.items()}
        written: dict[Place, Content | None] = {place: each.content for place, each in read.items()}
        formats = {
            place: {"numberFormat": each.number_format}
            for place, each in read.items()
            if each.number_format and "numberFormat" not in self.sheet.formats.get(place, {})
        }
        self.sheet = self.sheet.write(written).style(formats)

    def write_rows(
        self, area: Area | Closed, rows: Sequence[Sequence[object]], *, user: bool, grow: bool = True
    ) -> Closed:
        """Write rows of values from the upper left of an area on; None leaves a cell as it is.

        Args:
            area: Where to write.
            rows: The values.
            user: Whether they are read as what a user types.
            grow: Whether the values may go beyond an area of one cell.

        Raises:
            CrashError: They go beyond the area, or the grid.
        """
        height, width = len(rows), max((len(row) for row in rows), default=0)
        single = grow and area.bottom == area.top and area.right == area.left
        if not single:
            fits = area.bottom is None or height <= area.bottom - area.top + 1
            if not fits or (area.right is not None and width > area.right - area.left + 1):
                raise CrashError(f"{height} rows of {width} values do not fit into the area")
        self.enter(
            {
                (area.top + down, area.left + across): value
                for down, row in enumerate(rows)
                for across, value in enumerate(row)
                if value is not None
            },
            user=user,
        )
        return Closed(area.top, area.left, area.top + max(height, 1) - 1, area.left + max(width, 1) - 1)


def is_user_entered(raw_values: object, option: object) -> bool:
    """Return whether values are read as what a user types.

    Args:
        raw_values: gspread's ``raw``.
        option: gspread's ``value_input_option``, which counts where it is given.

    Raises:
        CrashError: There is no such option.
    """
    if option is None:
        return not raw_values
    if option not in ("RAW", "USER_ENTERED"):
        raise CrashError(f"value_input_option is RAW or USER_ENTERED, got {option!r}")
    return bool(option == "USER_ENTERED")


def grid_rows(values: object, what: str = "values") -> list[JsonArray]:
    """Return rows of values that a program gives.

    Raises:
        CrashError: They are no list of lists.
    """
    if not isinstance(values, list | tuple) or not all(isinstance(row, list | tuple) for row in values):
        raise CrashError(f"{what} must be a list of rows, each a list, got {str(values)[:60]}")
    return [list(row) for row in values]
