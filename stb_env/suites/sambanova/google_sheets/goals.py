"""The kinds of goal: each plans the calls that reach it, and returns the words for its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

from stb_env.suites.sambanova.google_sheets.a1 import label
from stb_env.suites.sambanova.google_sheets.plan import ORDERS, Plan
from stb_env.suites.sambanova.google_sheets.tables import (
    MISSING,
    NEW_NAMES,
    Value,
    cells_text,
    draw_condition,
    draw_look,
    draw_measure,
    number_of,
    raised,
)

Slots = Mapping[str, Value]
"""Words that fill the gaps of a goal's text, by name."""

Kind = Callable[[Plan, Random], Slots | None]
"""Plans a goal; one that returns None is drawn again."""

PlanGoal = TypeVar("PlanGoal", bound=Kind)

KINDS: dict[str, Kind] = {}
"""The kinds by name, in the order in which they take turns."""

_BOLD = {"textFormat": {"bold": True}}
_HEADINGS = ("Overview", "Inventory", "Summary", "Register", "Catalogue", "Records")
_RENAMED = ("Amount", "Figure", "Score", "Level", "Measure")
_ADDED = 100
"""The id of the first worksheet that is added."""


def _kind(plan_goal: PlanGoal) -> PlanGoal:
    """Declare a kind of goal under the name of its function."""
    KINDS[plan_goal.__name__.removeprefix("_")] = plan_goal
    return plan_goal


def _sum_up(plan: Plan, draw: Random, title: str) -> str:
    """Sum a column up in a way that is drawn, and return how."""
    measure = draw_measure(plan.table.values(title), draw)
    plan.sum_up(title, measure)
    return measure


def _total_below(plan: Plan, draw: Random) -> Slots:
    """Sum up a column that is drawn."""
    title = draw.choice(plan.table.numbers)
    return {"total": title, "measure": _sum_up(plan, draw, title)}


def _sorted(plan: Plan, draw: Random, title: str) -> str:
    """Put the rows in an order that is drawn, and return it."""
    order = draw.choice(list(ORDERS))
    plan.sort(title, order)
    return order


def _ranked(plan: Plan, title: str, bound: str) -> None:
    """Put the rows with the highest or the lowest values first."""
    plan.sort(title, "descending" if bound == "highest" else "ascending")


def _has_ties(plan: Plan, title: str) -> bool:
    """Return whether an order by a column would be open."""
    values = plan.table.values(title)
    return len(set(values)) < len(values)


def _lose_values(plan: Plan, draw: Random, title: str) -> list[list[Value]]:
    """Return the rows with one or two values of a column missing."""
    rows = [list(row) for row in plan.table.rows]
    for row in draw.sample(rows, draw.randint(1, 2)):
        row[plan.table.column(title) - 1] = MISSING
    return rows


@_kind
def _filter_total(plan: Plan, draw: Random) -> Slots:
    return {**_keep_rows(plan, draw), **_total_below(plan, draw)}


def _sort_computed(plan: Plan, draw: Random) -> dict[str, str] | None:
    """Add a column that is computed of two others, and sort by it."""
    made = plan.add_computed(draw)
    if _has_ties(plan, made.title):
        return None
    return {**made._asdict(), "order": _sorted(plan, draw, made.title)}


@_kind
def _computed_sort(plan: Plan, draw: Random) -> Slots | None:
    slots = _sort_computed(plan, draw)
    plan.freeze()
    return slots


@_kind
def _clean_total(plan: Plan, draw: Random) -> Slots:
    title = draw.choice(plan.table.numbers)
    rows = _lose_values(plan, draw, title)
    twice = draw.choice([row for row in rows if MISSING not in row])
    rows.insert(draw.randint(rows.index(twice) + 1, len(rows)), list(twice))
    plan.start_over(rows)
    second = len(rows) - 1 - rows[::-1].index(twice)
    gaps = [at for at, row in enumerate(rows) if MISSING in row]
    plan.delete_rows(at + 2 for at in (second, *gaps))
    return {"column": title, "missing": MISSING, "measure": _sum_up(plan, draw, title)}


@_kind
def _subtotals(plan: Plan, draw: Random) -> Slots:
    table = plan.table
    column = draw.choice(table.numbers)
    groups, group = table.values(table.header[1]), table.letter(table.header[1])
    sums = dict.fromkeys(groups, 0.0)
    for each, value in zip(groups, table.values(column), strict=True):
        sums[each] += number_of(value)
    letter = table.letter(column)
    formula = f"=SUMIF(${group}$2:${group}${{last}},{group}{{row}},${letter}$2:${letter}${{last}})"
    plan.add_column("Subtotal", formula, [round(sums[each], 6) for each in groups])
    bound = "highest" if draw.random() < 0.5 else "lowest"
    _ranked(plan, column, bound)
    plan.freeze()
    return {"group": table.header[1], "column": column, "bound": bound}


@_kind
def _extremes(plan: Plan, draw: Random) -> Slots:
    column, key = draw.choice(plan.table.numbers), plan.table.header[0]
    order = _sorted(plan, draw, key)
    at = plan.table.column(column) - 1
    rows = sorted(plan.table.rows, key=lambda row: row[at])
    below = plan.table.last_row + 2
    for line, row in enumerate((rows[-1], rows[0]), below):
        plan.call("update", range_name=f"A{line}:B{line}", values=[[row[0], row[at]]])
    return {"column": column, "key": key, "order": order, "high": below, "low": below + 1}


@_kind
def _move_column(plan: Plan, draw: Random) -> Slots:
    moved, new = draw.choice(plan.table.header[1:-1]), draw.choice(_RENAMED)
    plan.move_right(moved)
    last = plan.table.header[-2]
    plan.rename(last, new)
    return {"column": moved, "last": last, "new": new}


@_kind
def _tidy(plan: Plan, draw: Random) -> Slots:
    column, dropped = draw.sample(plan.table.numbers, 2)
    new = draw.choice(_RENAMED)
    plan.delete_column(dropped)
    plan.rename(column, new)
    return {"column": column, "dropped": dropped, "new": new, "order": _sorted(plan, draw, new)}


@_kind
def _top_rows(plan: Plan, draw: Random) -> Slots:
    column, count = draw.choice(plan.table.numbers), draw.randint(2, 4)
    bound = draw.choice(["highest", "lowest"])
    _ranked(plan, column, bound)
    plan.cut_below(count + 2)
    words = {2: "two", 3: "three", 4: "four"}
    return {"column": column, "count": words[count], "bound": bound, **_total_below(plan, draw)}


@_kind
def _transfer(plan: Plan, draw: Random) -> Slots:
    column = draw.choice(plan.table.numbers)
    giver, taker = draw.sample(plan.table.row_numbers, 2)
    amount = draw.randint(1, 9)
    for row, change in ((giver, -amount), (taker, amount)):
        plan.set_cell(row, column, raised(plan.table.at(row, column), change))
    key = plan.table.header[0]
    names = {"giver": plan.table.at(giver, key), "taker": plan.table.at(taker, key)}
    return {"column": column, "amount": amount, "measure": _sum_up(plan, draw, column), **names}


@_kind
def _restock(plan: Plan, draw: Random) -> Slots | None:
    slots = {}
    for which in ("first", "second"):
        row = plan.table.new_row(draw)
        slots[which], slots[f"{which}_cells"] = str(row[0]), cells_text(plan.table, row)
        plan.append(row)
    column, order = draw.choice(plan.table.numbers), draw.choice(list(ORDERS))
    if _has_ties(plan, column):
        return None
    plan.sort(column, order)
    return {**slots, "column": column, "order": order, **_total_below(plan, draw)}


@_kind
def _report(plan: Plan, draw: Random) -> Slots | None:
    slots = _sort_computed(plan, draw)
    if slots is None:
        return None
    plan.sum_up(slots["title"], "sum")
    look, style = draw_look(draw)
    plan.style(plan.header_area, style)
    plan.freeze()
    return {**slots, "look": look}


@_kind
def _flags(plan: Plan, draw: Random) -> Slots:
    column = draw.choice(plan.table.numbers)
    numbers = sorted(map(number_of, plan.table.values(column)))
    bound = round((numbers[1] + numbers[-2]) / 2 + 0.001, 2)
    while bound in numbers:
        bound = round(bound + 0.01, 2)
    values = ["high" if number_of(value) > bound else "low" for value in plan.table.values(column)]
    plan.add_column("Level", f'=IF({plan.table.letter(column)}{{row}}>{bound:g},"high","low")', values)
    letter, last = plan.table.letter("Level"), plan.table.last_row
    plan.call("update_acell", label=f"{letter}{last + 1}", value=f'=COUNTIF({letter}2:{letter}{last},"high")')
    look, style = draw_look(draw)
    plan.style(f"{letter}1", style)
    return {"column": column, "bound": f"{bound:g}", "look": look}


@_kind
def _heading(plan: Plan, draw: Random) -> Slots:
    text, end = draw.choice(_HEADINGS), label(1, len(plan.table.header))
    look, style = draw_look(draw)
    plan.call("insert_row", values=[text], index=1)
    plan.call("merge_cells", name=f"A1:{end}")
    plan.style("A1", style)
    plan.freeze(2)
    return {"text": text, "look": look, "end": end}


@_kind
def _insert_ordered(plan: Plan, draw: Random) -> Slots | None:
    column, order = draw.choice(plan.table.numbers), draw.choice(list(ORDERS))
    row = plan.table.new_row(draw)
    value = row[plan.table.column(column) - 1]
    if value in plan.table.values(column):
        return None
    plan.sort(column, order)
    ranked = sorted([*plan.table.values(column), value], reverse=order == "descending")
    slots = {"name": row[0], "cells": cells_text(plan.table, row)}
    plan.insert(row, ranked.index(value) + 2)
    return {**slots, "column": column, "order": order, **_total_below(plan, draw)}


@_kind
def _raise_total(plan: Plan, draw: Random) -> Slots | None:
    slots = _raise_values(plan, draw)
    title = str(slots["column"])
    if _has_ties(plan, title):
        return None
    order = _sorted(plan, draw, title)
    plan.sum_up(title, "sum")
    return {**slots, "order": order}


@_kind
def _header_total(plan: Plan, draw: Random) -> Slots:
    look, style = draw_look(draw)
    plan.style(plan.header_area, style)
    plan.freeze()
    slots = _total_below(plan, draw)
    plan.style(str(plan.calls[-1][1]["label"]), _BOLD)
    return {"look": look, **slots}


@_kind
def _pivot(plan: Plan, draw: Random) -> Slots:
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
    plan.add_worksheet("Pivot")
    plan.call("sheet_batch_update", body={"requests": [{"updateCells": update}]})
    plan.is_summary = True
    return {"column": title, "group": group}


@_kind
def _summary(plan: Plan, draw: Random) -> Slots:
    title, group = draw.choice(plan.table.numbers), plan.table.header[1]
    plan.start_over(_lose_values(plan, draw, title))
    plan.delete_rows(plan.table.rows_with(title, MISSING))
    lines: list[list[Value]] = [[group, "Rows", title]]
    for member in dict.fromkeys(plan.table.values(group)):
        at = plan.table.rows_with(group, member)
        lines.append([member, len(at), round(sum(number_of(plan.table.at(row, title)) for row in at), 6)])
    plan.add_worksheet("Summary", lines)
    plan.is_summary = True
    return {"column": title, "group": group, "missing": MISSING}


@_kind
def _split(plan: Plan, draw: Random) -> Slots:
    group = plan.table.header[1]
    member = draw.choice(plan.table.values(group))
    rows = plan.table.rows_with(group, member)
    plan.add_worksheet(str(member), [plan.table.header, *(plan.table.rows[row - 2] for row in rows)])
    plan.delete_rows(rows)
    return {"group": group, "member": member}


@_kind
def _update_value(plan: Plan, draw: Random) -> Slots:
    title = draw.choice(plan.table.numbers)
    name = draw.choice(plan.table.values(plan.table.header[0]))
    value = draw.randint(1, 999)
    plan.update(plan.table.row(name), title, value)
    return {"column": title, "name": name, "value": value}


@_kind
def _replace_text(plan: Plan, draw: Random) -> Slots:
    title = plan.table.header[1]
    old, new = draw.choice(plan.table.values(title)), draw.choice(NEW_NAMES)
    for row in plan.table.rows_with(title, old):
        plan.set_cell(row, title, new)
    return {"column": title, "old": old, "new": new}


@_kind
def _add_row(plan: Plan, draw: Random) -> Slots:
    row = plan.table.new_row(draw)
    plan.append(row)
    return {"name": row[0], "cells": cells_text(plan.table, row)}


@_kind
def _delete_rows(plan: Plan, draw: Random) -> Slots:
    names = draw.sample(plan.table.values(plan.table.header[0]), 3)
    plan.delete_rows(plan.table.row(name) for name in names)
    return {"names": f"{names[0]}, {names[1]} and {names[2]}"}


@_kind
def _sort(plan: Plan, draw: Random) -> Slots:
    title = draw.choice([plan.table.header[0], *plan.table.numbers])
    return {"column": title, "order": _sorted(plan, draw, title)}


@_kind
def _total(plan: Plan, draw: Random) -> Slots:
    title = draw.choice(plan.table.numbers)
    return {"column": title, "measure": _sum_up(plan, draw, title)}


@_kind
def _merge(plan: Plan, draw: Random) -> Slots:
    table = plan.table
    row, column = draw.randint(2, table.last_row - 1), draw.randint(1, len(table.header) - 1)
    down, across = draw.choice([(0, 1), (1, 0), (1, 1)])
    area = f"{label(row, column)}:{label(row + down, column + across)}"
    plan.call("merge_cells", name=area)
    return {"area": area}


@_kind
def _keep_rows(plan: Plan, draw: Random) -> Slots:
    title, condition, others = draw_condition(plan.table, draw)
    plan.delete_rows(others)
    return {"column": title, "condition": condition}


@_kind
def _raise_values(plan: Plan, draw: Random) -> Slots:
    title, group = draw.choice(plan.table.numbers), plan.table.header[1]
    member, amount = draw.choice(plan.table.values(group)), draw.randint(1, 20) * 5
    for row in plan.table.rows_with(group, member):
        plan.set_cell(row, title, raised(plan.table.at(row, title), amount))
    return {"column": title, "group": group, "member": member, "amount": amount}
