"""Methods that write into a worksheet."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Annotated, Any

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, Place, read_cell
from stb_env.suites.sambanova.google_sheets.a1 import label as cell_label
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    AREAS,
    COLUMN,
    FLAG,
    INPUT,
    ROW,
    ROWS,
    SCALAR,
    Cell,
    Column,
    Input,
    MethodTable,
    Row,
    Rows,
    described,
    many,
)
from stb_env.suites.sambanova.google_sheets.objects import CellHost
from stb_env.suites.sambanova.google_sheets.session import Tab, grid_rows, is_user_entered

Raw = Annotated[
    bool, described(FLAG, "False reads numbers and formulas as if typed; true, if left out, keeps texts.")
]
METHODS = MethodTable()


@METHODS.add(
    "Writes rows of values, or a single value, from the upper left of an area on: set or change cells, "
    "copy the header and rows to another worksheet, write a new column to the right of the table. With "
    "raw=False formulas are read as if typed, so that each row gets its sum, difference or mark.",
    required=2,
)
def _update(
    tab: Tab,
    range_name: Annotated[object, AREA],
    values: Annotated[
        object, {"description": "Rows of values, or one value.", "anyOf": [many(many(SCALAR)), SCALAR]}
    ] = None,
    raw: Raw = True,
    value_input_option: Annotated[str | None, INPUT] = None,
    major_dimension: Annotated[str | None, {"type": "string", "enum": ["ROWS", "COLUMNS"]}] = None,
) -> dict[str, str]:
    if not isinstance(range_name, str):
        # Values alone are written from the first cell on.
        range_name, values = "A1", range_name
    rows = grid_rows(values) if isinstance(values, list | tuple) else [[values]]
    if major_dimension == "COLUMNS":
        rows = list(map(list, zip_longest(*rows)))
    user = is_user_entered(value_input_option, raw)
    written = tab.write_rows(tab.area(range_name), rows, user=user)
    return {"updatedRange": tab.named(written.label)}


@METHODS.add(
    "Updates the cell in a row and a column as if typed, formulas included: change a value, increase it, "
    "rename a title in the header, write another text in every cell where an old one stands."
)
def _update_cell(tab: Tab, row: Row, col: Column, value: Annotated[object, SCALAR]) -> dict[str, str]:
    if not all(isinstance(number, int) and number >= 1 for number in (row, col)):
        raise CrashError("row and column are numbers from 1")
    tab.enter({(row, col): value}, user=True)
    return {"updatedRange": tab.named(cell_label(row, col))}


@METHODS.add(
    "Writes a value or formula into a cell as if typed: enter or put the sum, average, maximum, minimum or "
    "count of a column into the first empty cell directly below its last value."
)
def _update_acell(tab: Tab, label: Cell, value: Annotated[object, SCALAR]) -> dict[str, str]:
    return _update_cell(tab, *read_cell(label), value)


_CELLS = {
    "type": "object",
    "properties": {"row": ROW, "col": COLUMN, "value": SCALAR},
    "required": ["row", "col", "value"],
}


@METHODS.add("Writes several cells.")
def _update_cells(
    tab: Tab,
    cell_list: Annotated[Iterable[object], many(_CELLS, "Cells with the values to write.")],
    value_input_option: Input = "RAW",
) -> dict[str, int]:
    contents: dict[Place, object] = {}
    for cell in list(cell_list):
        if isinstance(cell, CellHost):
            contents[cell.place] = cell.value
        elif isinstance(cell, dict) and {"row", "col", "value"} <= cell.keys():
            contents[(int(cell["row"]), int(cell["col"]))] = cell["value"]
        else:
            raise CrashError("update_cells takes cells, each with row, col and value")
    tab.enter(contents, user=is_user_entered(value_input_option))
    return {"updatedCells": len(contents)}


_DATA = {"type": "object", "properties": {"range": AREA, "values": ROWS}, "required": ["range", "values"]}


@METHODS.add("Writes several areas.")
def _batch_update(
    tab: Tab,
    data: Annotated[Iterable[object], many(_DATA, "Areas with the rows to write.")],
    raw: Raw = True,
    value_input_option: Annotated[str | None, INPUT] = None,
) -> dict[str, int]:
    for item in list(data):
        if not isinstance(item, dict) or not {"range", "values"} <= item.keys():
            raise CrashError("batch_update takes dictionaries with 'range' and 'values'")
        _update(tab, item["range"], grid_rows(item["values"]), raw, value_input_option)
    return {"totalUpdatedAreas": len(list(data))}


@METHODS.add(
    "Appends a row of values below the table: append or add one that is missing at the bottom.",
    {"values": many(SCALAR, "The values."), "value_input_option": INPUT, "table_range": AREA},
)
def _append_row(tab: Tab, values: object, *args: Any, **kwargs: Any) -> dict[str, str]:
    if not isinstance(values, list | tuple):
        raise CrashError("append_row takes a list of values")
    return _append_rows(tab, [values], *args, **kwargs)


@METHODS.add("Appends several rows of values below the table, at its end.")
def _append_rows(
    tab: Tab,
    values: Rows,
    value_input_option: Input = "RAW",
    insert_data_option: str | None = None,
    table_range: Annotated[str | None, AREA] = None,
    include_values_in_response: bool = False,  # noqa: ARG001 # what is written is known
) -> dict[str, str]:
    rows = grid_rows(values)
    top, left = _end_of_table(tab, table_range)
    if insert_data_option not in (None, "OVERWRITE", "INSERT_ROWS"):
        raise CrashError(
            f"insert_data_option is OVERWRITE or INSERT_ROWS, got {str(insert_data_option)[:40]!r}"
        )
    if insert_data_option == "INSERT_ROWS" and top <= tab.sheet.extent[0]:
        tab.insert_lines("ROWS", top, len(rows))
    tab.grow(top + len(rows) - 1)
    written = tab.write_rows(Area(top, left, None, None), rows, user=is_user_entered(value_input_option))
    return {"updatedRange": tab.named(written.label)}


def _end_of_table(tab: Tab, table_range: str | None) -> Place:
    """Return the first cell below the table, at its first column."""
    bounds = tab.area_or_grid(table_range)
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


@METHODS.add("Removes all values and keeps formats.")
def _clear(tab: Tab) -> None:
    tab.enter(dict.fromkeys(tab.sheet.cells), user=False)


@METHODS.add("Removes the values of areas.")
def _batch_clear(tab: Tab, ranges: Annotated[str | Iterable[str], AREAS]) -> None:
    for name in [ranges] if isinstance(ranges, str) else list(ranges):
        tab.clear(tab.area(name))
