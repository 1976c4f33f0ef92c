"""Guidance: the rule books of services, and the date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from stb_env.core.jsontypes import Json
from stb_env.suites.worlds.archetypes.tool import Bound, Workshop, WorldTool
from stb_env.suites.worlds.rows import State


def guidance(workshop: Workshop) -> Iterator[WorldTool]:
    """Make a rule book for every queue, and a tool that tells the date."""
    entities = workshop.codec.blueprint.entities
    for entity, described in entities.items():
        for queue in described.queues:
            yield _rules(workshop, entity, queue)
    yield _today(workshop, next(iter(entities.values())).service)


def _rules(workshop: Workshop, entity: str, name: str) -> WorldTool:
    one, many = workshop.codec.noun(entity)
    described = workshop.codec.blueprint.entities[entity]
    queue = described.queues[name]
    said: list[Json] = [*(rule.text for rule in queue.rules), queue.text]

    def run(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        return {"rules": said}, state

    after = ("rules",) if len(described.queues) == 1 else (name.replace("_", " "), "rules")
    tool_name = workshop.name(described.service, workshop.style(entity).verb("rules"), one, after=after)
    about = f"Returns the rules for {many}, in order: where several apply, the first of them decides."
    return WorldTool(workshop.tool(tool_name, about, []), "rules", entity, (), run, subject=name)


def _today(workshop: Workshop, service: str) -> WorldTool:
    day = date.fromordinal(workshop.codec.blueprint.today).isoformat()

    def run(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        return {"today": day}, state

    name = workshop.name(service, workshop.codec.styles[service].verb("today"), "date")
    tool = workshop.tool(name, "Returns the date of today as YYYY-MM-DD.", [])
    return WorldTool(tool, "today", "", (), run)
