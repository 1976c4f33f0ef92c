"""The typed answer of a goal: the names and schemas of its fields."""

from __future__ import annotations

from stb_env.core.answers import object_schema
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.goals.goal import (
    Change,
    Difference,
    Extreme,
    ForEach,
    Goal,
    Group,
    Listing,
    Lookup,
    Make,
    Measure,
    Part,
    Several,
    Summary,
    Work,
)
from stb_env.suites.worlds.schema.kit import (
    Category,
    Code,
    Day,
    Email,
    Flag,
    Life,
    Person,
    Quantity,
    Ref,
    Title,
)
from stb_env.suites.worlds.schema.nouns import forms, reference_word


def field_name(blueprint: Blueprint, entity: str, path: str) -> str:
    """Return the name of an answer's field for a value of a row: ``owner_name``, ``filed_on``."""
    *references, last = path.split(".")
    kind = blueprint.entities[blueprint.place(entity, path)[0]]
    if references:
        holder, name = blueprint.place(entity, ".".join(references))
        prefix = reference_word(blueprint.entities, holder, name)
    elif last == kind.label:
        prefix = forms(kind)[0]
    else:
        prefix = ""
    word = kind.attributes[last].words[0]
    if prefix in word:
        return _identifier(word)
    # A condition report's report number is its number.
    first, _, rest = word.partition(" ")
    return _identifier(f"{prefix} {rest if rest and prefix.endswith(first) else word}")


def amount_name(blueprint: Blueprint, goal: Lookup) -> str:
    """Return the name of the field for an amount in another currency: ``fee_in_usd``."""
    return f"{field_name(blueprint, goal.select.entity, goal.fields[0])}_in_{goal.currency.lower()}"


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


def part_name(blueprint: Blueprint, part: Part, name: str) -> str:
    """Return the name of a field where it is one part's of a request for several things."""
    entity = part.one.entity if isinstance(part, Difference) else part.select.entity
    noun = _identifier(forms(blueprint.entities[entity])[0])
    return name if noun in name else f"{noun}_{name}"


def _identifier(words: str) -> str:
    return "_".join("".join(char if char.isalnum() else " " for char in words).split())


def answer_schema(goal: Goal, blueprint: Blueprint) -> JsonObject:
    """Return the JSON Schema of a goal's answer; it follows from goal and kit, never from the rows."""
    match goal:
        case Lookup(currency=currency) if currency:
            said = f"in {currency}, rounded to hundredths"
            return object_schema({amount_name(blueprint, goal): {"type": "number", "description": said}})
        case Lookup() | Extreme() | Change() | Make():
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
        case Several():
            return object_schema(
                {
                    part_name(blueprint, part, name): schema
                    for part in goal.parts
                    for name, schema in answer_schema(part, blueprint)["properties"].items()
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
            return {"type": "string", "description": "in full"}
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
                schema["description"] = (
                    f"in {unit}, as a decimal number" if attribute.digits else f"in {unit}"
                )
            return schema


def _measure_schema(blueprint: Blueprint, entity: str, measure: Measure) -> JsonObject:
    if measure.kind == "count":
        return {"type": "integer"}
    return value_schema(blueprint, entity, measure.path)


def _described(schema: JsonObject, words: str) -> JsonObject:
    said = [text for text in (schema.get("description"), words) if text]
    return {**schema, "description": "; ".join(said)}
