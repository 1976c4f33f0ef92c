"""Methods of the spreadsheet, which programs know as ``sheet``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from stb_env.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, read_area
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREA,
    AREAS,
    BODY,
    COUNT,
    LINE,
    TEXT,
    Method,
    many,
    said,
)
from stb_env.suites.sambanova.google_sheets.requests import run_requests
from stb_env.suites.sambanova.google_sheets.session import Session, Tab, grid_rows, is_user_entered


def _of(session: Session, name: str) -> tuple[Tab, Area]:
    """Return the worksheet and the area of a name such as ``sheet_1!A1:B2``; the first sheet by default."""
    title, mark, area = str(name).rpartition("!")
    if mark:
        tab = Tab(session, session.book.titled(title.strip("'")).id)
        return tab, read_area(area)
    titles = [sheet.title for sheet in session.book.sheets]
    if area in titles:
        return Tab(session, session.book.titled(area).id), Area(1, 1, None, None)
    return Tab(session, session.book.sheets[0].id), read_area(area)


def _values_get(session: Session, range: str, params: JsonMapping | None = None) -> JsonObject:
    tab, area = _of(session, range)
    closed = area.within(tab.sheet.rows, tab.sheet.columns)
    rendering = (params or {}).get("valueRenderOption")
    return {
        "range": f"{tab.sheet.title}!{closed.label}",
        "majorDimension": "ROWS",
        "values": tab.texts(closed, rendering),
    }


def _values_batch_get(
    session: Session, ranges: Iterable[str], params: JsonMapping | None = None
) -> JsonObject:
    return {"valueRanges": [_values_get(session, name, params) for name in ranges]}


def _values_update(
    session: Session, range: str, params: JsonMapping | None = None, body: JsonMapping | None = None
) -> JsonObject:
    tab, area = _of(session, range)
    rows = grid_rows((body or {}).get("values", []), "body['values']")
    user = is_user_entered(True, (params or {}).get("valueInputOption"))
    written = tab.write_rows(area, rows, user=user)
    return {"updatedRange": f"{tab.sheet.title}!{written.label}"}


def _values_append(
    session: Session, range: str, params: JsonMapping | None, body: JsonMapping | None
) -> JsonObject:
    tab, _ = _of(session, range)
    rows = grid_rows((body or {}).get("values", []), "body['values']")
    user = is_user_entered(True, (params or {}).get("valueInputOption"))
    places = tab.sheet.cells
    top = tab.sheet.extent[0] + 1
    left = min((column for _, column in places), default=1)
    if top + len(rows) - 1 > tab.sheet.rows:
        tab.sheet = tab.sheet.resized(top + len(rows) - 1, tab.sheet.columns)
    written = tab.write_rows(Area(top, left, None, None), rows, user=user)
    return {"updates": {"updatedRange": f"{tab.sheet.title}!{written.label}"}}


def _values_batch_update(session: Session, body: JsonMapping | None) -> JsonObject:
    data = (body or {}).get("data", [])
    params = {"valueInputOption": (body or {}).get("valueInputOption")}
    return {"responses": [_values_update(session, item["range"], params, item) for item in data]}


def _values_clear(session: Session, range: str) -> None:
    tab, area = _of(session, range)
    closed = area.within(tab.sheet.rows, tab.sheet.columns)
    tab.enter({place: None for place in tab.sheet.cells if closed.has(place)}, user=False)


def _values_batch_clear(
    session: Session, params: JsonMapping | None = None, body: JsonMapping | None = None
) -> None:
    for name in (body or params or {}).get("ranges", ()):
        _values_clear(session, name)


def _metadata(session: Session, params: object = None) -> JsonObject:  # noqa: ARG001
    return {
        "spreadsheetId": "embedded",
        "properties": {"title": session.book.title},
        "sheets": [
            {
                "properties": {
                    "sheetId": sheet.id,
                    "title": sheet.title,
                    "index": index,
                    "gridProperties": {"rowCount": sheet.rows, "columnCount": sheet.columns},
                }
            }
            for index, sheet in enumerate(session.book.sheets)
        ],
    }


def _get_worksheet(session: Session, index: int) -> Tab:
    sheets = session.book.sheets
    if not isinstance(index, int) or not -len(sheets) <= index < len(sheets):
        raise CrashError(f"WorksheetNotFound: index {str(index)[:20]}; there are {len(sheets)} worksheets")
    return Tab(session, sheets[index].id)


def _by_id(session: Session, id: int) -> Tab:
    return Tab(session, session.book.sheet(id).id)


def _worksheets(session: Session) -> list[Tab]:
    return [Tab(session, sheet.id) for sheet in session.book.sheets]


def _worksheet(session: Session, title: str) -> Tab:
    return Tab(session, session.book.titled(title).id)


def _add(session: Session, title: str, rows: int | str, cols: int | str, index: int | None = None) -> Tab:
    try:
        session.book, sheet = session.book.added(title, int(rows), int(cols), index)
    except (TypeError, ValueError) as error:
        raise CrashError("rows and cols of a worksheet are numbers") from error
    return Tab(session, sheet.id)


def _duplicate(
    session: Session,
    source_sheet_id: int,
    insert_sheet_index: int | None = None,
    new_sheet_id: int | None = None,  # noqa: ARG001 (ids are given in order here)
    new_sheet_name: str | None = None,
) -> Tab:
    source = session.book.sheet(source_sheet_id)
    title = new_sheet_name or f"Copy of {source.title}"
    session.book, sheet = session.book.inserted(replace(source, title=title), insert_sheet_index)
    return Tab(session, sheet.id)


def _tab(session: Session, worksheet: object) -> Tab:
    """Return the worksheet that a program holds, or a tool call names."""
    if isinstance(worksheet, str):
        return _worksheet(session, worksheet)
    tab = getattr(worksheet, "tab", worksheet)
    if not isinstance(tab, Tab):
        raise CrashError(f"a worksheet is wanted, got {type(worksheet).__name__}")
    return tab


def _delete(session: Session, worksheet: object) -> None:
    _delete_by_id(session, _tab(session, worksheet).sheet.id)


def _delete_by_id(session: Session, worksheet_id: int) -> None:
    session.book.sheet(worksheet_id)
    if len(session.book.sheets) == 1:
        raise CrashError("the only worksheet of a spreadsheet cannot be deleted")
    left = tuple(sheet for sheet in session.book.sheets if sheet.id != worksheet_id)
    session.book = replace(session.book, sheets=left)


def _reorder(session: Session, worksheets_in_desired_order: Iterable[object]) -> None:
    wanted = [_tab(session, each).sheet.id for each in worksheets_in_desired_order]
    rest = [sheet.id for sheet in session.book.sheets if sheet.id not in wanted]
    sheets = tuple(session.book.sheet(sheet_id) for sheet_id in dict.fromkeys([*wanted, *rest]))
    session.book = replace(session.book, sheets=sheets)


def _named_range(session: Session, named_range: str) -> JsonArray:
    if named_range not in session.book.names:
        raise CrashError(f"no area is named {str(named_range)[:60]!r}")
    owner, area = session.book.names[named_range]
    tab = Tab(session, owner)
    return [tab.text(place) for place in tab.places(area)]


def _names(session: Session) -> list[JsonMapping]:
    return [
        {"namedRangeId": name, "name": name, "range": {"sheetId": owner, "a1": area.label}}
        for name, (owner, area) in session.book.names.items()
    ]


def _rename(session: Session, title: str) -> None:
    session.book = replace(session.book, title=str(title)[:100])


def _protected(session: Session, sheetid: int) -> list[JsonMapping]:
    return [
        {"protectedRangeId": number, "range": {"sheetId": sheetid, "a1": area.label}}
        for number, area in session.book.sheet(sheetid).protected.items()
    ]


_NAME = said(TEXT, "An area with its sheet, such as 'sheet_1!A1:B2'.")
_ID = said(COUNT, "Id of the worksheet.")
_VALUES = said(BODY, "A dictionary with rows of 'values'.")
_PARAMS = said(BODY, "Options, such as {'valueInputOption': 'USER_ENTERED'}.")
METHODS: tuple[Method, ...] = (
    Method(
        "batch_update",
        "Carries out requests of the Sheets service: updateCells, also to build a pivot table "
        "(pivotTable) with the sum of values in rows for each group, repeatCell, sortRange, "
        "mergeCells, unmergeCells, insertDimension, deleteDimension, addSheet.",
        {"body": said(BODY, "A dictionary with a list of 'requests'.")},
        run_requests,
        1,
    ),
    Method("values_get", "Reads an area.", {"range": _NAME, "params": _PARAMS}, _values_get, 1),
    Method(
        "values_batch_get", "Reads several areas.", {"ranges": AREAS, "params": _PARAMS}, _values_batch_get, 1
    ),
    Method(
        "values_update",
        "Writes an area.",
        {"range": _NAME, "params": _PARAMS, "body": _VALUES},
        _values_update,
        3,
    ),
    Method(
        "values_append",
        "Writes rows below what a worksheet holds.",
        {"range": _NAME, "params": _PARAMS, "body": _VALUES},
        _values_append,
        3,
    ),
    Method(
        "values_batch_update",
        "Writes several areas.",
        {"body": said(BODY, "'valueInputOption', and 'data' with 'range' and 'values' each.")},
        _values_batch_update,
        1,
    ),
    Method("values_clear", "Removes the values of an area.", {"range": _NAME}, _values_clear, 1),
    Method(
        "values_batch_clear",
        "Removes the values of several areas.",
        {"params": _PARAMS, "body": said(BODY, "A dictionary with 'ranges'.")},
        _values_batch_clear,
        2,
    ),
    Method("fetch_sheet_metadata", "Describes the worksheets.", {"params": _PARAMS}, _metadata),
    Method("get_worksheet", "Gives the worksheet at a position.", {"index": COUNT}, _get_worksheet, 1),
    Method("get_worksheet_by_id", "Gives the worksheet of an id.", {"id": _ID}, _by_id, 1),
    Method(
        "worksheets", "Gives all worksheets with their ids, which pivot table requests name.", {}, _worksheets
    ),
    Method("worksheet", "Gives the worksheet of a title.", {"title": TEXT}, _worksheet, 1),
    Method(
        "add_worksheet",
        "Adds a new, empty worksheet: add one for a pivot table, for a row on each group, for rows "
        "that move there.",
        {"title": TEXT, "rows": LINE, "cols": LINE, "index": COUNT},
        _add,
        3,
    ),
    Method(
        "duplicate_sheet",
        "Copies a worksheet.",
        {
            "source_sheet_id": _ID,
            "insert_sheet_index": COUNT,
            "new_sheet_id": COUNT,
            "new_sheet_name": TEXT,
        },
        _duplicate,
        1,
    ),
    Method("del_worksheet", "Deletes a worksheet.", {"worksheet": said(TEXT, "Its title.")}, _delete, 1),
    Method("del_worksheet_by_id", "Deletes the worksheet of an id.", {"worksheet_id": _ID}, _delete_by_id, 1),
    Method(
        "reorder_worksheets",
        "Puts worksheets into an order.",
        {"worksheets_in_desired_order": many(TEXT, "Titles.")},
        _reorder,
        1,
    ),
    Method("named_range", "Reads a named area.", {"named_range": AREA}, _named_range, 1),
    Method("list_named_ranges", "Lists the named areas.", {}, _names),
    Method("update_title", "Renames the spreadsheet.", {"title": TEXT}, _rename, 1),
    Method("list_protected_ranges", "Lists the protected areas.", {"sheetid": _ID}, _protected, 1),
)
