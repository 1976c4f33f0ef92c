"""The search tool of an episode with an open catalogue, and how it extends the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.envs.played_calls import play_call
from stb_env.envs.rules import Rules
from stb_env.errors import did_you_mean
from stb_env.retrieval import ToolIndex
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

SEARCH = "search_tools"
MOST_RESULTS = 20


@dataclass(frozen=True, slots=True)
class Found:
    """Tools found by the searches of an episode.

    Attributes:
        names: Names of tools, those of the latest search last.
        searches: Number of searches.

    Examples:
        >>> search = {"name": "search_tools", "status": 0, "response": [{"name": "a"}, {"name": "b"}]}
        >>> Found(("b", "c"), 1).after([search])
        Found(names=('c', 'a', 'b'), searches=2)
    """

    names: tuple[str, ...] = ()
    searches: int = 0

    def after(self, calls: Iterable[JsonMapping]) -> Found:
        """Return what is found after the calls of a step, as ``info`` has them."""
        names, searches = self.names, self.searches
        for call in calls:
            if call["name"] == SEARCH and call["status"] == Status.OK:
                new = tuple(tool["name"] for tool in call["response"])
                names = (*(name for name in names if name not in new), *new)
                searches += 1
        return Found(names, searches)


@dataclass(frozen=True)
class ToolFinder(World[None]):
    """Answers searches over a catalogue; a world without state.

    Attributes:
        index: What is searched.
        k: Number of tools a search returns unless it asks for another number.
    """

    index: ToolIndex
    k: int

    @cached_property
    def tool(self) -> Tool:
        """The search as an agent sees it."""
        properties = {
            "query": {
                "type": "string",
                "minLength": 1,
                "description": "What the tool should do, in a few words.",
            },
            "k": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_RESULTS,
                "default": self.k,
                "description": "How many tools to return.",
            },
        }
        return Tool(
            SEARCH,
            "Looks for tools. Returns the documentation of those that fit the query best; from your next "
            "message on you can call them. Search again, in other words, where none does what you need.",
            {"type": "object", "properties": properties, "required": ["query"]},
        )

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers."""
        return {"world": SEARCH, "k": self.k, "tools": len(self.index.catalog)}

    def start(self, task: Task, seed: int) -> None:  # noqa: ARG002
        """Return None: a search remembers nothing."""
        return

    def call(
        self,
        state: None,
        tool: Tool,  # noqa: ARG002
        arguments: JsonMapping,
    ) -> tuple[ToolResult, None]:
        """Search; the response is a list of OpenAI functions, the best match first."""
        found = self.index.search(arguments["query"], arguments.get("k", self.k))
        return ToolResult.of([json.loads(tool.spec)["function"] for tool in found], source="env"), state

    def named(self, names: Iterable[str]) -> list[Tool]:
        """Return the tools of these names, those that do not exist left out."""
        known = map(self.index.catalog.get, names)
        return [tool for tool in known if tool is not None]


@dataclass(frozen=True)
class OpenRules(Rules):
    """Rules under which tools have to be found before they can be called.

    Attributes:
        finder: Answers searches.
    """

    finder: ToolFinder = field(kw_only=True)

    @classmethod
    def around(cls, rules: Rules, finder: ToolFinder) -> OpenRules:
        """Return the given rules with a finder."""
        return cls(**{setting.name: getattr(rules, setting.name) for setting in fields(rules)}, finder=finder)

    def call(
        self, tools: Mapping[str, Tool], state: object, call: ToolCall
    ) -> Slow[tuple[CallRecord, object]]:
        """Play a search, or a call of a tool that was found."""
        if call.name == SEARCH:
            record, _ = yield from play_call(self.finder, None, tools, call)
            return record, state
        if call.name in tools:
            return (yield from Rules.call(self, tools, state, call))
        hint = did_you_mean(call.name, [*tools, FINISH])
        error = f"no tool {call.name!r} has been found so far; describe to {SEARCH} what you need.{hint}"
        result = ToolResult.of("", error=error, source="env", status=Status.UNKNOWN_TOOL)
        return CallRecord(call.id, call.name, call.arguments, result), state
