"""Reads worksheets as data frames and writes them back, as gspread-dataframe does."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING

from stb_env.core.jsontypes import JsonArray
from stb_env.suites.sambanova.common.interpreter.costs import at_least, read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Native
from stb_env.suites.sambanova.google_sheets.a1 import Area
from stb_env.suites.sambanova.google_sheets.dataframes.library import pandas
from stb_env.suites.sambanova.google_sheets.objects import SheetHost
from stb_env.suites.sambanova.google_sheets.original_frame import NUMBERS, read_columns
from stb_env.suites.sambanova.google_sheets.session import Tab
from stb_env.suites.sambanova.google_sheets.values import Formula

if TYPE_CHECKING:
    import pandas as pd

MAX_FRAME = 30_000
"""Cells of a data frame."""


def get_as_dataframe(
    worksheet: object,
    evaluate_formulas: bool = False,
    header: int | None = 0,
    nrows: int | None = None,
    usecols: Iterable[str | int] | None = None,
    **options: object,
) -> pd.DataFrame:
    """Return the whole grid as a data frame, the first row as header.

    Args:
        worksheet: The worksheet.
        evaluate_formulas: Whether formulas are given as their values; by default as their texts.
        header: 0, or None where the grid has no header.
        nrows: Number of rows to read.
        usecols: Columns to keep, by label or position.
        **options: Options of pandas' reader that change nothing here, such as ``dtype=None``.
    """
    pd = pandas()
    tab = _tab(worksheet)
    for name, value in options.items():
        if value not in (None, False) and name not in ("skip_blank_lines", "na_filter"):
            raise CrashError(f"get_as_dataframe does not read the option {str(name)[:40]!r} here")
    sheet = tab.sheet
    if sheet.rows * sheet.columns > MAX_FRAME:
        raise CrashError(f"a data frame has at most {MAX_FRAME} cells here; resize the worksheet")
    grid = _grid(tab, evaluate_formulas)
    if header is None:
        grid = [[f"__{at}" for at in range(sheet.columns)], *grid]
    labels, columns = read_columns(grid)
    height = sheet.rows - (0 if header is None else 1)
    frame = pd.DataFrame(
        {at: _series(column.kind, column.values) for at, column in enumerate(columns)},
        index=range(height),
    )
    frame.columns = pd.Index(range(sheet.columns) if header is None else labels, dtype=object)
    if usecols is not None:
        wanted = [frame.columns[each] if isinstance(each, int) else each for each in usecols]
        frame = frame[[label for label in frame.columns if label in wanted]]
    return frame if nrows is None else frame.head(int(nrows))


def _grid(tab: Tab, evaluate: bool) -> list[JsonArray]:
    """Return the cells, with one empty row too many, so that there is one below every header."""
    sheet = tab.sheet
    bottom, right = sheet.extent
    rows = tab.values()
    if not evaluate:
        for (row, column), content in sheet.cells.items():
            if isinstance(content, Formula):
                rows[row - 1][column - 1] = content.text
    padded = [[*row, *[None] * (sheet.columns - right)] for row in rows]
    return padded + [[None] * sheet.columns for _ in range(sheet.rows - bottom)]


def _series(kind: str, values: tuple[object, ...]) -> pd.Series:
    pd = pandas()
    if kind == NUMBERS:
        return pd.Series(values, dtype="float64")
    return pd.Series([float("nan") if value is None else value for value in values], dtype=object)


def set_with_dataframe(
    worksheet: object,
    dataframe: object,
    row: int = 1,
    col: int = 1,
    include_index: bool = False,
    include_column_header: bool = True,
    resize: bool = False,
    allow_formulas: bool = True,
) -> None:
    """Write a data frame; cells outside of it stay as they are.

    Args:
        worksheet: The worksheet.
        dataframe: The data frame.
        row: First row.
        col: First column.
        include_index: Whether the row labels are written first.
        include_column_header: Whether the column labels are written above.
        resize: Whether the grid becomes as large as what is written.
        allow_formulas: Whether texts that begin with an equals sign are formulas.
    """
    pd = pandas()
    tab = _tab(worksheet)
    if not isinstance(dataframe, pd.DataFrame):
        raise CrashError(f"set_with_dataframe writes a DataFrame, got {type(dataframe).__name__}")
    table = _titles(dataframe, include_index) if include_column_header else []
    for label, line in zip(dataframe.index, dataframe.itertuples(index=False, name=None), strict=True):
        table.append([*(_parts(label) if include_index else ()), *line])
    lines = [[_written(value, allow_formulas) for value in line] for line in table]
    height, width = row - 1 + len(lines), col - 1 + max((len(line) for line in lines), default=0)
    sheet = tab.sheet
    rows, columns = max(1, height), max(1, width)
    tab.sheet = sheet.resized(
        rows if resize else max(sheet.rows, rows), columns if resize else max(sheet.columns, columns)
    )
    tab.write_rows(Area(row, col, None, None), lines, user=True)


def _titles(frame: pd.DataFrame, include_index: bool) -> list[list[object]]:
    """Return the rows above a table: one for each level of its column labels."""
    levels = frame.columns.nlevels
    names = ["" if name is None else name for name in frame.index.names] if include_index else []
    columns = [_parts(label) for label in frame.columns]
    if levels == 1:
        return [[*names, *(label for (label,) in columns)]]
    above = ["" if name is None else name for name in frame.columns.names]
    rows: list[list[object]] = [
        [*([above[level]] if names else []), *[""] * (len(names) - 1), *(label[level] for label in columns)]
        for level in range(levels)
    ]
    # The names of the row labels have a row of their own then.
    return [*rows, [*names, *[""] * len(columns)]] if any(names) else rows


def _parts(label: object) -> tuple[object, ...]:
    return label if isinstance(label, tuple) else (label,)


def _written(value: object, allow_formulas: bool) -> bool | int | float | str:
    if isinstance(value, str):
        escaped = value.startswith("'") or (value.startswith("=") and not allow_formulas)
        return f"'{value}" if escaped else value
    if pandas().isna(value):
        return ""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    return str(value)


def _tab(worksheet: object) -> Tab:
    if isinstance(worksheet, SheetHost):
        return worksheet.tab
    raise CrashError(f"a worksheet is wanted, got {type(worksheet).__name__}")


FRAME_FUNCTIONS = {
    "get_as_dataframe": Native("get_as_dataframe", get_as_dataframe, at_least(100, read)),
    "set_with_dataframe": Native(
        "set_with_dataframe",
        set_with_dataframe,
        at_least(50, lambda args, options: 8 * read(args, options)),
    ),
}
"""The functions as programs call them."""
