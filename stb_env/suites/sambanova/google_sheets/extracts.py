"""Goals that put something on a worksheet of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets.a1 import label
from stb_env.suites.sambanova.google_sheets.draws import MISSING, number_of
from stb_env.suites.sambanova.google_sheets.grids import Value
from stb_env.suites.sambanova.google_sheets.plan import Plan

_ADDED = 100
"""The id of the first worksheet that is added."""


def _pivot(plan: Plan, draw: Random) -> JsonMapping:
    table = plan.table
    title, group = draw.choice(table.numbers), table.header[1]
    source = {
        "sheetId": 1,
        "startRowIndex": 0,
        "endRowIndex": table.last_row,
        "startColumnIndex": 0,
        "endColumnIndex": len(table.header),
    }
    spec = {
        "source": source,
        "rows": [{"sourceColumnOffset": 1, "showTotals": False, "sortOrder": "ASCENDING"}],
        "values": [{"sourceColumnOffset": table.column(title) - 1, "summarizeFunction": "SUM"}],
    }
    update = {
        "rows": [{"values": [{"pivotTable": spec}]}],
        "start": {"sheetId": _ADDED, "rowIndex": 0, "columnIndex": 0},
        "fields": "pivotTable",
    }
    # The ids are nowhere in sight before.
    plan.call("sheet_worksheets")
    plan.call("sheet_add_worksheet", title="Pivot", rows=100, cols=20)
    plan.call("sheet_batch_update", body={"requests": [{"updateCells": update}]})
    plan.is_summary = True
    return {"column": title, "group": group}


def _summary(plan: Plan, draw: Random) -> JsonMapping:
    title, group = draw.choice(plan.table.numbers), plan.table.header[1]
    rows = [list(row) for row in plan.table.rows]
    for row in draw.sample(rows, draw.randint(1, 2)):
        row[plan.table.column(title) - 1] = MISSING
    plan.start_over(rows)
    plan.delete_rows(plan.table.rows_with(title, MISSING))
    members = dict.fromkeys(plan.table.values(group))
    lines: list[list[Value]] = [[group, "Rows", title]]
    for member in members:
        at = plan.table.rows_with(group, member)
        lines.append([member, len(at), round(sum(number_of(plan.table.at(row, title)) for row in at), 6)])
    plan.call("sheet_add_worksheet", title="Summary", rows=100, cols=20)
    plan.call("update", range_name=f"A1:C{len(lines)}", values=lines, worksheet="Summary")
    plan.is_summary = True
    return {"column": title, "group": group, "missing": MISSING}


def _split(plan: Plan, draw: Random) -> JsonMapping:
    group = plan.table.header[1]
    member = draw.choice(plan.table.values(group))
    rows = plan.table.rows_with(group, member)
    header: list[Value] = list(plan.table.header)
    lines = [header, *(plan.table.rows[row - 2] for row in rows)]
    plan.call("sheet_add_worksheet", title=str(member), rows=100, cols=20)
    area = f"A1:{label(len(lines), len(plan.table.header))}"
    plan.call("update", range_name=area, values=lines, worksheet=str(member))
    plan.delete_rows(rows)
    return {"group": group, "member": member}


KINDS: Mapping[str, Callable[[Plan, Random], JsonMapping | None]] = {
    "pivot": _pivot,
    "summary": _summary,
    "split": _split,
}
