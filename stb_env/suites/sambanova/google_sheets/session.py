"""A spreadsheet while a call or a program changes it: each change puts another value in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import overload

from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, Budget
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets import structure
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place, read_area
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.structure import Dimension, Order
from stb_env.suites.sambanova.google_sheets.values import Formula, Plain, entered, raw, shown

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

    def titled(self, title: str) -> Tab:
        """Return the worksheet of a title."""
        return Tab(self, self.book.titled(title).id)

    def copy(self, sheet: Sheet, title: str | None, index: int | None) -> Tab:
        """Add a copy of a worksheet, and return it."""
        copied = replace(sheet, title=title or f"Copy of {sheet.title}")
        self.book, added = self.book.inserted(copied, index)
        return Tab(self, added.id)


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
        """The worksheet as it is now."""
        return self.session.book.sheet(self.sheet_id)

    @sheet.setter
    def sheet(self, sheet: Sheet) -> None:
        self.session.budget.go_through(sheet.size)
        self.session.book = self.session.book.with_sheet(sheet)

    @property
    def index(self) -> int:
        """Its position in the spreadsheet, from 0."""
        return [sheet.id for sheet in self.session.book.sheets].index(self.sheet.id)

    def named(self, area: str) -> str:
        """Return an area with the worksheet's title before it."""
        return f"{self.sheet.title}!{area}"

    def area(self, name: str) -> Closed:
        """Return an area of the grid; a name of a named area is understood."""
        sheet = self.sheet
        named = self.session.book.names.get(name) if isinstance(name, str) else None
        area = named[1] if named else read_area(name).within(sheet.rows, sheet.columns)
        if area.bottom > sheet.rows or area.right > sheet.columns:
            raise CrashError(
                f"the area {name!r} exceeds the grid of {sheet.rows} rows and {sheet.columns} columns"
            )
        return area

    def area_or_grid(self, name: str | None) -> Closed:
        """Return an area of the grid; the whole grid where none is named."""
        return self.area(name) if name else Closed(1, 1, self.sheet.rows, self.sheet.columns)

    def used(self, area: Closed) -> Closed:
        """Return an area with each end that is the grid's drawn back to the last content."""
        sheet = self.sheet
        bottom, right = sheet.extent
        return area._replace(
            bottom=min(sheet.rows, max(area.top, bottom)) if area.bottom == sheet.rows else area.bottom,
            right=min(sheet.columns, max(area.left, right)) if area.right == sheet.columns else area.right,
        )

    def places(self, area: Closed) -> list[Place]:
        """Return the cells of an area, each of which is going to be read or written."""
        height, width = area.shape
        if height * width > MAX_ITEMS:
            raise CrashError(f"an area of {height * width} cells is too large; at most {MAX_ITEMS} at once")
        self.session.budget.go_through(_A_CELL * max(0, height * width))
        return area.places()

    def changing(self, parts: int = 1) -> Sheet:
        """Return the worksheet before its lines or areas change, where all its formulas are read again.

        Args:
            parts: How many times its cells are gone through.
        """
        formulas = sum(
            len(content.text)
            for sheet in self.session.book.sheets
            for content in sheet.cells.values()
            if isinstance(content, Formula)
        )
        self.session.budget.go_through(formulas + 4 * parts * self.sheet.size)
        return self.sheet

    def insert_lines(self, dimension: Dimension, at: int, count: int) -> None:
        """Insert empty rows or columns before one."""
        self.session.book = structure.insert_lines(self.session.book, self.changing(), dimension, at, count)

    def delete_lines(self, dimension: Dimension, first: int, last: int) -> None:
        """Delete rows or columns."""
        self.session.book = structure.delete_lines(self.session.book, self.changing(), dimension, first, last)

    def sort(self, area: Closed, specs: Sequence[tuple[int, Order]]) -> None:
        """Sort the rows of an area."""
        self.sheet = structure.sort_area(self.session.book, self.changing(1 + len(specs)), area, specs)

    def merge(self, area: Closed, kind: str) -> None:
        """Merge the cells of an area."""
        parts = structure.merged_parts(area, kind)
        self.sheet = structure.merge(self.changing(len(parts)), area, parts)

    def grow(self, rows: int) -> None:
        """Give the grid so many rows at least."""
        if rows > self.sheet.rows:
            self.sheet = self.sheet.resized(rows, self.sheet.columns)

    def value(self, place: Place) -> Scalar:
        """Return the value of a cell."""
        return self.session.results.value(self.sheet, place)

    @overload
    def text(self, place: Place, rendering: None = None) -> str: ...

    @overload
    def text(self, place: Place, rendering: str | None) -> Plain: ...

    def text(self, place: Place, rendering: str | None = None) -> Plain:
        """Return a cell as it is shown, or as another rendering asks."""
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

    def texts(self, area: Closed, rendering: str | None = None) -> list[list[Plain]]:
        """Return the cells of an area, without empty rows at the end and empty cells at the ends of rows."""
        bottom, right = self.sheet.extent
        self._go_through(area._replace(bottom=min(area.bottom, bottom), right=min(area.right, right)))
        rows = [
            [self.text((row, column), rendering) for column in range(area.left, min(area.right, right) + 1)]
            for row in range(area.top, min(area.bottom, bottom) + 1)
        ]
        rows = [stripped(row) for row in rows]
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
        return self.session.results.rows(self.sheet, 1, 1, bottom, right)

    def enter(self, contents: Mapping[Place, object], *, user: bool) -> None:
        """Write values.

        Args:
            contents: Values by place.
            user: Whether they are read as what a user types.
        """
        if not user:
            self.sheet = self.sheet.write({place: raw(value) for place, value in contents.items()})
            return
        read = {place: entered(value) for place, value in contents.items()}
        formats = {
            place: {"numberFormat": each.number_format}
            for place, each in read.items()
            if each.number_format and "numberFormat" not in self.sheet.formats.get(place, {})
        }
        self.sheet = self.sheet.write({place: each.content for place, each in read.items()}).style(formats)

    def clear(self, area: Closed) -> None:
        """Remove the values of an area."""
        self.enter({place: None for place in self.sheet.cells if area.has(place)}, user=False)

    def write_rows(self, area: Area | Closed, rows: Sequence[Sequence[object]], *, user: bool) -> Closed:
        """Write rows of values from the upper left of an area on; None leaves a cell as it is.

        Args:
            area: Where to write; an area of one cell may be exceeded.
            rows: The values.
            user: Whether they are read as what a user types.
        """
        height, width = len(rows), max((len(row) for row in rows), default=0)
        if (area.bottom, area.right) != (area.top, area.left):
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


def is_user_entered(option: object, raw_values: object = True) -> bool:
    """Return whether values are read as what a user types.

    Args:
        option: gspread's ``value_input_option``, which counts where it is given.
        raw_values: gspread's ``raw``.
    """
    if option is None:
        return not raw_values
    if option not in ("RAW", "USER_ENTERED"):
        raise CrashError(f"value_input_option is RAW or USER_ENTERED, got {option!r}")
    return bool(option == "USER_ENTERED")


def grid_rows(values: object, what: str = "values") -> list[list[object]]:
    """Return rows of values that a program gives."""
    if not isinstance(values, list | tuple) or not all(isinstance(row, list | tuple) for row in values):
        raise CrashError(f"{what} must be a list of rows, each a list, got {str(values)[:60]}")
    return [list(row) for row in values]


def whole_number(number: object, what: str) -> int:
    """Return a number from 1 that a program gives.

    Args:
        number: The number.
        what: Begins the message where it is none, such as ``a row is``.
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise CrashError(f"{what} a number from 1, got {str(number)[:40]}")
    return number


def stripped(texts: list[Plain]) -> list[Plain]:
    """Return texts without empty ones at the end."""
    while texts and texts[-1] == "":
        texts.pop()
    return texts
