"""Methods that read a worksheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stb_env.jsontypes import JsonArray
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Host
from stb_env.suites.sambanova.google_sheets.a1 import Closed, Place, read_cell
from stb_env.suites.sambanova.google_sheets.a1 import label as cell_label
from stb_env.suites.sambanova.google_sheets.hosts import CellHost, numeric
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    AREAS,
    CELL,
    COLUMN,
    FLAG,
    RENDER,
    ROW,
    SCALAR,
    TEXT,
    Method,
    many,
    said,
)
from stb_env.suites.sambanova.google_sheets.session import Tab

_SOUGHT = 10
"""Members of a list that take as long as a cell whose text is compared."""


def _cell(tab: Tab, row: int, col: int, value_render_option: str | None = None) -> CellHost:
    place = (_line(row, "row"), _line(col, "column"))
    sheet = tab.sheet
    if row > sheet.rows or col > sheet.columns:
        raise CrashError(f"row {row}, column {col} exceeds the grid")
    text = tab.text(place, value_render_option)
    return CellHost(place, None if text == "" else text)


def _line(number: object, what: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise CrashError(f"a {what} is a number from 1, got {str(number)[:40]}")
    return number


def _acell(tab: Tab, label: str, value_render_option: str | None = None) -> CellHost:
    return _cell(tab, *read_cell(label), value_render_option)


def _whole(tab: Tab) -> Closed:
    return Closed(1, 1, tab.sheet.rows, tab.sheet.columns)


def _range(tab: Tab, name: str | int = "", *corners: int) -> list[CellHost]:
    if corners:
        # gspread takes first row, first column, last row and last column too.
        name = ":".join((cell_label(int(name), corners[0]), cell_label(*corners[1:])))
    area = tab.area(str(name)) if name else _whole(tab)
    return [CellHost(place, tab.text(place)) for place in tab.places(area)]


def _get(
    tab: Tab,
    range_name: str | None = None,
    value_render_option: str | None = None,
    major_dimension: str | None = None,
) -> list[JsonArray]:
    rows = tab.texts(tab.area(range_name) if range_name else _whole(tab), value_render_option)
    return _turned(rows) if major_dimension == "COLUMNS" else rows


def _turned(rows: list[JsonArray]) -> list[JsonArray]:
    width = max((len(row) for row in rows), default=0)
    columns = [[row[at] if at < len(row) else "" for row in rows] for at in range(width)]
    for column in columns:
        while column and column[-1] == "":
            column.pop()
    return columns


def _get_values(
    tab: Tab,
    range_name: str | None = None,
    value_render_option: str | None = None,
    major_dimension: str | None = None,
) -> list[JsonArray]:
    rows = _get(tab, range_name, value_render_option, major_dimension)
    width = max((len(row) for row in rows), default=0)
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    return filled or [[]]


def _batch_get(tab: Tab, ranges: list[str], value_render_option: str | None = None) -> JsonArray:
    return [_get(tab, name, value_render_option) for name in ranges]


def _records(
    tab: Tab,
    empty2zero: bool = False,
    head: int = 1,
    default_blank: object = "",
    allow_underscores_in_numeric_literals: bool = False,  # noqa: ARG001 # no cell is shown with them
    numericise_ignore: Sequence[int | str] = (),
    value_render_option: str | None = None,
    expected_headers: Sequence[object] | None = None,
) -> JsonArray:
    rows = _get_values(tab, value_render_option=value_render_option)
    if len(rows) < _line(head, "header row"):
        return []
    keys = rows[head - 1]
    _check_expected(keys if expected_headers is None else list(expected_headers), keys)
    if list(numericise_ignore) == ["all"]:
        return [dict(zip(keys, row, strict=True)) for row in rows[head:]]
    blank = 0 if empty2zero else default_blank
    read = [
        [
            text if at in numericise_ignore else blank if text == "" else _numericised(text)
            for at, text in enumerate(row, 1)
        ]
        for row in rows[head:]
    ]
    return [dict(zip(keys, row, strict=True)) for row in read]


def _check_expected(expected: Sequence[object], keys: Sequence[object]) -> None:
    if len(set(expected)) != len(expected):
        raise CrashError(
            "the header row holds a text twice; name in expected_headers those that stand there once"
        )
    unknown = [key for key in expected if key not in keys]
    if unknown:
        raise CrashError(f"expected_headers names what the header row does not hold: {str(unknown)[:100]}")


def _numericised(text: object) -> object:
    number = numeric(text)
    return text if number is None else number


def _line_values(tab: Tab, texts: JsonArray) -> JsonArray:  # noqa: ARG001
    while texts and texts[-1] == "":
        texts.pop()
    return texts


def _row_values(tab: Tab, row: int, value_render_option: str | None = None) -> JsonArray:
    _, right = tab.sheet.extent
    tab.places(Closed(1, 1, 1, max(1, right)))
    places = [(_line(row, "row"), column) for column in range(1, right + 1)]
    return _line_values(tab, [tab.text(place, value_render_option) for place in places])


def _col_values(tab: Tab, col: int, value_render_option: str | None = None) -> JsonArray:
    bottom, _ = tab.sheet.extent
    tab.places(Closed(1, 1, max(1, bottom), 1))
    places = [(row, _line(col, "column")) for row in range(1, bottom + 1)]
    return _line_values(tab, [tab.text(place, value_render_option) for place in places])


def _matches(query: object, case_sensitive: bool) -> Callable[[str], bool]:
    if isinstance(query, str):
        wanted = query if case_sensitive else query.lower()
        return lambda text: (text if case_sensitive else text.lower()) == wanted
    if isinstance(query, Host):
        compiled: Any = query.attribute("search")
        search = compiled.function
        return lambda text: bool(search(text))
    raise CrashError(f"find takes a text or a compiled pattern, got {type(query).__name__}")


def _findall(
    tab: Tab,
    query: object,
    in_row: int | None = None,
    in_column: int | None = None,
    case_sensitive: bool = True,
) -> list[CellHost]:
    test = _matches(query, case_sensitive)
    sheet, found = tab.sheet, []
    tab.session.budget.go_through(_SOUGHT * len(sheet.cells))
    for place in sorted(sheet.cells):
        if (in_row or place[0]) == place[0] and (in_column or place[1]) == place[1]:
            text = tab.text(place)
            if test(text):
                found.append(CellHost(place, text))
    return found


def _find(
    tab: Tab,
    query: object,
    in_row: int | None = None,
    in_column: int | None = None,
    case_sensitive: bool = True,
) -> CellHost | None:
    return next(iter(_findall(tab, query, in_row, in_column, case_sensitive)), None)


def _note(tab: Tab, cell: str) -> str:
    place: Place = read_cell(cell)
    return tab.sheet.notes.get(place, "")


_SEARCH = {
    "query": said(TEXT, "The whole text of the cell."),
    "in_row": said(ROW, "Only in this row."),
    "in_column": said(COLUMN, "Only in this column."),
    "case_sensitive": said(FLAG, "Whether upper and lower case differ; they do if left out."),
}
METHODS: tuple[Method, ...] = (
    Method("acell", "Reads a cell.", {"label": CELL, "value_render_option": RENDER}, _acell, 1),
    Method(
        "cell",
        "Reads a cell by its numbers.",
        {"row": ROW, "col": COLUMN, "value_render_option": RENDER},
        _cell,
        2,
    ),
    Method("range", "Reads the cells of an area, row by row.", {"name": AREA}, _range),
    Method(
        "get",
        "Reads the rows of an area, without what is empty at their ends.",
        {"range_name": AREA, "value_render_option": RENDER},
        _get,
    ),
    Method(
        "batch_get", "Reads several areas.", {"ranges": AREAS, "value_render_option": RENDER}, _batch_get, 1
    ),
    Method(
        "get_values",
        "Reads the rows of an area, all of the same length.",
        {"range_name": AREA, "value_render_option": RENDER},
        _get_values,
    ),
    Method(
        "get_all_values",
        "Reads all rows that hold something.",
        {"value_render_option": RENDER},
        lambda tab, value_render_option=None: _get_values(tab, None, value_render_option),
    ),
    Method(
        "get_all_records",
        "Reads rows as records whose keys stand in the header row; numeric texts become numbers.",
        {
            "empty2zero": said(FLAG, "Whether empty cells are given as 0."),
            "head": said(ROW, "The header row; 1 if left out."),
            "default_blank": said(SCALAR, "What empty cells are given as."),
            "numericise_ignore": many(
                {"type": ["integer", "string"]}, "Columns whose texts stay texts, from 1, or 'all'."
            ),
            "value_render_option": RENDER,
            "expected_headers": many(SCALAR, "Headers that have to be there, each once; others may repeat."),
        },
        _records,
    ),
    Method("get_all_cells", "Reads all cells of the grid.", {}, lambda tab: _range(tab)),
    Method("row_values", "Reads a row.", {"row": ROW, "value_render_option": RENDER}, _row_values, 1),
    Method("col_values", "Reads a column.", {"col": COLUMN, "value_render_option": RENDER}, _col_values, 1),
    Method("find", "Finds the first cell with a text.", _SEARCH, _find, 1),
    Method("findall", "Finds all cells with a text.", _SEARCH, _findall, 1),
    Method("get_note", "Reads the note on a cell.", {"cell": CELL}, _note, 1),
)
