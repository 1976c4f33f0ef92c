"""Each method of gspread's does to the spreadsheet in memory what it does to a real one."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions.validation import check_call
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.google_sheets.execution import own_sheet, plain, run_program
from stb_env.suites.sambanova.google_sheets.objects import UNSUPPORTED
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from stb_env.suites.sambanova.google_sheets.tools import (
    BOOK_METHODS,
    BY_NAME,
    SHEET_METHODS,
    TOOLS,
    documents,
)
from stb_env.suites.sambanova.google_sheets.world import SheetsWorld
from stb_env.tools import ToolCall

GRID = [["Item", "Qty", "Cost"], ["nut", 4, 0.5], ["bolt", 10, 0.25], ["cog", 3, 7]]


def after(program: str, grid: list[list[Any]] | None = None) -> Book:
    session = Session(book_of(GRID if grid is None else grid))
    run_program(session, program)
    return session.book


def texts(program: str, grid: list[list[Any]] | None = None) -> list[list[str]]:
    return value(f"{program}\nworksheet.get_all_values()", grid)


def value(program: str, grid: list[list[Any]] | None = None) -> Any:
    session = Session(book_of(GRID if grid is None else grid))
    return plain(run_program(session, program).value)


HEAD = ["Item", "Qty", "Cost"]
NUT, BOLT, COG = ["nut", "4", "0.5"], ["bolt", "10", "0.25"], ["cog", "3", "7"]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("worksheet.acell('B2').value", "4"),
        ("worksheet.acell('B9').value", None),
        ("worksheet.cell(2, 3).value", "0.5"),
        ("worksheet.cell(2, 3, value_render_option='UNFORMATTED_VALUE').value", 0.5),
        ("worksheet.cell(2, 3).numeric_value", 0.5),
        ("worksheet.cell(3, 1).address", "A3"),
        ("[cell.value for cell in worksheet.range('A2:B3')]", ["nut", "4", "bolt", "10"]),
        ("worksheet.get('A1:B2')", [["Item", "Qty"], ["nut", "4"]]),
        ("worksheet.get('B2:B')", [["4"], ["10"], ["3"]]),
        ("worksheet.get_values('C3:D9')", [["0.25"], ["7"]]),
        ("worksheet.batch_get(['A1', 'C1'])", [[["Item"]], [["Cost"]]]),
        ("worksheet.get_all_values()", [HEAD, NUT, BOLT, COG]),
        ("worksheet.get_all_records()[0]", {"Item": "nut", "Qty": 4, "Cost": 0.5}),
        ("[cell.value for cell in worksheet.range(1, 1, 2, 2)]", ["Item", "Qty", "nut", "4"]),
        (
            "import gspread\ngspread.utils.rowcol_to_a1(2, 28), gspread.utils.a1_to_rowcol('B3')",
            ["AB2", [3, 2]],
        ),
        (
            "from gspread import Cell\ncells = [Cell(1, 1, 'x'), Cell(row=1, col=2, value='y')]\n"
            "worksheet.update_cells(cells)\n"
            "worksheet.row_values(1)[:2]",
            ["x", "y"],
        ),
        (
            "from collections import Counter, defaultdict\nsums = defaultdict(float)\nsums['a'] += 2\n"
            "counts = Counter(['a', 'b', 'a'])\nsums['a'], counts['a'], counts['z']",
            [2, 2, 0],
        ),
        ("import string\nstring.ascii_uppercase[2]", "C"),
        (
            "worksheet.append_row(['pin'], insert_data_option='INSERT_ROWS', table_range='A1:A2')\n"
            "worksheet.col_values(1)[:4]",
            ["Item", "nut", "pin", "bolt"],
        ),
        (
            "worksheet.get_all_records(numericise_ignore=['all'])[0]",
            {"Item": "nut", "Qty": "4", "Cost": "0.5"},
        ),
        ("worksheet.get_all_records(numericise_ignore=[2])[0]", {"Item": "nut", "Qty": "4", "Cost": 0.5}),
        (
            "worksheet.update('B1', 'Cost')\nworksheet.get_all_records(expected_headers=['Item'])[0]",
            {"Item": "nut", "Cost": 0.5},
        ),
        ("worksheet.row_values(2)", NUT),
        ("worksheet.col_values(1)", ["Item", "nut", "bolt", "cog"]),
        ("worksheet.find('bolt').row", 3),
        ("worksheet.find('BOLT')", None),
        ("worksheet.find('BOLT', case_sensitive=False).row", 3),
        ("worksheet.find('4', in_column=1)", None),
        ("len(worksheet.findall('4'))", 1),
        ("import re\nworksheet.find(re.compile('b.lt')).value", "bolt"),
        ("worksheet.title, worksheet.row_count, worksheet.col_count, worksheet.id", ["sheet_1", 1000, 26, 1]),
        ("[ws.title for ws in sheet.worksheets()]", ["Sheet1", "sheet_1"]),
        ("sheet.worksheet('sheet_1').acell('A1').value", "Item"),
        ("sheet.get_worksheet(-1).title, sheet.sheet1.title", ["sheet_1", "Sheet1"]),
        ("sheet.values_get('sheet_1!A1:B1')['values']", [["Item", "Qty"]]),
        ("len(worksheet.get_all_cells())", 26_000),
    ],
)
def test_what_is_read(call: str, wanted: Any):
    assert value(call) == wanted


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        ("worksheet.update('B2', 7)", [HEAD, ["nut", "7", "0.5"], BOLT, COG]),
        ("worksheet.update('B2', '=1+1')", [HEAD, ["nut", "=1+1", "0.5"], BOLT, COG]),
        ("worksheet.update('B2', '=1+1', raw=False)", [HEAD, ["nut", "2", "0.5"], BOLT, COG]),
        ("worksheet.update([['a'], ['b']])", [["a", "Qty", "Cost"], ["b", "4", "0.5"], BOLT, COG]),
        ("worksheet.update('A1:B1', [['a', None]])", [["a", "Qty", "Cost"], NUT, BOLT, COG]),
        (
            "worksheet.update('A2', [[1, 2]], major_dimension='COLUMNS')",
            [HEAD, ["1", "4", "0.5"], ["2", "10", "0.25"], COG],
        ),
        ("worksheet.update_cell(2, 2, '=SUM(C2:C4)')", [HEAD, ["nut", "7.75", "0.5"], BOLT, COG]),
        ("worksheet.update_acell('B2', 'TRUE')", [HEAD, ["nut", "TRUE", "0.5"], BOLT, COG]),
        (
            "cells = worksheet.range('A2:A3')\nfor cell in cells:\n    cell.value = 'x'\n"
            "worksheet.update_cells(cells)",
            [HEAD, ["x", "4", "0.5"], ["x", "10", "0.25"], COG],
        ),
        (
            "worksheet.batch_update([{'range': 'A2', 'values': [['x']]}, {'range': 'B3', 'values': [[1]]}])",
            [HEAD, ["x", "4", "0.5"], ["bolt", "1", "0.25"], COG],
        ),
        ("worksheet.append_row(['pin', 1, 2])", [HEAD, NUT, BOLT, COG, ["pin", "1", "2"]]),
        ("worksheet.append_rows([['a'], ['b']])", [HEAD, NUT, BOLT, COG, ["a", "", ""], ["b", "", ""]]),
        ("worksheet.clear()", [[]]),
        (
            "worksheet.batch_clear(['A2:A4', 'C1'])",
            [["Item", "Qty", ""], ["", "4", "0.5"], ["", "10", "0.25"], ["", "3", "7"]],
        ),
        ("worksheet.insert_row(['pin', 1], 2)", [HEAD, ["pin", "1", ""], NUT, BOLT, COG]),
        (
            "worksheet.insert_rows([['a'], ['b']], row=4)",
            [HEAD, NUT, BOLT, ["a", "", ""], ["b", "", ""], COG],
        ),
        (
            "worksheet.insert_cols([['Id', 1, 2]], col=1)",
            [["Id", *HEAD], ["1", *NUT], ["2", *BOLT], ["", *COG]],
        ),
        ("worksheet.delete_rows(2)", [HEAD, BOLT, COG]),
        ("worksheet.delete_rows(2, 3)", [HEAD, COG]),
        ("worksheet.delete_row(4)", [HEAD, NUT, BOLT]),
        ("worksheet.delete_columns(2)", [["Item", "Cost"], ["nut", "0.5"], ["bolt", "0.25"], ["cog", "7"]]),
        ("worksheet.delete_dimension('ROWS', 2, 3)", [HEAD, COG]),
        ("worksheet.sort((2, 'asc'), range='A2:C4')", [HEAD, COG, NUT, BOLT]),
        ("worksheet.sort((2, 'des'), range='A2:C4')", [HEAD, BOLT, NUT, COG]),
        # Without a range the header is sorted too, unless it is frozen.
        ("worksheet.sort((2, 'asc'))", [COG, NUT, BOLT, HEAD]),
        ("worksheet.freeze(rows=1)\nworksheet.sort((2, 'asc'))", [HEAD, COG, NUT, BOLT]),
        ("worksheet.copy_range('A2:B2', 'A5')", [HEAD, NUT, BOLT, COG, ["nut", "4", ""]]),
        (
            "worksheet.copy_range('A2:B2', 'E1', paste_orientation='TRANSPOSE')",
            [[*HEAD, "", "nut"], [*NUT, "", "4"], [*BOLT, "", ""], [*COG, "", ""]],
        ),
        ("worksheet.cut_range('A2:C2', 'A5')", [HEAD, ["", "", ""], BOLT, COG, NUT]),
        ("worksheet.merge_cells('A1:B2')", [["Item", "", "Cost"], ["", "", "0.5"], BOLT, COG]),
        (
            "worksheet.merge_cells('A2:B3', 'MERGE_ROWS')",
            [HEAD, ["nut", "", "0.5"], ["bolt", "", "0.25"], COG],
        ),
        ("worksheet.merge_cells('A2:B3', 'MERGE_COLUMNS')", [HEAD, NUT, ["", "", "0.25"], COG]),
        ("worksheet.set_basic_filter('A1:C4')", [HEAD, NUT, BOLT, COG]),
        ("worksheet.resize(rows=2)", [HEAD, NUT]),
        (
            "sheet.values_update('sheet_1!A2', {'valueInputOption': 'RAW'}, {'values': [['x']]})",
            [HEAD, ["x", "4", "0.5"], BOLT, COG],
        ),
        (
            "sheet.values_append('sheet_1', {}, {'values': [['pin']]})",
            [HEAD, NUT, BOLT, COG, ["pin", "", ""]],
        ),
        ("sheet.values_clear('sheet_1!A2:C4')", [HEAD]),
        ("w = sheet.add_worksheet('New', 10, 5)\nw.update('A1', 5)", [HEAD, NUT, BOLT, COG]),
        (
            "worksheet.update_cell(2, 4, '=B2*C2')\nworksheet.delete_rows(3)",
            [[*HEAD, ""], [*NUT, "2"], [*COG, ""]],
        ),
        (
            "worksheet.update_cell(5, 2, '=SUM(B2:B4)')\nworksheet.delete_rows(3)",
            [HEAD, NUT, COG, ["", "7", ""]],
        ),
        (
            "worksheet.update_cell(5, 2, '=SUM(B2:B4)')\nworksheet.insert_row(['pin', 100], 3)",
            [HEAD, NUT, ["pin", "100", ""], BOLT, COG, ["", "117", ""]],
        ),
    ],
)
def test_what_is_written_stands_where_it_should(program: str, rows: list[list[str]]):
    assert texts(program) == rows


def test_sorting_puts_numbers_before_texts_and_blanks_last():
    grid = [["b"], [None], [2], ["A"], [True], [10]]
    assert texts("worksheet.sort((1, 'asc'), range='A1:A6')", grid)[:5] == [
        ["2"],
        ["10"],
        ["A"],
        ["b"],
        ["TRUE"],
    ]
    assert texts("worksheet.sort((1, 'des'), range='A1:A6')", grid)[:5] == [
        ["TRUE"],
        ["b"],
        ["A"],
        ["10"],
        ["2"],
    ]


def test_a_format_replaces_a_key_as_a_whole():
    book = after(
        "worksheet.format('A1', {'textFormat': {'bold': True, 'italic': True}})\n"
        "worksheet.format('A1:B1', {'textFormat': {'bold': True}})\n"
        "worksheet.batch_format([{'range': 'A1', 'format': {'horizontalAlignment': 'CENTER'}}])"
    )
    formats = own_sheet(book).formats
    assert formats[1, 1] == {"textFormat": {"bold": True}, "horizontalAlignment": "CENTER"}
    assert formats[1, 2] == {"textFormat": {"bold": True}}


def test_looks_are_kept():
    view = own_sheet(
        after(
            "worksheet.freeze(rows=1, cols=2)\nworksheet.hide_rows(1, 3)\nworksheet.unhide_rows(1, 2)\n"
            "worksheet.hide_columns(0, 1)\nworksheet.add_dimension_group_rows(1, 3)\n"
            "worksheet.update_tab_color({'red': 1})\nworksheet.set_basic_filter()\nworksheet.hide()"
        )
    ).view
    assert (view.frozen_rows, view.frozen_columns, view.hidden) == (1, 2, True)
    assert (view.hidden_rows, view.hidden_columns) == ({3}, {1})
    assert view.groups == (("ROWS", 2, 3),)
    assert view.tab_color == {"red": 1}
    assert view.filter is not None


def test_notes_names_and_protected_areas_are_kept():
    program = (
        "worksheet.insert_note('A1', 'hi')\nworksheet.define_named_range('B2:B4', 'amounts')\n"
        "worksheet.update_acell('B6', '=SUM(amounts)')\nn = worksheet.add_protected_range('A1')\n"
        "[worksheet.get_note('A1'), worksheet.acell('B6').value, sheet.named_range('amounts'), "
        "len(sheet.list_named_ranges()), len(sheet.list_protected_ranges(1))]"
    )
    assert value(program) == ["hi", "17", ["4", "10", "3"], 1, 1]


def test_worksheets_come_and_go():
    book = after(
        "new = sheet.add_worksheet(title='New', rows=10, cols=5)\nnew.update_title('Newer')\n"
        "copy = worksheet.duplicate(new_sheet_name='Copy')\nsheet.del_worksheet(new)\ncopy.update_index(0)\n"
        "copy.update('A1', 'x')"
    )
    assert [sheet.title for sheet in book.sheets] == ["Copy", "Sheet1", "sheet_1"]
    assert own_sheet(book).cells[1, 1] == "Item"
    assert book.sheets[0].cells[1, 1] == "x"


PIVOT = {
    "source": {"sheetId": 1, "startRowIndex": 0, "startColumnIndex": 0, "endColumnIndex": 3},
    "rows": [{"sourceColumnOffset": 0, "showTotals": True, "sortOrder": "DESCENDING"}],
    "values": [{"sourceColumnOffset": 2, "summarizeFunction": "SUM"}],
}


def requests(*each: dict[str, Any]) -> str:
    return f"sheet.batch_update({{'requests': {list(each)!r}}})"


def area(top: int, bottom: int, left: int = 0, right: int = 3) -> dict[str, int]:
    return {
        "sheetId": 1,
        "startRowIndex": top,
        "endRowIndex": bottom,
        "startColumnIndex": left,
        "endColumnIndex": right,
    }


def lines(dimension: str, start: int, end: int) -> dict[str, Any]:
    return {"range": {"sheetId": 1, "dimension": dimension, "startIndex": start, "endIndex": end}}


def cell_at(column: int, cell: dict[str, Any], fields: str) -> dict[str, Any]:
    start = {"sheetId": 1, "rowIndex": 0, "columnIndex": column}
    return {"updateCells": {"start": start, "rows": [{"values": [cell]}], "fields": fields}}


FIVE = {"userEnteredValue": {"numberValue": 5}}
BY_QTY = [{"dimensionIndex": 1, "sortOrder": "ASCENDING"}]


@pytest.mark.parametrize(
    ("request_", "rows"),
    [
        (
            {"repeatCell": {"range": area(1, 2, 0, 1), "cell": FIVE, "fields": "userEnteredValue"}},
            [HEAD, ["5", "4", "0.5"], BOLT, COG],
        ),
        (
            cell_at(3, {"userEnteredValue": {"formulaValue": "=B2"}}, "userEnteredValue"),
            [[*HEAD, "4"], [*NUT, ""], [*BOLT, ""], [*COG, ""]],
        ),
        ({"sortRange": {"range": area(1, 4), "sortSpecs": BY_QTY}}, [HEAD, COG, NUT, BOLT]),
        ({"deleteDimension": lines("ROWS", 1, 3)}, [HEAD, COG]),
        (
            {"insertDimension": lines("COLUMNS", 0, 1)},
            [["", *HEAD], ["", *NUT], ["", *BOLT], ["", *COG]],
        ),
        ({"mergeCells": {"range": area(0, 1), "mergeType": "MERGE_ALL"}}, [["Item", "", ""], NUT, BOLT, COG]),
        (
            cell_at(4, {"pivotTable": PIVOT}, "pivotTable"),
            [
                [*HEAD, "", "Item", "SUM of Cost"],
                [*NUT, "", "nut", "0.5"],
                [*BOLT, "", "cog", "7"],
                [*COG, "", "bolt", "0.25"],
                ["", "", "", "", "Grand Total", "7.75"],
            ],
        ),
    ],
)
def test_requests_are_carried_out(request_: dict[str, Any], rows: list[list[str]]):
    assert texts(requests(request_)) == rows


def test_a_pivot_table_can_have_columns():
    grid = [["Team", "Year", "Goals"], ["red", 1, 2], ["blue", 1, 3], ["red", 2, 4]]
    spec = {
        "source": {"sheetId": 1},
        "rows": [{"sourceColumnOffset": 0}],
        "columns": [{"sourceColumnOffset": 1}],
        "values": [{"sourceColumnOffset": 2, "summarizeFunction": "AVERAGE"}],
    }
    update = {"start": {"sheetId": 0}, "rows": [{"values": [{"pivotTable": spec}]}], "fields": "pivotTable"}
    program = requests({"updateCells": update}) + "\nsheet.sheet1.get_all_values()"
    assert value(program, grid) == [["Team", "1", "2"], ["blue", "3", ""], ["red", "2", "4"]]


def test_a_format_can_be_set_by_request():
    cell = {"userEnteredFormat": {"textFormat": {"bold": True}}}
    repeat = {"range": area(0, 1), "cell": cell, "fields": "userEnteredFormat(textFormat)"}
    book = after(requests({"repeatCell": repeat}))
    bold = {"textFormat": {"bold": True}}
    assert own_sheet(book).formats == {(1, 1): bold, (1, 2): bold, (1, 3): bold}


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("worksheet.update('A1', [1, 2])", "is no list of lists|rows, each a list|cannot hold"),
        ("worksheet.update('AB1', 1)", "exceeds the grid"),
        ("worksheet.update('A1:B2', [[1, 2, 3]])", "do not fit into the area"),
        ("worksheet.update('first', 1)", "'first' is no area; write one like 'A1:C7'"),
        ("worksheet.update('A1', [[float('nan')]])", "is no JSON value"),
        ("worksheet.update('A1', [[print]])", "a cell cannot hold Native"),
        ("worksheet.update('A1', 1, value_input_option='TYPED')", "RAW or USER_ENTERED"),
        ("worksheet.update_cell(0, 1, 1)", "row and column are numbers from 1"),
        ("worksheet.update_cell(1001, 1, 1)", "exceeds the grid of 1000 rows"),
        ("worksheet.acell('A')", "'A' is no cell; write one like 'B3'"),
        ("worksheet.cell(1, 27)", "exceeds the grid"),
        ("worksheet.sort((2, 'up'), range='A2:C4')", "pairs of a column and 'asc' or 'des'"),
        ("worksheet.sort((9, 'asc'), range='A2:C4')", "column 9 lies outside"),
        ("worksheet.delete_rows(1, 1000)", "the last rows or columns of a sheet cannot be deleted"),
        ("worksheet.delete_rows(0)", "must be a number from 1"),
        ("worksheet.delete_dimension('CELLS', 1)", "dimension is ROWS or COLUMNS"),
        ("worksheet.merge_cells('A1:B2', 'ALL')", "merge_type is MERGE_ALL"),
        ("worksheet.merge_cells('A1:B2')\nworksheet.merge_cells('B2:C3')", "part of another merged area"),
        ("worksheet.format('A1', {'bold': True})", "a format has no 'bold'"),
        ("worksheet.format('A1', 'bold')", "a format is a dictionary"),
        ("worksheet.freeze()", "freeze needs rows or cols"),
        ("worksheet.find(5)", "find takes a text or a compiled pattern"),
        ("worksheet.get_all_records(head=3)\nworksheet.updat('A1', 1)", "Did you mean 'update'"),
        ("worksheet.update('B1', 'Item')\nworksheet.get_all_records()", "a text twice"),
        ("worksheet.insert_row(['x'], 1, inherit_from_before=True)", "no row to inherit from"),
        ("worksheet.append_row(['x'], insert_data_option='ROWS')", "insert_data_option is OVERWRITE or"),
        ("from collections import defaultdict\ndefaultdict(3)", "defaultdict takes a function"),
        ("worksheet.get_all_records(expected_headers=['Itme'])", r"does not hold: \['Itme'\]"),
        ("sheet.worksheet('Sheet')", "WorksheetNotFound: .* 'Sheet'. Did you mean 'Sheet1'"),
        ("sheet.add_worksheet('Sheet1', 1, 1)", "there is a worksheet 'Sheet1' already"),
        ("sheet.add_worksheet('x', 10**9, 1)", "a sheet has 1 to 10000 rows"),
        ("sheet.batch_update({})", "a dictionary with a list 'requests'"),
        ("sheet.batch_update({'requests': [{'sortRange': {}}]})", "sortRange is malformed"),
        ("sheet.no_such_thing", "a spreadsheet has no attribute 'no_such_thing'"),
        ("worksheet.resize(rows=10**7)", "a sheet has 1 to 10000 rows"),
        ("worksheet.update('A1', 'x' * 9999)", "a cell holds at most 5000 characters"),
        ("worksheet.format('A1:Y900', {'textFormat': {'bold': True}})", "at most 20000 cells"),
    ],
)
def test_what_the_service_refuses_is_a_crash(program: str, error: str):
    with pytest.raises(CrashError, match=f"line \\d: .*({error})"):
        after(program)


@pytest.mark.parametrize(
    "program",
    [
        "sheet.share('a@b.c', 'user', 'reader')",
        "sheet.list_permissions()",
        "sheet.export()",
        "sheet.transfer_ownership('x')",
        "sheet.update_locale('de')",
        "worksheet.copy_to('id')",
        "worksheet.export('pdf')",
        "sheet.batch_update({'requests': [{'addChart': {}}]})",
    ],
)
def test_what_needs_an_account_is_unsupported_and_says_so(program: str):
    with pytest.raises(UnsupportedError, match="unsupported"):
        after(program)


def test_gspreads_methods_are_there_or_unsupported_by_name():
    assert not UNSUPPORTED & (SHEET_METHODS.keys() | BOOK_METHODS.keys() - {"export"})
    assert len(SHEET_METHODS) + len(BOOK_METHODS) >= 88
    assert len(documents()) == len(SHEET_METHODS) + len(BOOK_METHODS) + 8
    assert len(TOOLS) == len(SHEET_METHODS) + len(BOOK_METHODS) + 1


@pytest.mark.parametrize("name", SHEET_METHODS)
def test_a_method_takes_what_its_documentation_names(name: str):
    method = SHEET_METHODS[name]
    parameters = list(inspect.signature(method.run).parameters.values())[1:]
    takes = {parameter.name for parameter in parameters}
    variadic = any(
        parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) for parameter in parameters
    )
    assert variadic or set(method.parameters) <= takes


CALLS = [
    ("update", {"range_name": "B2", "values": 7}),
    ("append_row", {"values": ["pin", 1, 2]}),
    ("delete_rows", {"start_index": 2}),
    ("sort", {"specs": [[2, "asc"]], "range": "A2:C4"}),
    ("merge_cells", {"name": "A1:B2"}),
    ("format", {"ranges": "A1", "format": {"textFormat": {"bold": True}}}),
    ("insert_cols", {"values": [["x", 1]], "col": 2}),
    ("freeze", {"rows": 1}),
    ("sheet_add_worksheet", {"title": "New", "rows": 5, "cols": 5}),
    ("program", {"text": "worksheet.update_cell(5, 2, '=SUM(B2:B4)')"}),
    ("update_acell", {"label": "ZZ9", "value": 1}),
]


@given(st.lists(st.sampled_from(CALLS), max_size=8))
def test_a_call_changes_no_earlier_spreadsheet(calls: list[tuple[str, dict[str, Any]]]):
    world, book = SheetsWorld(), book_of(GRID)
    for name, arguments in calls:
        before = [(dict(sheet.cells), dict(sheet.formats), sheet.merges, sheet.view) for sheet in book.sheets]
        checked = check_call(ToolCall(name, arguments), BY_NAME[name])
        assert not checked.violations
        result, later = world.call(book, BY_NAME[name], arguments)
        json.loads(result.text)
        assert before == [(sheet.cells, sheet.formats, sheet.merges, sheet.view) for sheet in book.sheets]
        assert (later is book) if result.error else True
        book = later


VALUES = st.one_of(st.none(), st.integers(-99, 99), st.sampled_from(["a", "B", "c"]))


@given(
    st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=8),
    st.integers(1, 3),
    st.sampled_from(["asc", "des"]),
)
def test_sorting_moves_whole_rows_and_loses_none(rows: list[list[Any]], column: int, order: str):
    numbered = [[*row, at + 1] for at, row in enumerate(rows)]
    book = after(f"worksheet.sort(({column}, {order!r}), range='A1:D{len(rows)}')", numbered)
    cells = own_sheet(book).cells
    got = [[cells.get((row, at)) for at in range(1, 5)] for row in range(1, len(rows) + 1)]
    assert sorted(got, key=lambda row: row[3]) == numbered
    filled = [row[column - 1] for row in got if row[column - 1] is not None]
    assert [row[column - 1] for row in got[: len(filled)]] == filled
    keys = [(isinstance(value, str), value.lower() if isinstance(value, str) else value) for value in filled]
    assert keys == sorted(keys, reverse=order == "des")
