"""Worlds as a backend: every tool call of every world is answered here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from stb_env.backend.user import ASK_USER
from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.data.traits import USUAL, Key, Traits
from stb_env.suites.worlds.episode.elsewhere import ELSEWHERE, OF, elsewhere
from stb_env.suites.worlds.episode.feed import change_feed
from stb_env.suites.worlds.episode.script import Script
from stb_env.suites.worlds.episode.user import asking_tool
from stb_env.suites.worlds.schema.joining import kit_named
from stb_env.suites.worlds.schema.kit import Kit
from stb_env.suites.worlds.services.archetypes.acting import actors
from stb_env.suites.worlds.services.archetypes.converting import converter
from stb_env.suites.worlds.services.archetypes.guidance import guidance, policy_books
from stb_env.suites.worlds.services.archetypes.listing import lists
from stb_env.suites.worlds.services.archetypes.protocols import Offered, offered
from stb_env.suites.worlds.services.archetypes.reading import readers
from stb_env.suites.worlds.services.archetypes.reports import reports
from stb_env.suites.worlds.services.archetypes.tool import CATEGORY, Workshop, WorldTool
from stb_env.suites.worlds.services.codec import Codec
from stb_env.suites.worlds.services.conventions import conventions_of
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult

VERSION = 5
"""Raised whenever equal calls or task ids stop giving equal bytes."""


@dataclass(frozen=True, eq=False)
class Built:
    """A world with its tools.

    Attributes:
        key: Names it: the kit or kits and the seed, ``vet_clinic-17``.
        blueprint: What was drawn.
        codec: Reads and writes the values of its services.
        meant: Tools that each do one thing in one call, by which the oracle plans.
        offered: What agents have in their place.
        scripted: Tools by name that tasks offer only where a script needs them.
    """

    key: str
    blueprint: Blueprint
    codec: Codec
    meant: tuple[WorldTool, ...]
    offered: Offered
    scripted: Mapping[str, WorldTool]

    @cached_property
    def tools(self) -> Mapping[str, WorldTool]:
        """Its tools by name, in the order in which tasks offer them."""
        return {each.tool.name: each for each in self.offered.tools}

    @cached_property
    def by_kind(self) -> Mapping[tuple[str, str, str], WorldTool]:
        """The first of the tools that are meant, by kind, entity and subject; ``""`` stands for any."""
        found: dict[tuple[str, str, str], WorldTool] = {}
        for tool in self.meant:
            found.setdefault((tool.kind, tool.entity, tool.subject), tool)
            found.setdefault((tool.kind, tool.entity, ""), tool)
        return found

    @cached_property
    def asking(self) -> WorldTool:
        """The tool that asks the user, which only tasks with something to ask offer."""
        return asking_tool(self.blueprint, self.key)


def build(kit: Kit, seed: int, traits: Traits = USUAL) -> Built:
    """Draw a world and make its tools."""
    key = str(Key(kit.name, seed, traits))
    blueprint = draw_world(seed, kit, traits)
    workshop, conventions = Workshop(Codec(blueprint), key), conventions_of(blueprint)
    made: list[WorldTool] = []
    for entity in blueprint.entities:
        made += lists(workshop, entity)
        made += readers(workshop, entity)
        made += actors(workshop, entity, voids=entity in conventions.voided)
        if entity in conventions.reported:
            made += reports(workshop, entity, conventions.reported[entity])
    made += guidance(workshop)
    if conventions.converts:
        made.append(converter(workshop))
    # The last to be named, so that the others have the same names in tasks that do not offer them.
    made += policy_books(workshop)
    feed = change_feed(workshop)
    tools = offered(workshop, made, conventions)
    return Built(key, blueprint, workshop.codec, tuple(made), tools, {feed.tool.name: feed})


@lru_cache(maxsize=256)
def built(key: str) -> Built:
    """Return the world of a key; those that were used last are kept.

    Raises:
        DataError: There is no such kit, or the key is none.
    """
    parts = Key.of(key)
    return build(kit_named(parts.name), parts.seed, parts.traits)


@lru_cache(maxsize=512)
def tool_elsewhere(api: str) -> WorldTool | None:
    """Return what runs for a tool of another world than the task's, by the last part of its identity."""
    key, _, name = api.partition(OF)
    tool = built(key).tools.get(name)
    return None if tool is None else elsewhere(tool, key)


class GeneratedWorld(World[State]):
    """Runs the tools of every world. It holds nothing itself, so one serves any number of episodes."""

    @property
    def fingerprint(self) -> JsonObject:
        """Version of the worlds and a hash over the tools of one world of each kit in use."""
        digest = hashlib.sha256()
        for tool in built("vet_clinic-0").tools.values():
            digest.update(tool.tool.spec.encode())
        return {"world": "worlds", "version": VERSION, "tools": digest.hexdigest()}

    def start(self, task: Task, seed: int) -> State:  # noqa: ARG002
        """Return the starting state: nothing was changed or shown yet."""
        script = task.goal.get("script")
        return State() if script is None else State(script=Script.of(script))

    def call(self, state: State, tool: Tool, arguments: Mapping[str, object]) -> tuple[ToolResult, State]:
        """Run one call.

        Raises:
            DataError: The tool is none of a world's.
        """
        if tool.id.category not in (CATEGORY, ELSEWHERE):
            raise DataError(f"{tool.name!r} is no tool of a generated world; take tools from its tasks")
        world = built(tool.id.tool)
        at_home = tool.id.category == CATEGORY
        known = world.tools.get(tool.id.api) if at_home else tool_elsewhere(tool.id.api)
        if known is None and at_home:
            known = world.asking if tool.id.api == ASK_USER else world.scripted.get(tool.id.api)
        if known is None:
            near = did_you_mean(tool.id.api, world.tools)
            raise DataError(f"{tool.id.api!r} is no tool of the world {world.key}.{near}")
        if state.script is not None:
            return state.script.call(world, known, state, arguments)
        return known.answer(state, arguments)
