"""Reading single rows: by identifier, several at once, by a natural key, by words of their label."""

from __future__ import annotations

from collections.abc import Iterator

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.schema.kit import Code, Email
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import (
    Bound,
    Param,
    Workshop,
    WorldTool,
    places,
    show,
    with_article,
)

_HITS = 5


def readers(workshop: Workshop, entity: str) -> Iterator[WorldTool]:
    """Make what reads rows of an entity; reading one by its identifier is always there."""
    pick = rng("read", workshop.key, entity)
    described = workshop.codec.blueprint.entities[entity]
    yield _get(workshop, entity)
    if pick.random() < 0.35:
        yield _batch(workshop, entity, pick.choice((5, 10, 20)))
    attributes = described.attributes
    keys = [name for name, attribute in attributes.items() if isinstance(attribute, Code | Email)]
    for name in keys:
        if name in (described.key, described.label) and pick.random() < 0.85:
            yield _by_key(workshop, entity, name)
    if described.label not in keys and pick.random() < 0.85:
        yield _search(workshop, entity)


def _get(workshop: Workshop, entity: str) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    fields = tuple(codec.fields[entity].values())
    one, shown = codec.noun(entity)[0], places(entity, fields)
    param = workshop.id_param(entity)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        number = bound[param.name]
        row = workshop.existing(state, entity, number)
        return codec.row(entity, number, row, fields), show(state, shown, (number,))

    name = workshop.name(codec.blueprint.entities[entity].service, style.verb("get"), one)
    about = f"Returns {with_article(one)} with every field. {codec.conventions(entity, fields)}".rstrip()
    tool = workshop.tool(name, about, [param])
    return WorldTool(tool, "get", entity, (param,), run, fields=fields)


def _batch(workshop: Workshop, entity: str, limit: int) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    fields = tuple(codec.fields[entity].values())
    many, shown = codec.noun(entity)[1], places(entity, fields)
    single = workshop.id_param(entity)
    items = style.items or style.field(many)

    def read(value: object) -> list[int]:
        if not isinstance(value, list) or not 1 <= len(value) <= limit:
            raise ApiError(style.error("invalid", f"ids must be a list of 1 to {limit} ids"), arguments=True)
        return [codec.number_of(entity, each) for each in value]

    def run(state: State, bound: Bound) -> tuple[object, State]:
        numbers: list[int] = bound["ids"]
        rows = [(number, workshop.existing(state, entity, number)) for number in numbers]
        response: JsonObject = {items: [codec.row(entity, number, row, fields) for number, row in rows]}
        return response, show(state, shown, numbers)

    schema: JsonObject = {
        "type": "array",
        "items": {"type": single.schema["type"]},
        "minItems": 1,
        "maxItems": limit,
        "description": f"Ids of the {many}.",
    }
    param = Param("ids", schema, read, required=True)
    name = workshop.name(
        codec.blueprint.entities[entity].service, style.verb("batch"), many, after=("by ids",)
    )
    about = (
        f"Returns several {many} with every field, at most {limit} a call; fails where one of them does not "
        f"exist. {codec.conventions(entity, fields)}"
    ).rstrip()
    return WorldTool(
        workshop.tool(name, about, [param]),
        "batch_get",
        entity,
        (param,),
        run,
        fields=fields,
        limit=limit,
        items=items,
    )


def _by_key(workshop: Workshop, entity: str, key: str) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    fields = tuple(codec.fields[entity].values())
    field = codec.fields[entity][key]
    one, shown = codec.noun(entity)[0], places(entity, fields)
    param = Param(field.name, field.schema, field.read, required=True)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        numbers = workshop.data.having(state, entity, field.column, bound[field.name])
        if not numbers:
            raise ApiError(style.error("not_found", f"no {one} has this {field.name}"))
        row = workshop.existing(state, entity, numbers[0])
        return codec.row(entity, numbers[0], row, fields), show(state, shown, numbers[:1])

    word = codec.blueprint.entities[entity].attributes[key].words[0]
    name = workshop.name(
        codec.blueprint.entities[entity].service, style.verb("lookup"), one, after=("by", word)
    )
    about = f"Returns the {one} with {with_article(word)}, with every field."
    about = f"{about} {codec.conventions(entity, fields)}".rstrip()
    tool = workshop.tool(name, about, [param])
    return WorldTool(tool, "key", entity, (param,), run, fields=fields, subject=key)


def _search(workshop: Workshop, entity: str) -> WorldTool:
    codec, style = workshop.codec, workshop.style(entity)
    described = codec.blueprint.entities[entity]
    many = codec.noun(entity)[1]
    label = codec.fields[entity][described.label]
    key = codec.fields[entity].get(described.key)
    fields = (label,) if key is None or key is label else (label, key)
    shown = places(entity, fields)
    texts = workshop.data.texts[entity, described.label]
    items = style.items or style.field(many)

    def read(value: object) -> list[str]:
        words = value.casefold().split() if isinstance(value, str) else []
        if not words:
            message = f"query must be at least one word of the {label.name}, got {value!r:.40}"
            raise ApiError(style.error("invalid", message), arguments=True)
        return words

    def run(state: State, bound: Bound) -> tuple[object, State]:
        hits: list[int] = []
        rows: list[Json] = []
        more = False
        for number, row in workshop.data.each(state, entity):
            text = texts[row[label.column]].casefold()
            if all(word in text for word in bound["query"]):
                if len(hits) == _HITS:
                    more = True
                    break
                hits.append(number)
                rows.append(codec.row(entity, number, row, fields))
        return {items: rows, "truncated": more}, show(state, shown, hits)

    schema: JsonObject = {
        "type": "string",
        "minLength": 1,
        "description": f"Words of the {label.name}, or the beginning of them; all must occur.",
    }
    param = Param("query", schema, read, required=True)
    name = workshop.name(described.service, style.verb("search"), many)
    about = (
        f"Searches {many} by {label.name}, in no particular order. Returns at most {_HITS} matches; "
        "truncated says whether there are more, which a longer query may show."
    )
    tool = workshop.tool(name, about, [param])
    return WorldTool(
        tool,
        "search",
        entity,
        (param,),
        run,
        fields=fields,
        subject=described.label,
        limit=_HITS,
        items=items,
    )
