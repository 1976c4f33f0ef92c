"""Lists: rows of an entity with filters, an order and pages; and the rows that refer to one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import MISSING, State
from stb_env.suites.worlds.schema.kit import Category, Code, Day, Email, Flag, Life, Quantity, Ref
from stb_env.suites.worlds.services.archetypes.paging import Pager
from stb_env.suites.worlds.services.archetypes.tool import (
    Bound,
    Filter,
    Param,
    Workshop,
    WorldTool,
    bits,
    one_of,
    places,
    show,
    show_all,
    with_article,
)
from stb_env.suites.worlds.services.codec import Field
from stb_env.suites.worlds.services.style import Style

_OFFERED = {"category": 0.8, "life": 0.9, "flag": 0.7, "ref": 0.7, "day": 0.7, "number": 0.5, "text": 0.3}
"""Share of attributes of each type that a list filters by."""
_MOST_MASKS = 64


def lists(workshop: Workshop, entity: str) -> Iterator[WorldTool]:
    """Make the list of an entity, and one for each reference that is not among its filters, if chosen."""
    pick = rng("list", workshop.key, entity)
    shown = _shown(workshop, entity, pick)
    filters = _filters(workshop, entity, pick)
    sorts = _sorts(workshop, entity, shown, pick)
    many = workshop.codec.noun(entity)[1]
    service = workshop.codec.blueprint.entities[entity].service
    style = workshop.style(entity)
    verb = style.verb("list")
    name = workshop.name(service, verb, many)
    listing = _Listing(workshop, entity, shown, sorts, None)
    yield listing.made(name, f"Lists {many}.", filters, "list", "")
    for field in workshop.codec.fields[entity].values():
        attribute = workshop.codec.blueprint.entities[entity].attributes[field.attribute]
        if not isinstance(attribute, Ref) or pick.random() > 0.5:
            continue
        target = workshop.codec.noun(attribute.to)[0]
        link = Filter(field.name, field, "=")
        related = _Listing(workshop, entity, shown, (), link)
        name = workshop.name(service, verb, many, after=("by", field.attribute.replace("_", " ")))
        about = f"Lists the {many} whose {attribute.words[0]} is the given {target}."
        yield related.made(name, about, (), "related", field.attribute)


def _shown(workshop: Workshop, entity: str, pick: Random) -> tuple[Field, ...]:
    """Choose what rows of a list show: all, or in every third list a part."""
    fields = tuple(workshop.codec.fields[entity].values())
    if pick.random() < 0.65:
        return fields
    label = workshop.codec.blueprint.entities[entity].label
    return tuple(field for field in fields if field.attribute == label or pick.random() < 0.6)


def _filters(workshop: Workshop, entity: str, pick: Random) -> tuple[Filter, ...]:
    filters: list[Filter] = []
    style = workshop.style(entity)
    for field in workshop.codec.fields[entity].values():
        attribute = workshop.codec.blueprint.entities[entity].attributes[field.attribute]
        chance = pick.random()
        match attribute:
            case Category() | Life() | Flag() | Ref():
                if chance < _OFFERED[attribute.type]:
                    filters.append(Filter(field.name, field, "="))
            case Day():
                if chance < _OFFERED["day"]:
                    filters.append(Filter(style.field(*field.words, "from"), field, ">="))
                    filters.append(Filter(style.field(*field.words, "to"), field, "<="))
            case Quantity():
                if chance < _OFFERED["number"]:
                    filters.append(Filter(style.field("min", *field.words), field, ">="))
                    filters.append(Filter(style.field("max", *field.words), field, "<="))
            case Code() | Email():
                if chance < _OFFERED["text"]:
                    filters.append(Filter(field.name, field, "="))
    return tuple(filters)


def _sorts(workshop: Workshop, entity: str, shown: tuple[Field, ...], pick: Random) -> tuple[Field, ...]:
    if pick.random() < 0.5:
        return ()
    attributes = workshop.codec.blueprint.entities[entity].attributes
    return tuple(field for field in shown if isinstance(attributes[field.attribute], Day | Quantity))


class _Listing:
    """One list: its parameters, and how a call of it runs."""

    def __init__(
        self,
        workshop: Workshop,
        entity: str,
        shown: tuple[Field, ...],
        sorts: tuple[Field, ...],
        link: Filter | None,
    ) -> None:
        self._workshop, self._entity, self._shown = workshop, entity, shown
        self._places = places(entity, shown)
        self._sorts = {field.name: field for field in sorts}
        self._link = link
        self._style = workshop.style(entity)
        self._pager = Pager(workshop.key, entity, self._style)
        self._filters: tuple[Filter, ...] = ()
        self._met: list[tuple[str, str]] = []
        self._masks: dict[tuple[str, int], int] = {}
        self._items = self._style.items or self._style.field(workshop.codec.noun(entity)[1])

    def made(self, name: str, about: str, filters: tuple[Filter, ...], kind: str, subject: str) -> WorldTool:
        self._filters = filters if self._link is None else (self._link, *filters)
        self._met = [
            (each.param, f"{self._entity}.{each.field.attribute}") for each in self._filters if each.op == "="
        ]
        group = self._style.nested_filters
        params = [_filter_param(each, "" if each is self._link else group) for each in self._filters]
        if self._link is not None:
            params[0] = Param(params[0].name, params[0].schema, params[0].read, required=True)
        if self._sorts:
            lacking = any(
                row[field.column] == MISSING
                for row in self._workshop.data.rows[self._entity]
                for field in self._sorts.values()
            )
            params += _sort_params(self._style, self._sorts, lacking=lacking)
        params += self._pager.params()
        said = [about]
        if filters:
            said.append("Filters narrow the list; of several, all must hold, and bounds are included.")
        one = self._workshop.codec.noun(self._entity)[0]
        if len(self._shown) < len(self._workshop.codec.fields[self._entity]):
            said.append(f"Rows are summaries: read {with_article(one)} by id for every field.")
        said.append(self._workshop.codec.conventions(self._entity, self._shown))
        said.append(self._pager.words)
        tool = self._workshop.tool(name, " ".join(filter(None, said)), params)
        return WorldTool(
            tool,
            "related" if kind == "related" else "list",
            self._entity,
            tuple(params),
            self._run,
            fields=self._shown,
            filters=self._filters,
            sorts=tuple(self._sorts.values()),
            subject=subject,
            limit=self._style.most_rows,
            items=self._items,
            pager=self._pager,
        )

    def _run(self, state: State, bound: Bound) -> tuple[object, State]:
        numbers = self._found(state, bound)
        data, entity = self._workshop.data, self._entity
        sort = bound.get(self._style.field("sort by")) if self._sorts else None
        if sort is not None:
            column = self._sorts[sort].column
            falling = bound.get(self._style.field("order")) == "desc"
            rows = {number: data.row(state, entity, number) for number in numbers}
            values = {number: MISSING if row is None else row[column] for number, row in rows.items()}
            numbers.sort(key=values.__getitem__, reverse=falling)
            if not falling and numbers and values[numbers[0]] == MISSING:
                # Rows without a value come last, whatever the order.
                numbers.sort(key=lambda number: values[number] == MISSING)
        start, page, extra = self._pager.cut(bound, len(numbers))
        cut = numbers[start : start + page]
        items: list[Json] = []
        for number in cut:
            row = data.row(state, entity, number)
            if row is not None:
                items.append(self._workshop.codec.row(entity, number, row, self._shown))
        response: JsonObject = {self._items: items}
        # A filter tells the value of every row that it lets through.
        met = tuple(place for param, place in self._met if param in bound)
        state = show(state, (*self._places, *met), cut)
        if self._style.total:
            # A number of all rows is a figure over them, so it shows them all.
            response["total"] = len(numbers)
            state = show_all(state, (entity, *met), self._mask(state, bound, numbers))
        return {**response, **extra}, state

    def _mask(self, state: State, bound: Bound, numbers: list[int]) -> int:
        """Return all rows of a list as bits; those of drawn rows are kept, by their one filter."""
        given = [(each.param, bound[each.param]) for each in self._filters if each.param in bound]
        if len(given) > 1 or self._entity in state.changed:
            return bits(numbers)
        key = given[0] if given else ("", 0)
        if key not in self._masks and len(self._masks) < _MOST_MASKS:
            self._masks[key] = bits(numbers)
        found = self._masks.get(key)
        return bits(numbers) if found is None else found

    def _found(self, state: State, bound: Bound) -> list[int]:
        data, entity = self._workshop.data, self._entity
        given = [(each, bound[each.param]) for each in self._filters if each.param in bound]
        equal = next((pair for pair in given if pair[0].op == "="), None)
        if equal is None:
            if not given and entity not in state.changed:
                return list(range(len(data.rows[entity])))
            found = [(number, row) for number, row in data.each(state, entity)]
        else:
            given.remove(equal)
            numbers = data.having(state, entity, equal[0].field.column, equal[1])
            if not given:
                return numbers
            rows = ((number, data.row(state, entity, number)) for number in numbers)
            found = [(number, row) for number, row in rows if row is not None]
        for each, value in given:
            column = each.field.column
            if each.op == "=":
                found = [pair for pair in found if pair[1][column] == value]
            elif each.op == ">=":
                found = [pair for pair in found if pair[1][column] >= value]
            else:
                found = [pair for pair in found if MISSING < pair[1][column] <= value]
        return [number for number, _ in found]


def _filter_param(each: Filter, group: str) -> Param:
    schema = dict(each.field.schema)
    said = schema.get("description", "")
    if each.op != "=":
        bound = "At least" if each.op == ">=" else "At most"
        schema["description"] = f"{bound} this. {said}" if said else f"{bound} this."
    return Param(each.param, schema, each.field.read, group=group)


def _sort_params(style: Style, sorts: Mapping[str, Field], *, lacking: bool) -> list[Param]:
    by: JsonObject = {
        "enum": list(sorts),
        "description": "Field to order by. Without it the order is fixed, and by none of these fields.",
    }
    said = "Rising or falling; asc by default."
    if lacking:
        said = f"{said} Rows without a value come last."
    order: JsonObject = {"enum": ["asc", "desc"], "description": said}
    known = one_of(style, tuple(sorts))
    return [
        Param(style.field("sort by"), by, known),
        Param(style.field("order"), order, one_of(style, ("asc", "desc"))),
    ]
