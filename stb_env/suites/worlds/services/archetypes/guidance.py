"""Guidance: the rule books of services, and the date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from stb_env.core.jsontypes import Json
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.refusals import BOOK, policies_of
from stb_env.suites.worlds.services.archetypes.tool import Bound, Workshop, WorldTool, show

_ABOUT_POLICIES = (
    "A policy holds although the tools do not enforce it. A request that would break one for any of its rows "
    "is declined as a whole: nothing is changed. Work by a rule book goes by that book alone."
)


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


def policy_books(workshop: Workshop) -> Iterator[WorldTool]:
    """Make a tool for the policies of every entity that has some."""
    for entity in dict.fromkeys(each.entity for each in policies_of(workshop.codec.blueprint)):
        yield _policies(workshop, entity)


def _policies(workshop: Workshop, entity: str) -> WorldTool:
    one, many = workshop.codec.noun(entity)
    said: list[Json] = [
        {"code": each.code, "text": each.policy.text}
        for each in policies_of(workshop.codec.blueprint)
        if each.entity == entity
    ]

    def run(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        return {"policies": said, "note": _ABOUT_POLICIES}, show(state, (f"{BOOK}{entity}",), (0,))

    service = workshop.codec.blueprint.entities[entity].service
    name = workshop.name(service, workshop.style(entity).verb("rules"), one, after=("policies",))
    about = f"Returns the policies on {many}: what must not be done to them, whoever asks for it."
    return WorldTool(workshop.tool(name, about, []), "policies", entity, (), run)


def _today(workshop: Workshop, service: str) -> WorldTool:
    day = date.fromordinal(workshop.codec.blueprint.today).isoformat()

    def run(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        return {"today": day}, state

    name = workshop.name(service, workshop.codec.styles[service].verb("today"), "date")
    tool = workshop.tool(name, "Returns the date of today as YYYY-MM-DD.", [])
    return WorldTool(tool, "today", "", (), run)
