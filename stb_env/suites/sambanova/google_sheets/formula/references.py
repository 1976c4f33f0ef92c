"""Updates the references of formulas when rows and columns are inserted, deleted or copied."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from stb_env.suites.sambanova.google_sheets.a1 import column_of, letters
from stb_env.suites.sambanova.google_sheets.formula.parser import with_areas

_SIDE = re.compile(r"(\$?)([A-Za-z]{1,3})?(\$?)([1-9]\d*)?")

GONE = "#REF!"

Line = Callable[[int, bool], int | None]
"""New number of a row or column from the old one and whether it ends an area; None where it is gone."""


class _Side(NamedTuple):
    """One corner of an area as it is written; parts that are not written are empty."""

    column_mark: str
    column: str
    row_mark: str
    row: str

    @property
    def text(self) -> str:
        return "".join(self)


def shifted(formula: str, title: str, *, own: bool, rows: Line | None, columns: Line | None) -> str:
    """Return a formula after lines of a worksheet moved.

    Args:
        formula: The formula.
        title: The worksheet whose lines moved.
        own: Whether the formula stands in that worksheet.
        rows: Where rows went, if they moved.
        columns: Where columns went.

    Examples:
        >>> down = inserted(2, 1)
        >>> shifted("=SUM(A1:A3)+B1+Other!A3", "Data", own=True, rows=down, columns=None)
        '=SUM(A1:A4)+B1+Other!A3'
        >>> shifted("=A2+A3", "Data", own=True, rows=deleted(2, 2), columns=None)
        '=#REF!+A2'
    """

    def change(text: str) -> str:
        sheet, mark, area = text.rpartition("!")
        if (sheet.strip("'") != title) if mark else not own:
            return text
        moved = _moved(area, rows, columns)
        return moved if moved == GONE else sheet + mark + moved

    return with_areas(formula, change)


def inserted(at: int, count: int) -> Line:
    """Return where lines go when others are put before one."""
    return lambda line, _is_end: line + count if line >= at else line


def deleted(first: int, last: int) -> Line:
    """Return where lines go when some are taken out; an area shrinks to what is left of it."""

    def line_of(line: int, is_end: bool) -> int | None:
        if line < first:
            return line
        if line > last:
            return line - (last - first + 1)
        return first - 1 if is_end else None

    return line_of


def relocated(formula: str, down: int, right: int) -> str:
    """Return a formula as it reads after being copied somewhere else; ``$`` holds a row or column fast.

    Examples:
        >>> relocated("=A1*$B$1", 2, 1)
        '=B3*$B$1'
    """

    def change(text: str) -> str:
        sheet, mark, area = text.rpartition("!")
        sides = [_carried(_read(side), down, right) for side in area.split(":")]
        if any(side is None for side in sides):
            return GONE
        return sheet + mark + ":".join(side.text for side in sides if side is not None)

    return with_areas(formula, change)


def _read(side: str) -> _Side:
    match = _SIDE.fullmatch(side)
    return _Side(*match.groups(default="")) if match else _Side("", "", "", "")


def _carried(side: _Side, down: int, right: int) -> _Side | None:
    # The mark before a lone row is read as that of the column.
    row_mark = side.row_mark or ("" if side.column else side.column_mark)
    if side.column and not side.column_mark:
        column = column_of(side.column) + right
        if column < 1:
            return None
        side = side._replace(column=letters(column))
    if side.row and not row_mark:
        row = int(side.row) + down
        if row < 1:
            return None
        side = side._replace(row=str(row))
    return side


def _moved(area: str, rows: Line | None, columns: Line | None) -> str:
    start, *end = (_read(side) for side in area.split(":"))
    for line, name in ((rows, "row"), (columns, "column")):
        old, old_last = getattr(start, name), getattr(end[0], name) if end else ""
        if line is None or not (old or old_last):
            continue
        # An area begins where what was deleted began, if anything is left of it.
        first = (
            _first_left(old, old_last, line) if old and end else line(_number(old), False) if old else None
        )
        last = line(_number(old_last), True) if old_last else None
        if (old and first is None) or (first is not None and last is not None and last < first):
            return GONE
        if first is not None:
            start = start._replace(**{name: _written(first, name)})
        if last is not None:
            end = [end[0]._replace(**{name: _written(last, name)})]
    return ":".join(side.text for side in (start, *end))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else column_of(text)


def _first_left(start: str, end: str, line: Line) -> int | None:
    """Return where the first line of an area goes that is still there."""
    last = _number(end) if end else _number(start) + 10_000
    lines = (line(number, False) for number in range(_number(start), last + 1))
    return next((found for found in lines if found is not None), None)


def _written(number: int, name: str) -> str:
    return str(number) if name == "row" else letters(number)
