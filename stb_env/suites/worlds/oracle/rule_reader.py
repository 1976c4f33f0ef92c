"""Works out the conditions of rules and policies from what tools show."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.conditions import TODAY, Count, Days, Path, compares, operand
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import Clause
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.oracle.requests import Asking, Request
from stb_env.suites.worlds.schema.actions import Condition
from stb_env.suites.worlds.schema.kit import Category, Life, Quantity


class RuleReader:
    """Decides for which rows conditions hold, and reads what that takes.

    Args:
        blueprint: The world.
        finder: Reads rows.
    """

    def __init__(self, blueprint: Blueprint, finder: Finder) -> None:
        self._blueprint = blueprint
        self.finder = finder
        self._today = MISSING

    def clause(self, entity: str, condition: Condition) -> Clause:
        """Return the clause of a goal that says the same as a condition."""
        if condition.op not in ("=", "!=", ">", "<") or not isinstance(condition.right, str | int):
            raise KeyError(f"the condition on {condition.left} is no clause")
        return Clause(condition.left, condition.op, self._wanted(entity, condition.left, condition.right))

    def _wanted(self, entity: str, left: str, right: str | int | bool) -> int:
        """Return a value in the kit's own words as rows hold it."""
        if "(" not in left and left != TODAY:
            match self._blueprint.attribute(entity, left):
                case Category(values=values) | Life(values=values):
                    return values.index(str(right))
                case Quantity(digits=digits):
                    return int(right) * int(10**digits)
        return int(right)

    def holding(self, entity: str, numbers: Sequence[int], condition: Condition) -> Asking[list[int]]:
        """Return the rows for which a condition holds, reading what it needs."""
        left = yield from self.measured(entity, numbers, condition.left)
        right = condition.right
        if isinstance(right, str) and right.startswith("@"):
            others = yield from self.measured(entity, numbers, right[1:])
            return [
                number
                for number in numbers
                if others[number] != MISSING and compares(left[number], condition.op, others[number])
            ]
        if isinstance(right, tuple):
            listed = [self._wanted(entity, condition.left, each) for each in right]
            inside = condition.op == "in"
            known = [number for number in numbers if left[number] != MISSING]
            return [number for number in known if (left[number] in listed) == inside]
        wanted = self._wanted(entity, condition.left, right)
        return [number for number in numbers if compares(left[number], condition.op, wanted)]

    def measured(self, entity: str, numbers: Sequence[int], text: str) -> Asking[dict[int, int]]:
        """Return what one side of a condition is for each row."""
        finder = self.finder
        match operand(text):
            case Path(path):
                return (yield from self._followed(entity, numbers, path))
            case Days(start, end):
                first = yield from self._followed(entity, numbers, start)
                last = yield from self._followed(entity, numbers, end)
                return {
                    number: MISSING
                    if MISSING in (first[number], last[number])
                    else last[number] - first[number]
                    for number in numbers
                }
            case Count(other, attribute):
                rows = yield from finder.find(other, (), [attribute], f"{entity}~{other}")
                referring = [finder.value(other, row, attribute) for row in rows]
                return {number: referring.count(number) for number in numbers}

    def _followed(self, entity: str, numbers: Sequence[int], path: str) -> Asking[dict[int, int]]:
        if path == TODAY:
            if self._today == MISSING:
                tool = self.finder.tool("today", "")
                if tool is None:
                    raise KeyError("every world has a tool that tells the date")
                response = yield Request(tool, {})
                self._today = date.fromisoformat(response["today"]).toordinal()
            return dict.fromkeys(numbers, self._today)
        yield from self.finder.provide(entity, numbers, [path], entity)
        return {number: self.finder.value(entity, number, path) for number in numbers}
