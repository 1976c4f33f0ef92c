"""Goals of one kind of change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets.a1 import label
from stb_env.suites.sambanova.google_sheets.draws import (
    NEW_NAMES,
    draw_condition,
    draw_measure,
    raised,
    said_cells,
)
from stb_env.suites.sambanova.google_sheets.plan import ORDERS, Plan


def _update_value(plan: Plan, draw: Random) -> JsonMapping:
    title = draw.choice(plan.table.numbers)
    name = draw.choice(plan.table.values(plan.table.header[0]))
    value = draw.randint(1, 999)
    plan.update(plan.table.row(name), title, value)
    return {"column": title, "name": name, "value": value}


def _replace_text(plan: Plan, draw: Random) -> JsonMapping:
    title = plan.table.header[1]
    old, new = draw.choice(plan.table.values(title)), draw.choice(NEW_NAMES)
    for row in plan.table.rows_with(title, old):
        plan.set_cell(row, title, new)
    return {"column": title, "old": old, "new": new}


def _add_row(plan: Plan, draw: Random) -> JsonMapping:
    row = plan.table.new_row(draw)
    cells = said_cells(plan.table, row)
    plan.append(row)
    return {"name": row[0], "cells": cells}


def _delete_rows(plan: Plan, draw: Random) -> JsonMapping:
    names = draw.sample(plan.table.values(plan.table.header[0]), 3)
    plan.delete_rows(plan.table.row(name) for name in names)
    return {"names": f"{names[0]}, {names[1]} and {names[2]}"}


def _sort(plan: Plan, draw: Random) -> JsonMapping:
    title = draw.choice([plan.table.header[0], *plan.table.numbers])
    order = draw.choice(list(ORDERS))
    plan.sort(title, order)
    return {"column": title, "order": order}


def _total(plan: Plan, draw: Random) -> JsonMapping:
    title = draw.choice(plan.table.numbers)
    measure = draw_measure(plan.table.values(title), draw)
    plan.sum_up(title, measure)
    return {"column": title, "measure": measure}


def _merge(plan: Plan, draw: Random) -> JsonMapping:
    table = plan.table
    row, column = draw.randint(2, table.last_row - 1), draw.randint(1, len(table.header) - 1)
    down, across = draw.choice([(0, 1), (1, 0), (1, 1)])
    area = f"{label(row, column)}:{label(row + down, column + across)}"
    plan.call("merge_cells", name=area)
    return {"area": area}


def _keep_rows(plan: Plan, draw: Random) -> JsonMapping:
    title, condition, others = draw_condition(plan.table, draw)
    plan.delete_rows(others)
    return {"column": title, "condition": condition}


def _raise_values(plan: Plan, draw: Random) -> JsonMapping:
    title, group = draw.choice(plan.table.numbers), plan.table.header[1]
    member, amount = draw.choice(plan.table.values(group)), draw.randint(1, 20) * 5
    for row in plan.table.rows_with(group, member):
        plan.set_cell(row, title, raised(plan.table.at(row, title), amount))
    return {"column": title, "group": group, "member": member, "amount": amount}


KINDS: Mapping[str, Callable[[Plan, Random], JsonMapping]] = {
    "update_value": _update_value,
    "replace_text": _replace_text,
    "add_row": _add_row,
    "delete_rows": _delete_rows,
    "sort": _sort,
    "total": _total,
    "merge": _merge,
    "keep_rows": _keep_rows,
    "raise_values": _raise_values,
}
