"""Methods that write into a worksheet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place, read_cell
from stb_env.suites.sambanova.google_sheets.a1 import label as cell_label
from stb_env.suites.sambanova.google_sheets.hosts import CellHost
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    AREAS,
    CELL,
    COLUMN,
    FLAG,
    INPUT,
    ROW,
    ROWS,
    SCALAR,
    Method,
    many,
    said,
)
from stb_env.suites.sambanova.google_sheets.session import Tab, grid_rows, is_user_entered
from stb_env.suites.sambanova.google_sheets.structure import insert_lines


def _update(
    tab: Tab,
    range_name: object,
    values: object = None,
    raw: bool = True,
    value_input_option: str | None = None,
    major_dimension: str | None = None,
) -> JsonObject:
    if not isinstance(range_name, str):
        # Values alone are written from the first cell on.
        range_name, values = "A1", range_name
    rows = grid_rows(values) if isinstance(values, list | tuple) else [[values]]
    if major_dimension == "COLUMNS":
        width = max((len(row) for row in rows), default=0)
        rows = [[row[at] if at < len(row) else None for row in rows] for at in range(width)]
    user = is_user_entered(raw, value_input_option)
    written = tab.write_rows(tab.area(range_name), rows, user=user)
    return {"updatedRange": f"{tab.sheet.title}!{written.label}"}


def _update_cell(tab: Tab, row: int, col: int, value: object) -> JsonObject:
    if not all(isinstance(number, int) and number >= 1 for number in (row, col)):
        raise CrashError("row and column are numbers from 1")
    tab.enter({(row, col): value}, user=True)
    return {"updatedRange": f"{tab.sheet.title}!{cell_label(row, col)}"}


def _update_acell(tab: Tab, label: str, value: object) -> JsonObject:
    return _update_cell(tab, *read_cell(label), value)


def _update_cells(tab: Tab, cell_list: Iterable[object], value_input_option: str = "RAW") -> JsonObject:
    contents: dict[Place, Any] = {}
    for cell in list(cell_list):
        if isinstance(cell, CellHost):
            contents[cell.place] = cell.value
        elif isinstance(cell, dict) and {"row", "col", "value"} <= cell.keys():
            contents[(int(cell["row"]), int(cell["col"]))] = cell["value"]
        else:
            raise CrashError("update_cells takes cells, each with row, col and value")
    tab.enter(contents, user=is_user_entered(True, value_input_option))
    return {"updatedCells": len(contents)}


def _batch_update(
    tab: Tab, data: Iterable[object], raw: bool = True, value_input_option: str | None = None
) -> JsonObject:
    for item in list(data):
        if not isinstance(item, dict) or not {"range", "values"} <= item.keys():
            raise CrashError("batch_update takes dictionaries with 'range' and 'values'")
        _update(tab, item["range"], grid_rows(item["values"]), raw, value_input_option)
    return {"totalUpdatedAreas": len(list(data))}


def _append_rows(
    tab: Tab,
    values: object,
    value_input_option: str = "RAW",
    insert_data_option: str | None = None,
    table_range: str | None = None,
    include_values_in_response: bool = False,  # noqa: ARG001 # what is written is known
) -> JsonObject:
    rows = grid_rows(values)
    top, left = _end_of_table(tab, table_range)
    last = top + len(rows) - 1
    if insert_data_option not in (None, "OVERWRITE", "INSERT_ROWS"):
        raise CrashError(
            f"insert_data_option is OVERWRITE or INSERT_ROWS, got {str(insert_data_option)[:40]!r}"
        )
    if insert_data_option == "INSERT_ROWS" and top <= tab.sheet.extent[0]:
        tab.session.book = insert_lines(tab.session.book, tab.changing(), "ROWS", top, len(rows))
    if last > tab.sheet.rows:
        tab.sheet = tab.sheet.resized(last, tab.sheet.columns)
    user = is_user_entered(True, value_input_option)
    written = tab.write_rows(Area(top, left, None, None), rows, user=user)
    return {"updatedRange": f"{tab.sheet.title}!{written.label}"}


def _end_of_table(tab: Tab, table_range: str | None) -> Place:
    """Return the first cell below the table, at its first column."""
    bounds = tab.area(table_range) if table_range else Closed(1, 1, tab.sheet.rows, tab.sheet.columns)
    places = [place for place in tab.sheet.cells if bounds.has(place)]
    if not places:
        return bounds.top, bounds.left
    bottom = max(row for row, _ in places)
    # The table is what hangs together, row by row, with the last one.
    rows = {row for row, _ in places}
    top = bottom
    while top - 1 in rows:
        top -= 1
    return bottom + 1, min(column for row, column in places if row >= top)


def _append_row(tab: Tab, values: object, *args: Any, **kwargs: Any) -> JsonObject:
    if not isinstance(values, list | tuple):
        raise CrashError("append_row takes a list of values")
    return _append_rows(tab, [values], *args, **kwargs)


def _clear(tab: Tab) -> None:
    tab.enter(dict.fromkeys(tab.sheet.cells), user=False)


def _batch_clear(tab: Tab, ranges: str | Iterable[str]) -> None:
    for name in [ranges] if isinstance(ranges, str) else list(ranges):
        area = tab.area(name)
        tab.enter({place: None for place in tab.sheet.cells if area.has(place)}, user=False)


_RAW = said(FLAG, "False reads numbers and formulas as if typed; true, if left out, keeps texts.")
_CELLS = many(
    {
        "type": "object",
        "properties": {"row": ROW, "col": COLUMN, "value": SCALAR},
        "required": ["row", "col", "value"],
    },
    "Cells with the values to write.",
)
_DATA = many(
    {
        "type": "object",
        "properties": {"range": AREA, "values": ROWS},
        "required": ["range", "values"],
    },
    "Areas with the rows to write.",
)
METHODS: tuple[Method, ...] = (
    Method(
        "update",
        "Writes rows of values, or a single value, from the upper left of an area on: set or change cells, "
        "copy the header and rows to another worksheet, write a new column to the right of the table. With "
        "raw=False formulas are read as if typed, so that each row gets its sum, difference or mark.",
        {
            "range_name": AREA,
            "values": {
                "description": "Rows of values, or one value.",
                "anyOf": [many(many(SCALAR)), SCALAR],
            },
            "raw": _RAW,
            "value_input_option": INPUT,
            "major_dimension": {"type": "string", "enum": ["ROWS", "COLUMNS"]},
        },
        _update,
        2,
    ),
    Method(
        "update_cell",
        "Updates the cell in a row and a column as if typed, formulas included: change a value, "
        "increase it, rename a title in the header, write another text in every cell where an old one "
        "stands.",
        {"row": ROW, "col": COLUMN, "value": SCALAR},
        _update_cell,
        3,
    ),
    Method(
        "update_acell",
        "Writes a value or formula into a cell as if typed: enter or put the sum, average, maximum, "
        "minimum or count of a column into the first empty cell directly below its last value.",
        {"label": CELL, "value": SCALAR},
        _update_acell,
        2,
    ),
    Method(
        "update_cells",
        "Writes several cells.",
        {"cell_list": _CELLS, "value_input_option": INPUT},
        _update_cells,
        1,
    ),
    Method(
        "batch_update",
        "Writes several areas.",
        {"data": _DATA, "raw": _RAW, "value_input_option": INPUT},
        _batch_update,
        1,
    ),
    Method(
        "append_row",
        "Appends a row of values below the table: append or add one that is missing at the bottom.",
        {"values": many(SCALAR, "The values."), "value_input_option": INPUT, "table_range": AREA},
        _append_row,
        1,
    ),
    Method(
        "append_rows",
        "Appends several rows of values below the table, at its end.",
        {"values": ROWS, "value_input_option": INPUT, "table_range": AREA},
        _append_rows,
        1,
    ),
    Method("clear", "Removes all values and keeps formats.", {}, _clear),
    Method("batch_clear", "Removes the values of areas.", {"ranges": AREAS}, _batch_clear, 1),
)
