"""The requests of a spreadsheet's ``batch_update``, as far as they are carried out here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.google_sheets import structure
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed
from stb_env.suites.sambanova.google_sheets.formats import checked
from stb_env.suites.sambanova.google_sheets.pivot import pivot_table
from stb_env.suites.sambanova.google_sheets.session import Session, Tab
from stb_env.suites.sambanova.google_sheets.values import Content, Formula, raw

Request = JsonMapping

_VALUES = ("stringValue", "numberValue", "boolValue")


def run_requests(session: Session, body: object) -> JsonObject:
    """Carry out requests, in order.

    Args:
        session: The spreadsheet.
        body: A dictionary with a list ``requests``.

    Raises:
        CrashError: One is malformed, or is none of those that are carried out here.
    """
    requests = body.get("requests") if isinstance(body, Mapping) else None
    if isinstance(requests, Mapping):
        requests = [requests]
    if not isinstance(requests, list) or not requests:
        raise CrashError("batch_update takes a dictionary with a list 'requests'")
    for request in requests:
        if not isinstance(request, Mapping) or len(request) != 1:
            raise CrashError("each request is a dictionary with one kind of request")
        ((kind, content),) = request.items()
        run = _KINDS.get(kind)
        if run is None:
            raise UnsupportedError(
                f"unsupported: the request {str(kind)[:60]!r}; there are {', '.join(_KINDS)}"
            )
        try:
            run(session, content)
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            raise CrashError(f"{kind} is malformed: {type(error).__name__} {error}") from error
    return {"spreadsheetId": "embedded", "replies": [{} for _ in requests]}


def _tab(session: Session, sheet_id: int | str) -> Tab:
    tab = Tab(session, int(sheet_id))
    _ = tab.sheet
    return tab


def _area(tab: Tab, given: JsonMapping) -> Closed:
    """Return the area of a grid range, whose ends count from 0 and leave the last line out."""
    sheet = tab.sheet
    return Closed(
        int(given.get("startRowIndex", 0)) + 1,
        int(given.get("startColumnIndex", 0)) + 1,
        min(int(given.get("endRowIndex", sheet.rows)), sheet.rows),
        min(int(given.get("endColumnIndex", sheet.columns)), sheet.columns),
    )


def _of(session: Session, content: Request) -> tuple[Tab, Closed]:
    given = content["range"]
    tab = _tab(session, given.get("sheetId", 0))
    return tab, _area(tab, given)


def _content(cell: JsonMapping) -> Content | None:
    given = cell.get("userEnteredValue", {})
    if given.get("formulaValue") is not None:
        return Formula(str(given["formulaValue"]))
    return next((raw(given[name]) for name in _VALUES if given.get(name) is not None), None)


def _repeat_cell(session: Session, content: Request) -> None:
    tab, area = _of(session, content)
    bottom, right = tab.sheet.extent
    area = area._replace(
        bottom=min(area.bottom, max(bottom, area.top)) if area.bottom == tab.sheet.rows else area.bottom,
        right=min(area.right, max(right, area.left)) if area.right == tab.sheet.columns else area.right,
    )
    _put(tab, {place: dict(content["cell"]) for place in tab.places(area)}, str(content.get("fields", "*")))


def _put(tab: Tab, cells: Mapping[tuple[int, int], JsonMapping], fields: str) -> None:
    if "userEnteredValue" in fields or fields == "*":
        tab.sheet = tab.sheet.write({place: _content(cell) for place, cell in cells.items()})
    if "userEnteredFormat" in fields or fields == "*":
        named = fields.partition("userEnteredFormat(")[2].partition(")")[0]
        keys = {key.strip().split(".")[0] for key in named.split(",") if key.strip()}
        single = fields.partition("userEnteredFormat.")[2].split(",")[0].split(".")[0]
        keys |= {single} if single else set()
        looks = {place: checked(cell.get("userEnteredFormat", {})) for place, cell in cells.items()}
        tab.sheet = tab.sheet.style(
            {
                place: {key: part for key, part in look.items() if not keys or key in keys}
                for place, look in looks.items()
            }
        )


def _update_cells(session: Session, content: Request) -> None:
    start = content.get("start") or {
        "sheetId": content["range"].get("sheetId", 0),
        "rowIndex": content["range"].get("startRowIndex", 0),
        "columnIndex": content["range"].get("startColumnIndex", 0),
    }
    tab = _tab(session, start.get("sheetId", 0))
    top, left = int(start.get("rowIndex", 0)) + 1, int(start.get("columnIndex", 0)) + 1
    cells = {
        (top + down, left + across): cell
        for down, row in enumerate(content["rows"])
        for across, cell in enumerate(row.get("values", ()))
    }
    pivots = {place: cell["pivotTable"] for place, cell in cells.items() if "pivotTable" in cell}
    for place, spec in pivots.items():
        source = _tab(session, spec["source"].get("sheetId", 0))
        area = _area(source, spec["source"])
        area = area._replace(bottom=min(area.bottom, source.sheet.extent[0]))
        source.places(area)
        lines = [
            [source.value((row, column)) for column in range(area.left, area.right + 1)]
            for row in range(area.top, area.bottom + 1)
        ]
        if len(lines) < 2:
            raise CrashError("the source of a pivot table has a header and at least one row")
        tab.write_rows(Area(*place, None, None), pivot_table(lines, spec), user=False)
    plain = {place: cell for place, cell in cells.items() if place not in pivots}
    if plain:
        _put(tab, plain, str(content.get("fields", "*")))


def _sort_range(session: Session, content: Request) -> None:
    tab, area = _of(session, content)
    specs: list[tuple[int, structure.Order]] = [
        (int(spec["dimensionIndex"]) + 1, "des" if spec.get("sortOrder") == "DESCENDING" else "asc")
        for spec in content["sortSpecs"]
    ]
    tab.sheet = structure.sort_area(session.book, tab.changing(1 + len(specs)), area, specs)


def _merge(session: Session, content: Request) -> None:
    tab, area = _of(session, content)
    kind = content.get("mergeType", "MERGE_ALL")
    tab.sheet = structure.merge(tab.changing(structure.parts_of(area, kind)), area, kind)


def _unmerge(session: Session, content: Request) -> None:
    tab, area = _of(session, content)
    tab.sheet = structure.unmerge(tab.sheet, area)


def _delete_lines(session: Session, content: Request) -> None:
    given = content["range"]
    tab = _tab(session, given.get("sheetId", 0))
    first, last = int(given["startIndex"]) + 1, int(given["endIndex"])
    session.book = structure.delete_lines(session.book, tab.changing(), _dimension(given), first, last)


def _insert_lines(session: Session, content: Request) -> None:
    given = content["range"]
    tab = _tab(session, given.get("sheetId", 0))
    first, count = int(given["startIndex"]) + 1, int(given["endIndex"]) - int(given["startIndex"])
    session.book = structure.insert_lines(session.book, tab.changing(), _dimension(given), first, count)


def _dimension(given: Request) -> structure.Dimension:
    return "COLUMNS" if given.get("dimension") == "COLUMNS" else "ROWS"


def _add_sheet(session: Session, content: Request) -> None:
    properties = content.get("properties", {})
    grid = properties.get("gridProperties", {})
    title = properties.get("title", f"Sheet{len(session.book.sheets) + 1}")
    session.book, _ = session.book.added(title, grid.get("rowCount", 1000), grid.get("columnCount", 26))


_KINDS: Mapping[str, Callable[[Session, Request], None]] = {
    "repeatCell": _repeat_cell,
    "updateCells": _update_cells,
    "sortRange": _sort_range,
    "mergeCells": _merge,
    "unmergeCells": _unmerge,
    "deleteDimension": _delete_lines,
    "insertDimension": _insert_lines,
    "addSheet": _add_sheet,
}
