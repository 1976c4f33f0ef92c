"""Careless players: each makes one mistake that has nothing to do with a goal's clauses or rules.

They play the oracle's plan, but read the first page of a list alone, take the first hit of a search, or take
cents for units of money.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Difference,
    Expected,
    Goal,
    GoalError,
    Limit,
    Select,
    Several,
    parts_of,
)
from stb_env.suites.worlds.oracle.player import Player
from stb_env.suites.worlds.oracle.requests import Request
from stb_env.suites.worlds.oracle.solve import Solved
from stb_env.suites.worlds.schema.kit import Quantity
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.world import Built

_CENTS = 100
Misread = Callable[[Built, Request, JsonObject], JsonObject]
"""Turns a response into what a careless player makes of it."""


def careless_solves(world: Built, goal: Goal, solved: Solved, expected: Expected) -> dict[str, bool]:
    """Return which mistakes can be made in a task, and whether a player who makes them solves it.

    Args:
        world: The world.
        goal: The goal.
        solved: The oracle's plan, with its requests.
        expected: What solves the goal.
    """
    found: dict[str, bool] = {}
    lists = [each.tool.tool.name for each in solved.requests if each.tool.pager is not None]
    if len(lists) > len(set(lists)):
        found["reads the first page alone"] = _plays(world, goal, solved, expected, _first_page)
    if any(each.tool.kind == "search" for each in solved.requests):
        found["takes the first search hit"] = _plays(world, goal, solved, expected, _first_hit)
    cents = _in_cents(world, goal)
    if cents is not None:
        found["takes cents for units"] = _evaluates(world, cents, expected)
    return found


def _plays(world: Built, goal: Goal, solved: Solved, expected: Expected, misread: Misread) -> bool:
    plan = Player(world, solved.modes).solve(goal)
    state, response = State(), None
    try:
        while True:
            request = plan.send(response)
            shown, state = request.tool.call(state, request.arguments)
            response = misread(world, request, shown) if isinstance(shown, dict) else shown
    except StopIteration as stop:
        return bool(stop.value == expected.answer and state == expected.state)
    except (ApiError, ArithmeticError, LookupError, TypeError, ValueError):
        # A plan that finds nothing to go on with is lost.
        return False


def _first_page(world: Built, request: Request, shown: JsonObject) -> JsonObject:
    if request.tool.pager is None:
        return shown
    style = world.codec.style(request.tool.entity)
    last: Mapping[str, tuple[str, object]] = {
        "page": ("pages", shown.get("page")),
        "offset": (style.field("has more"), False),
        "cursor": (style.field("next cursor"), None),
    }
    name, value = last[style.paging]
    return {**shown, name: value}


def _first_hit(_world: Built, request: Request, shown: JsonObject) -> JsonObject:
    tool = request.tool
    if tool.kind != "search" or not shown[tool.items]:
        return shown
    label, wanted = tool.fields[0].name, request.arguments[tool.params[0].name]
    first = shown[tool.items][0]
    if "attributes" in first:
        first = {**first, "attributes": {**first["attributes"], label: wanted}}
    else:
        first = {**first, label: wanted}
    return {**shown, tool.items: [first]}


def _in_cents(world: Built, goal: Goal) -> Goal | None:
    """Return the goal as one who takes cents for units understands it, or None where no money is in it."""
    if isinstance(goal, Several):
        parts = [_in_cents(world, part) for part in goal.parts]
        if not any(parts):
            return None
        taken = zip(goal.parts, parts, strict=True)
        return Several(tuple(part for own, other in taken for part in parts_of(other or own)))
    if isinstance(goal, Difference):
        one, other = _select_in_cents(world, goal.one), _select_in_cents(world, goal.other)
        return None if one == goal.one else replace(goal, one=one, other=other)
    select = _select_in_cents(world, goal.select)
    return None if select == goal.select else replace(goal, select=select)


def _select_in_cents(world: Built, select: Select) -> Select:
    def misread(entity: str, clause: Clause) -> Clause:
        owner, _ = world.blueprint.place(entity, clause.path)
        attribute = world.blueprint.attribute(entity, clause.path)
        is_money = isinstance(attribute, Quantity) and attribute.type == "money"
        if is_money and world.codec.style(owner).money == "cents":
            return replace(clause, value=clause.value // _CENTS)
        return clause

    clauses: list[Limit] = []
    for clause in select.clauses:
        if not isinstance(clause, Clause):
            inner = tuple(misread(clause.entity, each) for each in clause.clauses)
            clauses.append(replace(clause, clauses=inner))
        else:
            clauses.append(misread(select.entity, clause))
    return Select(select.entity, tuple(clauses))


def _evaluates(world: Built, goal: Goal, expected: Expected) -> bool:
    try:
        got = evaluate(goal, world.blueprint, State(), skips=True)
    except GoalError:
        return False
    return got.answer == expected.answer and got.state == expected.state
