"""Acting: tools that move a row to another state, or set one of its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stb_env.core.jsontypes import JsonObject
from stb_env.seeding import rng
from stb_env.suites.worlds.data.facts import Facts
from stb_env.suites.worlds.data.rows import Row, State
from stb_env.suites.worlds.schema.actions import Condition, Create, Delete, Move, Set, Transition
from stb_env.suites.worlds.schema.kit import Category, Day, Flag, Life, Quantity, Ref
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import (
    Bound,
    Kind,
    Param,
    Workshop,
    WorldTool,
    one_of,
    places,
    show,
    with_article,
)

_REASONS = ("duplicate", "entered in error", "no longer needed", "on request")
"""Reasons for which rows are voided: any will do."""


def actors(workshop: Workshop, entity: str, *, voids: bool) -> Iterator[WorldTool]:
    """Make a tool for every action that the kit declares of an entity.

    Args:
        workshop: Makes the tools of the world.
        entity: The entity.
        voids: Whether rows are voided with a reason, rather than deleted.
    """
    for name, action in workshop.codec.blueprint.entities[entity].actions.items():
        pick = rng("act", workshop.key, entity, name)
        match action:
            case Transition():
                batch = pick.choice((5, 10, 20)) if pick.random() < 0.25 else 1
                yield _transition(workshop, entity, name, action, batch)
            case Set():
                yield _set(workshop, entity, name, action)
            case Create():
                yield _create(workshop, entity, name, action)
            case Move():
                yield _move(workshop, entity, name, action)
            case Delete():
                yield _delete(workshop, entity, name, voids=voids)


def _check(workshop: Workshop, state: State, entity: str, number: int, when: tuple[Condition, ...]) -> None:
    """Refuse a row for which a condition of the kit does not hold."""
    facts = Facts(workshop.codec.blueprint, state)
    for condition in when:
        if not facts.all_hold(entity, (condition,))(number, workshop.existing(state, entity, number)):
            shown = workshop.codec.id_of(entity, number)
            name = condition.left.partition("(")[0].rpartition(".")[2]
            message = (
                f"{workshop.codec.noun(entity)[0]} {shown} cannot be changed: its {name} does not allow it"
            )
            raise ApiError(workshop.style(entity).error("conflict", message))


def _replaced(row: Row, column: int, value: int) -> Row:
    return (*row[:column], value, *row[column + 1 :])


def _transition(workshop: Workshop, entity: str, name: str, action: Transition, batch: int) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    described = codec.blueprint.entities[entity]
    one, many = codec.noun(entity)
    life = described.attributes[action.field]
    values = life.values if isinstance(life, Life) else ()
    sources = [values.index(each) for each in action.source]
    target = values.index(action.target)
    field = codec.fields[entity][action.field]
    shown, single = places(entity, (field,)), workshop.id_param(entity)
    items = style.items or style.field(many)

    def moved(state: State, number: int) -> State:
        row = workshop.existing(state, entity, number)
        if row[field.column] not in sources:
            message = f"{one} {codec.id_of(entity, number)} is {field.write(row[field.column])}"
            raise ApiError(style.error("conflict", message))
        _check(workshop, state, entity, number, action.when)
        return workshop.data.put(state, entity, number, _replaced(row, field.column, target))

    def written(state: State, number: int) -> JsonObject:
        return codec.row(entity, number, workshop.existing(state, entity, number), (field,))

    def run_one(state: State, bound: Bound) -> tuple[object, State]:
        number = bound[single.name]
        state = show(moved(state, number), shown, (number,))
        return written(state, number), state

    def run_many(state: State, bound: Bound) -> tuple[object, State]:
        for number in bound["ids"]:
            state = moved(state, number)
        return {items: [written(state, number) for number in bound["ids"]]}, show(state, shown, bound["ids"])

    def read_many(value: object) -> list[int]:
        if not isinstance(value, list) or not 1 <= len(value) <= batch:
            raise ApiError(style.error("invalid", f"ids must be a list of 1 to {batch} ids"), arguments=True)
        return [codec.number_of(entity, each) for each in value]

    pick = rng("verb", workshop.key, entity, name)
    verb = pick.choice(action.verbs).partition("/")[0]
    states = " or ".join(str(field.write(each)) for each in sources)
    change = f"whose {field.name} is {states} to {field.write(target)}"
    about = f"Changes {with_article(one)} {change}; others are refused."
    param = single
    if batch > 1:
        schema: JsonObject = {
            "type": "array",
            "items": {"type": single.schema["type"]},
            "minItems": 1,
            "maxItems": batch,
            "description": f"Ids of the {many}, at most {batch}.",
        }
        param = Param("ids", schema, read_many, required=True)
        about = f"Changes {many} {change}, at most {batch} a call; where one is refused, none is changed."
    tool_name = workshop.name(described.service, verb, one if batch == 1 else many)
    tool = workshop.tool(tool_name, about, [param])
    run = run_one if batch == 1 else run_many
    return WorldTool(tool, "transition", entity, (param,), run, fields=(field,), subject=name, limit=batch)


def _set(workshop: Workshop, entity: str, name: str, action: Set) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    described = codec.blueprint.entities[entity]
    one = codec.noun(entity)[0]
    attribute = described.attributes[action.field]
    if not isinstance(attribute, Category | Day | Flag | Quantity | Ref):
        raise ValueError(f"action {name!r} of {entity!r} sets text, which no world can")
    field = codec.fields[entity][action.field]
    shown, single = places(entity, (field,)), workshop.id_param(entity)
    value_param = Param(style.field("new", *field.words), field.schema, field.read, required=True)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        number, value = bound[single.name], bound[value_param.name]
        row = workshop.existing(state, entity, number)
        if isinstance(attribute, Ref):
            workshop.existing(state, attribute.to, value)
        if isinstance(attribute, Quantity) and value < 0 <= attribute.low:
            raise ApiError(style.error("invalid", f"{value_param.name} cannot be below 0"), arguments=True)
        _check(workshop, state, entity, number, action.when)
        row = _replaced(row, field.column, value)
        state = show(workshop.data.put(state, entity, number, row), shown, (number,))
        return codec.row(entity, number, row, (field,)), state

    word = attribute.words[0]
    tool_name = workshop.name(described.service, style.verb("update"), one, after=(word,))
    about = f"Sets the {field.name} of {with_article(one)}. {codec.conventions(entity, (field,))}".rstrip()
    params = (single, value_param)
    tool = workshop.tool(tool_name, about, params)
    return WorldTool(tool, "set", entity, params, run, fields=(field,), subject=name)


def _move(workshop: Workshop, entity: str, name: str, action: Move) -> WorldTool:
    """Make the tool that moves a quantity from one row to another."""
    codec, style = workshop.codec, workshop.style(entity)
    one, many = codec.noun(entity)
    field = codec.fields[entity][action.field]
    same = [codec.fields[entity][each] for each in action.same]
    single = workshop.id_param(entity)
    start, end = (replace(single, name=style.field(way, one, "id")) for way in ("from", "to"))
    amount = Param(style.field(*field.words), field.schema, field.read, required=True)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        numbers, moved = (bound[start.name], bound[end.name]), bound[amount.name]
        rows = [workshop.existing(state, entity, number) for number in numbers]
        if moved <= 0 or numbers[0] == numbers[1]:
            message = f"{amount.name} must be above 0, and the two {many} must differ"
            raise ApiError(style.error("invalid", message), arguments=True)
        for each in same:
            if rows[0][each.column] != rows[1][each.column]:
                raise ApiError(style.error("conflict", f"the two {many} differ in {each.name}"))
        if rows[0][field.column] < moved:
            shown = field.write(rows[0][field.column])
            raise ApiError(style.error("conflict", f"{start.name} has only {shown}"))
        _check(workshop, state, entity, numbers[0], action.when)
        for number, row, more in zip(numbers, rows, (-moved, moved), strict=True):
            row = _replaced(row, field.column, row[field.column] + more)
            state = workshop.data.put(state, entity, number, row)
        changed = [
            codec.row(entity, number, workshop.existing(state, entity, number), (field,))
            for number in numbers
        ]
        return {style.items or style.field(many): changed}, show(state, places(entity, (field,)), numbers)

    service = codec.blueprint.entities[entity].service
    tool_name = workshop.name(service, style.verb("move"), field.words[0], after=("to", one))
    alike = " and ".join(each.name for each in same)
    about = (
        f"Moves {field.name} from {with_article(one)} to another one"
        f"{f' of the same {alike}' if alike else ''}; no more than the first has. "
        f"{codec.conventions(entity, (field,))}"
    ).rstrip()
    params = (start, end, amount)
    tool = workshop.tool(tool_name, about, params)
    return WorldTool(tool, "move", entity, params, run, fields=(field,), subject=name)


def _delete(workshop: Workshop, entity: str, name: str, *, voids: bool) -> WorldTool:
    """Make the tool that deletes a row, or voids it; kits have it only where no other row can refer to it."""
    codec, style = workshop.codec, workshop.style(entity)
    one = codec.noun(entity)[0]
    single = workshop.id_param(entity)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        number = bound[single.name]
        workshop.existing(state, entity, number)
        state = show(workshop.data.put(state, entity, number, None), (entity,), (number,))
        return {"void" if voids else "deleted": codec.id_of(entity, number)}, state

    verb = style.verb("void" if voids else "delete")
    tool_name = workshop.name(codec.blueprint.entities[entity].service, verb, one)
    params = [single]
    about = f"Deletes {with_article(one)} for good."
    if voids:
        about = f"Voids {with_article(one)} for good: no other tool shows it any more."
        schema: JsonObject = {"enum": list(_REASONS), "description": "Why; it is only put on record."}
        params.append(Param("reason", schema, one_of(style, _REASONS), required=True))
    kind: Kind = "void" if voids else "delete"
    tool = workshop.tool(tool_name, about, params)
    return WorldTool(tool, kind, entity, tuple(params), run, subject=name)


def _create(workshop: Workshop, entity: str, name: str, action: Create) -> WorldTool:
    """Make the tool that makes a row; its label is the next of the codes that no row has."""
    codec, style, data = workshop.codec, workshop.style(entity), workshop.data
    described = codec.blueprint.entities[entity]
    one = codec.noun(entity)[0]
    given = tuple(codec.fields[entity][each] for each in action.fields)
    every = tuple(codec.fields[entity].values())
    params = tuple(Param(each.name, each.schema, each.read, required=True) for each in given)
    start = {each: codec.blueprint.value_of(entity, each, text) for each, text in action.start.items()}
    codes = len(data.texts[entity, described.label])

    def run(state: State, bound: Bound) -> tuple[object, State]:
        values = {**start, **{each.attribute: bound[each.name] for each in given}}
        for each in given:
            attribute = described.attributes[each.attribute]
            if isinstance(attribute, Ref):
                workshop.existing(state, attribute.to, values[each.attribute])
            if isinstance(attribute, Quantity) and values[each.attribute] < 0 <= attribute.low:
                raise ApiError(style.error("invalid", f"{each.name} cannot be below 0"), arguments=True)
        values[described.label] = len(data.rows[entity]) + state.made.get(entity, 0)
        if values[described.label] >= codes:
            raise ApiError(style.error("conflict", f"no {one} can be added any more"))
        row = tuple(values[each] for each in described.attributes)
        number, state = data.add(state, entity, row)
        return codec.row(entity, number, row, every), show(state, places(entity, every), (number,))

    label = codec.fields[entity][described.label].name
    began = ", ".join(
        f"{codec.fields[entity][each].name} {codec.fields[entity][each].write(value)}"
        for each, value in start.items()
    )
    begins = f", and it begins with {began}" if began else ""
    about = (
        f"Adds {with_article(one)}: its {label} is assigned{begins}. Returns it with every field. "
        f"{codec.conventions(entity, every)}"
    ).rstrip()
    tool = workshop.tool(workshop.name(described.service, style.verb("create"), one), about, params)
    return WorldTool(tool, "create", entity, params, run, fields=given, subject=name)
