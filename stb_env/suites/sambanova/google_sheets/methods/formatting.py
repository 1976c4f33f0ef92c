"""Methods that change how a worksheet looks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area
from stb_env.suites.sambanova.google_sheets.formats import checked
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    COUNT,
    FORMAT,
    MethodTable,
    described,
    many,
)
from stb_env.suites.sambanova.google_sheets.session import Tab

METHODS = MethodTable()


@METHODS.add(
    "Formats areas: make the header row, its titles or a cell bold, italic or centered, or give them a "
    "background color. What a key says replaces what it said before."
)
def _format(
    tab: Tab,
    ranges: Annotated[str | Iterable[str], {"anyOf": [AREA, many(AREA)]}],
    format: Annotated[JsonMapping, FORMAT],
) -> None:
    for name in [ranges] if isinstance(ranges, str) else list(ranges):
        # Beyond the last content no look is judged.
        area = tab.used(tab.area(name))
        look = checked(format)
        tab.sheet = tab.sheet.style(dict.fromkeys(tab.places(area), look))


_ITEM = {"type": "object", "properties": {"range": AREA, "format": FORMAT}, "required": ["range", "format"]}


@METHODS.add("Sets several formats.")
def _batch_format(tab: Tab, formats: Annotated[Iterable[object], many(_ITEM)]) -> None:
    for item in list(formats):
        if not isinstance(item, dict) or not {"range", "format"} <= item.keys():
            raise CrashError("batch_format takes dictionaries with 'range' and 'format'")
        _format(tab, item["range"], item["format"])


def _view(tab: Tab, **changes: Any) -> None:
    sheet = tab.sheet
    tab.sheet = replace(sheet, view=replace(sheet.view, **changes))


@METHODS.add("Freezes the first rows or columns: freeze the header row, so that it stays in sight.")
def _freeze(
    tab: Tab,
    rows: Annotated[int | None, described(COUNT, "How many rows.")] = None,
    cols: Annotated[int | None, described(COUNT, "How many columns.")] = None,
) -> None:
    if rows is None and cols is None:
        raise CrashError("freeze needs rows or cols")
    given = {"frozen_rows": rows, "frozen_columns": cols}
    for count in given.values():
        if count is not None and not (isinstance(count, int) and 0 <= count < tab.sheet.rows):
            raise CrashError(f"freeze takes a number of rows or columns, got {str(count)[:40]}")
    _view(tab, **{name: count for name, count in given.items() if count is not None})


@METHODS.add("Puts a filter on an area; values stay.", name="set_basic_filter")
def _set_filter(tab: Tab, name: Annotated[str | None, AREA] = None) -> None:
    _view(tab, filter=Area(*tab.area_or_grid(name)))


@METHODS.add("Takes the filter away.", name="clear_basic_filter")
def _clear_filter(tab: Tab) -> None:
    _view(tab, filter=None)


_SPAN = {
    "start": described(COUNT, "The first one, counted from 0."),
    "end": described(COUNT, "The one after the last, counted from 0."),
}
Start = Annotated[int, _SPAN["start"]]
End = Annotated[int, _SPAN["end"]]


def _lines(start: int, end: int) -> range:
    """Return lines from 1; gspread counts these from 0, and the end is left out."""
    whole = all(isinstance(number, int) and 0 <= number <= 10_000 for number in (start, end))
    if not whole or end <= start:
        raise CrashError("start and end are numbers from 0, the end left out and after the start")
    return range(start + 1, end + 1)


@METHODS.add("Fits rows to what they hold.", name="rows_auto_resize")
@METHODS.add("Fits columns to what they hold.", name="columns_auto_resize")
def _auto_resize(tab: Tab, start: Start, end: End) -> None:
    # Sizes are not kept: nothing reads them.
    _lines(start, end)
    _ = tab.sheet


@METHODS.add("Hides columns.", steps=20)
def _hide_columns(tab: Tab, start: Start, end: End) -> None:
    _view(tab, hidden_columns=tab.sheet.view.hidden_columns | set(_lines(start, end)))


@METHODS.add("Hides rows.", steps=20)
def _hide_rows(tab: Tab, start: Start, end: End) -> None:
    _view(tab, hidden_rows=tab.sheet.view.hidden_rows | set(_lines(start, end)))


@METHODS.add("Shows hidden columns.", steps=20)
def _unhide_columns(tab: Tab, start: Start, end: End) -> None:
    _view(tab, hidden_columns=tab.sheet.view.hidden_columns - set(_lines(start, end)))


@METHODS.add("Shows hidden rows.", steps=20)
def _unhide_rows(tab: Tab, start: Start, end: End) -> None:
    _view(tab, hidden_rows=tab.sheet.view.hidden_rows - set(_lines(start, end)))


def _group(tab: Tab, dimension: str, start: int, end: int) -> None:
    lines = _lines(start, end)
    _view(tab, groups=(*tab.sheet.view.groups, (dimension, lines[0], lines[-1])))


def _ungroup(tab: Tab, dimension: str, start: int, end: int) -> None:
    lines = _lines(start, end)
    wanted = (dimension, lines[0], lines[-1])
    if wanted not in tab.sheet.view.groups:
        raise CrashError(f"there is no such group of {dimension.lower()}")
    _view(tab, groups=tuple(group for group in tab.sheet.view.groups if group != wanted))


def _groups(tab: Tab, dimension: str) -> list[dict[str, object]]:
    return [
        {"range": {"dimension": dimension, "startIndex": first - 1, "endIndex": last}, "depth": 1}
        for kind, first, last in tab.sheet.view.groups
        if kind == dimension
    ]


METHODS.add("Groups columns.", _SPAN, name="add_dimension_group_columns", steps=20)(
    lambda tab, start, end: _group(tab, "COLUMNS", start, end)
)
METHODS.add("Groups rows.", _SPAN, name="add_dimension_group_rows", steps=20)(
    lambda tab, start, end: _group(tab, "ROWS", start, end)
)
METHODS.add("Takes a group of columns apart.", _SPAN, name="delete_dimension_group_columns", steps=20)(
    lambda tab, start, end: _ungroup(tab, "COLUMNS", start, end)
)
METHODS.add("Takes a group of rows apart.", _SPAN, name="delete_dimension_group_rows", steps=20)(
    lambda tab, start, end: _ungroup(tab, "ROWS", start, end)
)
METHODS.add("Lists the groups of columns.", name="list_dimension_group_columns", steps=20)(
    lambda tab: _groups(tab, "COLUMNS")
)
METHODS.add("Lists the groups of rows.", name="list_dimension_group_rows", steps=20)(
    lambda tab: _groups(tab, "ROWS")
)


@METHODS.add("Colours the tab.", name="update_tab_color")
def _tab_color(
    tab: Tab, color: Annotated[object, {"type": "object", "description": "red, green and blue from 0 to 1."}]
) -> None:
    if not isinstance(color, dict):
        raise CrashError("a color is a dictionary with red, green and blue from 0 to 1")
    _view(tab, tab_color=checked({"backgroundColor": color})["backgroundColor"])
