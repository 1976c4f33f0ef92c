"""The evaluator: works a goal out over the tables of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.answer_fields import field_name, group_name, list_name, measure_name, part_name
from stb_env.suites.worlds.blueprint import Blueprint
from stb_env.suites.worlds.facts import COMPARE, Facts, facts_at_start, json_value
from stb_env.suites.worlds.goals import (
    Change,
    Clause,
    Difference,
    Expected,
    Extreme,
    ForEach,
    Goal,
    GoalError,
    Group,
    Limit,
    Listing,
    Lookup,
    Make,
    Measure,
    RowId,
    Select,
    Several,
    Summary,
    Tally,
    Work,
)
from stb_env.suites.worlds.kit import Life
from stb_env.suites.worlds.kit_actions import Create, Delete, Set, Transition
from stb_env.suites.worlds.rows import MISSING, Row, State


def chosen(facts: Facts, select: Select) -> list[tuple[int, Row]]:
    """Return the rows that a selection means, in order."""
    rows = facts.rows(select.entity)
    for clause in select.clauses:
        rows = _meeting(facts, select.entity, rows, clause)
    return rows


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
            return _fields(facts, goal.select.entity, _only(facts, goal.select), goal.fields)
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
            after = _acted(facts, goal.select.entity, [(row, goal.action)], goal.value, skips=False)
            return replace(told, state=after)
        case Make():
            row = _only(facts, goal.select)
            told = _fields(facts, goal.select.entity, row, goal.fields)
            return replace(told, state=_made(facts, goal, row[0]), rows=())
        case ForEach():
            found = chosen(facts, goal.select)
            acts = [(row, goal.action) for row in found]
            after = _acted(facts, goal.select.entity, acts, goal.value, skips)
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


def _way(facts: Facts, entity: str, number: int, path: str) -> tuple[RowId, ...]:
    """Return the row that holds the value at the end of a path."""
    for name in path.split(".")[:-1]:
        number, entity = facts.value(entity, number, name), facts.blueprint.entity_at(entity, name)
    return ((entity, number),)


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
        support[name] = tuple((entity, number) for number, _ in kept)
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
    support = tuple((entity, number) for number, _ in rows)
    return Expected(answer, facts.state, {group: support, name: support}, tuple(each[0] for each in rows))


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
    support = tuple((entity, number) for number, _ in one)
    both = support + tuple((entity, number) for number, _ in other)
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


# -- actions and queues -----------------------------------------------------------------------------


def _acted(
    facts: Facts,
    entity: str,
    acts: list[tuple[tuple[int, Row], str]],
    value: int | None,
    skips: bool,
) -> State:
    """Return the state after an action was done to each of some rows.

    Raises:
        GoalError: An action does not suit its row, and none is skipped.
    """
    known: dict[str, Callable[[int, Row], Row | None]] = {}
    changed: dict[int, Row | None] = {}
    for (number, row), action in acts:
        if isinstance(facts.blueprint.entities[entity].actions[action], Delete):
            changed[number] = None
            continue
        if action not in known:
            known[action] = _action(facts, entity, action, value)
        after = known[action](number, row)
        if after is not None:
            changed[number] = after
        elif not skips:
            raise GoalError(f"row {number} of {entity} is none that one can {action}, or is so already")
    return facts.blueprint.data.put_all(facts.state, entity, changed)


def _made(facts: Facts, goal: Make, meant: int) -> State:
    """Return the state with the new row, whose label is the next code."""
    described = facts.blueprint.entities[goal.entity]
    action = described.actions[goal.action]
    if not isinstance(action, Create):
        raise GoalError(f"{goal.action} makes no row of {goal.entity}")
    data = facts.blueprint.data
    values = {action.fields[0]: meant, **dict(goal.values)}
    for name, text in action.start.items():
        values[name] = facts.blueprint.value_of(goal.entity, name, text)
    values[described.label] = len(data.rows[goal.entity]) + facts.state.made.get(goal.entity, 0)
    return data.add(facts.state, goal.entity, tuple(values[name] for name in described.attributes))[1]


def _action(facts: Facts, entity: str, action: str, value: int | None) -> Callable[[int, Row], Row | None]:
    """Return what makes the row after an action out of the row before; None where the action does not suit.

    Raises:
        GoalError: It is no action on single rows, or its value is not given.
    """
    described = facts.blueprint.entities[entity]
    what = described.actions[action]
    sources: list[int] | None = None
    if isinstance(what, Transition):
        life = described.attributes[what.field]
        if not isinstance(life, Life):
            raise GoalError(f"{what.field} of {entity} is no lifecycle")
        sources = [life.values.index(source) for source in what.source]
        wanted = life.values.index(what.target)
    elif isinstance(what, Set) and value is not None:
        wanted = value
    else:
        raise GoalError(f"{action} is no action on a single row, or its value is not given")
    column = described.columns[what.field]
    allowed = facts.all_hold(entity, what.when)

    def done(number: int, row: Row) -> Row | None:
        suits = sources is None or row[column] in sources
        if not suits or row[column] == wanted or not allowed(number, row):
            return None
        return (*row[:column], wanted, *row[column + 1 :])

    return done


@dataclass(frozen=True, slots=True)
class Applied:
    """Outcome of a rule for one row: the conditions and exceptions that hold."""

    action: str
    when: tuple[bool, ...]
    unless: tuple[bool, ...]

    @property
    def applies(self) -> bool:
        """True where the rule asks for its action."""
        return all(self.when) and not any(self.unless)


def applied(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[list[Applied]]:
    """Return what each rule of a queue says of each of some rows."""
    rules = [
        (
            rule.do,
            [facts.test(entity, condition) for condition in rule.when],
            [facts.test(entity, condition) for condition in rule.unless],
        )
        for rule in facts.blueprint.entities[entity].queues[queue].rules
    ]
    return [
        [
            Applied(do, tuple(test(*each) for test in when), tuple(test(*each) for test in unless))
            for do, when, unless in rules
        ]
        for each in found
    ]


def first_action(rules: Iterable[Applied], otherwise: str) -> str:
    """Return the action that the first rule that applies asks for."""
    return next((rule.action for rule in rules if rule.applies), otherwise)


def decide(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[str]:
    """Return the action that the rules of a queue ask for, for each of some rows."""
    otherwise = facts.blueprint.entities[entity].queues[queue].otherwise
    return [first_action(rules, otherwise) for rules in applied(facts, entity, queue, found)]


def waiting(facts: Facts, queue: str, select: Select) -> list[tuple[int, Row]]:
    """Return the rows of a selection that wait in a queue."""
    declared = facts.blueprint.entities[select.entity].queues[queue]
    waits = facts.all_hold(select.entity, declared.select)
    return [(number, row) for number, row in chosen(facts, select) if waits(number, row)]


def _work(facts: Facts, goal: Work) -> Expected:
    entity = goal.select.entity
    found = waiting(facts, goal.queue, goal.select)
    decisions = decide(facts, entity, goal.queue, found)
    acts = list(zip(found, decisions, strict=True))
    after = _acted(facts, entity, acts, None, skips=False)
    decided = [each for each, action in acts if action == goal.decision]
    told = _figures(facts, entity, decided, goal.measures, after)
    return Expected(told.answer, after, told.support, tuple(number for number, _ in found))
