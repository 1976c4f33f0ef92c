"""Worksheets and spreadsheets as immutable values, and their formulas' results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import MAX_COLUMNS, MAX_ROWS, Area, Closed, Place
from stb_env.suites.sambanova.google_sheets.values import Content, Format

T = TypeVar("T")

ROWS, COLUMNS = 1_000, 26
"""Size of a new worksheet."""

MAX_GRID = 300_000
"""Cells in the grid of one worksheet, empty ones counted."""

MAX_CELLS = 20_000
"""Cells with contents or formats in one worksheet."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of a worksheet: settings that change no value.

    Attributes:
        frozen_rows: Rows that stay in sight.
        frozen_columns: Columns that stay in sight.
        filter: The area of the basic filter.
        hidden_rows: Rows that are hidden.
        hidden_columns: Columns that are hidden.
        groups: Groups of rows and columns: dimension, first and last.
        tab_color: Colour of the tab.
        hidden: Whether the worksheet is hidden.
    """

    frozen_rows: int = 0
    frozen_columns: int = 0
    filter: Area | None = None
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    groups: tuple[tuple[str, int, int], ...] = ()
    tab_color: Format | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet.

    Attributes:
        id: Unique in its spreadsheet.
        title: Its title.
        rows: Number of rows.
        columns: Number of columns.
        cells: Contents by place; an empty cell is none of them.
        formats: User-entered formats by place.
        merges: Merged areas.
        notes: Notes by place.
        view: Its view.
        protected: Protected areas by number.
    """

    id: int
    title: str
    rows: int = ROWS
    columns: int = COLUMNS
    cells: Mapping[Place, Content] = field(default_factory=dict)
    formats: Mapping[Place, Format] = field(default_factory=dict)
    merges: tuple[Closed, ...] = ()
    notes: Mapping[Place, str] = field(default_factory=dict)
    view: View = View()
    protected: Mapping[int, Closed] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of contents, formats, notes and areas, for the cost of going through them."""
        others = len(self.merges) + len(self.protected) + len(self.view.groups)
        return len(self.cells) + len(self.formats) + len(self.notes) + others

    @property
    def extent(self) -> tuple[int, int]:
        """Last row and last column with a content; zeros where there is none."""
        if not self.cells:
            return 0, 0
        return max(row for row, _ in self.cells), max(column for _, column in self.cells)

    def write(self, contents: Mapping[Place, Content | None]) -> Sheet:
        """Return the sheet with contents written; None empties a cell."""
        cells = dict(self.cells)
        for place, content in contents.items():
            if not (1 <= place[0] <= self.rows and 1 <= place[1] <= self.columns):
                raise CrashError(
                    f"row {place[0]}, column {place[1]} exceeds the grid of {self.rows} rows and "
                    f"{self.columns} columns"
                )
            if content is None:
                cells.pop(place, None)
            else:
                cells[place] = content
        return replace(self, cells=_bounded(cells))

    def style(self, formats: Mapping[Place, Format]) -> Sheet:
        """Return the sheet with formats set; each key that is given replaces that key as a whole."""
        merged = dict(self.formats)
        for place, given in formats.items():
            merged[place] = {**merged.get(place, {}), **given}
        return replace(self, formats=_bounded(merged))

    def resized(self, rows: int, columns: int) -> Sheet:
        """Return the sheet in another size; what lies beyond is lost."""
        if not (1 <= rows <= MAX_ROWS and 1 <= columns <= MAX_COLUMNS):
            raise CrashError(f"a sheet has 1 to {MAX_ROWS} rows and 1 to {MAX_COLUMNS} columns")
        if rows * columns > MAX_GRID:
            raise CrashError(
                f"{rows} rows and {columns} columns are more than {MAX_GRID} cells; make the sheet smaller"
            )
        kept = self.mapped(lambda place: place if place[0] <= rows and place[1] <= columns else None)
        return replace(kept, rows=rows, columns=columns)

    def mapped(self, move: Callable[[Place], Place | None]) -> Sheet:
        """Return the sheet with everything that belongs to a cell moved; None drops it."""

        def moved(table: Mapping[Place, T]) -> dict[Place, T]:
            pairs = ((move(place), value) for place, value in table.items())
            return {place: value for place, value in pairs if place is not None}

        return replace(self, cells=moved(self.cells), formats=moved(self.formats), notes=moved(self.notes))


def _bounded(table: dict[Place, T]) -> dict[Place, T]:
    if len(table) > MAX_CELLS:
        raise CrashError(f"a worksheet holds at most {MAX_CELLS} cells here")
    return table


@dataclass(frozen=True, slots=True)
class Book:
    """A spreadsheet: the state of an episode.

    Attributes:
        sheets: Worksheets in order.
        names: Named areas: the sheet's id, and the area.
        title: Its title.
        next_id: The next worksheet's id.
    """

    sheets: tuple[Sheet, ...]
    names: Mapping[str, tuple[int, Closed]] = field(default_factory=dict)
    title: str = "Tasks"
    next_id: int = 100

    def sheet(self, sheet_id: int) -> Sheet:
        """Return the worksheet of an id."""
        for sheet in self.sheets:
            if sheet.id == sheet_id:
                return sheet
        raise CrashError(f"the spreadsheet has no worksheet with the id {sheet_id}")

    def titled(self, title: str) -> Sheet:
        """Return the worksheet of a title."""
        for sheet in self.sheets:
            if sheet.title == title:
                return sheet
        near = did_you_mean(str(title), [sheet.title for sheet in self.sheets])
        raise CrashError(f"WorksheetNotFound: there is no worksheet {str(title)[:60]!r}.{near}")

    def with_sheet(self, sheet: Sheet) -> Book:
        """Return the spreadsheet with a worksheet in place of the one of the same id."""
        return replace(self, sheets=tuple(sheet if other.id == sheet.id else other for other in self.sheets))

    def added(self, title: str, rows: int, columns: int, index: int | None = None) -> tuple[Book, Sheet]:
        """Return the spreadsheet with a new worksheet, and that."""
        return self.inserted(Sheet(self.next_id, title).resized(rows, columns), index)

    def inserted(self, sheet: Sheet, index: int | None = None) -> tuple[Book, Sheet]:
        """Return the spreadsheet with a worksheet under a new id, and that."""
        if not isinstance(sheet.title, str) or not sheet.title or len(sheet.title) > 100:
            raise CrashError("a worksheet's title is a text of 1 to 100 characters")
        if any(other.title.lower() == sheet.title.lower() for other in self.sheets):
            raise CrashError(f"there is a worksheet {sheet.title!r} already; take another title")
        if len(self.sheets) >= 20:
            raise CrashError("a spreadsheet has at most 20 worksheets here")
        sheet = replace(sheet, id=self.next_id)
        at = len(self.sheets) if index is None else max(0, min(index, len(self.sheets)))
        sheets = (*self.sheets[:at], sheet, *self.sheets[at:])
        return replace(self, sheets=sheets, next_id=self.next_id + 1), sheet


def book_of(grid: Sequence[Sequence[Content | None]], formats: Mapping[Place, Format] | None = None) -> Book:
    """Return a spreadsheet as tasks start with it: an empty first worksheet, then ``sheet_1`` with a grid.

    Args:
        grid: Rows of values.
        formats: User-entered formats.

    Examples:
        >>> book_of([["a", 1], [None, 2]]).sheets[-1].cells
        {(1, 1): 'a', (1, 2): 1, (2, 2): 2}
    """
    cells = {
        (row, column): content
        for row, line in enumerate(grid, 1)
        for column, content in enumerate(line, 1)
        if content is not None and content != ""
    }
    sheet = Sheet(1, "sheet_1", cells=cells, formats=dict(formats or {}))
    return Book((Sheet(0, "Sheet1"), sheet))
