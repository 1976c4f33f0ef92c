"""Facts of a world in one state: values by path, and the conditions of rules over them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from stb_env.core.jsontypes import Json
from stb_env.suites.worlds.data.rows import MISSING, Row, State
from stb_env.suites.worlds.schema.actions import Condition
from stb_env.suites.worlds.schema.kit import Attribute, Category, Flag, Life, Quantity

if TYPE_CHECKING:
    from stb_env.suites.worlds.data.blueprint import Blueprint

Getter = Callable[[int, Row], int]
"""Reads one value of a row, from its number and content; `MISSING` where there is none."""
Test = Callable[[int, Row], bool]

TODAY = "today"
COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_DAYS = re.compile(r"days\(([a-z0-9_.]+), ([a-z0-9_.]+)\)")
_COUNT = re.compile(r"count\(([a-z0-9_]+)\.([a-z0-9_]+)\)")


class Facts:
    """Reads values and tests conditions in one state of a world.

    Args:
        blueprint: The world.
        state: The state; that of a new episode is empty.
    """

    def __init__(self, blueprint: Blueprint, state: State) -> None:
        self.blueprint = blueprint
        self.state = state
        self._rows: dict[str, list[tuple[int, Row]]] = {}
        self._columns: dict[tuple[str, str], list[int]] = {}

    def rows(self, entity: str) -> list[tuple[int, Row]]:
        """Return the number and content of every row of an entity, in order; they are kept."""
        found = self._rows.get(entity)
        if found is None:
            found = self._rows[entity] = list(self.blueprint.data.each(self.state, entity))
        return found

    def column(self, entity: str, path: str) -> list[int]:
        """Return the value at the end of a path by row number; `MISSING` where no row is. They are kept."""
        found = self._columns.get((entity, path))
        if found is None:
            get, rows = self.getter(entity, path), self.rows(entity)
            found = self._columns[entity, path] = [MISSING] * (rows[-1][0] + 1 if rows else 0)
            for number, row in rows:
                found[number] = get(number, row)
        return found

    def value(self, entity: str, number: int, expression: str) -> int:
        """Return one value of an existing row, as `getter` reads it."""
        row = self.blueprint.data.row(self.state, entity, number)
        return MISSING if row is None else self.getter(entity, expression)(number, row)

    def getter(self, entity: str, expression: str) -> Getter:
        """Return what reads a path, ``today``, ``days(a, b)`` or ``count(entity.attribute)``.

        Raises:
            KeyError: A part of a path is no attribute.
        """
        if expression == TODAY:
            today = self.blueprint.today
            return lambda _number, _row: today
        if found := _DAYS.fullmatch(expression):
            start, end = (self.getter(entity, part) for part in found.groups())
            return lambda number, row: _days(start(number, row), end(number, row))
        if found := _COUNT.fullmatch(expression):
            other, column = found[1], self.blueprint.entities[found[1]].columns[found[2]]
            data, state = self.blueprint.data, self.state
            return lambda number, _row: len(data.having(state, other, column, number))
        return self._path(entity, expression)

    def _path(self, entity: str, path: str) -> Getter:
        entities, data, state = self.blueprint.entities, self.blueprint.data, self.state
        *references, last = path.split(".")
        hops: list[tuple[int, str]] = []
        for name in references:
            place = entities[entity].columns[name]
            entity = self.blueprint.entity_at(entity, name)
            hops.append((place, entity))
        column = entities[entity].columns[last]
        if not hops:
            return lambda _number, row: row[column]

        def follow(_number: int, row: Row) -> int:
            for place, target in hops:
                found = None if row[place] == MISSING else data.row(state, target, row[place])
                if found is None:
                    return MISSING
                row = found
            return row[column]

        return follow

    def test(self, entity: str, condition: Condition) -> Test:
        """Return what tests a condition on a row; a missing value meets none.

        Args:
            entity: The entity of the row.
            condition: The condition, with its numbers drawn.
        """
        left = self.getter(entity, condition.left)
        attribute = self._attribute(entity, condition.left)
        right = condition.right
        if isinstance(right, str) and right.startswith("@"):
            other = self.getter(entity, right.removeprefix("@"))
            compare = COMPARE[condition.op]
            return lambda number, row: _both(compare, left(number, row), other(number, row))
        wanted = right if isinstance(right, tuple) else (right,)
        return _against(left, condition.op, tuple(_whole(attribute, each) for each in wanted))

    def all_hold(self, entity: str, conditions: Iterable[Condition]) -> Test:
        """Return what tests whether a row meets every condition."""
        tests = [self.test(entity, condition) for condition in conditions]
        return lambda number, row: all(test(number, row) for test in tests)

    def _attribute(self, entity: str, expression: str) -> Attribute | None:
        if "(" in expression or expression == TODAY:
            return None
        return self.blueprint.attribute(entity, expression)


@lru_cache(maxsize=32)
def facts_at_start(blueprint: Blueprint) -> Facts:
    """Return the facts of a world that nobody has touched, with what was read of them before."""
    return Facts(blueprint, State())


def _against(left: Getter, op: str, wanted: tuple[int, ...]) -> Test:
    if op in ("in", "not in"):
        inside = op == "in"
        return lambda number, row: (got := left(number, row)) != MISSING and (got in wanted) == inside
    compare, value = COMPARE[op], wanted[0]
    return lambda number, row: _both(compare, left(number, row), value)


def _both(compare: Callable[[int, int], bool], left: int, right: int) -> bool:
    return left != MISSING and right != MISSING and compare(left, right)


def _days(start: int, end: int) -> int:
    return MISSING if MISSING in (start, end) else end - start


def _whole(attribute: Attribute | None, value: str | int | bool) -> int:
    """Return the whole number that stands in rows for a value in the kit's own words."""
    if isinstance(attribute, Category | Life) and isinstance(value, str):
        return attribute.values.index(value)
    scale: int = 10**attribute.digits if isinstance(attribute, Quantity) else 1
    return int(value) * scale


def json_value(blueprint: Blueprint, entity: str, path: str, value: int) -> Json:
    """Return a stored value as typed answers hold it: text, an ISO date, a number, true or false."""
    match blueprint.attribute(entity, path):
        case Quantity(digits=digits):
            # The division is the only rounding.
            return value / 10**digits if digits else value
        case Flag():
            return bool(value)
    return blueprint.text_of(entity, path, value)
