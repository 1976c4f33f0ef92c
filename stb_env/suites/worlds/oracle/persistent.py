"""Makes calls of services that fail now and then: waits, asks again, and reads before it repeats a write."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.episode.faults import AGAIN, UNSURE, is_earlier
from stb_env.suites.worlds.goals.goal import Clause
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.oracle.list_requests import filtering, pages
from stb_env.suites.worlds.oracle.requests import Asking, Plan, Request
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.schema.actions import Transition
from stb_env.suites.worlds.schema.kit import Life
from stb_env.suites.worlds.services.archetypes.tool import ACTS
from stb_env.suites.worlds.world import Built
from stb_env.tools import ToolCall, ToolResult

GONE = ("delete", "void")
"""Kinds of tools after which a row is no more."""
Calls = Generator[ToolCall, ToolResult, ToolResult]
"""Calls that are each sent their result; it ends with the result that counts."""


def persistent(world: Built, request: Request, session: Session) -> Calls:
    """Make a request until a service has answered it."""
    while True:
        result = yield ToolCall(request.tool.tool.name, request.arguments)
        if UNSURE in result.error:
            if (yield from _played(world, _is_done(world, request.meant or request), session)):
                return ToolResult.of({}, source="world")
        elif AGAIN not in result.error and not is_earlier(result.response):
            return result


def _played(world: Built, plan: Plan, session: Session) -> Generator[ToolCall, ToolResult, Any]:
    plan = session.carried(plan)
    response: object = None
    while True:
        try:
            request = plan.send(response)
        except StopIteration as stop:
            return stop.value
        result = yield from persistent(world, request, session)
        response = {"error": result.error} if result.error else result.response


def _is_done(world: Built, request: Request) -> Asking[bool]:
    """Read whether rows are as a request that acts leaves them."""
    tool, finder = request.tool, Finder(world, {})
    if tool.kind not in ACTS:
        raise KeyError(f"{tool.tool.name} changes nothing")
    if tool.kind == "create":
        values = {each.attribute: each.read(request.arguments[each.name]) for each in tool.fields}
        return bool((yield from _equal(finder, tool.entity, values)))
    named = request.arguments[tool.params[0].name]
    # Of several rows either all are changed or none.
    identifier = named[0] if isinstance(named, list) else named
    reader = finder.tool("get", tool.entity)
    if reader is None:
        raise KeyError(f"no tool reads single rows of {tool.entity}")
    shown = yield Request(reader, {reader.params[0].name: identifier})
    if "error" in shown and isinstance(shown["error"], str):
        return tool.kind in GONE
    if tool.kind in GONE:
        return False
    _, values = world.codec.read_row(tool.entity, shown)
    return values[tool.fields[0].attribute] == _target(world, request)


def _equal(finder: Finder, entity: str, values: Mapping[str, int]) -> Asking[list[int]]:
    """Find the rows that have some values, the first of which is a reference."""
    clauses = [Clause(name, "=", value) for name, value in values.items()]
    tool = finder.tool("related", entity, next(iter(values))) or finder.tool("list", entity)
    if tool is None:
        raise KeyError(f"no tool lists rows of {entity}")
    reading, numbers = pages(tool, filtering(tool, clauses)), list[int]()
    response: Any = None
    while True:
        try:
            response = yield reading.send(response)
        except StopIteration:
            return (yield from finder.narrowed(entity, numbers, clauses, entity))
        numbers += finder.learn_all(tool, response)


def _target(world: Built, request: Request) -> int:
    """Return the value that a request gives to the field that it changes."""
    if request.leaves is not None:
        return request.leaves
    tool, arguments = request.tool, request.arguments
    described = world.blueprint.entities[tool.entity]
    action = described.actions[tool.subject]
    if not isinstance(action, Transition):
        return tool.fields[0].read(arguments[tool.params[1].name])
    life = described.attributes[action.field]
    if not isinstance(life, Life):
        raise KeyError(f"{action.field} of {tool.entity} is no lifecycle")
    return life.values.index(action.target)


def told(result: ToolResult) -> JsonObject | Any:
    """Return what a plan is sent of a result: its response, or its error under ``error``."""
    if result.error and not isinstance(result.response, Mapping):
        return {"error": result.error}
    return result.response
