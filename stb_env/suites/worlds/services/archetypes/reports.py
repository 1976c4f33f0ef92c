"""Reports: figures over the rows that have one value, as they were last night until they are refreshed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import cache

from stb_env.core.jsontypes import JsonObject
from stb_env.seeding import derive
from stb_env.suites.worlds.data.earlier import earlier
from stb_env.suites.worlds.data.rows import MISSING, Row, State
from stb_env.suites.worlds.schema.kit import Quantity
from stb_env.suites.worlds.services.archetypes.tool import Bound, Param, Workshop, WorldTool, places, show
from stb_env.suites.worlds.services.codec import Field


def reports(workshop: Workshop, entity: str, by: str) -> Iterator[WorldTool]:
    """Make the report on an entity by an attribute, which the oracle takes to be always up to date."""
    codec, style = workshop.codec, workshop.style(entity)
    described = codec.blueprint.entities[entity]
    many = codec.noun(entity)[1]
    field = codec.fields[entity][by]
    totals = tuple(
        replace(each, name=style.field("total", *each.words))
        for each in codec.fields[entity].values()
        if isinstance(attribute := described.attributes[each.attribute], Quantity) and attribute.sums
    )
    param = Param(field.name, field.schema, field.read, required=True)
    shown = places(entity, (field, *totals))
    today, dated = codec.blueprint.today, style.field("figures of")

    def run(state: State, bound: Bound) -> tuple[object, State]:
        found = _meant(workshop, state, entity, field, bound[field.name])
        figures = _figures(field, bound[field.name], list(found.values()), totals)
        return {**figures, dated: date.fromordinal(today).isoformat()}, show(state, shown, found)

    name = workshop.name(described.service, style.verb("report"), many, after=("report",))
    said = " and ".join(["how many there are", *(f"the total {' '.join(each.words)}" for each in totals)])
    about = (
        f"Reports on the {many} with one {field.name}: {said}. {codec.conventions(entity, totals)}".rstrip()
    )
    yield WorldTool(
        workshop.tool(name, about, [param]), "report", entity, (param,), run, fields=totals, subject=by
    )


def refreshed(workshop: Workshop, tool: WorldTool) -> tuple[WorldTool, WorldTool]:
    """Return what refreshes a report, and the report as it is until then: of last night."""
    entity, style = tool.entity, workshop.style(tool.entity)
    field = workshop.codec.fields[entity][tool.subject]
    many = workshop.codec.noun(entity)[1]
    blueprint, note, dated = workshop.codec.blueprint, f"report {entity}", style.field("figures of")
    today, last_night = (date.fromordinal(blueprint.today - ago).isoformat() for ago in (0, 1))

    @cache
    def before() -> State:
        return earlier(blueprint.entities[entity], blueprint.data, entity, workshop.key)

    def refresh(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        notes = {**state.notes, note: (_mark(state, entity),)}
        return {dated: today}, replace(state, notes=notes)

    def run(state: State, bound: Bound) -> tuple[object, State]:
        if state.notes.get(note) == (_mark(state, entity),):
            return tool.run(state, bound)
        value = bound[field.name]
        found = _meant(workshop, before(), entity, field, value)
        return {**_figures(field, value, list(found.values()), tool.fields), dated: last_night}, state

    service = blueprint.entities[entity].service
    name = workshop.name(service, style.verb("refresh"), many, after=("report",))
    made = workshop.tool(name, f"Brings the report on {many} up to date, as things stand now.", [])
    about = (
        f"{tool.tool.description} Its figures are of last night, and {dated} says so, "
        f"unless {name} was called since {many} last changed."
    )
    report = replace(tool, tool=replace(tool.tool, description=about), run=run)
    return WorldTool(made, "refresh", entity, (), refresh), report


def _meant(workshop: Workshop, state: State, entity: str, field: Field, value: int) -> dict[int, Row]:
    return {number: row for number, row in workshop.data.each(state, entity) if row[field.column] == value}


def _figures(field: Field, value: int, rows: list[Row], totals: tuple[Field, ...]) -> JsonObject:
    figures: JsonObject = {field.name: field.write(value), "count": len(rows)}
    for each in totals:
        values = (row[each.column] for row in rows)
        figures[each.name] = each.write(sum(got for got in values if got != MISSING))
    return figures


def _mark(state: State, entity: str) -> int:
    """Return a number for the changes in the rows of an entity."""
    return derive(repr(sorted(state.changed.get(entity, {}).items())))
