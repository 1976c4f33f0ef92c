"""Methods that change the structure of a worksheet: its rows and columns, its order, its merged areas."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated, Any

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets import structure
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    COLUMN,
    INPUT,
    LINE,
    ROW,
    SCALAR,
    TEXT,
    AreaName,
    Column,
    Input,
    MethodTable,
    Row,
    Rows,
    described,
    many,
)
from stb_env.suites.sambanova.google_sheets.session import Tab, grid_rows, is_user_entered, whole_number
from stb_env.suites.sambanova.google_sheets.structure import Dimension, Order

METHODS = MethodTable()


@METHODS.add(
    "Inserts a row of values before another: insert a heading with its text above the header, or a row where "
    "it belongs in the order.",
    {"values": many(SCALAR, "The values."), "index": ROW, "value_input_option": INPUT},
)
def _insert_row(tab: Tab, values: object, index: int = 1, *args: Any, **kwargs: Any) -> None:
    _insert_rows(tab, [values], index, *args, **kwargs)


@METHODS.add("Inserts several rows of values before another.")
def _insert_rows(
    tab: Tab, values: Rows, row: Row = 1, value_input_option: Input = "RAW", inherit_from_before: bool = False
) -> None:
    rows = grid_rows(values)
    at = whole_number(row, "the row must be")
    if inherit_from_before and at == 1:
        raise CrashError("inherit_from_before has no row to inherit from at the top of a worksheet")
    tab.insert_lines("ROWS", at, len(rows))
    if inherit_from_before:
        above = {place: look for place, look in tab.sheet.formats.items() if place[0] == at - 1}
        lines = range(at, at + len(rows))
        tab.sheet = tab.sheet.style({(line, col): look for (_, col), look in above.items() for line in lines})
    tab.write_rows(Area(at, 1, None, None), rows, user=is_user_entered(value_input_option))


@METHODS.add("Inserts columns of values before another.")
def _insert_cols(
    tab: Tab,
    values: Annotated[object, many(many(SCALAR), "Columns of values.")],
    col: Column = 1,
    value_input_option: Input = "RAW",
) -> None:
    columns = grid_rows(values)
    at = whole_number(col, "the column must be")
    tab.insert_lines("COLUMNS", at, len(columns))
    user = is_user_entered(value_input_option)
    tab.write_rows(Area(1, at, None, None), list(zip_longest(*columns)), user=user)


def _delete(tab: Tab, dimension: Dimension, start: int, end: int | None) -> None:
    first = whole_number(start, "the first line must be")
    last = first if end is None else whole_number(end, "the last line must be")
    tab.delete_lines(dimension, first, last)


Start = Annotated[int, described(LINE, "The first one, from 1.")]
End = Annotated[int | None, described(LINE, "The last one; only the first if left out.")]


@METHODS.add("Deletes a row.")
def _delete_row(tab: Tab, index: Row) -> None:
    _delete(tab, "ROWS", index, None)


@METHODS.add(
    "Deletes rows, from one to another: remove those that do not meet a condition, say nothing useful or "
    "are there twice, and keep only the rest. What is below moves up, without gaps."
)
def _delete_rows(tab: Tab, start_index: Start, end_index: End = None) -> None:
    _delete(tab, "ROWS", start_index, end_index)


@METHODS.add(
    "Deletes columns, from one to another: a column that is not needed, or the old place of one that was "
    "moved. What is to the right moves left."
)
def _delete_columns(tab: Tab, start_index: Start, end_index: End = None) -> None:
    _delete(tab, "COLUMNS", start_index, end_index)


@METHODS.add("Deletes rows or columns.")
def _delete_dimension(
    tab: Tab,
    dimension: Annotated[object, {"type": "string", "enum": ["ROWS", "COLUMNS"]}],
    start_index: Start,
    end_index: End = None,
) -> None:
    match dimension:
        case "ROWS" | "COLUMNS":
            _delete(tab, dimension, start_index, end_index)
        case _:
            raise CrashError(f"dimension is ROWS or COLUMNS, got {dimension!r}")


@METHODS.add("Adds empty rows at the end.")
def _add_rows(tab: Tab, rows: Annotated[int, described(LINE, "How many.")]) -> None:
    _resize(tab, rows=tab.sheet.rows + whole_number(rows, "rows must be"))


@METHODS.add("Adds empty columns at the end.")
def _add_cols(tab: Tab, cols: Annotated[int, described(LINE, "How many.")]) -> None:
    _resize(tab, cols=tab.sheet.columns + whole_number(cols, "cols must be"))


@METHODS.add("Sets the number of rows or columns of the grid.")
def _resize(
    tab: Tab,
    rows: Annotated[int | None, described(LINE, "How many rows.")] = None,
    cols: Annotated[int | None, described(LINE, "How many columns.")] = None,
) -> None:
    if rows is None and cols is None:
        raise CrashError("resize needs rows or cols")
    sheet = tab.sheet
    tab.sheet = sheet.resized(
        sheet.rows if rows is None else whole_number(rows, "rows must be"),
        sheet.columns if cols is None else whole_number(cols, "cols must be"),
    )


_SPEC = {"type": "array", "prefixItems": [COLUMN, {"enum": ["asc", "des"]}], "minItems": 2, "maxItems": 2}


@METHODS.add(
    "Sorts the rows of the table, or of an area, by columns, ascending or descending, the highest or lowest "
    "first. Without an area all rows below the frozen ones are sorted, a header that is not frozen included."
)
def _sort(
    tab: Tab,
    *specs: Annotated[object, many(_SPEC, "Columns with 'asc' or 'des', such as [[2, 'asc']].")],
    range: Annotated[str | None, AREA] = None,
) -> None:
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


_PASTES = ("PASTE_NORMAL", "PASTE_VALUES", "PASTE_FORMAT", "PASTE_NO_BORDERS", "PASTE_FORMULA")
PasteType = Annotated[str, {"type": "string", "enum": list(_PASTES)}]


@METHODS.add("Copies an area to another place.")
def _copy_range(
    tab: Tab,
    source: AreaName,
    dest: Annotated[str, described(TEXT, "Area or cell to copy to.")],
    paste_type: PasteType = "PASTE_NORMAL",
    paste_orientation: Annotated[str, {"type": "string", "enum": ["NORMAL", "TRANSPOSE"]}] = "NORMAL",
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


@METHODS.add("Moves an area to another place.")
def _cut_range(
    tab: Tab,
    source: AreaName,
    dest: Annotated[str, described(TEXT, "Area or cell to move to.")],
    paste_type: PasteType = "PASTE_NORMAL",
) -> None:
    area, target = tab.area(source), tab.area(dest)
    if paste_type not in _PASTES:
        raise CrashError(f"paste_type is one of {', '.join(_PASTES)}")
    sheet, places = tab.sheet, tab.places(area)
    down, across = target.top - area.top, target.left - area.left
    moved = {place: (place[0] + down, place[1] + across) for place in places}
    contents = {goal: sheet.cells.get(place) for place, goal in moved.items()}
    looks = {goal: sheet.formats.get(place, {}) for place, goal in moved.items()}
    if paste_type != "PASTE_FORMAT":
        sheet = sheet.write({place: None for place in places if place not in contents}).write(contents)
    tab.sheet = sheet.style(looks) if paste_type in ("PASTE_NORMAL", "PASTE_FORMAT") else sheet


@METHODS.add(
    "Merges the cells of an area: merge them into a single one, of which what is in the upper left corner "
    "stays.",
    name="merge_cells",
)
def _merge(
    tab: Tab,
    name: AreaName,
    merge_type: Annotated[
        str, {"type": "string", "enum": ["MERGE_ALL", "MERGE_COLUMNS", "MERGE_ROWS"]}
    ] = "MERGE_ALL",
) -> None:
    tab.merge(tab.area(name), merge_type)


@METHODS.add("Takes merged cells apart.", name="unmerge_cells")
def _unmerge(tab: Tab, name: AreaName) -> None:
    tab.sheet = structure.unmerge(tab.sheet, tab.area(name))
