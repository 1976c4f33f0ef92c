"""Methods of the spreadsheet, which programs know as ``sheet``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Area, read_area
from stb_env.suites.sambanova.google_sheets.methods.batch_requests import run_requests
from stb_env.suites.sambanova.google_sheets.methods.method import (
    AREAS,
    BODY,
    COUNT,
    LINE,
    TEXT,
    AreaName,
    Count,
    MethodTable,
    Text,
    described,
    many,
)
from stb_env.suites.sambanova.google_sheets.session import Session, Tab, grid_rows, is_user_entered

Range = Annotated[str, described(TEXT, "An area with its sheet, such as 'sheet_1!A1:B2'.")]
SheetId = Annotated[int, described(COUNT, "Id of the worksheet.")]
Body = Annotated[JsonMapping | None, described(BODY, "A dictionary with rows of 'values'.")]
Params = Annotated[
    JsonMapping | None, described(BODY, "Options, such as {'valueInputOption': 'USER_ENTERED'}.")
]
METHODS = MethodTable()
METHODS.add(
    "Carries out requests of the Sheets service: updateCells, also to build a pivot table (pivotTable) with "
    "the sum of values in rows for each group, repeatCell, sortRange, mergeCells, unmergeCells, "
    "insertDimension, deleteDimension, addSheet.",
    {"body": described(BODY, "A dictionary with a list of 'requests'.")},
    name="batch_update",
)(run_requests)


def _of(session: Session, name: str) -> tuple[Tab, Area]:
    """Return the worksheet and the area of a name such as ``sheet_1!A1:B2``; the first sheet by default."""
    title, mark, area = str(name).rpartition("!")
    if mark:
        return session.titled(title.strip("'")), read_area(area)
    if any(sheet.title == area for sheet in session.book.sheets):
        return session.titled(area), Area(1, 1, None, None)
    return Tab(session, session.book.sheets[0].id), read_area(area)


@METHODS.add("Reads an area.", reads=True)
def _values_get(session: Session, range: Range, params: Params = None) -> JsonObject:
    tab, area = _of(session, range)
    closed = area.within(tab.sheet.rows, tab.sheet.columns)
    rendering = (params or {}).get("valueRenderOption")
    return {
        "range": tab.named(closed.label),
        "majorDimension": "ROWS",
        "values": tab.texts(closed, rendering),
    }


@METHODS.add("Reads several areas.", reads=True)
def _values_batch_get(
    session: Session, ranges: Annotated[Iterable[str], AREAS], params: Params = None
) -> JsonObject:
    return {"valueRanges": [_values_get(session, name, params) for name in ranges]}


def _given(
    params: Mapping[str, object] | None, body: Mapping[str, object] | None
) -> tuple[list[list[object]], bool]:
    """Return rows to write, and whether they are read as what a user types."""
    rows = grid_rows((body or {}).get("values", []), "body['values']")
    return rows, is_user_entered((params or {}).get("valueInputOption"))


@METHODS.add("Writes an area.", required=3)
def _values_update(session: Session, range: Range, params: Params = None, body: Body = None) -> JsonObject:
    tab, area = _of(session, range)
    rows, user = _given(params, body)
    return {"updatedRange": tab.named(tab.write_rows(area, rows, user=user).label)}


@METHODS.add("Writes rows below what a worksheet holds.")
def _values_append(session: Session, range: Range, params: Params, body: Body) -> JsonObject:
    tab, _ = _of(session, range)
    rows, user = _given(params, body)
    top = tab.sheet.extent[0] + 1
    left = min((column for _, column in tab.sheet.cells), default=1)
    tab.grow(top + len(rows) - 1)
    written = tab.write_rows(Area(top, left, None, None), rows, user=user)
    return {"updates": {"updatedRange": tab.named(written.label)}}


@METHODS.add("Writes several areas.")
def _values_batch_update(
    session: Session,
    body: Annotated[
        JsonMapping | None, described(BODY, "'valueInputOption', and 'data' with 'range' and 'values' each.")
    ],
) -> JsonObject:
    data = (body or {}).get("data", [])
    params = {"valueInputOption": (body or {}).get("valueInputOption")}
    return {"responses": [_values_update(session, item["range"], params, item) for item in data]}


@METHODS.add("Removes the values of an area.")
def _values_clear(session: Session, range: Range) -> None:
    tab, area = _of(session, range)
    tab.clear(area.within(tab.sheet.rows, tab.sheet.columns))


@METHODS.add("Removes the values of several areas.", required=2)
def _values_batch_clear(
    session: Session,
    params: Params = None,
    body: Annotated[JsonMapping | None, described(BODY, "A dictionary with 'ranges'.")] = None,
) -> None:
    for name in (body or params or {}).get("ranges", ()):
        _values_clear(session, name)


@METHODS.add("Describes the worksheets.", name="fetch_sheet_metadata", reads=True)
def _metadata(session: Session, params: Params = None) -> JsonObject:  # noqa: ARG001
    sheets = [
        {
            "properties": {
                "sheetId": sheet.id,
                "title": sheet.title,
                "index": index,
                "gridProperties": {"rowCount": sheet.rows, "columnCount": sheet.columns},
            }
        }
        for index, sheet in enumerate(session.book.sheets)
    ]
    return {"spreadsheetId": "embedded", "properties": {"title": session.book.title}, "sheets": sheets}


@METHODS.add("Gives the worksheet at a position.", reads=True)
def _get_worksheet(session: Session, index: Count) -> Tab:
    sheets = session.book.sheets
    if not isinstance(index, int) or not -len(sheets) <= index < len(sheets):
        raise CrashError(f"WorksheetNotFound: index {str(index)[:20]}; there are {len(sheets)} worksheets")
    return Tab(session, sheets[index].id)


@METHODS.add("Gives the worksheet of an id.", name="get_worksheet_by_id", reads=True)
def _by_id(session: Session, id: SheetId) -> Tab:
    return Tab(session, session.book.sheet(id).id)


@METHODS.add("Gives all worksheets with their ids, which pivot table requests name.", reads=True)
def _worksheets(session: Session) -> list[Tab]:
    return [Tab(session, sheet.id) for sheet in session.book.sheets]


@METHODS.add("Gives the worksheet of a title.", reads=True)
def _worksheet(session: Session, title: Text) -> Tab:
    return session.titled(title)


@METHODS.add(
    "Adds a new, empty worksheet: add one for a pivot table, for a row on each group, for rows that move "
    "there.",
    name="add_worksheet",
)
def _add(
    session: Session,
    title: Text,
    rows: Annotated[int | str, LINE],
    cols: Annotated[int | str, LINE],
    index: Annotated[int | None, COUNT] = None,
) -> Tab:
    try:
        session.book, sheet = session.book.added(title, int(rows), int(cols), index)
    except (TypeError, ValueError) as error:
        raise CrashError("rows and cols of a worksheet are numbers") from error
    return Tab(session, sheet.id)


@METHODS.add("Copies a worksheet.", name="duplicate_sheet")
def _duplicate(
    session: Session,
    source_sheet_id: SheetId,
    insert_sheet_index: Annotated[int | None, COUNT] = None,
    new_sheet_id: Annotated[int | None, COUNT] = None,  # noqa: ARG001 (ids are given in order here)
    new_sheet_name: Annotated[str | None, TEXT] = None,
) -> Tab:
    return session.copy(session.book.sheet(source_sheet_id), new_sheet_name, insert_sheet_index)


def _tab(session: Session, worksheet: object) -> Tab:
    """Return the worksheet that a program holds, or a tool call names."""
    if isinstance(worksheet, str):
        return session.titled(worksheet)
    tab = getattr(worksheet, "tab", worksheet)
    if not isinstance(tab, Tab):
        raise CrashError(f"a worksheet is wanted, got {type(worksheet).__name__}")
    return tab


@METHODS.add("Deletes a worksheet.", name="del_worksheet")
def _delete(session: Session, worksheet: Annotated[object, described(TEXT, "Its title.")]) -> None:
    _delete_by_id(session, _tab(session, worksheet).sheet.id)


@METHODS.add("Deletes the worksheet of an id.", name="del_worksheet_by_id")
def _delete_by_id(session: Session, worksheet_id: SheetId) -> None:
    session.book.sheet(worksheet_id)
    if len(session.book.sheets) == 1:
        raise CrashError("the only worksheet of a spreadsheet cannot be deleted")
    left = tuple(sheet for sheet in session.book.sheets if sheet.id != worksheet_id)
    session.book = replace(session.book, sheets=left)


@METHODS.add("Puts worksheets into an order.", name="reorder_worksheets")
def _reorder(
    session: Session, worksheets_in_desired_order: Annotated[Iterable[object], many(TEXT, "Titles.")]
) -> None:
    wanted = [_tab(session, each).sheet.id for each in worksheets_in_desired_order]
    rest = [sheet.id for sheet in session.book.sheets if sheet.id not in wanted]
    sheets = tuple(session.book.sheet(sheet_id) for sheet_id in dict.fromkeys([*wanted, *rest]))
    session.book = replace(session.book, sheets=sheets)


@METHODS.add("Reads a named area.", reads=True)
def _named_range(session: Session, named_range: AreaName) -> list[str]:
    if named_range not in session.book.names:
        raise CrashError(f"no area is named {str(named_range)[:60]!r}")
    owner, area = session.book.names[named_range]
    tab = Tab(session, owner)
    return [tab.text(place) for place in tab.places(area)]


@METHODS.add("Lists the named areas.", name="list_named_ranges", reads=True)
def _names(session: Session) -> list[JsonMapping]:
    return [
        {"namedRangeId": name, "name": name, "range": {"sheetId": owner, "a1": area.label}}
        for name, (owner, area) in session.book.names.items()
    ]


@METHODS.add("Renames the spreadsheet.", name="update_title")
def _rename(session: Session, title: Text) -> None:
    session.book = replace(session.book, title=str(title)[:100])


@METHODS.add("Lists the protected areas.", name="list_protected_ranges", reads=True)
def _protected(session: Session, sheetid: SheetId) -> list[JsonMapping]:
    return [
        {"protectedRangeId": number, "range": {"sheetId": sheetid, "a1": area.label}}
        for number, area in session.book.sheet(sheetid).protected.items()
    ]
