"""Guidance: the rule books of services, and the date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from stb_env.core.jsontypes import Json
from stb_env.suites.worlds.archetypes.tool import Bound, Workshop, WorldTool
from stb_env.suites.worlds.rows import State


def guidance(workshop: Workshop) -> Iterator[WorldTool]:
    """Make a rule book for every entity that has rules, and a tool that tells the date."""
    entities = workshop.codec.blueprint.entities
    for entity, described in entities.items():
        if described.queues or described.policies:
            yield _rules(workshop, entity)
    yield _today(workshop, next(iter(entities.values())).service)


def rules_of(workshop: Workshop, entity: str) -> list[str]:
    """Return what the rule book says of an entity, a sentence or two each."""
    described = workshop.codec.blueprint.entities[entity]
    said: list[str] = []
    for queue in described.queues.values():
        said += [rule.text for rule in queue.rules] + [queue.text]
    return said + [policy.text for policy in described.policies]


def _rules(workshop: Workshop, entity: str) -> WorldTool:
    many = workshop.codec.noun(entity)[1]
    service = workshop.codec.blueprint.entities[entity].service
    said: list[Json] = list(rules_of(workshop, entity))

    def run(state: State, bound: Bound) -> tuple[Json, State]:
        del bound
        return {"rules": said}, state

    one = workshop.codec.noun(entity)[0]
    name = workshop.name(service, workshop.style(entity).verb("rules"), one, after=("rules",))
    about = f"Returns the rules for {many}, in order: where several apply, the first of them decides."
    return WorldTool(workshop.tool(name, about, []), "rules", entity, (), run, subject="rules")


def _today(workshop: Workshop, service: str) -> WorldTool:
    day = date.fromordinal(workshop.codec.blueprint.today).isoformat()

    def run(state: State, bound: Bound) -> tuple[Json, State]:
        del bound
        return {"today": day}, state

    name = workshop.name(service, workshop.codec.styles[service].verb("today"), "date")
    tool = workshop.tool(name, "Returns the date of today as YYYY-MM-DD.", [])
    return WorldTool(tool, "today", "", (), run)
