"""The kinds of goal: what each draws, and the calls that reach it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.google_sheets.a1 import label, letters
from stb_env.suites.sambanova.google_sheets.grids import Table, Value

Call = tuple[str, JsonObject]
"""A tool with its arguments."""


class Drawn(NamedTuple):
    """A goal that was drawn.

    Attributes:
        slots: What fills the text.
        calls: Calls that reach it, one after the other.
        check_format: Whether looks count.
    """

    slots: JsonMapping
    calls: list[Call]
    check_format: bool = False


_MEASURES = {"sum": "SUM", "average": "AVERAGE", "maximum": "MAX", "minimum": "MIN"}
_ORDERS = {"ascending": "asc", "descending": "des"}
_COLORS = {
    "yellow": {"red": 1.0, "green": 1.0, "blue": 0.0},
    "green": {"red": 0.0, "green": 1.0, "blue": 0.0},
    "red": {"red": 1.0, "green": 0.0, "blue": 0.0},
}
_RENAMED = ("Central", "Special", "Reserve", "Archive")
PIVOT_TITLE = "Pivot"


def _update_value(table: Table, draw: random.Random) -> Drawn:
    title = draw.choice(table.numbers)
    name = draw.choice(table.values(table.header[0]))
    value = draw.randint(1, 999)
    calls = [("update", {"range_name": table.cell(name, title), "values": value})]
    return Drawn({"column": title, "name": name, "value": value}, calls)


def _replace_text(table: Table, draw: random.Random) -> Drawn:
    title = table.header[1]
    old, new = draw.choice(table.values(title)), draw.choice(_RENAMED)
    cells = [
        ("update_cell", {"row": row, "col": 2, "value": new})
        for row, value in enumerate(table.values(title), 2)
        if value == old
    ]
    return Drawn({"column": title, "old": old, "new": new}, cells)


def _cells(table: Table, row: list[Value]) -> str:
    return ", ".join(f"{title} {value}" for title, value in zip(table.header[1:], row[1:], strict=True))


def _add_row(table: Table, draw: random.Random) -> Drawn:
    row = table.new_row(draw)
    return Drawn({"name": row[0], "cells": _cells(table, row)}, [("append_row", {"values": row})])


def _insert_row(table: Table, draw: random.Random) -> Drawn:
    row, below = table.new_row(draw), draw.choice(table.values(table.header[0])[1:])
    slots = {"name": row[0], "below": below, "cells": _cells(table, row)}
    return Drawn(slots, [("insert_row", {"values": row, "index": table.row(below)})])


def _delete_rows(table: Table, draw: random.Random) -> Drawn:
    first, second = draw.sample(table.values(table.header[0]), 2)
    rows = sorted((table.row(first), table.row(second)), reverse=True)
    return Drawn({"first": first, "second": second}, [("delete_rows", {"start_index": row}) for row in rows])


def _delete_column(table: Table, draw: random.Random) -> Drawn:
    title = draw.choice(table.header[1:])
    return Drawn({"column": title}, [("delete_columns", {"start_index": table.column(title)})])


def _sort(table: Table, draw: random.Random) -> Drawn:
    title, order = draw.choice([table.header[0], *table.numbers]), draw.choice(list(_ORDERS))
    area = f"A2:{label(table.last_row, len(table.header))}"
    call = ("sort", {"specs": [[table.column(title), _ORDERS[order]]], "range": area})
    return Drawn({"column": title, "order": order}, [call])


def _total(table: Table, draw: random.Random) -> Drawn:
    title, measure = draw.choice(table.numbers), draw.choice(list(_MEASURES))
    letter = letters(table.column(title))
    formula = f"={_MEASURES[measure]}({letter}2:{letter}{table.last_row})"
    cell = f"{letter}{table.last_row + 1}"
    return Drawn({"column": title, "measure": measure}, [("update_acell", {"label": cell, "value": formula})])


def _computed_column(table: Table, draw: random.Random) -> Drawn:
    left, right = draw.sample(table.numbers, 2)
    sign, title = draw.choice([("plus", "Total"), ("minus", "Difference"), ("times", "Product of both")])
    mark = {"plus": "+", "minus": "-", "times": "*"}[sign]
    a, b = letters(table.column(left)), letters(table.column(right))
    formulas = [[f"={a}{row}{mark}{b}{row}"] for row in range(2, table.last_row + 1)]
    letter = letters(len(table.header) + 1)
    arguments = {
        "range_name": f"{letter}1:{letter}{table.last_row}",
        "values": [[title], *formulas],
        "raw": False,
    }
    return Drawn({"title": title, "left": left, "sign": sign, "right": right}, [("update", arguments)])


def _keep_rows(table: Table, draw: random.Random) -> Drawn:
    if draw.random() < 0.5:
        title = table.header[1]
        wanted = draw.choice(table.values(title))
        kept, condition = [value == wanted for value in table.values(title)], str(wanted)
    else:
        title = draw.choice(table.numbers)
        numbers = [float(value) for value in table.values(title)]
        # Between two of the numbers, so that no row is on the edge.
        bound = round(sorted(numbers)[len(numbers) // 2] - 0.05, 2)
        more = draw.random() < 0.5
        kept = [(value > bound) == more for value in numbers]
        condition = f"{'greater' if more else 'less'} than {bound:g}"
    rows = [row for row, keep in enumerate(kept, 2) if not keep]
    calls: list[Call] = [("delete_rows", {"start_index": row}) for row in reversed(rows)]
    return Drawn({"column": title, "condition": condition}, calls)


def _raise_values(table: Table, draw: random.Random) -> Drawn:
    title, group = draw.choice(table.numbers), table.header[1]
    member, amount = draw.choice(table.values(group)), draw.randint(1, 20) * 5
    column = table.column(title)
    calls: list[Call] = [
        (
            "update_cell",
            {"row": row, "col": column, "value": _raised(line[column - 1], amount)},
        )
        for row, line in enumerate(table.rows, 2)
        if line[1] == member
    ]
    return Drawn({"column": title, "group": group, "member": member, "amount": amount}, calls)


def _raised(value: Value, amount: int) -> int | float:
    return value + amount if isinstance(value, int) else round(float(value) + amount, 2)


def _style(table: Table, draw: random.Random) -> Drawn:
    color = draw.choice(list(_COLORS))
    looks: list[tuple[str, JsonObject]] = [
        ("bold", {"textFormat": {"bold": True}}),
        ("italic and centered", {"textFormat": {"italic": True}, "horizontalAlignment": "CENTER"}),
        ("bold and centered", {"textFormat": {"bold": True}, "horizontalAlignment": "CENTER"}),
        (
            f"bold on a pure {color} background",
            {"textFormat": {"bold": True}, "backgroundColor": _COLORS[color]},
        ),
        (f"on a pure {color} background", {"backgroundColor": _COLORS[color]}),
    ]
    look, made = draw.choice(looks)
    area = f"A1:{label(1, len(table.header))}"
    calls: list[Call] = [("format", {"ranges": area, "format": made})]
    if draw.random() < 0.4:
        look += ", and freeze it"
        calls.append(("freeze", {"rows": 1}))
    return Drawn({"look": look}, calls, check_format=True)


def _merge(table: Table, draw: random.Random) -> Drawn:
    row, column = draw.randint(2, table.last_row - 1), draw.randint(1, len(table.header) - 1)
    down, across = draw.choice([(0, 1), (1, 0), (1, 1)])
    area = f"{label(row, column)}:{label(row + down, column + across)}"
    return Drawn({"area": area}, [("merge_cells", {"name": area})])


def _pivot(table: Table, draw: random.Random) -> Drawn:
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
        "values": [
            {"sourceColumnOffset": table.column(title) - 1, "summarizeFunction": "SUM"},
        ],
    }
    update = {
        "rows": [{"values": [{"pivotTable": spec}]}],
        # The new worksheet gets the spreadsheet's next id.
        "start": {"sheetId": 100, "rowIndex": 0, "columnIndex": 0},
        "fields": "pivotTable",
    }
    calls: list[Call] = [
        ("sheet_add_worksheet", {"title": PIVOT_TITLE, "rows": 100, "cols": 20}),
        ("sheet_batch_update", {"body": {"requests": [{"updateCells": update}]}}),
    ]
    return Drawn({"column": title, "group": group}, calls)


KINDS: Mapping[str, Callable[[Table, random.Random], Drawn]] = {
    "update_value": _update_value,
    "replace_text": _replace_text,
    "add_row": _add_row,
    "insert_row": _insert_row,
    "delete_rows": _delete_rows,
    "delete_column": _delete_column,
    "sort": _sort,
    "total": _total,
    "computed_column": _computed_column,
    "keep_rows": _keep_rows,
    "raise_values": _raise_values,
    "style": _style,
    "merge": _merge,
    "pivot": _pivot,
}
"""The kinds by name, in the order in which they take turns."""
