"""The requests of a spreadsheet's ``batch_update``, as far as they are carried out here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.google_sheets import structure
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place
from stb_env.suites.sambanova.google_sheets.formats import checked
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.methods.pivot import pivot_table
from stb_env.suites.sambanova.google_sheets.session import Session, Tab
from stb_env.suites.sambanova.google_sheets.values import Content, Formula, raw

Request = JsonMapping


def run_requests(session: Session, body: object) -> dict[str, object]:
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


def _tab(session: Session, given: JsonMapping) -> Tab:
    tab = Tab(session, int(given.get("sheetId", 0)))
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


def _range(session: Session, content: Request) -> tuple[Tab, Closed]:
    tab = _tab(session, content["range"])
    return tab, _area(tab, content["range"])


def _lines(session: Session, content: Request) -> tuple[Tab, structure.Dimension, int, int]:
    """Return the worksheet and the rows or columns of a dimension range: the first, and the last one."""
    given = content["range"]
    dimension: structure.Dimension = "COLUMNS" if given.get("dimension") == "COLUMNS" else "ROWS"
    return _tab(session, given), dimension, int(given["startIndex"]) + 1, int(given["endIndex"])


def _content(cell: JsonMapping) -> Content | None:
    given = cell.get("userEnteredValue", {})
    if given.get("formulaValue") is not None:
        return Formula(str(given["formulaValue"]))
    kinds = ("stringValue", "numberValue", "boolValue")
    return next((raw(given[name]) for name in kinds if given.get(name) is not None), None)


def _put(tab: Tab, cells: Mapping[Place, Mapping[str, object]], fields: str) -> None:
    """Write the values and formats of cells, as far as the request's ``fields`` name them."""
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


def _repeat_cell(session: Session, content: Request) -> None:
    tab, area = _range(session, content)
    cells = {place: dict(content["cell"]) for place in tab.places(tab.used(area))}
    _put(tab, cells, str(content.get("fields", "*")))


def _update_cells(session: Session, content: Request) -> None:
    start = content.get("start") or {
        "sheetId": content["range"].get("sheetId", 0),
        "rowIndex": content["range"].get("startRowIndex", 0),
        "columnIndex": content["range"].get("startColumnIndex", 0),
    }
    tab = _tab(session, start)
    top, left = int(start.get("rowIndex", 0)) + 1, int(start.get("columnIndex", 0)) + 1
    cells = {
        (top + down, left + across): cell
        for down, row in enumerate(content["rows"])
        for across, cell in enumerate(row.get("values", ()))
    }
    plain: dict[Place, JsonMapping] = {}
    for place, cell in cells.items():
        if "pivotTable" in cell:
            spec = cell["pivotTable"]
            table = pivot_table(_source(session, spec["source"]), spec)
            tab.write_rows(Area(*place, None, None), table, user=False)
        else:
            plain[place] = cell
    if plain:
        _put(tab, plain, str(content.get("fields", "*")))


def _source(session: Session, given: Mapping[str, object]) -> list[list[Scalar]]:
    """Return the table that a pivot table sums up, its header first."""
    tab = _tab(session, given)
    area = _area(tab, given)
    area = area._replace(bottom=min(area.bottom, tab.sheet.extent[0]))
    tab.places(area)
    lines = session.results.rows(tab.sheet, *area)
    if len(lines) < 2:
        raise CrashError("the source of a pivot table has a header and at least one row")
    return lines


def _sort_range(session: Session, content: Request) -> None:
    tab, area = _range(session, content)
    specs: list[tuple[int, structure.Order]] = [
        (int(spec["dimensionIndex"]) + 1, "des" if spec.get("sortOrder") == "DESCENDING" else "asc")
        for spec in content["sortSpecs"]
    ]
    tab.sort(area, specs)


def _merge(session: Session, content: Request) -> None:
    tab, area = _range(session, content)
    tab.merge(area, content.get("mergeType", "MERGE_ALL"))


def _unmerge(session: Session, content: Request) -> None:
    tab, area = _range(session, content)
    tab.sheet = structure.unmerge(tab.sheet, area)


def _delete_lines(session: Session, content: Request) -> None:
    tab, dimension, first, last = _lines(session, content)
    tab.delete_lines(dimension, first, last)


def _insert_lines(session: Session, content: Request) -> None:
    tab, dimension, first, last = _lines(session, content)
    tab.insert_lines(dimension, first, last - first + 1)


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
