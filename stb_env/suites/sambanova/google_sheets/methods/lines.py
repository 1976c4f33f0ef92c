"""Methods that change the structure of a worksheet: its rows and columns, its order, its merged areas."""

from __future__ import annotations

from typing import Any

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets import structure
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    COLUMN,
    INPUT,
    LINE,
    ROW,
    ROWS,
    SCALAR,
    TEXT,
    Method,
    many,
    said,
)
from stb_env.suites.sambanova.google_sheets.session import Tab, grid_rows, is_user_entered
from stb_env.suites.sambanova.google_sheets.structure import Dimension, Order


def _whole(number: object, what: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise CrashError(f"{what} must be a number from 1, got {str(number)[:40]}")
    return number


def _insert_rows(
    tab: Tab,
    values: object,
    row: int = 1,
    value_input_option: str = "RAW",
    inherit_from_before: bool = False,
) -> None:
    rows = grid_rows(values)
    at = _whole(row, "the row")
    if inherit_from_before and at == 1:
        raise CrashError("inherit_from_before has no row to inherit from at the top of a worksheet")
    tab.session.book = structure.insert_lines(tab.session.book, tab.changing(), "ROWS", at, len(rows))
    if inherit_from_before:
        above = {place: look for place, look in tab.sheet.formats.items() if place[0] == at - 1}
        lines = range(at, at + len(rows))
        tab.sheet = tab.sheet.style({(line, col): look for (_, col), look in above.items() for line in lines})
    user = is_user_entered(True, value_input_option)
    tab.write_rows(Area(at, 1, None, None), rows, user=user)


def _insert_row(tab: Tab, values: object, index: int = 1, *args: Any, **kwargs: Any) -> None:
    _insert_rows(tab, [values], index, *args, **kwargs)


def _insert_cols(tab: Tab, values: object, col: int = 1, value_input_option: str = "RAW") -> None:
    columns = grid_rows(values)
    at = _whole(col, "the column")
    tab.session.book = structure.insert_lines(tab.session.book, tab.changing(), "COLUMNS", at, len(columns))
    height = max((len(column) for column in columns), default=0)
    rows = [[column[down] if down < len(column) else None for column in columns] for down in range(height)]
    user = is_user_entered(True, value_input_option)
    tab.write_rows(Area(1, at, None, None), rows, user=user)


def _delete(tab: Tab, dimension: Dimension, start: int, end: int | None) -> None:
    first = _whole(start, "the first line")
    last = first if end is None else _whole(end, "the last line")
    tab.session.book = structure.delete_lines(tab.session.book, tab.changing(), dimension, first, last)


def _delete_rows(tab: Tab, start_index: int, end_index: int | None = None) -> None:
    _delete(tab, "ROWS", start_index, end_index)


def _delete_row(tab: Tab, index: int) -> None:
    _delete(tab, "ROWS", index, None)


def _delete_columns(tab: Tab, start_index: int, end_index: int | None = None) -> None:
    _delete(tab, "COLUMNS", start_index, end_index)


def _delete_dimension(tab: Tab, dimension: object, start_index: int, end_index: int | None = None) -> None:
    match dimension:
        case "ROWS" | "COLUMNS":
            _delete(tab, dimension, start_index, end_index)
        case _:
            raise CrashError(f"dimension is ROWS or COLUMNS, got {dimension!r}")


def _resize(tab: Tab, rows: int | None = None, cols: int | None = None) -> None:
    if rows is None and cols is None:
        raise CrashError("resize needs rows or cols")
    sheet = tab.sheet
    tab.sheet = sheet.resized(
        sheet.rows if rows is None else _whole(rows, "rows"),
        sheet.columns if cols is None else _whole(cols, "cols"),
    )


def _add_rows(tab: Tab, rows: int) -> None:
    _resize(tab, rows=tab.sheet.rows + _whole(rows, "rows"))


def _add_cols(tab: Tab, cols: int) -> None:
    _resize(tab, cols=tab.sheet.columns + _whole(cols, "cols"))


def _sort(tab: Tab, *specs: object, range: str | None = None) -> None:
    sheet = tab.changing(1 + len(specs))
    if range is None:
        area = Closed(sheet.view.frozen_rows + 1, 1, sheet.rows, sheet.columns)
    else:
        area = tab.area(range)
    if not specs:
        raise CrashError("sort needs a column and an order, such as (2, 'asc')")
    tab.sheet = structure.sort_area(tab.session.book, sheet, area, [_spec(spec) for spec in specs])


def _spec(spec: object) -> tuple[int, Order]:
    if isinstance(spec, list | tuple) and len(spec) == 2:
        column, order = spec
        if isinstance(column, int) and order in ("asc", "des"):
            return column, order
    raise CrashError(f"sort takes pairs of a column and 'asc' or 'des', got {str(spec)[:60]}")


def _copy_range(
    tab: Tab, source: str, dest: str, paste_type: str = "PASTE_NORMAL", paste_orientation: str = "NORMAL"
) -> None:
    if paste_type not in _PASTES or paste_orientation not in ("NORMAL", "TRANSPOSE"):
        raise CrashError(f"paste_type is one of {', '.join(_PASTES)}; paste_orientation NORMAL or TRANSPOSE")
    area, target = tab.area(source), tab.area(dest)
    tab.places(area)
    contents, looks = structure.copied(
        tab.changing(),
        area,
        (target.top, target.left),
        values=paste_type != "PASTE_FORMAT",
        formats=paste_type in ("PASTE_NORMAL", "PASTE_FORMAT"),
        transposed=paste_orientation == "TRANSPOSE",
    )
    if paste_type == "PASTE_VALUES":
        contents = dict(zip(contents, map(tab.value, tab.places(area)), strict=True))
    tab.sheet = tab.sheet.write(contents).style(looks)


def _cut_range(tab: Tab, source: str, dest: str, paste_type: str = "PASTE_NORMAL") -> None:
    area, target = tab.area(source), tab.area(dest)
    if paste_type not in _PASTES:
        raise CrashError(f"paste_type is one of {', '.join(_PASTES)}")
    sheet, places = tab.sheet, tab.places(area)
    shift = (target.top - area.top, target.left - area.left)
    contents = {(row + shift[0], column + shift[1]): sheet.cells.get((row, column)) for row, column in places}
    looks = {
        (row + shift[0], column + shift[1]): sheet.formats.get((row, column), {}) for row, column in places
    }
    emptied = {place: None for place in places if place not in contents}
    if paste_type != "PASTE_FORMAT":
        sheet = sheet.write(emptied).write(contents)
    tab.sheet = sheet.style(looks) if paste_type in ("PASTE_NORMAL", "PASTE_FORMAT") else sheet


def _merge(tab: Tab, name: str, merge_type: str = "MERGE_ALL") -> None:
    tab.sheet = structure.merge(
        tab.changing(structure.parts_of(tab.area(name), merge_type)), tab.area(name), merge_type
    )


def _unmerge(tab: Tab, name: str) -> None:
    tab.sheet = structure.unmerge(tab.sheet, tab.area(name))


_PASTES = ("PASTE_NORMAL", "PASTE_VALUES", "PASTE_FORMAT", "PASTE_NO_BORDERS", "PASTE_FORMULA")
_PASTE = {"type": "string", "enum": list(_PASTES)}
_MERGE = {"type": "string", "enum": ["MERGE_ALL", "MERGE_COLUMNS", "MERGE_ROWS"]}
_SPEC = {
    "type": "array",
    "prefixItems": [COLUMN, {"enum": ["asc", "des"]}],
    "minItems": 2,
    "maxItems": 2,
}
_START, _END = said(LINE, "The first one, from 1."), said(LINE, "The last one; only the first if left out.")
METHODS: tuple[Method, ...] = (
    Method(
        "insert_row",
        "Inserts a row of values before another: insert a heading with its text above the header, or "
        "a row where it belongs in the order.",
        {"values": many(SCALAR, "The values."), "index": ROW, "value_input_option": INPUT},
        _insert_row,
        1,
    ),
    Method(
        "insert_rows",
        "Inserts several rows of values before another.",
        {"values": ROWS, "row": ROW, "value_input_option": INPUT},
        _insert_rows,
        1,
    ),
    Method(
        "insert_cols",
        "Inserts columns of values before another.",
        {
            "values": many(many(SCALAR), "Columns of values."),
            "col": COLUMN,
            "value_input_option": INPUT,
        },
        _insert_cols,
        1,
    ),
    Method("delete_row", "Deletes a row.", {"index": ROW}, _delete_row, 1),
    Method(
        "delete_rows",
        "Deletes rows, from one to another: remove those that do not meet a condition, say nothing useful or "
        "are there twice, and keep only the rest. What is below moves up, without gaps.",
        {"start_index": _START, "end_index": _END},
        _delete_rows,
        1,
    ),
    Method(
        "delete_columns",
        "Deletes columns, from one to another: a column that is not needed, or the old place of one that was "
        "moved. What is to the right moves left.",
        {"start_index": _START, "end_index": _END},
        _delete_columns,
        1,
    ),
    Method(
        "delete_dimension",
        "Deletes rows or columns.",
        {
            "dimension": {"type": "string", "enum": ["ROWS", "COLUMNS"]},
            "start_index": _START,
            "end_index": _END,
        },
        _delete_dimension,
        2,
    ),
    Method("add_rows", "Adds empty rows at the end.", {"rows": said(LINE, "How many.")}, _add_rows, 1),
    Method("add_cols", "Adds empty columns at the end.", {"cols": said(LINE, "How many.")}, _add_cols, 1),
    Method(
        "resize",
        "Sets the number of rows or columns of the grid.",
        {"rows": said(LINE, "How many rows."), "cols": said(LINE, "How many columns.")},
        _resize,
    ),
    Method(
        "sort",
        "Sorts the rows of the table, or of an area, by columns, ascending or descending, the highest or "
        "lowest first. Without an area all rows below the frozen ones are sorted, a header that is not "
        "frozen included.",
        {
            "specs": many(_SPEC, "Columns with 'asc' or 'des', such as [[2, 'asc']]."),
            "range": AREA,
        },
        _sort,
        1,
        several=True,
    ),
    Method(
        "copy_range",
        "Copies an area to another place.",
        {
            "source": AREA,
            "dest": said(TEXT, "Area or cell to copy to."),
            "paste_type": _PASTE,
            "paste_orientation": {"type": "string", "enum": ["NORMAL", "TRANSPOSE"]},
        },
        _copy_range,
        2,
    ),
    Method(
        "cut_range",
        "Moves an area to another place.",
        {"source": AREA, "dest": said(TEXT, "Area or cell to move to."), "paste_type": _PASTE},
        _cut_range,
        2,
    ),
    Method(
        "merge_cells",
        "Merges the cells of an area: merge them into a single one, of which what is in the upper "
        "left corner stays.",
        {"name": AREA, "merge_type": _MERGE},
        _merge,
        1,
    ),
    Method("unmerge_cells", "Takes merged cells apart.", {"name": AREA}, _unmerge, 1),
)
