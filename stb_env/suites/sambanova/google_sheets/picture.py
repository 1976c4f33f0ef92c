"""A picture of the spreadsheet: its worksheets below each other."""

from __future__ import annotations

from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.picture import BLACK, LINE, Color, Picture
from stb_env.suites.sambanova.google_sheets.a1 import letters
from stb_env.suites.sambanova.google_sheets.formats import effective
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import shown

WIDTH, HEIGHT = 720, 480
"""Columns and rows of pixels, whatever the spreadsheet's size."""

_HEAD = 32
_CELL = 86
_COLUMNS = (WIDTH - _HEAD) // _CELL
_GREY: Color = (241, 243, 244)
_GRID: Color = (218, 220, 224)


class _Style(TypedDict, total=False):
    color: Color
    bold: bool
    right: bool


def picture(book: Book) -> NDArray[np.uint8]:
    """Return the worksheets that hold something, in order, as far as there is room.

    Cells show their values in their colours; the title says how many rows and columns are left out.

    Examples:
        >>> from stb_env.suites.sambanova.google_sheets.sheet import book_of
        >>> one, other = picture(book_of([["a", 1]])), picture(book_of([["a", 2]]))
        >>> one.shape, bool((one == other).all())
        ((480, 720, 3), False)
    """
    drawn, results, top = Picture(WIDTH, HEIGHT), Results(book), 2
    for sheet in book.sheets:
        if sheet.cells or sheet.formats:
            top = _draw(drawn, results, sheet, top)
    return drawn.pixels


def _draw(drawn: Picture, results: Results, sheet: Sheet, top: int) -> int:
    """Draw a worksheet from a row of pixels on; returns the row below it."""
    places = [*sheet.cells, *sheet.formats]
    rows, columns = max(row for row, _ in places), max(column for _, column in places)
    room = max(0, (HEIGHT - top) // LINE - 3)
    left_out = [
        f"{count} more {what}"
        for count, what in ((rows - room, "rows"), (columns - _COLUMNS, "columns"))
        if count > 0
    ]
    drawn.text(4, top + 1, " · ".join([sheet.title, *left_out]), width=WIDTH - 8, bold=True)
    top += LINE
    rows, columns = min(rows, room), min(columns, _COLUMNS)
    for column in range(1, columns + 1):
        _cell(drawn, _HEAD + (column - 1) * _CELL, top, _CELL, letters(column), _GREY)
    for row in range(1, rows + 1):
        _cell(drawn, 0, top + row * LINE, _HEAD, str(row), _GREY)
        for column in range(1, columns + 1):
            place = (row, column)
            value = results.value(sheet, place)
            look = effective(sheet.formats.get(place), value)
            text = shown(value, look.get("numberFormat"))
            _styled(drawn, _HEAD + (column - 1) * _CELL, top + row * LINE, text, look)
    return top + (rows + 1) * LINE + LINE // 2


def _styled(drawn: Picture, left: int, top: int, text: str, look: JsonMapping) -> None:
    style = look.get("textFormat", {})
    color = _color(style["foregroundColor"]) if style.get("foregroundColor") else BLACK
    fill, right = _color(look.get("backgroundColor", {})), look.get("horizontalAlignment") == "RIGHT"
    _cell(drawn, left, top, _CELL, text, fill, color=color, bold=bool(style.get("bold")), right=right)


def _cell(
    drawn: Picture, left: int, top: int, width: int, text: str, fill: Color, **style: Unpack[_Style]
) -> None:
    # One pixel wider and higher, so that neighbours share an edge.
    drawn.box(left, top, width + 1, LINE + 1, fill, _GRID)
    drawn.text(left + 4, top + 2, text, width=width - 8, **style)


def _color(given: JsonMapping) -> Color:
    red, green, blue = (
        round(255 * min(1.0, max(0.0, float(given.get(part, 0.0))))) for part in ("red", "green", "blue")
    )
    return red, green, blue
