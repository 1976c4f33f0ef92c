"""Requests to the tools of a world, and what their results said."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.worlds.archetypes.tool import WorldTool
from stb_env.suites.worlds.rows import State
from stb_env.suites.worlds.world import Built

_MOST_RESULTS = 500


@dataclass(frozen=True, slots=True)
class Request:
    """A call of a tool of the world."""

    tool: WorldTool
    arguments: JsonObject


Plan = Generator[Request, Any, Any]
Values = dict[str, int]


class Memory:
    """Results of calls that change nothing, and what their rows say, so that plans share them."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, str], Any] = {}
        self._rows: dict[int, tuple[int, Values]] = {}

    def shorten(self) -> None:
        """Forget everything where it has become much; between goals alone, since plans go by what is kept."""
        if len(self._results) > _MOST_RESULTS:
            self._results.clear()
            self._rows.clear()

    def answer(self, request: Request) -> Any:
        """Return the response to a request at the start of an episode."""
        key = (request.tool.tool.name, repr(request.arguments))
        if key not in self._results:
            self._results[key], _ = request.tool.call(State(), request.arguments)
        return self._results[key]

    def read(self, world: Built, entity: str, shown: JsonMapping) -> tuple[int, Values]:
        """Return the number of a row that a result shows, and its values."""
        # The row is an object of a result that is kept, so its identity is its own.
        found = self._rows.get(id(shown))
        if found is None:
            identifier, values = world.codec.read_row(entity, shown)
            found = world.codec.number_of(entity, identifier), values
            if self._results:
                self._rows[id(shown)] = found
        return found
