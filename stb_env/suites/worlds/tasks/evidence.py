"""Evidence in an episode that a request cannot be met."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.goals.refusals import BOOK, Missing, Refusal
from stb_env.suites.worlds.judge import masks
from stb_env.suites.worlds.world import Built


def evidence(world: Built, refusal: Refusal | None, missing: Missing | None) -> JsonObject:
    """Return what the goal of a task says of a refusal: why, and what in an episode shows it.

    Args:
        world: The world.
        refusal: Why the request cannot be met; None where it can.
        missing: The name in it that is no row's, if there is one.
    """
    if refusal is None:
        return {"cannot": None}
    told: JsonObject = {"cannot": {"reason": refusal.reason, "what": list(refusal.what)}}
    if missing is None:
        books = [(f"{BOOK}{refusal.rows[0][0]}", 0)] if refusal.reason == "policy" else []
        return {**told, "shown": masks([*refusal.rows, *books])}
    entity = missing.entity
    label = world.blueprint.entities[entity].label
    tools = [tool for tool in world.tools.values() if tool.entity == entity]
    exact = [
        tool.tool.name
        for tool in tools
        if (tool.kind == "key" and tool.subject == label)
        or any(each.field.attribute == label for each in tool.filters)
    ]
    searches = [tool.tool.name for tool in tools if tool.kind == "search"]
    every = [(entity, number) for number in range(len(world.blueprint.data.rows[entity]))]
    looks = {"text": missing.text, "search": searches, "exact": exact}
    return {**told, "shown": masks(every), "looks": looks}
