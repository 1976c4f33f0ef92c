"""Goal programs: typed data that says which rows a request is about, what it asks and what it changes.

`evaluate` works them out over a world's tables alone. The oracle, which solves them through tools, shares
nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from stb_env.core.answers import object_schema
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.worlds.facts import COMPARE, Facts, Test, json_value
from stb_env.suites.worlds.kit import (
    Category,
    Code,
    Day,
    Email,
    Flag,
    Life,
    Person,
    Quantity,
    Ref,
    Set,
    Title,
    Transition,
)
from stb_env.suites.worlds.nouns import forms
from stb_env.suites.worlds.rows import MISSING, Row, State

if TYPE_CHECKING:
    from stb_env.suites.worlds.blueprint import Blueprint

RowId = tuple[str, int]
"""A row: its entity and number."""


# -- which rows -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clause:
    """A comparison of an attribute with a value.

    Attributes:
        path: The attribute, over references.
        op: The comparison; a missing value meets none.
        value: A whole number, as rows hold it. Of a text it is the index in the texts of its column.
    """

    path: str
    op: Literal["=", "!=", ">", "<"]
    value: int


@dataclass(frozen=True, slots=True)
class Related:
    """Whether rows of another entity refer to the row.

    Attributes:
        entity: The other entity.
        reference: Its attribute that refers to the row.
        clauses: What the other rows meet.
        present: Whether there must be one, or none.
    """

    entity: str
    reference: str
    clauses: tuple[Clause, ...]
    present: bool


@dataclass(frozen=True, slots=True)
class Select:
    """The rows of an entity that meet every clause."""

    entity: str
    clauses: tuple[Clause | Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure over rows.

    Attributes:
        kind: The number of rows, a sum, or the greatest or least value.
        path: The attribute; empty for the number of rows.
    """

    kind: Literal["count", "total", "greatest", "least"]
    path: str = ""


# -- what is asked ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lookup:
    """Values of the one row that is meant."""

    select: Select
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extreme:
    """The row with the greatest or least value, and values of it."""

    select: Select
    by: str
    most: bool
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over all rows that are meant: a total, or a count and another figure."""

    select: Select
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Of the values of an attribute, the one whose rows have the greatest or least figure; and the figure.

    Attributes:
        select: The rows.
        by: The attribute whose values make the groups; of a reference, the rows that it leads to.
        measure: The figure of each group.
        most: Whether the greatest is asked for.
    """

    select: Select
    by: str
    measure: Measure
    most: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much the figures over two selections differ, without a sign, and the first of them."""

    one: Select
    other: Select
    measure: Measure


@dataclass(frozen=True, slots=True)
class Listing:
    """The values of an attribute over all rows that are meant, each once."""

    select: Select
    path: str


@dataclass(frozen=True, slots=True)
class ForEach:
    """Do an action to every row that is meant, and give figures over them as they were before.

    Attributes:
        select: The rows.
        action: The action, by its name in the kit.
        value: The value that a `kit.Set` sets, as rows hold it.
        measures: The figures.
    """

    select: Select
    action: str
    value: int | None
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Decide every row that waits in a queue by its rules, and give figures over those with one decision.

    Attributes:
        queue: The queue, by its name in the kit.
        select: Which of its rows: the entity, and clauses beside those that make the queue.
        decision: The action over whose rows figures are given.
        measures: The figures.
    """

    queue: str
    select: Select
    decision: str
    measures: tuple[Measure, ...]


Goal = Lookup | Extreme | Summary | Group | Difference | Listing | ForEach | Work


@dataclass(frozen=True, slots=True)
class Expected:
    """What solves a goal.

    Attributes:
        answer: The value of every field.
        state: The state at the end.
        support: The rows that each field stands on.
        rows: The rows that are meant, in order; those that an action changes.
    """

    answer: JsonObject
    state: State
    support: Mapping[str, tuple[RowId, ...]] = field(default_factory=dict)
    rows: tuple[int, ...] = ()


class GoalError(ValueError):
    """A goal has no single answer: no row is meant, or two share the first place."""


# -- evaluation -------------------------------------------------------------------------------------


def chosen(facts: Facts, select: Select) -> list[tuple[int, Row]]:
    """Return the rows that a selection means, in order."""
    tests = [_clause_test(facts, select.entity, clause) for clause in select.clauses]
    rows = facts.blueprint.data.each(facts.state, select.entity)
    return [(number, row) for number, row in rows if all(test(number, row) for test in tests)]


def _clause_test(facts: Facts, entity: str, clause: Clause | Related) -> Test:
    if isinstance(clause, Clause):
        get, compare, value = facts.getter(entity, clause.path), COMPARE[clause.op], clause.value
        return lambda number, row: (got := get(number, row)) != MISSING and compare(got, value)
    place = facts.blueprint.entities[clause.entity].columns[clause.reference]
    others = chosen(facts, Select(clause.entity, clause.clauses))
    referred, present = {row[place] for _, row in others}, clause.present
    return lambda number, _row: (number in referred) == present


def evaluate(goal: Goal, blueprint: Blueprint, state: State) -> Expected:
    """Return what solves a goal from a state.

    Raises:
        GoalError: There is no single answer.
    """
    facts = Facts(blueprint, state)
    match goal:
        case Lookup():
            found = chosen(facts, goal.select)
            if len(found) != 1:
                raise GoalError(f"{len(found)} rows are meant where one must be")
            return _fields(facts, goal.select.entity, found[0], goal.fields)
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
        case ForEach():
            found = chosen(facts, goal.select)
            after = state
            for number, _ in found:
                after = act(blueprint, after, goal.select.entity, number, goal.action, goal.value)
            return _figures(facts, goal.select.entity, found, goal.measures, after)
        case Work():
            return _work(facts, goal)


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
    get = facts.getter(goal.select.entity, goal.by)
    valued = [(get(number, row), number, row) for number, row in chosen(facts, goal.select)]
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
    get = facts.getter(entity, measure.path)
    values = [value for number, row in found if (value := get(number, row)) != MISSING]
    if measure.kind == "total":
        return sum(values)
    if not values:
        raise GoalError(f"{measure.path} of the rows that are meant has no value")
    return max(values) if measure.kind == "greatest" else min(values)


def figure_value(blueprint: Blueprint, entity: str, measure: Measure, value: int) -> Json:
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
    get = facts.getter(entity, goal.by)
    groups: dict[int, list[tuple[int, Row]]] = {}
    for number, row in chosen(facts, goal.select):
        if (value := get(number, row)) != MISSING:
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


def act(
    blueprint: Blueprint, state: State, entity: str, number: int, action: str, value: int | None = None
) -> State:
    """Return the state after a transition of a row, or after one attribute of it was set.

    Raises:
        GoalError: The row is not there, is in no state that the action starts from, or has the value already.
    """
    row = blueprint.data.row(state, entity, number)
    kind = blueprint.entities[entity]
    what = kind.actions[action]
    if row is None:
        raise GoalError(f"row {number} of {entity} is not there")
    if isinstance(what, Transition):
        life = kind.attributes[what.field]
        column = kind.columns[what.field]
        if not isinstance(life, Life) or life.values[row[column]] not in what.source:
            raise GoalError(f"row {number} of {entity} is in no state from which one can {action}")
        value = life.values.index(what.target)
    elif isinstance(what, Set) and value is not None:
        column = kind.columns[what.field]
    else:
        raise GoalError(f"{action} is no action on a single row, or its value is not given")
    if row[column] == value:
        raise GoalError(f"row {number} of {entity} is as it shall be already")
    if not Facts(blueprint, state).all_hold(entity, what.when)(number, row):
        raise GoalError(f"what {action} asks for does not hold for row {number} of {entity}")
    return blueprint.data.put(state, entity, number, (*row[:column], value, *row[column + 1 :]))


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules of a queue decide for one row: the rule, none for `otherwise`, and its action."""

    number: int
    rule: int | None
    action: str


def decide(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[Decision]:
    """Return the decision for each of some rows: the first rule that applies decides."""
    declared = facts.blueprint.entities[entity].queues[queue]
    rules: list[tuple[Test, list[Test], str]] = []
    for rule in declared.rules:
        exceptions = [facts.test(entity, condition) for condition in rule.unless]
        rules.append((facts.all_hold(entity, rule.when), exceptions, rule.do))
    decisions: list[Decision] = []
    for number, row in found:
        applying = (
            (index, action)
            for index, (holds, exceptions, action) in enumerate(rules)
            if holds(number, row) and not any(test(number, row) for test in exceptions)
        )
        index, action = next(applying, (None, declared.otherwise))
        decisions.append(Decision(number, index, action))
    return decisions


def waiting(facts: Facts, queue: str, select: Select) -> list[tuple[int, Row]]:
    """Return the rows of a selection that wait in a queue."""
    declared = facts.blueprint.entities[select.entity].queues[queue]
    waits = facts.all_hold(select.entity, declared.select)
    return [(number, row) for number, row in chosen(facts, select) if waits(number, row)]


def _work(facts: Facts, goal: Work) -> Expected:
    entity = goal.select.entity
    found = waiting(facts, goal.queue, goal.select)
    after = facts.state
    decided: list[tuple[int, Row]] = []
    for decision, each in zip(decide(facts, entity, goal.queue, found), found, strict=True):
        after = act(facts.blueprint, after, entity, decision.number, decision.action)
        if decision.action == goal.decision:
            decided.append(each)
    told = _figures(facts, entity, decided, goal.measures, after)
    return Expected(told.answer, after, told.support, tuple(number for number, _ in found))


# -- the answer's fields ----------------------------------------------------------------------------


def field_name(blueprint: Blueprint, entity: str, path: str) -> str:
    """Return the name of an answer's field for a value of a row: ``owner_name``, ``filed_on``."""
    *references, last = path.split(".")
    kind = blueprint.entities[blueprint.place(entity, path)[0]]
    if references:
        prefix = blueprint.attribute(entity, ".".join(references)).words[0]
    elif last == kind.label:
        prefix = forms(kind)[0]
    else:
        prefix = ""
    words = f"{prefix} {kind.attributes[last].words[0]}"
    return _identifier(words)


def group_name(blueprint: Blueprint, entity: str, path: str) -> str:
    """Return the name of the field for the group in the first place."""
    attribute = blueprint.attribute(entity, path)
    if isinstance(attribute, Ref):
        return field_name(blueprint, entity, f"{path}.{blueprint.entities[attribute.to].label}")
    return field_name(blueprint, entity, path)


def measure_name(blueprint: Blueprint, entity: str, measure: Measure) -> str:
    """Return the name of the field for a figure: ``claim_count``, ``total_amount``, ``latest_filed``."""
    if measure.kind == "count":
        return _identifier(f"{forms(blueprint.entities[entity])[0]} count")
    is_day = isinstance(blueprint.attribute(entity, measure.path), Day)
    words = {
        "total": "total",
        "greatest": "latest" if is_day else "highest",
        "least": "earliest" if is_day else "lowest",
    }
    return f"{words[measure.kind]}_{field_name(blueprint, entity, measure.path)}"


def list_name(blueprint: Blueprint, entity: str, path: str) -> str:
    """Return the name of the field for a list of values: ``owner_names``."""
    name = field_name(blueprint, entity, path)
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def _identifier(words: str) -> str:
    return "_".join("".join(char if char.isalnum() else " " for char in words).split())


def answer_schema(goal: Goal, blueprint: Blueprint) -> JsonObject:
    """Return the JSON Schema of a goal's answer; it follows from goal and kit, never from the rows."""
    match goal:
        case Lookup() | Extreme():
            entity = goal.select.entity
            return object_schema(
                {
                    field_name(blueprint, entity, path): value_schema(blueprint, entity, path)
                    for path in goal.fields
                }
            )
        case Summary() | ForEach() | Work():
            entity = goal.select.entity
            return object_schema(
                {
                    measure_name(blueprint, entity, measure): _measure_schema(blueprint, entity, measure)
                    for measure in goal.measures
                }
            )
        case Group():
            entity = goal.select.entity
            return object_schema(
                {
                    group_name(blueprint, entity, goal.by): value_schema(blueprint, entity, goal.by),
                    measure_name(blueprint, entity, goal.measure): _measure_schema(
                        blueprint, entity, goal.measure
                    ),
                }
            )
        case Difference():
            entity = goal.one.entity
            name = measure_name(blueprint, entity, goal.measure)
            schema = _measure_schema(blueprint, entity, goal.measure)
            return object_schema(
                {
                    f"first_{name}": _described(schema, "of those named first"),
                    f"{name}_difference": _described(schema, "0 or more, whichever is greater"),
                }
            )
        case Listing():
            entity = goal.select.entity
            items = value_schema(blueprint, entity, goal.path)
            listed = {
                "type": "array",
                "items": items,
                "uniqueItems": True,
                "description": "each once, in any order",
            }
            return object_schema({list_name(blueprint, entity, goal.path): listed})


def value_schema(blueprint: Blueprint, entity: str, path: str) -> JsonObject:
    """Return the schema of a value, with its unit or format in the description."""
    attribute = blueprint.attribute(entity, path)
    match attribute:
        case Person():
            return {"type": "string", "description": "full name"}
        case Title():
            return {"type": "string", "description": "full name, without an article"}
        case Email() | Code():
            return {"type": "string", "format": "code"}
        case Day():
            return {"type": "string", "format": "date", "description": "as YYYY-MM-DD"}
        case Category() | Life():
            return {"type": "string", "enum": list(attribute.values)}
        case Flag():
            return {"type": "boolean"}
        case Ref():
            return value_schema(blueprint, attribute.to, blueprint.entities[attribute.to].label)
        case Quantity():
            unit = blueprint.currency if attribute.type == "money" else attribute.unit
            schema: JsonObject = {"type": "number" if attribute.digits else "integer"}
            if unit:
                decimals = f", with {attribute.digits} decimals where needed" if attribute.digits else ""
                schema["description"] = f"in {unit}{decimals}"
            return schema


def _measure_schema(blueprint: Blueprint, entity: str, measure: Measure) -> JsonObject:
    if measure.kind == "count":
        return {"type": "integer"}
    return value_schema(blueprint, entity, measure.path)


def _described(schema: JsonObject, words: str) -> JsonObject:
    said = [text for text in (schema.get("description"), words) if text]
    return {**schema, "description": "; ".join(said)}
