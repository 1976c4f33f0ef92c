"""Requests to the tools of a world, and what their results said."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.worlds.data.rows import MISSING, State
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.suites.worlds.world import Built

_MOST_RESULTS, _MOST_ROWS = 500, 4000


@dataclass(frozen=True, slots=True)
class Request:
    """A call of a tool of the world.

    Attributes:
        tool: The tool.
        arguments: The arguments.
        meant: What a plan asked for, where this call brings it about in the end.
        leaves: The quantity that a row is left with of which some is moved; else None.
    """

    tool: WorldTool
    arguments: JsonObject
    meant: Request | None = None
    leaves: int | None = None


T = TypeVar("T")
Plan = Generator[Request, Any, Any]
Asking = Generator[Request, Any, T]
"""A plan that returns something of a type: it yields requests, and is sent what each is answered with."""
Values = dict[str, int]
Read = tuple[int, Values, list[tuple[str, int, bool]]]
"""Content of a row of a result: its number, its values, and the rows that it refers to.

Of each of those it has the entity, the number, and whether the row names it by its identifier."""


class Memory:
    """Results of calls that change nothing, and what their rows say, so that plans share them."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, str], Any] = {}
        self._rows: dict[tuple[Any, ...], Read] = {}
        self._pages: dict[int, tuple[JsonMapping, list[Read]]] = {}

    def shorten(self) -> None:
        """Forget everything where it has become much; between goals alone, since plans go by what is kept."""
        if len(self._results) > _MOST_RESULTS:
            self._results.clear()
            self._pages.clear()
        if len(self._rows) > _MOST_ROWS:
            self._rows.clear()

    def answer(self, request: Request) -> Any:
        """Return the response to a request at the start of an episode."""
        key = (request.tool.tool.name, repr(request.arguments))
        if key not in self._results:
            self._results[key], _ = request.tool.call(State(), request.arguments)
        return self._results[key]

    def read(self, world: Built, entity: str, shown: JsonMapping) -> Read:
        """Return what a row of a result says."""
        if not self._results:
            return _read(world, entity, shown)
        # At the start of an episode a row is the same in all results that show the same fields of it.
        key = (entity, shown[world.codec.id_field(entity)], *shown.get("attributes", shown))
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = _read(world, entity, shown)
        return found

    def read_all(self, world: Built, entity: str, response: JsonMapping, items: str) -> list[Read]:
        """Return what the rows of a result say."""
        kept, found = self._pages.get(id(response), (None, []))
        if kept is not response:
            found = [self.read(world, entity, row) for row in response[items]]
            # The result is kept with its rows, so no other one has its identity.
            if self._results:
                self._pages[id(response)] = response, found
        return found


def _read(world: Built, entity: str, shown: JsonMapping) -> Read:
    identifier, values = world.codec.read_row(entity, shown)
    leads = [
        (target, values[name], local)
        for name, target, local in world.codec.references[entity]
        if values.get(name, MISSING) != MISSING
    ]
    return world.codec.number_of(entity, identifier), values, leads
