"""The evaluator: works a goal out over the tables of a world."""

from __future__ import annotations

from dataclasses import replace

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import Facts, facts_at_start, json_value
from stb_env.suites.worlds.data.rates import SHOWN, converted, rate_of
from stb_env.suites.worlds.data.rows import MISSING, Row, State
from stb_env.suites.worlds.goals.answer_fields import (
    amount_name,
    field_name,
    group_name,
    list_name,
    measure_name,
    part_name,
)
from stb_env.suites.worlds.goals.effects import acted, made, moved
from stb_env.suites.worlds.goals.goal import (
    Change,
    Difference,
    Expected,
    Extreme,
    ForEach,
    Goal,
    GoalError,
    Group,
    Listing,
    Lookup,
    Make,
    Measure,
    RowId,
    Select,
    Several,
    Summary,
    Work,
)
from stb_env.suites.worlds.goals.queues import decide, waiting
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.schema.kit import Quantity


def evaluate(goal: Goal, blueprint: Blueprint, state: State, *, skips: bool = False) -> Expected:
    """Return what solves a goal from a state.

    Args:
        goal: The goal.
        blueprint: The world.
        state: The state at the start.
        skips: Whether rows that an action does not suit are left as they are, as when tools refuse them.

    Raises:
        GoalError: There is no single answer.
    """
    facts = facts_at_start(blueprint) if state == State() else Facts(blueprint, state)
    match goal:
        case Lookup():
            told = _fields(facts, goal.select.entity, _only(facts, goal.select), goal.fields)
            return _converted(facts, goal, told) if goal.currency else told
        case Extreme():
            return _fields(facts, goal.select.entity, _first(facts, goal), goal.fields)
        case Summary():
            return _figures(facts, goal.select.entity, chosen(facts, goal.select), goal.measures, state)
        case Group():
            return _group(facts, goal)
        case Difference():
            return _two(facts, goal)
        case Listing():
            return _listing(facts, goal)
        case Change():
            row = _only(facts, goal.select)
            told = _fields(facts, goal.select.entity, row, goal.fields)
            if goal.target is not None:
                return replace(told, state=moved(facts, goal, row, _only(facts, goal.target)))
            after = acted(facts, goal.select.entity, [(row, goal.action)], goal.value, skips=False)
            return replace(told, state=after)
        case Make():
            row = _only(facts, goal.select)
            told = _fields(facts, goal.select.entity, row, goal.fields)
            return replace(told, state=made(facts, goal, row[0]), rows=())
        case ForEach():
            found = chosen(facts, goal.select)
            acts = [(row, goal.action) for row in found]
            after = acted(facts, goal.select.entity, acts, goal.value, skips)
            return _figures(facts, goal.select.entity, found, goal.measures, after)
        case Work():
            return _work(facts, goal)
        case Several():
            return _several(goal, blueprint, state, skips)


def _several(goal: Several, blueprint: Blueprint, state: State, skips: bool) -> Expected:
    """Return what solves all parts, one after the other."""
    answer: JsonObject = {}
    support: dict[str, tuple[RowId, ...]] = {}
    rows: list[int] = []
    after = state
    for part in goal.parts:
        told = evaluate(part, blueprint, after, skips=skips)
        named = {part_name(blueprint, part, name): value for name, value in told.answer.items()}
        if named.keys() & answer.keys():
            raise GoalError("two parts of a request ask for fields of one name")
        answer |= named
        support |= {part_name(blueprint, part, name): shown for name, shown in told.support.items()}
        rows += told.rows
        after = told.state
    return Expected(answer, after, support, tuple(rows))


def _only(facts: Facts, select: Select) -> tuple[int, Row]:
    found = chosen(facts, select)
    if len(found) != 1:
        raise GoalError(f"{len(found)} rows are meant where one must be")
    return found[0]


def _fields(facts: Facts, entity: str, found: tuple[int, Row], paths: tuple[str, ...]) -> Expected:
    number, row = found
    answer: JsonObject = {}
    support: dict[str, tuple[RowId, ...]] = {}
    for path in paths:
        value = facts.getter(entity, path)(number, row)
        if value == MISSING:
            raise GoalError(f"{path} of the row that is meant has no value")
        name = field_name(facts.blueprint, entity, path)
        answer[name] = json_value(facts.blueprint, entity, path, value)
        support[name] = _way(facts, entity, number, path)
    return Expected(answer, facts.state, support, (number,))


def _converted(facts: Facts, goal: Lookup, told: Expected) -> Expected:
    """Return what solves a look-up of an amount in another currency."""
    entity, (path,) = goal.select.entity, goal.fields
    attribute = facts.blueprint.attribute(entity, path)
    currency, rate = rate_of(facts.blueprint)
    if not isinstance(attribute, Quantity) or goal.currency != currency:
        raise GoalError(f"nobody converts {path} to {goal.currency}")
    value = facts.column(entity, path)[told.rows[0]]
    usual, name = field_name(facts.blueprint, entity, path), amount_name(facts.blueprint, goal)
    answer: JsonObject = {name: converted(value, attribute.digits, rate) / 100}
    return replace(told, answer=answer, support={name: (*told.support[usual], (SHOWN, 0))})


def _way(facts: Facts, entity: str, number: int, path: str) -> tuple[RowId, ...]:
    """Return the place of the value at the end of a path; none where a row has no such value."""
    *references, last = path.split(".")
    for name in references:
        number, entity = facts.value(entity, number, name), facts.blueprint.entity_at(entity, name)
        if number == MISSING:
            return ()
    return ((f"{entity}.{last}", number),)


def _counted(facts: Facts, entity: str, found: list[tuple[int, Row]], measure: Measure) -> tuple[RowId, ...]:
    """Return the places that a figure over rows stands on: the rows, or the values in them."""
    if measure.kind == "count":
        return tuple((entity, number) for number, _ in found)
    return tuple(place for number, _ in found for place in _way(facts, entity, number, measure.path))


def _first(facts: Facts, goal: Extreme) -> tuple[int, Row]:
    column = facts.column(goal.select.entity, goal.by)
    valued = [(column[number], number, row) for number, row in chosen(facts, goal.select)]
    valued = sorted((each for each in valued if each[0] != MISSING), reverse=goal.most)
    if not valued or (len(valued) > 1 and valued[0][0] == valued[1][0]):
        raise GoalError("no row, or more than one, comes first")
    return valued[0][1:]


def figure(facts: Facts, entity: str, found: list[tuple[int, Row]], measure: Measure) -> int:
    """Return a figure over rows, as a whole number of smallest parts.

    Raises:
        GoalError: It is the greatest or least of no values.
    """
    if measure.kind == "count":
        return len(found)
    column = facts.column(entity, measure.path)
    values = [value for number, _ in found if (value := column[number]) != MISSING]
    if measure.kind == "total":
        return sum(values)
    if not values:
        raise GoalError(f"{measure.path} of the rows that are meant has no value")
    return max(values) if measure.kind == "greatest" else min(values)


def figure_value(blueprint: Blueprint, entity: str, measure: Measure, value: int) -> object:
    """Return a figure as typed answers hold it."""
    return value if measure.kind == "count" else json_value(blueprint, entity, measure.path, value)


def _figures(
    facts: Facts,
    entity: str,
    found: list[tuple[int, Row]],
    measures: tuple[Measure, ...],
    after: State,
) -> Expected:
    answer: JsonObject = {}
    support: dict[str, tuple[RowId, ...]] = {}
    for measure in measures:
        name = measure_name(facts.blueprint, entity, measure)
        value = figure(facts, entity, found, measure)
        answer[name] = figure_value(facts.blueprint, entity, measure, value)
        kept = found
        if measure.kind in ("greatest", "least"):
            get = facts.getter(entity, measure.path)
            # One of the rows that have the value will do: the first stands for them.
            kept = [next(each for each in found if get(*each) == value)]
        support[name] = _counted(facts, entity, kept, measure)
    return Expected(answer, after, support, tuple(number for number, _ in found))


def group_figures(facts: Facts, goal: Group) -> list[tuple[int, int, list[tuple[int, Row]]]]:
    """Return the figure, value and rows of every group, the first place first."""
    entity = goal.select.entity
    column = facts.column(entity, goal.by)
    groups: dict[int, list[tuple[int, Row]]] = {}
    for number, row in chosen(facts, goal.select):
        if (value := column[number]) != MISSING:
            groups.setdefault(value, []).append((number, row))
    figures = [(figure(facts, entity, rows, goal.measure), value, rows) for value, rows in groups.items()]
    return sorted(figures, key=lambda each: (-each[0] if goal.most else each[0], each[1]))


def _group(facts: Facts, goal: Group) -> Expected:
    entity, blueprint = goal.select.entity, facts.blueprint
    figures = group_figures(facts, goal)
    if len(figures) < 2 or figures[0][0] == figures[1][0]:
        raise GoalError("no group, or more than one, comes first")
    result, value, rows = figures[0]
    name, group = measure_name(blueprint, entity, goal.measure), group_name(blueprint, entity, goal.by)
    answer = {
        group: json_value(blueprint, entity, goal.by, value),
        name: figure_value(blueprint, entity, goal.measure, result),
    }
    support = {
        group: tuple(place for number, _ in rows for place in _way(facts, entity, number, goal.by)),
        name: _counted(facts, entity, rows, goal.measure),
    }
    return Expected(answer, facts.state, support, tuple(each[0] for each in rows))


def _two(facts: Facts, goal: Difference) -> Expected:
    entity, blueprint = goal.one.entity, facts.blueprint
    one, other = chosen(facts, goal.one), chosen(facts, goal.other)
    if not one or not other:
        raise GoalError("one side of a difference has no rows")
    first = figure(facts, entity, one, goal.measure)
    second = figure(facts, entity, other, goal.measure)
    name = measure_name(blueprint, entity, goal.measure)
    answer = {
        f"first_{name}": figure_value(blueprint, entity, goal.measure, first),
        f"{name}_difference": figure_value(blueprint, entity, goal.measure, abs(first - second)),
    }
    support = _counted(facts, entity, one, goal.measure)
    both = support + _counted(facts, entity, other, goal.measure)
    return Expected(answer, facts.state, {f"first_{name}": support, f"{name}_difference": both})


def _listing(facts: Facts, goal: Listing) -> Expected:
    entity, blueprint = goal.select.entity, facts.blueprint
    found = chosen(facts, goal.select)
    get = facts.getter(entity, goal.path)
    holders: dict[int, int] = {}
    for number, row in found:
        if (value := get(number, row)) != MISSING:
            holders.setdefault(value, number)
    if not holders:
        raise GoalError("a list has no values")
    name = list_name(blueprint, entity, goal.path)
    values = [json_value(blueprint, entity, goal.path, value) for value in holders]
    support = tuple(place for number in holders.values() for place in _way(facts, entity, number, goal.path))
    return Expected({name: values}, facts.state, {name: support}, tuple(number for number, _ in found))


def _work(facts: Facts, goal: Work) -> Expected:
    entity = goal.select.entity
    found = waiting(facts, goal.queue, goal.select)
    decisions = decide(facts, entity, goal.queue, found)
    acts = list(zip(found, decisions, strict=True))
    after = acted(facts, entity, acts, None, skips=False)
    decided = [each for each, action in acts if action == goal.decision]
    told = _figures(facts, entity, decided, goal.measures, after)
    return Expected(told.answer, after, told.support, tuple(number for number, _ in found))
