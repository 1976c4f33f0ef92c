"""Methods that change how a worksheet looks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed
from stb_env.suites.sambanova.google_sheets.formats import checked
from stb_env.suites.sambanova.google_sheets.methods.method import AREA, COUNT, FORMAT, Method, many, said
from stb_env.suites.sambanova.google_sheets.session import Tab


def style_area(tab: Tab, area: Closed, given: JsonMapping) -> None:
    """Set a format in all cells of an area that can hold anything.

    Raises:
        CrashError: It is no format, or the area has too many cells.
    """
    made = checked(given)
    tab.sheet = tab.sheet.style(dict.fromkeys(tab.places(area), made))


def _format(tab: Tab, ranges: str | Iterable[str], format: JsonMapping) -> None:
    for name in [ranges] if isinstance(ranges, str) else list(ranges):
        style_area(tab, _small(tab, name), format)


def _small(tab: Tab, name: str) -> Closed:
    """Return an area; one with an open end goes to the last content, beyond which no look is judged."""
    area = tab.area(name)
    bottom, right = tab.sheet.extent
    sheet = tab.sheet
    return Closed(
        area.top,
        area.left,
        area.bottom if area.bottom < sheet.rows else max(area.top, bottom),
        area.right if area.right < sheet.columns else max(area.left, right),
    )


def _batch_format(tab: Tab, formats: Iterable[object]) -> None:
    for item in list(formats):
        if not isinstance(item, dict) or not {"range", "format"} <= item.keys():
            raise CrashError("batch_format takes dictionaries with 'range' and 'format'")
        _format(tab, item["range"], item["format"])


def _view(tab: Tab, **changes: Any) -> None:
    sheet = tab.sheet
    tab.sheet = replace(sheet, view=replace(sheet.view, **changes))


def _freeze(tab: Tab, rows: int | None = None, cols: int | None = None) -> None:
    if rows is None and cols is None:
        raise CrashError("freeze needs rows or cols")
    given = {"frozen_rows": rows, "frozen_columns": cols}
    for count in given.values():
        if count is not None and not (isinstance(count, int) and 0 <= count < tab.sheet.rows):
            raise CrashError(f"freeze takes a number of rows or columns, got {str(count)[:40]}")
    _view(tab, **{name: count for name, count in given.items() if count is not None})


def _set_filter(tab: Tab, name: str | None = None) -> None:
    area = tab.area(name) if name else Closed(1, 1, tab.sheet.rows, tab.sheet.columns)
    _view(tab, filter=Area(*area))


def _clear_filter(tab: Tab) -> None:
    _view(tab, filter=None)


def _lines(start: int, end: int) -> Iterable[int]:
    """Return lines from 1; gspread counts these from 0, and the end is left out."""
    whole = all(isinstance(number, int) and 0 <= number <= 10_000 for number in (start, end))
    if not whole or end <= start:
        raise CrashError("start and end are numbers from 0, the end left out and after the start")
    return range(start + 1, end + 1)


def _hide_columns(tab: Tab, start: int, end: int) -> None:
    _view(tab, hidden_columns=tab.sheet.view.hidden_columns | set(_lines(start, end)))


def _unhide_columns(tab: Tab, start: int, end: int) -> None:
    _view(tab, hidden_columns=tab.sheet.view.hidden_columns - set(_lines(start, end)))


def _hide_rows(tab: Tab, start: int, end: int) -> None:
    _view(tab, hidden_rows=tab.sheet.view.hidden_rows | set(_lines(start, end)))


def _unhide_rows(tab: Tab, start: int, end: int) -> None:
    _view(tab, hidden_rows=tab.sheet.view.hidden_rows - set(_lines(start, end)))


def _auto_resize(tab: Tab, start: int, end: int) -> None:
    # Sizes are not kept: nothing reads them.
    _lines(start, end)
    _ = tab.sheet


def _group(tab: Tab, dimension: str, start: int, end: int) -> None:
    lines = list(_lines(start, end))
    _view(tab, groups=(*tab.sheet.view.groups, (dimension, lines[0], lines[-1])))


def _ungroup(tab: Tab, dimension: str, start: int, end: int) -> None:
    lines = list(_lines(start, end))
    wanted = (dimension, lines[0], lines[-1])
    if wanted not in tab.sheet.view.groups:
        raise CrashError(f"there is no such group of {dimension.lower()}")
    _view(tab, groups=tuple(group for group in tab.sheet.view.groups if group != wanted))


def _groups(tab: Tab, dimension: str) -> list[JsonObject]:
    return [
        {"range": {"dimension": dimension, "startIndex": first - 1, "endIndex": last}, "depth": 1}
        for kind, first, last in tab.sheet.view.groups
        if kind == dimension
    ]


def _tab_color(tab: Tab, color: object) -> None:
    if not isinstance(color, dict):
        raise CrashError("a color is a dictionary with red, green and blue from 0 to 1")
    _view(tab, tab_color=checked({"backgroundColor": color})["backgroundColor"])


_START = said(COUNT, "The first one, counted from 0.")
_END = said(COUNT, "The one after the last, counted from 0.")
_SPAN = {"start": _START, "end": _END}
METHODS: tuple[Method, ...] = (
    Method(
        "format",
        "Formats areas: make the header row, its titles or a cell bold, italic or centered, or give them a "
        "background color. What a key says replaces what it said before.",
        {"ranges": {"anyOf": [AREA, many(AREA)]}, "format": FORMAT},
        _format,
        2,
    ),
    Method(
        "batch_format",
        "Sets several formats.",
        {
            "formats": many(
                {
                    "type": "object",
                    "properties": {"range": AREA, "format": FORMAT},
                    "required": ["range", "format"],
                }
            )
        },
        _batch_format,
        1,
    ),
    Method(
        "freeze",
        "Freezes the first rows or columns: freeze the header row, so that it stays in sight.",
        {"rows": said(COUNT, "How many rows."), "cols": said(COUNT, "How many columns.")},
        _freeze,
    ),
    Method("set_basic_filter", "Puts a filter on an area; values stay.", {"name": AREA}, _set_filter),
    Method("clear_basic_filter", "Takes the filter away.", {}, _clear_filter),
    Method("columns_auto_resize", "Fits columns to what they hold.", _SPAN, _auto_resize, 2),
    Method("rows_auto_resize", "Fits rows to what they hold.", _SPAN, _auto_resize, 2),
    Method("hide_columns", "Hides columns.", _SPAN, _hide_columns, 2),
    Method("hide_rows", "Hides rows.", _SPAN, _hide_rows, 2),
    Method("unhide_columns", "Shows hidden columns.", _SPAN, _unhide_columns, 2),
    Method("unhide_rows", "Shows hidden rows.", _SPAN, _unhide_rows, 2),
    Method(
        "add_dimension_group_columns",
        "Groups columns.",
        _SPAN,
        lambda tab, start, end: _group(tab, "COLUMNS", start, end),
        2,
    ),
    Method(
        "add_dimension_group_rows",
        "Groups rows.",
        _SPAN,
        lambda tab, start, end: _group(tab, "ROWS", start, end),
        2,
    ),
    Method(
        "delete_dimension_group_columns",
        "Takes a group of columns apart.",
        _SPAN,
        lambda tab, start, end: _ungroup(tab, "COLUMNS", start, end),
        2,
    ),
    Method(
        "delete_dimension_group_rows",
        "Takes a group of rows apart.",
        _SPAN,
        lambda tab, start, end: _ungroup(tab, "ROWS", start, end),
        2,
    ),
    Method(
        "list_dimension_group_columns",
        "Lists the groups of columns.",
        {},
        lambda tab: _groups(tab, "COLUMNS"),
    ),
    Method("list_dimension_group_rows", "Lists the groups of rows.", {}, lambda tab: _groups(tab, "ROWS")),
    Method(
        "update_tab_color",
        "Colours the tab.",
        {"color": {"type": "object", "description": "red, green and blue from 0 to 1."}},
        _tab_color,
        1,
    ),
)
