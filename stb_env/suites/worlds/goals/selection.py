"""Selections: the rows of a world that the clauses of a goal mean."""

from __future__ import annotations

from functools import lru_cache

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import COMPARE, Facts, facts_at_start
from stb_env.suites.worlds.data.rows import MISSING, Row
from stb_env.suites.worlds.goals.goal import Clause, Limit, Select, Tally

_MOST_KEPT = 300
"""Clauses of a world whose rows are kept."""


def chosen(facts: Facts, select: Select) -> list[tuple[int, Row]]:
    """Return the rows that a selection means, in order."""
    rows = facts.rows(select.entity)
    if facts is not facts_at_start(facts.blueprint):
        for clause in select.clauses:
            rows = _meeting(facts, select.entity, rows, clause)
        return rows
    if not select.clauses:
        return rows
    first, *others = sorted((_at_start(facts, select.entity, each) for each in select.clauses), key=len)
    # No row is gone yet, so each stands at the place of its number.
    return [rows[number] for number in sorted(first.intersection(*others))]


def _at_start(facts: Facts, entity: str, clause: Limit) -> frozenset[int]:
    """Return the rows that meet a clause where nobody has touched them; those asked for last are kept."""
    kept = _kept(facts.blueprint)
    found = kept.get((entity, clause))
    if found is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = frozenset(number for number, _ in _meeting(facts, entity, facts.rows(entity), clause))
        kept[entity, clause] = found
    return found


@lru_cache(maxsize=32)
def _kept(blueprint: Blueprint) -> dict[tuple[str, Limit], frozenset[int]]:
    """Return the rows of a world that meet clauses at the start."""
    del blueprint
    return {}


def _meeting(facts: Facts, entity: str, rows: list[tuple[int, Row]], clause: Limit) -> list[tuple[int, Row]]:
    """Return those of some rows that meet a clause."""
    if isinstance(clause, Clause):
        column = facts.column(entity, clause.path)
        compare, value = COMPARE[clause.op], clause.value
        return [each for each in rows if (got := column[each[0]]) != MISSING and compare(got, value)]
    if isinstance(clause, Tally):
        return _tallying(facts, entity, rows, clause)
    place = facts.blueprint.entities[clause.entity].columns[clause.reference]
    others = chosen(facts, Select(clause.entity, clause.clauses))
    referred, present = {row[place] for _, row in others}, clause.present
    return [each for each in rows if (each[0] in referred) == present]


def _tallying(facts: Facts, entity: str, rows: list[tuple[int, Row]], clause: Tally) -> list[tuple[int, Row]]:
    """Return those of some rows whose figure over the rows that refer to them is over or under a bound."""
    figures, compare = tallies(facts, clause), COMPARE[clause.op]
    if clause.bound is not None:
        bound = clause.bound
        return [each for each in rows if compare(figures.get(each[0], 0), bound)]
    column = facts.column(entity, clause.path)
    return [
        each
        for each in rows
        if column[each[0]] != MISSING and compare(figures.get(each[0], 0), column[each[0]])
    ]


def tallies(facts: Facts, clause: Tally) -> dict[int, int]:
    """Return the figure of a clause for every row that rows refer to."""
    place = facts.blueprint.entities[clause.entity].columns[clause.reference]
    values = facts.column(clause.entity, clause.measure.path) if clause.measure.path else None
    figures: dict[int, int] = {}
    for number, row in chosen(facts, Select(clause.entity, clause.clauses)):
        value = 1 if values is None else values[number]
        if value != MISSING:
            figures[row[place]] = figures.get(row[place], 0) + value
    return figures
