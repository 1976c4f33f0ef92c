"""Goals of several changes that build on each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets.a1 import label
from stb_env.suites.sambanova.google_sheets.draws import (
    MISSING,
    add_computed,
    draw_condition,
    draw_look,
    draw_measure,
    number_of,
    raised,
    said_cells,
)
from stb_env.suites.sambanova.google_sheets.plan import ORDERS, Plan

_BOLD = {"textFormat": {"bold": True}}
_HEADINGS = ("Overview", "Inventory", "Summary", "Register", "Catalogue", "Records")
_RENAMED = ("Amount", "Figure", "Score", "Level", "Measure")


def _total_below(plan: Plan, draw: Random) -> JsonMapping:
    """Sum a column up, and return how the goal says it."""
    title = draw.choice(plan.table.numbers)
    measure = draw_measure(plan.table.values(title), draw)
    plan.sum_up(title, measure)
    return {"total": title, "measure": measure}


def _filter_total(plan: Plan, draw: Random) -> JsonMapping:
    title, condition, others = draw_condition(plan.table, draw)
    plan.delete_rows(others)
    return {"column": title, "condition": condition, **_total_below(plan, draw)}


def _computed_sort(plan: Plan, draw: Random) -> JsonMapping | None:
    made = add_computed(plan, draw)
    if _has_ties(plan, made.title):
        return None
    order = draw.choice(list(ORDERS))
    plan.sort(made.title, order)
    plan.freeze()
    return {**made._asdict(), "order": order}


def _clean_total(plan: Plan, draw: Random) -> JsonMapping:
    title = draw.choice(plan.table.numbers)
    rows = [list(row) for row in plan.table.rows]
    for row in draw.sample(rows, draw.randint(1, 2)):
        row[plan.table.column(title) - 1] = MISSING
    twice = draw.choice([row for row in rows if MISSING not in row])
    rows.insert(draw.randint(rows.index(twice) + 1, len(rows)), list(twice))
    plan.start_over(rows)
    second = len(rows) - 1 - rows[::-1].index(twice)
    gaps = [at for at, row in enumerate(rows) if MISSING in row]
    plan.delete_rows(at + 2 for at in (second, *gaps))
    measure = draw_measure(plan.table.values(title), draw)
    plan.sum_up(title, measure)
    return {"column": title, "missing": MISSING, "measure": measure}


def _subtotals(plan: Plan, draw: Random) -> JsonMapping:
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
    plan.sort(column, "descending" if bound == "highest" else "ascending")
    plan.freeze()
    return {"group": table.header[1], "column": column, "bound": bound}


def _extremes(plan: Plan, draw: Random) -> JsonMapping:
    column, key = draw.choice(plan.table.numbers), plan.table.header[0]
    order = draw.choice(list(ORDERS))
    plan.sort(key, order)
    rows = sorted(plan.table.rows, key=lambda row: row[plan.table.column(column) - 1])
    below = plan.table.last_row + 2
    for at, row in enumerate((rows[-1], rows[0])):
        cells = [row[0], row[plan.table.column(column) - 1]]
        plan.call("update", range_name=f"A{below + at}:B{below + at}", values=[cells])
    return {"column": column, "key": key, "order": order, "high": below, "low": below + 1}


def _move_column(plan: Plan, draw: Random) -> JsonMapping:
    moved, new = draw.choice(plan.table.header[1:-1]), draw.choice(_RENAMED)
    plan.move_right(moved)
    last = plan.table.header[-2]
    plan.rename(last, new)
    return {"column": moved, "last": last, "new": new}


def _tidy(plan: Plan, draw: Random) -> JsonMapping:
    column, dropped = draw.sample(plan.table.numbers, 2)
    new, order = draw.choice(_RENAMED), draw.choice(list(ORDERS))
    plan.delete_column(dropped)
    plan.rename(column, new)
    plan.sort(new, order)
    return {"column": column, "dropped": dropped, "new": new, "order": order}


def _top_rows(plan: Plan, draw: Random) -> JsonMapping:
    column, count = draw.choice(plan.table.numbers), draw.randint(2, 4)
    bound = draw.choice(["highest", "lowest"])
    plan.sort(column, "descending" if bound == "highest" else "ascending")
    plan.cut_below(count + 2)
    words = {2: "two", 3: "three", 4: "four"}
    return {"column": column, "count": words[count], "bound": bound, **_total_below(plan, draw)}


def _transfer(plan: Plan, draw: Random) -> JsonMapping:
    column = draw.choice(plan.table.numbers)
    giver, taker = draw.sample(plan.table.row_numbers, 2)
    amount = draw.randint(1, 9)
    for row, change in ((giver, -amount), (taker, amount)):
        plan.set_cell(row, column, raised(plan.table.at(row, column), change))
    key = plan.table.header[0]
    names = {"giver": plan.table.at(giver, key), "taker": plan.table.at(taker, key)}
    measure = draw_measure(plan.table.values(column), draw)
    plan.sum_up(column, measure)
    return {"column": column, "amount": amount, "measure": measure, **names}


def _restock(plan: Plan, draw: Random) -> JsonMapping | None:
    slots = {}
    for which in ("first", "second"):
        row = plan.table.new_row(draw)
        slots[which], slots[f"{which}_cells"] = str(row[0]), said_cells(plan.table, row)
        plan.append(row)
    column, order = draw.choice(plan.table.numbers), draw.choice(list(ORDERS))
    if _has_ties(plan, column):
        return None
    plan.sort(column, order)
    return {**slots, "column": column, "order": order, **_total_below(plan, draw)}


def _report(plan: Plan, draw: Random) -> JsonMapping | None:
    made = add_computed(plan, draw)
    if _has_ties(plan, made.title):
        return None
    order = draw.choice(list(ORDERS))
    plan.sort(made.title, order)
    plan.sum_up(made.title, "sum")
    look, style = draw_look(draw)
    plan.style(plan.header_area, style)
    plan.freeze()
    return {**made._asdict(), "order": order, "look": look}


def _flags(plan: Plan, draw: Random) -> JsonMapping:
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


def _heading(plan: Plan, draw: Random) -> JsonMapping:
    text, width = draw.choice(_HEADINGS), len(plan.table.header)
    look, style = draw_look(draw)
    row, end = [text], label(1, width)
    plan.call("insert_row", values=row, index=1)
    plan.call("merge_cells", name=f"A1:{end}")
    plan.style("A1", style)
    plan.freeze(2)
    return {"text": text, "look": look, "end": end}


def _insert_ordered(plan: Plan, draw: Random) -> JsonMapping | None:
    column, order = draw.choice(plan.table.numbers), draw.choice(list(ORDERS))
    row = plan.table.new_row(draw)
    value = row[plan.table.column(column) - 1]
    if value in plan.table.values(column):
        return None
    plan.sort(column, order)
    ranked = sorted([*plan.table.values(column), value], reverse=order == "descending")
    slots = {"name": row[0], "cells": said_cells(plan.table, row)}
    plan.insert(row, ranked.index(value) + 2)
    return {**slots, "column": column, "order": order, **_total_below(plan, draw)}


def _raise_total(plan: Plan, draw: Random) -> JsonMapping | None:
    title, group = draw.choice(plan.table.numbers), plan.table.header[1]
    member, amount = draw.choice(plan.table.values(group)), draw.randint(1, 20) * 5
    for row in plan.table.rows_with(group, member):
        plan.set_cell(row, title, raised(plan.table.at(row, title), amount))
    if _has_ties(plan, title):
        return None
    order = draw.choice(list(ORDERS))
    plan.sort(title, order)
    plan.sum_up(title, "sum")
    return {"column": title, "group": group, "member": member, "amount": amount, "order": order}


def _header_total(plan: Plan, draw: Random) -> JsonMapping:
    look, style = draw_look(draw)
    plan.style(plan.header_area, style)
    plan.freeze()
    slots = _total_below(plan, draw)
    plan.style(str(plan.calls[-1][1]["label"]), _BOLD)
    return {"look": look, **slots}


def _has_ties(plan: Plan, title: str) -> bool:
    """Return whether an order by a column would be open."""
    values = plan.table.values(title)
    return len(set(values)) < len(values)


KINDS: Mapping[str, Callable[[Plan, Random], JsonMapping | None]] = {
    "filter_total": _filter_total,
    "computed_sort": _computed_sort,
    "clean_total": _clean_total,
    "subtotals": _subtotals,
    "extremes": _extremes,
    "move_column": _move_column,
    "tidy": _tidy,
    "top_rows": _top_rows,
    "transfer": _transfer,
    "restock": _restock,
    "report": _report,
    "flags": _flags,
    "heading": _heading,
    "insert_ordered": _insert_ordered,
    "raise_total": _raise_total,
    "header_total": _header_total,
}
"""The kinds by name; one that returns None is drawn again."""
