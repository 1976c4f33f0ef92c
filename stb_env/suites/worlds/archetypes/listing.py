"""Lists: rows of an entity with filters, an order and pages; and the rows that refer to one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.seeding import derive, rng
from stb_env.suites.worlds.api_error import ApiError
from stb_env.suites.worlds.archetypes.tool import (
    Bound,
    Filter,
    Param,
    Workshop,
    WorldTool,
    show,
    with_article,
)
from stb_env.suites.worlds.codec import Field
from stb_env.suites.worlds.kit import Category, Code, Day, Email, Flag, Life, Quantity, Ref
from stb_env.suites.worlds.rows import MISSING, State
from stb_env.suites.worlds.style import Style

_OFFERED = {"category": 0.8, "life": 0.9, "flag": 0.7, "ref": 0.7, "day": 0.7, "number": 0.5, "text": 0.3}
"""Share of attributes of each type that a list filters by."""
_CURSOR_PRIME = 16777213


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
                    filters.append(Filter(style.field(field.name, "from"), field, ">="))
                    filters.append(Filter(style.field(field.name, "to"), field, "<="))
            case Quantity():
                if chance < _OFFERED["number"]:
                    filters.append(Filter(style.field("min", field.name), field, ">="))
                    filters.append(Filter(style.field("max", field.name), field, "<="))
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
        self._sorts = {field.name: field for field in sorts}
        self._link = link
        self._style = workshop.style(entity)
        self._pager = Pager(workshop.key, entity, self._style)
        self._filters: tuple[Filter, ...] = ()
        self._items = self._style.items or self._style.field(workshop.codec.noun(entity)[1])

    def made(self, name: str, about: str, filters: tuple[Filter, ...], kind: str, subject: str) -> WorldTool:
        self._filters = filters if self._link is None else (self._link, *filters)
        group = self._style.nested_filters
        params = [_filter_param(each, "" if each is self._link else group) for each in self._filters]
        if self._link is not None:
            params[0] = Param(params[0].name, params[0].schema, params[0].read, required=True)
        if self._sorts:
            params += _sort_params(self._style, self._sorts)
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
        )

    def _run(self, state: State, bound: Bound) -> tuple[Json, State]:
        numbers = self._found(state, bound)
        data, entity = self._workshop.data, self._entity
        sort = bound.get(self._style.field("sort by")) if self._sorts else None
        if sort is not None:
            column = self._sorts[sort].column
            falling = bound.get(self._style.field("order")) == "desc"
            rows = {number: data.row(state, entity, number) for number in numbers}
            numbers.sort(key=lambda number: rows[number][column], reverse=falling)  # type: ignore[index] # it exists
        start, page, extra = self._pager.cut(bound, len(numbers))
        cut = numbers[start : start + page]
        items: list[Json] = []
        for number in cut:
            row = data.row(state, entity, number)
            if row is not None:
                items.append(self._workshop.codec.row(entity, number, row, self._shown))
        response: JsonObject = {self._items: items}
        if self._style.total:
            response["total"] = len(numbers)
        return {**response, **extra}, show(state, entity, cut)

    def _found(self, state: State, bound: Bound) -> list[int]:
        data, entity = self._workshop.data, self._entity
        given = [(each, bound[each.param]) for each in self._filters if each.param in bound]
        equal = next((pair for pair in given if pair[0].op == "="), None)
        if equal is None:
            found = [(number, row) for number, row in data.each(state, entity)]
        else:
            given.remove(equal)
            numbers = data.having(state, entity, equal[0].field.column, equal[1])
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
        schema["description"] = f"{bound} this; {said}" if said else f"{bound} this."
    return Param(each.param, schema, each.field.read, group=group)


def _sort_params(style: Style, sorts: Mapping[str, Field]) -> list[Param]:
    by: JsonObject = {
        "enum": list(sorts),
        "description": "Field to order by; else the order is fixed but none of these.",
    }
    order: JsonObject = {"enum": ["asc", "desc"], "description": "Rising or falling; asc by default."}
    known = _one_of(style, tuple(sorts))
    return [
        Param(style.field("sort by"), by, known),
        Param(style.field("order"), order, _one_of(style, ("asc", "desc"))),
    ]


def _one_of(style: Style, options: tuple[str, ...]) -> Any:
    def read(value: Json) -> str:
        if not isinstance(value, str) or value not in options:
            message = f"expected one of {', '.join(options)}, got {value!r:.40}"
            raise ApiError(style.error("invalid", message), arguments=True)
        return value

    return read


class Pager:
    """Cuts a list into the pages of a service, and knows how to ask for the next one.

    Args:
        key: The world's key.
        entity: The entity that is listed.
        style: The service's style.
    """

    def __init__(self, key: str, entity: str, style: Style) -> None:
        self._style = style
        self._cursor = derive("cursor", key, entity) % (_CURSOR_PRIME - 2) + 2
        self.size_name = style.field(
            {"page": "page size", "offset": "limit", "cursor": "limit"}[style.paging]
        )
        self.place_name = style.field(style.paging)
        size, most = style.page_size, style.most_rows
        self.words = {
            "page": f"Returns {size} rows a page unless {self.size_name} says otherwise, at most {most}.",
            "offset": f"Returns {size} rows unless {self.size_name} says otherwise, at most {most}.",
            "cursor": f"Returns {size} rows unless {self.size_name} says otherwise, at most {most}; "
            f"{style.field('next cursor')} is null after the last.",
        }[style.paging]

    def params(self) -> list[Param]:
        """Return the parameters that choose a page."""
        style = self._style
        place: JsonObject
        match style.paging:
            case "page":
                place = {"type": "integer", "minimum": 1, "description": "Page, from 1; 1 by default."}
            case "offset":
                place = {"type": "integer", "minimum": 0, "description": "Rows to skip; 0 by default."}
            case "cursor":
                place = {"type": "string", "description": "Where to go on, as the page before gave it."}
        size: JsonObject = {
            "type": "integer",
            "minimum": 1,
            "maximum": style.most_rows,
            "description": f"Rows of a page; {style.page_size} by default.",
        }
        return [Param(self.place_name, place, self._place), Param(self.size_name, size, self._size)]

    def _place(self, value: Json) -> int:
        least = 1 if self._style.paging == "page" else 0
        if self._style.paging == "cursor":
            try:
                code = int(value, 16) if isinstance(value, str) else 0
            except ValueError:
                code = 0
            place = code * pow(self._cursor, -1, _CURSOR_PRIME) % _CURSOR_PRIME
            if not 0 < place < 2**17:
                raise ApiError(self._style.error("invalid", f"no such cursor: {value!r:.40}"), arguments=True)
            return place
        return self._whole(value, self.place_name, least, 2**31)

    def _size(self, value: Json) -> int:
        return self._whole(value, self.size_name, 1, self._style.most_rows)

    def _whole(self, value: Json, name: str, least: int, most: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            message = f"{name} must be a whole number from {least} to {most}, got {value!r:.40}"
            raise ApiError(self._style.error("invalid", message), arguments=True)
        return value

    def cut(self, bound: Bound, count: int) -> tuple[int, int, JsonObject]:
        """Return where a page begins, how many rows it has, and what a response says of the next."""
        style = self._style
        size = bound.get(self.size_name, style.page_size)
        match style.paging:
            case "page":
                page = bound.get(self.place_name, 1)
                pages = max(1, -(-count // size))
                return (page - 1) * size, size, {"page": page, "pages": pages}
            case "offset":
                start = bound.get(self.place_name, 0)
                return start, size, {style.field("has more"): start + size < count}
            case "cursor":
                start = bound.get(self.place_name, 0)
                after = start + size
                token = f"{after * self._cursor % _CURSOR_PRIME:06x}" if after < count else None
                return start, size, {style.field("next cursor"): token}

    def next_page(self, response: Mapping[str, Any], start: int, rows: int) -> JsonObject | None:
        """Return the arguments that ask for the page after a response, or None after the last.

        Args:
            response: The response of the page before.
            start: How many rows came before that page.
            rows: How many rows it had.
        """
        style = self._style
        match style.paging:
            case "page":
                page = response["page"]
                return {self.place_name: page + 1} if page < response["pages"] else None
            case "offset":
                return {self.place_name: start + rows} if response[style.field("has more")] else None
            case "cursor":
                token = response[style.field("next cursor")]
                return None if token is None else {self.place_name: token}
