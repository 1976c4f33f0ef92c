"""Methods that read a worksheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Annotated, Any

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Host
from stb_env.suites.sambanova.google_sheets.a1 import Closed, read_cell
from stb_env.suites.sambanova.google_sheets.a1 import label as cell_label
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    COLUMN,
    FLAG,
    RENDER,
    ROW,
    SCALAR,
    TEXT,
    AreaNames,
    Cell,
    Column,
    MethodTable,
    Render,
    Row,
    described,
    many,
)
from stb_env.suites.sambanova.google_sheets.objects import CellHost, numeric
from stb_env.suites.sambanova.google_sheets.session import Tab, stripped, whole_number
from stb_env.suites.sambanova.google_sheets.values import Plain

_SOUGHT = 10
"""Members of a list that take as long as a cell whose text is compared."""

METHODS = MethodTable()


def _cell(tab: Tab, row: int, col: int, value_render_option: str | None = None) -> CellHost:
    place = (whole_number(row, "a row is"), whole_number(col, "a column is"))
    sheet = tab.sheet
    if row > sheet.rows or col > sheet.columns:
        raise CrashError(f"row {row}, column {col} exceeds the grid")
    text = tab.text(place, value_render_option)
    return CellHost(place, None if text == "" else text)


@METHODS.add("Reads a cell.")
def _acell(tab: Tab, label: Cell, value_render_option: Render = None) -> CellHost:
    return _cell(tab, *read_cell(label), value_render_option)


METHODS.add("Reads a cell by its numbers.", {"row": ROW, "col": COLUMN, "value_render_option": RENDER})(_cell)


@METHODS.add("Reads the cells of an area, row by row.")
def _range(tab: Tab, name: Annotated[str | int, AREA] = "", *corners: int) -> list[CellHost]:
    if corners:
        # gspread takes first row, first column, last row and last column too.
        name = ":".join((cell_label(int(name), corners[0]), cell_label(*corners[1:])))
    area = tab.area_or_grid(str(name) if name else None)
    return [CellHost(place, tab.text(place)) for place in tab.places(area)]


@METHODS.add("Reads the rows of an area, without what is empty at their ends.")
def _get(
    tab: Tab,
    range_name: Annotated[str | None, AREA] = None,
    value_render_option: Render = None,
    major_dimension: str | None = None,
) -> list[list[Plain]]:
    rows = tab.texts(tab.area_or_grid(range_name), value_render_option)
    if major_dimension == "COLUMNS":
        return [stripped(list(column)) for column in zip_longest(*rows, fillvalue="")]
    return rows


@METHODS.add("Reads several areas.")
def _batch_get(tab: Tab, ranges: AreaNames, value_render_option: Render = None) -> list[list[list[Plain]]]:
    return [_get(tab, name, value_render_option) for name in ranges]


@METHODS.add("Reads the rows of an area, all of the same length.")
def _get_values(
    tab: Tab,
    range_name: Annotated[str | None, AREA] = None,
    value_render_option: Render = None,
    major_dimension: str | None = None,
) -> list[list[Plain]]:
    rows = _get(tab, range_name, value_render_option, major_dimension)
    width = max((len(row) for row in rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows] or [[]]


METHODS.add("Reads all rows that hold something.", {"value_render_option": RENDER}, name="get_all_values")(
    lambda tab, value_render_option=None: _get_values(tab, None, value_render_option)
)


@METHODS.add(
    "Reads rows as records whose keys stand in the header row; numeric texts become numbers.",
    name="get_all_records",
)
def _records(
    tab: Tab,
    empty2zero: Annotated[bool, described(FLAG, "Whether empty cells are given as 0.")] = False,
    head: Annotated[int, described(ROW, "The header row; 1 if left out.")] = 1,
    default_blank: Annotated[object, described(SCALAR, "What empty cells are given as.")] = "",
    allow_underscores_in_numeric_literals: bool = False,  # noqa: ARG001 # no cell is shown with them
    numericise_ignore: Annotated[
        Sequence[int | str],
        many({"type": ["integer", "string"]}, "Columns whose texts stay texts, from 1, or 'all'."),
    ] = (),
    value_render_option: Render = None,
    expected_headers: Annotated[
        Sequence[object] | None, many(SCALAR, "Headers that have to be there, each once; others may repeat.")
    ] = None,
) -> list[dict[Plain, object]]:
    rows = _get_values(tab, value_render_option=value_render_option)
    if len(rows) < whole_number(head, "a header row is"):
        return []
    keys = rows[head - 1]
    _check_expected(keys if expected_headers is None else list(expected_headers), keys)
    keep_texts = list(numericise_ignore) == ["all"]
    blank = 0 if empty2zero else default_blank

    def read(text: object, column: int) -> object:
        if keep_texts or column in numericise_ignore:
            return text
        if text == "":
            return blank
        number = numeric(text)
        return text if number is None else number

    return [
        dict(zip(keys, (read(text, at) for at, text in enumerate(row, 1)), strict=True))
        for row in rows[head:]
    ]


def _check_expected(expected: Sequence[object], keys: Sequence[object]) -> None:
    if len(set(expected)) != len(expected):
        raise CrashError(
            "the header row holds a text twice; name in expected_headers those that stand there once"
        )
    unknown = [key for key in expected if key not in keys]
    if unknown:
        raise CrashError(f"expected_headers names what the header row does not hold: {str(unknown)[:100]}")


METHODS.add("Reads all cells of the grid.", name="get_all_cells")(lambda tab: _range(tab))


@METHODS.add("Reads a row.")
def _row_values(tab: Tab, row: Row, value_render_option: Render = None) -> list[Plain]:
    _, right = tab.sheet.extent
    tab.places(Closed(1, 1, 1, max(1, right)))
    places = [(whole_number(row, "a row is"), column) for column in range(1, right + 1)]
    return stripped([tab.text(place, value_render_option) for place in places])


@METHODS.add("Reads a column.")
def _col_values(tab: Tab, col: Column, value_render_option: Render = None) -> list[Plain]:
    bottom, _ = tab.sheet.extent
    tab.places(Closed(1, 1, max(1, bottom), 1))
    places = [(row, whole_number(col, "a column is")) for row in range(1, bottom + 1)]
    return stripped([tab.text(place, value_render_option) for place in places])


def _matches(query: object, case_sensitive: bool) -> Callable[[str], bool]:
    if isinstance(query, str):
        wanted = query if case_sensitive else query.lower()
        return lambda text: (text if case_sensitive else text.lower()) == wanted
    if isinstance(query, Host):
        compiled: Any = query.attribute("search")
        return lambda text: bool(compiled.function(text))
    raise CrashError(f"find takes a text or a compiled pattern, got {type(query).__name__}")


Query = Annotated[object, described(TEXT, "The whole text of the cell.")]
InRow = Annotated[int | None, described(ROW, "Only in this row.")]
InColumn = Annotated[int | None, described(COLUMN, "Only in this column.")]
CaseSensitive = Annotated[bool, described(FLAG, "Whether upper and lower case differ; they do if left out.")]


@METHODS.add("Finds the first cell with a text.")
def _find(
    tab: Tab,
    query: Query,
    in_row: InRow = None,
    in_column: InColumn = None,
    case_sensitive: CaseSensitive = True,
) -> CellHost | None:
    return next(iter(_findall(tab, query, in_row, in_column, case_sensitive)), None)


@METHODS.add("Finds all cells with a text.")
def _findall(
    tab: Tab,
    query: Query,
    in_row: InRow = None,
    in_column: InColumn = None,
    case_sensitive: CaseSensitive = True,
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


@METHODS.add("Reads the note on a cell.", name="get_note")
def _note(tab: Tab, cell: Cell) -> str:
    return tab.sheet.notes.get(read_cell(cell), "")
